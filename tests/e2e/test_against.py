"""`--against`: a run compared with a stored one, on the scripted device, whose times are known."""

import os
import re
import shutil
import time

from run import GpubenchTest, main, plugin, read_csv

TIMES = {"plain": 50000, "twice": 100000, "blocked": 50000}


def script(seed, driver="1.0", **times):
    sections = "".join(f"[{variant}]\nns = {ns}\nsample_sd = 0.004\nslot_sd = 0.001\n" for variant, ns in {**TIMES, **times}.items())
    return f"[device]\nname = Test device\ndriver = {driver}\ntick_ns = 32\nseed = {seed}\n" + sections


class Against(GpubenchTest):
    def command(self, *args, seed=3, driver="1.0", **times):
        (self.dir / f"fake-{seed}.ini").write_text(script(seed, driver, **times))
        return ("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/fake-{seed}.ini", *args)

    def measure(self, name, *args, seed=3, exit=0, env=None, **how):
        """Measures a run of this name. Returns the result and the run directory."""
        before = set(self.run_dirs())
        done = self.gpubench(*self.command("--name", name, *args, seed=seed, **how), env=env)
        self.assertEqual(done.exit, exit, done)
        made = set(self.run_dirs()) - before
        self.assertEqual(len(made), 1, done)
        return done, made.pop()

    def refused(self, exit, *args, **how):
        """Expects that the command ends before it measures anything. Returns its error."""
        before = self.run_dirs()
        line = self.one_line_error(exit, *self.command(*args, **how))
        self.assertEqual(self.run_dirs(), before)
        return line

    def against(self, run):
        return read_csv(run / "against.csv")

    def row(self, run, variant):
        found = [row for row in self.against(run) if row["part"] == "row" and row["variant"] == variant]
        self.assertEqual(len(found), 1, found)
        return found[0]

    # ---- The output ----

    def test_a_regression_is_found(self):
        self.measure("base")
        done, run = self.measure("new", "--against", "base", seed=4, twice=105000)
        line = next(line for line in done.out.splitlines() if re.match(r" +twice ", line))
        self.assertRegex(line, r"0\.95\dx \[0\.9\d+, 0\.9\d+\] ▼ slower >2%$")
        self.assertIn("1 of 3 slower by more than 2%: twice at small by ", done.out)
        self.assertIn("not interleaved with this run", done.out)
        row = self.row(run, "twice")
        self.assertEqual((row["outcome"], row["verdict"], row["beyond"]), ("both", "slower", "1"))
        self.assertLess(float(row["lo"]), 1 / 1.05)
        self.assertGreater(float(row["hi"]), 1 / 1.05)
        self.assertEqual(self.row(run, "plain")["verdict"], "same")
        page = (run / "report.html").read_text()
        self.assertIn("vs base 0.95", page)
        self.assertIn("not interleaved", page)

    def test_a_narrow_terminal_gets_narrow_lines(self):
        self.measure("base")
        done, run = self.measure("new", "--against", "base", seed=4, twice=105000, env={"COLUMNS": "80"})
        narrow = [done, *(self.ok(*args, env={"COLUMNS": "80"}) for args in (("report", run), ("compare", "base", run)))]
        for said in narrow:
            # A path.
            long = [line for line in said.out.splitlines() if len(line) > 80 and not line.startswith("report ")]
            self.assertEqual(long, [], said)
        for said in narrow[:2]:
            self.assertIn("+-%", said.out)
        wide = self.ok("compare", "base", run).out
        self.assertGreater(max(map(len, wide.splitlines())), 80)  # for programs, lines are not folded
        note = next(line for line in wide.splitlines() if len(line) > 80)
        self.assertIn(" ".join(note.split()), " ".join(narrow[2].out.split()))

    def test_it_is_what_compare_says(self):
        _, base = self.measure("base")
        _, run = self.measure("new", "--against", "base", seed=4, twice=103000, plain=49000)
        compared = self.ok("compare", base, run).out
        for variant in TIMES:
            row = self.row(run, variant)
            line = next(line for line in compared.splitlines() if re.match(rf"small +{variant} ", line))
            ratio, lo, hi = re.search(r"([\d.]+)x +\[([\d.]+), ([\d.]+)\]", line).groups()
            self.assertEqual(f"{float(row['speedup']):.3f}", ratio)
            self.assertEqual((f"{float(row['lo']):.3f}", f"{float(row['hi']):.3f}"), (lo, hi))
            self.assertIn(row["verdict"], line)

    def test_the_same_gets_no_word(self):
        self.measure("base")
        for seed in range(4, 10):
            done, run = self.measure("again", "--against", "base", "--fail-on", "slower", seed=seed)
            words = {row["verdict"] for row in self.against(run) if row["part"] == "row"}
            self.assertLessEqual(words, {"same", "undecided"}, done)
            self.assertIn("The plugin files are the same on both sides", done.out)

    def test_exit_codes(self):
        _, base = self.measure("base")
        slower = dict(seed=4, twice=105000)
        self.measure("new", "--against", "base", exit=0, **slower)
        done, run = self.measure("new", "--against", "base", "--fail-on", "slower", exit=1, **slower)
        self.assertIn("gpubench: 1 confident regression beyond 2%", done.err)
        self.assertTrue((run / "report.html").exists())  # the gate is judged last
        quiet, _ = self.measure("new", "--against", "base", "-q", exit=0, **slower)
        *lines, sentence = quiet.out.splitlines()
        self.assertRegex(sentence, "^1 of 3 slower by more than 2%: twice at small by ")
        self.assertRegex(lines[1], r" twice 105\.0 us .*; vs base 0\.9\d+x \[.*\] slower >2%$")
        self.measure("new", "--against", "base", "--fail-on", "slower", "--threshold", "8%", exit=0, **slower)
        self.measure("new", "--against", "base", "--fail-on", "wrong", exit=0, **slower)
        self.measure("new", "--against", "base", "--fail-on", "none", exit=0, **slower)
        for command in ("run", "report"):
            line = self.refused(2, "--fail-on", "slower") if command == "run" else self.one_line_error(2, "report", base, "--fail-on", "slower")
            self.assertIn("--fail-on is for comparisons: it needs --against RUN", line)
        self.assertIn("--threshold is for comparisons", self.refused(2, "--threshold", "1%"))
        self.assertIn("--profile records nothing", self.refused(2, "--profile", "--against", "base"))

    def test_a_fault_weighs_more_than_a_regression(self):
        self.measure("base")
        (self.dir / "nonsense.so").write_text("nonsense")
        self.measure("new", "--plugin", "./nonsense.so", "--against", "base", "--fail-on", "slower", seed=4, twice=105000, exit=3)

    def test_what_is_no_longer_correct(self):
        _, base = self.measure("odd")
        path = base / "results.csv"
        path.write_bytes(path.read_bytes().replace(b'"ok"', b'"wrong"', 1))
        done, run = self.measure("new", "--against", "odd", "--fail-on", "slower", seed=4)
        self.assertEqual(sum(row["outcome"] == "fixed" for row in self.against(run)), 1, done)
        done = self.gpubench("report", base, "--against", run, "--fail-on", "wrong")
        self.assertEqual(done.exit, 1, done)
        self.assertIn("gpubench: 1 result is no longer correct", done.err)

    def test_runs_that_are_not_alike(self):
        self.measure("base")
        done, run = self.measure("new", "--against", "base", "--fail-on", "slower", seed=4, driver="2.0", twice=105000, exit=5)
        self.assertIn("NOT ALIKE   driver: 1.0 -> 2.0", done.out)
        self.assertNotRegex(done.out, r"slower >|▼ slower$")
        self.assertIn("gpubench: 3 rows could not be judged: 3 not alike; --allow-unjudged lets them pass", done.err)
        self.assertIn("Not judged, the runs differ in driver", self.ok("report", run).out)
        self.measure("new", "--against", "base", "--fail-on", "slower", "--allow-unjudged", seed=4, driver="2.0", twice=105000)
        self.assertEqual(self.row(run, "twice")["verdict"], "not alike")
        self.assertNotEqual(self.row(run, "twice")["speedup"], "")
        self.assertIn("<td>1.0</td><td>2.0</td>", (run / "report.html").read_text())
        self.measure("new", "--against", "base", "--fail-on", "slower", "--force", seed=4, driver="2.0", twice=105000, exit=1)

    def test_rows_of_one_side(self):
        self.measure("base", "--variant", "plain,twice")
        done, run = self.measure("new", "--variant", "plain,blocked", "--against", "base", seed=4)
        self.assertIn("not common  1 only in the base, 1 only here", done.out)
        outcomes = {row["variant"]: row["outcome"] for row in self.against(run) if row["part"] == "row"}
        self.assertEqual(outcomes, {"plain": "both", "twice": "only_base", "blocked": "only_here"})
        self.assertIn("has no case, variant and mode in common", self.refused(2, "--variant", "twice", "--against", run.name))

    # ---- Reports need only the run directory ----

    def test_a_report_needs_no_base(self):
        _, base = self.measure("base")
        first, run = self.measure("new", "--against", "base", "--markdown", "a.md", seed=4, twice=105000)
        page = (run / "report.html").read_bytes()
        shutil.rmtree(base)
        again = self.ok("report", run, "--markdown", "b.md")
        self.assertEqual((run / "report.html").read_bytes(), page)
        self.assertEqual((self.dir / "a.md").read_bytes(), (self.dir / "b.md").read_bytes())
        self.assertIn("### against", (self.dir / "b.md").read_text())
        table = first.out[first.out.index("vector/scale"):first.out.index("report  ")]
        self.assertEqual(again.out[:again.out.index("report  ")], table)
        out = self.ok("report", run / "report.html").out  # the page holds the comparison, too
        self.assertIn("1 of 3 slower by more than 2%", out)
        self.assertIn("slower >2%", out)

    def test_a_report_of_a_stored_run(self):
        _, base = self.measure("base")
        _, run = self.measure("new", seed=4, twice=105000)
        self.assertFalse((run / "against.csv").exists())
        done = self.gpubench("report", run, "--against", "base", "--fail-on", "slower")
        self.assertEqual(done.exit, 1, done)
        self.assertIn("slower >2%", done.out)
        self.assertEqual(self.row(run, "twice")["verdict"], "slower")
        self.assertIn("slower >2%", self.ok("report", run).out)
        time.sleep(1.1)
        _, third = self.measure("third", seed=5, twice=90000)
        self.assertIn("faster >2%", self.ok("report", third, "--against", "last").out)  # faster than `new`
        self.assertIn(f"against     {run.name}", self.ok("report", third, "--against", "last").out)
        out = self.ok("report", base, "--against", "last")
        self.assertIn("no earlier run in gpubench-out shares a row with this one", out.err)
        self.assertIn("is the run itself", self.one_line_error(2, "report", base, "--against", "base"))
        self.ok("report", run / "results.csv", "--against", base / "results.csv")
        self.ok("report", run, third, "--against", base)

    def test_each_run_of_a_report_has_to_be_compared(self):
        _, first = self.measure("first", "--variant", "plain")
        time.sleep(1.1)
        _, second = self.measure("second", "--variant", "plain", seed=4)
        done = self.gpubench("report", first, second, "--against", "last", "--fail-on", "slower", "--allow-unjudged")
        self.assertEqual(done.exit, 5, done)  # there is no run before the first
        self.assertIn("has nothing to compare in one of the runs, so it does not pass", done.err)
        self.ok("report", second, "--against", "last", "--fail-on", "slower")

    def test_no_save_keeps_nothing(self):
        self.measure("base")
        before = self.run_dirs()
        done = self.ok(*self.command("--no-save", "--against", "base", seed=4, twice=105000))
        self.assertIn("slower >2%", done.out)
        self.assertEqual(self.run_dirs(), before)

    # ---- Which run is meant ----

    def test_names(self):
        done, first = self.measure("base", "--against", "last")
        self.assertIn("--against last: no earlier run in gpubench-out has timed one of these rows", done.err)
        self.assertFalse((first / "against.csv").exists())
        time.sleep(1.1)
        self.measure("other", "--variant", "blocked", seed=4)
        time.sleep(1.1)
        done, _ = self.measure("base", "--against", "last", "--variant", "plain", seed=5)
        self.assertIn(f"against     {first.name}", done.out)  # `other` has no row in common
        self.assertIn("vs last", done.out)
        time.sleep(1.1)
        done, _ = self.measure("x", "--against", "latest", "--variant", "plain", seed=6)  # the same as last
        self.assertRegex(done.out, r"against     \S+-base, ")
        self.assertNotIn(f"against     {first.name}", done.out)
        self.assertIn("vs latest", done.out)
        for name in (str(first), str(first / "results.csv"), str(first / "report.html"), first.name):
            done, run = self.measure("y", "--against", name, "--variant", "plain", seed=7)
            self.assertIn(first.name, done.out)
            self.assertIn("against = " + first.name + "\n", (run / "run.ini").read_text())
        self.assertIn("nearest 'other'", self.refused(2, "--against", "othr"))

    def test_the_last_of_this_device(self):
        _, first = self.measure("base")
        time.sleep(1.1)
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--quick", "--ceilings", "off")  # on the cpu
        time.sleep(1.1)
        done, _ = self.measure("new", "--against", "last", seed=4)
        self.assertIn(f"against     {first.name}", done.out)

    def test_names_that_mean_harm(self):
        self.measure("base")
        for name, says in (("../no/such", "no run '../no/such'"), ("ba\nse", "no run 'ba?se'"), ("b" * 5000, "no run 'bbb"), ("/dev/null", "neither a directory nor a file"), ("/dev/zero", "neither a directory nor a file"), (".", "no results.csv"), ("%s%n", "no run '%s%n'")):
            if name == ".":
                (self.dir / "empty").mkdir(exist_ok=True)
                name = "./empty"
            self.assertIn(says, self.refused(2, "--against", name))
        os.mkfifo(self.dir / "fifo")
        self.assertIn("neither a directory nor a file", self.refused(2, "--against", "./fifo"))
        (self.dir / "loop").symlink_to("loop")
        self.assertIn("Too many levels of symbolic links", self.refused(2, "--against", "./loop"))

    def test_damaged_runs(self):
        _, base = self.measure("base")
        data = (base / "results.csv").read_bytes()
        (base / "results.csv").write_bytes(data[:100])
        self.refused(3, "--against", "base")
        (base / "results.csv").write_bytes(data[:-len(data) // 8])
        done, _ = self.measure("new", "--against", "base", seed=4)
        self.assertIn("The last row of results.csv was cut off and is left out.", done.out)
        (base / "results.csv").write_bytes(b"\x00\xff nonsense")
        time.sleep(1.1)
        # The damaged run is skipped, even if it is the newest.
        done, run = self.measure("new", "--against", "last", seed=5)
        self.assertNotIn("base", done.out[done.out.index("against  "):].splitlines()[0])
        (base / "results.csv").write_bytes(data)
        (base / "samples.csv").write_bytes(b"nonsense\n")
        self.assertIn("samples.csv", self.refused(3, "--against", "base"))
        (run / "against.csv").write_bytes(b"nonsense\n")
        self.assertIn("against.csv", self.one_line_error(3, "report", run))

    def test_a_damaged_newest_run_is_passed_over(self):
        _, first = self.measure("base")
        time.sleep(1.1)
        _, second = self.measure("base", seed=4)
        (second / "results.csv").write_bytes(b"\x00\xff nonsense")
        done, _ = self.measure("new", "--against", "last", seed=5)
        self.assertIn("--against passes over a run:", done.err)
        self.assertIn(f"against     {first.name}", done.out)

    def test_hostile_base(self):
        _, base = self.measure("base")
        evil = "<script>alert(1)</script>|`@x\x1b[31m"
        path = base / "run.ini"
        text = path.read_text().replace(base.name, evil.replace("\x1b", "%1B"))
        path.write_text(text)
        results = base / "results.csv"
        results.write_bytes(results.read_bytes().replace(b'"twice"', b'"' + evil.encode() + b'"'))
        self.assertIn("the row is not believed", self.refused(3, "--against", base))
        (base / "samples.csv").unlink()
        done, run = self.measure("new", "--against", base, "--markdown", "a.md", seed=4)
        self.assertNotRegex(done.out, r"[\x00-\x08\x0b-\x1f\x7f]")
        page = (run / "report.html").read_text()
        self.assertNotIn("<script>alert", page)
        self.assertIn("&lt;script&gt;alert(1)", page)
        self.assertNotIn("<script>", (self.dir / "a.md").read_text())
        self.ok("report", run)

    # ---- With other options ----

    def test_dry_run_says_with_what(self):
        _, base = self.measure("base")
        done = self.ok(*self.command("--against", "base", "--dry-run"))
        self.assertIn(f"against     {base.name}, not interleaved", done.out)
        self.assertEqual(self.run_dirs(), [base])

    def test_a_suite_pins_nothing(self):
        self.measure("base")
        _, run = self.measure("new", "--against", "base", seed=4)
        time.sleep(1.1)
        before = set(self.run_dirs())
        done = self.ok("--suite", run / "run.ini", "--device", f"fake:{self.dir}/fake-3.ini", "--restarts", "1")
        made = (set(self.run_dirs()) - before).pop()
        self.assertFalse((made / "against.csv").exists(), done)
        self.assertNotIn("against", (made / "run.ini").read_text().split("[case-1]")[0].replace("--against", ""))
        (self.dir / "suite.ini").write_text(f"[a]\nplugin = {plugin('ok_vector')}\nagainst = base\n")
        self.assertIn("unknown key 'against'", self.one_line_error(2, "--suite", "suite.ini", "--device", f"fake:{self.dir}/fake-3.ini"))

    def test_resume(self):
        _, base = self.measure("base")
        _, run = self.measure("new", "--against", "base", "--fail-on", "slower", seed=4, twice=105000, exit=1)
        whole = self.against(run)
        results = run / "results.csv"
        rows = results.read_bytes().splitlines(keepends=True)
        results.write_bytes(b"".join(rows[:-1]))  # as after a kill before the last row
        (run / "against.csv").unlink()
        done = self.gpubench("--resume", run)
        self.assertEqual(done.exit, 1, done)  # compared and judged as in the interrupted run
        self.assertEqual(sorted(row["variant"] for row in self.against(run)), sorted(row["variant"] for row in whole))
        self.assertIn("vs base", done.out)
        results.write_bytes(b"".join(rows[:-1]))
        shutil.rmtree(base)
        done = self.gpubench("--resume", run)
        self.assertEqual(done.exit, 5, done)  # --fail-on slower still holds for the run
        self.assertIn("--fail-on slower has nothing to compare, so it does not pass", done.err)
        self.assertIn("the run that this one was compared with is gone", done.err)
        self.assertFalse((run / "against.csv").exists())

    def test_the_loop(self):
        """The edit loop. The first run has nothing to compare with: only a gate fails then."""
        loop = self.command("--case", "vector/scale[n=4096,dtype=fp32,a=2.5]", "--variant", "plain", "--quick", "--against", "last", "--fail-on", "slower")
        loop = tuple(arg for arg in loop if arg not in ("--preset", "small"))
        self.assertIn("no earlier run", self.ok(*loop[:-2]).err)
        shutil.rmtree(self.dir / "gpubench-out")
        first = self.gpubench(*loop)
        self.assertEqual(first.exit, 5, first)
        self.assertIn("no earlier run", first.err)
        second = self.ok(*loop)
        self.assertIn("vs last", second.out)
        heading, heads, row, last = second.out.splitlines()  # one row, and three more lines
        self.assertTrue(heading.startswith("vector/scale"), heading)
        self.assertRegex(heads, r"\+-%.*vs last +\[95%\]")
        self.assertRegex(row, r" plain .* 1\.00\dx +\[.*same")
        self.assertRegex(last, r"^quick +\S+-vector\S*: .*1 same.* The same plugin files\. 1 of 1 verified\.")
        self.assertIn("report", self.ok(*loop, "-v").out)  # -v asks for more
        (self.dir / "fake-3.ini").write_text(script(3, plain=70000))
        third = self.gpubench(*loop)
        self.assertEqual(third.exit, 1, third)
        self.assertIn("slower >2%", third.out)


if __name__ == "__main__":
    main()
