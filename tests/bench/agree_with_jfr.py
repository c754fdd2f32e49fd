#!/usr/bin/env python3
"""Does the JVMPI sampler see what JFR sees, in the same run of javac?

    tests/bench/agree_with_jfr.py        (after ./demo, which unpacks the sources)

Prints the share of each of both profilers' ten hottest Java methods and by how
many standard errors the two shares differ. Native methods are left out: JFR
samples them apart and less often.
"""
import collections, math, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = f"{ROOT}/target/demo/src/java.base"
HOME = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac") or sys.exit("javac is missing"))))


def of_jfr(recording):
    text = subprocess.run([f"{HOME}/bin/jfr", "print", "--events", "jdk.ExecutionSample", "--stack-depth", "1", recording],
                          capture_output=True, text=True, check=True).stdout
    return collections.Counter(re.findall(r"stackTrace = \[\s*(\S+)\(", text))


def of_sampler(report):
    counts = collections.Counter()
    for line in open(report):
        row = re.match(r"\s+\d+\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+(\S+) \((.*)\)", line)
        if row and row.group(3) != "native":
            counts[row.group(2)] += int(row.group(1))
    return counts


if not os.path.isdir(SOURCES):
    sys.exit("no sources in target/demo: run ./demo first")
with tempfile.TemporaryDirectory() as work:
    subprocess.run([f"{ROOT}/target/release/xrun", f"{HOME}/bin/java",
                    f"-XX:StartFlightRecording=filename={work}/run.jfr,settings=profile",
                    f"-Xrunjvmpi_sampler:interval=5,top=100000,traces=0,depth=4,file={work}/profile.txt",
                    "-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn", "-XDignore.symbol.file",
                    "--patch-module", f"java.base={SOURCES}", "-d", f"{work}/classes", f"@{ROOT}/target/demo/files"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    jfr, ours = of_jfr(f"{work}/run.jfr"), of_sampler(f"{work}/profile.txt")
n, m = sum(jfr.values()), sum(ours.values())
print(f"JFR {n} samples, sampler {m} samples in Java methods")
for name in dict.fromkeys([k for k, _ in jfr.most_common(10)] + [k for k, _ in ours.most_common(10)]):
    p, q, both = jfr[name] / n, ours[name] / m, (jfr[name] + ours[name]) / (n + m)
    error = math.sqrt(both * (1 - both) * (1 / n + 1 / m))
    print(f"  {100 * p:5.2f}% JFR  {100 * q:5.2f}% sampler  {(q - p) / error:+5.1f} standard errors  {name}")
