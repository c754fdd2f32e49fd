"""Headless Chromium, told what to do over a pipe: mouse and keys are its own input events."""
import base64, json, os, select, shutil, subprocess, sys, time

WIDTH, HEIGHT = 1400, 900


class Browser:
    """Chromium, with its DevTools protocol on file descriptors 3 and 4."""

    def __init__(self, folder):
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if program is None:
            sys.exit("not run: no chromium (apt-get install chromium)")
        commands, answers = os.pipe(), os.pipe()

        def descriptors():
            # Out of the way first: one of the four may be 3 or 4.
            read, write = os.dup(commands[0]), os.dup(answers[1])
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=descriptors, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands[0])
        os.close(answers[1])
        self.to, self.answers = commands[1], answers[0]
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Performance.enable", timeDomain="threadTicks")
        self.size(WIDTH, HEIGHT)

    def busy(self):
        """Seconds of CPU time that the page's thread has had."""
        metrics = {one["name"]: one["value"] for one in self.call("Performance.getMetrics")["metrics"]}
        return metrics["TaskDuration"]

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def message(self, limit=120):
        end = time.monotonic() + limit
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            part = os.read(self.answers, 1 << 20) if ready else b""
            if not part:
                sys.exit("the browser does not answer")
            self.rest += part
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **words):
        self.number += 1
        command = {"id": self.number, "method": method, "params": words}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.to, json.dumps(command).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    sys.exit(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, path):
        self.call("Page.navigate", url=f"file://{path}")
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def ask(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def until(self, expression, limit=120):
        """Waits until it is true: pages draw when the browser has time."""
        end = time.monotonic() + limit
        while not self.ask(expression):
            check(time.monotonic() < end, f"{expression} in {limit} s; {self.complaints()}")

    def text(self, id):
        return self.ask(f"document.getElementById('{id}').textContent || document.getElementById('{id}').value || ''")

    def mouse(self, kind, x, y, **words):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **words)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1)

    def click_on(self, selector):
        x, y = self.ask(f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        self.click(x, y)

    def key(self, key):
        code = {"Escape": 27, "Enter": 13, "Backspace": 8, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}.get(key, ord(key[0].upper()))
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def shot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
        print(f"  screenshot {path}")

    def complaints(self):
        """What the console said, and what was fetched beside the page."""
        found = []
        for event in self.events:
            if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled"):
                found.append(json.dumps(event["params"])[:300])
            if event["method"] == "Network.requestWillBeSent" and not event["params"]["request"]["url"].startswith("file://"):
                found.append("fetched " + event["params"]["request"]["url"])
        return found

    def close(self):
        self.process.terminate()
        self.process.wait(20)


def check(true, what):
    if not true:
        sys.exit(f"FAILED: {what}")
