"""Outputs that do not exist yet when the clock stops, and appear when they are read."""

import unittest

from run import GpubenchTest, main, plugin

ABSENT = r"run's time was taken before its work was done: memory of output 'y' (is|may|could) [a-z ]+ when the clock stops"
LATE = r"run's time was taken before its work was done: element \d+ of 'y' was written afterwards"
HANDLER = "run changed what SIG(SEGV|BUS) does"  # detected after a slot whose outputs are not verified
WRONG = r"in a timed slot: "  # the output had not been written when it was compared


class Lazy(GpubenchTest):
    def outcome(self, variant, *args, **more):
        out = "-".join((variant, *args))
        result = self.gpubench("--plugin", plugin("lazy"), "--quick", "--case-time", "0.5", "--variant", "good," + variant, "--out", out, *args, **more)
        rows = self.by_variant(self.dir / out)
        self.assertEqual(rows["good"]["status"], "ok", result)
        return rows[variant]

    def gains_nothing(self, variant, pattern, *args, **more):
        """On a busy machine the thread may get a processor only during the timed call; then the time includes its work."""
        row = self.outcome(variant, *args, **more)
        if row["status"] == "ok":
            self.assertNotEqual(row["verdict"], "faster", row)
        else:
            self.assertRegex(row["message"], pattern)

    def is_wrong(self, variant, pattern, *args):
        row = self.outcome(variant, *args)
        if row["status"] == "skipped":
            raise unittest.SkipTest(row["message"])
        self.assertIn(row["status"], ("wrong", "error"), row)
        self.assertRegex(row["message"], pattern)

    def test_handlers_of_faults(self):
        for variant in ("protection", "unmapping", "a-page"):
            for mode in ("cold", "hot", "wall"):
                with self.subTest(variant, mode=mode):
                    self.is_wrong(variant, f"{ABSENT}|{HANDLER}", "--mode", mode)

    def test_a_handler_that_the_kernel_calls(self):
        self.is_wrong("userfaultfd", ABSENT)

    def test_memory_that_is_mapped_elsewhere(self):
        self.is_wrong("alias", ABSENT)

    def test_threads(self):
        for variant in ("thread", "half-thread"):
            for mode in ("cold", "hot", "latency"):
                with self.subTest(variant, mode=mode):
                    self.gains_nothing(variant, f"{LATE}|{WRONG}", "--mode", mode)

    def test_threads_that_work_while_caches_are_emptied(self):
        for variant in ("thread", "half-thread"):
            with self.subTest(variant):
                self.gains_nothing(variant, f"{LATE}|{WRONG}", "--mode", "cold", env={"GPUBENCH_FLUSH_BYTES": str(32 << 20)})

    def test_honest_neighbours(self):
        result = self.gpubench("--plugin", plugin("lazy"), "--quick", "--case-time", "0.5", "--variant", "good,own-alias,joined,advises")
        rows = self.by_variant()
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         dict.fromkeys(("good", "own-alias", "joined", "advises"), "ok"), result)


if __name__ == "__main__":
    main()
