#!/bin/sh
# Has VMs verify what the rewriter makes of their own class library, of class
# files of the period and of mutants. Needs a JDK 17 compiler; some minutes and
# some 500 MB in a temporary folder per JDK.
#
#   event-translate/class-rewriter/tests/rewrite/verify.sh JAVA_HOME…
#
# Prints for each JDK and each kind of hooks: the rewriter's figures and refused
# methods, how many classes were linked, and whether programs print the same as
# without hooks. The exit status is that of the worst.
cd "$(dirname "$0")" || exit 2
here=$PWD
javac=${JAVAC:-/usr/lib/jvm/java-17-openjdk-amd64/bin/javac}
target=${CARGO_TARGET_DIR:-$here/../../../../target}
rewrite=$target/release/examples/rewrite
hooks=java/lang/XrunProof
verify="-XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationLocal -XX:+BytecodeVerificationRemote"
modules="java.base java.desktop java.xml jdk.compiler java.logging java.sql jdk.localedata"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() {
    echo "FAILED: $*"
    failed=1
}

cargo build -q --release -p class-rewriter --examples || exit 2
XRUN_MUTANTS=$work/mutants cargo test -q --release -p class-rewriter --test rewrite_fuzz mutants >/dev/null || fail mutants
"$javac" -nowarn -source 11 -target 11 --patch-module "java.base=hooks" -d "$work/hooks" hooks/$hooks.java 2>/dev/null || exit 2
"$javac" -nowarn -source 11 -target 11 --patch-module "java.base=$work/hooks" -d "$work/tools" ./Dump.java Link.java Count.java Mutants.java 2>/dev/null || exit 2
# The corpus as classes that a VM finds by name.
for file in corpus/*.class; do
    name=$(basename "$file")
    mkdir -p "$work/programs/${name%%-*}" "$work/originals"
    cp "$file" "$work/programs/${name%%-*}/${name#*-}"
    cp "$file" "$work/originals/${name#*-}"
done

for home; do
    java=$home/bin/java
    echo "== $("$java" -version 2>&1 | head -1), $home"
    rm -rf "$work/library"
    # shellcheck disable=SC2086 # lists of words, here and below
    "$java" -cp "$work/tools" Dump "$work/library" $modules | grep '^no'
    for mode in "" "receiver instructions monitors"; do
        rm -rf "$work/out"
        "$rewrite" "$work/library" "$work/out" $hooks $mode | sed "s/^/[$mode] /"
        cp "$work/hooks/$hooks.class" "$work/out/java.base/java/lang/"
        patches=""
        for module in "$work/out"/*; do
            patches="$patches --patch-module $(basename "$module")=$module"
        done
        "$java" $verify $patches --add-modules ALL-SYSTEM -cp "$work/tools" Link "$work/out"/* 2>&1 |
            grep -v WARNING | tee "$work/linked"
        grep -q linked "$work/linked" && ! grep -q REJECTED "$work/linked" || fail "[$mode] rejected classes"

        for program in "$work/programs"/*; do
            main=Period
            [ -e "$program/Modern.class" ] && main=Modern
            "$java" -cp "$program" $main >"$work/expected" 2>"$work/error"
            if grep -q UnsupportedClassVersionError "$work/error"; then
                echo "[$mode] $(basename "$program"): not run, too new"
                continue
            fi
            rm -rf "$work/hooked"
            "$rewrite" "$program" "$work/hooked" $hooks $mode >/dev/null
            "$java" $verify --patch-module "java.base=$work/hooks" -cp "$work/hooked:$work/tools" Count $main >"$work/all" 2>&1
            grep -v '^entered' "$work/all" | cmp -s - "$work/expected" || fail "[$mode] $program"
            echo "[$mode] $(basename "$program"): $(grep '^entered' "$work/all")"
        done
    done
    (cd "$work" && "$java" -cp tools:originals Mutants mutants | tail -1)
    [ -e "$work/broken-0-after.class" ] && fail "mutants"
done
exit $failed
