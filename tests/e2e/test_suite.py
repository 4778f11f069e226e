"""Suite files: selections in INI files, and errors with FILE:LINE."""

from run import GpubenchTest, main, plugin

VECTOR = plugin("ok_vector")


class Suite(GpubenchTest):
    def write(self, text, name="nightly.ini"):
        (self.dir / name).write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
        return name

    def test_sections_and_axes(self):
        suite = self.write(f"""\
; a comment
[small ones]
plugin = {VECTOR}
bench = scale
axis.n = 8:32:x2
axis.dtype = bf16
variant = plain, twice

[big]
plugin = {VECTOR}
preset = large
variant = plain
""")
        self.ok("--suite", suite, "--verify-only")
        rows = self.rows()
        self.assertEqual(len(rows), 7)
        self.assertEqual([r["variant"] for r in rows[:2]], ["plain", "twice"])

    def test_the_command_line_narrows_a_suite(self):
        suite = self.write(f"[s]\nplugin = {VECTOR}\npreset = small, large\n")
        self.ok("--suite", suite, "--variant", "plain", "--verify-only")
        self.assertEqual({r["variant"] for r in self.rows()}, {"plain"})

    def test_plugins_are_relative_to_the_file(self):
        (self.dir / "sub").mkdir()
        (self.dir / "sub/mine.so").symlink_to(VECTOR)
        self.write("[s]\nplugin = ./mine.so\npreset = small\n", "sub/s.ini")
        self.ok("--suite", "sub/s.ini", "--verify-only")

    def test_errors_name_file_and_line(self):
        head = f"[s]\nplugin = {VECTOR}\n"
        cases = {
            "unknown key": (head + "presision = 1%\n", r"nightly\.ini:3: unknown key 'presision'; nearest 'precision'"),
            "before any section": (f"plugin = {VECTOR}\n", r"nightly\.ini:1: "),
            "repeated key": (head + "preset = small\npreset = large\n", r"nightly\.ini:4: .*repeats line 3"),
            "repeated section": (head + "[s]\n", r"nightly\.ini:3: .*repeats line 1"),
            "no value": (head + "preset =\n", r"nightly\.ini:3: "),
            "no sense": (head + "what is this\n", r"nightly\.ini:3: "),
            "bad value": (head + "precision = soon\n", r"nightly\.ini:3: .*soon"),
            "bad mode": (head + "mode = lukewarm\n", r"nightly\.ini:3: .*lukewarm"),
            "overlong": (head + "preset = " + "x" * 100000 + "\n", r"nightly\.ini:3: .*long"),
            "NUL": (head + "preset = sm\0all\n", r"nightly\.ini:3: .*NUL"),
            "empty": ("", r"nightly\.ini: .*nothing"),
        }
        for name, (text, pattern) in cases.items():
            with self.subTest(name):
                self.write(text)
                self.assertRegex(self.one_line_error(2, "--suite", "nightly.ini"), pattern)

    def test_values_are_checked_against_the_bench(self):
        self.write(f"[s]\nplugin = {VECTOR}\nbench = scale\naxis.dtype = bf61\n")
        self.assertRegex(self.one_line_error(2, "--suite", "nightly.ini"), r"bf61.*fp32.*bf16")

    def test_an_indented_line_continues_nothing(self):
        self.write(f"[s]\n  plugin = {VECTOR}\n  preset = small\n")
        self.ok("--suite", "nightly.ini", "--verify-only")

    def test_missing_file_and_directory(self):
        self.assertRegex(self.one_line_error(2, "--suite", "nowhere.ini"), r"nowhere\.ini.*No such file")
        (self.dir / "folder.ini").mkdir()
        self.assertRegex(self.one_line_error(2, "--suite", "folder.ini"), r"folder\.ini")


if __name__ == "__main__":
    main()
