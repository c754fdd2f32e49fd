#!/usr/bin/env python3
"""Where the time of an allocation goes: CPU ns per object, by thread and by library.

    tests/bench/share.py [java] [alloc|churn] [threads] [rounds]     (java 17, alloc, 1, 3)

Runs AllocBench under `perf record` (cpu-clock: no hardware counters are needed) with
the floor of tests/bench/floor_alloc.c and with ours, without frees and with them, in
turn, and prints medians. A busy machine disturbs these figures less than ./bench.
"""
import collections, os, re, shutil, statistics, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = f"{ROOT}/tests/bench"
SHIM = os.path.join(os.environ.get("CARGO_TARGET_DIR", f"{ROOT}/target"), "release", "libjvmpi.so")
JAVAC = shutil.which("javac") or sys.exit("javac is missing")
HOME = os.path.dirname(os.path.dirname(os.path.realpath(JAVAC)))
JAVA = sys.argv[1] if len(sys.argv) > 1 else f"{HOME}/bin/java"
MODE = sys.argv[2] if len(sys.argv) > 2 else "alloc"
THREADS = sys.argv[3] if len(sys.argv) > 3 else "1"
ROUNDS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
HERTZ = 1999
HEAPS = {"alloc": ["-Xms1g", "-Xmx1g", "-Xmn700m"], "churn": ["-Xms64m", "-Xmx64m", "-Xmn12m"]}
SIZES = {"alloc": ["40", "100000"], "churn": ["6", "600000"]}
OWN = ("libjvmpi.so", "liballoc_counter.so", "libfloor_alloc.so")


def thread_of(name):
    for start, kind in (("Thread-", "allocating"), ("Service", "Service Thread"), ("VM Thread", "VM Thread"), ("JVMPI", "our worker")):
        if name.startswith(start):
            return kind
    return "others"


def library_of(path):
    name = os.path.basename(path)
    if name in OWN:
        return "agents and shim"
    if "kernel" in name:
        return "kernel"
    return next((known for known in ("libjvm.so", "libc.so") if known in name), "other")


def profile(work, extra):
    """CPU ns per object made, by (thread, library)."""
    command = ["perf", "record", "-o", f"{work}/perf.data", "-e", "cpu-clock", "-F", str(HERTZ), JAVA, "-XX:+UseSerialGC",
               *HEAPS[MODE], *extra, "-cp", work, "AllocBench", MODE, "small", THREADS, *SIZES[MODE]]
    environment = dict(os.environ, LD_LIBRARY_PATH=work)
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    made = re.search(r"^made (\d+)$", done.stdout, re.M)
    if done.returncode != 0 or not made:
        sys.exit(f"failed: {' '.join(command)}\n{done.stderr}")
    text = subprocess.run(["perf", "script", "-i", f"{work}/perf.data", "-F", "comm,ip,sym,dso"],
                          capture_output=True, text=True, check=True).stdout
    shares = collections.Counter()
    for sample in re.finditer(r"^\s*(.+?)\s+[0-9a-f]+ .* \((.*)\)$", text, re.M):
        thread, library = thread_of(sample.group(1)), library_of(sample.group(2))
        for key in (("all", ""), (thread, ""), (thread, library)):
            shares[key] += 1e9 / HERTZ / int(made.group(1))
    return shares


if not shutil.which("perf"):
    sys.exit("perf is missing: apt-get install linux-perf")
with tempfile.TemporaryDirectory() as work:
    for name in ("floor_alloc", "alloc_counter"):
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-w", f"-I{ROOT}/jvmpi-headers/include", f"-I{HOME}/include",
                        f"-I{HOME}/include/linux", "-o", f"{work}/lib{name}.so", f"{SOURCES}/{name}.c"], check=True)
    subprocess.run([JAVAC, "--release", "8", "-nowarn", "-d", work, f"{SOURCES}/AllocBench.java"], check=True, stderr=subprocess.DEVNULL)
    floor, ours = f"-agentpath:{work}/libfloor_alloc.so", [f"-agentpath:{SHIM}", "-Xrunalloc_counter"]
    sides = {"floor": [floor], "ours": ours, "floor, frees": [f"{floor}=free"], "ours, frees": [ours[0], f"{ours[1]}:free"]}
    runs = collections.defaultdict(list)
    for number in range(ROUNDS):
        for side in list(sides) if number % 2 == 0 else reversed(sides):
            runs[side].append(profile(work, sides[side]))
    print(f"{MODE}, {THREADS} thread{'s'[:THREADS != '1']}: CPU ns per object, medians of {ROUNDS}")
    print(f"{'':34}" + "".join(f"{side:>14}" for side in sides))
    for key in sorted({key for side in sides for run in runs[side] for key in run}):
        middle = [statistics.median(run[key] for run in runs[side]) for side in sides]
        if max(middle) >= 2:
            print(f"{'  ' * bool(key[1]) + (key[1] or key[0]):34}" + "".join(f"{value:14.1f}" for value in middle))
