"""Cases on several devices, with a sum over them: on the cpu, which is one device, and on a scripted device that has
three."""

import fcntl
import json

from run import GpubenchTest, main, plugin

COLLECTIVE = plugin("ok_allreduce")


class Collective(GpubenchTest):
    def setUp(self):
        super().setUp()
        (self.dir / "three.ini").write_text("[device]\nname = Test GPU\nuuid = GPU-b\nothers = 2\nseed = 3\n[*]\nns = 40000\n"
                                            "sample_sd = 0.004\nslot_sd = 0.001\n")

    def measure(self, *args, run=None, out="run", device="fake:three.ini"):
        result = (run or self.ok)("--plugin", COLLECTIVE, "--device", device, "--quick", "--ceilings", "off", "--out", out, *args)
        return result, self.rows(self.dir / out) if (self.dir / out / "results.csv").exists() else []

    def environment(self):
        return dict(line.split(" = ", 1) for line in (self.dir / "run/run.ini").read_text().splitlines() if " = " in line)

    def statuses(self, rows):
        return {(row["axes"].split(";")[0], row["variant"]): row["status"] for row in rows}

    def test_a_processor_is_one(self):
        result, rows = self.measure(device="cpu")
        self.assertEqual(self.statuses(rows), {("devices=1", "plain"): "ok", ("devices=2", "plain"): "skipped"})
        self.assertIn("devices=2: here is 1 such device", [row["message"] for row in rows])
        self.assertNotIn("others", self.environment())

    def test_several(self):
        result, rows = self.measure("--axis", "devices=1,2,3,4,0")
        self.assertEqual(self.statuses(rows), {("devices=1", "plain"): "ok", ("devices=2", "plain"): "ok", ("devices=3", "plain"): "ok",
                                               ("devices=4", "plain"): "skipped", ("devices=0", "plain"): "skipped"})
        messages = {row["axes"].split(";")[0]: row["message"] for row in rows}
        self.assertEqual((messages["devices=4"], messages["devices=0"]),
                         ("devices=4: here are 3 such devices", "devices=0: a case works on 1 device or more"))
        for row in rows:
            if row["status"] == "ok":  # two buffers of 64k floats on each further device
                count = int(row["axes"].split(";")[0].partition("=")[2])
                self.assertEqual(int(row["extra_mem_bytes"]), (count - 1) * 2 * 65536 * 4)
                self.assertEqual((row["verify_share"], row["derived"], row["untimed_ns"], row["unverified_work"], row["unproven"]), ("1", "1", "0", "", ""))
        # Callbacks of the scripted device take no time, so there is no untimed work.
        for words in ("prepared from inputs", "partly unverified", "unproven"):
            self.assertNotIn(words, result.out)
        self.assertEqual(self.environment()["others"], "fake:three.ini+1 GPU-b+1, fake:three.ini+2 GPU-b+2")

    def test_slips_are_caught(self):
        """A variant that leaves out one device's share, and two that call the service wrongly: for a device that the
        case does not have, and in `run`."""
        result, rows = self.measure("--axis", "devices=1,3", "--variant", "*", run=self.gpubench)
        self.assertEqual(result.exit, 3, result)
        found = self.statuses(rows)
        for count in ("devices=1", "devices=3"):
            self.assertEqual([found[count, v] for v in ("plain", "asks-beyond", "asks-late")], ["ok", "error", "error"])
        self.assertEqual([found[count, "forgets-the-last"] for count in ("devices=1", "devices=3")], ["skipped", "wrong"])
        messages = {row["message"] for row in rows}
        self.assertIn("prepare: gb.devices/1 alloc: device 3, of 3 that the case has", messages)
        self.assertIn("run: gb.devices/1 alloc is for setup and prepare, not run", messages)

    def test_joules_of_one_of_several_are_none(self):
        (self.dir / "three.ini").write_text((self.dir / "three.ini").read_text().replace(
            "[*]\n", "energy_step_ms = 1\nidle_w = 20\npower_w = 200\n[*]\nbusy_w = 200\n"))
        result, rows = self.measure("--axis", "devices=1,2", "--energy", "--energy-time", "0.2s")
        by_count = {row["axes"].split(";")[0]: row for row in rows}
        self.assertNotEqual(by_count["devices=1"]["energy_j"], "")
        self.assertEqual(by_count["devices=2"]["energy_j"], "")
        self.assertEqual(by_count["devices=2"]["energy_method"],
                         "unavailable: it works on several devices, and one alone would be counted")

    def test_memory_limit(self):
        result, rows = self.measure("--axis", "devices=3", "--axis", "n=16M", "--memory-limit", "300M", run=self.gpubench)
        self.assertEqual({row["status"] for row in rows}, {"skipped"}, result)
        self.assertIn("--memory-limit allows", rows[0]["message"])

    def held(self, name):
        file = open(self.locks / f"gpubench-{name}.lock", "w")
        self.addCleanup(file.close)
        fcntl.flock(file, fcntl.LOCK_EX)
        return file

    def test_each_is_locked(self):
        self.held("GPU-b_1")
        result, rows = self.measure("--axis", "devices=1", "--lock", "refuse")
        self.assertEqual({row["status"] for row in rows}, {"ok"}, result)  # the other devices are not needed
        result, rows = self.measure("--axis", "devices=2", "--lock", "refuse", run=self.gpubench, out="refused")
        self.assertEqual((result.exit, rows), (4, []), result)
        self.assertRegex(result.err, r"GPU-b\+1 is in use by process \d+")

    def test_two_runs_do_not_wait_for_each_other(self):
        """Each run begins with another of the two devices, and needs both."""
        (self.dir / "one.ini").write_text("[device]\nuuid = GPU-b\nothers = 1\n[*]\nns = 40000\nslot_sd = 0.001\n")
        (self.dir / "other.ini").write_text("[device]\nuuid = GPU-b+1\nothers = 1\n[*]\nns = 40000\nslot_sd = 0.001\n")
        runs = []
        for script in ("one", "other"):
            for turn in range(3):
                runs.append(self.start("--plugin", COLLECTIVE, "--quick", "--ceilings", "off", "--axis", "devices=2", "--device",
                                       f"fake:{script}.ini", "--out", f"{script}{turn}"))
        for process in runs:
            _, err = process.communicate(timeout=300)
            self.assertEqual(process.returncode, 0, err)

    def test_it_is_listed(self):
        listed = self.ok("list", "--plugin", COLLECTIVE).out
        self.assertRegex(listed, r"devices  as many as devices says")
        listing = json.loads(self.ok("list", "--plugin", COLLECTIVE, "--json").out)
        self.assertIn('"devices_axis": "devices"', json.dumps(listing))
        shown = self.ok("list", "--plugin", COLLECTIVE, "--contract", "example.org/collective/allreduce/1", "--markdown").out
        self.assertIn("A case works on as many devices as `devices` says.", shown)


if __name__ == "__main__":
    main()
