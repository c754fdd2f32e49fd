"""What HPROF costs, mode by mode: `./bench --only=hprof`."""
import os, re, statistics, subprocess, time

FRAMES = 4  # HPROF's own depth
MODES = {
    "cpu=samples": 1.03,
    "cpu=samples,depth=128": None,
    "cpu=times,clock=wall": None,
    "cpu=times": None,
    "cpu=times,clock=wall,small-methods=skip,method-budget=20": None,
    "cpu=times,small-methods=skip,method-budget=20": None,
    "heap=sites": None,
    "heap=sites,sample=512k": 1.03,
    "heap=dump": None,
    "monitor=y": None,
    "cpu=samples,monitor=y,heap=sites,sample=512k": None,
}


class Hprof:
    """One JDK; the library and the shim are those of the release folder."""

    def __init__(self, work, home, release):
        self.work, self.java = work, f"{home}/bin/java"
        self.environment = dict(os.environ, LD_LIBRARY_PATH=f"{release}:{work}")
        self.shim = f"-agentpath:{release}/libjvmpi.so"

    def agent(self, options):
        return [self.shim, f"-Xrunhprof:{options},file={self.work}/hprof.out,verbose=n"] if options else []

    def run(self, extra, arguments, limit=None):
        command = [self.java, *extra, *arguments]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=limit)
        if done.returncode != 0:
            raise SystemExit(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr[-2000:]}")
        return done.stdout

    def used(self, extra, arguments, limit):
        """Clock and CPU seconds of one run; None if it takes longer than that."""
        start, before = time.monotonic(), os.times()
        try:
            self.run(extra, arguments, limit)
        except subprocess.TimeoutExpired:
            return None
        after = os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        return {"wall": time.monotonic() - start, "cpu": cpu}


def calls(hprof, in_turn, spread, pairs):
    """A call of fib, above the same without an agent."""
    program = ["-cp", hprof.work, "MethodBench", "plain"]
    sides = ["", "cpu=times,clock=wall", "cpu=times,clock=cpu"]
    rounds = in_turn(pairs, *[lambda side=side: float(hprof.run(hprof.agent(side), program)) for side in sides])
    for at, (what, goal) in enumerate((("wall time", "110"), ("CPU time", "two clock reads + 60")), 1):
        values = [run[at] - run[0] for run in rounds]
        print("  {:<46} {:6.1f}  ({:.1f} - {:.1f}) ns   goal {}".format(f"cpu=times, a call, {what}", *spread(values), goal), flush=True)


def allocations(hprof, in_turn, spread, pairs):
    """An allocation, beside a JVMTI agent that tags it and takes four frames."""
    arguments = ["-XX:+UseSerialGC", "-Xms1g", "-Xmx1g", "-Xmn700m", "-cp", hprof.work, "AllocBench", "alloc", "small", "1", "20", "100000"]
    floor = [f"-agentpath:{hprof.work}/libfloor_alloc.so=stack"]

    def figures(extra):
        return {name: float(value) for name, value in (line.split() for line in hprof.run(extra, arguments).splitlines())}

    rounds = in_turn(pairs, lambda: figures(floor), lambda: figures(hprof.agent("heap=sites")))
    for name in ("wall", "own"):
        values = [ours[name] / base[name] for base, ours in rounds]
        base = statistics.median(base[name] for base, _ in rounds)
        print("  {:<46} {:6.2f}  ({:.2f} - {:.2f})   goal 1.15   floor {:.0f} ns".format(f"heap=sites, an object, {name}", *spread(values), base), flush=True)


def memory(hprof, in_turn, spread, quick):
    """Resident memory of so many stacks more, above the same without an agent."""
    few, many = 20_000, 120_000
    program = ["-XX:+UseSerialGC", "-Xms200m", "-Xmx200m", "-XX:+AlwaysPreTouch", "-XX:TieredStopAtLevel=1", "-cp", hprof.work, "StackBench"]

    def resident(options, stacks):
        return lambda: float(hprof.run(hprof.agent(options), [*program, str(stacks)]))

    modes = {"heap=sites,depth=13": "a site and its trace of 13 frames", "cpu=times,depth=13": "a stack of calls, four places of 13 methods"}
    sides = [resident(options, stacks) for options in ("", *modes) for stacks in (few, many)]
    rounds = in_turn(1 if quick else 3, *sides)
    for at, text in enumerate(modes.values(), 1):
        # A new stack ends with a method, next, and two constructors: four places.
        values = [((run[2 * at + 1] - run[2 * at]) - (run[1] - run[0])) * 1024 / (many - few) for run in rounds]
        print("  {:<46} {:6.0f}  ({:.0f} - {:.0f}) bytes".format(f"memory of {text}", *spread(values)), flush=True)


def short_run(hprof, in_turn, spread):
    """What a program pays that does next to nothing, but for one collection."""
    program = ["-cp", hprof.work, "ShortBench"]
    sides = ["", "cpu=samples", "heap=sites", "cpu=times,clock=wall"]
    rounds = in_turn(7, *[lambda side=side: hprof.used(hprof.agent(side), program, None)["wall"] * 1000 for side in sides])
    print(f"  a program of {statistics.median(run[0] for run in rounds):.0f} ms")
    for at, side in enumerate(sides[1:], 1):
        print("    {:<44} {:+6.0f}  ({:+.0f} - {:+.0f}) ms".format(side, *spread([run[at] - run[0] for run in rounds])), flush=True)


def programs(hprof, workloads, in_turn, spread, quick, runs, modes):
    """Whole programs: each mode, JFR, and what the period's HPROF did for cpu=times (period_times.c), against none.

    With cpu=times each call is an event: what takes a second takes a minute, and with a clock of
    CPU time, which is a call of the kernel, several. What takes too long is not run again."""
    limit = 60 if quick else 300
    jfr = [f"-XX:StartFlightRecording=filename={hprof.work}/jfr.jfr,settings=profile"]
    sizes = {"rows": 5_000, "scans": 2, "sources": "java/util/regex", "paragraphs": 300} if quick else {"rows": 50_000, "scans": 4}
    for name, arguments in workloads(hprof.work, os.path.dirname(os.path.dirname(hprof.java)), **sizes).items():
        sides = {"none": [], **{mode: hprof.agent(mode) for mode in modes or MODES}}
        if not modes:
            sides |= {"JFR, settings=profile": jfr, "an agent of the period, cpu=times": [hprof.shim, "-Xrunperiod_times"]}
        given_up = set()

        def used(side):
            done = None if side in given_up else hprof.used(sides[side], arguments, limit)
            if done is None:
                given_up.add(side)
            return done

        rounds = in_turn(runs or (1 if quick else 5), *[lambda side=side: used(side) for side in sides])
        print(f"  {name}: {statistics.median(run[0]['wall'] for run in rounds):.2f} s without an agent")
        for at, side in enumerate(sides):
            if side in given_up:
                print(f"    {side:<44} more than {limit} s", flush=True)
            elif at > 0:
                ratios = "   ".join("{:5.2f} ({:.2f} - {:.2f})".format(*spread([run[at][key] / run[0][key] for run in rounds])) for key in ("wall", "cpu"))
                goal = f"   goal {MODES[side]}" if MODES.get(side) else ""
                print(f"    {side:<44} {ratios}{goal}", flush=True)


def measure(work, home, release, workloads, in_turn, spread, pairs, quick, runs, modes):
    hprof = Hprof(work, home, release)
    print("  HPROF: above no agent; an object beside a C JVMTI agent's; programs, wall and CPU, as ratios to none")
    if not modes:
        calls(hprof, in_turn, spread, pairs)
        allocations(hprof, in_turn, spread, pairs)
        memory(hprof, in_turn, spread, quick)
        short_run(hprof, in_turn, spread)
    programs(hprof, workloads, in_turn, spread, quick, runs, modes)
