"""A run takes no longer than it announces, whatever its kernels take; what does not fit is said so."""

import re
import signal
import time

from run import GpubenchTest, main, plugin

SLOW = plugin("ok_slow")


class Promise(GpubenchTest):
    def run_as_announced(self, *args, exit=0):
        """Its rows, and what it announced."""
        start = time.monotonic()
        result = self.gpubench("--plugin", SLOW, "--out", "o", *args, limited=False, timeout=120)
        took = time.monotonic() - start
        self.assertEqual(result.exit, exit, result)
        announced = float(re.search(r"^plan .*; at most (\d+) s$", result.out, re.M)[1])
        self.assertLessEqual(took, announced, result)
        return self.rows(self.dir / "o"), announced, result

    def test_what_does_not_fit_is_not_run(self):
        naps = ",".join(str(100 + n) for n in range(8))  # each needs three rounds, and calls that warm up and verify
        rows, announced, result = self.run_as_announced("--axis", f"ms={naps}", "--variant", "nap,again", "--case-time", "0.1", "--roofs", "off")
        self.assertEqual(len(rows), 16)
        left_out = [row for row in rows if row["status"] == "not_run"]
        self.assertTrue(left_out and any(row["median_raw_ns"] for row in rows), result)
        for row in left_out:
            self.assertEqual((row["stop_reason"], row["message"]),
                             ("budget", f"the announced {announced:g} s were over: --max-time allows more"))

    def test_who_hangs_is_named_and_the_others_are_measured(self):
        rows, announced, _ = self.run_as_announced("--variant", "nap,stuck,again", "--quick", exit=3)
        by_name = {row["variant"]: row for row in rows}
        self.assertEqual(by_name["stuck"]["status"], "timeout", by_name)
        self.assertIn(f"no return within {announced / 2:g} s in run of slow/slow/stuck", by_name["stuck"]["message"])
        for name in ("nap", "again"):
            self.assertEqual(by_name[name]["status"], "ok", by_name)

    def test_a_trajectory_is_as_long_as_there_is_time(self):
        rows, _, result = self.run_as_announced("--axis", "ms=20", "--variant", "nap,again", "--mode", "latency", "--trajectory", "5000", "--roofs", "off")
        for row in rows:
            self.assertEqual(row["status"], "ok", result)
            self.assertIn(row["stop_reason"], ("case_time", "budget"), result)
            self.assertGreaterEqual(int(row["rounds"]), 3)
            self.assertLess(int(row["samples"]), 5000)

    def test_waiting_for_another_run_is_not_its_time(self):
        case = ("--axis", "ms=1,2,3,4,5,6,7,8", "--variant", "nap,again", "--roofs", "off")
        planned = self.ok("--plugin", SLOW, *case, "--dry-run", limited=False).out
        first = self.start("--plugin", SLOW, "--axis", "ms=500", "--variant", "nap,again", "--case-time", "6", "--roofs", "off", "--out", "first")
        while not (self.dir / "first/run.ini").exists():
            time.sleep(0.05)
        second = self.start("--plugin", SLOW, *case, "--quick", "--out", "second", limited=False)
        self.assertEqual(self.finish(first).exit, 0)
        result = self.finish(second)
        self.assertRegex(planned, r"(?m)^plan .*; at most 1\d s$")
        self.assertRegex(result.out, r"(?m)^plan .*; at most 10 s$")

    def test_a_dry_run_announces_what_the_run_does(self):
        case = ("--plugin", SLOW, "--axis", "ms=1,2,3,4", "--variant", "nap,again", "--case-time", "1")
        planned = self.ok(*case, "--dry-run", limited=False).out
        self.assertNotIn("calibrate", planned)  # the ceilings are in the time, and not among what was asked for
        without = self.ok(*case, "--dry-run", "--roofs", "off", limited=False).out
        run = self.start(*case, limited=False)
        plan = next(line.decode() for line in run.stdout if line.startswith(b"plan "))
        run.send_signal(signal.SIGINT)  # how far it comes is the machine's
        self.finish(run)
        announced = [int(re.search(r"(?m)^plan .*; at most (\d+) s$", text)[1]) for text in (planned, plan, without)]
        self.assertLessEqual(abs(announced[0] - announced[1]), 1, announced)  # planning took a second more in one of them
        self.assertLess(announced[2], announced[0])

    def test_max_time_is_said(self):
        result = self.ok("--plugin", SLOW, "--quick", "--variant", "nap,again", "--max-time", "77", "--dry-run")
        self.assertRegex(result.out, r"(?m)^plan .*; at most 77 s \(--max-time\)$")
        result = self.ok("--plugin", SLOW, "--quick", "--variant", "nap,again", "--max-time", "1234", "--dry-run")
        self.assertIn("; at most 1234 s (--max-time)\n", result.out)


if __name__ == "__main__":
    main()
