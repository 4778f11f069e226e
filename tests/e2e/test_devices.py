"""Several devices in one run. Each script of the scripted device is one, with its own name and UUID."""

import fcntl
import json
import os
import re
import signal
import time
from xml.etree import ElementTree

from run import GpubenchTest, main, plugin, read_csv

CEILINGS = ("--bench", "calibrate/copy", "--bench", "calibrate/read", "--axis", "calibrate/copy.bytes=65536",
            "--axis", "calibrate/read.bytes=65536")
SMALL = ("--axis", "vector/scale.n=64,128")
BOTH = ("--bench", "vector/*", *SMALL, *CEILINGS)


class Devices(GpubenchTest):
    def script(self, name, factor=1.0, device="", model="Test GPU"):
        """Writes the script of a device on which everything takes `factor` times as long. Returns its option."""
        noise = "sample_sd = 0.004\nslot_sd = 0.001\n"
        (self.dir / f"{name}.ini").write_text(
            f"[device]\nname = {model}\nuuid = GPU-{name}\ntick_ns = 32\nseed = {len(name) + 3}\n{device}"
            f"[plain]\nns = {50000 * factor}\n{noise}[*]\nns = {40000 * factor}\n{noise}")
        return f"fake:{name}.ini"

    def three(self, **kwargs):
        return ",".join((self.script("a"), self.script("b", 1.002, **kwargs), self.script("c", 1.087)))

    def vector(self, devices, *args, out="run", run=None, **kwargs):
        args = args if "--bench" in args else (*SMALL, *args)
        return (run or self.ok)("--plugin", plugin("ok_vector"), "--device", devices, "--case-time", "600", "--out", out, *args,
                                **kwargs)

    def environment(self, out="run"):
        text = (self.dir / out / "run.ini").read_text()
        section = text[text.index("[environment]"):text.index("[tags]")]
        return dict(line.split(" = ", 1) for line in section.splitlines() if " = " in line)

    def test_one_run_has_all(self):
        done = self.vector(self.three())
        self.assertIn("3 devices, one after the other", done.out)
        self.assertRegex(done.out, r"plan +2 cases, 3 variants on 3 devices")
        rows = self.rows(self.dir / "run")
        self.assertEqual([row["devices"] for row in rows], ["GPU-a"] * 6 + ["GPU-b"] * 6 + ["GPU-c"] * 6)
        self.assertEqual(len({row["case_key"] for row in rows}), 2)  # case keys do not depend on the device
        for row in rows:
            truth = {"GPU-a": 1, "GPU-b": 1.002, "GPU-c": 1.087}[row["devices"]]
            truth *= 50000 if row["variant"] == "plain" else 40000
            self.assertAlmostEqual(self.number(row, "median_raw_ns"), truth, delta=truth * 0.006)
            if row["variant"] != "plain":  # relative to the baseline on the same device
                self.assertAlmostEqual(self.number(row, "speedup"), 1.25, delta=0.01)
        for name in "abc":
            self.assertIn(f"vector/scale, fake:{name}.ini", done.out)
        environment = self.environment()
        self.assertEqual((environment["devices"], environment["device_name"]), ("3", "Test GPU"))
        self.assertEqual([environment[f"device.{i}.id"] for i in (1, 2, 3)], ["GPU-a", "GPU-b", "GPU-c"])

    def test_samples_are_told_apart_by_the_process(self):
        self.vector(self.three(), "--restarts", "2")
        rows, samples = self.rows(self.dir / "run"), read_csv(self.dir / "run/samples.csv")
        epochs = {}
        for row in rows:
            epochs.setdefault((row["case_key"], row["variant"]), []).append(row["epochs"])
        self.assertEqual({tuple(e) for e in epochs.values()}, {("1;2", "3;4", "5;6")})
        for row in rows:
            own = [float(s["ns"]) for s in samples if s["epoch"] in row["epochs"].split(";") and
                   (s["case_key"], s["variant"]) == (row["case_key"], row["variant"])]
            self.assertEqual(len(own), int(row["samples"]))

    def test_reports_keep_devices_apart(self):
        self.vector(self.three(), "--json", "run.json", "--junit", "run.xml", "--openmetrics", "run.txt")
        page = (self.dir / "run/report.html").read_text()
        self.assertIn("3 devices, one after the other: fake:a.ini (Test GPU, GPU-a)", page)
        counts = sorted(int(n) for n in re.findall(r"median [0-9.]+ us, (\d+) samples", page))
        rows = self.rows(self.dir / "run")
        self.assertTrue(counts)  # each distribution is of one device
        self.assertLessEqual(set(counts), {int(row["samples"]) for row in rows})
        rows = json.loads((self.dir / "run.json").read_text())["rows"]
        self.assertEqual([row["devices"] for row in rows], ["GPU-a"] * 6 + ["GPU-b"] * 6 + ["GPU-c"] * 6)
        suites = [e.get("name") for e in ElementTree.parse(self.dir / "run.xml").iter("testsuite")]
        self.assertEqual(suites, [f"vector/scale, fake:{name}.ini" for name in "abc"])
        metrics = (self.dir / "run.txt").read_text()
        for name in "abc":
            self.assertIn(f'device="Test GPU (GPU-{name})"', metrics)
        again = self.ok("report", "run/report.html", "--markdown", "-")  # from the page alone
        for name in "abc":
            self.assertIn(f"### vector/scale, fake\\:{name}.ini", again.out)

    def test_the_odd_one_out_is_named(self):
        done = self.vector(self.three(), "--plugin", "calibrate", *BOTH)
        self.assertRegex(done.out, r"odd one out fake:c\.ini copies at [0-9.]+ GB/s, [78]\.\d% below the others' median")
        self.assertRegex(done.out, r"odd one out fake:c\.ini reads at ")
        self.assertNotRegex(done.out, r"odd one out fake:[ab]\.ini")
        self.assertRegex((self.dir / "run/report.html").read_text(), r"fake:c\.ini copies at [^<]* below the others")
        self.assertIn("Odd one out: fake\\:c.ini copies", self.ok("report", "run", "--markdown", "-").out)

    def test_two_are_said_to_differ(self):
        two = f"{self.script('a')},{self.script('c', 1.087)}"
        done = self.vector(two, "--plugin", "calibrate", *CEILINGS)
        self.assertRegex(done.out, r"devices +fake:a\.ini and fake:c\.ini differ: copy [0-9.]+ GB/s and [0-9.]+ GB/s, 8% apart")

    def test_devices_that_agree(self):
        alike = ",".join((self.script("a"), self.script("b", 1.002), self.script("c", 1.004)))
        done = self.vector(alike, "--plugin", "calibrate", *CEILINGS)
        self.assertNotIn("odd one out", done.out)
        self.assertRegex(done.out, r"devices +the 3 devices' ceilings are within 0\.\d+% of their median")

    def test_two_models_are_not_held_against_each_other(self):
        mixed = ",".join((self.script("a"), self.script("b"), self.script("c", 2, model="Other GPU")))
        done = self.vector(mixed, "--plugin", "calibrate", *CEILINGS)
        self.assertNotIn("odd one out", done.out)
        self.assertIn("Other GPU", done.out)

    def test_one_cannot_be_opened(self):
        devices = self.three(device="absent = 1\n")
        done = self.vector(devices, run=self.gpubench)
        self.assertEqual(done.exit, 4, done)
        self.assertEqual(done.err.count("gpubench: fake:b.ini cannot be used"), 1, done)
        self.assertEqual({row["devices"] for row in self.rows(self.dir / "run")}, {"GPU-a", "GPU-c"})
        self.assertIn("fake:b.ini was not measured: ", done.out)
        self.assertIn("1 device was not measured.", self.ok("report", "run", "--markdown", "-").out)
        self.assertIn("fake:b.ini was not measured: ", (self.dir / "run/report.html").read_text())
        self.three()  # the device works again: --resume completes the run
        self.ok("--resume", "run")
        rows = self.rows(self.dir / "run")
        self.assertEqual([row["devices"] for row in rows], ["GPU-a"] * 6 + ["GPU-c"] * 6 + ["GPU-b"] * 6)
        self.assertNotIn("device.2.lost", self.environment())

    def test_none_can_be_opened(self):
        devices = ",".join(self.script(name, device="absent = 1\n") for name in "ab")
        done = self.vector(devices, run=self.gpubench)
        self.assertEqual(done.exit, 4, done)
        self.assertIn("none of the 2 devices can be used", done.err)
        self.assertFalse((self.dir / "run").exists())

    def test_one_is_lost_meanwhile(self):
        done = self.vector(self.three(device="serial = 1\n"), run=self.gpubench)
        self.assertEqual(done.exit, 4, done)
        rows = self.rows(self.dir / "run")
        self.assertEqual({(row["devices"], row["status"]) for row in rows},
                         {("GPU-a", "ok"), ("GPU-b", "not_run"), ("GPU-c", "ok")})

    def test_slips(self):
        self.script("a")
        for devices, text in (("fake:a.ini,fake:a.ini", "is listed twice"), ("fake:a.ini,", "device 2 of the list has no name"),
                              ("cpu,cuda:0", "run different variants")):
            self.assertIn(text, self.vector(devices, run=lambda *a: self.gpubench(*a)).err)
            self.assertFalse((self.dir / "run").exists())
        (self.dir / "twin.ini").write_text((self.dir / "a.ini").read_text())
        self.assertIn("fake:a.ini and fake:twin.ini are the same device",
                      self.one_line_error(2, "--plugin", plugin("ok_vector"), "--device", "fake:a.ini,fake:twin.ini"))

    def test_a_dry_run_counts_them(self):
        done = self.ok("--plugin", plugin("ok_vector"), "--device", self.three(), "--dry-run")
        self.assertRegex(done.out, r"plan +2 cases, 3 variants on 3 devices")

    def test_the_second_one_is_locked(self):
        devices = self.three()
        with open(self.locks / "gpubench-GPU-b.lock", "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            done = self.vector(devices, "--lock", "refuse", run=self.gpubench)
        self.assertEqual(done.exit, 4, done)
        self.assertEqual({row["devices"] for row in self.rows(self.dir / "run")}, {"GPU-a", "GPU-c"})
        self.ok("--resume", "run")
        self.assertEqual({row["devices"] for row in self.rows(self.dir / "run")}, {"GPU-a", "GPU-b", "GPU-c"})

    def test_a_resumed_run_goes_on_in_the_second_device(self):
        process = self.start("--plugin", plugin("ok_vector"), *SMALL, "--device", self.three(), "--out", "run", "--restarts", "2",
                             "--precision", "0.0001", "--case-time", "0.3s")
        for _ in range(600):
            time.sleep(0.05)
            path = self.dir / "run/results.csv"
            if path.exists() and len(read_csv(path)) >= 9:  # one case of the second device
                break
        os.kill(process.pid, signal.SIGKILL)
        self.finish(process)
        before = [row for row in self.rows(self.dir / "run") if row["devices"] == "GPU-a"]
        self.assertEqual(len(before), 6)
        there = len(self.rows(self.dir / "run")) // 3
        done = self.ok("--resume", "run")
        self.assertRegex(done.out, rf"resumed +{there} of 6 cases are there already")
        rows = self.rows(self.dir / "run")
        self.assertEqual(rows[:6], before)
        self.assertEqual([row["devices"] for row in rows], ["GPU-a"] * 6 + ["GPU-b"] * 6 + ["GPU-c"] * 6)
        taken = [(row["case_key"], row["variant"], e) for row in rows for e in row["epochs"].split(";")]
        self.assertEqual(len(set(taken)), len(taken))  # no process belongs to two rows

    def test_an_interruption_ends_all(self):
        process = self.start("--plugin", plugin("ok_vector"), "--device", self.three(), "--out", "run", "--precision", "0.0001",
                             "--case-time", "3s", "--restarts", "2")
        for _ in range(200):
            time.sleep(0.05)
            path = self.dir / "run/samples.csv"
            if path.exists() and path.stat().st_size > 2000:
                break
        os.kill(process.pid, signal.SIGINT)
        done = self.finish(process)
        self.assertEqual(done.exit, 130, done)
        self.assertEqual({row["devices"] for row in self.rows(self.dir / "run")}, {"GPU-a"})
        self.assertIn("fake:c.ini was not measured: the run ended before its turn", done.out)

    def test_ceilings_of_the_very_device(self):
        devices = self.three()
        self.vector(devices)
        ini = self.dir / "run/run.ini"
        ini.write_text(ini.read_text().replace("device.2.id = GPU-b", "device.2.id = GPU-b\ndevice.2.copy_ceiling_gb_per_s = 100")
                       .replace("device.1.id = GPU-a", "device.1.id = GPU-a\ndevice.1.copy_ceiling_gb_per_s = 50"))
        self.vector("fake:b.ini", "--ceilings", "run", out="one")
        self.assertIn("copy_ceiling_gb_per_s = 100", (self.dir / "one/run.ini").read_text())
        self.vector("fake:a.ini,fake:b.ini", "--ceilings", "run", out="two")
        environment = self.environment("two")
        self.assertEqual([environment[f"device.{i}.copy_ceiling_gb_per_s"] for i in (1, 2)], ["50", "100"])

    def test_a_list_shows_them(self):
        done = self.ok("list", plugin("ok_vector"), "--device", self.three())
        for name in "abc":
            self.assertIn(f"fake:{name}.ini", done.out)
        for devices in (self.three(), f"{self.three()},cpu", f"cpu,{self.three()}"):
            self.assertEqual(self.ok("list", plugin("ok_vector"), "--device", devices).out.count("\ndevice cpu "), 1, devices)

    def test_within_the_parent(self):
        self.vector(self.three(), "--in-process")
        self.assertEqual(len(self.rows(self.dir / "run")), 18)

    def test_against_and_compare_join_on_the_device(self):
        self.vector(self.three(), out="old")
        done = self.vector(self.three(), "--against", "old", out="new")
        self.assertEqual(self.ok("compare", "old", "new").out.count("GPU-c") > 0, True)
        rows = read_csv(self.dir / "new/against.csv")
        joined = [row for row in rows if row["part"] == "row"]
        self.assertEqual(sorted({row["devices"] for row in joined}), ["GPU-a", "GPU-b", "GPU-c"])
        for row in joined:
            # Rows are compared with the same device, which has the same script.
            self.assertAlmostEqual(float(row["speedup"]), 1, delta=0.02)
        self.assertIn("new/report.html", done.out)

    def test_the_limit_spans_all(self):
        for seconds in (1.5, 6, 24, 96, 300):  # a slow machine needs the longer ones to measure anything
            done = self.vector(self.three(), "--max-time", seconds, "--precision", "0.00001", out=f"run{seconds}", run=self.gpubench)
            self.assertIn(done.exit, (0, 3), done)  # 3: no row of some device was measured in that time
            measured = {row["devices"] for row in self.rows(self.dir / f"run{seconds}") if row["status"] == "ok"}
            if len(measured) == 3:
                break
        self.assertEqual(done.exit, 0, done)
        self.assertEqual(measured, {"GPU-a", "GPU-b", "GPU-c"}, done)  # each had its share


if __name__ == "__main__":
    main()
