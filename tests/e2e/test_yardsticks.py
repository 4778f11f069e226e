"""Ceilings that a run takes from an earlier one: checked by a copy, reported, and never used with --ceilings measure. On a
scripted device, so that the time of a copy is known."""

import re

from run import GpubenchTest, main, plugin

SCRIPT = """\
[device]
name = Test device
uuid = GPU-test
driver = {driver}
ceilings = 1
tick_ns = 32
seed = 3
[calibrate/copy* stream]
ns = {copy}
sample_sd = 0.001
[calibrate/* *]
ns = 6000000
sample_sd = 0.001
[*]
ns = 50000
sample_sd = 0.004
"""
VECTOR = ("--plugin", plugin("ok_vector"), "--preset", "small")


class Yardsticks(GpubenchTest):
    def measure(self, out, *args, copy=5000000, driver="1.0", what=VECTOR, exits=(0,), **kwargs):
        """Returns the result, and the rows of yardsticks."""
        (self.dir / "fake.ini").write_text(SCRIPT.format(copy=copy, driver=driver))
        result = self.gpubench(*what, "--device", f"fake:{self.dir}/fake.ini", "--case-time", "600", "--out", out, *args, **kwargs)
        self.assertIn(result.exit, exits, result)
        return result, [(row["bench"], row["variant"]) for row in self.rows(self.dir / out) if row["plugin"] == "calibrate"]

    def ini(self, out, name):
        found = re.search(rf"(?m)^{name} = (.*)$", (self.dir / out / "run.ini").read_text())
        return found and found[1]

    def remembered(self):
        files = list((self.dir / "cache/gpubench").glob("ceilings-*"))
        self.assertEqual([file.name for file in files], ["ceilings-GPU-test.ini"])
        return files[0].read_text()

    def test_why_there_are_none(self):
        for out, args, why in (("quick", ("--quick",), "--quick measures no ceilings"), ("off", ("--ceilings", "off"), "--ceilings off")):
            with self.subTest(out):
                result, _ = self.measure(out, *args)
                self.assertIn(f"\nyardsticks  none: {why}, so rows have no ceil%\n", result.out)
                self.assertEqual(self.ini(out, "yardsticks"), f"none: {why}")
        result, rows = self.measure("late", "--max-time", "1", exits=(0, 3))  # 3: nor is there time for a row
        self.assertTrue(rows)
        self.assertIn("\nyardsticks  none: the rows of calibrate say why, so rows have no ceil%\n", result.out)
        self.assertEqual(self.ini("late", "yardsticks"), "none: the rows of calibrate say why")
        self.assertIn("<p>Ceilings: none: the rows of calibrate say why.</p>", (self.dir / "late/report.html").read_text())
        result, _ = self.measure("verified", "--verify-only")
        self.assertNotIn("ceil%", result.out)

    def test_why_nothing_is_compared(self):
        result, _ = self.measure("no", "--quick", "--exclude", "plain")
        self.assertIn("\nspeedup     none: no variant that is right here is a baseline; --baseline NAME makes one\n", result.out)
        self.assertRegex(result.out, r"(?m)^twice       no interval: .*x blocked \(1 case")
        result, _ = self.measure("yes", "--quick", "--exclude", "plain", "--baseline", "twice")
        self.assertNotIn("speedup     none", result.out)
        result, _ = self.measure("one", "--quick", "--variant", "twice")
        self.assertNotIn("speedup     none", result.out)

    def test_ceilings_from_run_to_run(self):
        first, measured = self.measure("first")
        self.assertIn(", measured now\n", first.out)
        self.assertEqual(len({bench for bench, _ in measured}), 4, measured)
        self.assertIsNone(self.ini("first", "yardsticks"))
        kept = self.remembered()

        second, checked = self.measure("second")
        self.assertEqual(checked, [("calibrate/copy", "stream")], second)
        words = r"remembered: measured \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ by run first, copy now (0\.99\d|1\.00\d) of it"
        self.assertRegex(second.out, rf"(?m)^yardsticks  copy .*, {words}$")
        self.assertNotIn("no ceil%", second.out)
        self.assertRegex(self.ini("second", "yardsticks"), words)
        self.assertRegex((self.dir / "second/report.html").read_text(), rf"The ceilings are {words}\.")
        for name in ("read_ceiling_gb_per_s", "write_ceiling_gb_per_s", "copy_ceiling_gb_per_s", "flop_ceiling_fp32_tflops"):
            self.assertEqual(self.ini("second", name), self.ini("first", name), name)
        self.assertEqual(self.remembered(), kept)  # it keeps the date of the first
        # The announced time includes the check of cached ceilings, not their measurement.
        for file in (self.dir / "cache/gpubench").glob("times-*"):
            file.unlink()
        # More than the minimum of a run.
        case = (*VECTOR, "--axis", "n=1k,2k,4k,8k", "--device", f"fake:{self.dir}/fake.ini", "--dry-run")
        anew, taken = [int(re.search(r"; at most (\d+) s$", self.ok(*case, "--ceilings", what, limited=False).out if what else
                                     self.ok(*case, limited=False).out, re.M)[1]) for what in ("measure", None)]
        self.assertLess(taken, anew)

        slower, again = self.measure("slower", copy=5200000)
        self.assertEqual(sorted(again), sorted(measured))  # the check adds no row
        self.assertRegex(slower.out, r"(?m)^yardsticks  .*, measured now: copy is 0\.96\d of what was remembered from 20")
        self.assertLess(float(self.ini("slower", "copy_ceiling_gb_per_s")), 0.98 * float(self.ini("first", "copy_ceiling_gb_per_s")))
        near, checked = self.measure("near", copy=5250000)
        self.assertEqual(checked, [("calibrate/copy", "stream")])
        self.assertRegex(near.out, r"by run slower, copy now 0\.9[89]\d of it")
        self.assertEqual(self.ini("near", "copy_ceiling_gb_per_s"), self.ini("slower", "copy_ceiling_gb_per_s"))

        # A resumed run measures its own ceilings. That there is no place to cache them is no error.
        resumed = self.ok("--resume", "near", "--device", f"fake:{self.dir}/fake.ini", env={"XDG_CACHE_HOME": "cache", "HOME": ""})
        self.assertIn(", measured now\n", resumed.out)
        self.assertNotIn("gpubench: ", resumed.err)
        rows = [(row["bench"], row["variant"]) for row in self.rows(self.dir / "near") if row["plugin"] == "calibrate"]
        self.assertEqual(sorted(rows), sorted(measured))

        kept = self.remembered()
        asked, again = self.measure("asked", "--ceilings", "measure", copy=5250000)
        self.assertIn(", measured now\n", asked.out)
        self.assertEqual(again, measured)
        self.assertNotEqual(self.remembered(), kept)  # for later runs


if __name__ == "__main__":
    main()
