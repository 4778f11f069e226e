#!/usr/bin/python3
"""Opens reports in Chromium as readers do: wide and narrow, light and dark, with scripts off, with style sheets
blocked, on paper; and uses the functions that the script adds.

usage: report_test.py [--screenshots DIR] [--times] [--axe axe.min.js] REPORT.html...
--axe checks only the accessibility rules; --times prints how long each page takes to open. Exits with 1 if a check
fails. Needs chromium, chromium-driver and python3-selenium. The printed page is read by pdftotext if it is there."""

import argparse
import base64
import functools
import http.server
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# The header that Jenkins sends with archived HTML by default.
JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self'"


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args, requests, **kwargs):
        self.requests = requests
        super().__init__(*args, **kwargs)

    def do_GET(self):
        self.requests.append(self.path)
        super().do_GET()

    def end_headers(self):
        if self.path.endswith("?jenkins"):
            self.send_header("Content-Security-Policy", JENKINS)
        super().end_headers()

    def log_message(self, *args):
        pass


def serve(directory, requests):
    handler = functools.partial(Handler, directory=directory, requests=requests)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def open_browser(profile, scripts=True):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    arguments = ["--headless=new", "--disable-gpu", "--disable-software-rasterizer", "--hide-scrollbars", "--user-data-dir=" + profile,
                 # One process for all pages that are opened in sequence, instead of a new one for each.
                 "--disable-features=BackForwardCache,SpareRendererForSitePerProcess,ProactivelySwapBrowsingInstance"]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    for argument in arguments:
        options.add_argument(argument)
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    browser.set_script_timeout(900)  # axe's longest page takes seconds, and minutes on a busy machine
    return browser


class Checks:
    def __init__(self):
        self.failed = 0

    def check(self, good, what):
        print(("ok    " if good else "FAIL  ") + what)
        self.failed += not good


def emulate(browser, width, height, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    prefer(browser, scheme)


def prefer(browser, scheme):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


# Greatest height in px of the folded page at 1280 px, for pages with one bench.
FOLDED_HEIGHT = {"good": 4000, "failures": 4000, "attention-h200": 4000}

# Pages with more variants, or longer names, than fit into the columns of a page of 1280 px.
MANY_COLUMNS = ("hostile", "wide")

# Elements that extend beyond the window and are not inside a box that scrolls.
LAY_OUT_ALL = "for (const d of document.querySelectorAll('details')) d.open = true;"
OVERFLOW = LAY_OUT_ALL + """
const wide = [];
for (const e of document.querySelectorAll('body *')) {
  if (e.closest('.scroll') && !e.matches('.scroll')) continue;
  const box = e.getBoundingClientRect();
  if (box.width > 0 && box.right > window.innerWidth + 1 && getComputedStyle(e).position !== 'absolute')
    wide.push(e.tagName + '.' + e.className);
}
return [document.documentElement.scrollWidth - window.innerWidth, wide.slice(0, 5)];
"""

# Labels of cells on a narrow page (they come from the style sheet) that need more room than they have.
LABELS = """
const wide = new Set();
for (const cell of document.querySelectorAll('.view td[data-label]')) {
  const look = getComputedStyle(cell, '::before'), probe = document.createElement('span');
  if (look.float !== 'left') continue;
  for (const name of ['display', 'width', 'font', 'whiteSpace', 'overflowWrap']) probe.style[name] = look[name];
  probe.textContent = cell.dataset.label;
  cell.append(probe);
  if (probe.scrollWidth > probe.clientWidth) wide.add(cell.dataset.label);
  probe.remove();
}
return [...wide].slice(0, 5);
"""

# Texts of charts that are cut off at the chart's edge.
CUT = """
const cut = [];
for (const svg of document.querySelectorAll('svg.chart')) {
  const box = svg.getBoundingClientRect();
  if (!svg.checkVisibility() || box.width === 0) continue;
  for (const text of svg.querySelectorAll('text')) {
    const b = text.getBoundingClientRect();
    if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 1 || b.bottom > box.bottom + 1)
      cut.push(svg.querySelector('title').textContent + ': ' + text.textContent);
  }
}
return cut.slice(0, 4);
"""

# Texts of charts and diagrams that overlap, by their measured boxes, in folded parts, too. A box is as high as the
# font's tallest letter and deepest descender, so that closely set lines touch: a seventh of the height is tolerated at
# each end.
OVERLAPS = LAY_OUT_ALL + """
for (const e of document.querySelectorAll('section[hidden], .view[hidden]')) e.hidden = false;
const over = [];
let words = 0;
for (const svg of document.querySelectorAll('svg')) {
  if (svg.getBoundingClientRect().width === 0) continue;
  const boxes = [...svg.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()])
    .filter(entry => entry[1].width > 0);
  words += boxes.length;
  boxes.forEach(([text, a], i) => {
    const give = Math.min(a.height, 14) / 7;
    for (const [other, b] of boxes.slice(i + 1))
      if (a.left + 1 < b.right && b.left + 1 < a.right && a.top + give < b.bottom - give && b.top + give < a.bottom - give)
        over.push(svg.querySelector('title').textContent + ': ' + text.textContent + ' | ' + other.textContent);
  });
}
return [words, over.slice(0, 4)];
"""

# Words of tables that are broken across lines although they are short enough for a column.
BROKEN = LAY_OUT_ALL + """
const broken = [];
for (const table of document.querySelectorAll('table')) {
  if (!table.checkVisibility()) continue;
  const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT), range = document.createRange();
  while (walk.nextNode()) {
    if (walk.currentNode.parentElement.closest('code')) continue; // keys: one long word
    for (const word of walk.currentNode.data.matchAll(/(?<!\\S)[A-Za-z0-9.%=]{2,14}(?!\\S)/g)) {
      range.setStart(walk.currentNode, word.index);
      range.setEnd(walk.currentNode, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].filter(r => r.width > 0).map(r => Math.round(r.top)));
      if (tops.size > 1) broken.push(word[0]);
    }
  }
}
return broken.slice(0, 6);
"""

# Tables that are wider than the page, in every matrix and with all folds open.
WIDE_TABLES = LAY_OUT_ALL + """
for (const e of document.querySelectorAll('section[hidden], .view[hidden]')) e.hidden = false;
return [...document.querySelectorAll('.scroll:has(table)')].filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => e.getAttribute('aria-label') + ' ' + e.scrollWidth).slice(0, 4);
"""

# WCAG contrast of every visible text in HTML; returns the texts with less than 4.5.
CONTRAST = """
function parse(c) { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; }
function lum(c) { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
  return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; }
const grounds = new Map([[null, [255, 255, 255, 1]]]);
function ground(e) {
  if (!grounds.has(e)) { const c = parse(getComputedStyle(e).backgroundColor); grounds.set(e, c[3] > 0 ? c : ground(e.parentElement)); }
  return grounds.get(e); }
const bad = [];
for (const e of document.querySelectorAll('body *')) {
  if (e.closest('svg') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const a = lum(parse(getComputedStyle(e).color)), b = lum(ground(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) bad.push(e.className + ' ' + ratio.toFixed(2) + ' ' + e.textContent.slice(0, 20));
}
return bad;
"""

# Elements with text, one of each group that has the same place in the page's structure and the same look.
WORDS = """
const alike = new Map(), paths = new Map([[null, '']]);
function path(e) {
  if (!paths.has(e)) paths.set(e, path(e.parentElement) + '/' + e.tagName + '.' + e.getAttribute('class') + getComputedStyle(e).backgroundColor);
  return paths.get(e);
}
for (const e of document.querySelectorAll('body *')) {
  if (!e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const look = getComputedStyle(e), key = [path(e), look.color, look.fontSize, look.fontWeight, look.opacity].join();
  if (!alike.has(key)) alike.set(key, e);
}
const words = [...alike.values()];
"""

# Names and landmarks that screen readers and keyboard users need.
STRUCTURE = """
const faults = [];
if (!document.documentElement.lang) faults.push('no lang');
if (!document.title) faults.push('no title');
for (const name of ['header', 'main', 'footer'])
  if (document.querySelectorAll('body > ' + name).length !== 1) faults.push('not one ' + name);
if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
if (new Set(ids).size !== ids.length) faults.push('an id twice');
for (const e of document.querySelectorAll('[aria-labelledby]'))
  for (const id of e.getAttribute('aria-labelledby').split(' '))
    if (!document.getElementById(id)) faults.push('no element ' + id);
for (const e of document.querySelectorAll('a[href^="#"]'))
  if (!document.getElementById(e.getAttribute('href').slice(1))) faults.push('dead link ' + e.getAttribute('href'));
for (const e of document.querySelectorAll('.scroll'))
  if (e.tabIndex !== 0 || !e.getAttribute('aria-label') || e.getAttribute('role') !== 'region') faults.push('scroll');
for (const e of document.querySelectorAll('svg'))
  if (e.getAttribute('role') !== 'img' || !e.querySelector('title') || !e.querySelector('desc')) faults.push('svg');
for (const e of document.querySelectorAll('*')) {
  if (e.hasAttribute('style')) faults.push('style: ' + e.tagName);
  for (const a of e.attributes) if (a.name.startsWith('on')) faults.push('handler ' + a.name);
}
const scripts = [...document.scripts];
if (scripts.length !== 1 || scripts[0] !== document.body.lastElementChild) faults.push('not one script at the end');
return faults;
"""

# Numbers of elements in the page as it was before the script ran.
COUNTS = "return ['table', 'svg', 'details', 'th', 'h2'].map(t => document.querySelectorAll(t).length)"

# Times from the start of the navigation until the page is loaded, and until it is laid out.
OPENED = """
document.body.getBoundingClientRect();
const entry = performance.getEntriesByType('navigation')[0];
return [entry.loadEventEnd, performance.now()];
"""


def check_view(checks, browser, name, width, shots, parts=True):
    """Checks the layout at one width. Geometry is checked once, because the two schemes differ only in colours. `parts`
    False: only the checks that a large page can afford."""
    emulate(browser, width, 800, "light")
    view = f"{name}, {width} px"
    beyond, wide = browser.execute_script(OVERFLOW)
    checks.check(beyond <= 0 and not wide, f"{view}: nothing reaches out of the page {wide or ''}")
    if not parts:
        wide = browser.execute_script(WIDE_TABLES)
        checks.check(not wide, f"{view}: no table has to be scrolled sideways {wide or ''}")
        return
    covering = browser.execute_script(LABELS)
    checks.check(not covering, f"{view}: words do not cover figures {covering or ''}")
    broken = browser.execute_script(BROKEN)
    if "hostile" not in name:  # its names change the direction of text and are endless
        checks.check(not broken, f"{view}: no word of a table is broken {broken or ''}")
    if width == 1280 and not any(many in name for many in MANY_COLUMNS):
        wide = browser.execute_script(WIDE_TABLES)
        checks.check(not wide, f"{view}: no table has to be scrolled sideways {wide or ''}")
    words, over = browser.execute_script(OVERLAPS)
    checks.check(not over, f"{view}: no words of charts over others, of {words} {over or ''}")
    cut = browser.execute_script(CUT)
    checks.check(not cut, f"{view}: words of charts are whole {cut or ''}")
    grounds = set()
    for scheme in ("light", "dark"):
        prefer(browser, scheme)
        grounds.add(browser.execute_script("return getComputedStyle(document.body).backgroundColor"))
        low = browser.execute_script(CONTRAST)
        checks.check(not low, f"{view}, {scheme}: contrast of text {low[:4] or ''}")
        if shots:
            height = browser.execute_script("return document.documentElement.scrollHeight")
            browser.save_screenshot(os.path.join(shots, f"{name}-{width}-{scheme}-first.png"))
            emulate(browser, width, min(height, 6000), scheme)
            browser.save_screenshot(os.path.join(shots, f"{name}-{width}-{scheme}.png"))
            emulate(browser, width, 800, scheme)
    checks.check(len(grounds) == 2, f"{view}: each scheme has a ground of its own {grounds}")


def check_axe(checks, browser, url, name, axe):
    """Runs axe's rules. Its two colour rules, which take most of the time, see one element of each group that is alike
    (WORDS); CONTRAST covers every element."""
    with open(axe, encoding="utf-8") as file:
        source = file.read()
    contrast = "{include: words}, {runOnly: ['color-contrast', 'link-in-text-block'], "
    everything_else = "document, {rules: {'color-contrast': {enabled: false}, 'link-in-text-block': {enabled: false}}, "
    for width in (1280, 420):
        emulate(browser, width, 800, "light")
        browser.get(url)
        browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        # The driver evaluates the source, because the page's policy allows no other script.
        browser.execute_script(source)
        # The other rules ignore colours, and the colour rules find nothing in the narrow dark page that the others
        # lack.
        for scheme, what in (("light", everything_else), ("light", contrast), ("dark", contrast))[:2 if width == 420 else 3]:
            prefer(browser, scheme)
            result = browser.execute_async_script(WORDS + f"axe.run({what}resultTypes: ['violations'], selectors: false}})"
                                                  ".then(result => arguments[0]([words.length, result]))")
            faults = [f"{v['id']}: {v['nodes'][0]['html'][:100]}" for v in result[1]["violations"]]
            rules = f"contrast of {result[0]} kinds of words" if what is contrast else f"{len(result[1]['passes'])} rules pass"
            checks.check(not faults and result[1]["passes"], f"{name}, {width} px, {scheme}: axe, {rules} {faults or ''}")


def texts(browser, selector):
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility())"
        ".map(e => e.innerText.trim())", selector)


def check_script(checks, browser, name):
    """Uses the script in the first bench: one matrix at a time, sorting, filtering, copying."""
    views = browser.execute_script("return document.querySelectorAll('.view[data-bench=\"0\"]').length")
    buttons = texts(browser, "section:first-of-type ~ section .tools button[aria-pressed]")
    if views > 1:
        browser.execute_script("document.querySelectorAll('.tools button[aria-pressed]')[1].click()")
        shown = texts(browser, '.view[data-bench="0"] caption')
        second = browser.execute_script(
            "return document.querySelectorAll('.view[data-bench=\"0\"] caption')[1].innerText.trim()")
        checks.check(len(buttons) >= views and shown == [second], f"{name}: matrices take turns {shown}")
        browser.execute_script("document.querySelectorAll('.tools button[aria-pressed]')[0].click()")
    cells = ".view[data-bench='0'] tbody tr td:last-child"
    before = texts(browser, cells)
    head = "document.querySelector(\".view[data-bench='0'] thead th:last-child .sort\")"
    browser.execute_script(head + ".click()")
    up = texts(browser, cells)
    browser.execute_script(head + ".click()")
    down = texts(browser, cells)
    numbers = [float(t.split("x")[0]) for t in up if t[:1].isdigit() and "x" in t.split()[0]]
    checks.check(sorted(up) == sorted(before) and numbers == sorted(numbers), f"{name}: sorted by the last column")
    checks.check(len(set(numbers)) < 2 or up != down, f"{name}: and the other way")
    copied = browser.execute_async_script("""
        const done = arguments[0];
        const button = [...document.querySelectorAll('.tools button')].find(b => b.textContent === 'Copy');
        if (!button) { done('none'); return; }
        let text = '';
        Object.defineProperty(navigator, 'clipboard', {configurable: true,
            value: {writeText: t => { text = t; return Promise.resolve(); }}});
        button.click();
        setTimeout(() => done(button.textContent + '\\n' + text), 50);""")
    lines = copied.split("\n")
    checks.check(copied == "none" or (lines[0] == "Copied" and all("\t" in line for line in lines[1:-1])),
                 f"{name}: a table copied with tabs")
    left = browser.execute_script("""
        const input = document.querySelector('.view').previousElementSibling.querySelector('input');
        if (!input) return null;
        const table = document.querySelector('.view[data-bench="0"]:not([hidden]) table');
        const rows = [...table.tBodies[0].rows], word = rows[1].cells[0].innerText.trim().split(/\\s+/)[0];
        input.value = word;
        input.dispatchEvent(new Event('input'));
        return rows.filter(r => r.hidden === r.textContent.includes(word)).length;""")
    checks.check(left in (None, 0), f"{name}: rows filtered")


def check_words_on_paper(checks, browser, name):
    emulate(browser, 718, 1000, "light")  # A4 without Chromium's margins
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    broken = browser.execute_script(BROKEN)
    checks.check(not broken, f"{name}: no word is broken on paper {broken or ''}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def check_paper(checks, browser, name, shots):
    """Checks that all matrices are printed, although the script shows one at a time."""
    matrix = browser.execute_script("""
        const words = [];
        for (const table of document.querySelectorAll('.view[data-bench="0"] table')) {
          const walk = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
          while (walk.nextNode()) words.push(...walk.currentNode.data.split(/\\s+/));
        }
        return words.filter(w => /^\\d[\\d.]*x?$/.test(w));""")
    pdf = base64.b64decode(browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
    checks.check(pdf[:5] == b"%PDF-" and len(pdf) > 5000, f"{name}: prints, {len(pdf)} bytes")
    if shots:
        with open(os.path.join(shots, name + ".pdf"), "wb") as file:
            file.write(pdf)
    if not shutil.which("pdftotext"):
        print(f"skip  {name}: what is on paper, without pdftotext")
        return
    words = subprocess.run(["pdftotext", "-layout", "-", "-"], input=pdf, capture_output=True, check=True).stdout.decode()
    missing = [w for w in matrix if w not in words]
    checks.check(not missing, f"{name}: the matrix is on paper {missing[:5] or ''}")


def check_blocked(checks, browser, url, name, counts, shots):
    """Checks the page with scripts and style sheets blocked by a header: every table and chart must exist, and be
    visible unless it is folded."""
    browser.get(url + "?jenkins")
    browser.execute_script(LAY_OUT_ALL)
    now = browser.execute_script(COUNTS)
    words = browser.execute_script("return document.body.innerText")
    charts = browser.execute_script("""return [...document.querySelectorAll('svg')].filter(s => s.checkVisibility())
        .every(s => s.getBoundingClientRect().height > 25 && s.querySelector('path, rect'))""")
    tables = browser.execute_script("""return [...document.querySelectorAll('table')].filter(t => t.checkVisibility())
        .every(t => t.getBoundingClientRect().height > 20)""")
    checks.check(now == counts, f"{name}: as many tables and charts with scripts and style sheets blocked {now} {counts}")
    checks.check("Method" in words and len(words) > 500 and charts and tables, f"{name}: whole and readable so")
    if shots:
        emulate(browser, 1280, 1600, "light")
        browser.save_screenshot(os.path.join(shots, f"{name}-blocked.png"))
    browser.get_log("browser")  # drops messages of the blocking, which are not the next report's


def note_time(browser, url, name):
    """Prints how long the page takes to open, the best of three. It is no check, because the machine may be busy."""
    times = []
    for _ in range(3):
        browser.get(url)
        times.append(max(browser.execute_script(OPENED)))
    print(f"note  {name}: opens in {min(times):.0f} ms")


def check_report(checks, browser, path, options):
    name = os.path.splitext(os.path.basename(path))[0]
    requests = []
    server = serve(os.path.dirname(os.path.abspath(path)), requests)
    base = f"http://127.0.0.1:{server.server_address[1]}/{os.path.basename(path)}"
    if options.axe:
        check_axe(checks, browser, base, name, options.axe)
        server.shutdown()
        return
    large = name == "large"  # many copies of the parts of the other pages; each script takes a minute there
    emulate(browser, 1280, 800, "light")
    browser.get(base)
    if name in FOLDED_HEIGHT:
        height = browser.execute_script("return document.documentElement.scrollHeight")
        checks.check(height <= FOLDED_HEIGHT[name], f"{name}: {height} px high before anything is unfolded")
    faults = browser.execute_script(STRUCTURE)
    checks.check(not faults, f"{name}: structure {faults or ''}")
    counts = browser.execute_script(COUNTS)
    for width in (1280,) if large else (1280, 420, 1920):  # check_view() opens all folds
        check_view(checks, browser, name, width, options.screenshots, parts=not large)
    if not large:
        check_words_on_paper(checks, browser, name)
    emulate(browser, 1280, 800, "light")
    browser.get(base)
    if not large:
        check_paper(checks, browser, name, options.screenshots)
    check_script(checks, browser, name)
    if options.times:
        note_time(browser, base, name)
    own = {"/" + os.path.basename(path)} | ({"/report.css", "/report.js"} if name == "split" else set())
    resources = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    checks.check(set(requests) == own and len(resources) == len(own) - 1, f"{name}: nothing else is requested {requests}")
    log = [entry["message"] for entry in browser.get_log("browser")]
    checks.check(not log, f"{name}: console is empty {log[:2] or ''}")
    check_blocked(checks, browser, base, name, counts, options.screenshots)
    if name == "split":
        check_split(checks, browser, base, path)
    server.shutdown()


def check_split(checks, browser, base, path):
    """Checks a page with a separate style sheet: the header that blocks inline styles must let it through, and it must
    also work from a folder."""
    style = "return getComputedStyle(document.querySelector('.matrix')).borderCollapse"
    browser.get(base + "?jenkins")
    checks.check(browser.execute_script(style) == "collapse", "split: styled under the same header")
    browser.get("file://" + os.path.abspath(path))
    checks.check(browser.execute_script(style) == "collapse", "split: styled from a folder")
    checks.check(bool(texts(browser, ".tools button")), "split: its script runs from a folder")
    browser.get_log("browser")


def check_without_scripts(checks, paths):
    with tempfile.TemporaryDirectory() as profile:
        browser = open_browser(profile, scripts=False)
        try:
            for path in paths:
                browser.get("file://" + os.path.abspath(path))
                heading = browser.find_element("tag name", "h1")
                tools = browser.find_elements("class name", "tools")
                checks.check(heading.is_displayed() and len(heading.text) > 10 and not tools,
                             f"{os.path.basename(path)}: readable with scripts off")
        finally:
            browser.quit()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", help="directory for pictures of every view")
    parser.add_argument("--times", action="store_true", help="say how long each page takes to open")
    parser.add_argument("--axe", help="axe-core's axe.min.js")
    parser.add_argument("reports", nargs="+")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    checks = Checks()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = open_browser(profile)
        try:
            for path in options.reports:
                check_report(checks, browser, path, options)
        finally:
            browser.quit()
            time.sleep(0.2)  # the browser is still writing the last files of its profile
    if not options.axe:
        check_without_scripts(checks, options.reports)
    print(json.dumps({"failed": checks.failed}))
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
