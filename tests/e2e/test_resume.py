"""--resume: an interrupted run continues with the missing rows, and with nothing else."""

import shutil
import signal
import time

from run import GpubenchTest, main, plugin
from safety import check_epochs, check_files, environment, keys, whole_rows

CASES = "n=8:1k:x2"


class Resume(GpubenchTest):
    def vector(self, *args, out="o"):
        return ("--plugin", plugin("ok_vector"), "-a", CASES, *self.fake(twice=60000), "--out", out, *args)

    def interrupted(self, rows, *args, number=signal.SIGKILL, out="o"):
        """Sends the signal to a run when it has this many rows. The run is on the CPU, slow enough for that, and no row
        waits for further processes."""
        process = self.start("--plugin", plugin("ok_vector"), "-a", CASES, "--case-time", "0.3", "--precision", "0",
                             "--mode", "hot", "--ceilings", "off", "--restarts", "1", "--out", out, *args)
        results = self.dir / out / "results.csv"
        while not results.exists() or len(whole_rows(results)) < rows:
            time.sleep(0.01)
        process.send_signal(number)
        return self.finish(process)

    def lose(self, rows, out="o"):
        """Truncates a finished run as if it had been killed after this many rows, in the middle of the next one."""
        path = self.dir / out / "results.csv"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: rows + 1]) + lines[rows + 1][:70])
        return b"".join(lines[: rows - rows % 3 + 1])

    def refuses(self, text, *args, exit=2, out="o"):
        before = (self.dir / out / "results.csv").read_bytes()
        line = self.one_line_error(exit, "--resume", out, *args)
        self.assertIn(text, line)
        self.assertEqual((self.dir / out / "results.csv").read_bytes(), before)

    def test_what_is_there_stays_byte_for_byte(self):
        self.ok(*self.vector())
        whole, dir = keys(self.dir / "o"), self.dir / "o"
        kept = self.lose(11)
        result = self.ok("--resume", "o")
        self.assertIn("3 of 8 cases are there already", result.out)
        self.assertTrue((dir / "results.csv").read_bytes().startswith(kept))
        self.assertEqual(keys(dir), whole)
        self.assertTrue((dir / "report.html").exists())
        check_files(self, dir)
        check_epochs(self, dir)
        self.assertEqual({row["epochs"] for row in whole_rows(dir / "results.csv")[:9]}, {"1"})
        self.assertEqual({row["epochs"] for row in whole_rows(dir / "results.csv")[9:]}, {"2"})

    def test_run_ini_is_the_run_s_still(self):
        self.ok(*self.vector("--seed", "7", "--tag", "who=me", "--name", "night", "--require", "twice"))
        before, text = environment(self.dir / "o"), (self.dir / "o/run.ini").read_text()
        self.lose(4)
        self.ok("--resume", "o")
        after = environment(self.dir / "o")
        for name in ("name", "started_utc", "command", "seed", "require", "option.seed", "plugin.vector", "device"):
            self.assertEqual(after[name], before[name])
        self.assertIn("resumed_utc", after)
        for section in ("[tags]", "[case-1]"):
            self.assertEqual(*[t[t.index(section):].split("\n\n")[0] for t in (text, (self.dir / "o/run.ini").read_text())])
        self.assertEqual({row["seed"] for row in self.rows(self.dir / "o")}, {"7"})

    def test_nothing_is_missing(self):
        self.ok(*self.vector("--quick"))
        before = (self.dir / "o/results.csv").read_bytes()
        self.assertIn("8 of 8 cases are there already", self.ok("--resume", "o").out)
        self.assertEqual((self.dir / "o/results.csv").read_bytes(), before)

    def test_dry_run_shows_what_is_missing(self):
        self.ok(*self.vector("--quick"))
        self.lose(11)
        before = (self.dir / "o/results.csv").read_bytes()
        result = self.ok("--resume", "o", "--dry-run")
        self.assertEqual([line for line in result.out.splitlines() if line.startswith("vector/scale[")],
                         [f"vector/scale[n={n},dtype=fp32,a=2.5]" for n in (64, 128, 256, 512, 1024)])
        self.assertEqual((self.dir / "o/results.csv").read_bytes(), before)

    def test_after_a_kill(self):
        self.ok(*self.vector("--mode", "hot", out="whole"))
        self.interrupted(7)
        check_files(self, self.dir / "o")
        self.assertLess(len(keys(self.dir / "o")), 24)
        self.ok("--resume", "o")
        self.assertEqual(keys(self.dir / "o"), keys(self.dir / "whole"))
        check_epochs(self, self.dir / "o")

    def test_after_an_interruption(self):
        result = self.interrupted(7, number=signal.SIGINT)
        self.assertEqual(result.exit, 130, result)
        rows = whole_rows(self.dir / "o/results.csv")
        self.assertEqual(len(rows), 24)
        self.assertIn("not_run", {row["status"] for row in rows})
        self.ok("--resume", "o")
        rows = whole_rows(self.dir / "o/results.csv")
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertEqual(len(rows), 24)
        self.assertEqual(sorted(set(keys(self.dir / "o"))), sorted(keys(self.dir / "o")))
        check_epochs(self, self.dir / "o")

    def test_restarts_that_are_missing(self):
        """A case is complete only with all its processes."""
        process = self.start("--plugin", plugin("ok_vector"), "-a", "n=8,16", "--case-time", "0.3", "--precision", "0",
                             "--mode", "hot", "--restarts", "3", "--ceilings", "off", "--out", "o")
        samples = self.dir / "o/samples.csv"
        while not samples.exists() or not any(row["epoch"] == "2" for row in whole_rows(samples)):
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process).exit, 143)
        self.ok("--resume", "o")
        rows = self.rows(self.dir / "o")
        self.assertEqual([row["restarts"] for row in rows], ["3"] * 6)
        check_epochs(self, self.dir / "o")

    def test_a_limit_that_was_reached(self):
        self.gpubench("--plugin", plugin("ok_vector"), "-a", CASES, "--case-time", "0.2", "--precision", "0",
                      "--mode", "hot", "--max-time", "0.5", "--ceilings", "off", "--out", "o")
        rows = self.rows(self.dir / "o")
        self.assertIn("not_run", {row["status"] for row in rows})
        self.ok("--resume", "o", "--max-time", "60")
        self.assertEqual({row["status"] for row in self.rows(self.dir / "o")}, {"ok"})
        self.assertEqual(len(self.rows(self.dir / "o")), 24)

    def test_yardsticks_stay(self):
        self.ok("--plugin", plugin("ok_vector"), "-a", "n=8,16", "--case-time", "0.05", "--out", "o", timeout=300)
        rows = self.rows(self.dir / "o")
        yardsticks = [row for row in rows if row["plugin"] == "calibrate"]
        if not yardsticks:
            self.skipTest("no calibrate plugin in this build")
        before = environment(self.dir / "o")
        self.lose(len(rows) - 2)
        self.ok("--resume", "o")
        after = environment(self.dir / "o")
        self.assertEqual([row for row in self.rows(self.dir / "o") if row["plugin"] == "calibrate"], yardsticks)
        for name in before:
            if "ceiling" in name:
                self.assertEqual(after[name], before[name])
        self.assertEqual(len(self.rows(self.dir / "o")), len(rows))

    def test_failures_are_results(self):
        args = ("--plugin", plugin("bad_wrong"), "--quick", "--variant", "good,last,other", "--out", "o")
        self.assertEqual(self.gpubench(*args).exit, 3)
        before = (self.dir / "o/results.csv").read_bytes()
        self.assertEqual(self.gpubench("--resume", "o").exit, 3)
        self.assertEqual((self.dir / "o/results.csv").read_bytes(), before)

    def test_other_options_are_refused(self):
        self.ok(*self.vector("--seed", "5", "--precision", "1%", "--mode", "hot,cold"))
        self.lose(5)
        self.refuses("--seed was '5', now it is '6'", "--seed", "6")
        self.refuses("--precision was '0.01', now it is '0.02'", "--precision", "2%")
        self.refuses("--mode was 'hot,cold', now it is 'hot'", "--mode", "hot")
        self.refuses("--restarts was not given, now it is '2'", "--restarts", "2")
        self.refuses("--quick was not given, now it is '1'", "--quick")
        for option in (("--plugin", "x.so"), ("-a", "n=1"), ("--out", "p"), ("--case", "x"), ("--name", "x"),
                       ("--in-process",), ("--no-save",), ("--profile",)):
            self.refuses(f"{option[0] if option[0] != '-a' else '--axis'} does not go with --resume", *option)
        self.ok("--resume", "o", "--seed", "5", "--precision", "1%", "--timeout", "50", "-q")
        self.assertEqual(len(keys(self.dir / "o")), 48)

    def test_another_plugin_is_refused(self):
        path = self.dir / "mine.so"
        shutil.copy(plugin("ok_vector"), path)
        self.ok("--plugin", path, "-a", CASES, *self.fake(), "--out", "o")
        self.lose(5)
        with open(path, "ab") as file:
            file.write(b"\0")
        self.refuses("plugin.vector was 'sha256 ")
        path.unlink()
        self.refuses("not found")

    def test_another_device_is_refused(self):
        self.ok(*self.vector())
        self.lose(5)
        script = self.dir / "fake.ini"
        script.write_text(script.read_text().replace("[device]", "[device]\nname = other device"))
        self.refuses("the device was 'fake device', now it is 'other device'")
        self.refuses("the device was 'fake device', now it is ", "--device", "cpu")

    def test_what_is_no_run_is_refused(self):
        self.one_line_error(2, "--resume", "nowhere")
        self.one_line_error(2, "--resume", ".")
        (self.dir / "file").write_text("")
        self.one_line_error(2, "--resume", "file")

    def test_a_run_that_goes_on_is_refused(self):
        process = self.start("--plugin", plugin("ok_vector"), "--case-time", "20", "--precision", "0", "--ceilings", "off",
                             "--out", "o")
        while not (self.dir / "o/run.ini").exists():
            time.sleep(0.01)
        self.assertIn("another process still writes to it", self.one_line_error(3, "--resume", "o"))
        process.send_signal(signal.SIGINT)
        self.finish(process)

    def test_latest_is_the_resumed_run(self):
        self.ok("--plugin", plugin("ok_vector"), "-a", CASES, *self.fake())
        first = self.run_dir()
        path = first / "results.csv"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
        self.ok("--plugin", plugin("ok_vector"), "-a", CASES, *self.fake(), "--name", "second")
        self.assertNotEqual((self.dir / "gpubench-out/latest").resolve(), first)
        self.ok("--resume", first)
        self.assertEqual((self.dir / "gpubench-out/latest").resolve(), first)


    def test_the_last_run_may_have_been_killed(self):
        """`last` and `latest` mean the newest run here, although the link points to the last one that was finished;
        names are found, too."""
        self.ok("--plugin", plugin("ok_vector"), "-a", CASES, *self.fake(), "--name", "night")
        killed = self.run_dir()
        path = killed / "results.csv"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
        for name in ("last", "latest", "night"):
            (self.dir / "gpubench-out/latest").unlink()
            self.assertIn("cases are there already", self.ok("--resume", name).out)
            self.assertEqual((self.dir / "gpubench-out/latest").resolve(), killed)
        self.assertIn("nearest 'night'", self.one_line_error(2, "--resume", "nigth"))


if __name__ == "__main__":
    main()
