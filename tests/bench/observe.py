"""What watching an agent costs, and how long recordings are: `./bench --only=observe`.

An agent that speaks JVMTI is told of calls in a loop, alone and recorded; what follows is of JVMPI, on javac.

The program without an agent, the agent alone, with check=on, and with trace=FILE, in turn and in one
run. One agent counts allocations in C, so that nearly all is the watching; the others enter, and
leave, methods a hundred times as often.
"""
import json, os, re, statistics, subprocess, time

AGENTS = {
    "OBJECT_ALLOC (tests/bench/alloc_counter.c)": "alloc_counter",
    "METHOD_ENTRY (jvmpi_counter)": "jvmpi_counter:file={work}/counts",
    "METHOD_ENTRY, METHOD_EXIT (tests/bench/methods.c)": "methods",
}
# The first is what the others are held against; None is the program without us.
SIDES = {"alone": "", "no agent": None, "check=on": "check=on", "trace=FILE": "trace={work}/run.rec"}


def ran(command, environment):
    """What a command has taken: the time on the clock, CPU time, and what it wrote to stderr."""
    start, before = time.monotonic(), os.times()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    wall, after = time.monotonic() - start, os.times()
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr[-2000:]}")
    return wall, after.children_user + after.children_system - before.children_user - before.children_system, done.stderr


def stats(release, recording):
    done = subprocess.run([f"{release}/xrun", "trace", "stats", "--json", recording], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def of_jvmti(work, home, release, in_turn, spread, pairs, quick):
    """Events that carry no object: MethodEntry and MethodExit of tests/bench/methods.c."""
    count, recording = 2_000_000 if quick else 10_000_000, f"{work}/jvmti.rec"
    events = []

    def used(settings):
        command = [f"{home}/bin/java", f"-agentpath:{release}/libjvmpi.so{settings}", f"-agentpath:{work}/libmethods.so",
                   "-cp", work, "RecordedBench", "calls", str(count)]
        wall, cpu, _ = ran(command, os.environ)
        if settings:
            found = stats(release, recording)["environments"]
            events.append(sum(event["times"] for one in found for event in one["events"].values()))
            os.remove(recording)
        return wall, cpu

    rounds = in_turn(3 if quick else pairs, lambda: used(""), lambda: used(f"=trace={recording}"))
    nanos = [[(recorded[at] - alone[at]) * 1e9 / events[0] for alone, recorded in rounds] for at in (0, 1)]
    print("  JVMTI: MethodEntry, MethodExit (tests/bench/methods.c), {:.1f} million events; recording one: {:.1f} ns ({:.1f} - {:.1f}), "
          "CPU {:.1f} ns ({:.1f} - {:.1f})   goal 40".format(events[0] / 1e6, *spread(nanos[0]), *spread(nanos[1])), flush=True)


def measure(work, home, release, workloads, in_turn, spread, pairs, quick):
    of_jvmti(work, home, release, in_turn, spread, pairs, quick)
    if not os.path.exists(f"{home}/bin/javac"):
        print("  JVMPI: not run, for there is no javac in this JDK to watch")
        return
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{release}:{work}")
    sources = "java/util/concurrent/**" if quick else "java/util/**"
    found = [(name, words) for name, words in workloads(work, home, sources=sources).items() if name.startswith("javac")]
    if not found:
        print("  no sources for javac to compile: --src=src.zip, or ./demo unpacks some")
        return
    name, arguments = found[0]
    print(f"  {name}; what is watched / the agent alone: wall, CPU; load of the machine {os.getloadavg()[0]:.1f}")

    def used(agent, settings):
        shim = f"-agentpath:{release}/libjvmpi.so" + (f"={settings}" if settings else "")
        with_agent = [] if settings is None else [shim, f"-Xrun{agent}"]
        command = [f"{home}/bin/java", *with_agent, *arguments]
        wall, cpu, said = ran([word.format(work=work) for word in command], environment)
        recorded = f"{work}/run.rec"
        size = os.path.getsize(recorded) if os.path.exists(recorded) else 0
        records = 0
        if size:
            records = sum(thread["events"] + thread["calls"] for thread in stats(release, recorded)["threads"])
            os.remove(recorded)
        counted = re.search(r"agent: allocs (\d+)", said)
        return {"wall": wall, "size": size, "records": records, "events": int(counted.group(1)) if counted else 0, "cpu": cpu}

    for what, agent in AGENTS.items():
        rounds = in_turn(1 if quick else pairs, *[lambda settings=settings: used(agent, settings) for settings in SIDES.values()])
        middle = [{key: statistics.median(run[at][key] for run in rounds) for key in rounds[0][at]} for at in range(len(SIDES))]
        print(f"  {what}: {middle[0]['cpu']:.2f} s of CPU alone")
        for at, side in enumerate(SIDES):
            if at == 0:
                continue
            ratios = "   ".join("{:5.2f} ({:.2f} - {:.2f})".format(*spread([run[at][key] / run[0][key] for run in rounds])) for key in ("wall", "cpu"))
            more = ""
            if SIDES[side] is not None:
                ratio = statistics.median(run[at]["cpu"] / run[list(SIDES).index("no agent")]["cpu"] for run in rounds)
                more += f"   {ratio:.2f} x the program's own CPU"
            if middle[at]["events"] and SIDES[side] is not None:
                nanos = [(run[at]["cpu"] - run[0]["cpu"]) * 1e9 / run[at]["events"] for run in rounds]
                more += "   {:.0f} ns an event ({:.0f} - {:.0f})".format(*spread(nanos))
            if middle[at]["size"]:
                more += f"   {middle[at]['size'] / 1e6:.0f} MB, {middle[at]['size'] / middle[at]['records']:.2f} MB for a million records"
            print(f"    {side:<44} {ratios}{more}", flush=True)
