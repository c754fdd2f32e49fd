#!/usr/bin/env python3
"""Opens a page of `xrun merge` in a real browser and looks at one process, then at all again.

    tests/pages/merged_page.py PAGE.html [FOLDER]      (screenshots go to FOLDER: target/merged-page)
"""
import json, os, re, sys, tempfile

from browser import Browser, check, everywhere


def look(browser, page, folder):
    data = json.loads(re.search(r'id="data">(.*?)</script', open(page).read(), re.S).group(1))
    browser.open(os.path.abspath(page))
    browser.until("document.getElementById('status').textContent !== ''")
    processes = data["head"]["processes"]
    check(len(processes) == 2, f"two processes: {processes}")
    samples = data["trees"][0]["weights"][0]
    check(samples["title"] == "CPU samples", f"samples come first: {samples['title']}")
    own = [sum(part[1::2]) for part in samples["parts"]]
    check(sum(own) == sum(samples["own"]) and min(own) > 0, f"{own} is {sum(samples['own'])}")
    shown = lambda: browser.ask("document.querySelector('[role=tab]').textContent")
    group = lambda number: f"{number:,}".replace(",", "\u202f")
    check(shown() == f"CPU samples: {group(sum(own))} samples", f"the tab has all: {shown()}")
    hottest = browser.ask("document.querySelector('#methods .name').textContent")
    # What is compiled into which is up to the VM.
    check(hottest in ("Busy.deep", "Busy.main"), f"the hottest method is {hottest}")
    browser.shot(f"{folder}/all.png")
    options = browser.ask("[...document.querySelectorAll('#process option')].map((one) => one.textContent)")
    print(f"  processes: {options}")
    check(len(options) == 3 and options[0] == "All 2 processes", "all of them, and each")

    def choose(value):
        browser.ask(f"(() => {{ const box = document.getElementById('process'); box.value = {json.dumps(value)}; box.dispatchEvent(new Event('change')); }})()")

    for number, samples in enumerate(own):
        choose(str(number))
        check(shown() == f"CPU samples: {group(samples)} samples", f"of process {number} {samples}: {shown()}")
    browser.shot(f"{folder}/one.png")
    choose("")
    check(shown() == f"CPU samples: {group(sum(own))} samples", f"all again: {shown()}")
    everywhere(browser, folder)
    check(browser.complaints() == [], browser.complaints())


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else "target/merged-page"
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        browser = Browser(own)
        try:
            look(browser, sys.argv[1], folder)
        finally:
            browser.close()
    print("the merged page works")


main()
