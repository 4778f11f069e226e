"""A run takes no longer than it announces, however slow its kernels are; rows that do not fit say so."""

import json
import os
import re
import signal
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from author import ROOT
from run import BIN, GpubenchTest, main, plugin

os.environ["GPUBENCH_FLUSH_BYTES"] = "0"  # flushing caches is part of the announced time

SLOW = plugin("ok_slow")


class Promise(GpubenchTest):
    def run_as_announced(self, *args, exit=0, out="o", **kwargs):
        """Returns the rows, the announced seconds, and the result."""
        start = time.monotonic()
        result = self.gpubench("--plugin", SLOW, "--out", out, *args, limited=False, timeout=120, **kwargs)
        self.took = time.monotonic() - start
        self.assertEqual(result.exit, exit, result)
        announced = float(re.search(r"^plan .*; at most ([\d.]+) s$", result.out, re.M)[1])
        self.assertLessEqual(self.took, announced, result)
        return self.rows(self.dir / out), announced, result

    def idle(self, planned):
        """Returns the seconds that an idle machine would have announced."""
        busy = re.search(r"(?m)^busy .*: times ([\d.]+) in the plan$", planned)
        return float(re.search(r"(?m)^plan .*; at most ([\d.]+) s$", planned)[1]) / (float(busy[1]) if busy else 1)

    def test_what_does_not_fit_is_not_run(self):
        # Each variant needs three rounds, warm-up calls and verification: together more than four times what an idle
        # machine announces.
        naps = ",".join(str(400 + n) for n in range(8))
        rows, announced, result = self.run_as_announced("--axis", f"ms={naps}", "--variant", "nap,again", "--case-time", "0.1", "--ceilings", "off")
        self.assertEqual(len(rows), 16)
        left_out = [row for row in rows if row["status"] == "not_run"]
        self.assertTrue(left_out and any(row["median_raw_ns"] for row in rows), result)
        for row in left_out:
            self.assertEqual(row["stop_reason"], "budget")
            self.assertRegex(row["message"], r"^(the announced \d+ s were over(; slow/slow\[.*\] took [\d.]+ s of them)?|a (call|slot) takes .* that there (are|were)): --max-time \d+s should do$")

    def test_who_hangs_is_named_and_the_others_are_measured(self):
        rows, _, _ = self.run_as_announced("--variant", "nap,stuck,again", "--quick", exit=3)
        by_name = {row["variant"]: row for row in rows}
        # On a busy machine there may be no time left to measure it alone: it is named, but has no verdict.
        self.assertIn(by_name["stuck"]["status"], ("timeout", "not_run"), by_name)
        self.assertRegex(by_name["stuck"]["message"], r"^(in company; cause not found before time was over: )?"
                         r"no return within [\d.]+ s \(--max-time allows more\) in run of slow/slow/stuck")
        for name in ("nap", "again"):
            self.assertEqual(by_name[name]["status"], "ok", by_name)

    def test_who_hangs_again_is_left_out(self):
        """The variant sleeps, because a spinning one is noticed late on a busy machine. tests/hangs/battery.py has all
        ways to hang."""
        begun = time.monotonic()
        result = self.gpubench("--plugin", plugin("hangs"), "--bench", "three", "--quick", "--max-time", "60", "--out", "o", env={"HANGS": "thread"})
        self.assertLess(time.monotonic() - begun, 62, result)
        self.assertEqual(result.exit, 3, result)
        rows = self.rows(self.dir / "o")
        trapped = [row for row in rows if row["variant"] == "trap"]
        self.assertEqual([row["status"] for row in trapped], ["timeout", "timeout", "skipped"], result)
        for row in trapped[:2]:
            self.assertRegex(row["message"], r"^no return within [\d.]+ s \(--max-time allows more\) in run of hangs/three/trap")
        self.assertRegex(trapped[2]["message"], r"^it did not return in 2 cases before, the last time: no return within [\d.]+ s")
        self.assertEqual([row["status"] for row in rows if row["variant"] != "trap"], ["ok"] * 6, result)

    def test_verifying_alone_has_a_bound(self):
        case = ("--plugin", plugin("hangs"), "--bench", "alone", "--verify-only")
        self.assertRegex(self.ok(*case, "--dry-run", limited=False).out, r"(?m)^plan .*, verified only, nothing timed; at most 4\d s$")
        begun = time.monotonic()
        result = self.gpubench(*case, "--out", "o", limited=False, env={"HANGS": "prepare"})
        self.assertLess(time.monotonic() - begun, 42, result)
        self.assertEqual([row["status"] for row in self.rows(self.dir / "o")], ["timeout"], result)

    def test_no_limit_is_named_where_none_was_reckoned(self):
        self.gpubench("--plugin", SLOW, "--axis", "ms=1000,1001,1002,1003,1004,1005", "--variant", "nap", "--verify-only", "--max-time", "4",
                      "--out", "o", limited=False)
        left_out = [row["message"] for row in self.rows(self.dir / "o") if row["status"] == "not_run"]
        self.assertTrue(left_out)
        for message in left_out:
            self.assertRegex(message, r"^'?--max-time was reached.*: --max-time allows more$")

    def test_a_trajectory_is_as_long_as_there_is_time(self):
        rows, _, result = self.run_as_announced("--axis", "ms=20", "--variant", "nap,again", "--mode", "latency", "--trajectory", "5000", "--ceilings", "off")
        for row in rows:
            self.assertEqual(row["status"], "ok", result)
            self.assertIn(row["stop_reason"], ("case_time", "budget"), result)
            self.assertGreaterEqual(int(row["rounds"]), 3)
            self.assertLess(int(row["samples"]), 5000)

    def test_waiting_for_another_run_is_not_its_time(self):
        case = ("--axis", "ms=1,2,3,4,5,6,7,8", "--variant", "nap,again", "--ceilings", "off", "--quick")
        planned = self.ok("--plugin", SLOW, *case, "--dry-run", limited=False).out
        first = self.start("--plugin", SLOW, "--axis", "ms=500", "--variant", "nap,again", "--case-time", "6", "--ceilings", "off", "--out", "first")
        while not (self.dir / "first/run.ini").exists():
            time.sleep(0.05)
        second = self.start("--plugin", SLOW, *case, "--out", "second", limited=False)
        self.assertEqual(self.finish(first).exit, 0)
        result = self.finish(second)
        self.assertLessEqual(abs(self.idle(planned) - self.idle(result.out)), 1, planned + result.out)

    def test_a_dry_run_announces_what_the_run_does(self):
        # A scripted device is never busy.
        (self.dir / "fake.ini").write_text("[device]\nceilings = 1\n[*]\nns = 200000000\n")
        case = ("--plugin", SLOW, "--device", f"fake:{self.dir}/fake.ini", "--axis", "ms=1,2,3,4", "--variant", "nap,again", "--case-time", "1")
        start = time.monotonic()
        planned = self.ok(*case, "--dry-run", limited=False).out
        took = [time.monotonic() - start]
        self.assertNotIn("calibrate", planned)  # the ceilings are in the announced time, but not in the list of cases
        without = self.ok(*case, "--dry-run", "--ceilings", "off", limited=False).out
        start = time.monotonic()
        run = self.start(*case, limited=False)
        plan = next(line.decode() for line in run.stdout if line.startswith(b"plan "))
        took.append(time.monotonic() - start)
        run.send_signal(signal.SIGINT)  # how many cases it completes depends on the machine
        self.finish(run)
        announced = [int(re.search(r"(?m)^plan .*; at most (\d+) s$", text)[1]) for text in (planned, plan, without)]
        # The announced time includes planning, which takes seconds on a busy machine.
        for one, other in ((0, 1), (1, 0)):
            self.assertLessEqual(announced[one] - int(took[one]), announced[other], (announced, took))
        self.assertLess(announced[2], announced[0])

    def test_defaults_keep_their_bounds_on_a_cpu(self):
        for line in (ROOT / "tests/defaults.list").read_text().splitlines():
            if line.startswith("#"):
                continue
            name, _, most = line.split()
            if not (Path(BIN).parents[1] / f"lib/gpubench/plugins/{name}.so").exists():
                continue  # data_pipeline needs liburing
            with self.subTest(name):
                start = time.monotonic()
                planned = self.ok("--plugin", f"{name}.so", "--device", "cpu", "--dry-run", limited=False).out
                planning = int(time.monotonic() - start)  # part of the announced time, and seconds on a busy machine
                self.assertLessEqual(self.idle(planned) - planning, 1.05 * float(most), planned)

    def naps(self):
        """Returns options for cases that reach their precision after the same number of calls on any machine, because
        their times are scripted."""
        (self.dir / "fake.ini").write_text("[device]\ntick_ns = 32\nseed = 3\n[*]\nns = 200000000\nsample_sd = 0.001\n")
        return ("--device", f"fake:{self.dir}/fake.ini", "--variant", "nap,again", "--axis", "ms=26,27,28,29,30,31", "--ceilings", "off")

    def test_what_the_announced_time_is_made_of(self):
        _, announced, result = self.run_as_announced(*self.naps(), "-v")
        pieces = dict(re.findall(r"(?m)^(\w[\w ,:]*\w) +(\d+\.\d) +\d+\.\d$", result.err))
        self.assertEqual(list(pieces), ["planning", "ceilings", "cases", "reserve: added processes", "more, if rows are slow", "end, reports, all between", "all"])
        self.assertEqual(float(pieces["all"]), announced)
        self.assertGreaterEqual(announced + 0.3, sum(map(float, list(pieces.values())[:-1])), result)

    def test_who_has_become_slow_does_not_break_it(self):
        case = self.naps()
        _, _, result = self.run_as_announced(*case, out="fast")
        self.assertNotIn("budget", result.out)
        rows, _, result = self.run_as_announced(*case, out="slow", env={"SLOW_TIMES": "12"})
        self.assertIn("budget", {row["stop_reason"] for row in rows}, result)
        self.assertTrue(any(row["median_raw_ns"] for row in rows), result)
        for row in rows:
            if row["status"] == "not_run":
                self.assertRegex(row["message"], r"^(the announced [\d.]+ s were over|a (call|slot) takes)")

    def test_max_time_is_said(self):
        result = self.ok("--plugin", SLOW, "--quick", "--variant", "nap,again", "--max-time", "77", "--dry-run")
        self.assertRegex(result.out, r"(?m)^plan .*; at most 77 s \(--max-time\)$")
        result = self.ok("--plugin", SLOW, "--quick", "--variant", "nap,again", "--max-time", "1234", "--dry-run")
        self.assertIn("; at most 1234 s (--max-time)\n", result.out)

    def test_what_a_limit_has_no_room_for_is_named_before(self):
        (self.dir / "fake.ini").write_text("[*]\nns = 200000000\nsample_sd = 0.001\n")
        naps = ",".join(str(300 + n) for n in range(8))
        case = ("--plugin", SLOW, "--device", f"fake:{self.dir}/fake.ini", "--axis", f"ms={naps}", "--variant", "nap,again", "--max-time", "4")
        planned = self.ok(*case, "--dry-run").out
        count, limit, keys = re.search(r"(?m)^no room +for (\d+) of the 8 cases, .*; --max-time (\d+)s should do: (.*)$", planned).groups()
        self.assertEqual(len(keys.split()), int(count))
        self.assertNotIn("no room", self.ok(*case[:-1], limit, "--dry-run").out)
        result = self.ok(*case, "--out", "o")
        self.assertIn(f"no room     for {count} of the 8 cases, ", result.out)
        for row in self.rows(self.dir / "o"):
            if row["status"] == "not_run":
                said = r"\(no room in the plan\)" if row["case_key"] in keys.split() else r"slow/slow\[ms=\d+\] took [\d.]+ s of them|a (call|slot) takes"
                self.assertRegex(row["message"], said)
                self.assertRegex(row["message"], r"--max-time \d+s should do$")

    def test_a_long_kernel_costs_nobody_else_a_row(self):
        case = ("--plugin", SLOW, "--variant", "nap,again,long", "--max-time", "20", "--ceilings", "off")
        for required, exit in (((), 0), (("--require", "long"), 3)):
            with self.subTest(required=required):
                out = "o" + str(exit)
                result = self.gpubench(*case, *required, "--out", out, "--junit", "j.xml", "--ctrf", "c.json", "--markdown", "m.md", "--json", "r.json")
                self.assertEqual(result.exit, exit, result)
                rows = {row["variant"]: row for row in self.rows(self.dir / out)}
                self.assertEqual((rows["nap"]["status"], rows["again"]["status"]), ("ok", "ok"), result)
                self.assertEqual((rows["long"]["status"], rows["long"]["stop_reason"]), ("not_run", "max_time"), result)
                self.assertRegex(rows["long"]["message"], r"^a call takes 3 s, .* s with what goes with it, and 12 of each variant take more than the .* that there are: --max-time \d+s should do$")
                suites = ElementTree.parse(self.dir / "j.xml").getroot()
                failed = len(required) > 0
                self.assertEqual((len(suites.findall(".//failure")), len(suites.findall(".//error")), len(suites.findall(".//skipped"))),
                                 (failed, 0, not failed))
                tests = {test["name"].split("/")[-2]: test["status"] for test in json.loads((self.dir / "c.json").read_text())["results"]["tests"]}
                self.assertEqual(tests, {"nap": "passed", "again": "passed", "long": "failed" if failed else "skipped"})
                self.assertEqual("### Failures" in (self.dir / "m.md").read_text(), failed)
                self.assertEqual(json.loads((self.dir / "r.json").read_text())["outcome"], "incomplete")

    def test_what_becomes_slow_costs_nobody_else_a_row(self):
        """The first calls are fast, so nothing is known about the slowness before the samples. On a busy machine a call
        may look like a hang, and with less than a quarter of a processor other variants may lack time, too: each row
        gives its reason."""
        result = self.gpubench("--plugin", SLOW, "--variant", "nap,again,tires", "--axis", "ms=1,2,3", "--max-time", "45", "--ceilings", "off", "--out", "o")
        busy = re.search(r"(?m)^busy .*: times 4 in the plan$", result.out)
        for row in self.rows(self.dir / "o"):
            if row["status"] == "not_run" and (busy or row["variant"] == "tires"):
                # --resume measures a row again whose cause was not found, so no limit has ended it for good.
                self.assertEqual(row["stop_reason"], "" if row["message"].startswith("in company; ") else "max_time", result)
                self.assertRegex(row["message"], r"^(a call takes .* s with what goes with it, and 12 of each variant|a slot takes .* s by now, and \d more of each variant|"
                                                 r"a call takes .* s by now, and \d+ from this slot on) take more than the .* that there (are|were): |"
                                                 r"^'?--max-time was reached; |^in company; cause not found before time was over: ")
            elif row["variant"] == "tires":
                self.assertIn(row["status"], ("timeout", "skipped"), result)
            else:
                self.assertEqual(row["status"], "ok", result)


if __name__ == "__main__":
    main()
