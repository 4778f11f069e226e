"""Energy: from a scripted counter with known values, and reported as unavailable if there is no counter."""

import json
import os
import unittest

from run import GpubenchTest, check_schema, main, plugin, read_csv

DEVICE = """\
[device]
tick_ns = 32
seed = 3
energy_step_ms = 100
idle_w = 80
power_w = 600
"""
VARIANTS = """\
[plain]
ns = 2000000
sample_sd = 0.004
busy_w = 650
[*]
ns = 4000000
sample_sd = 0.004
busy_w = 300
"""


class Energy(GpubenchTest):
    def measured(self, out, script, *args):
        (self.dir / "script.ini").write_text(script)
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/script.ini",
                "--ceilings", "off", "--out", out, *args)
        return self.by_variant(self.dir / out)

    def test_joules_are_power_times_time(self):
        rows = self.measured("a", DEVICE + VARIANTS, "--energy")
        for name, watts, ms in (("plain", 650, 2), ("twice", 300, 4)):
            row = rows[name]
            self.assertAlmostEqual(self.number(row, "energy_power_w"), watts, delta=0.01 * watts)
            self.assertAlmostEqual(self.number(row, "energy_j"), watts * ms * 1e-3, delta=0.01 * watts * ms * 1e-3)
            net = (watts - 80) * ms * 1e-3
            self.assertAlmostEqual(self.number(row, "energy_net_j"), net, delta=0.015 * net)
            self.assertAlmostEqual(self.number(row, "idle_w"), 80, delta=1)
            self.assertLess(self.number(row, "energy_unc"), 0.02)
            self.assertLess(abs(self.number(row, "energy_disagreement")), 0.03)
            self.assertRegex(row["energy_method"], r"^scripted counter, [34]\.\d\d s, back to back$")
            self.assertEqual(row["energy_fault"], "")
            bytes_ = self.number(row, "bytes")
            self.assertAlmostEqual(self.number(row, "gb_per_j"), bytes_ * 1e-9 / self.number(row, "energy_j"), delta=1e-9)
        # The slower variant uses less energy.
        self.assertLess(self.number(rows["twice"], "energy_j"), self.number(rows["plain"], "energy_j"))

    def test_times_are_the_same_without(self):
        with_, without = self.measured("a", DEVICE + VARIANTS, "--energy"), self.measured("b", DEVICE + VARIANTS)
        for name, row in without.items():
            self.assertEqual(row["median_raw_ns"], with_[name]["median_raw_ns"])
            self.assertEqual((row["energy_j"], row["energy_method"], row["energy_fault"]), ("", "", ""))

    def test_precision_is_paid_for(self):
        """A window is as long as the precision needs, and at most as long as asked for."""
        coarse, fine = (self.measured(out, DEVICE + VARIANTS, "--energy", "--variant", "plain", "--precision", precision)["plain"]
                        for out, precision in (("coarse", "5%"), ("fine", "0.2%")))
        seconds = [float(row["energy_method"].split(", ")[1].split()[0]) for row in (coarse, fine)]
        self.assertLess(seconds[0], 1.2)
        self.assertGreaterEqual(seconds[1], 5)
        self.assertLessEqual(self.number(coarse, "energy_unc"), 0.1)

    def test_a_counter_that_begins_anew(self):
        rows = self.measured("a", DEVICE + "energy_range_j = 3000\n" + VARIANTS, "--energy")
        self.assertAlmostEqual(self.number(rows["plain"], "energy_power_w"), 650, delta=6.5)

    def test_a_counter_that_does_not_move(self):
        rows = self.measured("a", DEVICE.replace("= 100\n", "= 1e6\n") + VARIANTS, "--energy")
        for row in rows.values():
            self.assertEqual((row["status"], row["energy_j"]), ("ok", ""))
            self.assertIn("did not move", row["energy_fault"])

    def test_no_counter(self):
        rows = self.measured("a", DEVICE.replace("energy_step_ms = 100\n", "") + VARIANTS, "--energy")
        for row in rows.values():
            self.assertEqual((row["status"], row["energy_j"], row["energy_net_j"], row["idle_w"]), ("ok", "", "", ""))
            self.assertEqual(row["energy_method"], "unavailable: the script has no energy_step_ms")

    @unittest.skipIf(os.path.exists("/sys/class/powercap/intel-rapl:0") or
                     os.path.exists("/sys/bus/event_source/devices/power"), "this machine has RAPL")
    def test_no_rapl(self):
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--quick", "--energy", "--out", "o")
        for row in self.by_variant(self.dir / "o").values():
            self.assertEqual((row["status"], row["energy_j"]), ("ok", ""))
            self.assertEqual(row["energy_method"], "unavailable: RAPL: no package in /sys/class/powercap")

    def test_a_bad_time(self):
        self.one_line_error(2, "--plugin", plugin("ok_vector"), "--energy", "--energy-time", "soon")


# The energy plugin on a scripted device: its variants compute correctly; their times and power come from the script.
JOB = """\
[threads-all]
ns = 600000
busy_w = 520
[one-thread]
ns = 720000
busy_w = 390
[*]
ns = 1000000
busy_w = 130
"""
PHASES = "".join(f"[phase-{i}]\nns = 2000000\nbusy_w = 600\npulse_ms = 100\npulse_duty = 0.25\npulse_phase = 0.{i}\n"
                 for i in range(10))


class Plugin(GpubenchTest):
    def on_fake(self, device, *args, variants=JOB):
        (self.dir / "script.ini").write_text(device + variants)
        result = self.ok("--plugin", "energy", "--device", f"fake:{self.dir}/script.ini", "--ceilings", "off",
                         "--case-time", "60", "--energy-time", "2", "--out", "o", *args)
        return result, self.rows(self.dir / "o")

    def test_the_fastest_is_not_the_cheapest(self):
        result, rows = self.on_fake(DEVICE, "--bench", "job", "-a", "bytes=1M")
        rows = {row["variant"]: row for row in rows if row["status"] == "ok"}
        fast, cheap = rows["threads-all"], rows["one-thread"]
        self.assertEqual(cheap["verdict"], "slower")
        self.assertAlmostEqual(self.number(fast, "energy_j"), 520 * 0.6e-3, delta=0.02 * 0.312)
        self.assertAlmostEqual(self.number(cheap, "energy_j"), 390 * 0.72e-3, delta=0.02 * 0.281)
        self.assertRegex(result.out, r"(?m)^energy\n  threads-all: 0\.31\d+ J \+-[\d.]+%, .* W, ")
        self.assertIn("whether the counter aliases was not tested", result.out)
        page = (self.dir / "o/report.html").read_text()
        chart = page[page.index("<figcaption>Energy against time"):].split("</figure>")[0]
        self.assertEqual(chart.count("<circle"), 2)  # both are on the Pareto front
        spans = read_csv(self.dir / "o/spans.csv")  # the power within the windows, which is not a timeline of a call
        self.assertEqual({(s["variant"], s["lane"], s["label"]) for s in spans},
                         {("threads-all", "gpubench/power", "520.0 W"), ("one-thread", "gpubench/power", "390.0 W")})
        self.assertGreater(max(int(s["end_ns"]) for s in spans), 1.8e9)
        self.assertIn("Power in the energy windows", page)
        self.assertNotIn('id="timelines"', page)

    def test_joules_without_being_asked(self):
        rows = self.on_fake(DEVICE, "--bench", "idle", "-a", "ms=1")[1]
        self.assertEqual([row["status"] for row in rows], ["ok"])
        self.assertAlmostEqual(self.number(rows[0], "energy_power_w"), 130, delta=3)
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", f"fake:{self.dir}/script.ini", "--ceilings",
                "off", "--out", "p")  # other plugins measure no energy
        for row in self.by_variant(self.dir / "p").values():
            self.assertEqual((row["energy_j"], row["energy_method"]), ("", ""))

    def selftest(self, seen):
        return self.on_fake(DEVICE + f"energy_seen = {seen}\n", "--bench", "selftest", "-a", "period_ms=1",
                            variants=PHASES + JOB)

    def test_a_counter_that_sees_all(self):
        result, rows = self.selftest(1)
        joules = [self.number(row, "energy_j") for row in rows]
        self.assertEqual(len(joules), 10)
        self.assertLess((max(joules) - min(joules)) / min(joules), 0.03)
        self.assertAlmostEqual(sum(joules) / 10, (0.25 * 600 + 0.75 * 80) * 2e-3, delta=0.03 * 0.42)
        self.assertRegex(result.out, r"the counter does not alias: 10 phases agree within [\d.]+%")
        self.assertIn("the counter does not alias", (self.dir / "o/report.html").read_text())
        self.ok("report", "o", "--json", "r.json", "-q")
        check_schema(self.dir / "r.json", "report.schema.json")
        verdicts = json.loads((self.dir / "r.json").read_text())["energy_verdicts"]
        self.assertEqual([(v["verdict"], v["phases"]) for v in verdicts], [("does_not_alias", 10)])

    def test_a_counter_that_looks_away(self):
        result, rows = self.selftest(0.25)
        joules = [self.number(row, "energy_j") for row in rows]
        self.assertGreater(max(joules) / min(joules), 4)
        self.assertRegex(result.out, r"the counter aliases: phases differ by \d{3}%, do not trust loads that pulse near")

    def test_the_selftest_is_asked_for(self):
        rows = self.on_fake(DEVICE, "--bench", "selftest,idle", "-a", "ms=1")[1]
        left_out = [row for row in rows if row["bench"] == "energy/selftest"]
        self.assertEqual({row["status"] for row in left_out}, {"skipped"})
        self.assertIn("--preset pulse-100ms", left_out[0]["message"])

    def test_every_variant_is_right(self):
        self.ok("--plugin", "energy", "--verify-only", "-a", "gemm.n=16,48,512,592", "-a", "data.n=64", "-a",
                "data=random,zeros", "-a", "steps=1,2,65",
                "-a", "copy.bytes=64k,1M,5M", "-a", "job.bytes=64k,128k,5M", "-a", "period_ms=10", "--out", "v")
        rows = self.rows(self.dir / "v")
        few = [row for row in rows if row["status"] == "skipped"]
        self.assertEqual({row["variant"] for row in few} - {"threads-half"}, set(), few)
        self.assertEqual({row["status"] for row in rows} - {"skipped"}, {"ok"}, rows)
        self.assertEqual(len({row["case_key"] for row in rows}), 1 + 3 + 4 + 2 + 3 + 3 + 1)

    @unittest.skipIf(os.path.exists("/sys/class/powercap/intel-rapl:0") or
                     os.path.exists("/sys/bus/event_source/devices/power"), "this machine has RAPL")
    def test_without_a_counter(self):
        result = self.ok("--plugin", "energy", "--bench", "idle,small,data", "-a", "data.n=64", "--quick", "--out", "n")
        for row in self.rows(self.dir / "n"):
            if row["yardstick"] == "1" or row["plugin"] != "energy":
                continue
            self.assertEqual((row["status"], row["energy_j"]), ("ok", ""))
            self.assertRegex(row["energy_method"], "^unavailable: RAPL")
        self.assertIn("energy unavailable: RAPL", result.out)


if __name__ == "__main__":
    main()
