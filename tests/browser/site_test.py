#!/usr/bin/python3
"""Opens the pages of a trend's site in Chromium, wide and narrow, light and dark: nothing extends beyond the window, no
resource is loaded, links are not dead, and axe finds no fault.

usage: site_test.py [--screenshots DIR] AXE_JS SITE"""

import argparse
import os
import sys
import tempfile

from report_test import OVERFLOW, Checks, check_axe, emulate, open_browser, serve


def pages_of(site):
    """Returns the index and two bench pages; the reports of nightly runs are tested by report_test.py."""
    benches = sorted(os.listdir(os.path.join(site, "bench")))
    return ["index.html", *(f"bench/{name}" for name in benches[:2])]


def check_page(checks, browser, base, page, requests, shots):
    for width in (1280, 420):
        for scheme in ("light", "dark"):
            emulate(browser, width, 900, scheme)
            requests.clear()
            browser.get(base + page)
            out, wide = browser.execute_script(OVERFLOW)
            checks.check(out <= 0 and not wide, f"{page}, {width} px, {scheme}: fits {wide or ''}")
            loaded = [path for path in requests if path not in ("/" + page, "/favicon.ico")]
            checks.check(not loaded, f"{page}: loads nothing {loaded or ''}")
            if shots:
                browser.save_screenshot(os.path.join(shots, f"site-{page.replace('/', '-')}-{width}-{scheme}.png"))
    said = [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
    checks.check(not said, f"{page}: no word on the console {said[:2] or ''}")


def check_links(checks, browser, base, page, site):
    browser.get(base + page)
    links = browser.execute_script("return [...document.querySelectorAll('a[href]')].map(a => a.href)")
    lost = [link for link in links if link.startswith(base) and not os.path.exists(os.path.join(site, link[len(base):].split("#")[0]))]
    checks.check(links and not lost, f"{page}: {len(links)} links lead somewhere {lost[:3] or ''}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screenshots")
    parser.add_argument("axe")
    parser.add_argument("site")
    options = parser.parse_args()
    checks, requests = Checks(), []
    server = serve(options.site, requests)
    base = f"http://127.0.0.1:{server.server_port}/"
    with tempfile.TemporaryDirectory() as profile:
        browser = open_browser(profile)
        try:
            for page in pages_of(options.site):
                check_page(checks, browser, base, page, requests, options.screenshots)
                check_links(checks, browser, base, page, options.site)
                check_axe(checks, browser, base + page, page, options.axe)
        finally:
            browser.quit()
            server.shutdown()
    print(f"{checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
