#!/usr/bin/env python3
"""Opens a page of `xrun merge` in a real browser and looks at one process, at one host, then at all again.

    tests/pages/merged_page.py PAGE.html [FOLDER]      (screenshots go to FOLDER: target/merged-page)
"""
import json, os, re, sys, tempfile

from browser import Browser, check, everywhere


def look(browser, page, folder):
    data = json.loads(re.search(r'id="data">(.*?)</script', open(page).read(), re.S).group(1))
    browser.open(os.path.abspath(page))
    browser.until("document.getElementById('status').textContent !== ''")
    processes = data["head"]["processes"]
    hosts = [process["host"] for process in processes]
    check(len(hosts) == 3 and hosts.count("red") == 2, f"three processes, two of one host: {processes}")
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
    check(len(options) == 4 and options[0] == "All 3 processes", "all of them, and each")
    options = browser.ask("[...document.querySelectorAll('#host option')].map((one) => one.textContent)")
    check(options == ["All 2 hosts", *sorted(set(hosts))], f"hosts: {options}")

    def choose(box, value):
        browser.ask(f"(() => {{ const box = document.getElementById('{box}'); box.value = {json.dumps(value)}; box.dispatchEvent(new Event('change')); }})()")

    def chosen(samples, host, process, what):
        check(shown() == f"CPU samples: {group(samples)} samples", f"{what} has {samples}: {shown()}")
        boxes = browser.ask("['host', 'process'].map((name) => document.getElementById(name).value)")
        check(boxes == [host, process], f"{what}: {boxes}")

    for number, samples in enumerate(own):
        choose("process", str(number))
        chosen(samples, hosts[number], str(number), f"process {number}")
    browser.shot(f"{folder}/one.png")
    for host in sorted(set(hosts)):
        choose("host", host)
        chosen(sum(samples for samples, whose in zip(own, hosts) if whose == host), host, "", host)
        browser.shot(f"{folder}/host.png")
    choose("host", "")
    chosen(sum(own), "", "", "all again")
    choose("process", "1")
    choose("process", "")
    # The host stays.
    chosen(sum(samples for samples, whose in zip(own, hosts) if whose == hosts[1]), hosts[1], "", "its host")
    choose("host", "")
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
