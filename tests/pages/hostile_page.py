#!/usr/bin/env python3
"""Opens pages with the names of `tests/java/HostileNames.java` in a real browser: they are text there, and nothing of them runs.

    tests/pages/hostile_page.py PAGE.html…

Fails if a page has an element, an attribute or a variable of such a name's, does not show one, asks the network for anything or
complains on the console.
"""
import os, sys, tempfile

from browser import WIDTH, Browser, check

# The height of a row of a flame graph.
ROW = 18
# What only a name that is not escaped would have made.
MADE = """[...document.querySelectorAll('img, svg, iframe, [onerror], [onload], [onclick], [onmouseover]')]
  .map((one) => one.outerHTML.slice(0, 80)).concat(Object.keys(window).filter((name) => /^zq\\dRan$/.test(name)))"""


def look(browser, page):
    print(os.path.basename(page))
    browser.open(os.path.abspath(page))
    # Data are text, too, as are titles and what stands in fields.
    check(browser.ask("document.documentElement.textContent.includes('zq0')"), "names are there")
    if browser.ask("!!document.getElementById('search')"):
        browser.until("document.getElementById('status').textContent !== ''")
        browser.key("/")
        browser.call("Input.insertText", text="zq")
        check(browser.text("matched") != "", "names are found")
        left, top = browser.ask("(({x, y}) => [x, y])(document.getElementById('flame').getBoundingClientRect())")
        tips = set()
        for row in range(12):
            for x in range(20, WIDTH - 100, 60):
                browser.mouse("mouseMoved", left + x, top + row * ROW + ROW / 2)
                tips.add(browser.text("tip"))
        check(any("zq" in tip for tip in tips), "tooltips have names")
    else:
        check(browser.ask("document.body.textContent.includes('h.<script>zq0Ran=1<!--')"), "a name is shown as it is")
    check(browser.ask(MADE) == [], f"nothing is made of names: {browser.ask(MADE)}")
    check(browser.complaints() == [], f"a quiet console and no network: {browser.complaints()}")


if len(sys.argv) < 2:
    sys.exit(__doc__)
for page in sys.argv[1:]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as work:
        browser = Browser(f"{work}/browser")
        try:
            look(browser, page)
        finally:
            browser.close()
print("all as it should be")
