# For the scripts beside it.

# tests_program WORD…: the program of the integration tests, which cargo test makes with these words; nothing, and false,
# if it cannot be had.
tests_program() {
    found=$(cargo test --color never --no-run "$@" 2>&1 | sed -n 's/^ *Executable .*(\(.*\/integration-[0-9a-f]*\))$/\1/p')
    case $found in /*) ;; *) found=$PWD/$found ;; esac
    [ -f "$found" ] && [ -x "$found" ] && echo "$found"
}

# has_program: whether XRUN_TESTS names such a program that is built already; one that is not there is an error.
has_program() {
    [ -n "${XRUN_TESTS:-}" ] || return 1
    [ -f "$XRUN_TESTS" ] && [ -x "$XRUN_TESTS" ] && return 0
    echo "XRUN_TESTS: $XRUN_TESTS: no such program" >&2
    exit 2
}
