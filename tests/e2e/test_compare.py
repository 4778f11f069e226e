"""`gpubench compare` on runs whose true times are known: they come from the script of a scripted device."""

import re
import time

from run import GpubenchTest, main, plugin, read_csv

TIMES = {"plain": 50000, "twice": 100000, "blocked": 50000}


def script(seed, **times):
    sections = "".join(f"[{variant}]\nns = {ns}\nsample_sd = 0.004\nslot_sd = 0.001\n" for variant, ns in {**TIMES, **times}.items())
    return f"[device]\nname = Test device\ndriver = 1.0\ntick_ns = 32\nseed = {seed}\n" + sections


class Compare(GpubenchTest):
    def measure(self, name, seed=3, args=(), **times):
        """Makes a run in gpubench-out with these true times. Returns its directory."""
        (self.dir / f"{name}.ini").write_text(script(seed, **times))
        before = set(self.run_dirs())
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/{name}.ini", "--name", name, "-q", *args)
        made = set(self.run_dirs()) - before
        self.assertEqual(len(made), 1)
        return made.pop()

    def edit(self, run, old, new, only=""):
        """Replaces a text in those rows of a run's results.csv that contain `only`."""
        path = run / "results.csv"
        rows = path.read_bytes().decode().split("\r\n")
        edited = rows[:1] + [row.replace(old, new) if only in row else row for row in rows[1:]]
        self.assertNotEqual(rows, edited)
        path.write_bytes("\r\n".join(edited).encode())

    # ---- Verdicts and exit codes ----

    def test_a_known_difference_is_found(self):
        self.measure("base", seed=3)
        self.measure("new", seed=4, twice=105000)
        done = self.gpubench("compare", "base", "new", "--fail-on", "slower")
        self.assertEqual(done.exit, 1, done)
        self.assertEqual(done.err, "gpubench: 1 confident regression beyond 2%\n")
        first = done.out.splitlines()[0]
        found = re.fullmatch(r"1 of 3 slower by more than 2%: twice at small by ([\d.]+)% \[([\d.]+), ([\d.]+)\]; 2 same\.", first)
        self.assertIsNotNone(found, first)
        change, lo, hi = map(float, found.groups())
        self.assertTrue(2 < lo < 5.0 < hi < 8, first)
        self.assertAlmostEqual(change, 5.0, delta=0.3)
        self.assertIn("noise of 0.3% between restarts is assumed", done.out)
        self.assertRegex(done.out, r"(?m)^small +twice .* 0\.95\dx +\[.*\] +. slower >2%$")
        # A difference fails only a gate that was asked for.
        self.assertEqual(self.ok("compare", "base", "new").out, done.out)
        self.assertEqual(self.ok("compare", "base", "new", "--fail-on", "wrong").out, done.out)
        self.ok("compare", "base", "new", "--fail-on", "slower", "--threshold", "8%")
        # In the other direction it is an improvement.
        self.assertIn("1 faster by more than 2%: twice at small 1.0", self.ok("compare", "new", "base", "--fail-on", "slower").out)

    def test_restarts_are_the_unit(self):
        self.measure("base", seed=3, args=("--restarts", "3"))
        self.measure("new", seed=4, args=("--restarts", "3"), twice=103000)
        done = self.gpubench("compare", "base", "new", "--fail-on", "slower")
        self.assertEqual(done.exit, 1, done)
        self.assertEqual(done.out.count("3 restarts"), 2, done)
        self.assertNotIn("assumed", done.out)
        lo, hi = map(float, re.search(r"twice at small by [\d.]+% \[([\d.]+), ([\d.]+)\]", done.out).groups())
        self.assertTrue(2.5 < lo <= 3.0 <= hi < 3.5, done)

    def test_the_same_twice_gets_no_word_of_change(self):
        self.measure("base", seed=3)
        for seed in range(4, 9):
            self.measure("new", seed=seed)
            done = self.ok("compare", "base", "new", "--fail-on", "slower")
            self.assertEqual(done.out.splitlines()[0], "None of 3 slower by more than 2%; 3 same.")
            self.assertNotRegex(done.out, r"\b(slower|faster)$")
            self.assertIn("The plugin files are the same on both sides", done.out)

    def test_a_result_that_is_no_longer_correct(self):
        base, new = self.measure("base"), self.measure("new", seed=4)
        self.edit(new, '"ok"', '"wrong"', only='"twice","cpu"')
        for gate in ("slower", "wrong"):
            done = self.gpubench("compare", base, new, "--fail-on", gate)
            self.assertEqual(done.exit, 1, done)
            self.assertEqual(done.err, "gpubench: 1 result is no longer correct\n")
        self.assertTrue(done.out.startswith("1 of 3 no longer correct: twice at small wrong; none of 2 slower"), done)
        self.ok("compare", base, new)
        self.ok("compare", base, new, "--fail-on", "none")
        # A row that was wrong and is now right is no regression.
        self.assertIn("correct again, was wrong", self.ok("compare", new, base, "--fail-on", "slower").out)

    # ---- Runs that are not alike ----

    def test_runs_that_are_not_alike_are_not_judged(self):
        self.measure("base", seed=3)
        new = self.measure("new", seed=4, twice=110000)
        ini = (new / "run.ini").read_text()
        (new / "run.ini").write_text(ini.replace("device_name = Test device", "device_name = Other device").replace("seed = 1\n", "seed = 2\n"))
        done = self.gpubench("compare", "base", "new", "--fail-on", "slower")
        self.assertEqual(done.exit, 5, done)
        self.assertEqual(done.err, "gpubench: 3 rows could not be judged: 3 not alike; --allow-unjudged lets them pass\n")
        self.ok("compare", "base", "new", "--fail-on", "slower", "--allow-unjudged")
        self.ok("compare", "base", "new", "--fail-on", "wrong")  # correctness does not depend on the machine
        self.assertRegex(done.out, r"Not judged, the runs differ in device and seed of the data; 3 ratios from 0\.\d+x to ")
        self.assertIn("NOT ALIKE   device: Test device -> Other device\n            seed of the data: 1 -> 2\n", done.out)
        self.assertIn("--force judges anyway", done.out)
        for word in ("slower", "▼", "= same", ">2%"):
            self.assertNotIn(word, done.out)
        markdown = self.ok("compare", "base", "new", "--markdown", "-").out
        self.assertIn("> - device: Test device → Other device", markdown)
        self.assertNotIn("▼", markdown)
        forced = self.gpubench("compare", "base", "new", "--fail-on", "slower", "--force")
        self.assertEqual(forced.exit, 1, forced)
        self.assertIn("NOT ALIKE   device", forced.out)
        self.assertIn("1 of 3 slower by more than 2%: twice", forced.out)

    def test_options_count_and_a_new_plugin_does_not(self):
        base = self.measure("base", seed=3)
        self.measure("coarse", seed=4, args=("--precision", "2%"))
        self.assertIn("Not judged, the runs differ in precision;", self.ok("compare", "base", "coarse").out)
        self.measure("quick", seed=4, args=("--quick",))
        self.assertIn("the runs differ in", self.ok("compare", "base", "quick").out)
        new = self.measure("new", seed=4)
        hash = read_csv(base / "results.csv")[0]["plugin_sha256"]
        self.edit(new, hash, "f" * 64)
        out = self.ok("compare", "base", "new").out
        self.assertIn("None of 3 slower", out)
        self.assertIn(f"differs     plugin vector: 1.0.0 ({hash[:12]}) -> 1.0.0 (ffffffffffff)", out)

    # ---- Rows ----

    def test_nothing_in_common(self):
        self.measure("base")
        self.measure("new", args=("--variant", "plain"))
        self.measure("other", args=("--variant", "twice"))
        done = self.gpubench("compare", "new", "other")
        self.assertEqual(done.exit, 2, done)
        self.assertIn("Nothing in common with the base.", done.out)
        self.assertEqual(done.err, "gpubench: 'new' and 'other' have no case, variant and mode in common\n")
        out = self.ok("compare", "base", "other").out
        self.assertIn("not common  2 only in base, 0 only in new; -v lists them", out)
        listed = self.ok("compare", "base", "other", "-v").out
        self.assertRegex(listed, r"only base   vector/scale\[n=4096,dtype=fp32,a=2.5\] plain\n +vector/scale\[n=4096,dtype=fp32,a=2.5\] blocked\n")
        self.assertIn("0 only in base, 2 only in new", self.ok("compare", "other", "base").out)

    def test_several_runs(self):
        self.measure("base", seed=3)
        self.measure("a", seed=4, twice=107000)
        self.measure("b", seed=5, plain=46500)
        out = self.ok("compare", "base", "a", "b").out.splitlines()
        self.assertTrue(out[0].startswith("a: 1 of 3 slower by more than 2%: twice at small"), out[0])
        self.assertTrue(out[1].startswith("b: none of 3 slower by more than 2%; 1 faster by more than 2%: plain at small"), out[1])
        heading = next(line for line in out if line.startswith("case"))
        self.assertRegex(heading, r"^case +variant +base +a +\[95%\] +b +\[95%\]")
        self.assertEqual(self.gpubench("compare", "base", "a", "b", "--fail-on", "slower").exit, 1)

    # ---- Inputs ----

    def test_lone_files(self):
        # One process of a cpu is not judged, and these files do not say that the device is scripted.
        three = ("--restarts", "3")
        base, new = self.measure("base", seed=3, args=three), self.measure("new", seed=4, args=three, twice=105000)
        done = self.gpubench("compare", base / "results.csv", new / "results.csv", "--fail-on", "slower")
        self.assertEqual(done.exit, 1, done)
        self.assertIn("3 of 3 ratios are of the rows' medians and intervals", done.out)
        self.assertIn("known of one side only, so not compared: ", self.ok("compare", base, new / "results.csv").out)

    def test_a_torn_file(self):
        base, new = self.measure("base", seed=3), self.measure("new", seed=4)
        data = (new / "results.csv").read_bytes()
        (new / "results.csv").write_bytes(data[:-len(data) // 8])
        out = self.ok("compare", base, new).out
        self.assertIn("Not all judged: none of 2 slower by more than 2%; 2 same; 1 not judged (missing).", out)
        self.assertEqual(self.gpubench("compare", base, new, "--fail-on", "slower").exit, 5)
        self.assertIn("new: The last row of results.csv was cut off and is left out.", out)
        self.assertIn("1 only in base", out)
        (new / "results.csv").write_bytes(data[:100])
        self.one_line_error(3, "compare", base, new)
        (new / "results.csv").write_bytes(data[:-len(data) // 8] + b"\x00\xff\"x\"y,\r\n")
        self.one_line_error(3, "compare", base, new)

    def test_a_report_is_a_run(self):
        base, new = self.measure("base", seed=3), self.measure("new", seed=4, twice=110000)
        done = self.gpubench("compare", base / "report.html", new / "report.html", "--fail-on", "slower")
        self.assertEqual(done.exit, 1, done)
        self.assertIn("1 of 3 slower by more than 2%: twice at small", done.out)

    def test_names(self):
        first = self.measure("base", seed=3)
        time.sleep(1.1)  # run directories are named by the second
        second = self.measure("base", seed=4, plain=60000)
        time.sleep(1.1)
        third = self.measure("base-2", seed=5, plain=40000)
        same = self.ok("compare", first, second).out
        self.assertEqual(self.ok("compare", first.name, "base").out, same)  # the newest of that name
        self.assertEqual(self.ok("compare", first, "last").out, self.ok("compare", first, third).out)
        self.assertEqual(self.ok("compare", first, "latest").out, self.ok("compare", first, third).out)
        elsewhere = self.dir / "elsewhere"
        elsewhere.mkdir()
        out = self.ok("compare", first.name, "base", cwd=elsewhere, env={"GPUBENCH_OUT": str(self.dir / "gpubench-out")}).out
        self.assertEqual(out, same)
        self.assertRegex(self.one_line_error(2, "compare", first, "bas"), "no run 'bas': .* none of 3 runs in gpubench-out: 2")
        self.assertIn("there are no runs in", self.one_line_error(2, "compare", "a", "b", cwd=elsewhere))
        self.assertIn("'no/such/dir'", self.one_line_error(2, "compare", first, "no/such/dir"))
        self.assertIn("no results.csv", self.one_line_error(2, "compare", first, elsewhere))

    def test_the_command_line(self):
        self.assertIn("gpubench compare BASE NEW...", self.ok("compare", "--help").out)
        self.assertIn("not 1", self.one_line_error(2, "compare", "a"))
        self.assertIn("not 10", self.one_line_error(2, "compare", *"abcdefghij"))
        self.assertIn("'fast' is not one of slower|wrong|none", self.one_line_error(2, "compare", "a", "b", "--fail-on", "fast"))
        self.assertIn("--threshold", self.one_line_error(2, "compare", "a", "b", "--threshold", "50%"))
        self.assertIn("--allow-unjudged needs --fail-on", self.one_line_error(2, "compare", "a", "b", "--allow-unjudged"))
        self.one_line_error(2, "compare", "a", "b", "--html", "-", "--markdown", "-")

    # ---- Outputs ----

    def test_outputs(self):
        self.measure("base", seed=3)
        self.measure("new", seed=4, twice=110000)
        done = self.gpubench("compare", "base", "new", "--html", "c.html", "--markdown", "c.md", "--fail-on", "slower")
        self.assertEqual(done.exit, 1, done)  # the files are written nevertheless
        page, markdown = (self.dir / "c.html").read_text(), (self.dir / "c.md").read_text()
        sentence = done.out.splitlines()[0]
        self.assertIn(sentence, page)
        self.assertTrue(markdown.startswith("### gpubench: 1 of 3 slower"), markdown)
        self.assertNotRegex(page, r"<script|https?://(?!www\.w3\.org/2000/svg)")
        self.assertEqual(self.ok("compare", "base", "new", "--html", "-").out, page)
        self.assertEqual(self.ok("compare", "base", "new", "--markdown", "/dev/stdout").out.replace(done.out, ""), markdown)
        self.assertEqual(self.ok("compare", "base", "new", "-q").out, sentence + "\n")
        self.assertIn("c.html", self.one_line_error(2, "compare", "base", "new", "--html", "no/such/c.html"))
        self.assertEqual(sorted(p.name for p in self.dir.iterdir() if p.is_file()), ["base.ini", "c.html", "c.md", "new.ini"])

    def test_hostile_rows(self):
        base, new = self.measure("base", seed=3), self.measure("new", seed=4)
        for run in (base, new):
            path = run / "results.csv"
            data = path.read_bytes().replace(b'"plain"', b'"<script>alert(1)</script>|`\x1b[31m"')
            path.write_bytes(data)
            self.assertIn("the row is not believed", self.one_line_error(3, "compare", base, new))
            (run / "samples.csv").unlink()
        done = self.ok("compare", base, new, "--html", "c.html", "--markdown", "c.md", "-v")
        self.assertNotRegex(done.out, r"[\x00-\x08\x0b-\x1f\x7f]")
        self.assertNotIn("<script>alert", (self.dir / "c.html").read_text())
        self.assertNotIn("<script>alert", (self.dir / "c.md").read_text())


if __name__ == "__main__":
    main()
