#!/usr/bin/env python3
"""Opens a page of `xrun diff` in a real browser: what is new is red, what has gone is blue, each side alone.

    tests/pages/diff_page.py XRUN [FOLDER]      (screenshots go to FOLDER: target/diff-page)
"""
import os, subprocess, sys, tempfile

from browser import Browser, check, everywhere

BEFORE = "a.Main.main;a.Main.work 60\na.Main.main;a.Main.gone 40\n"
AFTER = "a.Main.main;a.Main.work 100\na.Main.main;a.Main.fresh 100\n"


def look(browser, page, folder):
    browser.open(page)
    browser.until("document.getElementById('status').textContent !== ''")
    tab = browser.ask("document.querySelector('[role=tab]').textContent")
    check(tab.startswith("stacks") or "100" in tab and "200" in tab, f"the tab has both: {tab}")
    rows = browser.ask("[...document.querySelectorAll('#methods tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")
    print(f"  methods: {rows}")
    check([row[2] for row in rows] == ["a.Main.fresh", "a.Main.gone", "a.Main.work"], "the largest changes come first")
    check(rows[0][0].startswith("+50.00") and rows[1][0].startswith("−40.00"), "with their signs")

    def colours():
        """Red less blue, in the middle of each box of the third row."""
        return browser.ask("""(() => { const canvas = document.getElementById('flame'), context = canvas.getContext('2d'), ratio = devicePixelRatio || 1, width = canvas.clientWidth;
            return [0.16, 0.35, 0.8].map((at) => { const [red, , blue] = context.getImageData(Math.round(at * width * ratio), Math.round((2 * 18 + 3) * ratio), 1, 1).data; return red - blue; }); })()""")

    # fresh, gone, work: 100, 80 and 220 of 400.
    fresh, gone, work = colours()
    check(fresh > 40 and gone < -40 and gone < work < 0, f"new is red, gone is blue, a little less a little blue: {fresh, gone, work}")
    browser.shot(f"{folder}/both.png")
    browser.ask("(() => { const box = document.getElementById('process'); box.value = '0'; box.dispatchEvent(new Event('change')); })()")
    # gone, work: 40 and 60.
    gone = colours()[0]
    check(gone < -40, f"before alone begins with what is gone: {gone}")
    browser.shot(f"{folder}/before.png")
    everywhere(browser, folder)
    # That the pixels are looked at more than once is this test's doing.
    complaints = [one for one in browser.complaints() if "getImageData" not in one]
    check(complaints == [], complaints)


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else "target/diff-page"
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as own:
        for name, text in (("before", BEFORE), ("after", AFTER)):
            with open(f"{own}/{name}.collapsed", "w") as out:
                out.write(text)
        subprocess.run([sys.argv[1], "diff", "-o", "diff.html", "before.collapsed", "after.collapsed"], cwd=own, check=True, stdout=subprocess.DEVNULL)
        browser = Browser(own)
        try:
            look(browser, f"{own}/diff.html", folder)
        finally:
            browser.close()
    print("the page of differences works")


main()
