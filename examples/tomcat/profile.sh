#!/bin/sh
# A Tomcat of its own with one page, under load, with HPROF in it: where its time goes and where its threads wait, as
# flame graphs.
#
#   examples/tomcat/profile.sh [FOLDER [PORT]]      the instance and its profiles: tomcat-profiled, 18080
#
# Needs xrun on the PATH, or built here (cargo build --release), Debian's tomcat10-user and curl, and a JDK.
# ./check --long runs it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:$here/../../target/release
folder=${1:-tomcat-profiled}
port=${2:-18080}
page=http://127.0.0.1:$port/hot.jsp

tomcat10-instance-create -p "$port" -c $((port + 1)) "$folder" >/dev/null
cd "$folder"
mkdir -p webapps/ROOT
cp "$here/hot.jsp" webapps/ROOT/

# In the foreground, so that the JVM is the process that is ended below. As a service Tomcat has the same in
# bin/setenv.sh: see Tomcat in docs/recipes.md.
export CATALINA_HOME="${CATALINA_HOME:-/usr/share/tomcat10}" CATALINA_BASE="$PWD"
xrun -Xrunhprof:cpu=samples,monitor=y,format=pprof,file="$PWD/logs/profile.pb.gz" -- \
    "$CATALINA_HOME/bin/catalina.sh" run >logs/out.txt 2>&1 &
server=$!
trap 'kill $server' EXIT
curl -s --max-time 60 --retry 60 --retry-connrefused --retry-delay 1 -o /dev/null "$page"
for _ in $(seq 300); do
    curl -s "$page" "$page" "$page" "$page"
done >logs/answers.txt
# As a service is ended: the profile is written at the end.
trap - EXIT
kill -TERM $server
wait $server || [ $? -eq 143 ]

xrun merge -o profile.html logs/profile.pb.gz
xrun merge --kind "CPU samples" -o cpu.collapsed logs/profile.pb.gz
echo "the hottest stacks:"
sed 1d cpu.collapsed | awk '{ print $NF, $0 }' | sort -rn | head -n 3 | sed 's/^[0-9]* .*;\([^;]*;[^;]*\)$/  \1/'
echo "profile: $PWD/profile.html"
