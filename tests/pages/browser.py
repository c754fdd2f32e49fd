"""Headless Chromium, told what to do over a pipe: mouse and keys are its own input events."""
import base64, json, os, re, select, shutil, subprocess, sys, time

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

    def print(self, path):
        """As a PDF; how many pages it has."""
        pdf = base64.b64decode(self.call("Page.printToPDF", printBackground=True, paperWidth=8.27, paperHeight=11.69)["data"])
        with open(path, "wb") as out:
            out.write(pdf)
        print(f"  printed {path}")
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    def dark(self, on):
        scheme = "dark" if on else "light"
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": "prefers-color-scheme", "value": scheme}])

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


def everywhere(browser, folder):
    """The page at the width of a telephone, in the dark and on paper: nothing is cut off. Leaves it as it was."""
    browser.size(360, 640)
    check(browser.ask("document.documentElement.scrollWidth") <= 360, "nothing is cut off at the width of a telephone")
    browser.shot(f"{folder}/narrow.png")
    browser.size(WIDTH, HEIGHT)
    browser.dark(True)
    light = browser.ask("getComputedStyle(document.body).backgroundColor.match(/[\\d.]+/g).slice(0, 3).reduce((sum, one) => sum + +one, 0)")
    check(light < 200, f"dark where it is dark: {light}")
    browser.shot(f"{folder}/dark.png")
    # On paper it is light again, and all rows are there: what can be scrolled to is drawn.
    browser.ask("addEventListener('beforeprint', () => { window.printed = [flame.style.height, space.style.height, flame.width / flame.clientWidth, "
                "Math.min(...flame.getContext('2d').getImageData(flame.width / 2, 3, 1, 1).data.slice(0, 3))]; }, { once: true })")
    pages = browser.print(f"{folder}/printed.pdf")
    drawn, needed, ratio, darkest = browser.ask("window.printed")
    check(pages > 0 and drawn == needed and ratio == 2, f"all rows are printed: {drawn} of {needed}")
    check(darkest > 120, f"in light colours: {darkest}")
    check(browser.ask("flame.clientHeight <= document.getElementById('scroll').clientHeight"), "and the screen is as it was")
    browser.dark(False)
