#!/bin/sh
# What CI runs, in fresh clones of the last commit, one after the other, until so many in a row are green (10), or one
# is not.
#
#   tests/fresh.sh [N]
#
# A line each in target/fresh/runs.txt: date, commit, seconds, verdict; the log of the last one lies beside it, and of one that
# is not green the clone, too. It can be interrupted, and goes on: those of the same commit at the end of the file count.
# Exit code: 0, or 1 if one was not green.
set -u
cd "$(dirname "$0")/.." || exit 2
enough=${1:-10}
mkdir -p "${CARGO_TARGET_DIR:-target}/fresh"
folder=$(cd "${CARGO_TARGET_DIR:-target}/fresh" && pwd)
runs=$folder/runs.txt
touch "$runs"
commit=$(git rev-parse --short HEAD)

# in_a_row: how many green ones of this commit end the file.
in_a_row() {
    awk -v commit="$commit" '{ n = $2 == commit && $4 == "green" ? n + 1 : 0 } END { print n + 0 }' "$runs"
}

while [ "$(in_a_row)" -lt "$enough" ]; do
    rm -rf "$folder/clone"
    # Others may commit meanwhile.
    git clone -q . "$folder/clone" && git -C "$folder/clone" checkout -q "$commit" || exit 2
    from=$(date +%s)
    # Its own builds, whatever this one's folder is.
    if (cd "$folder/clone" && unset CARGO_TARGET_DIR && .ci/run) >"$folder/log" 2>&1; then verdict=green; else verdict=RED; fi
    echo "$(date +%F) $commit $(($(date +%s) - from)) $verdict" | tee -a "$runs"
    [ "$verdict" = green ] || exit 1
done
rm -rf "$folder/clone"
echo "fresh: $(in_a_row) in a row are green"
