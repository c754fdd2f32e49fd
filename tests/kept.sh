#!/bin/sh
# kept.sh FILE COMMAND…: runs that; what it writes is shown, and kept in FILE.
#
# Not by a pipe: that would stay open for as long as anything that the command has left behind.
file=$1
shift
: >"$file"
tail -n +1 -f --pid=$$ "$file" &
"$@" >"$file" 2>&1
code=$?
# For the last lines.
sleep 1
exit "$code"
