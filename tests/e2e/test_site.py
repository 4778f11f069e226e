"""`gpubench trend --site`: pages that link to each other, and a folder that is complete at every instant."""

import gzip
import os
import random
import re
import time
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

import nights
from run import main
from test_trend import Trend as TrendTest


class Links(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.ids.add(values.get("id"))
        if tag == "a" and "href" in values:
            self.links.append(values["href"])


class Site(TrendTest):
    def publish(self, **how):
        return self.ok("trend", self.history, "--site", self.dir / "site", "-q", **how)

    def test_pages_lead_to_each_other(self):
        self.planted()
        self.publish()
        site = self.dir / "site"
        for page in site.rglob("*.html"):
            for link in Links(page).links:
                if link.startswith("#") or page.parent.name == "nights":
                    continue
                self.assertNotRegex(link, r"^(\w+:|/)")
                file, _, anchor = link.partition("#")
                self.assertTrue((page.parent / file).is_file(), f"{page}: {link}")
                if anchor:
                    self.assertIn(anchor, Links(page.parent / file).ids)
        index = (site / "index.html").read_text()
        self.assertIn("ok</span> 3 series: 1 slower within 60 nights", index)
        self.assertIn("commit abc0010", index)
        self.assertNotIn("<script", index)
        feed = xml.parse(site / "feed.xml").getroot()
        self.assertEqual(len(feed.findall("{http://www.w3.org/2005/Atom}entry")), 14)
        self.assertIn("ok", "".join(xml.parse(site / "badge.svg").getroot().itertext()))
        self.assertTrue(gzip.decompress((site / "history.db.gz").read_bytes()).startswith(b"SQLite format 3"))
        self.assertEqual(len(list((site / "nights").iterdir())), 14)

    def test_nights_that_cannot_be_read_take_no_report_s_place(self):
        self.fill(33)
        self.publish()
        reports = self.dir / "site/nights"
        made = len(list(reports.iterdir()))
        for number in (31, 32):
            for file in (self.history / "nights" / nights.name_of(number)).iterdir():
                file.write_bytes(b"damaged")
        self.publish()
        self.assertEqual(len(list(reports.iterdir())), made)
        self.assertIn(f"{nights.name_of(30)}.html", {path.name for path in reports.iterdir()})

    def test_what_is_no_site_is_left_alone(self):
        self.fill(2)
        (self.dir / "site").mkdir()
        (self.dir / "site" / "mine").write_text("x")
        self.assertIn("no site of gpubench, so it is left alone", self.one_line_error(2, "trend", self.history, "--site", self.dir / "site"))
        self.assertEqual((self.dir / "site" / "mine").read_text(), "x")

    def test_killed_at_any_moment_the_site_is_whole(self):
        """Two histories are published alternately, so that the existing site and the new one always differ."""
        histories, kept = [self.dir / "history", self.dir / "longer"], []
        for number, history in enumerate(histories):
            self.ok("history", "add", history, *[self.night(i) if number == 0 else self.dir / "runs" / nights.name_of(i) for i in range(2)])
            if number == 1:
                self.ok("history", "add", history, self.night(2))
            self.ok("trend", history, "--site", self.dir / "site", "-q")
            kept.append(self.content())
        self.assertNotEqual(*kept)
        dice = random.Random(1)
        begin = time.monotonic()
        self.ok("trend", histories[0], "--site", self.dir / "site", "-q")
        takes = time.monotonic() - begin
        there, seen = 0, set()
        for kill in range(50):
            process = self.start("trend", histories[1 - there], "--site", self.dir / "site", "-q")
            time.sleep(dice.uniform(0, 1.3 * takes))
            process.kill()
            process.communicate()
            found = self.content()
            self.assertIn(found, kept, kill)
            seen.add(kept.index(found) != there)
            there = kept.index(found)
        print(f"published before the kill: {sorted(seen)}")
        self.publish()
        self.assertEqual(self.content(), kept[0])
        self.assertEqual(sorted(p.name for p in self.dir.iterdir() if p.name.startswith("site")), ["site"])

    def test_where_folders_cannot_be_exchanged(self):
        self.fill(1)
        self.publish()
        (self.dir / "site").rename(self.dir / "site.old")  # as after a kill between two renames
        done = self.publish(env={"GPUBENCH_NO_EXCHANGE": "1"})
        self.assertIn("was missing for an instant", done.err)
        self.assertEqual(sorted(p.name for p in self.dir.iterdir() if p.name.startswith("site")), ["site"])

    def content(self):
        site = self.dir / "site"
        return {str(path.relative_to(site)): path.read_bytes() for path in sorted(site.rglob("*")) if path.is_file()}


# Drops the inherited tests, which run in their own file.
for inherited in [name for name in dir(TrendTest) if name.startswith("test_")]:
    setattr(Site, inherited, None)
del TrendTest

if __name__ == "__main__":
    main()
