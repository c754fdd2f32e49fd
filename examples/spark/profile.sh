#!/bin/sh
# PySpark's word count, with HPROF in the driver and in each executor, and all of it in one page.
#
#   examples/spark/profile.sh [FOLDER]      the profiles go there: spark-profiles
#
# Needs xrun on the PATH, or built here (cargo build --release), a JDK that Spark knows (JAVA_HOME: 17), and
# spark-submit on the PATH (python3 -m venv v; v/bin/pip install pyspark==3.5.3; PATH=$PWD/v/bin:$PATH).
# ./check --long runs it, with PySpark 3.5.3 on JDK 17.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:$here/../../target/release
folder=${1:-spark-profiles}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
rm -f "$folder"/cpu-*.pb.gz

# spark-submit starts the driver, and that the executors: each JVM under it gets the agent, and a file of its
# own. rewrite=: executors are killed at the end, and have their profile of some seconds before.
xrun -Xrunhprof:cpu=samples,format=pprof,rewrite=2s,file="$folder/cpu-%h-%p.pb.gz" -- \
    spark-submit --master 'local-cluster[2,1,1024]' --conf spark.ui.enabled=false "$here/word_count.py"

# 1: one cannot be merged, of an executor that was killed in its first seconds say, and has its line; the others are.
xrun merge --force -o "$folder/all.html" "$folder"/cpu-*.pb.gz || [ $? -eq 1 ]
xrun merge --force -o "$folder/all.collapsed" "$folder"/cpu-*.pb.gz || [ $? -eq 1 ]
# What was hottest while tasks counted; of all there is, processes that live this short mostly load classes.
grep -F 'Executor$TaskRunner.run;' "$folder/all.collapsed" | grep -F hashAgg |
    awk '{ count = $NF; sub(/ [0-9]+$/, ""); sub(/.*;/, ""); own[$0] += count } END { for (name in own) print own[name], name }' |
    sort -rn | head -n 3
ls "$folder"
