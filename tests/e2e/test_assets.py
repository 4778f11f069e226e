"""The report with separate style sheet and script files, for servers that block them inside the page."""

from run import GpubenchTest, main, plugin

STYLE, SCRIPT = '<link rel="stylesheet" href="report.css">', '<script src="report.js"></script>'


class Assets(GpubenchTest):
    def setUp(self):
        super().setUp()
        self.ok("--plugin", plugin("ok_vector"), *self.fake(twice=100000), "--out", "run")

    def assert_split(self, folder, page="report.html"):
        text = (folder / page).read_text()
        self.assertIn(STYLE, text)
        self.assertIn(SCRIPT, text)
        self.assertNotIn("<style", text)
        self.assertIn("border-collapse", (folder / "report.css").read_text())
        self.assertIn("'use strict'", (folder / "report.js").read_text())

    def test_inside_by_default(self):
        text = (self.dir / "run/report.html").read_text()
        self.assertIn("<style>", text)
        self.assertEqual(text.count("<script"), 1)
        self.assertFalse((self.dir / "run/report.css").exists())

    def test_beside_on_demand(self):
        (self.dir / "web").mkdir()
        self.ok("report", "run", "--assets", "split", "--html", "web/index.html", "-q")
        self.assert_split(self.dir / "web", "index.html")
        self.assert_split(self.dir / "run")

    def test_of_a_run(self):
        self.ok("--plugin", plugin("ok_vector"), *self.fake(twice=100000), "--out", "split", "--assets=split")
        self.assert_split(self.dir / "split")

    def test_stdout_has_no_folder(self):
        text = self.ok("report", "run", "--assets", "split", "--html", "-").out
        self.assertIn("<style>", text)
        self.assertNotIn(STYLE, text)
        self.assertFalse((self.dir / "report.css").exists())


if __name__ == "__main__":
    main()
