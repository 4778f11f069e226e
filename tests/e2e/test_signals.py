"""Interruptions: measured rows are kept, and nothing is left running."""

import os
import pty
import resource
import shutil
import signal
import subprocess
import threading
import time

from run import BIN, GpubenchTest, main, members, plugin
from safety import check_epochs, check_files, gone, keys, whole_rows, workers

os.environ["GPUBENCH_FLUSH_BYTES"] = "0"  # the run must last long enough to be interrupted
LONG = ("--case-time", "20", "--precision", "0", "--ceilings", "off")


def wait_for(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Signals(GpubenchTest):
    def begin(self, *args, case="ok_vector", **kwargs):
        process = self.start("--plugin", plugin(case), "--out", "o", *args, **kwargs)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def sampling(self, rows=1):
        samples = self.dir / "o/samples.csv"
        wait_for(lambda: samples.exists() and len(whole_rows(samples)) >= rows)

    def ends(self, process, number, seconds=10):
        start = time.monotonic()
        result = self.finish(process, timeout=60)
        self.assertLess(time.monotonic() - start, seconds, result)
        self.assertEqual(result.exit, 128 + number, result)
        check_files(self, self.dir / "o")
        return result

    def test_the_round_is_finished_and_reported(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(number):
                process = self.begin("-a", "n=8,16,32", *LONG, "--out", f"o{number}")
                samples = self.dir / f"o{number}/samples.csv"
                wait_for(lambda: samples.exists() and len(whole_rows(samples)) >= 100)
                process.send_signal(number)
                self.dir.joinpath("o").unlink(missing_ok=True)
                os.symlink(f"o{number}", self.dir / "o")
                result = self.ends(process, number)
                self.assertIn("report", result.out)
                self.assertTrue((self.dir / "o/report.html").exists())
                rows = whole_rows(self.dir / "o/results.csv")
                self.assertEqual([row["status"] for row in rows], ["ok"] * 3 + ["not_run"] * 6)
                self.assertEqual({row["stop_reason"] for row in rows[:3]}, {"interrupted"})
                self.assertEqual(len({row["rounds"] for row in rows[:3]}), 1)  # the round was finished
                check_epochs(self, self.dir / "o")

    def test_nohup_stays_deaf(self):
        command = [BIN, "--plugin", plugin("ok_vector"), "--device", "cpu", "--quick", "--out", "o"]
        process = subprocess.Popen(command, cwd=self.dir, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "GPUBENCH_LOCK_DIR": str(self.locks)},
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        wait_for(lambda: (self.dir / "o/run.ini").exists())
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(60), 0)

    def once(self, pause):
        process = self.begin(*LONG)
        self.sampling()
        process.send_signal(signal.SIGTERM)
        time.sleep(pause)
        process.send_signal(signal.SIGTERM)
        return process

    def test_twice_at_once_is_once(self):
        """timeout(1) signals the process and then its group: that counts as one interruption, even while the report is
        being written. On a busy machine the second signal may be so late that it counts as another; three attempts are
        allowed."""
        for pause in (0, 0.01, 0.02, 0.04, 0.08):
            with self.subTest(pause):
                for attempt in range(3):
                    process = self.once(pause)
                    if attempt == 2 or process.wait(120) != -signal.SIGTERM:
                        break
                    process.communicate()
                    shutil.rmtree(self.dir / "o")
                self.assertIn("report", self.ends(process, signal.SIGTERM).out)
                shutil.rmtree(self.dir / "o")

    def test_a_second_one_ends_it_at_once(self):
        process = self.begin("--variant", "good,deaf", "--ceilings", "off", case="bad_crash")
        wait_for(lambda: workers(process.pid))
        time.sleep(1)
        left = members(process.pid)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        result = self.ends(process, signal.SIGINT)
        self.assertNotIn("report  ", result.out)
        self.assertEqual(gone(left), [])
        self.assertEqual([row["status"] for row in whole_rows(self.dir / "o/results.csv")], ["not_run"] * 2)

    def test_a_callback_that_does_not_return_is_not_waited_for(self):
        process = self.begin("--variant", "good,deaf", "--ceilings", "off", case="bad_crash")
        wait_for(lambda: workers(process.pid))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        result = self.ends(process, signal.SIGTERM)
        self.assertIn("report  ", result.out)

    def test_a_slot_of_minutes_is_not_waited_for(self):
        """Depending on timing, the samples so far are kept or not: a case that cannot be finished at once is abandoned."""
        for mode in ("cold", "hot"):
            with self.subTest(mode):
                process = self.begin("-a", "n=64k,128k", "--trajectory", "1000000", "--mode", mode, "--ceilings", "off")
                wait_for(lambda: workers(process.pid))
                time.sleep(2)
                process.send_signal(signal.SIGTERM)
                result = self.ends(process, signal.SIGTERM)
                self.assertIn("report  ", result.out)
                self.assertNotIn("fastest", result.out)
                for row in whole_rows(self.dir / "o/results.csv"):
                    self.assertIn((row["status"], row["stop_reason"]), {("not_run", ""), ("ok", "interrupted")})
                shutil.rmtree(self.dir / "o")

    def test_what_was_interrupted_is_said_to_be(self):
        process = self.begin("--preset", "large", *LONG)
        self.sampling(30)
        process.send_signal(signal.SIGTERM)
        result = self.ends(process, signal.SIGTERM)
        page = (self.dir / "o/report.html").read_text(encoding="utf-8")
        verified = "before timing(, [0-9]+ of [0-9]+ in random timed slots too| and in random timed slots)? [(]interrupted[)]"
        self.assertRegex(result.out, verified)
        self.assertRegex(page, verified)
        self.ok("report", "o", "--markdown", "o.md", "-q")
        for text in (result.out, page, (self.dir / "o.md").read_text(encoding="utf-8")):
            self.assertNotIn("is fastest", text)
            self.assertNotIn('aria-label="fastest"', text)
        self.assertNotIn("fastest", result.out)

    def test_before_anything_is_measured(self):
        process = self.start("--plugin", plugin("bad_open_hang"), "--out", "o")
        wait_for(lambda: workers(process.pid))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        result = self.finish(process, timeout=30)
        self.assertEqual(result.exit, 130, result)
        self.assertEqual(result.err.splitlines()[-1], "gpubench: interrupted before anything was measured")
        self.assertFalse((self.dir / "o").exists())

    def test_ctrl_c_in_a_terminal(self):
        """The terminal signals the whole foreground group; the worker is not in it."""
        command = [BIN, "--plugin", plugin("ok_vector"), "--device", "cpu", "--out", "o", *LONG]
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.environ["GPUBENCH_LOCK_DIR"] = str(self.locks)
            os.execv(BIN, command)
        seen = bytearray()

        def read():
            try:
                while data := os.read(terminal, 4096):
                    seen.extend(data)
            except OSError:
                pass

        reader = threading.Thread(target=read)
        reader.start()
        self.sampling(100)
        worker = workers(pid)
        self.assertEqual(len(worker), 1)
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
        reader.join(10)
        self.assertEqual(os.waitstatus_to_exitcode(status), 130, seen.decode())
        self.assertIn(b"report  ", seen)
        self.assertNotIn(b"SIGINT", seen)
        self.assertEqual(gone(worker), [])
        self.assertEqual({row["stop_reason"] for row in whole_rows(self.dir / "o/results.csv") if row["status"] == "ok"},
                         {"interrupted"})

    def test_a_hung_up_terminal(self):
        command = [BIN, "--plugin", plugin("ok_vector"), "--device", "cpu", "--out", "o", *LONG]
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.dir)
            os.environ["GPUBENCH_LOCK_DIR"] = str(self.locks)
            os.execv(BIN, command)
        self.sampling(100)
        os.close(terminal)
        _, status = os.waitpid(pid, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 128 + signal.SIGHUP)
        self.assertTrue((self.dir / "o/report.html").exists())

    def test_readers_that_go(self):
        """Readers such as `| head` may go away: the run continues, and its files are complete."""
        process = self.begin("--quick", "-a", "n=8,16,32")
        process.stdout.readline()
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(len(keys(self.dir / "o")), 9)
        self.assertTrue((self.dir / "o/report.html").exists())
        process = self.start("--plugin", plugin("ok_vector"), "--quick", "--csv", "-", "--out", "p")
        process.stdout.close()
        self.addCleanup(process.stderr.close)
        self.assertEqual(process.wait(60), 3)  # here the output on stdout was the purpose

    def test_closed_streams(self):
        command = f"exec '{BIN}' --plugin '{plugin('ok_vector')}' --device cpu --quick --out o <&- >&- 2>&-"
        done = subprocess.run(["sh", "-c", command], cwd=self.dir, env={**os.environ, "GPUBENCH_LOCK_DIR": str(self.locks)},
                              timeout=60)
        self.assertIn(done.returncode, (0, 3))
        self.assertEqual({row["status"] for row in whole_rows(self.dir / "o/results.csv")}, {"ok"})
        check_files(self, self.dir / "o")


class Disk(GpubenchTest):
    def test_a_file_that_may_not_grow(self):
        """A file size limit acts as a full disk: a clear error, exit 3, and no partial line in any file."""
        for limit in (1500, 6000, 20000):
            with self.subTest(limit):
                out = f"o{limit}"
                process = subprocess.Popen(
                    [BIN, "--plugin", plugin("ok_vector"), *self.fake(), "--out", out, "-a", "n=8:1k:x2"], cwd=self.dir,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                result = self.finish(process)
                self.assertEqual(result.exit, 3, result)
                last = result.err.splitlines()[-1]
                so_far = rf"rows so far are in {out}: " if whole_rows(self.dir / out / "results.csv") else ""
                self.assertRegex(last, rf"^gpubench: {so_far}(cannot write )?{out}/\w+\.(csv|ini)(\.new)?: .*File too large")
                check_files(self, self.dir / out)
                for name in ("results.csv", "samples.csv", "slots.csv"):
                    data = (self.dir / out / name).read_bytes()
                    self.assertTrue(data == b"" or data.endswith(b"\r\n"), name)

    def mounted(self, size):
        folder = self.dir / "disk"
        folder.mkdir()
        if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder],
                                               stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no tmpfs can be mounted here")
        self.addCleanup(subprocess.run, ["umount", folder])
        return folder

    def test_a_full_disk(self):
        self.mounted("64k")
        result = self.gpubench("--plugin", plugin("ok_vector"), *self.fake(), "--out", "disk/o", "-a", "n=8:1k:x2")
        self.assertEqual(result.exit, 3, result)
        self.assertRegex(result.err.splitlines()[-1], r"disk/o/\w+\.csv: cannot write: No space left on device")
        data = (self.dir / "disk/o/results.csv").read_bytes()
        self.assertTrue(data.endswith(b"\r\n"))
        check = self.dir / "copy"
        subprocess.run(["cp", "-r", self.dir / "disk/o", check], check=True)
        check_files(self, check)
        subprocess.run(["mount", "-o", "remount,size=8m", self.dir / "disk"], check=True)
        self.ok("--resume", "disk/o")  # after space was freed
        self.assertEqual(len(keys(self.dir / "disk/o")), 24)
        check_epochs(self, self.dir / "disk/o")

    def test_a_disk_that_is_read_only(self):
        self.mounted("1m")
        subprocess.run(["mount", "-o", "remount,ro", self.dir / "disk"], check=True)
        line = self.one_line_error_of_a_run(2, "--out", "disk/o")
        self.assertIn("disk/o: Read-only file system", line)
        line = self.one_line_error_of_a_run(3, env={"GPUBENCH_OUT": "disk/runs"})
        self.assertIn("disk/runs: Read-only file system", line)

    def one_line_error_of_a_run(self, exit, *args, **kwargs):
        result = self.gpubench("--plugin", plugin("ok_vector"), "--quick", *args, **kwargs)
        self.assertEqual(result.exit, exit, result)
        return result.err.splitlines()[-1]

    def test_a_folder_that_vanishes(self):
        process = self.start("--plugin", plugin("ok_vector"), "--out", "o", *LONG)
        samples = self.dir / "o/samples.csv"
        wait_for(lambda: samples.exists() and len(whole_rows(samples)) >= 20)
        subprocess.run(["rm", "-r", self.dir / "o"], check=True)
        result = self.finish(process, timeout=30)  # long before the case's time is over
        self.assertEqual(result.exit, 3, result)
        self.assertRegex(result.err.splitlines()[-1], r"o/\w+\.csv: cannot write: it was removed while the run went on")

    def test_full_copies(self):
        result = self.gpubench("--plugin", plugin("ok_vector"), "--quick", "--out", "o", "--csv", "/dev/full")
        self.assertEqual(result.exit, 3, result)
        self.assertIn("/dev/full: ", result.err)
        check_files(self, self.dir / "o")
        self.assertEqual(len(keys(self.dir / "o")), 6)


if __name__ == "__main__":
    main()
