#!/bin/sh
# Has VMs verify what the rewriter makes of every class of their own modules, of class
# files of the period and of mutants. Needs a JDK 17 compiler; some minutes and
# some 500 MB in a temporary folder per JDK.
#
#   event-translate/class-rewriter/tests/rewrite/verify.sh JAVA_HOME…
#
# Prints for each JDK and each kind of hooks: the rewriter's figures and refused
# methods, how many classes were linked, which have to be as many as without hooks, and
# whether programs print the same as without hooks. A rewriter that fails, that refuses
# methods for other reasons than that they are too large or empty finalizers, or that
# changes fewer than half of the classes is a failure, too: what nobody has changed links
# as well. REWRITE is another one. Classes that a JDK has others of with
# --enable-preview (28: value classes) are linked in that form as well. The exit status is
# that of the worst.
cd "$(dirname "$0")" || exit 2
here=$PWD
javac=${JAVAC:-/usr/lib/jvm/java-17-openjdk-amd64/bin/javac}
target=${CARGO_TARGET_DIR:-$here/../../../../target}
rewrite=${REWRITE:-$target/release/examples/rewrite}
hooks=java/lang/XrunProof
verify="-XX:+UnlockDiagnosticVMOptions -XX:+BytecodeVerificationLocal -XX:+BytecodeVerificationRemote"
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

# link FLAGS FOLDER…: what the VM says of the classes in these.
link() {
    flags=$1
    shift
    # shellcheck disable=SC2086 # lists of words, here and below
    "$java" $flags $verify --add-modules ALL-SYSTEM -cp "$work/tools" Link "$@" 2>&1 | grep -v WARNING
}

# puts_hooks MODE FROM TO: rewrites a folder of class files; $work/said has what the rewriter says of it.
puts_hooks() {
    # shellcheck disable=SC2086
    "$rewrite" "$2" "$3" $hooks $1 >"$work/said" 2>&1 || fail "[$1] $2: the rewriter ended with $?: $(tail -n 3 "$work/said")"
    others=$(sed -n 's/^  refused //p' "$work/said" | grep -vE '^[0-9]+: (EmptyFinalizer|TooLarge)$')
    [ -z "$others" ] || fail "[$1] $2: refused $others"
    figures=$(sed -n 's/^\([0-9]*\) classes, \([0-9]*\) changed,.*/\1 \2/p' "$work/said")
    [ -n "$figures" ] && [ $((2 * ${figures#* })) -ge "${figures% *}" ] || fail "[$1] $2: of so many classes so many were changed: $figures"
}

# links_hooked LIBRARY MODE FLAGS: of the library's classes with hooks as many are linked as without; $work/plain
# has what the VM says of these.
links_hooked() {
    rm -rf "$work/out"
    puts_hooks "$2" "$1" "$work/out"
    sed "s/^/[$2] /" "$work/said"
    patches=$3
    for module in "$work/out"/*; do
        patches="$patches --patch-module $(basename "$module")=$module"
    done
    patched=$work/out/java.base
    [ -d "$patched" ] || patches="$patches --patch-module java.base=$patched"
    mkdir -p "$patched/java/lang"
    cp "$work/hooks/$hooks.class" "$patched/java/lang/"
    link "$patches" "$1"/* >"$work/linked"
    sed "s/^/[$2] /" "$work/linked"
    grep -q linked "$work/linked" && ! grep -q REJECTED "$work/linked" || fail "[$2] rejected classes"
    cmp -s "$work/plain" "$work/linked" || fail "[$2] without hooks: $(cat "$work/plain")"
}

for home; do
    java=$home/bin/java
    [ -x "$java" ] || {
        fail "no $java (a path from the root)"
        continue
    }
    echo "== $("$java" -version 2>&1 | head -1), $home"
    rm -rf "$work/library" "$work/preview"
    "$java" -cp "$work/tools" Dump "$work/library" || fail "the VM's classes could not all be read"
    link "" "$work/library"/* >"$work/plain"
    for mode in "" "receiver instructions monitors"; do
        links_hooked "$work/library" "$mode" ""

        for program in "$work/programs"/*; do
            main=Period
            for other in Modern Value; do
                [ -e "$program/$other.class" ] && main=$other
            done
            # What a JDK has as a preview runs on that very one.
            preview=
            [ $main = Value ] && preview=--enable-preview
            "$java" $preview -cp "$program" $main >"$work/expected" 2>"$work/error"
            if grep -q UnsupportedClassVersionError "$work/error"; then
                echo "[$mode] $(basename "$program"): not run, of another JDK"
                continue
            fi
            rm -rf "$work/hooked"
            puts_hooks "$mode" "$program" "$work/hooked"
            "$java" $preview $verify --patch-module "java.base=$work/hooks" -cp "$work/hooked:$work/tools" Count $main >"$work/all" 2>&1
            grep -v '^entered' "$work/all" | cmp -s - "$work/expected" || fail "[$mode] $program"
            grep -q '^entered [1-9]' "$work/all" || fail "[$mode] $program: no hook was called"
            echo "[$mode] $(basename "$program"): $(grep '^entered' "$work/all")"
        done
    done
    others=$("$java" --enable-preview -cp "$work/tools" Dump "$work/preview" "$work/library") || fail "those with --enable-preview could not all be read"
    echo "with --enable-preview others: $others"
    if [ -d "$work/preview" ]; then
        link --enable-preview "$work/preview"/* >"$work/plain"
        for mode in "" "receiver instructions monitors"; do
            links_hooked "$work/preview" "$mode" --enable-preview
        done
    fi
    (cd "$work" && "$java" --enable-preview -cp tools:originals Mutants mutants >said) || fail "mutants"
    tail -n 1 "$work/said"
done
exit $failed
