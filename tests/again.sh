#!/bin/sh
# Runs each integration test many times while the machine has too much to do, to find those that
# fail by chance. It can be interrupted, and goes on where it was; days, for all of it.
#
#   tests/again.sh [NAME…]     those whose names begin so (`monitors::`); without, all
#
# A round is a run of each test on one JDK, on the one where it was run least so far, until there are 20 runs of each, and
# 200 of tests with threads, collections or time limits, which come first. One whose last run took longer than 20 s
# has a turn in so many fewer rounds, so that the others have theirs meanwhile. A run that found nothing to do on its
# JDK counts as none, and the test is not run on that JDK again. Beside it four loops keep the
# processors busy (AGAIN_LOOPS), and AGAIN_JOBS tests run at a time (1). AGAIN_JDKS are those in rotation
# (11, 17, 21, 25, and of 26, 27, 28 what tests/newest.sh has fetched). What failed is in target/again/failed, with what it wrote; remove target/again to
# begin anew.
# XRUN_TESTS is a program of the tests that is built already, for runs during which nothing may be built.
# Exit code: 0, or 1 if a test failed in this run or an earlier one.

cd "$(dirname "$0")/.." || exit 2
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target/again/failed"
folder=$(cd "$target/again" && pwd)
# Lines of ROUND TEST JDK SECONDS VERDICT: ok, failed, or nothing, if there was nothing to do on that JDK. Older ones have
# four words, and count as runs.
done=$folder/done.txt
touch "$done"

. tests/program.sh
if has_program; then
    binary=$XRUN_TESTS
    case $binary in /*) ;; *) binary=$PWD/$binary ;; esac
else
    cargo build -q --release || exit 2
    binary=$(tests_program -p xrun-tests --test integration) || exit 2
fi

# Whether the test has threads, collections or time limits, by its module.
is_about_time() {
    case ${1%%::*} in
    attach* | beside | blocking | bridge | checks | class_hook | compare* | containers | documents | dumps | edges | errno | \
        events | functions | golden_program | handlers | hook_frames | hosts | hprof* | internals | jvmti_agents | loaders | \
        loading | long_runs | many_processes | method_* | memory | monitors | objects | one_library | own_traces | parks | \
        period | port_ways | real_programs | recording | replaying | sampl* | skeleton | surroundings | survival | terminals | \
        unlinked | value_objects | vendors | virtual_*) return 0 ;;
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

tests=$("$binary" --list 2>/dev/null | sed -n 's/: test$//p')
first=""
last=""
for test in $tests; do
    is_chosen "$test" "$@" || continue
    if is_about_time "$test"; then first="$first $test"; else last="$last $test"; fi
done
[ -n "$first$last" ] || exit 2

loops=""
workers=""
# Background jobs ignore Ctrl-C: they are told. A worker ends its test.
# shellcheck disable=SC2086 # lists of numbers
trap 'kill $loops $workers 2>/dev/null; wait' EXIT
trap 'exit 130' INT TERM
for _ in $(seq "${AGAIN_LOOPS:-4}"); do
    while :; do :; done &
    loops="$loops $!"
done

jdks=${AGAIN_JDKS:-11 17 21 25 $(cd .jdks 2>/dev/null && ls -d 26 27 28 2>/dev/null | tr '\n' ' ')}
# Where tests write on which JDKs they ran (tests/src/jdk.rs).
record=$(cd "$target" && pwd)/xrun-tests

# verdicts TEST: how often it ran on a JDK so far.
verdicts() {
    cat "$record/passed.txt" "$record/failed.txt" 2>/dev/null | grep -c "	$1	"
}

# next TEST NUMBER: how often it was run, how long it took the last time, and the JDK of its next run: the one with the
# fewest, of those with as many another one for each NUMBER; none where there is nothing left to do.
next() {
    awk -v test="$1" -v number="$2" -v jdks="$jdks" '
        $2 != test { next }
        $5 == "nothing" { without[$3] = 1; next }
        { runs++; on[$3]++; took = $4 }
        END {
            count = split(jdks, list, " ")
            for (place = 0; place < count; place++) {
                jdk = list[1 + (place + number) % count]
                if (!(jdk in without) && (best == "" || on[jdk] + 0 < on[best] + 0)) best = jdk
            }
            print runs + 0, took + 0, best
        }' "$done"
}

# once ROUND TEST NUMBER: the NUMBERth test of a round. Sets `left` if it is to be run again, now or later.
once() {
    # shellcheck disable=SC2046 # three words
    set -- "$1" "$2" $(next "$2" "$3")
    if is_about_time "$2"; then most=200; else most=20; fi
    [ "$3" -lt "$most" ] && [ -n "$5" ] || return
    left=1
    [ $(($1 % (1 + $4 / 20))) = 0 ] || return
    jdk=$5
    log=$folder/failed/$2-$jdk-$1.txt
    before=$(verdicts "$2")
    from=$(date +%s)
    # What the test starts has limits of its own. It is in a process group with all of that, which `timeout` ends.
    XRUN_ONLY=$jdk timeout -k 60 1h env --default-signal=INT,QUIT "$binary" --exact "$2" >"$log" 2>&1 &
    running=$!
    verdict=ok
    if wait "$running"; then
        # One that asks for no JDK, and what it leaves out, says nothing of any.
        ! grep -q "^not run: $2 on JDK " "$log" || [ "$before" != "$(verdicts "$2")" ] || verdict=nothing
        rm "$log"
    else
        verdict=failed
        echo "again: $2 failed on JDK $jdk: $log"
    fi
    running=""
    echo "$1 $2 $jdk $(($(date +%s) - from)) $verdict" >>"$done"
}

# worker N OF: every OFth test of each round.
worker() {
    running=""
    # What was interrupted is neither done nor failed.
    trap '[ -z "$running" ] || { kill "$running" && wait "$running"; rm -f "$log"; } 2>/dev/null; exit 143' TERM
    round=$(awk 'BEGIN { last = 1 } { if ($1 > last) last = $1 } END { print last }' "$done")
    while [ "$round" -le 4000 ]; do
        number=0
        left=0
        for test in $first $last; do
            number=$((number + 1))
            [ $((number % $2)) = "$1" ] || continue
            # In a round that was interrupted.
            if grep -q "^$round $test " "$done"; then left=1; else once "$round" "$test" "$number"; fi
        done
        echo "again: round $round, $(grep -vc ' nothing$' "$done") runs, $(find "$folder/failed" -type f | wc -l) failed or under way"
        [ "$left" = 1 ] || break
        round=$((round + 1))
    done
}

cd tests || exit 2
jobs=${AGAIN_JOBS:-1}
for job in $(seq 0 $((jobs - 1))); do
    worker "$job" "$jobs" &
    workers="$workers $!"
done
# shellcheck disable=SC2086 # a list of numbers
wait $workers
[ -z "$(ls "$folder/failed")" ]
