#!/usr/bin/env python3
"""Do our profilers see what JFR sees, in the same runs of real programs?

    tests/bench/agree_with_jfr.py [hprof|sampler] [shares virtual javac fop h2] [--runs=N] [--java=HOME]     (hprof, all, 3, javac's)

`shares` is tests/java/Shares.java, ten methods of 30 to 1 percent; `virtual` the same on virtual threads
(JDK 21 and later).

Prints the share of both profilers' ten hottest Java methods, how many of the ten they
have in common, and by how many standard errors each two shares differ. Native methods
are left out: JFR samples them apart and less often. So is what HPROF sees of JFR's start.

JFR drops a sample in a routine of the VM's that compiled code calls, such as an array
copy; ours counts for the caller. So the heap is touched beforehand: memory that comes
during the run is first touched by copies, and where that is slow (virtual machines) they
are a fifth of all samples on h2.
"""
import collections, math, os, re, shutil, subprocess, sys, tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import programs

ROOT = programs.ROOT
RELEASE = os.path.join(os.environ.get("CARGO_TARGET_DIR", f"{ROOT}/target"), "release")
HOME = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("javac") or sys.exit("javac is missing"))))
JAVA = next((word[7:] for word in sys.argv if word.startswith("--java=")), HOME)
WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
RUNS = int(next((word[7:] for word in sys.argv if word.startswith("--runs=")), 3))


def of_jfr(recording):
    text = subprocess.run([f"{JAVA}/bin/jfr", "print", "--events", "jdk.ExecutionSample", "--stack-depth", "1", recording],
                          capture_output=True, text=True, check=True).stdout
    return collections.Counter(re.findall(r"stackTrace = \[\s*(\S+)\(", text))


def of_sampler(report):
    counts = collections.Counter()
    for line in open(report):
        row = re.match(r"\s+\d+\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+(\S+) \((.*)\)", line)
        if row and row.group(3) != "native":
            counts[row.group(2)] += int(row.group(1))
    return counts


def of_hprof(report):
    text = open(report).read()
    traces = re.findall(r"^TRACE (\d+):.*\n((?:\t.*\n)+)", text, re.M)
    # JFR's own start is over when it begins to look.
    left_out = {number for number, frames in traces if frames.split("\n")[0].endswith(":Native method)") or "\tjdk.jfr." in frames}
    counts = collections.Counter()
    table = re.search(r"^CPU SAMPLES BEGIN.*?^CPU SAMPLES END", text, re.M | re.S).group(0)
    for count, trace, method in re.findall(r"^ *\d+ +[\d.]+% +[\d.]+% +(\d+) +(\d+) (\S+)$", table, re.M):
        if trace not in left_out:
            counts[method] += int(count)
    return counts


PROFILERS = {
    "sampler": ("-Xrunjvmpi_sampler:interval=5,top=100000,traces=0,depth=4,file=", of_sampler),
    "hprof": ("-Xrunhprof:cpu=samples,interval=9,cutoff=0,depth=64,file=", of_hprof),
}
profiler = WORDS.pop(0) if WORDS and WORDS[0] in PROFILERS else "hprof"
option, read = PROFILERS[profiler]
# Long enough that two thousand samples come together in three runs.
SIZES = {"scans": 60, "paragraphs": 150_000}
# Not in step: who gets both signals at once is in the one's handler when the other comes.
JFR = "settings=profile,jdk.ExecutionSample#period=10ms"
HEAP = ["-Xms3g", "-Xmx3g", "-XX:+AlwaysPreTouch"]
with tempfile.TemporaryDirectory() as work:
    found = {name.split()[0]: (name, arguments) for name, arguments in programs.workloads(work, JAVA, **SIZES).items()}
    subprocess.run([f"{HOME}/bin/javac", "--release", "8", "-nowarn", "-d", work, f"{ROOT}/tests/java/Shares.java"], check=True, stderr=subprocess.DEVNULL)
    found["shares"] = ("shares (30, 20, 14, 10, 8, 6, 5, 4, 2, 1 percent)", ["-cp", work, "Shares", "20s"])
    release = open(f"{JAVA}/release").read()
    if int(re.search(r'JAVA_VERSION="(\d+)', release).group(1)) >= 21:
        found["virtual"] = ("shares on virtual threads", ["-cp", work, "Shares", "20s", "virtual"])
    for key in WORDS or ["shares", "virtual", "javac", "fop", "h2"]:
        if key not in found:
            print(f"not run: {key} (javac wants its sources, fop and h2 their Debian packages, virtual JDK 21)")
            continue
        name, arguments = found[key]
        jfr, ours = collections.Counter(), collections.Counter()
        for _ in range(RUNS):
            done = subprocess.run([f"{RELEASE}/xrun", f"{JAVA}/bin/java", f"-XX:StartFlightRecording=filename={work}/run.jfr,{JFR}", *HEAP,
                                   f"{option}{work}/profile.txt", *arguments], cwd=work, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done.returncode != 0:
                sys.exit(f"{name}: exit code {done.returncode}\n{done.stderr[-3000:]}")
            jfr += of_jfr(f"{work}/run.jfr")
            ours += read(f"{work}/profile.txt")
        n, m = sum(jfr.values()), sum(ours.values())
        tops = [[method for method, _ in counts.most_common(10)] for counts in (jfr, ours)]
        rows, furthest = [], 0
        for method in dict.fromkeys(tops[0] + tops[1]):
            p, q, both = jfr[method] / n, ours[method] / m, (jfr[method] + ours[method]) / (n + m)
            furthest = max(furthest, abs(p - q))
            error = math.sqrt(both * (1 - both) * (1 / n + 1 / m))
            rows.append(f"  {100 * p:5.2f}% JFR  {100 * q:5.2f}% {profiler}  {(q - p) / error:+5.1f} standard errors  {method}")
        print(f"{name}: {RUNS} runs, JFR {n} samples, {profiler} {m} samples in Java methods; "
              f"{len(set(tops[0]) & set(tops[1]))} of the ten hottest are the same; shares within {100 * furthest:.2f} points", *rows, sep="\n", flush=True)
