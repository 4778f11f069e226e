"""A backend that the host does not have, asynchronous and without graphs: tests/other. Adding it edits files in device/
and options/ only."""

from pathlib import Path

from run import BIN, GpubenchTest, main, plugin

FOLDER = Path(BIN).parents[1] / "tests/other"
PLUGIN = str(FOLDER / "other_vector.so")


class Other(GpubenchTest):
    binary = str(FOLDER / "bin/gpubench")

    def run_on_it(self, *args, exit=0, out="o"):
        done = self.gpubench("--plugin", PLUGIN, "--device", "other", "--ceilings", "off", "--out", out, *args)
        self.assertEqual(done.exit, exit, done)
        return done

    def test_it_runs_verifies_and_reports(self):
        done = self.run_on_it("--variant", "one,pieces", "--quick")
        rows = self.by_variant(self.dir / "o")
        for row in rows.values():
            self.assertEqual((row["status"], row["backend"], row["devices"], row["device_name"]), ("ok", "other", "other", "Other"), done)
            self.assertGreater(self.number(row, "median_raw_ns"), 0)
            self.assertGreater(int(row["verified_slots"]), 0)
        self.assertTrue((self.dir / "o/report.html").exists())
        self.assertIn("Other, other", done.out)

    def test_modes(self):
        """Timed by its own clock and by the host's; mode graph is refused, because it has no graphs. The device's thread
        sleeps while it has no work, and on a busy machine it wakes late: that makes no honest variant wrong."""
        self.run_on_it("--variant", "one,pieces", "--quick", "--mode", "cold,hot,latency,wall,graph", exit=0)
        rows = self.rows(self.dir / "o")
        self.assertEqual({row["mode"] for row in rows if row["status"] == "ok"}, {"cold", "hot", "latency", "wall"}, rows)
        for row in rows:
            if row["mode"] == "graph":
                self.assertEqual((row["status"], row["message"]), ("skipped", "mode graph: the device has no graphs to capture and replay"))
            else:
                self.assertEqual(row["status"], "ok", row)

    def test_a_variant_that_waits_behind_the_gate(self):
        self.run_on_it("--variant", "one,waits", "--quick", exit=3)
        rows = self.by_variant(self.dir / "o")
        self.assertEqual(rows["one"]["status"], "ok")
        self.assertEqual(rows["waits"]["status"], "error")
        self.assertIn("run waits for work that is held back", rows["waits"]["message"])

    def test_half_the_work_is_wrong(self):
        self.run_on_it("--variant", "one,half", "--quick", exit=3)
        rows = self.by_variant(self.dir / "o")
        self.assertEqual((rows["one"]["status"], rows["half"]["status"]), ("ok", "wrong"))

    def test_it_is_checked(self):
        done = self.gpubench("check", PLUGIN, "--device", "other", "--variant", "one,pieces", "-v")
        self.assertEqual(done.exit, 0, done)
        self.assertRegex(done.out, r"(?m)^passed +async ")
        self.assertRegex(done.out, r"(?m)^not applicable +capture +other/scale/one: the device has no graphs")

    def test_what_is_for_others_does_not_run_there(self):
        done = self.gpubench("--plugin", plugin("ok_vector"), "--device", "other", "--out", "o")
        self.assertEqual(done.exit, 2, done)
        self.assertRegex(done.err, r"nothing to run on 'other': .*cpu")

    def test_stored_rows_are_read_by_every_build(self):
        self.run_on_it("--variant", "one,pieces", "--quick", out="a")
        self.run_on_it("--variant", "one,pieces", "--quick", out="b")
        self.binary = BIN
        self.assertEqual(self.gpubench("compare", "a", "b").exit, 0)
        (self.dir / "a/report.html").unlink()
        self.ok("report", "a")
        self.assertIn("Other", (self.dir / "a/report.html").read_text())


if __name__ == "__main__":
    main()
