"""kill -9 of the parent or of a worker at any instant: the files can be read, --resume completes the run, and its
keys are those of an undisturbed run. GPUBENCH_KILLS is the number of kills of each kind; GPUBENCH_SEED repeats the
instants."""

import os
import random
import signal
import time

from run import GpubenchTest, main, members, plugin
from safety import check_epochs, check_files, gone, keys, whole_rows, workers

os.environ["GPUBENCH_FLUSH_BYTES"] = "0"  # the run must last long enough to be interrupted

KILLS = int(os.environ.get("GPUBENCH_KILLS", "5"))
SEED = int(os.environ.get("GPUBENCH_SEED", str(int(time.time()))))


class Killed(GpubenchTest):
    """A run of 8 cases with 3 variants that takes about a second, most of it sampling."""

    def setUp(self):
        super().setUp()
        self.random = random.Random(SEED)
        print(f"GPUBENCH_SEED={SEED}", end=" ", flush=True)

    def command(self, out, *args):
        return ("--plugin", plugin("ok_vector"), "-a", "n=8:1k:x2", *self.fake(), "--precision", "0.01%",
                "--case-time", "0.05", "--out", out, *args)

    def whole(self):
        start = time.monotonic()
        self.ok(*self.command("whole", "-q"))
        return keys(self.dir / "whole"), time.monotonic() - start

    def kill_parent(self, process, seconds):
        """Kills the parent after this time. Returns False if the run had ended before."""
        time.sleep(seconds)
        left = members(process.pid)
        if process.poll() is not None:
            self.finish(process)
            return False
        process.kill()
        self.finish(process)
        self.assertEqual(gone(left), [])
        return True

    def complete(self, out):
        """Resumes the run until it is complete, and checks its files each time."""
        for _ in range(20):
            check_files(self, self.dir / out)
            killed = self.random.random() < 0.3 and self.kill_parent(self.start("--resume", out, "-q"),
                                                                    self.random.uniform(0, 0.6))
            if not killed:
                result = self.gpubench("--resume", out, "-q")
                self.assertEqual(result.exit, 0, result)
                return
        self.fail("never whole")

    def test_parents(self):
        expected, seconds = self.whole()
        killed = 0
        for i in range(10 * KILLS):
            if killed == KILLS:
                break
            out = f"o{i}"
            with self.subTest(out):
                if not self.kill_parent(self.start(*self.command(out, "-q")), self.random.uniform(0, seconds)):
                    continue
                killed += 1
                folder = self.dir / out
                if not (folder / "run.ini").exists():
                    if folder.exists():
                        self.assertIn("nothing to resume", self.one_line_error(2, "--resume", out)
                                      if (folder / "results.csv").exists() else "nothing to resume")
                    continue
                self.complete(out)
                self.assertEqual(keys(folder), expected)
                self.assertEqual({row["status"] for row in whole_rows(folder / "results.csv")}, {"ok"})
                check_epochs(self, folder)
        print(f"{killed} parents killed", end=" ", flush=True)
        self.assertEqual(killed, KILLS)

    def test_workers(self):
        expected, seconds = self.whole()
        killed = told = 0
        for i in range(10 * KILLS):
            if killed >= KILLS:
                break
            out = f"o{i}"
            with self.subTest(out):
                process = self.start(*self.command(out, "-q"))
                time.sleep(self.random.uniform(0, seconds))
                found = workers(process.pid)
                for pid in found:
                    try:
                        os.kill(pid, signal.SIGKILL)
                        killed += 1
                    except ProcessLookupError:
                        pass
                result = self.finish(process)
                self.assertIn(result.exit, (0, 3), result)
                folder = self.dir / out
                if not folder.exists():  # the killed worker was describing the plugin
                    self.assertIn("SIGKILL", result.err)
                    continue
                check_files(self, folder)
                rows = whole_rows(folder / "results.csv")
                lost = [row for row in rows if row["status"] != "ok"]
                told += len(lost)
                for row in lost:
                    self.assertEqual(row["status"], "crashed", row)
                    self.assertIn("SIGKILL", row["message"])
                self.assertEqual(keys(folder), expected)
                check_epochs(self, folder)
                before = (folder / "results.csv").read_bytes()
                self.assertEqual(self.gpubench("--resume", out, "-q").exit, result.exit)
                # A crash is a result, which --resume keeps.
                self.assertEqual((folder / "results.csv").read_bytes(), before)
        print(f"{killed} workers killed, {told} rows crashed", end=" ", flush=True)
        self.assertGreaterEqual(killed, KILLS)


if __name__ == "__main__":
    main()
