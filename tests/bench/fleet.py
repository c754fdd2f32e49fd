"""What profiles and recordings of many processes cost to merge and to export: `./bench --only=merge,export`.

merge: files of 2 MB, 3000 stacks each of 3 frames that all processes have and 3 to 18 of 3000 names, of which
nine or four tenths are the file's own. Collapsed, HPROF's json and pprof go in, each format comes out.
Memory is the peak of `xrun merge`, as the kernel counts it.

export: a recording of METHOD_ENTRY and METHOD_EXIT of a loop of calls, and one of a loop of allocations.
"""
import json, os, random, shutil, subprocess, time

SHARED = ["org.example.boot.Launcher.main", "org.example.boot.Application.run", "org.example.boot.Worker.loop"]
NAMES = 3000


def names(process, own):
    """Methods of a process, of which it has as many tenths for itself."""
    whose = lambda at: f"com.example.service{process:04}" if at % 10 < own else "org.framework.http"
    return [f"{whose(at)}.module{at % 40}.Handler{at}.process" for at in range(NAMES)]


def stacks(process, own, count):
    """Stacks, each with how many samples it has."""
    dice, mine = random.Random(process), names(process, own)
    for _ in range(count):
        yield SHARED + dice.choices(mine, k=dice.randint(3, 18)), dice.randint(1, 99)


def collapsed(path, process, own):
    with open(path, "w") as out:
        out.write(f"(HPROF for xrun 0.1.0);(CPU samples, samples);(every 10 ms);({process} on node{process % 50}) 0\n")
        out.writelines(f"{';'.join(stack)} {count}\n" for stack, count in stacks(process, own, 3000))


def hprof_json(path, process, own):
    """As HPROF has it, and of as many stacks as make 2 MB."""
    methods, frames, traces, entries = {}, {}, [], []
    for number, (stack, count) in enumerate(stacks(process, own, 7700)):
        caller = None
        for name in stack:
            method = methods.setdefault(name, len(methods))
            caller = frames.setdefault((method, 1, caller), len(frames))
        traces.append({"id": number, "thread": None, "frame": caller})
        entries.append({"trace": number, "count": count, "ns": 0})
    listed = [dict(zip(("class", "name"), name.rsplit(".", 1))) for name in methods]
    whole = {"format": "xrun-hprof", "version": 2, "options": {"interval": 10, "sample": None},
             "process": f"{process} on node{process % 50}", "started": 1790000000000, "taken": 1790000060000,
             "threads": [], "methods": listed, "frames": list(frames), "traces": traces,
             "cpu": {"kind": "samples", "entries": entries}, "sites": None, "locks": None, "parked": None}
    with open(path, "w") as out:
        json.dump(whole, out, separators=(",", ":"))


def used(command):
    """Seconds by the clock and by the processor, MiB at the peak, and what was said."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"exit code {child.returncode}: {' '.join(command[:6])} ...\n{said[-2000:]}")
    cpu = usage.ru_utime + usage.ru_stime
    return time.monotonic() - start, cpu, usage.ru_maxrss / 1024, said.strip()


def merge(work, release, quick):
    files = 100 if quick else 1000
    xrun, folder = f"{release}/xrun", f"{work}/fleet"
    print(f"merge: {files} files; goal for 1000 of 2 MB: 120 s, 500 MiB; load of the machine {os.getloadavg()[0]:.1f}")
    inputs = [("collapsed", own, [".html", ".collapsed", ".pb.gz", ".json"]) for own in (9, 4)]
    for kind, own, outputs in [*inputs, ("json", 9, [".html", ".pb.gz"]), ("pb.gz", 9, [".html", ".pb.gz"])]:
        os.makedirs(folder)
        paths = [f"{folder}/{process}.{kind}" for process in range(files)]
        for process, path in enumerate(paths):
            if kind == "json":
                hprof_json(path, process, own)
            else:
                collapsed(f"{folder}/{process}.collapsed", process, own)
            if kind == "pb.gz":
                used([xrun, "merge", "-o", path, f"{folder}/{process}.collapsed"])
        size = sum(map(os.path.getsize, paths)) / len(paths) / 1e6
        for end in outputs:
            out = f"{work}/all{end}"
            seconds, cpu, peak, said = used([xrun, "merge", "-o", out, *paths])
            more = "; small stacks put together" if "put together" in said else ""
            what = f"{kind} of {size:.2f} MB, {own} tenths of names own, to {end}"
            print(f"  {what:<58} {seconds:6.1f} s   {cpu:5.1f} s of CPU   {peak:4.0f} MiB   {os.path.getsize(out) / 1e6:5.0f} MB{more}", flush=True)
            if end in (".pb.gz", ".json") and kind == "collapsed":
                seconds, cpu, peak, _ = used([xrun, "merge", "-o", f"{work}/again.html", out])
                print(f"  {'  that one to .html':<58} {seconds:6.1f} s   {cpu:5.1f} s of CPU   {peak:4.0f} MiB", flush=True)
            os.remove(out)
        shutil.rmtree(folder)


def export(work, home, release, quick):
    millions = 10 if quick else 100
    print(f"export: recordings of {millions} million events; goal 5 million a second; load of the machine {os.getloadavg()[0]:.1f}")
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{release}:{work}")
    for what, agent in (("calls", "methods"), ("objects", "alloc_counter")):
        recording, tables = f"{work}/run.rec", f"{work}/tables"
        command = [f"{release}/xrun", "trace", "-o", recording, f"{home}/bin/java", f"-Xrun{agent}", "-Xmx512m", "-cp", work, "RecordedBench", what, str(millions * 1_000_000)]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        seconds, cpu, peak, said = used([f"{release}/xrun", "trace", "export", "--parquet", tables, recording])
        events = int(said.split(": ")[-1].split(" events")[0])
        size = sum(os.path.getsize(os.path.join(at, file)) for at, _, files in os.walk(tables) for file in files)
        print(f"  {what:<46} {events / seconds / 1e6:5.2f} million a second   {events / cpu / 1e6:5.2f} a second of CPU   {peak:4.0f} MiB   {events / 1e6:.0f} million events of {os.path.getsize(recording) / 1e6:.0f} MB in {size / 1e6:.0f} MB of tables", flush=True)
        os.remove(recording)
        shutil.rmtree(tables)
