"""Every mark, +- and "quick" that the page shows for a row is also in Markdown, JUnit, CTRF and JSON."""

import csv
import json
import re
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser
from pathlib import Path

from run import GpubenchTest, check_schema, main, plugin

# The columns of results.csv that produce each mark. The rows of the first case are: base, other, other.
MARKS = {
    "not interleaved": {"message": "no speedup: not interleaved with the baseline"},
    "in groups": {"message": "measured in groups: the working sets do not fit together"},
    "mixed math": {"math": "bf16"},
    "launch-limited": {"launch_overhead_ns": "20000", "launch_overhead_unc_ns": "100"},
    "imprecise": {"stop_reason": "case_time", "precision": "0.0001"},
    "quick": {"quick": "1"},
    "throttled": {"throttled_share": "0.125"},
    "conditions": {"conditions": "clocks differ"},
    "above the ceiling": {"above_ceiling": "1.3"},
    "unproven": {"unproven": "clock"},
    "few verified": {"few_verified": "1"},
    "prepared from inputs": {"derived": "1"},
    "partly unverified": {"unverified_work": "work in its untimed after"},
    "may reuse results": {"backend": "cuda", "verified_slots": "3", "reuse_limit": ""},
}
CHANGES = {**MARKS, "narrow": {"stop_reason": "budget"}}
PLAIN = {"stop_reason": "precision", "precision": "0.5", "launch_overhead_ns": "10", "launch_overhead_unc_ns": "1", "reuse_limit": "0.01", "throttled_share": "0", "derived": "0",
         "few_verified": "0", "conditions": "", "above_ceiling": "", "contended": "0", "unverified_work": "", "unproven": ""}


class Tables(HTMLParser):
    """Collects the texts of the cells of each table, by its caption."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tables, self.caption, self.cell, self.rows = {}, None, None, None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.rows, self.caption = [], ""
        elif tag == "caption":
            self.cell = ""
        elif tag == "tr" and self.rows is not None:
            self.rows.append([])
        elif tag in ("td", "th") and self.rows is not None:
            self.cell = ""

    def handle_endtag(self, tag):
        if tag == "caption":
            self.caption, self.cell = self.cell, None
        elif tag in ("td", "th") and self.cell is not None:
            self.rows[-1].append(self.cell)
            self.cell = None
        elif tag == "table":
            self.tables.setdefault(self.caption, self.rows)
            self.rows = None

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data


def words(text):
    return {word for word in text.split(", ") if word}


class Marks(GpubenchTest):
    def forge(self, *per_row, everywhere=None):
        """Writes a results.csv whose rows have the columns that produce these marks."""
        if not (self.dir / "run").exists():
            self.ok("--plugin", plugin("ok_vector"), *self.fake(twice=100000), "--out", "run")
        with (self.dir / "run/results.csv").open(newline="") as file:
            reader = csv.DictReader(file)
            rows, names = list(reader), reader.fieldnames
        for i, row in enumerate(rows):
            row.update(PLAIN)
            median = float(row["median_raw_ns"])
            row.update(ci95_lo_ns=0.996 * median, ci95_hi_ns=1.004 * median)
            for mark in (*(per_row[i] if i < len(per_row) else ()), *(everywhere or ())):
                row.update(CHANGES[mark])
        with (self.dir / "results.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
        return rows

    def outputs(self):
        """Returns, for each output, the marks and the +- of each row in the order of the page, and the texts of the
        outputs."""
        self.ok("report", "results.csv", *(arg for name in ("html", "markdown", "junit", "ctrf", "json") for arg in (f"--{name}", f"out.{name}")))
        check_schema(self.dir / "out.ctrf", "ctrf.schema.json")
        check_schema(self.dir / "out.json", "report.schema.json")
        text = {name: (self.dir / f"out.{name}").read_text() for name in ("html", "markdown", "junit", "ctrf", "json")}
        return {"html": self.html(text["html"]), "markdown": self.markdown(text["markdown"]), "junit": self.junit(text["junit"]),
                "ctrf": self.ctrf(text["ctrf"]), "json": self.json(text["json"], text["junit"])}, text

    def html(self, text):
        page = Tables()
        page.feed(text)
        head, *rows = page.tables["Time"]
        marks = [words(row[head.index("marks")]) for row in rows] if "marks" in head else [set() for _ in rows]
        (times,) = (table for caption, table in page.tables.items() if caption.startswith("Median time in "))
        halves = [re.search(r"±([\d.]+)%", cell).group(1) for row in times[1:] for cell in row[1:]]
        return list(zip(marks, map(float, halves), strict=True))

    def markdown(self, text):
        every = re.search(r"(?m)^⚠ Every row: (.*)\.$", text)
        found = []
        for line in re.findall(r"(?m)^\| (?!case|geometric)(.*) \|$", text):
            for cell in line.split(" | ")[1:]:
                own = re.search(r"⚠ ([^:]*)", cell)
                # A message may be alone there; it is no mark.
                marks = words(own.group(1)) & set(MARKS) if own else set()
                found.append((marks | words(every.group(1) if every else ""), float(re.search(r"±([\d.]+)%", cell).group(1))))
        return found

    def sentence(self, text):
        marks = re.search(r"; marks: ([^;]*)", text)
        return words(marks.group(1) if marks else ""), float(re.search(r"\+-([\d.]+)%", text).group(1))

    def junit(self, text):
        return [self.sentence(case.find("system-out").text) for case in ElementTree.fromstring(text).iter("testcase")]

    def ctrf(self, text):
        found = []
        for test in json.loads(text)["results"]["tests"]:
            marks, half = self.sentence(test["stdout"][0])
            self.assertEqual(set(test["tags"]), marks)
            found.append((marks, half))
        return found

    def json(self, text, order):
        """In the order of the JUnit tests."""
        rows = {f"{row['case_key']}/{row['variant']}/{row['mode']}": row for row in json.loads(text)["rows"]}
        found = []
        for case in ElementTree.fromstring(order).iter("testcase"):
            row = rows[case.get("name")]
            half = 50 * (row["ci95_hi_ns"] - row["ci95_lo_ns"]) / row["median_raw_ns"]
            found.append((set(row["marks"]), float(f"{half:.1f}")))
        return found

    def assert_the_same(self, expected):
        found, text = self.outputs()
        self.assertEqual([marks for marks, _ in found["html"]], expected)
        for name, rows in found.items():
            self.assertEqual([marks for marks, _ in rows], expected, name)
            for (_, half), (_, shown) in zip(rows, found["html"], strict=True):
                self.assertAlmostEqual(half, shown, delta=0.06, msg=name)
        for mark in set().union(*expected):
            self.assertRegex(text["markdown"], rf"(?m)^- ⚠ {mark}: .", "what it means")
        return text

    def test_these_are_all_marks(self):
        source = (Path(__file__).resolve().parents[2] / "reports/summary/marks.c").read_text(encoding="utf-8")
        self.assertEqual(set(re.findall(r"\[MARK_[A-Z]+\] =\s*\{\s*\"([^\"]+)\"", source)), set(MARKS))

    def test_each_mark_is_everywhere(self):
        for mark in MARKS:
            with self.subTest(mark):
                self.forge((), (mark,))
                text = self.assert_the_same([set(), {mark}, set(), set(), set(), set()])
                self.assertEqual("quick run" in text["html"], mark == "quick")
                self.assertEqual("⚠ quick run" in text["markdown"], mark == "quick")
                self.assertEqual("throttled in 1 of 6 results" in text["markdown"], mark == "throttled")

    def test_as_precise_as_requested_whatever_stopped_it(self):
        """The time ended while a ratio was still imprecise: the median had reached its precision, so no output calls it
        imprecise."""
        self.forge((), ("narrow",))
        self.assert_the_same([set()] * 6)

    def test_many_at_once(self):
        some = ("imprecise", "throttled", "conditions", "few verified", "launch-limited")
        self.forge((), some, (), ("imprecise",))
        self.assert_the_same([set(), set(some), set(), {"imprecise"}, set(), set()])

    def test_what_all_have_is_said_once(self):
        self.forge((), ("throttled",), everywhere=("quick",))
        text = self.assert_the_same([{"quick"}, {"quick", "throttled"}, *([{"quick"}] * 4)])
        self.assertEqual(len(re.findall(r"(?m)^\|.*quick", text["markdown"])), 0)

    def test_messages_and_reasons_are_in_markdown(self):
        rows = self.forge(())
        rows[1]["message"] = "one time in *ten* it slept"
        rows[2].update(status="skipped", message="needs 137 GB", median_raw_ns="", speedup="", verdict="")
        rows[5].update(status="skipped", message="needs 137 GB", median_raw_ns="", speedup="", verdict="")
        with (self.dir / "results.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        self.ok("report", "results.csv", "--markdown", "out.md")
        text = (self.dir / "out.md").read_text()
        self.assertRegex(text, r"(?m)^\|.*⚠ one time in \\\*ten\\\* it slept")
        self.assertRegex(text, rf"(?m)^- \*\*{rows[2]['variant']}\*\* skipped in .* and 1 more: needs 137 GB$")


if __name__ == "__main__":
    main()
