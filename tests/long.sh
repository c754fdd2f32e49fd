#!/bin/sh
# Long runs, in pieces: each goes on where it was stopped. What they showed stands in docs/long-runs.md.
#
#   tests/long.sh                 what there is, and how much of it was done
#   tests/long.sh NAME…           a piece of each of these in turn, until all is done: `allocations`,
#                                 `hangs:17:G1`, or `all`
#
# LONG_FOR=MINUTES ends it after so long, LONG_PIECE=AMOUNT makes pieces of another size. A line for each piece is added to
# docs/long-runs.tsv (date, name, what of, amount, seconds, what was seen, verdict, commit, seed), which is to be committed, so that
# another machine goes on from there; what a failed one wrote is in target/long. The seed of a failed one is tried again before
# others. Tests are those of ./check, with more of everything (XRUN_AMOUNT). Fuzzing needs cargo-fuzz and a nightly
# Rust, which is fetched into target/tools if it is not there; Miri a component of that. LONG_BINARY is a program of
# the tests that is built already.
# Exit code: 0, or 1 if a piece failed. What is not to be had is "not run", and no failure.

cd "$(dirname "$0")/.." || exit 2
target=${CARGO_TARGET_DIR:-$PWD/target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
mkdir -p "$target/long"
folder=$target/long
results=$PWD/docs/long-runs.tsv
touch "$results"
tab=$(printf '\t')
tools=$target/tools
export PATH="$PATH:$tools/bin"

# NAME, WHAT OF, amount in all, a piece, the unit, and the test, or what else runs it.
rows() {
    for jdk in 17 25; do
        echo "allocations $jdk 1000000000 50000000 objects long_runs::allocations_leave_nothing_behind"
        echo "objects $jdk 50000000 50000000 objects long_runs::many_objects_are_held"
        echo "peers $jdk 1000 50 peers long_runs::peers::a_peer_that_is_mad_keeps_nobody"
    done
    for jdk in 17 21 25; do
        for collector in Serial Parallel G1 Z Shenandoah; do
            echo "hangs $jdk:$collector 3600 300 seconds objects::nothing_hangs"
        done
        echo "calls $jdk 10000000 200000 calls long_runs::calls::wild_calls_leave_the_program_alone"
    done
    for jdk in 11 17 21 25; do
        echo "suspensions $jdk 1000000 100000 suspensions long_runs::suspensions_leave_everybody_running"
        echo "loaders $jdk:natives 20000 20000 loaders memory::natives_have_events_to_the_last"
        echo "loaders $jdk:stacks 20000 20000 loaders memory::classes_on_stacks_are_forgotten"
        echo "loaders $jdk:locks 20000 20000 loaders memory::classes_with_locks_are_forgotten"
    done
    for kind in recordings profiles libraries_settings_and_words command_lines; do
        echo "spoilt $kind 100000 2000 runs long_runs::hostile_files::spoilt_$kind"
    done
    for name in class_files dumps recordings options command_lines elf_files profiles; do
        echo "fuzz $name 3600 300 seconds fuzz"
    done
    for crate in id-map protocols event-translate dump-format recording-format class-rewriter agent-check \
        arena-models agent-usage shim-options native-layout terminal-text profile-formats matrix; do
        echo "miri $crate 1 1 times miri"
    done
}

# done_of NAME WHAT: how much of it was done well; pieces_of, in how many pieces.
done_of() {
    awk -F"$tab" -v name="$1" -v what="$2" '$2 == name && $3 == what && $7 == "ok" { sum += $4 } END { printf "%d", sum }' "$results"
}
pieces_of() {
    awk -F"$tab" -v name="$1" -v what="$2" '$2 == name && $3 == what { all++ } END { print all + 0 }' "$results"
}
# failed_of NAME WHAT: the seed of a piece that failed and has not been well since, if there is one.
failed_of() {
    awk -F"$tab" -v name="$1" -v what="$2" '$2 == name && $3 == what && $9 != "" && $7 != "not run" { last[$9] = $7 }
        END { for (seed in last) if (last[seed] == "FAILED") { print seed; exit } }' "$results"
}

is_chosen() {
    row=$1
    shift
    for wish in "$@"; do
        case $wish in all) return 0 ;; esac
        case $row: in "$wish":*) return 0 ;; esac
    done
    return 1
}

if [ $# = 0 ]; then
    rows | while read -r name what all piece unit test; do
        printf '%-12s %-32s %12s of %12s %s\n' "$name" "$what" "$(done_of "$name" "$what")" "$all" "$unit"
    done
    exit 0
fi

running=""
# bounded LIMIT WORDS…: runs it no longer than that, in a process group of its own, which `stop` ends.
bounded() {
    limit=$1
    shift
    timeout -k 60 "$limit" env --default-signal=INT,QUIT "$@" &
    running=$!
    wait "$running"
    set -- $?
    running=""
    return "$1"
}
stop() {
    [ -z "$running" ] || { kill "$running" && wait "$running"; } 2>/dev/null
}

# has_nightly TOOL [WORDS…], has_fuzz, has_miri: whether they are there, or can be had.
has_nightly() {
    tool=$1
    shift
    rustup run nightly "$tool" --version >/dev/null 2>&1 && return
    echo "long: installing Rust nightly with rustup ($tool)"
    bounded 10m rustup toolchain install nightly --profile minimal --no-self-update "$@"
}
has_fuzz() {
    has_nightly rustc || return
    cargo fuzz --version >/dev/null 2>&1 && return
    echo "long: installing cargo-fuzz from the crates registry into $tools"
    bounded 60m cargo install -q --locked --root "$tools" cargo-fuzz@0.13.2
}
has_miri() {
    has_nightly cargo-miri --component miri --component rust-src && cargo +nightly miri --version >/dev/null 2>&1
}

# begin_with TARGET FOLDER: files to begin fuzzing with; where a file's last byte is no part of it but chooses what
# is done with it, each with some of those.
begin_with() {
    into=$2
    choosers=""
    case $1 in
    class_files | dumps | recordings) choosers="A J |" ;;
    esac
    case $1 in
    class_files) set -- event-translate/class-rewriter/tests/rewrite/corpus/*.class ;;
    recordings) set -- tests/recordings/*.rec ;;
    profiles) set -- fuzz/seeds/profiles/* tests/golden/Golden.hprof.txt tests/golden/Golden.hprof.binary ;;
    elf_files) set -- "$target"/release/libjvmpi_counter.so "$target"/release/libjvmpi_throw.so ;;
    *) set -- fuzz/seeds/"$1"/* ;;
    esac
    for file in "$@"; do
        [ -e "$file" ] || continue
        for byte in ${choosers:-none}; do
            new=$into/${file##*/}${choosers:+.$(printf %d "'$byte")}
            [ -e "$new" ] || { cat "$file" && printf %s "${choosers:+$byte}"; } >"$new"
        done
    done
}

# Each runs a piece of AMOUNT and writes into $told what it did.
run_fuzz() {
    has_fuzz || return 3
    corpus=$folder/corpus/$what
    mkdir -p "$corpus" "$folder/artifacts/$what"
    begin_with "$what" "$corpus"
    bounded 12h cargo +nightly fuzz run --target-dir "$target/fuzz" --sanitizer "${LONG_SANITIZER:-address}" "$what" "$corpus" -- \
        -max_total_time="$piece" -seed="$seed" -timeout=60 -rss_limit_mb=4096 -artifact_prefix="$folder/artifacts/$what/" -print_final_stats=1 || return
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    printf -- '-\t%s\t%s runs, %s files kept\n' "$piece" "$runs" "$(find "$corpus" -type f | wc -l)" >"$told"
}
run_miri() {
    has_miri || return 3
    bounded 12h cargo +nightly miri test -q -p "$what" --target-dir "$target/miri"
}
run_test() {
    case $what in
    [0-9]*) only=${what%%:*} ;;
    *) only="" ;;
    esac
    case $name in hangs) export XRUN_COLLECTORS="${what##*:}" ;; *) unset XRUN_COLLECTORS ;; esac
    bounded 12h env -C tests ${only:+XRUN_ONLY="$only"} XRUN_LONG=1 XRUN_AMOUNT="$amount" XRUN_SEED="$seed" XRUN_TOLD="$told" \
        RUST_BACKTRACE=0 "$binary" --exact "$test" --nocapture
}

binary=$LONG_BINARY
case $binary in /* | "") ;; *) binary=$PWD/$binary ;; esac
# A piece of one row; 0 also if it is done already, 2 if it cannot be run here.
run_piece() {
    amount=${LONG_PIECE:-$piece}
    # Miri and what has its own length are not divided.
    case $name in miri | loaders) amount=$piece ;; esac
    left=$((all - $(done_of "$name" "$what")))
    [ "$left" -gt 0 ] || return 0
    [ "$amount" -le "$left" ] || amount=$left
    piece=$amount
    pieces=$(pieces_of "$name" "$what")
    seed=$(failed_of "$name" "$what")
    seed=${seed:-$((1 + pieces * 1000003))}
    told=$folder/told.$$
    log=$folder/log.$$
    rm -f "$told"
    began=$(date +%s)
    echo "long: $name $what: $amount $unit"
    case $test in
    fuzz) run_fuzz >"$log" 2>&1 ;;
    miri) run_miri >"$log" 2>&1 ;;
    *)
        if [ -z "$binary" ]; then
            cargo build -q --release || exit 2
            binary=$(cargo test -p xrun-tests --test integration --no-run 2>&1 | sed -n 's/^  Executable .*(\(.*\))$/\1/p')
            case $binary in /*) ;; *) binary=$PWD/$binary ;; esac
        fi
        run_test >"$log" 2>&1
        ;;
    esac
    code=$?
    took=$(($(date +%s) - began))
    verdict=ok
    [ "$code" = 0 ] || verdict=FAILED
    [ "$code" != 3 ] || verdict="not run"
    # A test that has run says so; without the JDK, or its collector, it passes all the same.
    [ "$test" = miri ] || [ -s "$told" ] || [ "$verdict" != ok ] || verdict="not run"
    made=$amount
    [ "$verdict" != "not run" ] || made=0
    seen=""
    if [ -s "$told" ]; then
        # What the test says of several modes is of the same amount.
        made=$(tail -n 1 "$told" | cut -f 2)
        seen=$(cut -f 3 "$told" | paste -sd ';' -)
    fi
    # What cannot be had here is nothing that others go on from.
    if [ "$verdict" != "not run" ]; then
        commit=$(git describe --always --exclude='*' 2>/dev/null)
        # But for the lines that are added here.
        git diff --quiet HEAD -- . ':(exclude)docs/long-runs.tsv' 2>/dev/null || commit=$commit-dirty
        printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$(date '+%Y-%m-%d %H:%M')" "$name" "$what" "$made" "$took" "$seen" "$verdict" \
            "$commit" "$seed" >>"$results"
    fi
    echo "long: $name $what: $made $unit in $took s: $verdict${seen:+ ($seen)}"
    rm -f "$told"
    if [ "$verdict" = ok ]; then
        rm -f "$log"
        return 0
    fi
    kept=$folder/$(echo "$verdict" | tr 'A-Z ' 'a-z-')-$name-$(echo "$what" | tr : -)-$pieces.txt
    mv "$log" "$kept"
    echo "long: what it wrote: $kept"
    [ "$verdict" = FAILED ] || return 2
    return 1
}

until=$(($(date +%s) + ${LONG_FOR:-1000000} * 60))
rows >"$folder/rows.$$"
trap 'stop; rm -f "$folder/rows.$$" "$folder/told.$$" "$folder/log.$$"' EXIT
trap 'exit 130' INT TERM
failed=0
more=1
found=0
while [ "$more" = 1 ]; do
    more=0
    while read -r name what all piece unit test <&3; do
        is_chosen "$name:$what" "$@" || continue
        found=1
        [ "$(date +%s)" -lt "$until" ] || continue
        [ "$(done_of "$name" "$what")" -lt "$all" ] || continue
        # What failed is looked at before more of it is run.
        case " $given_up " in *" $name:$what "*) continue ;; esac
        run_piece
        case $? in
        0) more=1 ;;
        1)
            failed=1
            given_up="$given_up $name:$what"
            ;;
        *) given_up="$given_up $name:$what" ;;
        esac
    done 3<"$folder/rows.$$"
done
[ "$found" = 1 ] || {
    echo "long: nothing is called so: $*" >&2
    exit 2
}
exit "$failed"
