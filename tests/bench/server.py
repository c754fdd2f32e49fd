"""What HPROF costs servers under load, mode by mode: `./bench --only=server`. Tomcat, and the JDK's own
HTTP server with a virtual or another thread for each request (tests/java-17/PerRequest.java; JDK 21).
A server's figures of one mode take 55 s: `--modes=` and `--servers=` of ./bench choose some.

    apt-get install tomcat10 wrk curl
"""
import os, re, shutil, socket, subprocess, tempfile, time

HOME = "/usr/share/tomcat10"
MODES = ["cpu=samples", "monitor=y", "heap=sites,sample=512k", "cpu=samples,monitor=y,heap=sites,sample=512k", "cpu=times,clock=wall", "cpu=times,clock=wall,small-methods=skip,method-budget=20", "cpu=times",
         "cpu=times,small-methods=skip,method-budget=20", "heap=sites"]
# A session for each request would fill the heap.
PAGE = """<%@ page import="java.util.*" session="false" %><html><body>
<% Map<String, Integer> sizes = new TreeMap<>();
   for (int i = 0; i < 20; i++) sizes.put("name" + i, i * i);
   for (Map.Entry<String, Integer> each : sizes.entrySet()) { %>
<p><%= each.getKey() %>: <%= each.getValue() %></p>
<% } %></body></html>
"""
SERVER = """<Server port="-1"><Service name="Catalina"><Connector port="{port}" address="127.0.0.1" maxKeepAliveRequests="-1"/>
<Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/></Engine></Service></Server>
"""
# A mode is measured after the JIT had this long, which has next to no processor to itself; then the load
# of so long. Seconds.
WARM, MEASURED, PATIENCE = 40, 8, 120


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def make_base(work, port):
    base = f"{work}/tomcat"
    shutil.rmtree(base, ignore_errors=True)
    for folder in ("conf", "logs", "temp", "work", "webapps/ROOT"):
        os.makedirs(f"{base}/{folder}")
    shutil.copy("/etc/tomcat10/web.xml", f"{base}/conf/web.xml")
    for name, text in (("conf/server.xml", SERVER.format(port=port)), ("webapps/ROOT/index.jsp", PAGE)):
        with open(f"{base}/{name}", "w") as out:
            out.write(text)
    return base


def tomcat(hprof, port):
    base = make_base(hprof.work, port)
    return ["-cp", f"{HOME}/bin/bootstrap.jar:{HOME}/bin/tomcat-juli.jar", f"-Dcatalina.home={HOME}", f"-Dcatalina.base={base}",
            f"-Djava.io.tmpdir={base}/temp", "org.apache.catalina.startup.Bootstrap", "start"]


def per_request(threads):
    return lambda hprof, port: ["-cp", hprof.work, "PerRequest", threads, str(port)]


def load(page, seconds):
    """Requests a second, and the milliseconds within which 50 and 99 of 100 were answered."""
    done = subprocess.run(["wrk", "-t1", "-c8", f"-d{seconds}", "--timeout", "60s", "--latency", page], capture_output=True, text=True)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if done.returncode != 0 or not rate or "Non-2xx" in done.stdout:
        raise SystemExit(f"wrk: {done.stdout}{done.stderr}")
    units = {"us": 0.001, "ms": 1, "s": 1000, "m": 60000}
    within = [float(value) * units[unit] for value, unit in re.findall(r"^\s+(?:50|99)%\s+([\d.]+)(us|ms|s|m)\s*$", done.stdout, re.M)]
    return float(rate.group(1)), *within


def served(hprof, mode, program):
    """The figures of one server from its start to its end."""
    port = free_port()
    page = f"http://127.0.0.1:{port}/index.jsp"
    command = [hprof.java, *hprof.agent(mode), "-Xmx512m", *program(hprof, port)]
    with tempfile.TemporaryFile("w+") as out:
        server = subprocess.Popen(command, env=hprof.environment, stdout=out, stderr=out)
        try:
            until = time.monotonic() + PATIENCE
            while subprocess.run(["curl", "-sfo", "/dev/null", "-m", "60", page]).returncode != 0:
                if server.poll() is not None or time.monotonic() > until:
                    out.seek(0)
                    raise SystemExit(f"no server: {' '.join(command)}\n{out.read()[-2000:]}")
                time.sleep(0.1)
            load(page, WARM)
            figures = load(page, MEASURED)
            server.terminate()
            # As a VM that a signal ended.
            if server.wait(PATIENCE) != 143:
                raise SystemExit(f"exit code {server.returncode}: {' '.join(command)}")
            return figures
        finally:
            server.kill()
            server.wait()


def measure(hprof, major, in_turn, spread, runs, modes, chosen):
    if not (shutil.which("wrk") and shutil.which("curl")):
        print("  not run: server (apt-get install tomcat10 wrk curl)")
        return
    servers = {}
    if os.path.isfile("/etc/tomcat10/web.xml"):
        servers["tomcat"] = "Tomcat 10, a small page", tomcat
    else:
        print("  not run: Tomcat (apt-get install tomcat10)")
    if major >= 21:
        servers |= {kind: (f"the JDK's HTTP server, a {kind} thread for each request", per_request(kind)) for kind in ("virtual", "platform")}
    sides = ["", *(modes or MODES)]
    for name, program in [server for kind, server in servers.items() if kind in chosen or not chosen]:
        rounds = in_turn(runs, *[lambda side=side: served(hprof, side, program) for side in sides])
        middle = lambda at, which: spread([run[at][which] for run in rounds])[0]
        print(f"  {name}: rate beside none, requests a second, milliseconds of 50 and of 99 in 100")
        for at, side in enumerate(sides):
            share = "{:5.2f} ({:.2f} - {:.2f})".format(*spread([run[at][0] / run[0][0] for run in rounds]))
            print(f"    {side or 'none':<54} {share}   {middle(at, 0):7.0f}   {middle(at, 1):7.2f} {middle(at, 2):7.2f}", flush=True)
