"""Problems that are more than inputs and outputs: a trajectory (molecular dynamics), updates in place that are applied
to their own results (a training step), inputs that the bench fills, outputs that are copied back, work that reports
progress."""

import json

from run import GpubenchTest, main, plugin, read_csv

MD, TRAIN, PROGRESS = plugin("ok_md"), plugin("ok_train"), plugin("ok_progress")
STEPS = "steps after a trajectory's first, which the bench's verify judges"


class State(GpubenchTest):
    def measure(self, out, *args, exit=0):
        result = self.gpubench(*args, "--quick", "--out", out)
        self.assertIn(result.exit, (0, 3) if exit is None else (exit,), result)
        return {row["variant"]: row for row in read_csv(self.dir / out / "results.csv")}

    def statuses(self, rows):
        return {name: row["status"] for name, row in rows.items()}


class Trajectory(State):
    def test_in_all_modes(self):
        for mode in ("cold", "hot", "latency"):
            with self.subTest(mode):
                rows = self.measure(mode, "--plugin", MD, "--mode", mode)
                self.assertEqual(self.statuses(rows), {"all": "ok", "list": "ok"})
                for row in rows.values():
                    self.assertEqual((row["unverified_work"], row["verify_share"]), (STEPS, "1"))
                self.assertEqual(rows["list"]["derived"], "1")

    def test_goes_on_for_as_long_as_is_asked_for(self):
        rows = self.measure("long", "--plugin", MD, "--trajectory", "100")
        self.assertEqual(self.statuses(rows), {"all": "ok", "list": "ok"})
        drifts = [row for row in read_csv(self.dir / "long" / "metrics.csv") if row["metric"] == "energy-drift"]
        self.assertEqual(len(drifts), 2)

    def test_steps_that_are_left_out_are_found(self):
        rows = self.measure("lazy", "--plugin", MD, "--variant", "all,lazy", exit=3)
        self.assertEqual(self.statuses(rows), {"all": "ok", "lazy": "wrong"})

    def test_what_is_kept_is_of_no_use(self):
        """Kept results may be used in the verified calls of a spot check, where they are found, but in no other call."""
        for name in ("replay", "cautious"):
            with self.subTest(name):
                rows = self.measure(name, "--plugin", MD, "--variant", f"all,{name}", exit=None)
                if rows[name]["status"] == "wrong":
                    self.assertIn("run is faster", rows[name]["message"])
                    continue
                (kept,) = [row for row in read_csv(self.dir / name / "metrics.csv") if row["metric"] == "from-memory"]
                self.assertEqual(float(kept["value"]), 0)

    def test_the_mark_is_explained(self):
        self.measure("marked", "--plugin", MD)
        told = self.ok("report", "marked", "--markdown", "report.md")
        self.assertIn("partly unverified", (self.dir / "report.md").read_text(), told)


class Training(State):
    def test_in_place_and_in_batches(self):
        for mode in ("cold", "hot"):
            with self.subTest(mode):
                rows = self.measure(mode, "--plugin", TRAIN, "--mode", mode)
                self.assertEqual(self.statuses(rows), {"eager": "ok"})
                self.assertEqual(rows["eager"]["unverified_work"], "what a batch makes of its own results" if mode == "hot" else "")
                self.assertEqual(rows["eager"]["verify_share"], "1")

    def test_256_tensors(self):
        rows = self.measure("deep", "--plugin", TRAIN, "-a", "layers=84", "--verify-only")
        self.assertEqual(self.statuses(rows), {"eager": "ok"})
        contract = json.loads(self.ok("list", "--plugin", TRAIN, "--contract", "train/step", "--case", "train/step[d=8,batch=16,layers=84]", "--json").out)
        tensors = contract["contracts"][0]["tensors"]
        self.assertEqual(len(tensors), 256)
        weights = next(t for t in tensors if t["name"] == "w/83")
        self.assertEqual((weights["fill"], weights["tolerance_of_its_own"]), ("by the bench", True))

    def test_what_does_not_learn_is_found(self):
        rows = self.measure("frozen", "--plugin", TRAIN, "--variant", "eager,frozen", exit=3)
        self.assertEqual(self.statuses(rows), {"eager": "ok", "frozen": "wrong"})
        self.assertIn("of the bench's own", rows["frozen"]["message"])


class Elsewhere(State):
    def test_outputs_are_brought_home(self):
        rows = self.measure("home", "--plugin", PROGRESS, "--variant", "plain,remote")
        self.assertEqual(self.statuses(rows), {"plain": "ok", "remote": "ok"})
        self.assertEqual((rows["plain"]["unverified_work"], rows["remote"]["unverified_work"]), ("", "work in its untimed after"))

    def test_inputs_are_not_there_meanwhile(self):
        rows = self.measure("late", "--plugin", PROGRESS, "--variant", "plain,late", exit=3)
        self.assertEqual(self.statuses(rows), {"plain": "ok", "late": "wrong"})


class Progress(State):
    def test_who_steps_is_not_hanging(self):
        rows = self.measure("steps", "--plugin", PROGRESS, "--variant", "plain,stepping", "--timeout", "2", "--max-time", "120")
        self.assertEqual(self.statuses(rows), {"plain": "ok", "stepping": "ok"})

    def test_who_repeats_himself_is(self):
        rows = self.measure("stuck", "--plugin", PROGRESS, "--variant", "plain,stuck", "--timeout", "2", exit=3)
        self.assertEqual(rows["stuck"]["status"], "timeout", rows["stuck"])


if __name__ == "__main__":
    main()
