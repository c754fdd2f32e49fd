#!/bin/sh
# The tests in a JVM of 32 bits, for which all that is tested is built. An x86-64 machine runs such programs
# itself.
#
#   tests/i386.sh tools           fetches what is missing, says what it fetches; fails if something
#                                 cannot be had
#   tests/i386.sh compilers       the same without the JDK, for ./build-i386
#   tests/i386.sh check [TEST…]   gets the tools, builds what is to be tested, and runs such tests of
#                                 tests/tests; without TEST all, of which tests/i386_tests.txt
#                                 says what cannot be had there
#   tests/i386.sh short           the same with some of them: tests/i386_tests.txt
#
# With XRUN_TESTS it runs this program of the tests (an absolute path), which is not built then.
#
# From Debian: compilers and the C library for 32 bits, Rust where there is no rustup, and JDK 17, the last
# with long support that there is of this width. The JDK is only unpacked, into .jdks/i586-unknown-linux-gnu/17.
set -eu
cd "$(dirname "$0")/.."

triple=i586-unknown-linux-gnu
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
i386=$target/tools/i386
home=$PWD/.jdks/$triple/17

say() {
    echo "i386: $*"
}

. tests/debian.sh
. tests/program.sh

makes_programs() {
    echo 'int main(void) { return 0; }' | gcc -m32 -x c -o /dev/null - 2>/dev/null &&
        echo 'int main() { throw 1; }' | g++ -m32 -x c++ -o /dev/null - 2>/dev/null
}

# its_apt WORD…: apt-get for i386, in folders of its own.
its_apt() {
    timeout 600 apt-get -q -o APT::Architecture=i386 -o APT::Architectures::=i386 -o APT::Sandbox::User=root \
        -o Dir::State="$i386/apt/state" -o Dir::State::lists="$i386/apt/lists" \
        -o Dir::State::status="$i386/apt/state/status" -o Dir::Cache="$i386/apt" "$@" >/dev/null
}

# The JDK, for which this machine's packages stay as they are.
jdk() {
    [ -x "$home/bin/java" ] && return
    say "unpacking openjdk-17-jre-headless:i386 into $home"
    mkdir -p "$i386/apt/lists/partial" "$i386/apt/archives/partial" "$i386/apt/state" "$i386/debs"
    touch "$i386/apt/state/status"
    rm -rf "$i386/jdk17"
    mkdir "$i386/jdk17"
    (
        cd "$i386/debs"
        rm -f ./*.deb
        # Of several lists one may be out of step with its mirror.
        its_apt update || true
        its_apt download openjdk-17-jre-headless:i386
        dpkg-deb -x ./*.deb "$i386/jdk17"
        rm -f ./*.deb
    )
    new=$PWD/.jdks/$triple/new-17
    rm -rf "$new"
    mkdir -p "$PWD/.jdks/$triple"
    mv "$i386/jdk17/usr/lib/jvm/java-17-openjdk-i386" "$new"
    # Its settings lie elsewhere, by links from the root.
    rm -rf "$new/conf" "$new/lib/security"
    mv "$i386/jdk17/etc/java-17-openjdk" "$new/conf"
    cp -a "$new/conf/security" "$new/lib/security"
    rm -f "$new/lib/jvm.cfg"
    cp "$new/conf/jvm-i386.cfg" "$new/lib/jvm.cfg"
    rm -rf "$i386/jdk17" "$home"
    mv "$new" "$home"
}

compilers() {
    [ "$(uname -m)" = x86_64 ] || {
        say "x86-64 only"
        return 1
    }
    # Not gcc-multilib: it does not go together with compilers for other processors.
    makes_programs || debian gcc-12-multilib g++-12-multilib
    debian lib32gcc-s1 lib32stdc++6 lib32z1
    if ! command -v rustup >/dev/null || ! rustup target add "$triple" 2>/dev/null; then
        # As ./build-i386 has it.
        debian rustc-web cargo-web rust-web-src
    fi
    # The machine's gcc may be another version than that.
    makes_programs || {
        say "gcc makes no programs for i386: apt-get install gcc-multilib g++-multilib"
        return 1
    }
}

tools() {
    compilers
    jdk
    "$home/bin/java" -version >/dev/null 2>&1 || {
        say "programs for i386 do not run here"
        return 1
    }
}

# integration WORD…: the tests, as they are built already, or else as cargo does.
integration() {
    if has_program; then
        env -C tests "$XRUN_TESTS" -q "$@"
    else
        cargo test -q -p xrun-tests --test integration -- "$@"
    fi
}

# check TEST…: words of cargo test's.
check() {
    begin=$(date +%s)
    tools
    ./build-i386 "$@"
    from=$(date +%s)
    failed=0
    export XRUN_TARGET=$triple
    # shellcheck disable=SC2086 # a list of words
    integration $words || failed=$?
    say "$(($(date +%s) - from)) s for the tests, $(($(date +%s) - begin)) s in all"
    return "$failed"
}

case ${1:-} in
tools) tools ;;
compilers) compilers ;;
check)
    shift
    words=$*
    # xrun itself, too.
    check -p launcher
    ;;
short)
    words="--exact $(sed '/^[#-]/d' tests/i386_tests.txt | tr '\n' ' ')"
    # A name that no test has would count as passed.
    named=$(sed '/^[#-]/d; /^$/d' tests/i386_tests.txt | wc -l)
    # shellcheck disable=SC2086 # a list of words
    found=$(integration --list $words | grep -c ': test$' || true)
    [ "$found" -eq "$named" ] || {
        say "of $named tests that tests/i386_tests.txt names there are $found"
        exit 1
    }
    check
    ;;
*)
    sed -n '5,14p' "$0" | cut -c3-
    exit 2
    ;;
esac
