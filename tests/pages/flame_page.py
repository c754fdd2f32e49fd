#!/usr/bin/env python3
"""Opens a flame graph page in a real browser, searches, zooms, and looks.

    tests/pages/flame_page.py PAGE.html [FOLDER]      (screenshots go to FOLDER: target/flame-page)
    tests/pages/flame_page.py --large [FOLDER]        (the page's own code with 100 000 made-up stacks)

Needs chromium (Debian: apt-get install chromium) and nothing else. Prints what it saw; fails if the page does not do what it should, asks the network for anything or
complains on the console.
"""
import json, os, random, re, sys, tempfile, time

from browser import WIDTH, Browser, check, everywhere

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = f"{ROOT}/event-translate/profile-formats/src/page"
ROW = 18


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
    data = {"taken": 0, "depth": 128, "cut": 0, "notes": [], "names": names,
            "head": {"program": "Large", "facts": [["Process", "1"]], "started": 0},
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
    browser.until("document.getElementById('status').textContent !== ''")
    title = browser.text("status")
    busy = browser.busy()
    print(f"opened in {time.monotonic() - start:.2f} s, {busy:.2f} s of CPU time: {title}")
    check(title.startswith("all: "), "the page draws")
    # Of the page's own thread, whatever else the machine does.
    check(busy < 2, f"100 000 stacks are there in two seconds of CPU time, not {busy:.2f}")
    facts = dict(data["head"]["facts"])
    shown = browser.ask("[...document.querySelectorAll('#facts dt')].map((dt) => [dt.textContent, dt.nextSibling.textContent])")
    check(facts.items() <= dict(shown).items(), f"the head says {facts}: {shown}")
    if data["trees"][0]["kind"] == "cpu" and "Samples" in facts:
        samples = sum(data["trees"][0]["weights"][0]["own"])
        check(facts["Samples"].startswith(f"{samples}, "), f"of {samples} samples: {facts['Samples']}")
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
    browser.key("/")
    browser.call("Input.insertText", text=word)
    everywhere(browser, folder)
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
