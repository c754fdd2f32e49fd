"""What watching an agent costs, and how long recordings are: `./bench --only=observe`.

An agent that speaks JVMTI is told of calls in a loop, alone and recorded; what follows is of JVMPI, on javac.

The program without an agent, the agent alone, with check=on, and with trace=FILE, in turn and in one
run. One agent counts allocations in C, so that nearly all is the watching; the others enter, and
leave, methods a hundred times as often: three rounds have to do for those; --quick makes one of each and compiles few files.
A run that takes longer than LIMIT is ended, no run of an agent's begins after LIMIT_OF_ALL, and its rounds are over
when the next is likely to end after that: the lines say so.
"""
import json, os, re, statistics, subprocess, time

# Of each agent how often it is run, if it has one of its own.
AGENTS = {
    "OBJECT_ALLOC (tests/bench/alloc_counter.c)": ("alloc_counter", None),
    "METHOD_ENTRY (jvmpi_counter)": ("jvmpi_counter:file={work}/counts", 3),
    "METHOD_ENTRY, METHOD_EXIT (tests/bench/methods.c)": ("methods", 3),
}
# Seconds, with --quick and without.
LIMIT = {True: 120, False: 900}
LIMIT_OF_ALL = {True: 240, False: 2400}
# The first is what the others are held against; None is the program without us.
SIDES = {"alone": "", "no agent": None, "check=on": "check=on", "trace=FILE": "trace={work}/run.rec"}


def ran(command, environment, limit=None):
    """What a command has taken: the time on the clock, CPU time, and what it wrote to stderr."""
    start, before = time.monotonic(), os.times()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=limit)
    wall, after = time.monotonic() - start, os.times()
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr[-2000:]}")
    return wall, after.children_user + after.children_system - before.children_user - before.children_system, done.stderr


def stats(release, recording, limit):
    done = subprocess.run([f"{release}/xrun", "trace", "stats", "--json", recording], capture_output=True, text=True, check=True,
                          timeout=limit)
    return json.loads(done.stdout)


def of_jvmti(work, home, release, in_turn, spread, pairs, quick):
    """Events that carry no object: MethodEntry and MethodExit of tests/bench/methods.c."""
    count, recording = 2_000_000 if quick else 10_000_000, f"{work}/jvmti.rec"
    events = []

    def used(settings):
        command = [f"{home}/bin/java", f"-agentpath:{release}/libjvmpi.so{settings}", f"-agentpath:{work}/libmethods.so",
                   "-cp", work, "RecordedBench", "calls", str(count)]
        wall, cpu, _ = ran(command, os.environ, LIMIT[quick])
        if settings:
            found = stats(release, recording, LIMIT[quick])["environments"]
            events.append(sum(event["times"] for one in found for event in one["events"].values()))
            os.remove(recording)
        return wall, cpu

    try:
        rounds = in_turn(3 if quick else pairs, lambda: used(""), lambda: used(f"=trace={recording}"))
    except subprocess.TimeoutExpired:
        if os.path.exists(recording):
            os.remove(recording)
        print(f"  JVMTI: one run, or reading its recording, was ended after {LIMIT[quick]} s: no result", flush=True)
        return
    nanos = [[(recorded[at] - alone[at]) * 1e9 / events[0] for alone, recorded in rounds] for at in (0, 1)]
    print("  JVMTI: MethodEntry, MethodExit (tests/bench/methods.c), {:.1f} million events; recording one: {:.1f} ns ({:.1f} - {:.1f}), "
          "CPU {:.1f} ns ({:.1f} - {:.1f})   goal 40".format(events[0] / 1e6, *spread(nanos[0]), *spread(nanos[1])), flush=True)


def within(limit, count, sides):
    """Runs each side so often, in turn, every second round backwards, but begins no round that is likely to end after the
    limit, and no side after it. A side without a result has None there, and is not tried again; without one of the first
    side, which the others are held against, it is over."""
    start, longest, rounds, late = time.monotonic(), 0, [], set()
    for number in range(count):
        began = time.monotonic()
        if rounds and (0 in late or began + longest > start + limit):
            break
        order = range(len(sides)) if number % 2 == 0 else reversed(range(len(sides)))
        results = [None] * len(sides)
        for at in order:
            if at not in late and 0 not in late and time.monotonic() < start + limit:
                results[at] = sides[at]()
                late |= {at} if results[at] is None else set()
        rounds.append(results)
        longest = max(longest, time.monotonic() - began)
    return rounds


def measure(work, home, release, workloads, in_turn, spread, pairs, quick):
    of_jvmti(work, home, release, in_turn, spread, pairs, quick)
    if not os.path.exists(f"{home}/bin/javac"):
        print("  JVMPI: not run, for there is no javac in this JDK to watch")
        return
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{release}:{work}")
    sources = "java/util/function/**" if quick else "java/util/**"
    found = [(name, words) for name, words in workloads(work, home, sources=sources).items() if name.startswith("javac")]
    if not found:
        print("  no sources for javac to compile: --src=src.zip, or ./demo unpacks some")
        return
    name, arguments = found[0]
    print(f"  {name}; what is watched / the agent alone: wall, CPU; load of the machine {os.getloadavg()[0]:.1f}")

    def used(agent, settings):
        """None if it takes too long."""
        shim = f"-agentpath:{release}/libjvmpi.so" + (f"={settings}" if settings else "")
        with_agent = [] if settings is None else [shim, f"-Xrun{agent}"]
        command = [f"{home}/bin/java", *with_agent, *arguments]
        recorded = f"{work}/run.rec"
        try:
            wall, cpu, said = ran([word.format(work=work) for word in command], environment, LIMIT[quick])
        except subprocess.TimeoutExpired:
            if os.path.exists(recorded):
                os.remove(recorded)
            return None
        size = os.path.getsize(recorded) if os.path.exists(recorded) else 0
        records = 0
        if size:
            try:
                threads = stats(release, recorded, LIMIT[quick])["threads"]
            except subprocess.TimeoutExpired:
                return None
            finally:
                os.remove(recorded)
            records = sum(thread["events"] + thread["calls"] for thread in threads)
        counted = re.search(r"agent: allocs (\d+)", said)
        return {"wall": wall, "size": size, "records": records, "events": int(counted.group(1)) if counted else 0, "cpu": cpu}

    for what, (agent, own) in AGENTS.items():
        wanted = 1 if quick else own or pairs
        rounds = within(LIMIT_OF_ALL[quick], wanted, [lambda settings=settings: used(agent, settings) for settings in SIDES.values()])
        fewer = "" if len(rounds) == wanted else f"; {len(rounds)} of {wanted} rounds, for more would take over {LIMIT_OF_ALL[quick]} s"
        columns = {side: [run[at] for run in rounds] for at, side in enumerate(SIDES)}
        whole = {side: [run for run in runs if run is not None] for side, runs in columns.items()}
        if not whole["alone"]:
            print(f"  {what}: the agent alone was ended after {LIMIT[quick]} s, so nothing is held against it", flush=True)
            continue
        alone = statistics.median(run["cpu"] for run in whole["alone"])
        print(f"  {what}: {alone:.2f} s of CPU alone{fewer}")
        for side, settings in SIDES.items():
            if side == "alone":
                continue
            both = [(run, base) for run, base in zip(columns[side], columns["alone"]) if run and base]
            if not both:
                print(f"    {side:<44} not run to its end within the limits: no result", flush=True)
                continue
            ratios = "   ".join("{:5.2f} ({:.2f} - {:.2f})".format(*spread([run[key] / base[key] for run, base in both])) for key in ("wall", "cpu"))
            more = "" if len(both) == len(rounds) else f"   {len(both)} of {len(rounds)} runs: the others took too long"
            if settings is not None and whole["no agent"]:
                own_cpu = statistics.median(run["cpu"] for run in whole["no agent"])
                more += f"   {statistics.median(run['cpu'] for run, _ in both) / own_cpu:.2f} x the program's own CPU"
            middle = {key: statistics.median(run[key] for run, _ in both) for key in both[0][0]}
            if middle["events"] and settings is not None:
                nanos = [(run["cpu"] - base["cpu"]) * 1e9 / run["events"] for run, base in both]
                more += "   {:.0f} ns an event ({:.0f} - {:.0f})".format(*spread(nanos))
            if middle["size"]:
                more += f"   {middle['size'] / 1e6:.0f} MB, {middle['size'] / middle['records']:.2f} MB for a million records"
            print(f"    {side:<44} {ratios}{more}", flush=True)
