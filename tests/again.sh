#!/bin/sh
# Runs each integration test many times while the machine has too much to do, to find those that
# fail by chance. It can be interrupted, and goes on where it was; days, for all of it.
#
#   tests/again.sh [NAME…]     those whose names begin so (`monitors::`); without, all
#
# A round is one run of each test on one JDK, another one in the next round: 20 rounds, and 200 for
# tests with threads, collections or time limits. Beside it four loops keep the processors busy
# (AGAIN_LOOPS). What failed is in target/again/failed, with what it wrote; remove target/again to
# begin anew.
# Exit code: 0, or 1 if a test failed in this run or an earlier one.

cd "$(dirname "$0")/.." || exit 2
folder=${CARGO_TARGET_DIR:-target}/again
mkdir -p "$folder/failed"
folder=$(cd "$folder" && pwd)
done=$folder/done.txt
touch "$done"

cargo build -q --release || exit 2
tests=$(cargo test -q -p xrun-tests --test integration -- --list 2>/dev/null | sed -n 's/: test$//p')
[ -n "$tests" ] || exit 2

# Whether the test has threads, collections or time limits, by its module.
is_about_time() {
    case ${1%%::*} in
    attach* | blocking | class_hook | dumps | edges | events | functions | handlers | hosts | hprof* | internals | \
        loaders | loading | method_* | memory | monitors | objects | own_traces | parks | recording | replaying | \
        sampl* | survival | terminals | unlinked | vendors | virtual_*) return 0 ;;
    esac
    return 1
}

is_chosen() {
    test=$1
    shift
    [ $# = 0 ] && return 0
    for name in "$@"; do
        case $test in "$name"*) return 0 ;; esac
    done
    return 1
}

loops=""
# shellcheck disable=SC2086 # a list of numbers
trap 'kill $loops 2>/dev/null' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "${AGAIN_LOOPS:-4}"); do
    while :; do :; done &
    loops="$loops $!"
done

cd tests || exit 2
for round in $(seq 200); do
    number=0
    for test in $tests; do
        number=$((number + 1))
        is_chosen "$test" "$@" || continue
        [ "$round" -le 20 ] || is_about_time "$test" || continue
        # shellcheck disable=SC2046 # one of four words
        jdk=$(echo 11 17 21 25 | cut -d' ' -f$(((number + round) % 4 + 1)))
        grep -qxF "$round $test" "$done" && continue
        log=$folder/failed/$test-$jdk-$round.txt
        if XRUN_ONLY=$jdk cargo test -q -p xrun-tests --test integration -- --exact "$test" >"$log" 2>&1; then
            rm "$log"
        else
            echo "again: $test failed on JDK $jdk: $log"
        fi
        echo "$round $test" >>"$done"
    done
    echo "again: round $round, $(wc -l <"$done") runs, $(find "$folder/failed" -type f | wc -l) failed"
done
[ -z "$(ls "$folder/failed")" ]
