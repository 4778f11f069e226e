"""--jobs: the cases of a run are shared by several GPUs of a host, one process per GPU, and merged into one run."""

import os
import re
import shutil
import signal
import time
from pathlib import Path

from run import PATIENCE, GpubenchTest, main, plugin
from safety import check_epochs, check_files, environment, whole_rows

CASES = 7
KEY = ("case_key", "variant", "mode")


class JobsTest(GpubenchTest):
    def script(self, name, device="", sections=""):
        noise = "sample_sd = 0.004\nslot_sd = 0.001\n"
        (self.dir / f"{name}.ini").write_text(
            f"[device]\nname = Test GPU\nuuid = GPU-{name}\nthreads = 2\ntick_ns = 32\nseed = 3\n{device}{sections}"
            f"[twice]\nns = 100000\n{noise}[blocked]\nns = 47000\n{noise}[*]\nns = 50000\n{noise}")
        return f"fake:{name}.ini"

    def two(self, device=""):
        return ",".join(self.script(name, device) for name in "ab")

    def vector(self, *args, device=None, run=None, axis="n=8:512:x2", **kwargs):
        return (run or self.ok)("--plugin", plugin("ok_vector"), "-a", axis, "--device", device or self.two(),
                                "--case-time", "600", *args, **kwargs)

    def words(self, run):
        return sorted(tuple(row[name] for name in (*KEY, "status", "verdict", "fastest", "baseline")) for row in self.rows(self.dir / run))

    def numbers(self, job):
        """Returns the numbers of the cases in a job's run.ini."""
        path = self.dir / f"o/jobs/{job}/run.ini"
        return [int(number) for number in re.findall(r"(?m)^\[case-(\d+)\]", path.read_text())] if path.exists() else []

    def claims(self):
        """Maps each case that was begun to (job that began it, job to which its share belonged)."""
        return {int(path.name): tuple(map(int, path.read_text().split())) for path in (self.dir / "o/jobs/claims").glob("[0-9]*")}

    def check_claims(self):
        """Checks, as must hold at any moment, that the job that began a case can resume it. Returns took()."""
        claims, numbers = self.claims(), {i: self.numbers(i) for i in (1, 2)}
        for number, (by, _) in claims.items():
            self.assertIn(number, numbers[by], claims)
        return self.took()

    @property
    def go(self):
        return self.dir / "go"

    def waiting(self, name, *cases):
        """Returns a device on which work of these cases ends only once `self.go` exists, so that the order of events
        does not depend on the load of the machine."""
        section = f"ns = 100000\nsample_sd = 0.004\nslot_sd = 0.001\nuntil = {self.go}\n"
        return self.script(name, sections="".join(f"[{case} twice]\n{section}" for case in cases))

    def late(self):
        """Returns two devices; the second waits in its first case, and the first in the other cases of the second, so
        that it does not end before a test has looked."""
        return self.waiting("a", "*n=64,*", "*n=256,*") + "," + self.waiting("b", "*n=*")

    def took(self):
        """Returns how many cases were begun by another job than the one to which they belonged."""
        return sum(by != of for by, of in self.claims().values())

    def devices(self, run):
        return {row["devices"] for row in self.rows(self.dir / run)}

    def wait_for(self, what, process):
        for _ in range(30000):
            if what():
                return
            time.sleep(0.01)
        self.fail(f"not within five minutes: {self.finish(process)}")

    def start_jobs(self, device, *args):
        return self.start("--plugin", plugin("ok_vector"), "-a", "n=8:512:x2", "--device", device, "--case-time", "600", "--timeout", "600",
                          "--jobs", "2", "--out", "o", *args)

    def at_once(self, device, *args):
        """Starts two jobs that run at the same time. On a busy machine the check for disturbance may fail, so it tries
        three times."""
        for _ in range(3):
            shutil.rmtree(self.dir / "o", ignore_errors=True)
            process = self.start_jobs(device, *args)
            self.wait_for((self.dir / "o/jobs/1").exists, process)
            if (self.dir / "o/jobs/claims/open").exists():
                return process
            os.kill(process.pid, signal.SIGKILL)
            self.finish(process)
        self.skipTest("this machine is too busy for two jobs at the same time")

    def begin_late(self, *args):
        """Starts two jobs. The second waits in its first case, and the first has taken over another case from it."""
        self.go.unlink(missing_ok=True)
        process = self.at_once(self.late(), *args)
        self.wait_for(self.took, process)
        return process

    def taken_over(self, *args):
        process = self.begin_late(*args)
        self.go.touch()
        done = self.finish(process)
        self.assertEqual(done.exit, 0, done)
        return done

    def begin(self):
        """Starts two jobs, each of which has finished one case and waits in its second."""
        self.go.unlink(missing_ok=True)
        process = self.at_once(self.waiting("a", "*n=32,*") + "," + self.waiting("b", "*n=64,*"))
        paths = [self.dir / f"o/jobs/{i}/results.csv" for i in (1, 2)]
        self.wait_for(lambda: all(path.exists() and len(whole_rows(path)) == 3 for path in paths), process)
        self.wait_for(lambda: len(self.claims()) == 4, process)
        return process

    def find_pid(self, process, word):
        for path in Path("/proc").glob("[0-9]*"):
            try:
                words = (path / "cmdline").read_bytes().split(b"\0")
                parent = re.search(r"PPid:\s*(\d+)", (path / "status").read_text())[1]
            except OSError:
                continue
            if int(parent) == process.pid and word.encode() in words:
                return int(path.name)
        return None

    def pid_of(self, process, word):
        pid = self.find_pid(process, word)
        self.assertIsNotNone(pid, f"no job with {word}")
        return pid

    def complete(self, before, taken=None):
        """Resumes the run on devices that do not wait: measured rows are kept, and nothing is taken over."""
        self.two()
        done = self.ok("--resume", "o")
        self.assertNotIn("taken over from", done.err)
        if taken is not None:
            self.assertEqual(environment(self.dir / "o")["taken_over"].split()[0], taken)
        rows = self.rows(self.dir / "o")
        self.assertEqual(len(rows), 3 * CASES, done)
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        after = {tuple(row[name] for name in KEY): row["median_raw_ns"] for row in rows}
        self.assertEqual({key: after[key] for key in before}, before)
        check_epochs(self, self.dir / "o")

    def kept(self):
        """Returns the times of the rows of completed cases."""
        cases = {}
        for path in (self.dir / "o/jobs").glob("[12]/results.csv"):
            for row in whole_rows(path):
                cases.setdefault(row["case_key"], []).append(row)
        return {tuple(row[name] for name in KEY): row["median_raw_ns"] for rows in cases.values() for row in rows
                if len(rows) == 3 and all((r["status"], r["stop_reason"]) == ("ok", "precision") for r in rows)}


class Jobs(JobsTest):
    """Results and output of --jobs."""

    def test_as_one_run(self):
        self.vector("--out", "whole", device=self.script("a"))
        # --against prevents taking over.
        done = self.vector("--jobs", "all", "--out", "o", "--json", "o.json", "--against", "last")
        self.assertRegex(done.out, r"interference +not disturbed: fake:[ab]\.ini: calibrate/\S+ \w+ takes [0-9.]+ us alone and [0-9.]+ us beside")
        self.assertRegex(done.out, r"jobs +2 at the same time: fake:a\.ini, fake:b\.ini")
        self.assertIn("Put together from 3 shards on 2 GPUs", done.out)
        # The progress of all jobs is printed by the parent.
        self.assertRegex(done.err, r"(?m)^fake:a\.ini \[1/4\] vector/scale\[")
        self.assertRegex(done.err, r"(?m)^fake:b\.ini \[3/3\] vector/scale\[")
        self.assertEqual(self.words("o"), self.words("whole"))
        self.assertEqual(self.devices("o"), {"GPU-a", "GPU-b"})
        self.assertTrue((self.dir / "o/report.html").exists() and (self.dir / "o.json").exists())
        check_files(self, self.dir / "o")
        check_epochs(self, self.dir / "o")
        made = environment(self.dir / "o")
        self.assertEqual(made["jobs"], "2 at the same time: fake:a.ini, fake:b.ini")
        self.assertIn("not disturbed", made["interference"])
        for i in (1, 2, 3):  # each job has its own directory and log
            self.assertTrue((self.dir / f"o/jobs/{i}/run.ini").exists())
            self.assertFalse((self.dir / f"o/jobs/{i}/report.html").exists())  # there is one report, for all
            self.assertIn(f"shard {i} of 3", (self.dir / f"o/jobs/{i}.log").read_text())
        self.assertIn("was put together from shards", self.one_line_error(2, "--resume", "o"))

    def assert_processors_of_its_own(self):
        own = [environment(self.dir / f"o/jobs/{i}").get("affinity") for i in (1, 2)]
        if len(os.sched_getaffinity(0)) > 1 and None not in own:
            self.assertNotEqual(*own)

    def test_each_has_processors_of_its_own(self):
        self.vector("--jobs", "2", "--verify-only", "--out", "o")
        self.assert_processors_of_its_own()

    def test_what_bears_no_neighbours(self):
        """Cases timed by the host's clock, or on several devices, run on the first GPU after the other jobs."""
        done = self.vector("--jobs", "2", "--mode", "cold,latency", "--quick", "--out", "o", axis="n=8,16")
        self.assertIn("Put together from 3 shards", done.out)
        modes = {i: {row["mode"] for row in self.rows(self.dir / f"o/jobs/{i}")} for i in (1, 2, 3)}
        self.assertEqual((modes[1] | modes[2], modes[3]), ({"cold"}, {"latency"}))
        self.assertEqual({row["devices"] for row in self.rows(self.dir / "o/jobs/3")}, {"GPU-a"})

    def test_neighbours_that_disturb(self):
        """One of the devices needs longer to open than a case is first measured."""
        bus, out = "bus = bus\nbus_factor = 1.3\n", "o"
        device = self.script("a", bus) + "," + self.script("b", bus + "open_s = 0.2\n")
        done = self.vector("--jobs", "all", "--out", out, device=device)
        self.assertRegex(done.out, r"interference +they disturb each other: fake:[ab]\.ini: calibrate/\S+ \w+ takes (49|50)\S* us alone and "
                                   r"6[4-6]\S* us beside the others, so one after the other")
        self.assertRegex(done.out, r"jobs +2, one after the other: fake:a\.ini, fake:b\.ini")
        self.assertIn("one after the other", environment(self.dir / out)["jobs"])
        self.assertEqual(self.devices(out), {"GPU-a", "GPU-b"})
        # Jobs that do not overlap take nothing over.
        self.assertEqual([len(self.numbers(i)) for i in (1, 2, 3)], [4, 3, 0])
        self.assertNotIn("taken_over", environment(self.dir / out))
        self.assertNotIn("taken over", done.err)
        self.assert_processors_of_its_own()  # as for jobs at the same time, so that the two can be compared
        for row in self.rows(self.dir / out):  # none of them ran at the same time as another job
            truth = {"plain": 50000, "twice": 100000, "blocked": 47000}[row["variant"]]
            self.assertAlmostEqual(self.number(row, "median_raw_ns"), truth, delta=truth * 0.01)

    def test_what_was_not_at_the_same_time(self):
        device = self.script("a") + "," + self.script("b", "open_s = 8\n")
        # Limits the test for disturbance to cases of 2 s.
        done = self.vector("--jobs", "all", "--out", "o", "--max-time", "70", axis="n=8,16", device=device)
        self.assertRegex(done.out, r"interference +not known: not all of them could be measured at the same time, so one after the other")
        self.assertIn("one after the other", environment(self.dir / "o")["jobs"])

    def test_what_cannot_be_looked_at(self):
        """A GPU that cannot be opened: the jobs run one after the other, and the GPU is named."""
        self.script("a")
        self.script("b", "absent = 1\n")
        done = self.vector("--jobs", "all", "--out", "o", device="fake:a.ini,fake:b.ini", run=self.gpubench)
        self.assertEqual(done.exit, 4, done)
        self.assertIn("not known: fake:b.ini could not be measured", done.out)
        self.assertIn("job 2 of 3, on fake:b.ini, ended with exit code 4", done.err)
        self.assertIn("gpubench --resume o goes on", done.err)
        self.script("b")  # the device works again
        self.ok("--resume", "o")
        self.assertEqual(len(self.rows(self.dir / "o")), 3 * CASES)

    def test_one_job(self):
        done = self.vector("--jobs", "1", "--out", "o")
        self.assertRegex(done.out, r"jobs +1: fake:a\.ini")
        self.assertEqual(self.devices("o"), {"GPU-a"})
        self.assertNotIn("interference", environment(self.dir / "o"))

    def test_a_dry_run(self):
        done = self.vector("--jobs", "all", "--dry-run")
        keys = re.findall(r"(?m)^vector/scale\[n=(\d+)", done.out)
        self.assertEqual(sorted(map(int, keys)), [8, 16, 32, 64, 128, 256, 512])
        self.assertEqual([p.name for p in self.dir.iterdir() if p.is_dir() and p.name == "gpubench-out"], [])

    def test_one_exit_code(self):
        self.vector("--jobs", "2", "--out", "old", "--against", "last")
        self.two()
        for name in "ab":  # everything takes a tenth longer now
            path = self.dir / f"{name}.ini"
            path.write_text(re.sub(r"ns = (\d+)", lambda m: f"ns = {int(m[1]) * 11 // 10}", path.read_text()))
        done = self.vector("--jobs", "2", "--out", "new", "--against", "old", "--fail-on", "slower", "--restarts", "3",
                           device="fake:a.ini,fake:b.ini", run=self.gpubench)
        self.assertEqual(done.exit, 1, done)
        self.assertTrue((self.dir / "new/against.csv").exists())

    def test_slips(self):
        two = ("--plugin", plugin("ok_vector"), "--device", self.two(), "--out", "o")
        for args, text in ((("--jobs", "3"), "--jobs 3: there are 2 devices"), (("--jobs", "0"), "--jobs '0' is neither all nor a number"),
                           (("--jobs", "some"), "--jobs 'some' is neither all"), (("--jobs", "2", "--shard", "1/2"), "does not go with --shard"),
                           (("--jobs", "2", "--profile"), "--jobs does not go with --profile"),
                           (("--jobs", "2", "--in-process"), "--jobs does not go with --in-process"),
                           (("--jobs", "2", "--against", "nothing/there"), "no run 'nothing/there'")):
            arguments = two[:4] if "--profile" in args else two
            self.assertIn(text, self.one_line_error(2, *arguments, *args))
            self.assertFalse((self.dir / "o").exists())
        done = self.gpubench(*two, "--jobs", "2", "--bench", "nothing", "--verify-only")
        self.assertEqual(done.exit, 2, done)
        self.assertIn("'nothing'", done.err)
        self.assertFalse((self.dir / "o").exists())  # nothing was measured


class TakenOver(JobsTest):
    """A job that has finished its share takes over cases of the others."""

    def test_who_is_done_takes_over(self):
        self.vector("--out", "whole", device=self.script("a"))
        done = self.taken_over("--json", "o.json")
        self.assertEqual(self.words("o"), self.words("whole"))
        taken = sorted(re.findall(r"(?m)^fake:a\.ini gpubench: taken over from job 2: (\S+)$", done.err))
        self.assertTrue(taken, done.err)
        self.assertRegex(done.out, rf"(?m)^taken_over +{len(taken)} cases?, by a job that was done with its own$")
        self.assertEqual(environment(self.dir / "o")["taken_over"].split()[0], str(len(taken)))
        self.assertEqual(sorted(re.findall(r"(?m)^fake:b\.ini gpubench: taken over by job 1: (\S+)$", done.err)), taken)
        self.assertIn("taken over from job 2", (self.dir / "o/jobs/1.log").read_text())
        rows = {i: {row["case_key"] for row in self.rows(self.dir / f"o/jobs/{i}")} for i in (1, 2)}
        self.assertLessEqual(set(taken), rows[1])
        self.assertEqual(sorted(self.numbers(1) + self.numbers(2)), list(range(1, CASES + 1)))
        self.assertEqual([len(rows[i]) for i in (1, 2)], [4 + len(taken), 3 - len(taken)])
        # Each counts its own cases.
        self.assertRegex(done.err, rf"(?m)^fake:a\.ini \[{4 + len(taken)}/{4 + len(taken)}\] ")
        self.assertEqual(self.numbers(3), [])
        self.assertFalse((self.dir / "o/jobs/claims").exists())  # no longer needed
        check_files(self, self.dir / "o")
        check_epochs(self, self.dir / "o")
        self.ok("--suite", "o/run.ini", "--dry-run", "--device", "fake:a.ini")

    def test_who_is_alone_stays_alone(self):
        """Cases that need the machine to themselves wait until the other jobs have ended, whichever job is idle."""
        done = self.taken_over("--mode", "cold,latency")
        self.assertRegex(done.out, "(?m)^taken_over +[12] cases?, ")
        self.assertEqual({row["mode"] for i in (1, 2) for row in self.rows(self.dir / f"o/jobs/{i}")}, {"cold"})
        self.assertEqual({row["mode"] for row in self.rows(self.dir / "o/jobs/3")}, {"latency"})
        self.assertEqual(len(self.rows(self.dir / "o")), 2 * CASES * 3)

    def test_what_is_held_against_another_run(self):
        """--against prevents taking over, because a row is compared with a row of the same GPU."""
        self.vector("--jobs", "2", "--out", "old", "--against", "last")
        process = self.start_jobs(self.late(), "--against", "old")
        path = self.dir / "o/jobs/1/results.csv"
        self.wait_for(lambda: path.exists() and len(whole_rows(path)) == 3 * 4, process)
        # Although the second is in its first case.
        self.wait_for(lambda: self.find_pid(process, "--shard=1/3") is None, process)
        self.go.touch()
        done = self.finish(process)
        self.assertEqual(done.exit, 0, done)
        self.assertEqual([len(self.numbers(i)) for i in (1, 2)], [4, 3])
        self.assertNotIn("taken over", done.err)

    def test_only_what_there_is_time_for(self):
        """The second device never reaches its precision, so its case takes all of the time."""
        # Few samples per slot, for small files.
        never = self.script("a") + "," + self.script("b", sections="[*n=* twice]\nns = 1e7\nslot_sd = 1\n")
        for seconds in (12, 48, 192):  # on a slow machine the test for disturbance takes all of the shorter ones
            shutil.rmtree(self.dir / "o", ignore_errors=True)
            begun = time.monotonic()
            done = self.vector("--jobs", "2", "--max-time", str(seconds), "--out", "o", device=never, run=self.gpubench)
            self.assertLess(time.monotonic() - begun, seconds * PATIENCE)
            rows = self.rows(self.dir / "o")
            if any(row["status"] == "ok" for row in rows):
                break
        self.assertEqual(done.exit, 0, done)
        self.assertEqual(len(rows), 3 * CASES, done)
        for row in rows:
            self.assertTrue(row["status"] == "ok" or row["stop_reason"] == "max_time", row)
        for i in (1, 2):
            self.assertLess(float(environment(self.dir / f"o/jobs/{i}")["wall_s"]), seconds + 3 * PATIENCE)
        self.assertEqual(sorted(self.numbers(1) + self.numbers(2)), list(range(1, CASES + 1)))

    def test_a_part_of_one_s_own_is_nobody_s(self):
        """A plain --shard ignores the claims of other jobs, even in its own parent folder."""
        (self.dir / "s/claims").mkdir(parents=True)
        (self.dir / "s/claims/1").write_text("2 1\n")
        self.vector("--shard", "1/2", "--out", "s/1", device=self.script("a"))
        self.assertEqual(len(self.rows(self.dir / "s/1")), 3 * 4)
        self.assertEqual([path.name for path in (self.dir / "s/claims").iterdir()], ["1"])

    def test_killed_when_it_took_over(self):
        for words in (["--shard=1/3"], ["--shard=2/3"], ["--shard=1/3", "--shard=2/3"], []):
            with self.subTest(killed=words):
                process = self.begin_late()
                for pid in [self.pid_of(process, word) for word in words] or [process.pid]:
                    os.kill(pid, signal.SIGKILL)
                self.go.touch()  # the remaining processes go on
                self.finish(process)
                self.assertFalse((self.dir / "o/run.ini").exists())
                taken = self.check_claims()
                self.assertGreaterEqual(taken, 1)
                self.complete(self.kept(), str(taken))

    def test_killed_at_any_moment(self):
        """The run may have ended before the kill."""
        for i, word in enumerate(("--shard=2/3", "--shard=1/3", None, "--shard=2/3")):
            with self.subTest(killed=word or "the first", moment=i):
                process = self.begin_late()
                self.go.touch()
                time.sleep(0.2 * i)
                pid = self.find_pid(process, word) if word else process.pid
                if pid is not None:
                    os.kill(pid, signal.SIGKILL)
                self.finish(process)
                self.check_claims()
                if not (self.dir / "o/run.ini").exists():
                    self.complete(self.kept())
                self.assertEqual(sorted(self.numbers(1) + self.numbers(2)), list(range(1, CASES + 1)))


class Ended(JobsTest):
    """Jobs that are killed or interrupted."""

    def test_killed_while_it_was_put_together(self):
        process = self.begin()
        os.kill(process.pid, signal.SIGKILL)
        self.finish(process)
        for name in ("results.csv", "samples.csv"):
            (self.dir / "o" / name).write_text("case_")
        self.complete(self.kept())

    def test_one_is_killed(self):
        process = self.begin()
        os.kill(self.pid_of(process, "--shard=2/3"), signal.SIGKILL)
        self.go.touch()
        done = self.finish(process)
        self.assertEqual(done.exit, 3, done)
        self.assertIn("job 2 of 3, on fake:b.ini, was killed by SIGKILL", done.err)
        self.assertIn("gpubench --resume o goes on", done.err)
        self.assertFalse((self.dir / "o/results.csv").exists())
        claims = self.claims()  # the other job continued to its end, including all cases that this one had not begun
        self.assertEqual(len(claims), CASES, claims)
        self.assertEqual(len(whole_rows(self.dir / "o/jobs/1/results.csv")), 3 * sum(by == 1 for by, _ in claims.values()), claims)
        self.check_claims()
        self.assertTrue(self.kept())
        self.complete(self.kept())

    def test_an_interruption_ends_all(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.begin()
            os.kill(process.pid, number)
            done = self.finish(process)
            self.assertEqual(done.exit, 128 + number, done)
            self.assertIn("gpubench --resume o goes on", done.err)
            self.assertTrue(self.kept())
            self.complete(self.kept())
            self.ok("report", "o")
            (self.dir / "o").rename(self.dir / f"o{number}")

    def test_the_first_is_killed(self):
        """The jobs end with the parent."""
        process = self.begin()
        jobs = [self.pid_of(process, f"--shard={i}/3") for i in (1, 2)]
        os.kill(process.pid, signal.SIGKILL)
        self.finish(process)
        for pid in jobs:
            for _ in range(600):
                if not Path(f"/proc/{pid}").exists():
                    break
                time.sleep(0.05)
            self.assertFalse(Path(f"/proc/{pid}").exists())
        self.assertTrue(self.kept())
        self.complete(self.kept())


if __name__ == "__main__":
    main()
