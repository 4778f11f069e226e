"""Optional services for plugins, end to end: notes, options, scratch directories, metrics and spans; refusals; and that
nothing is left in the scratch folder, whichever process is killed, and nothing outside it is touched."""

import json
import os
import re
import signal
import time

from run import GpubenchTest, main, members, plugin, read_csv


class Services(GpubenchTest):
    def setUp(self):
        super().setUp()
        self.scratch = self.dir / "scratch"
        self.scratch.mkdir()
        self.bait = self.dir / "bait"
        (self.bait / "inner").mkdir(parents=True)
        (self.bait / "file").write_text("precious")
        (self.bait / "inner" / "file").write_text("precious")

    def left(self):
        return sorted(os.listdir(self.scratch))

    def check_bait(self):
        self.assertEqual((self.bait / "file").read_text(), "precious")
        self.assertEqual((self.bait / "inner" / "file").read_text(), "precious")

    def measure(self, out, *args, name="ok_services"):
        result = self.gpubench("--plugin", plugin(name), "--case-time", "0.2", "--ceilings", "off", "--scratch", self.scratch, "--out", out,
                               *args)
        return result, {row["variant"]: row for row in read_csv(self.dir / out / "results.csv")}

    # ---- Correct use ----

    def test_all_five(self):
        result, rows = self.measure("o", "--option", "services.threads=8", "--option", "services.path=/a;b=c, d",
                                    "-v", "--restarts", "2", "--json", "o.json", "--wide-csv", "wide.csv")
        self.assertEqual(result.exit, 0, result)
        self.assertEqual(self.left(), [])
        self.assertEqual(rows["staged"]["notes"], "how=read;threads=8;share=0.5;path=/a%3Bb%3Dc, d;left=1")
        self.assertIn("staged: how read, threads 8, share 0.5, path /a;b=c, d", result.err)
        self.assertNotIn("\x1b", result.err + result.out)
        self.check_metrics(result)
        self.check_spans()

    def check_metrics(self, result):
        metrics = read_csv(self.dir / "o" / "metrics.csv")
        self.assertEqual({m["epoch"] for m in metrics}, {"1", "2"})
        self.assertEqual({m["metric"] for m in metrics if m["variant"] == "staged"}, {"wait", "runs", "file", "seen"})
        samples = read_csv(self.dir / "o" / "samples.csv")
        for m in metrics:  # a value for each sample, none for calls that were not timed
            if m["metric"] == "runs":
                timed = [s for s in samples if s["variant"] == m["variant"] and s["epoch"] == m["epoch"]]
                self.assertEqual(int(m["n"]), len(timed), m)
                self.assertEqual(float(m["value"]), len(timed), m)
            if m["metric"] == "file":
                self.assertEqual((m["value"], m["n"], m["unit"], m["better"]), ("16384", "1", "B", "less"))
        self.assertNotIn("never", {m["metric"] for m in metrics})
        self.assertRegex(result.out, r"staged: wait [0-9.]+ \[[0-9.]+, [0-9.]+\] us")
        self.assertIn("values that are no numbers of metric odd", result.err)
        wide = {row["variant"]: row for row in read_csv(self.dir / "wide.csv")}
        self.assertEqual(wide["staged"]["metric.file"], "16384")
        self.assertEqual(wide["plain"]["metric.file"], "")
        listed = json.loads((self.dir / "o.json").read_text())
        file = [m for m in listed["metrics"] if m["name"] == "file"]
        self.assertEqual([(m["value"], m["unit"], m["processes"]) for m in file], [(16384, "B", 2)])
        self.assertEqual(listed["rows"][file[0]["row"]]["variant"], "staged")

    def check_spans(self):
        spans = read_csv(self.dir / "o" / "spans.csv")
        staged = [s for s in spans if s["variant"] == "staged"]
        self.assertEqual([s["label"] for s in staged if s["lane"] == "read"], [f"chunk {i}" for i in range(8)])
        self.assertEqual(len({s["epoch"] for s in staged}), 1)
        for s in staged:
            self.assertLessEqual(0, int(s["begin_ns"]))
            self.assertLessEqual(int(s["begin_ns"]), int(s["end_ns"]))
        self.assertEqual(len([s for s in spans if s["variant"] == "hostile"]), 4096)
        page = (self.dir / "o" / "report.html").read_text()
        for part in ('id="timelines"', 'class="plain metrics"', ">bottleneck: flood, busy "):
            self.assertTrue(part in page, part)
        self.assertTrue(re.search(r">bottleneck: (read|double), busy [0-9.]+% of [0-9.]+ [num]?s; overlap ", page))
        for part in ("<script>alert", "<b>\\N"):
            self.assertFalse(part in page, part)

    def test_one_process_has_its_spread(self):
        result, _ = self.measure("o")
        self.assertEqual(result.exit, 0, result)
        self.assertRegex(result.out, r"plain: rate [0-9.e+]+ \(std dev [0-9.e+]+\) items/s")
        again = self.gpubench("report", "o")
        self.assertIn("metrics\n", again.out)

    def test_each_table_of_a_page_has_its_name(self):
        result = self.gpubench("--plugin", plugin("ok_services"), "--case-time", "0.2", "--ceilings", "off", "--mode", "cold,hot", "--out", "o")
        self.assertEqual(result.exit, 0, result)
        regions = re.findall(r'role="region" aria-label="([^"]*)"', (self.dir / "o/report.html").read_text())
        self.assertEqual(sorted(regions), sorted(set(regions)))
        self.assertEqual(sum(region.endswith(": metrics") for region in regions), 2, regions)

    def test_list_shows_options(self):
        result = self.gpubench("list", "--plugin", plugin("ok_services"))
        self.assertEqual(result.exit, 0, result)
        self.assertRegex(result.out, r"option +services\.threads i64  2  of 1:64  -- threads that it may take")
        self.assertRegex(result.out, r"option +services\.how str  read  of read,mmap")
        listed = json.loads(self.gpubench("list", "--json", "--plugin", plugin("ok_services")).out)
        options = {o["name"]: o for o in listed["plugins"][0]["options"]}
        self.assertEqual(options["nap_ms"], {"name": "nap_ms", "type": "i64", "unit": "ms", "summary": "in prepare",
                                             "choices": ":600000", "value": "0"})

    # ---- Options ----

    def test_options_are_checked_before_anything_runs(self):
        for given, expected in {
                "services.thread=3": "option 'services.thread' is no option of that plugin; nearest 'services.threads'",
                "service.threads=3": "option 'service.threads' names no plugin of this run; nearest 'services.threads'",
                "services.threads=65": "65 is above 64, the most",
                "services.threads=0": "0 is below 1, the least",
                "services.how=rea": "'rea' is not among read,mmap",
                "services.threads=1,2": "'1,2' is 2 values, not one",
                "services.share=x": "'x' is not a finite number",
                "services.path=a\nb": "control characters",
                "nothing": "--option 'nothing' is not PLUGIN.NAME=VALUE"}.items():
            with self.subTest(given):
                line = self.one_line_error(2, "--plugin", plugin("ok_services"), "--option", given, "--out", "no")
                self.assertIn(expected, line)
                self.assertFalse((self.dir / "no").exists())
        self.assertIn("a run has one value for each option",
                      self.one_line_error(2, "--plugin", plugin("ok_services"), "--option", "services.threads=2",
                                          "--option", "services.threads=3"))

    def test_suites_repeat_them(self):
        _, rows = self.measure("o", "--option", "services.threads=8", "--option", "services.path=/a, b;c=%41")
        ini = (self.dir / "o" / "run.ini").read_text()
        self.assertIn("setting.services.threads = 8\n", ini)
        self.assertIn("setting.services.share = 0.5\n", ini)  # defaults, too, because they may change
        again = self.gpubench("--suite", "o/run.ini", "--scratch", self.scratch, "--restarts", "1", "--ceilings", "off", "--out", "p")
        self.assertEqual(again.exit, 0, again)
        notes = {row["variant"]: row["notes"] for row in read_csv(self.dir / "p" / "results.csv")}
        self.assertEqual(notes["staged"], rows["staged"]["notes"])
        self.assertIn("threads=8", notes["staged"])
        other = self.gpubench("--suite", "o/run.ini", "--scratch", self.scratch, "--restarts", "1", "--ceilings", "off", "--out", "q",
                              "--option", "services.threads=3")
        self.assertEqual(other.exit, 0, other)
        self.assertIn("setting.services.threads = 3\n", (self.dir / "q" / "run.ini").read_text())
        text = re.sub(r"services.threads=8", "services.threads=9", re.sub(r"\[case-1\]", "[case-2]", ini))
        (self.dir / "two.ini").write_text(ini + text[text.index("[case-2]"):])
        line = self.one_line_error(2, "--suite", "two.ini")
        self.assertIn("is '8' in", line)
        self.assertIn("and '9' in", line)
        result = self.gpubench("compare", "o", "q")
        self.assertRegex(result.out + result.err, r"services\.threads[^\n]*8[^\n]*3")

    def test_resume_refuses_other_values(self):
        self.measure("o", "--option", "services.threads=8")
        self.assertEqual(self.gpubench("--resume", "o", "--option", "services.threads=8").exit, 0)
        line = self.one_line_error(2, "--resume", "o", "--option", "services.threads=9")
        self.assertIn("setting.services.threads was '8', now it is '9'", line)

    # ---- Misuse ----

    def test_misuse_is_told(self):
        result, rows = self.measure("o", name="bad_services")
        self.assertEqual(result.exit, 3, result)
        rows = {(row["bench"], row["variant"]): row for row in read_csv(self.dir / "o" / "results.csv")}
        expected = {
            "note-name": "note key 'no name' is not a valid name", "option-late": "'late' was not declared in open",
            "option-type": "option 'number' is i64, asked for as str",
            "metric-unknown": "metric 'nobody' was not declared in setup",
            "metric-declared": "declare is for setup, not prepare", "span-prepare": "wanted is for run, not prepare",
            "backwards": "begins at 2000 ns and ends before, at 1000", "elsewhen": "lies days away from now",
            "before-alloc": "before: gb.mem/1 alloc is for setup and prepare, not before",
            "before-fails": "before: nothing is cold", "before-umask": "run changed the umask to 0000 (or before did)",
            "scratch-run": "setup, prepare, before, reference and verify, not run"}
        for variant, message in expected.items():
            row = rows["misuse/misuse", variant]
            self.assertEqual(row["status"], "error", row)
            self.assertIn(message, row["message"])
        self.assertEqual(rows["misuse/misuse", "good"]["status"], "ok")
        self.assertEqual(rows["misuse/misuse", "nan"]["status"], "ok")
        self.assertIn("metric 'm32' is one more than 32", rows["misuse/many", "good"]["message"])
        for bench, variant in (("misuse/unknown", "good"), ("misuse/misuse", "note-many"),
                               ("misuse/misuse", "note-long")):
            self.assertEqual(rows[bench, variant]["status"], "ok")
        for line in ("misuse/unknown: left out: metric '.*': better is 7, known are 0 to 2",
                     "misuse/misuse/note-many: left out: note 'k16' is one more than 16",
                     "misuse/misuse/note-long: left out: note 'long' has more than 255 bytes"):
            self.assertRegex(result.err, rf"(?m)^gpubench: .*{line}$")
        metrics = [m for m in read_csv(self.dir / "o" / "metrics.csv") if m["variant"] == "nan"]
        self.assertEqual({m["metric"] for m in metrics}, {"m2"})  # the others are not finite, or their sum is not
        self.assertRegex(rows["misuse/misuse", "nan"]["message"],
                         r"metric 'm0': (\d+) of \1 values not finite; metric 'm1': (\d+) of \2 values not finite; "
                         r"metric 'm3': its sum of \d+ values is too large")
        self.assertIn("gb.option/2 declare is for open: ignored", result.err)
        self.assertEqual(self.left(), [])

    # ---- Scratch ----

    def litter(self, hang=None, **more):
        env = {"SERVICES_BAIT": str(self.bait), **more}
        if hang is not None:
            env["SERVICES_HANG"] = str(hang)
        return self.start("--plugin", plugin("bad_services"), "--bench", "litter", "--quick", "--no-save", "--scratch",
                          self.scratch, env=env)

    def wait_for(self, condition, seconds=20):
        end = time.monotonic() + seconds
        while not condition() and time.monotonic() < end:
            time.sleep(0.02)
        self.assertTrue(condition())

    def test_litter_goes_and_bait_stays(self):
        result = self.finish(self.litter())
        self.assertEqual(result.exit, 0, result)
        self.assertEqual(self.left(), [])
        self.check_bait()
        self.assertNotIn("was not removed", result.err)

    def test_default_is_tmpdir(self):
        process = self.start("--plugin", plugin("ok_services"), "--quick", "--no-save", "--option",
                             "services.nap_ms=60000", env={"TMPDIR": str(self.scratch)})
        self.wait_for(lambda: any(name.startswith("gpubench-scratch-") for name in self.left()))
        name = next(name for name in self.left() if name.startswith("gpubench-scratch-"))
        self.assertEqual((self.scratch / name).stat().st_mode & 0o7777, 0o700)
        os.killpg(process.pid, signal.SIGINT)
        self.finish(process)
        self.assertEqual([n for n in self.left() if n.startswith("gpubench-scratch-")], [])

    def children(self, pid):
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/stat") as file:
                        fields = file.read().rpartition(")")[2].split()
                except OSError:
                    continue
                if int(fields[1]) == pid and fields[0] != "Z":
                    found.append(int(entry))
        return found

    def hanging(self):
        """Starts a run whose worker hangs in prepare while a child of it writes to the scratch folder. Returns the
        parent, the reaper, the worker and the flag file."""
        flag = self.dir / "flag"
        flag.unlink(missing_ok=True)
        process = self.litter(hang=flag)
        self.wait_for(flag.exists)
        self.wait_for(lambda: any((self.scratch / n / "case-2" / "held").exists() or
                                  (self.scratch / n / "case-1" / "held").exists() for n in self.left()))
        warden, = self.children(process.pid)
        worker, = self.children(warden)
        self.assertEqual(len(self.left()), 1)
        return process, warden, worker, flag

    def nobody_left(self, process):
        self.wait_for(lambda: members(process.pid) == [])

    def test_kill_of_a_worker(self):
        process, _, worker, flag = self.hanging()
        flag.unlink()
        before = self.left()
        os.kill(worker, signal.SIGKILL)
        self.wait_for(lambda: before[0] not in self.left())
        self.wait_for(flag.exists)  # the next worker hangs, too
        os.killpg(process.pid, signal.SIGINT)
        os.killpg(process.pid, signal.SIGINT)
        self.finish(process)
        self.wait_for(lambda: self.left() == [])
        self.check_bait()

    def test_kill_of_the_parent(self):
        process, _, _, _ = self.hanging()
        process.kill()
        self.finish(process)
        self.wait_for(lambda: self.left() == [])
        self.nobody_left(process)
        self.check_bait()

    def test_kill_of_the_warden(self):
        process, warden, _, flag = self.hanging()
        flag.unlink()
        before = self.left()
        os.kill(warden, signal.SIGKILL)
        self.wait_for(lambda: before[0] not in self.left())
        process.kill()
        self.finish(process)
        self.wait_for(lambda: self.left() == [])
        self.check_bait()

    def test_places_that_will_not_do(self):
        (self.dir / "file").write_text("")
        self.assertIn("is not a directory", self.one_line_error(2, "--plugin", plugin("ok_services"), "--scratch", "file"))
        self.assertIn("No such file", self.one_line_error(2, "--plugin", plugin("ok_services"), "--scratch", "nowhere"))
        shared = self.dir / "shared"
        shared.mkdir()
        shared.chmod(0o777)
        self.assertIn("anyone can rename files in",
                      self.one_line_error(2, "--plugin", plugin("ok_services"), "--scratch", "shared"))
        result = self.gpubench("--plugin", plugin("ok_services"), "--quick", "--out", "o",
                               # Reported only to the variant that asks for one.
                               env={"TMPDIR": str(self.dir / "nowhere")})
        rows = {row["variant"]: row for row in read_csv(self.dir / "o" / "results.csv")}
        self.assertEqual(rows["plain"]["status"], "ok", result)
        self.assertEqual(rows["staged"]["status"], "error")
        self.assertIn("No such file or directory", rows["staged"]["message"])

    def test_in_process(self):
        result, rows = self.measure("o", "--in-process", "--option", "services.threads=8")
        self.assertEqual(result.exit, 0, result)
        self.assertIn("threads=8", rows["staged"]["notes"])
        self.assertEqual(self.left(), [])


if __name__ == "__main__":
    main()
