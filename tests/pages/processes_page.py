#!/usr/bin/env python3
"""Opens a page of `xrun merge`, of any program's processes, in a real browser and looks at each of them.

    tests/pages/processes_page.py PAGE.html FOLDER COUNT      (screenshots go to FOLDER; COUNT processes are in it)
"""
import json, os, re, sys, tempfile

from browser import Browser, check


def look(browser, page, folder, count):
    data = json.loads(re.search(r'id="data">(.*?)</script', open(page).read(), re.S).group(1))
    browser.open(os.path.abspath(page))
    browser.until("document.getElementById('status').textContent !== ''")
    check(len(data["head"]["processes"]) == count, f"{count} processes: {data['head']['processes']}")
    weights = data["trees"][0]["weights"][0]
    own = [sum(part[1::2]) for part in weights["parts"]]
    check(sum(own) == sum(weights["own"]) and min(own) > 0, f"{own} is {sum(weights['own'])}")
    shown = lambda: browser.ask("document.querySelector('[role=tab]').textContent")
    group = lambda number: f"{number:,}".replace(",", "\u202f")
    check(group(sum(own)) in shown(), f"the tab has all {sum(own)}: {shown()}")
    browser.shot(f"{folder}/all.png")
    for number, value in enumerate(own):
        browser.ask(f"(() => {{ const box = document.getElementById('process'); box.value = '{number}'; box.dispatchEvent(new Event('change')); }})()")
        check(group(value) in shown(), f"process {number} has {value}: {shown()}")
        browser.shot(f"{folder}/{number}.png")
    check(browser.complaints() == [], browser.complaints())


def main():
    page, folder, count = sys.argv[1:]
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        browser = Browser(own)
        try:
            look(browser, page, folder, int(count))
        finally:
            browser.close()
    print("the page of processes works")


main()
