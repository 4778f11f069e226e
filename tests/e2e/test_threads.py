"""`log` and `fail` from several threads: messages arrive intact, `fail` keeps a single text, and the run ends."""

import os

from run import FINE, GpubenchTest, main, plugin

TIMES = os.environ.get("GPUBENCH_LOUD_TIMES", "20000")
ONE_TEXT = r"(a{900}|b{900})$"


class Threads(GpubenchTest):
    def run_variants(self, variants, *args, times=TIMES):
        result = self.gpubench("--plugin", plugin("threads"), "--quick", "--variant", variants, *args,
                               env={"LOUD_TIMES": times}, timeout=1000)
        rows = self.by_variant()
        self.assertEqual((rows["good"]["status"], result.out.count("nonsense")), ("ok", 0), result)
        return result, rows

    def test_two_threads_at_once(self):
        result, rows = self.run_variants("good,both", "--timeout", "900", "--max-time", "3000")
        self.assertEqual((result.exit, rows["both"]["status"]), (3, "error"), result)
        self.assertRegex(rows["both"]["message"], "^prepare: " + ONE_TEXT)

    def test_while_the_host_measures(self):
        result, rows = self.run_variants("good,behind", "--timeout", "900")
        self.assertEqual(rows["behind"]["status"], "ok", result)

    def test_two_threads_in_open(self):
        line = self.refusal(3, "threads.so", "--plugin", plugin("threads"), "--timeout", "900",
                            env={"LOUD_OPEN": "fail", "LOUD_TIMES": TIMES}, timeout=1000)
        self.assertRegex(line, "open: " + ONE_TEXT)

    def test_while_the_host_sends_much(self):
        for _ in range(5):
            result = self.ok("list", "--plugin", plugin("threads"), env={"LOUD_OPEN": "go-on", "LOUD_TIMES": "3000"})
            self.assertIn("loud", result.out)

    def test_threads_that_are_cancelled_within(self):
        result, rows = self.run_variants("good,cancelled", "--timeout", "60")
        self.assertEqual((result.exit, rows["cancelled"]["status"]), (0, "ok"), result)
        self.assertRegex(rows["cancelled"]["message"], FINE)

    def test_a_child_has_no_say(self):
        result, rows = self.run_variants("good,forked", times="2000")
        self.assertEqual((result.exit, rows["forked"]["status"]), (0, "ok"), result)
        self.assertNotIn("a child speaks", result.err)

    def test_who_never_stops_meets_the_limit(self):
        # Two threads log during all of this time; a slot of `good` is shorter, because caches are hardly flushed.
        result, rows = self.run_variants("good,endless", "--timeout", "3")
        self.assertEqual(rows["endless"]["status"], "timeout", result)
        self.assertIn("no return within 3 s in prepare", rows["endless"]["message"])

    def test_killed_while_they_speak(self):
        result, rows = self.run_variants("good,killed")
        self.assertEqual(rows["killed"]["status"], "crashed", result)
        self.assertIn("SIGKILL", rows["killed"]["message"])

    def test_all_in_one(self):
        _, rows = self.run_variants("good,both,behind,cancelled,forked,killed", "--timeout", "60", times="2000")
        self.assertEqual({name: row["status"] for name, row in rows.items()},
                         {"good": "ok", "both": "error", "behind": "ok", "cancelled": "ok", "forked": "ok", "killed": "crashed"})


if __name__ == "__main__":
    main()
