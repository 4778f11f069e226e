#!/usr/bin/python3
"""Opens reports in Chromium as a reader would: wide and narrow, light and dark, scripts off, style sheets blocked.

usage: report_test.py [--screenshots DIR] [--axe axe.min.js] REPORT.html...
Exit 1 when any check fails. Needs chromium, chromium-driver and python3-selenium."""

import argparse
import functools
import http.server
import json
import os
import sys
import tempfile
import threading
import time

from selenium import webdriver
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service

# What Jenkins sends with archived HTML by default.
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
    arguments = ["--headless=new", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=" + profile]
    if os.geteuid() == 0:
        arguments.append("--no-sandbox")
    for argument in arguments:
        options.add_argument(argument)
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)


class Checks:
    def __init__(self):
        self.failed = 0

    def check(self, good, what):
        print(("ok    " if good else "FAIL  ") + what)
        self.failed += not good


def emulate(browser, width, height, scheme):
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia",
                            {"features": [{"name": "prefers-color-scheme", "value": scheme}]})


# Elements that reach out of the window although no box that scrolls by itself holds them.
OVERFLOW = """
const wide = [];
for (const e of document.querySelectorAll('body *')) {
  if (e.closest('.scroll') && !e.matches('.scroll')) continue;
  const box = e.getBoundingClientRect();
  if (box.width > 0 && box.right > window.innerWidth + 1 && getComputedStyle(e).position !== 'absolute')
    wide.push(e.tagName + '.' + e.className);
}
return [document.documentElement.scrollWidth - window.innerWidth, wide.slice(0, 5)];
"""

# WCAG contrast of every visible text in HTML; returns the ones below 4.5.
CONTRAST = """
function parse(c) { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; }
function lum(c) { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; });
  return .2126 * f[0] + .7152 * f[1] + .0722 * f[2]; }
function ground(e) { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0) return c; }
  return [255, 255, 255, 1]; }
const bad = [];
for (const e of document.querySelectorAll('body *')) {
  if (e.closest('svg') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
  const a = lum(parse(getComputedStyle(e).color)), b = lum(ground(e));
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) bad.push(e.className + ' ' + ratio.toFixed(2) + ' ' + e.textContent.slice(0, 20));
}
return bad;
"""

# Names that the page's structure must have, for readers of the screen and of the keyboard.
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
  if (e.hasAttribute('style') || e.tagName === 'SCRIPT') faults.push('style or script: ' + e.tagName);
  for (const a of e.attributes) if (a.name.startsWith('on')) faults.push('handler ' + a.name);
}
return faults;
"""


def check_view(checks, browser, url, name, width, scheme, shots):
    emulate(browser, width, 800, scheme)
    browser.get(url)
    view = f"{name}, {width} px, {scheme}"
    beyond, wide = browser.execute_script(OVERFLOW)
    checks.check(beyond <= 0 and not wide, f"{view}: nothing reaches out of the page {wide or ''}")
    low = browser.execute_script(CONTRAST)
    checks.check(not low, f"{view}: contrast of text {low[:4] or ''}")
    if shots:
        height = browser.execute_script("return document.documentElement.scrollHeight")
        browser.save_screenshot(os.path.join(shots, f"{name}-{width}-{scheme}-first.png"))
        emulate(browser, width, min(height, 6000), scheme)
        browser.save_screenshot(os.path.join(shots, f"{name}-{width}-{scheme}.png"))


def check_axe(checks, browser, name, axe):
    with open(axe, encoding="utf-8") as source:
        # Not through the page's own policy, which forbids scripts: the driver evaluates it.
        browser.execute_script(source.read())
    result = browser.execute_async_script("axe.run().then(arguments[0])")
    faults = [f"{v['id']}: {v['nodes'][0]['html'][:100]}" for v in result["violations"]]
    checks.check(not faults, f"{name}: axe {faults or ''}")


def check_report(checks, browser, path, options):
    name = os.path.splitext(os.path.basename(path))[0]
    requests = []
    server = serve(os.path.dirname(os.path.abspath(path)), requests)
    base = f"http://127.0.0.1:{server.server_address[1]}/{os.path.basename(path)}"
    for width in (420, 1280, 1920):
        for scheme in ("light", "dark"):
            check_view(checks, browser, base, name, width, scheme, options.screenshots)
    faults = browser.execute_script(STRUCTURE)
    checks.check(not faults, f"{name}: structure {faults or ''}")
    resources = browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)")
    others = {r for r in requests if r != "/" + os.path.basename(path)}
    checks.check(not resources and not others, f"{name}: nothing else is requested {resources or others or ''}")
    log = [entry["message"] for entry in browser.get_log("browser")]
    checks.check(not log, f"{name}: console is empty {log[:2] or ''}")
    if options.axe:
        check_axe(checks, browser, name, options.axe)
    browser.get(base + "?jenkins")
    words = browser.execute_script("return document.body ? document.body.innerText : ''") or ""
    charts = browser.execute_script("""return [...document.querySelectorAll('svg')].every(s =>
        s.getBoundingClientRect().height > 50 && s.querySelectorAll('path[fill^="#"]').length > 0)""")
    checks.check("Method" in words and len(words) > 500 and charts, f"{name}: whole with style sheets blocked")
    if options.screenshots:
        emulate(browser, 1280, 1600, "light")
        browser.save_screenshot(os.path.join(options.screenshots, f"{name}-blocked.png"))
    browser.get_log("browser")  # what the blocking caused is not the next report's
    server.shutdown()
    return len(words)


def check_without_scripts(checks, path, length):
    with tempfile.TemporaryDirectory() as profile:
        browser = open_browser(profile, scripts=False)
        try:
            browser.get("file://" + os.path.abspath(path))
            source = browser.page_source
            heading = browser.find_element("tag name", "h1")
            name = os.path.basename(path)
            checks.check(heading.is_displayed() and len(heading.text) > 10 and len(source) > length,
                         f"{name}: readable with scripts off")
        finally:
            browser.quit()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots", help="directory for pictures of every view")
    parser.add_argument("--axe", help="axe-core's axe.min.js")
    parser.add_argument("reports", nargs="+")
    options = parser.parse_args()
    if options.screenshots:
        os.makedirs(options.screenshots, exist_ok=True)
    checks = Checks()
    lengths = {}
    with tempfile.TemporaryDirectory() as profile:
        browser = open_browser(profile)
        try:
            for path in options.reports:
                lengths[path] = check_report(checks, browser, path, options)
        finally:
            browser.quit()
            time.sleep(0.2)  # the profile's last files
    for path in options.reports:
        check_without_scripts(checks, path, lengths[path])
    print(json.dumps({"failed": checks.failed}))
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
