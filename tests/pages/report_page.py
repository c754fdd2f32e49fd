#!/usr/bin/env python3
"""Opens a page of `xrun report --html`, or of `xrun compare`, in a real browser: is anything cut off, on a wide screen, at
the width of a telephone, on paper; in the dark?

    tests/pages/report_page.py PAGE.html [FOLDER]     (screenshots go to FOLDER: target/report-page)

Fails if a column cannot be seen or scrolled to, if the page asks the network for anything or
complains on the console.
"""
import os, sys, tempfile

from browser import HEIGHT, WIDTH, Browser, check

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# Of each table: its columns that neither lie in the window nor can be scrolled into it.
HIDDEN = """[...document.querySelectorAll('table')].flatMap((table) => {
  const box = table.getBoundingClientRect(), scrolls = getComputedStyle(table).overflowX === 'auto';
  const reach = scrolls ? box.left + table.scrollWidth : document.documentElement.clientWidth;
  const out = box.right > document.documentElement.clientWidth + 1 ? ['the table itself'] : [];
  return out.concat([...table.querySelectorAll('th')].filter((cell) => cell.getBoundingClientRect().right > reach + 1)
    .map((cell) => cell.textContent));
})"""


def look(browser, page, folder):
    browser.open(os.path.abspath(page))
    tables = browser.ask("document.querySelectorAll('table').length")
    print(f"{tables} tables")
    check(tables > 0, "tables")
    for width in (WIDTH, 1024, 360):
        browser.size(width, HEIGHT)
        check(browser.ask("document.documentElement.scrollWidth") <= width, f"no wider than the window of {width}")
        hidden = browser.ask(HIDDEN)
        check(hidden == [], f"at {width} no column is cut off: {hidden}")
        browser.shot(f"{folder}/{width}.png")
        if width == WIDTH:
            scrolls = "[...document.querySelectorAll('table')].some((table) => table.scrollWidth > table.clientWidth)"
            check(not browser.ask(scrolls), "a wide screen shows whole tables")
    # The width of A4 in CSS's pixels: nothing can be scrolled on paper.
    browser.size(794, HEIGHT)
    browser.call("Emulation.setEmulatedMedia", media="print")
    hidden = browser.ask(HIDDEN)
    check(hidden == [] and browser.ask("document.documentElement.scrollWidth") <= 794, f"on paper no column is cut off: {hidden}")
    browser.shot(f"{folder}/print.png")
    browser.size(WIDTH, HEIGHT)
    browser.dark(True)
    colour = browser.ask("getComputedStyle(document.body).backgroundColor")
    check(colour != "rgba(0, 0, 0, 0)" and sum(map(int, colour[4:-1].split(","))) < 200, f"dark where it is dark: {colour}")
    browser.shot(f"{folder}/dark.png")
    check(browser.complaints() == [], f"a quiet console and no network: {browser.complaints()}")


if len(sys.argv) < 2:
    sys.exit(__doc__)
folder = sys.argv[2] if len(sys.argv) > 2 else f"{ROOT}/target/report-page"
os.makedirs(folder, exist_ok=True)
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
    browser = Browser(f"{work}/browser")
    try:
        look(browser, sys.argv[1], folder)
    finally:
        browser.close()
print("all as it should be")
