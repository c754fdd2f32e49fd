#!/bin/sh
# The pages that HPROF and xrun write, made by runs and opened in headless Chromium.
# Needs chromium, java, cc and what `cargo build --release` has built.
set -eu
pages=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$pages/../../target}
target=$(cd "$target" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >Busy.java <<'JAVA'
public class Busy {
    static int deep(int depth) {
        return depth == 0 ? new int[100].length : deep(depth - 1) + 1;
    }

    public static void main(String[] words) throws Exception {
        long end = System.nanoTime() + 1_000_000_000L;
        int sum = 0;
        while (System.nanoTime() < end) {
            sum += deep(20);
        }
        System.out.println(sum);
    }
}
JAVA
javac Busy.java
xrun=$target/release/xrun
"$xrun" java -Xrunhprof:cpu=samples,heap=sites,sample=512k,format=flame,verbose=n Busy
"$xrun" report --html report.html java -Xrunhprof:heap=all,cpu=samples,monitor=y,verbose=n Busy 2>said || { cat said; exit 1; }
"$xrun" java -Xrunhprof:cpu=samples,heap=sites,sample=512k,format=json,file=one.json,verbose=n Busy
"$xrun" java -Xrunhprof:cpu=samples,thread=y,format=pprof,file=two.pb.gz,verbose=n Busy
# Two processes of another host.
sed -i 's/\("process": *"[0-9]* on \)[^"]*/\1red/' one.json
printf '(HPROF for xrun 0.1.0);(CPU samples, samples);(every 10 ms);(3 on red) 0\n[main];Busy.main 7\n' >three.collapsed
"$xrun" merge -o merged.html one.json two.pb.gz three.collapsed
# A port that has begun, as README has it.
jdk=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
cc -shared -fPIC -I "$jdk/include" -I "$jdk/include/linux" -o libport.so "$pages/../../examples/port/port.c"
"$xrun" trace -o old.rec java -Xrunhprof:cpu=samples,heap=sites,monitor=y,verbose=n Busy
"$xrun" trace -o new.rec java -agentpath:./libport.so Busy
"$xrun" compare -o compare.html old.rec new.rec >said || [ $? = 3 ]
# Classes and methods with names that no compiler makes, in a graph, and in what a port has missed.
javac -d . "$pages/../java/HostileNames.java"
"$xrun" java -Xrunhprof:heap=sites,cutoff=0,depth=16,format=flame,file=hostile.html,verbose=n HostileNames 0
cc -shared -fPIC -w -I "$jdk/include" -I "$jdk/include/linux" -I "$pages/../../jvmpi-headers/include" -o libported.so "$pages/../agents/ported.c" -lpthread
"$xrun" trace -o old-names.rec java -Xrunjvmpi_counter:file=counts.txt HostileNames 0
"$xrun" trace -o new-names.rec java -agentpath:./libported.so=counter,no-threads,one-thread HostileNames 0
"$xrun" compare -o hostile-compare.html old-names.rec new-names.rec >said || [ $? = 3 ]
python3 "$pages/flame_page.py" java.hprof.html "$target/pages/flame"
python3 "$pages/merged_page.py" merged.html "$target/pages/merged"
python3 "$pages/flame_page.py" --large "$target/pages/large"
python3 "$pages/diff_page.py" "$xrun" "$target/pages/diff"
python3 "$pages/report_page.py" report.html "$target/pages/report"
python3 "$pages/report_page.py" compare.html "$target/pages/compare"
python3 "$pages/hostile_page.py" hostile.html hostile-compare.html
