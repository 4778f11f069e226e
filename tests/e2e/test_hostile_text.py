"""Hostile texts of a plugin remain text in every output."""

import csv
import json
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

from run import GpubenchTest, main, plugin

HOSTILE = plugin("ok_hostile_text")


class Page(HTMLParser):
    """Collects the elements with their attributes, the text of scripts, and all other text."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.elements, self.scripts, self.text, self.inside = [], [], [], None

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.inside = tag

    def handle_endtag(self, tag):
        self.inside = None

    def handle_data(self, data):
        (self.scripts if self.inside == "script" else self.text).append(data)


class HostileText(GpubenchTest):
    def run_it(self, *args):
        result = self.gpubench("--plugin", HOSTILE, "--verify-only", *args)
        self.assertEqual(result.exit, 3, result)  # the variant "fails" does
        return result

    def test_terminal(self):
        result = self.run_it()
        for stream in (result.out, result.err):
            self.assertNotRegex(stream, r"[\x00-\x08\x0b-\x1f\x7f]")
        # No text begins a new line, where it could pass for the host's output.
        self.assertNotRegex(result.out + result.err, r"(?m)^\[section\]|^key = value")

    def test_list(self):
        self.assertNotRegex(self.ok("list", "--plugin", HOSTILE).out, r"[\x00-\x08\x0b-\x1f\x7f]")
        text = json.dumps(json.loads(self.ok("list", "--json", "--plugin", HOSTILE).out))
        self.assertIn("<script>alert(1)</script>", text)

    def test_csv(self):
        self.run_it()
        rows = self.rows()
        self.assertEqual(len(rows), 7 * 4)
        self.assertEqual({r["status"] for r in rows}, {"ok", "skipped", "error"})
        for row in rows:
            self.assertNotIn(None, row)
            for name, value in row.items():
                self.assertIsNotNone(value)
                self.assertNotRegex(value, r"^[=+@]", f"{name} would be a formula in a spreadsheet")
        self.assertEqual(len({r["case_key"] for r in rows}), 7)

    def test_html(self):
        self.run_it()
        source = (self.run_dir() / "report.html").read_text(encoding="utf-8")
        page = Page()
        page.feed(source)
        page.close()
        self.assertNotRegex(source, r"<script>alert")
        self.assertIn("<script>alert(1)</script>", "".join(page.text), "the text itself is shown")
        self.assertLessEqual([tag for tag, _ in page.elements].count("script"), 1, "the page's own")
        self.assertNotIn("alert", "".join(page.scripts))
        for tag, attrs in page.elements:
            self.assertNotIn(tag, ("blink", "img"), "markup of the plugin became an element")
            for name, value in attrs.items():
                self.assertFalse(name.startswith("on"), (tag, attrs))
                self.assertNotRegex(value or "", r"(?i)^\s*javascript:")
        self.assertNotRegex(source, r"[\x00-\x08\x0b\x0c\x0e-\x1f]")

    def test_run_ini_repeats_the_cases(self):
        self.run_it()
        folder = self.run_dir()
        ini = (folder / "run.ini").read_text(encoding="utf-8")
        self.assertNotRegex(ini, r"(?m)^\[section\]|^key = value")
        again = self.gpubench("--suite", folder / "run.ini", "--verify-only", "--out", "again")
        self.assertEqual(again.exit, 3, again)
        self.assertEqual([r["case_key"] for r in self.rows(folder)], [r["case_key"] for r in self.rows(self.dir / "again")])

    def test_report_again(self):
        self.run_it()
        folder = self.run_dir()
        first = (folder / "report.html").read_bytes()
        self.ok("report", folder)
        self.assertEqual((folder / "report.html").read_bytes(), first)

    def test_a_case_by_its_key(self):
        self.run_it()
        for key in sorted({r["case_key"] for r in self.rows()}):
            with self.subTest(key):
                self.ok("--plugin", HOSTILE, "--verify-only", "--variant", "good", "--case", key, "--no-save")

    def test_file_names(self):
        """A plugin's path is untrusted text, too."""
        name = "<img src=x onerror=alert(1)>\n\x1b[31m,\"'=.so"
        shutil.copy(plugin("ok_vector"), self.dir / name)
        result = self.ok("--plugin", f"./{name}", "--verify-only")
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertNotIn("<img", (self.run_dir() / "report.html").read_text(encoding="utf-8"))
        for row in self.rows():
            self.assertEqual(row["status"], "ok")


def needs(condition, what):
    return unittest.skipIf(not condition and not os.environ.get("GPUBENCH_NO_SKIP"), f"{what} is not installed")


def has_module(name):
    try:
        __import__(name)
    except ImportError:
        return False
    return True


class HostileOutputs(GpubenchTest):
    """A results.csv written by an attacker: every text is an attack, and must remain text."""

    ATTACKS = ("<script>alert(1)</script><img src=x onerror=alert(2)>", "]]>--></testsuites><x y='z\" ", "=1+1|cmd", "a|b\\\\|c\\",
               "`code` ``` **bold** ~~gone~~ _i_", "[link](javascript:alert(1)) ![i](http://evil.example/x.png)",
               "http://evil.example www.evil.example mailto:a@evil.example a@evil.example @octocat #1", "\x01\x08\x1b[31m\x7f\ufffe\u202e",
               'quote" } 1\n# EOF\nother{x="', "\r\n\r\n# heading\n- item\n    code\n| t |\n|---|", "&lt;b&gt; &#64; \\u003c %s %n", "\u2028\U0001f600")
    TEXTS = ("run_id", "host", "devices", "device_name", "driver", "bench", "contract", "preset", "variant", "mode", "baseline",
             "verdict", "message", "conditions", "timestamp_utc")

    def forge(self):
        self.ok("--plugin", plugin("ok_vector"), *self.fake(), "--out", "run")
        rows = self.rows(self.dir / "run")
        folder = self.dir / "forged"
        folder.mkdir()
        forged = []
        for i, attack in enumerate(self.ATTACKS):
            row = dict(rows[i % len(rows)])
            row.update({name: attack for name in self.TEXTS}, case_key=f"{attack}[{i}]", axes=f"{attack.replace(';', '')}=1;n={attack}")
            forged.append(row)
            forged.append({**row, "status": ("wrong", "crashed", "skipped")[i % 3], "variant": attack + "2"})
        with (folder / "results.csv").open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, rows[0].keys())
            writer.writeheader()
            writer.writerows(forged)
        pairs = "".join(f"{name} = {''.join(f'%{b:02X}' for b in attack.encode())}\n" for name, attack in
                        zip(("run_id", "host", "device_name", "driver", "conditions", "gpubench_version", "started_utc"), self.ATTACKS))
        (folder / "run.ini").write_text(f"[environment]\n{pairs}[tags]\n{pairs}")
        return folder, forged

    def output(self, option):
        folder, forged = self.forge()
        self.ok("report", folder, option, "out", "-q")
        text = (self.dir / "out").read_bytes().decode("utf-8")
        return text, forged

    def assert_no_controls(self, text):
        self.assertNotRegex(text, r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

    def test_json(self):
        for option in ("--json", "--gbench", "--bmf"):
            text, forged = self.output(option)
            self.assert_no_controls(text)
            self.assertNotIn("<", text)
            json.loads(text, parse_constant=lambda name: self.fail(name))
            shutil.rmtree(self.dir / "forged")
            shutil.rmtree(self.dir / "run")
            if option == "--json":  # data are not changed
                messages = [row["message"] for row in json.loads(text)["rows"]]
                self.assertEqual(messages, [row["message"] for row in forged])

    def test_junit(self):
        text, forged = self.output("--junit")
        self.assert_no_controls(text)
        root = ElementTree.fromstring(text)
        self.assertEqual({e.tag for e in root.iter()}, {"testsuites", "testsuite", "properties", "property", "testcase", "system-out",
                                                         "failure", "error", "skipped"})
        self.assertEqual(len(root.findall("./testsuite/testcase")), len(forged))

    def test_wide_csv(self):
        text, forged = self.output("--wide-csv")
        with (self.dir / "out").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        self.assertEqual(len(rows), len(forged))
        for row in rows:
            self.assertNotIn(None, row)
            for name, value in row.items():
                self.assertNotRegex(name, r"^[=+@-]")
                self.assertIsNotNone(value)
                self.assertNotRegex(value, r"^[=+@\t\r\n]", f"{name} would be a formula in a spreadsheet")

    @needs(has_module("prometheus_client"), "python3-prometheus-client")
    def test_openmetrics(self):
        from prometheus_client.openmetrics import parser

        text, forged = self.output("--openmetrics")
        self.assert_no_controls(text)
        families = {f.name: f for f in parser.text_string_to_metric_families(text)}
        self.assertTrue(all(name.startswith("gpubench_") for name in families), families.keys())
        self.assertEqual(len(families["gpubench_failed"].samples), len(forged))
        variants = {s.labels["variant"] for s in families["gpubench_failed"].samples}
        self.assertIn(self.ATTACKS[0], variants)
        self.assertIn(self.ATTACKS[8], variants)

    @needs(shutil.which("cmark-gfm"), "cmark-gfm")
    def test_markdown(self):
        text, forged = self.output("--markdown")
        self.assert_no_controls(text)
        html = subprocess.run(["cmark-gfm", "--unsafe", *sum((["-e", e] for e in ("table", "autolink", "strikethrough", "tasklist")), [])],
                              input=text, capture_output=True, text=True, check=True).stdout
        page = Page()
        page.feed(html)
        elements = {tag for tag, _ in page.elements}
        self.assertLessEqual(elements, {"h2", "h3", "p", "ul", "li", "strong", "table", "thead", "tbody", "tr", "th", "td", "blockquote"})
        self.assertFalse([attrs for _, attrs in page.elements if attrs])
        shown = "".join(page.text)
        self.assertIn("<script>alert(1)</script>", shown)
        self.assertNotRegex(shown, r"@octocat|#1\b", "a mention")
        for table in re.findall(r"<table>.*?</table>", html, re.S):  # no cell broke out of its row
            widths = {len(re.findall(r"<t[hd]>", row)) for row in re.findall(r"<tr>.*?</tr>", table, re.S)}
            self.assertEqual(len(widths), 1, table)


if __name__ == "__main__":
    main()
