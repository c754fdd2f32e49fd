"""What a process of its own costs a 32-bit agent: `./bench --only=bridge`.

The same agent (tests/bench/bridged.c) in both widths: in the VM's process, and over the bridge, in turn and in one run.
"""
import os, statistics, subprocess, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEEDS = (("none", "an event"), ("call", "an event with one call inside"), ("lock", "an event with a raw monitor"), ("local", "an event with local storage"))


def missing(release):
    """Why it cannot be run; None if it can."""
    host = os.path.join(os.path.dirname(release), "i586-unknown-linux-gnu", "release", "xrun-host32")
    if not os.path.exists(host):
        return "the 32-bit side is not built (./build-i386)"
    if subprocess.run([host], capture_output=True).returncode != 2:
        return "programs for 32-bit x86 do not run here"
    return None


def build(work, home):
    """The agent in both widths, by the number of bits."""
    agents = {}
    for bits in (32, 64):
        agents[bits] = f"{work}/libbridged{bits}.so"
        subprocess.run(["cc", f"-m{bits}", "-O2", "-shared", "-fPIC", "-w", f"-I{ROOT}/jvmpi-headers/include", f"-I{home}/include",
                        f"-I{home}/include/linux", "-o", agents[bits], f"{ROOT}/tests/bench/bridged.c"], check=True)
    subprocess.run([f"{home}/bin/javac", "--release", "8", "-nowarn", "-d", work, f"{ROOT}/tests/bench/BridgeBench.java"],
                   check=True, stderr=subprocess.DEVNULL)
    return agents


def ran(command, settings=""):
    start = time.monotonic()
    done = subprocess.run(command, env=dict(os.environ, JVMPI_OPTIONS=settings), capture_output=True, text=True)
    wall = time.monotonic() - start
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}: {' '.join(command)}\n{done.stderr[-2000:]}")
    return wall, done


def measure(work, home, compiler, release, workloads, in_turn, spread, pairs, quick):
    why = missing(release)
    if why:
        return print(f"  bridge: not run, {why}", flush=True)
    agents = build(work, compiler)
    java = f"{home}/bin/java"
    load = "load of the machine {:.1f} on {} processors".format(os.getloadavg()[0], os.cpu_count())
    print(f"  over the bridge / in the VM's process; {load}")

    def agent(bits, kind):
        return [f"-agentpath:{release}/libjvmpi.so={agents[bits]}:{kind}"]

    def line(what, here, there, goal=""):
        ratios = [over / base for base, over in zip(here, there)]
        print("  {:<46} {:6.2f} µs ({:.2f} - {:.2f})   {:6.1f} times ({:.1f} - {:.1f}){}".format(
            what, *(value / 1000 for value in spread(there)), *spread(ratios), goal), flush=True)

    def calls(bits):
        return lambda: [float(word) for word in ran([java, *agent(bits, "calls"), "-cp", work, "BridgeBench", "1"])[1].stderr.split()[-3:]]
    rounds = in_turn(pairs, calls(64), calls(32))
    for at, what in enumerate(("a call that the VM answers", "a raw monitor entered and left", "local storage looked at")):
        line(what, [here[at] for here, _ in rounds], [there[at] for _, there in rounds])

    def event(bits, kind, count):
        command = [java, *agent(bits, kind), "-cp", work, "BridgeBench", str(count)]
        return lambda: float(ran(command, "include=BridgeBench")[1].stdout)
    count = 20_000 if quick else 100_000
    for kind, what in DEEDS:
        rounds = in_turn(pairs, event(64, kind, 20 * count), event(32, kind, count))
        here, there = zip(*rounds)
        goal = "   goal 2 µs; {:.0f} a second".format(1e9 / statistics.median(there)) if kind == "none" else ""
        line(what, here, there, goal)

    def start(words):
        return lambda: 1000 * statistics.median(ran([java, *words, "-cp", work, "BridgeBench", "1"])[0] for _ in range(5))
    rounds = in_turn(pairs, start([]), start(agent(32, "idle")))
    print("  {:<46} {:6.1f} ms ({:.1f} - {:.1f})   goal 50   without {:.0f} ms".format(
        "start-up", *spread([over - base for base, over in rounds]), statistics.median(base for base, _ in rounds)), flush=True)

    if not os.path.exists(f"{home}/bin/javac"):
        return
    sources = "java/util/concurrent/**" if quick else "java/util/**"
    found = [(name, words) for name, words in workloads(work, home, sources=sources).items() if name.startswith("javac")]
    for name, words in found:
        rounds = in_turn(1 if quick else 3, *[lambda extra=extra: ran([java, *extra, *words])[0] for extra in ([], agent(64, "objects"), agent(32, "objects"))])
        print("  {}: with CLASS_LOAD, THREAD_* and OBJECT_ALLOC / without an agent".format(name))
        for at, what in ((1, "in the VM's process"), (2, "over the bridge")):
            goal = "   goal 12" if at == 2 else ""
            print("    {:<44} {:6.2f} ({:.2f} - {:.2f}){}".format(what, *spread([one[at] / one[0] for one in rounds]), goal), flush=True)
    if not found:
        print("  no sources for javac to compile: --src=src.zip, or ./demo unpacks some")
