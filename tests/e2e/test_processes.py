"""Processes that the host adds for small differences: each is new to the case, and several cases share it. The plugin
logs which process serves which case; times come from a scripted device."""

import shutil
import signal
import time

from run import GpubenchTest, main, plugin

CLOSE = "[device]\ntick_ns = 32\nseed = 3\n[other]\nns = 49400\nsample_sd = 0.004\nslot_sd = 0.001\n[*]\nns = 50000\nsample_sd = 0.004\nslot_sd = 0.001\n"


class Processes(GpubenchTest):
    def arguments(self, script, *more):
        (self.dir / "script.ini").write_text(script)
        return ("--plugin", plugin("processes"), "--device", f"fake:{self.dir}/script.ini", "--case-time", "600", "--out", "o", *more)

    def environment(self, how=None):
        return {"PROCESSES_FILE": str(self.dir / "log"), **({"PROCESSES_HOW": how} if how else {})}

    def served(self):
        """Returns the processes of each case, in order."""
        cases = {}
        for line in (self.dir / "log").read_text().splitlines():
            case, pid = line.split()
            cases.setdefault(int(case), []).append(int(pid))
        return cases

    def cases(self, folder="o"):
        """Returns the rows of each case by variant, in the order of results.csv."""
        cases = {}
        for row in self.rows(self.dir / folder):
            cases.setdefault(row["case_key"], {})[row["variant"]] = row
        return cases

    def measure(self, *more, script=CLOSE, how=None, exit=0):
        result = self.gpubench(*self.arguments(script, *more), env=self.environment(how))
        self.assertEqual(result.exit, exit, result)
        return list(self.cases().values()), self.served()

    def test_cases_share_them(self):
        rows, served = self.measure()
        for row in rows:
            self.assertEqual((row["other"]["verdict"], row["other"]["status"]), ("faster", "ok"), row)
            self.assertEqual(row["other"]["restarts"], str(len(served[1])))
        self.assertGreaterEqual(len(set(served[1])), 3)
        self.assertEqual(len(set(served[1])), len(served[1]))
        self.assertEqual([served[2], served[3]], [served[1]] * 2)

    def test_rows_stand_in_the_plan_s_order(self):
        for name, script in (("all", CLOSE), ("none", CLOSE.replace("49400", "40000"))):
            with self.subTest(name):
                self.ok(*self.arguments(script)[:-1], name, env=self.environment())
                self.assertEqual(list(self.cases(name)), [f"processes/processes[case={case}]" for case in (1, 2, 3)])

    def test_who_needs_none_gets_none(self):
        rows, served = self.measure(script=CLOSE.replace("49400", "40000"))
        self.assertEqual({row["other"]["restarts"] for row in rows}, {"1"})
        self.assertEqual({tuple(pids) for pids in served.values()}, {tuple(served[1])})

    def test_what_is_asked_for_is_fresh(self):
        """--restarts: every process after the first is fresh for its case."""
        _, served = self.measure("--restarts", "3")
        first = {pids[0] for pids in served.values()}
        later = [pid for pids in served.values() for pid in pids[1:]]
        self.assertEqual((len(later), len(set(later))), (6, 6))
        self.assertEqual(first - set(later), {served[1][0]})

    def test_one_that_is_killed_is_replaced(self):
        rows, served = self.measure(how="kill")
        killed = served[2][1]
        self.assertEqual({variant["status"] for row in rows for variant in row.values()}, {"ok"})
        self.assertEqual({row["other"]["restarts"] for row in rows}, {str(len(served[1]))})
        self.assertEqual(served[1][1], killed)
        self.assertNotIn(killed, served[3])
        self.assertEqual(served[2][2], served[3][1])
        for pids in served.values():
            self.assertEqual(len(set(pids)), len(pids))

    def test_one_that_crashes_costs_its_row(self):
        rows, served = self.measure(how="segv", exit=3)
        self.assertEqual([row["other"]["status"] for row in rows], ["ok", "crashed", "ok"])
        self.assertEqual({row["good"]["status"] for row in rows}, {"ok"})
        self.assertEqual({row["other"]["verdict"] for row in (rows[0], rows[2])}, {"faster"})
        self.assertEqual({row["other"]["restarts"] for row in (rows[0], rows[2])}, {str(len(served[1]))})
        self.assertNotIn(served[1][1], served[3])

    def interrupted(self):
        """Sends SIGTERM to a run when its first case begins in its second process. Returns False if the run ended
        before it was interrupted."""
        for name in ("o", "log"):
            shutil.rmtree(self.dir / name, ignore_errors=True)
            (self.dir / name).unlink(missing_ok=True)
        process = self.start(*self.arguments(CLOSE), env=self.environment())
        while not (self.dir / "log").exists() or len(self.served().get(1, ())) < 2:
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        return self.finish(process).exit == 143

    def test_after_an_interruption_those_that_wait_are_measured_again(self):
        reasons = set()
        while "interrupted" not in reasons:
            if self.interrupted():
                rows = [variant for row in self.cases().values() for variant in row.values()]
                self.assertEqual({row["status"] for row in rows}, {"ok"})
                reasons = {row["stop_reason"] for row in rows}
        self.assertLessEqual(reasons, {"interrupted", "precision"})
        self.ok("--resume", "o", env=self.environment())
        self.assertEqual({row["other"]["verdict"] for row in self.cases().values()}, {"faster"})


if __name__ == "__main__":
    main()
