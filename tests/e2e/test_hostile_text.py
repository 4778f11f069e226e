"""Texts of a plugin that try to be more than text stay text, wherever they go."""

import json
import shutil
from html.parser import HTMLParser

from run import GpubenchTest, main, plugin

HOSTILE = plugin("ok_hostile_text")


class Page(HTMLParser):
    """Elements with their attributes, the text of scripts, and all other text."""

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
        # none of the texts begins a line of its own, where it could pass for ours
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
        for tag, attrs in page.elements:
            self.assertNotIn(tag, ("blink", "script", "img"), "markup of the plugin became an element")
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
        """A plugin's path is untrusted text as well."""
        name = "<img src=x onerror=alert(1)>\n\x1b[31m,\"'=.so"
        shutil.copy(plugin("ok_vector"), self.dir / name)
        result = self.ok("--plugin", f"./{name}", "--verify-only")
        self.assertNotIn("\x1b", result.out + result.err)
        self.assertNotIn("<img", (self.run_dir() / "report.html").read_text(encoding="utf-8"))
        for row in self.rows():
            self.assertEqual(row["status"], "ok")


if __name__ == "__main__":
    main()
