"""Kernels that are wrong, crash or hang cost their own rows, and nothing else."""

import signal
import time

from run import GpubenchTest, main, plugin

CRASHES = {
    "segv": "SIGSEGV",
    "abort": "SIGABRT",
    "fpe": "SIGFPE",
    "overflow": "SIGSEGV",
    "exit": "exit",
    "exit_at_once": "exit",
}


class Faults(GpubenchTest):
    def check_survivors(self, rows, first="good", second="other"):
        self.assertEqual(rows[first]["status"], "ok", rows[first])
        self.assertEqual(rows[second]["status"], "ok", rows[second])
        self.assertNotEqual(rows[second]["speedup"], "", rows[second])
        self.assertGreater(self.number(rows[second], "median_raw_ns"), 0)

    def check_lost(self, row, status):
        self.assertEqual(row["status"], status, row)
        self.assertNotEqual(row["message"], "", row)
        self.assertEqual((row["speedup"], row["speedup_lo"], row["speedup_hi"], row["verdict"]), ("", "", "", ""), row)


class Wrong(Faults):
    def test_wrong_kernels(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--quick")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        expected = {
            "everywhere": r"y", "last": r"4095", "nan": r"77", "partial": r"2048|written", "input": r"x",
            "beyond": r"(?i)beyond|outside|bound|guard|after|end", "before": r"(?i)before|outside|bound|guard",
            "later": r".", "stale": r".",
        }
        for variant, pattern in expected.items():
            with self.subTest(variant):
                self.check_lost(rows[variant], "wrong")
                self.assertRegex(rows[variant]["message"], pattern)
        for variant in ("everywhere", "last"):
            self.assertGreater(self.number(rows[variant], "verify_error"), 0, rows[variant])
        self.assertGreater(self.number(rows["everywhere"], "verify_error"), self.number(rows["everywhere"], "verify_tolerance"))
        self.assertRegex(result.out, r"9 wrong")

    def test_a_callback_that_fails(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--quick", "--variant", "good,other,fails,silent")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        self.check_lost(rows["fails"], "error")
        self.assertIn("the third wheel came off", rows["fails"]["message"])
        self.check_lost(rows["silent"], "error")
        self.assertRegex(rows["silent"]["message"], r"run.*-5|-5.*run")

    def test_wrong_with_verify_only(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--verify-only", "--variant", "good,last")
        self.assertEqual(result.exit, 3, result)
        self.assertEqual(self.by_variant()["last"]["status"], "wrong")

    def test_a_wrong_baseline_is_no_denominator(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--quick", "--variant", "everywhere,good,other",
                               "--baseline", "everywhere")
        self.assertEqual(result.exit, 3, result)
        for row in self.rows():
            self.assertEqual(row["speedup"], "", row)


class Crash(Faults):
    def test_crashes_cost_their_own_rows(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--exclude", "loop,deaf", timeout=300)
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        self.check_survivors(rows, second="noisy")
        for variant, word in CRASHES.items():
            with self.subTest(variant):
                self.check_lost(rows[variant], "crashed")
                self.assertIn(word, rows[variant]["message"])
                self.assertIn("run", rows[variant]["message"])
        self.check_lost(rows["prepare"], "crashed")
        self.assertIn("prepare", rows["prepare"]["message"])
        self.assertRegex(result.out, r"[78] crashed")
        self.assertNotIn("noise on std", result.out)

    def test_each_alone_beside_a_good_one(self):
        for variant in CRASHES:
            with self.subTest(variant):
                result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", f"good,{variant},other",
                                       "--out", variant)
                self.assertEqual(result.exit, 3, result)
                rows = self.by_variant(self.dir / variant)
                self.check_survivors(rows)
                self.check_lost(rows[variant], "crashed")

    def test_a_crash_in_release_is_told(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", "good,release,other")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        self.assertIn("release", rows["release"]["message"])

    def test_only_crashes(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", "segv")
        self.assertEqual(result.exit, 3, result)
        self.check_lost(self.by_variant()["segv"], "crashed")

    def test_hangs_end_at_the_timeout(self):
        for variant in ("loop", "deaf"):
            with self.subTest(variant):
                start = time.monotonic()
                result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--timeout", "2", "--variant",
                                       f"good,{variant},other", "--out", variant, timeout=60)
                self.assertLess(time.monotonic() - start, 30)
                self.assertEqual(result.exit, 3, result)
                rows = self.by_variant(self.dir / variant)
                self.check_survivors(rows)
                self.check_lost(rows[variant], "timeout")
                self.assertRegex(rows[variant]["message"], r"run")
                self.assertRegex(rows[variant]["message"], r"\b2(\.0)? s")


class Interrupt(Faults):
    """SIGINT and SIGTERM: what was measured is kept, the rest is told as not run."""

    def interrupt(self, number, expected):
        process = self.start("--plugin", plugin("ok_vector"), "-a", "n=8,16,32,64,128,256,512,1k", "--precision", "0.01%",
                             "--case-time", "3")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.2)
            if any((d / "results.csv").exists() and len(self.rows(d)) >= 3 for d in self.run_dirs()):
                break
        process.send_signal(number)
        start = time.monotonic()
        result = self.finish(process, timeout=30)
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(result.exit, expected, result)
        rows = self.rows()
        self.assertGreaterEqual(sum(r["status"] == "ok" for r in rows), 3)
        self.assertTrue(any(r["stop_reason"] == "interrupted" or r["status"] == "not_run" for r in rows), rows)
        self.assertTrue((self.run_dir() / "report.html").exists())

    def test_sigint_is_130_and_keeps_the_rows(self):
        self.interrupt(signal.SIGINT, 130)

    def test_sigterm_is_143_and_keeps_the_rows(self):
        self.interrupt(signal.SIGTERM, 143)

    def test_a_second_signal_ends_a_hanging_kernel(self):
        process = self.start("--plugin", plugin("bad_crash"), "--quick", "--variant", "good,deaf")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        result = self.finish(process, timeout=30)
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(result.exit, 130, result)


if __name__ == "__main__":
    main()
