"""Modes, launch overhead, restarts, trajectories and ceilings as a user sees them."""

import configparser
import os
import statistics
import time
import unittest

from run import GpubenchTest, plugin, read_csv

CALL = plugin("ok_call")
FAKE = """[device]
launch_overhead_ns = 2000
launch_overhead_unc_ns = 150
tick_ns = 32
sm_clock_mhz = 1980
temperature_c = 41
power_w = 650
[steady]
ns = 10000
sample_sd = 0.002
[leak]
ns = 2500
sample_sd = 0.002
[*]
ns = 100000
sample_sd = 0.002
throttle_from = 5
throttle_factor = 1.25
"""


class Modes(GpubenchTest):
    def rows(self, *args, exit=0, out="run"):
        result = self.gpubench("--plugin", CALL, "--out", out, *args)
        self.assertEqual(result.exit, exit, str(result))
        rows = read_csv(self.dir / out / "results.csv")
        return [row for row in rows if row["bench"] == "call/call"], result

    def fake(self, *args, **more):
        (self.dir / "script.ini").write_text(FAKE)
        return self.rows("--device", f"fake:{self.dir}/script.ini", *args, **more)

    def test_each_mode_has_its_own_rows(self):
        modes = ["cold", "hot", "latency", "wall"]
        rows, result = self.rows("--quick", "--variant", "steady,pool", "--mode", ",".join(modes))
        self.assertEqual([(r["mode"], r["variant"], r["status"]) for r in rows],
                         [(m, v, "ok") for m in modes for v in ("steady", "pool")])
        for row in rows:
            self.assertGreater(float(row["launch_overhead_ns"]), 0)
        samples = read_csv(self.dir / "run/samples.csv")
        self.assertEqual({s["mode"] for s in samples}, set(modes))
        for mode in modes[1:]:
            self.assertIn(mode, result.out)

    def test_a_suite_keeps_the_modes(self):
        self.fake("--quick", "--variant", "steady", "--mode", "hot,wall+sustained", "--case-time", "10ms")
        ini = configparser.ConfigParser(interpolation=None)
        ini.read(self.dir / "run/run.ini")
        self.assertEqual([ini[s]["mode"] for s in ini.sections() if s.startswith("case")], ["hot", "wall+sustained"])
        result = self.gpubench("--suite", self.dir / "run/run.ini", "--dry-run")
        self.assertEqual(result.exit, 0, str(result))

    def test_modes_that_cannot_be(self):
        rows, _ = self.rows("--quick", "--mode", "graph", "--variant", "steady", exit=3)
        self.assertEqual([r["status"] for r in rows], ["skipped"])
        self.assertIn("mode graph: the device has no graphs to capture and replay", rows[0]["message"])
        result = self.gpubench("--plugin", CALL, "--mode", "tepid")
        self.assertEqual(result.exit, 2)
        self.assertIn("--mode 'tepid': there are cold, hot, graph, latency, latency-graph, wall", result.err)

    def test_the_overhead_is_taken_off_where_it_can_be(self):
        rows, _ = self.fake("--variant", "steady,leak,pool")
        steady, leak, pool = rows
        for row in rows:
            self.assertEqual((float(row["launch_overhead_ns"]), float(row["launch_overhead_unc_ns"])), (2000, 150))
        self.assertAlmostEqual(float(steady["median_raw_ns"]), 12000, delta=40)
        self.assertAlmostEqual(float(steady["median_ns"]), 10000, delta=40)
        self.assertEqual(float(steady["median_ns"]), float(steady["median_raw_ns"]) - 2000)
        self.assertAlmostEqual(float(leak["median_ns"]), 2500, delta=40)

    def test_conditions_are_noted_per_slot(self):
        began = time.time()
        rows, _ = self.fake("--variant", "steady,pool")
        for row in rows:  # of the case: if one variant is throttled, the comparison suffers
            self.assertEqual((float(row["temperature_c"]), float(row["power_w"])), (41, 650))
            self.assertGreater(float(row["throttled_share"]), 0.4)
            self.assertRegex(row["conditions"], r"throttled in \d+% of rounds: power cap; clocks differ")
        self.assertEqual([float(row["sm_clock_mhz"]) for row in rows], [1980, 1980 / 1.25])
        slots = read_csv(self.dir / "run/slots.csv")
        throttled = [s for s in slots if s["throttle"] == "power cap"]
        self.assertTrue(throttled and all(s["variant"] == "pool" for s in throttled))
        self.assertEqual({float(s["sm_clock_mhz"]) for s in throttled}, {1980 / 1.25})
        self.assertEqual({s["position"] for s in slots}, {"0", "1"})
        ends = [float(s["unix_s"]) for s in sorted(slots, key=lambda s: (int(s["round"]), int(s["position"])))]
        self.assertEqual(ends, sorted(ends))
        self.assertTrue(began - 0.01 <= ends[0] <= ends[-1] <= time.time(), (began, ends))

    def test_restarts_are_fresh_processes(self):
        rows, _ = self.rows("--quick", "--variant", "steady,pool", "--restarts", "3", "--case-time", "50ms")
        # --quick takes as many processes as --restarts says.
        self.assertEqual([r["restarts"] for r in rows], ["3", "3"])
        rows, _ = self.rows("--variant", "steady,pool", "--restarts", "3", "--case-time", "50ms", "--ceilings", "off", out="three")
        for row in rows:
            self.assertEqual((row["restarts"], row["epochs"]), ("3", "1;2;3"))
        samples = read_csv(self.dir / "three/samples.csv")
        self.assertEqual({s["epoch"] for s in samples}, {"1", "2", "3"})
        ini = configparser.ConfigParser(interpolation=None)
        ini.read(self.dir / "three/run.ini")
        self.assertEqual(ini["case-1"]["restarts"], "3")

    def test_suites_restart_three_times(self):
        (self.dir / "night.ini").write_text(f"[a]\nplugin = {CALL}\nvariant = steady\ncase_time = 20ms\n")
        result = self.gpubench("--suite", "night.ini", "--out", "n", "--ceilings", "off")
        self.assertEqual(result.exit, 0, str(result))
        self.assertEqual([r["restarts"] for r in read_csv(self.dir / "n/results.csv")], ["3"])

    def test_leaks_fail_and_pools_do_not(self):
        rows, _ = self.rows("--quick", "--mode", "latency", "--trajectory", "4000", "--variant", "steady,leak,pool", exit=3)
        steady, leak, pool = rows
        self.assertEqual((steady["status"], pool["status"]), ("ok", "ok"))
        self.assertEqual(leak["status"], "error")
        self.assertRegex(leak["message"], r"run leaks \d+ bytes per call: [\d.]+ MB over \d+ calls, 10 MB allowed")
        most = 1000 if "ASAN_OPTIONS" in os.environ else 100  # the sanitizer keeps freed memory for a while
        self.assertLess(abs(float(steady["leak_bytes_per_call"])), most)
        self.assertGreaterEqual(int(steady["samples"]), 3 * 4000)
        self.assertNotEqual(steady["p999_ns"], "")
        rows, _ = self.rows("--quick", "--mode", "latency", "--trajectory", "4000", "--variant", "leak", "--leak-tolerance", "1GB", out="b")
        self.assertEqual(rows[0]["status"], "ok")
        self.assertAlmostEqual(float(rows[0]["leak_bytes_per_call"]), 4096, delta=1000)

    def test_who_remembers_inputs_is_found(self):
        # On a busy machine there are too few samples to distinguish old inputs from new ones.
        for seconds in (1, 4, 16):
            out = f"run{seconds}"
            result = self.gpubench("--plugin", CALL, "--variant", "steady,memoise", "--case-time", seconds, "--ceilings", "off", "--out", out)
            rows = read_csv(self.dir / out / "results.csv")
            if rows[1]["status"] != "ok":
                break
        self.assertEqual(result.exit, 3, result)
        self.assertEqual([r["status"] for r in rows], ["ok", "wrong"])
        self.assertRegex(rows[1]["message"], r"run is faster (on inputs that it has had: on new ones|in timed slots: on new inputs) it took .* us \(median of \d+\), (on old ones|in slots) ")
        self.assertEqual(rows[1]["speedup"], "")

    def test_ceilings_are_measured_as_such_whatever_is_asked(self):
        self.rows("--variant", "steady", "--trajectory", "60", "--case-time", "20ms")
        rows = [row for row in read_csv(self.dir / "run/results.csv") if row["bench"] != "call/call"]
        self.assertIn("calibrate/copy", {row["bench"] for row in rows})
        # A processor's ceilings are not cached.
        self.assertEqual(list((self.dir / "cache/gpubench").glob("ceilings-*")), [])
        for row in rows:
            self.assertEqual(row["status"], "ok", row)
            self.assertLessEqual(int(row["samples"]), 50 * int(row["rounds"]))  # slots are no trajectories
            # Verified after sampling only: a ceiling gains nothing from cheating.
            self.assertLessEqual(int(row["verified_slots"]), 1)

    def test_ceilings_come_from_another_run_or_not_at_all(self):
        rows, result = self.rows("--variant", "steady", "--ceilings", "off", "--case-time", "50ms", out="off")
        self.assertIn("yardsticks  none: --ceilings off", " ".join(result.out.split()).replace("yardsticks none", "yardsticks  none"))
        result = self.gpubench("--plugin", CALL, "--ceilings", "off", "--out", "other", "--ceilings", self.dir / "off")
        self.assertEqual(result.exit, 2)
        self.assertIn("it holds no measured ceiling", result.err)
        ini = self.dir / "off/run.ini"
        ini.write_text(ini.read_text().replace("[environment]\n", "[environment]\ncopy_ceiling_gb_per_s = 12.5\n"))
        rows, result = self.rows("--variant", "steady", "--ceilings", self.dir / "off", "--case-time", "50ms", out="taken")
        self.assertIn("copy_ceiling_gb_per_s = 12.5", (self.dir / "taken/run.ini").read_text())
        ini.write_text(ini.read_text().replace("device_name = ", "device_name = another "))
        result = self.gpubench("--plugin", CALL, "--out", "refused", "--ceilings", self.dir / "off")
        self.assertEqual(result.exit, 2)
        self.assertIn("measured on 'another ", result.err)


if __name__ == "__main__":
    unittest.main()
