"""A data pipeline on the services of the ABI: samples of different sizes that the bench fills, host tensors, copies
compared bit for bit, a queue that lives from prepare to release, a file; and variants that leave out a sample or return
another batch."""

import json

from run import GpubenchTest, main, plugin, read_csv

PIPELINE = plugin("ok_pipeline")
SAMPLES, MEAN, DEPTH = 64, 32, 8


class Pipeline(GpubenchTest):
    def timed(self, out, *args, **kwargs):
        """Measures on a scripted device, so that threads which a busy machine wakes late do not matter."""
        return self.measure(out, "--quick", *self.fake(), *args, **kwargs)

    def measure(self, out, *args, exit=0):
        result = self.gpubench("--plugin", PIPELINE, "--ceilings", "off", "--scratch", self.dir, "--out", out, *args)
        self.assertEqual(result.exit, exit, result)
        return read_csv(self.dir / out / "results.csv")

    def statuses(self, rows):
        return {row["variant"]: row["status"] for row in rows}

    def metrics(self, out):
        return {(row["variant"], row["metric"]): row for row in read_csv(self.dir / out / "metrics.csv")}

    def left(self):
        return [str(path) for path in self.dir.rglob("samples")]

    # ---- Correct variants ----

    def test_cold(self):
        rows = self.timed("cold")
        self.assertEqual(self.statuses(rows), {"one": "ok", "queue": "ok", "file": "ok"})
        for row in rows:
            self.assertEqual((row["items"], row["verify_share"], row["unverified_work"]), (str(SAMPLES), "1", ""), row)
        self.assertEqual({row["variant"]: row["derived"] for row in rows}, {"one": "", "queue": "", "file": "1"})
        self.assertEqual(self.left(), [])

    def test_metrics(self):
        self.timed("m")
        found = self.metrics("m")
        self.assertEqual({key for key in found if key[1] == "queue-depth"}, {("queue", "queue-depth")})
        depth = found["queue", "queue-depth"]
        self.assertEqual((depth["unit"], depth["better"]), ("samples", "more"))
        self.assertTrue(0 <= float(depth["min"]) <= float(depth["max"]) <= DEPTH, depth)
        for variant in ("one", "queue", "file"):
            size = found[variant, "bytes/sample"]
            self.assertEqual((float(size["min"]), float(size["max"]), size["unit"]), (2 * MEAN, 2 * MEAN, "B"))

    def test_other_modes(self):
        """Mode hot has no pause in which files can be made cold."""
        for mode in ("hot", "latency"):
            with self.subTest(mode):
                rows = self.timed(mode, "--mode", mode)
                expected = {"one": "ok", "queue": "ok", "file": "skipped" if mode == "hot" else "ok"}
                self.assertEqual(self.statuses(rows), expected)
                for row in rows:
                    if row["status"] == "skipped":
                        self.assertIn("before", row["message"])

    def test_any_size(self):
        rows = self.measure("sizes", "--verify-only", "--variant", "one,branching,queue,file", "-a", "samples=2,64", "-a",
                            "mean=1,7", "-a", "depth=1,64")
        self.assertEqual(len(rows), 2 * 2 * 2 * 4)
        self.assertEqual({row["status"] for row in rows}, {"ok"})

    def test_branches_that_a_processor_learns_are_nobodys_fault(self):
        """Branch prediction makes old inputs twice as fast as new ones, although nothing is kept; no variant is blamed
        for it."""
        for mean in ("32", "128"):
            rows = self.measure("branches" + mean, "--quick", "--device", "cpu", "--variant", "one,branching", "-a", "samples=64",
                                "-a", f"mean={mean}")
            self.assertEqual(self.statuses(rows), {"one": "ok", "branching": "ok"}, [row["message"] for row in rows])

    def test_odd_batches_are_skipped(self):
        rows = self.measure("odd", "--verify-only", "-a", "samples=3", exit=3)
        self.assertEqual({(row["status"], row["message"]) for row in rows},
                         {("skipped", "samples: two and two make up their sizes")})

    def test_its_contract(self):
        told = self.ok("list", "--plugin", PIPELINE, "--contract", "pipeline/batch", "--json")
        tensors = {t["name"]: t for t in json.loads(told.out)["contracts"][0]["tensors"]}
        self.assertEqual({name for name, t in tensors.items() if t["fill"] == "by the bench"},
                         {"codes", "offsets", "order", "weights"})
        self.assertEqual({name for name, t in tensors.items() if t.get("bit_for_bit")}, {"weight", "packed"})

    # ---- Progress ----

    def fetch(self, out, ms, *args, **kwargs):
        return self.measure(out, "--verify-only", "--variant", "one", "--timeout", "2", "--option", f"pipeline.fetch_ms={ms}",
                            *args, **kwargs)

    def test_a_fill_that_goes_on_is_not_hanging(self):
        self.assertEqual(self.statuses(self.fetch("slow", 4000)), {"one": "ok"})

    def test_a_step_that_takes_too_long_is(self):
        (row,) = self.fetch("stuck", 20000, "-a", "samples=2", exit=3)
        self.assertEqual(row["status"], "timeout", row)
        self.assertIn("fill", row["message"])

    # ---- Wrong variants ----

    def wrong(self, variant, rule, *args):
        rows = self.measure(variant, "--variant", f"one,{variant}", *args, exit=3)
        self.assertEqual(self.statuses(rows), {"one": "ok", variant: "wrong"})
        (row,) = [row for row in rows if row["variant"] == variant]
        self.assertRegex(row["message"], rule)

    def test_the_last_sample_is_missed(self):
        width = 16 * MEAN
        self.wrong("short", rf"left {width} of {SAMPLES * width} elements of 'pixels' unwritten, "
                            rf"the first is {(SAMPLES - 1) * width}$", "--verify-only")

    def test_a_copy_that_is_computed(self):
        self.wrong("tidy", r"'weight'.*-0", "--verify-only")

    def test_the_former_batch_is_told(self):
        """A single call is right, and so are further calls on the same inputs."""
        self.wrong("former", r"'pixels': error .* tolerance", "--quick", *self.fake())


if __name__ == "__main__":
    main()
