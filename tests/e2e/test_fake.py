"""The scripted device takes its times from a script, so the host's results can be compared with known values."""

import contextlib
import csv
import os
import subprocess
import sys

from run import GpubenchTest, main, plugin
from safety import SANITIZED

SCRIPT = """\
[device]
name = Test device
tick_ns = 32
seed = 3
[plain]
ns = 50000
sample_sd = 0.004
slot_sd = 0.001
[twice]
ns = 100000
sample_sd = 0.004
slot_sd = 0.001
[*]
ns = 50000
sample_sd = 0.004
slot_sd = 0.001
"""
# Columns that differ between two runs of the same script.
OF_THE_RUN = {"run_id", "timestamp_utc", "setup_s", "sampling_s", "verify_s", "prepare_s", "prepare_warm_s"}


@contextlib.contextmanager
def busy_processors():
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(3 * os.cpu_count())]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


class Fake(GpubenchTest):
    def run_it(self, out, script=SCRIPT, *args):
        (self.dir / "script.ini").write_text(script)
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/script.ini", "--out", out,
                "--case-time", "600", *args)
        return self.by_variant(self.dir / out)

    def test_the_same_script_gives_the_same_bytes(self):
        long = ("-a", "n=20000")
        runs = [self.run_it("a", SCRIPT, *long)]
        # The scripted device has its own clock, so load on the machine does not show in its rows.
        with contextlib.nullcontext() if SANITIZED else busy_processors():
            runs.append(self.run_it("b", SCRIPT, *long))
        views = [{v: {k: x for k, x in r.items() if k not in OF_THE_RUN} for v, r in rows.items()} for rows in runs]
        self.assertEqual(views[0], views[1])
        self.assertEqual((self.dir / "a/samples.csv").read_bytes(), (self.dir / "b/samples.csv").read_bytes())

    def test_another_seed_gives_other_noise(self):
        first, second = self.run_it("a"), self.run_it("b", SCRIPT.replace("seed = 3", "seed = 4"))
        self.assertNotEqual(first["plain"]["mean_ns"], second["plain"]["mean_ns"])  # the medians may be the same tick

    def test_the_truth_is_found(self):
        rows = self.run_it("a")
        self.assertEqual(rows["plain"]["device_name"], "Test device")
        self.assertAlmostEqual(self.number(rows["plain"], "median_raw_ns"), 50000, delta=250)
        self.assertAlmostEqual(self.number(rows["twice"], "median_raw_ns"), 100000, delta=500)
        self.assertAlmostEqual(self.number(rows["twice"], "speedup"), 0.5, delta=0.003)
        self.assertEqual((rows["twice"]["verdict"], rows["blocked"]["verdict"]), ("slower", "same"))
        for row in rows.values():
            self.assertEqual(row["stop_reason"], "precision")
            width = (self.number(row, "ci95_hi_ns") - self.number(row, "ci95_lo_ns")) / 2
            self.assertLessEqual(width / self.number(row, "median_raw_ns"), 0.005)

    def test_a_faster_kernel_is_called_faster(self):
        rows = self.run_it("a", SCRIPT.replace("[*]\nns = 50000", "[*]\nns = 48000"))
        self.assertEqual(rows["blocked"]["verdict"], "faster")
        self.assertLessEqual(self.number(rows["blocked"], "speedup_lo"), 50 / 48)
        self.assertGreaterEqual(self.number(rows["blocked"], "speedup_hi"), 50 / 48)

    def test_a_small_difference_takes_three_processes(self):
        script = SCRIPT.replace("[*]\nns = 50000", "[blocked]\nns = 49400\nsample_sd = 0.004\nslot_sd = 0.001\n[*]\nns = 50000")
        rows = self.run_it("a", script)
        self.assertEqual((rows["blocked"]["verdict"], rows["blocked"]["restarts"], rows["blocked"]["fastest"]), ("faster", "3", "1"))
        rows = self.run_it("b", script, "--restarts", "1")
        self.assertEqual((rows["blocked"]["verdict"], rows["blocked"]["restarts"]), ("undecided (one process)", "1"))
        self.assertEqual({row["fastest"] for row in rows.values()}, {"0"})
        self.assertIn("undecided (one process)", self.ok("report", "b").out)
        rows = self.run_it("c", script.replace("49400", "45000"))
        self.assertEqual((rows["blocked"]["verdict"], rows["blocked"]["restarts"], rows["blocked"]["fastest"]), ("faster", "1", "1"))

    def test_who_is_precise_goes_on_only_for_others(self):
        script = SCRIPT.replace("[twice]\nns = 100000\nsample_sd = 0.004\nslot_sd = 0.001", "[twice]\nns = 100000\nslot_sd = 0.01")
        rows = self.run_it("a", script, "--restarts", "1")
        rounds = {variant: int(row["rounds"]) for variant, row in rows.items()}
        self.assertEqual(rounds["plain"], rounds["twice"])  # the baseline is half of the ratio
        self.assertLess(rounds["blocked"], rounds["twice"])
        self.assertEqual({row["stop_reason"] for row in rows.values()}, {"precision"})
        # The time ends before the precision is reached.
        (self.dir / "script.ini").write_text(script.replace("slot_sd = 0.01", "slot_sd = 0.5"))
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/script.ini", "--out", "b",
                "--case-time", "6", "--restarts", "1")
        self.assertEqual({v: row["stop_reason"] for v, row in self.by_variant(self.dir / "b").items()},
                         {"plain": "precision", "twice": "case_time", "blocked": "precision"})

    def test_none_is_precise_enough(self):
        """--precision 0: each case uses all of its time, although intervals are one tick wide long before."""
        (self.dir / "script.ini").write_text(SCRIPT)
        done = self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/script.ini", "--out", "o",
                       "--precision", "0", "--case-time", "0.3", "--restarts", "1")
        self.assertEqual({row["stop_reason"] for row in self.by_variant(self.dir / "o").values()}, {"case_time"})
        self.assertIn("for all of --case-time", done.out)
        self.assertIn("none was asked for a precision", done.out)
        self.assertNotIn("imprecise", done.out)

    def test_among_many_words_a_small_difference_takes_four_processes(self):
        """Six comparisons share an error of 5%, so a small difference needs a fourth process; a number that --restarts
        fixes is kept."""
        script = SCRIPT.replace("[*]\nns = 50000", "[blocked]\nns = 49400\nsample_sd = 0.004\nslot_sd = 0.001\n[*]\nns = 50000")
        (self.dir / "script.ini").write_text(script)
        for out, more, restarts in (("a", (), "4"), ("b", ("--restarts", "3"), "3")):
            done = self.ok("--plugin", plugin("ok_vector"), "-a", "n=512,1024,2048", "-a", "a=0.5", "--device", f"fake:{self.dir}/script.ini",
                           "--case-time", "600", "--out", out, *more)
            with open(self.dir / out / "results.csv", newline="", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["variant"] == "blocked"]
            self.assertEqual([(row["verdict"], row["restarts"]) for row in rows], [("faster", restarts)] * 3)
            self.assertIn("6 comparisons share an error of 5% (Holm's rule): ", done.out)

    def test_reached_is_what_is_as_narrow_as_asked(self):
        rows = self.run_it("a", "[device]\ntick_ns = 32\nseed = 3\n[*]\nns = 1500\nsample_sd = 0.02\nslot_sd = 0.002\n")
        self.assertEqual({(row["stop_reason"], row["precision"]) for row in rows.values()}, {("precision", "0.005")})
        self.assertIn("; 0 of 3 reached 0.5%, 3 stopped at the clock's step", self.ok("report", "a").out)
        self.assertIn("0 of 3 reached 0.5%, 3 stopped at the clock's step", (self.dir / "a/report.html").read_text())
        section = f"plugin = {plugin('ok_vector')}\npreset = "
        (self.dir / "suite.ini").write_text(f"[a]\n{section}small\nprecision = 1%\n[b]\n{section}large\nprecision = 4%\n")
        (self.dir / "script.ini").write_text(SCRIPT)
        done = self.ok("--suite", "suite.ini", "--restarts", "1", "--case-time", "600", "--device", f"fake:{self.dir}/script.ini",
                       "--out", "b")
        self.assertIn("; 6 of 6 reached the requested precision", done.out)
        self.assertEqual({row["precision"] for row in self.rows(self.dir / "b")}, {"0.01", "0.04"})

    def test_few_rounds_get_no_word(self):
        noisy = SCRIPT.replace("_sd = 0.004", "_sd = 0.05").replace("_sd = 0.001", "_sd = 0.05")
        rows = self.run_it("a", noisy, "-a", "n=300000", "--case-time", "0.001")  # the minimum number of rounds
        for row in rows.values():
            self.assertLess(int(row["rounds"]), 6)
        self.assertEqual((rows["twice"]["verdict"], rows["blocked"]["verdict"]), ("too few rounds", "too few rounds"))
        self.assertIn("too few rounds", self.ok("report", "a").out)
        self.assertIn("no clear winner in 1", self.ok("report", "a").out)

    def test_a_device_that_does_not_run_queued_work(self):
        script = SCRIPT.replace("[device]\n", "[device]\nserial = 1\n")
        (self.dir / "script.ini").write_text(script)
        device = ("--device", f"fake:{self.dir}/script.ini")
        done = self.gpubench("--plugin", plugin("ok_vector"), "--out", "lost", *device)
        self.assertEqual(done.exit, 4, done)
        self.assertEqual(done.err.count("gpubench: kernel launches are blocking"), 1, done)
        rows = self.rows(self.dir / "lost")
        self.assertGreater(len({row["case_key"] for row in rows}), 1)
        self.assertEqual({(row["status"], row["median_raw_ns"]) for row in rows}, {("not_run", "")})
        self.ok("--plugin", plugin("ok_vector"), "--verify-only", "--out", "checked", *device)
        self.ok("--plugin", plugin("ok_vector"), "--profile", *device)

    def test_a_broken_script(self):
        (self.dir / "script.ini").write_text("[plain]\nnz = 5\n")
        line = self.one_line_error(2, "--plugin", plugin("ok_vector"), "--device", f"fake:{self.dir}/script.ini")
        self.assertRegex(line, r"script\.ini:2: unknown key 'nz'")


if __name__ == "__main__":
    main()
