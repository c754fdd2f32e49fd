"""What HPROF costs PySpark, a driver and two executors of their own: `./bench --only=spark`, 20 minutes.

The word count of examples/spark, of so many lines. Each run with HPROF stands between two without, and its figures
are held against the mean of theirs; so is each run without against those before and behind it, which says how far
the machine itself goes. PySpark is what `./check --long` has fetched, or what python3 finds:

    python3 -m pip install --target target/tools/python pyspark==3.5.3
"""
import ctypes, glob, os, shutil, statistics, subprocess, sys, tempfile, time

MODES = {"cpu=samples": 1.03, "heap=sites,sample=512k": 1.1}
FIGURES = ("wall", "cpu")
WORDS_IN_A_LINE = 3
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PR_SET_CHILD_SUBREAPER = 36


class Spark:
    """PySpark on one JDK."""

    def __init__(self, work, home, release, lines):
        self.work, self.xrun, self.lines = work, f"{release}/xrun", lines
        tools = os.path.join(os.path.dirname(os.path.abspath(release)), "tools", "python")
        path = os.pathsep.join(filter(None, [tools, os.environ.get("PYTHONPATH")]))
        self.environment = dict(os.environ, PYTHONPATH=path, JAVA_HOME=home, PYSPARK_PYTHON=sys.executable)
        ask = [sys.executable, "-c", "import pyspark; print(pyspark.__version__, pyspark.__path__[0])"]
        found = subprocess.run(ask, env=self.environment, capture_output=True, text=True)
        self.version, _, self.home = found.stdout.strip().partition(" ")
        self.environment["SPARK_HOME"] = self.home

    def used(self, mode):
        """Seconds by the clock until spark-submit ends, and of CPU of all its processes."""
        folder = tempfile.mkdtemp(dir=self.work)
        agent = [self.xrun, f"-Xrunhprof:{mode},format=pprof,verbose=n,file={folder}/%h-%p.pb.gz", "--"] if mode else []
        command = [*agent, f"{self.home}/bin/spark-submit", "--master", "local-cluster[2,1,1024]", "--conf", "spark.ui.enabled=false",
                   f"{ROOT}/examples/spark/word_count.py", str(self.lines)]
        with tempfile.TemporaryFile("w+") as log:
            start, before = time.monotonic(), os.times()
            # Spark makes a folder for its executors where it is.
            code = subprocess.Popen(command, cwd=folder, env=self.environment, stdout=log, stderr=log).wait()
            wall = time.monotonic() - start
            adopted()
            after = os.times()
            log.seek(0)
            said = log.read()
        profiles = len(glob.glob(f"{folder}/*.pb.gz"))
        # Who starts the driver, the driver, and its executors.
        if code != 0 or f"words: {WORDS_IN_A_LINE * self.lines} " not in said or (mode and profiles != 4):
            raise SystemExit(f"exit code {code}, {profiles} profiles: {' '.join(command)}\n{said[-2000:]}")
        shutil.rmtree(folder)
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return {"wall": wall, "cpu": cpu}


def adopted():
    """Waits for the processes that have outlived who started them: executors that end behind their driver."""
    until = time.monotonic() + 60
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if ended == 0 and time.monotonic() > until:
            raise SystemExit(f"spark-submit has ended for a minute, and what it started has not:\n{left()}")
        if ended == 0:
            time.sleep(0.02)


def left():
    """The processes that are ours to wait for, a line of ps each."""
    return subprocess.run(["ps", "-o", "pid,stat,args", "--ppid", str(os.getpid())], capture_output=True, text=True).stdout


def beside(runs, at, step):
    """A run's figures as ratios to the mean of what stands so far before and behind it."""
    return {key: 2 * runs[at][key] / (runs[at - step][key] + runs[at + step][key]) for key in FIGURES}


def measure(work, home, release, spread, pairs, quick, modes):
    if home is None:
        print("not run: spark (JDK 17: apt-get install openjdk-17-jdk-headless)")
        return
    spark = Spark(work, home, release, 3_000_000 if quick else 45_000_000)
    if not spark.home:
        print("not run: spark (python3 -m pip install --target target/tools/python pyspark==3.5.3)")
        return
    # Executors that outlive their driver are then ours to wait for, and their CPU time is counted.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    sides = modes or list(MODES)
    order = ["", *[side for _ in range(pairs) for mode in sides for side in (mode, "")]]
    print(f"spark: PySpark {spark.version}, local-cluster[2,1,1024], {spark.lines:_} lines, JDK 17; wall, CPU of all processes, beside "
          f"the runs without before and behind; load of the machine {os.getloadavg()[0]:.1f}".replace("_", " "), flush=True)
    spark.used("")  # so that the first one that counts finds all files in memory
    runs = []
    for side in order:
        runs.append(spark.used(side))
        print("    {:<44} {:6.1f} s   {:6.1f} s of CPU".format(side or "without", *(runs[-1][key] for key in FIGURES)), flush=True)
    without = [run for run, side in zip(runs, order) if not side]
    print("  without: {:.1f} s, {:.1f} s of CPU; load of the machine at the end {:.1f}".format(
        *(statistics.median(run[key] for run in without) for key in FIGURES), os.getloadavg()[0]))
    for side in ("", *sides):
        step = 1 if side else 2
        ratios = [beside(runs, at, step) for at in range(step, len(runs) - step) if order[at] == side]
        if not ratios:
            continue
        shown = "   ".join("{:5.3f} ({:.3f} - {:.3f})".format(*spread([ratio[key] for ratio in ratios])) for key in FIGURES)
        goal = f"   goal {MODES[side]}" if side in MODES else ""
        print(f"  {side or 'without, beside itself':<46} {shown}{goal}   {len(ratios)} runs", flush=True)
