#!/usr/bin/env python3
"""Opens a flame graph page in a real browser, searches, zooms, and looks.

    tests/bench/flame_page.py PAGE.html [FOLDER]      (screenshots go to FOLDER: target/flame-page)
    tests/bench/flame_page.py --large [FOLDER]        (the page's own code with 100 000 made-up stacks)

Needs chromium (Debian: apt-get install chromium) and nothing else: it is told what to do
over a pipe. Mouse and keys are the browser's own input events. Prints what it saw;
fails if the page does not do what it should, asks the network for anything or
complains on the console.
"""
import base64, json, os, random, re, select, shutil, subprocess, sys, tempfile, time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = f"{ROOT}/legacy-agents/hprof/src/formats/page"
WIDTH, HEIGHT, ROW = 1400, 900, 18


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
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
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
        self.call("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1, mobile=False)

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


def large(path):
    """The page with 100 000 stacks of up to 60 frames."""
    dice = random.Random(1)
    names = [""] + [f"com.acme.p{n // 400}.Class{n // 20}.method{n}" for n in range(20_000)]
    depth, name, own = [0], [0], [0]
    last, stacks = [], set()
    while len(stacks) < 100_000:
        stack = (1,)
        while len(stack) < 60 and dice.random() < 0.93:
            stack += (1 + (hash(stack) * 31 + int(dice.random() ** 3 * 4)) % 20_000,)
        stacks.add(stack)
    for stack in sorted(stacks):
        shared = next((at for at, (one, other) in enumerate(zip(last, stack)) if one != other), min(len(last), len(stack)))
        for at in range(shared, len(stack)):
            depth.append(at + 1)
            name.append(stack[at])
            own.append(0)
        own[-1] += dice.randrange(1, 100)
        last = stack
    data = {"taken": 0, "depth": 128, "cut": 0, "names": names,
            "trees": [{"kind": "cpu", "depth": depth, "name": name, "weights": [{"title": "CPU samples", "unit": "samples", "own": own}]}]}
    page = open(f"{PARTS}/page.html").read()
    for mark, part in (("@STYLE@", open(f"{PARTS}/page.css").read()), ("@SCRIPT@", open(f"{PARTS}/page.js").read()), ("@DATA@", json.dumps(data))):
        page = page.replace(mark, part)
    with open(path, "w") as out:
        out.write(page)
    print(f"100 000 stacks, {len(depth)} nodes, {os.path.getsize(path) / 1e6:.1f} MB")


def look(browser, page, folder):
    data = json.loads(re.search(r'id="data">(.*?)</script', open(page).read(), re.S).group(1))
    start = time.monotonic()
    browser.open(os.path.abspath(page))
    title = browser.text("status")
    print(f"opened in {time.monotonic() - start:.2f} s: {title}")
    check(title.startswith("all: "), "the page draws")
    left, top = browser.ask("(({x, y}) => [x, y])(document.getElementById('flame').getBoundingClientRect())")
    at = lambda row: top + row * ROW + ROW / 2
    tabs = browser.ask("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)")
    print(f"  tabs: {tabs}")
    check(len(tabs) == sum(len(tree["weights"]) for tree in data["trees"]), "a tab for each weight")
    browser.shot(f"{folder}/light.png")

    # A tooltip, and the box that is three rows down.
    x, row = left + 40, 3
    while row > 0:
        browser.mouse("mouseMoved", x, at(row))
        tip = browser.text("tip")
        if browser.ask("!document.getElementById('tip').hidden"):
            break
        row -= 1
    print(f"  tooltip: {tip!r}")
    check(row > 0 and "total" in tip and "self" in tip, "a tooltip with self and total")
    name = browser.ask("document.querySelector('#tip b').textContent")
    check(name in data["names"], f"{name!r} is a name of the profile")
    browser.shot(f"{folder}/tooltip.png")

    # Zoom by a click, back by the keyboard.
    before = browser.ask("document.getElementById('methods').textContent")
    start = time.monotonic()
    browser.click(x, at(row))
    check(browser.text("status").startswith(name), "a click zooms")
    browser.mouse("mouseMoved", left + WIDTH - 100, at(row))
    check(browser.ask("document.querySelector('#tip b').textContent") == name, "the zoomed box is as wide as the page")
    print(f"  zoomed in {time.monotonic() - start:.2f} s")
    browser.shot(f"{folder}/zoomed.png")
    browser.key("Escape")
    check(browser.text("status").startswith("all: "), "Escape resets the zoom")
    check(browser.ask("document.getElementById('methods').textContent") == before, "and the methods")

    # Search: by keys, a part of a name; what is matched is a share.
    browser.key("/")
    word = re.sub(r".*\.", "", name)[:12]
    start = time.monotonic()
    browser.call("Input.insertText", text=word)
    matched = browser.text("matched")
    print(f"  searched {word!r} in {time.monotonic() - start:.2f} s: {matched}")
    share = re.match(r"Matched ([\d.]+)", matched)
    check(share and 0 < float(share.group(1)) <= 100, "a matched percentage")
    check(abs(float(share.group(1)) - expected(data, word)) < 0.006, f"which is {expected(data, word):.2f}")
    browser.shot(f"{folder}/searched.png")
    browser.ask("document.getElementById('search').select()")
    browser.call("Input.insertText", text="/(/")
    check(browser.ask("document.getElementById('search').getAttribute('aria-invalid')") == "true", "a bad expression is marked")
    browser.key("Escape")
    check(browser.text("matched") == "" and browser.text("search") == "", "Escape resets the search")

    # The keyboard alone.
    browser.ask("document.getElementById('scroll').focus()")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        browser.key(key)
    check(not browser.text("status").startswith("all: "), "arrows and Enter zoom")
    browser.key("Backspace")
    check(browser.text("status").startswith("all: "), "Backspace zooms out")

    for number in range(1, len(tabs) + 1):
        browser.key(str(number))
        check(browser.text("status").startswith("all: " + tabs[number - 1].split(":")[0]), f"tab {number}")
        browser.shot(f"{folder}/tab{number}.png")
    browser.key("1")
    browser.key("f")
    browser.shot(f"{folder}/flipped.png")
    browser.key("f")
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    browser.key("/")
    browser.call("Input.insertText", text=word)
    browser.shot(f"{folder}/dark.png")
    check(browser.complaints() == [], f"a quiet console and no network: {browser.complaints()}")


def expected(data, word):
    """The share of stacks of the first tab that hold a name with this word."""
    tree = data["trees"][0]
    own, under = tree["weights"][0]["own"], None
    found = 0
    for depth, name, weight in zip(tree["depth"], tree["name"], own):
        if under is not None and depth <= under:
            under = None
        if under is None and name and word.lower() in data["names"][name].lower():
            under = depth
        found += weight if under is not None else 0
    return 100 * found / sum(own)


if len(sys.argv) < 2:
    sys.exit(__doc__)
folder = sys.argv[2] if len(sys.argv) > 2 else f"{ROOT}/target/flame-page"
os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
    page = sys.argv[1]
    if page == "--large":
        page = f"{work}/large.html"
        large(page)
    browser = Browser(f"{work}/browser")
    try:
        look(browser, page, folder)
    finally:
        browser.close()
print("all as it should be")
