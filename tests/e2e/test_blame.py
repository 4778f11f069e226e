"""Blame: a change of the process that a kernel makes in timed slots is reported for that kernel, and a variant that
fails because of another one keeps its row. GPUBENCH_REPEAT is the number of repetitions of each test."""

import os
import shutil
import signal
import time
from pathlib import Path

from run import GpubenchTest, main, plugin
from safety import workers

REPEAT = int(os.environ.get("GPUBENCH_REPEAT", "1"))
LATE = plugin("bad_late")
INNOCENT = ("good", "better", "best")
MANNERS = {
    "umask": "changed the umask to 0000",
    "environment": r"changed the environment \(OMP_NUM_THREADS\)",
    "locale": r"changed the locale to C\.UTF-8",
    "directory": "changed the directory to /",
    "handler": "changed what SIGFPE does",
    "limits": "changed the limit NOFILE",
    "child": r"left (process|\d+ processes)",
    "priority": "changed its priority to 19",
    "timer": "left a timer set",
    "rounding": r"changed the floating-point mode \(rounding\)",
}


class Blame(GpubenchTest):
    def measure(self, number, variants, *args, exit=3):
        result = self.gpubench("--plugin", LATE, "--bench", "late", "--quick", "--mode", "hot", "--variant", ",".join(variants), "--out", f"o{number}", *args)
        if exit is not None:
            self.assertEqual(result.exit, exit, result)
        return self.by_variant(self.dir / f"o{number}")

    def check_innocent(self, rows, names=INNOCENT):
        for name in names:
            row = rows[name]
            self.assertEqual(row["status"], "ok", row)
            self.assertGreater(self.number(row, "median_raw_ns"), 0)
            self.assertGreater(self.number(row, "speedup"), 0)
            self.assertGreater(self.number(row, "rounds"), 2)

    def check_manners(self, rows, names):
        for name in names:
            self.assertEqual((rows[name]["status"], rows[name]["speedup"], rows[name]["median_raw_ns"]), ("error", "", ""),
                             rows[name])
            self.assertRegex(rows[name]["message"], "^run " + MANNERS[name])

    def test_who_changes_something_late_is_named(self):
        for i in range(REPEAT):
            rows = self.measure(i, [*INNOCENT, *MANNERS])
            self.check_innocent(rows)
            self.check_manners(rows, MANNERS)

    def test_each_beside_a_baseline_that_comes_next(self):
        for name in MANNERS:
            with self.subTest(name):
                rows = self.measure(name, ["good", name, "best"])
                self.check_innocent(rows, ("good", "best"))
                self.check_manners(rows, [name])

    def test_a_baseline_that_changes_something(self):
        """The others keep their rows, but have no speedup, because the baseline failed."""
        rows = self.measure(0, ["good", "umask", "best"], "--baseline", "umask")
        self.check_manners(rows, ["umask"])
        for name in ("good", "best"):
            self.assertEqual((rows[name]["status"], rows[name]["speedup"]), ("ok", ""), rows[name])

    def test_an_error_that_another_one_has_caused(self):
        for i in range(REPEAT):
            rows = self.measure(i, ["good", "breaks", "needs-whole", "best"], exit=0)
            self.check_innocent(rows, ("good", "breaks", "needs-whole", "best"))

    def test_a_hang_that_another_one_has_caused(self):
        for i in range(REPEAT):
            rows = self.measure(i, ["good", "holds-lock", "needs-lock", "best"], "--timeout", "1", exit=0)
            self.check_innocent(rows, ("good", "holds-lock", "needs-lock", "best"))

    def test_a_reference_that_fails_beside_others(self):
        """`reference` fails after both variants have run in the process. Both are suspects of that, and each does well
        alone, so neither row says that the other variant or its plugin did harm."""
        self.ok("--plugin", LATE, "--bench", "rivals", "--quick", "--mode", "hot", "--out", "o")
        for row in self.rows(self.dir / "o"):
            self.assertEqual(row["status"], "ok", row)
            self.assertRegex(row["message"], r"in company; cause not found \(beside (left|right): reference: both have run\)")

    def test_what_a_thread_does_later(self):
        """The variant that runs when the thread crashes is measured alone, and clears itself. The thread's variant may
        remain unnoticed."""
        for i in range(REPEAT):
            rows = self.measure(i, [*INNOCENT, "later"], exit=None)
            for name in INNOCENT:
                self.assertEqual(rows[name]["status"], "ok", rows[name])
                self.assertGreater(self.number(rows[name], "median_raw_ns"), 0)

    def test_with_restarts(self):
        rows = self.measure(0, [*INNOCENT, "umask", "breaks", "needs-whole"], "--restarts", "2")
        self.check_innocent(rows, (*INNOCENT, "breaks", "needs-whole"))
        self.check_manners(rows, ["umask"])


class Killed(GpubenchTest):
    """Workers killed by an administrator, or by the kernel for lack of memory."""

    def begin(self):
        return self.start("--plugin", LATE, "--bench", "slow", "--quick", "--verify-only", "--out", "o")

    def kill_in_reference(self, process, times):
        """Kills workers in `reference`, which takes 0.6 s. Returns their process ids."""
        killed = []
        while len(killed) < times and process.poll() is None:
            fresh = [pid for pid in workers(process.pid) if pid not in killed]
            if fresh and self.sleeps(fresh[0]):
                os.kill(fresh[0], signal.SIGKILL)
                killed.append(fresh[0])
            time.sleep(0.01)
        return killed

    def sleeps(self, pid):
        """Returns True if the process sleeps in `reference`, instead of starting or waiting for a request."""
        try:
            return "nanosleep" in Path("/proc", str(pid), "wchan").read_text()
        except OSError:
            return False

    def test_once_is_chance(self):
        for _ in range(REPEAT):
            process = self.begin()
            killed = self.kill_in_reference(process, 1)
            result = self.finish(process)
            self.assertEqual((len(killed), result.exit), (1, 0), result)
            self.assertEqual([row["status"] for row in self.rows(self.dir / "o")], ["ok", "ok"])
            shutil.rmtree(self.dir / "o")

    def test_again_and_again(self):
        """The row says that it was killed, and --resume measures it again."""
        process = self.begin()
        killed = self.kill_in_reference(process, 9)
        result = self.finish(process)
        # The first kill, which counts as chance; all together; each alone.
        self.assertEqual((len(killed), result.exit), (4, 3), result)
        for row in self.rows(self.dir / "o"):
            self.assertEqual((row["status"], row["stop_reason"]), ("crashed", "interrupted"), row)
            self.assertIn("the worker was killed from outside (SIGKILL) in reference of late/slow", row["message"])
        self.ok("--resume", "o")
        self.assertEqual([row["status"] for row in self.rows(self.dir / "o")], ["ok", "ok"])


if __name__ == "__main__":
    main()
