"""Memory, processes and devices: a variant that exceeds a limit loses its own row, nothing is left running, and two
runs do not disturb each other."""

import os
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from run import BIN, GpubenchTest, main, members, plugin
from safety import SANITIZED, check_files, environment, gone, keys, whole_rows, workers

LIMITS = plugin("bad_limits")


class Limits(GpubenchTest):
    def rows_of(self, *args, timeout=120, exit=3):
        result = self.gpubench("--plugin", LIMITS, "--quick", "--out", "o", *args, timeout=timeout)
        if exit is not None:
            self.assertEqual(result.exit, exit, result)
        return self.by_variant(self.dir / "o")

    def children(self):
        path = self.dir / "children.txt"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    def check_good(self, rows):
        for name in ("good", "other"):
            self.assertEqual(rows[name]["status"], "ok", rows[name])
            self.assertGreater(self.number(rows[name], "median_raw_ns"), 0)


@unittest.skipIf(SANITIZED, "a sanitizer takes more memory than what it watches")
class Memory(Limits):
    """Memory limits, on a device without buffers."""

    def rows_of(self, *args, **kwargs):
        return super().rows_of(*self.fake(), *args, **kwargs)

    def test_a_hog_costs_its_own_row(self):
        rows = self.rows_of("--variant", "good,hog,hog_prepare,other", "--memory-limit", "300MB")
        self.check_good(rows)
        for name, phase in (("hog", "run"), ("hog_prepare", "prepare")):
            row = rows[name]
            self.assertEqual((row["status"], row["speedup"], row["median_raw_ns"]), ("crashed", "", ""), row)
            self.assertRegex(row["message"], rf"^memory limit: [34]\d\d MB resident, --memory-limit is 300 MB in {phase} of "
                                             rf"limits/limits/{name}")

    def test_what_the_host_allocates_counts(self):
        rows = self.rows_of("--variant", "good,greedy,claims,other", "--memory-limit", "300MB", exit=0)
        self.check_good(rows)
        for name in ("greedy", "claims"):
            self.assertEqual(rows[name]["status"], "skipped")
            self.assertRegex(rows[name]["message"], r"needs 1\.1 GB, --memory-limit allows 300 MB")

    def test_what_a_library_holds_is_reported(self):
        rows = self.rows_of("--variant", "good,claims,other", exit=0)
        self.check_good(rows)
        self.assertEqual(rows["claims"]["extra_mem_bytes"], str(1 << 30))

    def test_room_for_nothing(self):
        """Not even a worker that only loads the plugin fits."""
        result = self.gpubench("--plugin", LIMITS, "--quick", "--memory-limit", "1kB")
        self.assertEqual(result.exit, 3, result)
        self.assertIn("bad_limits.so: memory limit: ", result.err)

    def test_without_a_limit(self):
        rows = self.rows_of("--variant", "good,greedy,other", exit=0)
        self.check_good(rows)
        self.assertEqual(rows["greedy"]["status"], "ok")


class Processes(Limits):
    def test_what_a_kernel_starts_ends_with_its_worker(self):
        self.rows_of("--variant", "good,sets_out,other", exit=None)
        # It is also measured alone, and may be detected before it has written its process id.
        self.assertIn(len(self.children()), (1, 2))
        self.assertEqual(gone(self.children()), [])

    def test_and_with_a_hanging_one(self):
        rows = self.rows_of("--variant", "good,stays,other", "--timeout", "2")
        self.check_good(rows)
        self.assertEqual(rows["stays"]["status"], "timeout")
        self.assertEqual(len(self.children()), 2)  # one from its slot among the others, one from the measurement alone
        self.assertEqual(gone(self.children()), [])

    def begin(self):
        process = self.start("--plugin", LIMITS, "--quick", "--variant", "good,stays,other", "--out", "o")
        end = time.monotonic() + 30
        while not self.children() and time.monotonic() < end:
            time.sleep(0.02)
        time.sleep(0.1)
        return process, workers(process.pid), members(process.pid)

    def test_all_end_with_a_killed_parent(self):
        process, worker, all_of_it = self.begin()
        self.assertEqual(len(worker), 1)
        self.assertEqual(len(all_of_it), 3)  # the parent, the reaper, the worker
        process.kill()
        self.finish(process)
        self.assertEqual(gone([*all_of_it, *self.children()]), [])

    def test_also_where_its_whole_group_is_killed(self):
        process, _, all_of_it = self.begin()
        os.killpg(process.pid, signal.SIGKILL)
        self.finish(process)
        self.assertEqual(gone([*all_of_it, *self.children()]), [])

    def test_all_end_with_a_killed_worker(self):
        process, worker, _ = self.begin()
        for tries in (2, 3):  # the first kill may be chance; then it is measured without the others
            os.kill(worker[-1], signal.SIGKILL)
            end = time.monotonic() + 30
            while len(self.children()) < tries and time.monotonic() < end:
                time.sleep(0.02)
            time.sleep(0.1)
            worker += workers(process.pid)
        os.kill(worker[-1], signal.SIGKILL)
        result = self.finish(process)
        self.assertEqual(result.exit, 3, result)
        self.assertEqual(gone([*worker, *self.children()]), [])
        rows = self.by_variant(self.dir / "o")
        self.check_good(rows)
        self.assertEqual(rows["stays"]["status"], "crashed")
        self.assertIn("the worker was killed from outside (SIGKILL) in run of limits/limits/stays", rows["stays"]["message"])


class Exhausted(Limits):
    def for_everybody(self, path):
        """Returns a copy that any user may execute, even if the tree is in a folder of root's."""
        self.dir.chmod(0o755)
        copy = self.dir / Path(path).name
        shutil.copy(path, copy)
        copy.chmod(0o755)
        return copy

    def refused(self, which, limit):
        def prepare():
            if which == resource.RLIMIT_NPROC and os.geteuid() == 0:
                os.setuid(65534)  # root has no limit on processes
            resource.setrlimit(which, (limit, limit))

        command = [self.for_everybody(BIN), "--plugin", self.for_everybody(LIMITS), "--device", "cpu", "--quick", "--no-save",
                   "--trust-plugins"]
        process = subprocess.Popen(command, cwd=self.dir, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   preexec_fn=prepare)
        result = self.finish(process)
        self.assertEqual(result.exit, 3, result)
        return result.err

    def test_descriptors(self):
        for limit in (12, 16, 20):
            self.assertIn(f"cannot start a worker process: too many open files (limit {limit})",
                          self.refused(resource.RLIMIT_NOFILE, limit))

    def test_processes(self):
        self.assertIn("cannot start a worker process: too many processes (limit 1)", self.refused(resource.RLIMIT_NPROC, 1))


class Locks(Limits):
    """The runs of one test share a lock folder."""

    LONG = ("--case-time", "3", "--precision", "0", "--ceilings", "off", "--variant", "good")

    def holder(self, out="holder", seconds="3"):
        process = self.start("--plugin", LIMITS, *self.LONG, "--case-time", seconds, "--out", out)
        end = time.monotonic() + 30
        while not (self.dir / out / "run.ini").exists() and time.monotonic() < end:
            time.sleep(0.02)
        return process

    def test_waiting_is_the_default(self):
        process = self.holder()
        result = self.ok("--plugin", LIMITS, "--quick", "--variant", "good", "--out", "o")
        self.assertTrue(self.rows(self.dir / "holder"))  # the other run had measured first
        self.assertRegex(result.err, rf"gpubench: cpu is in use by process {process.pid} \(gpubench\): waiting")
        self.finish(process)
        self.assertRegex(environment(self.dir / "o")["lock"], r"^held: /.*/gpubench-cpu\.lock")

    def test_refusing(self):
        process = self.holder()
        line = self.one_line_error(4, "--plugin", LIMITS, "--quick", "--out", "o", "--lock", "refuse")
        self.assertEqual(line, f"gpubench: cpu is in use by process {process.pid} (gpubench); --lock wait waits for it")
        self.assertFalse((self.dir / "o").exists())
        process.send_signal(signal.SIGINT)
        self.finish(process)

    def test_what_needs_no_lock(self):
        process = self.holder(seconds="10")
        quick = ("--plugin", LIMITS, "--quick", "--variant", "good")
        self.ok(*quick, "--dry-run", "--lock", "refuse")
        self.ok("list", LIMITS)
        self.ok(*quick, "--out", "fake", "--lock", "refuse", *self.fake())
        self.ok(*quick, "--out", "off", "--lock", "off")
        self.ok(*quick, "--out", "verified", "--verify-only")
        self.assertEqual(environment(self.dir / "verified")["lock"], "off")
        self.ok("check", LIMITS, "--variant", "good")
        self.ok("report", "off", "-q")
        self.assertEqual(environment(self.dir / "off")["lock"], "off")
        self.assertIsNone(process.poll())
        process.send_signal(signal.SIGINT)
        self.finish(process)

    def test_interrupted_while_waiting(self):
        process = self.holder(seconds="20")
        waiting = self.start("--plugin", LIMITS, "--quick", "--out", "o")
        time.sleep(2)
        self.assertEqual(workers(waiting.pid), [])  # no worker of it uses the device while it waits
        waiting.send_signal(signal.SIGINT)
        result = self.finish(waiting, timeout=10)
        self.assertEqual(result.exit, 130, result)
        self.assertFalse((self.dir / "o").exists())
        process.kill()
        self.finish(process)
        # The kill released the lock.
        self.ok("--plugin", LIMITS, "--quick", "--variant", "good", "--out", "o", "--lock", "refuse")

    def test_without_a_folder_there_is_no_lock(self):
        self.ok("--plugin", LIMITS, "--quick", "--variant", "good", "--out", "o", env={"GPUBENCH_LOCK_DIR": "/nowhere"})
        self.assertEqual(environment(self.dir / "o")["lock"], "none: /nowhere: No such file or directory")

    def test_a_bad_word(self):
        self.assertIn("--lock 'maybe' is not one of wait|refuse|off", self.one_line_error(2, "--plugin", LIMITS, "--lock", "maybe"))


class InProcess(Limits):
    """--in-process, for debuggers: a single process, which nothing protects."""

    def test_the_same_rows(self):
        self.ok("--plugin", plugin("ok_vector"), "-a", "n=8,16", *self.fake(), "--out", "with")
        self.ok("--plugin", plugin("ok_vector"), "-a", "n=8,16", *self.fake(), "--out", "o", "--in-process")
        self.assertEqual(keys(self.dir / "o"), keys(self.dir / "with"))
        self.assertEqual({row["status"] for row in self.rows(self.dir / "o")}, {"ok"})
        self.assertEqual(environment(self.dir / "o")["in_process"], "1")
        self.assertNotIn("in_process", environment(self.dir / "with"))

    def test_several_plugins(self):
        self.ok("--plugin", plugin("ok_vector"), "--plugin", plugin("ok_second"), *self.fake(),
                "--quick", "--out", "o", "--in-process")
        self.assertEqual({row["status"] for row in self.rows(self.dir / "o")} - {"skipped"}, {"ok"})

    def test_there_is_no_other_process(self):
        process = self.start("--plugin", LIMITS, "--quick", "--variant", "stays", "--out", "o", "--in-process")
        end = time.monotonic() + 30
        while not self.children() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(members(process.pid), [process.pid])
        process.kill()
        for pid in self.children():
            os.kill(pid, signal.SIGKILL)  # there is no reaper, either
        self.finish(process)

    @unittest.skipIf(SANITIZED, "a sanitizer makes an exit of it")
    def test_a_crash_is_the_run_s_own(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", "good,segv", "--out", "o", "--in-process")
        self.assertEqual(result.exit, -signal.SIGSEGV, result)
        check_files(self, self.dir / "o")

    def test_an_interruption(self):
        process = self.start("--plugin", plugin("ok_vector"), "--case-time", "20", "--precision", "0", "--ceilings", "off",
                             "--out", "o", "--in-process")
        samples = self.dir / "o/samples.csv"
        while not samples.exists() or len(whole_rows(samples)) < 20:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        result = self.finish(process, timeout=30)
        self.assertEqual(result.exit, 130, result)
        self.assertIn("interrupted", {row["stop_reason"] for row in self.rows(self.dir / "o")})


if __name__ == "__main__":
    main()
