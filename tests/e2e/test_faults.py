"""Kernels that are wrong, crash or hang lose their own rows, and no others."""

import os
import shutil
import signal
import time
from pathlib import Path

from run import FINE, GpubenchTest, main, plugin

CRASHES = {
    "segv": "SIGSEGV",
    "abort": "SIGABRT",
    "fpe": "SIGFPE",
    "overflow": "SIGSEGV",
    "exit": "exit",
    "exit_at_once": "exit",
}


# The outcome of each variant of bad_hostile.so: its status and message.
DIES = "crashed"
HOSTILE = {
    "die-segv": (DIES, r"SIGSEGV in run of bad/hostile/die-segv"),
    "die-bus": (DIES, r"SIGBUS in run of"),
    "die-fpe": (DIES, r"SIGFPE in run of"),
    "die-ill": (DIES, r"SIGILL in run of"),
    "die-abort": (DIES, r"SIGABRT in run of"),
    "die-assert": (DIES, r"SIGABRT in run of .*the sky is green"),
    "die-kill": (DIES, r"the worker was killed from outside \(SIGKILL\) in run of"),
    "die-term": (DIES, r"SIGTERM in run of"),
    "die-exit": (DIES, r"exited with status 0 in run of"),
    "die-exit-now": (DIES, r"exited with status 0 in run of"),
    "die-exit-quick": (DIES, r"exited with status 7 in run of"),
    "die-thread": (DIES, r"exited with status 0 in run of"),
    "die-overflow": (DIES, r"SIGSEGV in run of"),
    "die-free-twice": (DIES, r"SIGABRT in run of .*free"),
    "die-heap": (DIES, r"(SIGABRT|SIGSEGV) in run of bad/hostile/die-heap"),
    "die-longjmp": (DIES, r"(exited with status 9|SIGABRT|SIGSEGV) in run of"),
    "die-throw": (DIES, r"SIGABRT in run of .*nobody expects this one"),
    "hang-loop": ("timeout", r"no return within 1 s in run of bad/hostile/hang-loop"),
    "hang-sleep": ("timeout", r"no return within 1 s in run of"),
    "hang-stop": ("timeout", r"no return within 1 s in run of"),
    "hang-lock": ("timeout", r"no return within 1 s in run of"),
    "hang-swallow": ("timeout", r"no return within 1 s in run of"),
    "hang-flood": ("timeout", r"no return within 1 s in run of .*: all work and no play makes jack a dull boy"),
    "hang-read": ("timeout", r"no return within 1 s in run of"),
    "hang-trace": ("timeout|crashed", r"in run of bad/hostile/hang-trace"),
    "wire-close-all": ("error|crashed", r"run closed or replaced descriptors 0 1 2 3|in run of bad/hostile/wire-close-all"),
    "wire-close": ("error", r"run closed or replaced descriptor 3"),
    "wire-shut": (DIES, r"in run of bad/hostile/wire-shut: shut down the connection to the host"),
    "wire-garbage": (DIES, r"of bad/hostile/wire-garbage"),
    "wire-half": (DIES, r"of bad/hostile/wire-half"),
    "wire-unmap": (DIES, r"SIGSEGV in run of"),
    "left-fork": ("error", r"run left process \d+ running"),
    "left-daemon": ("error", r"run left (process \d+|\d+ processes) running"),
    "left-fork-die": (DIES, r"SIGSEGV in run of"),
    "left-threads": ("error", r"run leaves threads running: \d+ more after \d+ slots"),
    "left-files": ("error", r"run leaves descriptors open: \d+ more after \d+ slots"),
    "left-all-files": ("error", r"run left no descriptor free"),
    "left-bomb": ("crashed|error", r"SIGSEGV in .* of bad/hostile/left-bomb|run leaves threads running"),
    "all-memory": ("error", r"run: out of memory after \d+ blocks"),
    "left-code": ("error", r"run: a call failed"),
    # It fails after left-code.
    "heir": ("ok", r"^in company; cause not found( in \d+ verifications?)? alone \(beside .* more: run: code 719\)$"),
    "set-cwd": ("error", r"run changed the directory to /"),
    "set-umask": ("error", r"run changed the umask to 0000"),
    "set-locale": ("error", r"run changed the locale to (C\.|de_DE\.)"),
    "set-env": ("error", r"run changed the environment \(LD_PRELOAD\)"),
    "set-no-env": ("error", r"run changed the environment \(\w+\)"),
    "set-mask": ("error", r"run blocked SIG"),
    "set-handler": ("error", r"run changed what SIGSEGV does"),
    "set-alarm": ("error", r"run left an alarm set"),
    "set-timer": ("error", r"run left a timer set"),
    "set-rounding": ("error", r"run changed the floating-point mode \(rounding\)"),
    "set-flush": ("error", r"run changed the floating-point mode \(flush to zero\)"),
    "set-mmx": ("error", r"run changed the floating-point mode \(x87 registers left in use\)"),
    "set-traps": ("crashed|error", r"SIGFPE in run of|run changed the floating-point mode \(traps\)"),
    "set-limits": ("error", r"run changed the limit NOFILE"),
    "set-cpu-limit": ("error", r"run changed the limit CPU"),
    "set-orphan": ("error", r"run changed what its parent's death does to it"),
    # Libraries pin the thread that calls them, so the host restores the affinity silently.
    "set-affinity": ("ok", r"^"),
    "set-nice": ("error", r"run changed its priority to 19"),
    "group-kill": (DIES, r"the worker was killed from outside \(SIGKILL\) in run of"),
}
NOT_EVERYWHERE = ("die-throw", "set-flush", "set-mmx")  # without a C++ compiler, or not on x86


HEAP = ("die-thread", "die-free-twice", "die-heap")


class Faults(GpubenchTest):
    def check_survivors(self, rows, first="good", second="other"):
        self.assertEqual(rows[first]["status"], "ok", rows[first])
        self.assertEqual(rows[second]["status"], "ok", rows[second])
        self.assertNotEqual(rows[second]["speedup"], "", rows[second])
        self.assertGreater(self.number(rows[second], "median_raw_ns"), 0)

    def check_lost(self, row, status):
        self.assertEqual(row["status"], status, row)
        self.assertNotEqual(row["message"], "", row)
        self.assertEqual((row["speedup"], row["speedup_lo"], row["speedup_hi"], row["verdict"]), ("", "", "", ""), row)


class Wrong(Faults):
    def test_wrong_kernels(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--quick")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        expected = {
            "everywhere": r"y", "last": r"4095", "nan": r"77", "partial": r"2048|written", "input": r"x",
            "beyond": r"(?i)beyond|outside|bound|guard|after|end", "before": r"(?i)before|outside|bound|guard",
            "later": r".", "stale": r".",
            "overrun": r"^wrote outside the 4 bytes that it has from gb\.mem: 1 bytes beside them changed, the first at byte 4$",
        }
        for variant, pattern in expected.items():
            with self.subTest(variant):
                self.check_lost(rows[variant], "wrong")
                self.assertRegex(rows[variant]["message"], pattern)
        for variant in ("everywhere", "last"):
            self.assertGreater(self.number(rows[variant], "verify_error"), 0, rows[variant])
        self.assertGreater(self.number(rows["everywhere"], "verify_error"), self.number(rows["everywhere"], "verify_tolerance"))
        self.assertRegex(result.out, r"10 wrong")

    def test_a_callback_that_fails(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--quick", "--variant", "good,other,fails,silent")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        self.check_lost(rows["fails"], "error")
        self.assertIn("the third wheel came off", rows["fails"]["message"])
        self.check_lost(rows["silent"], "error")
        self.assertRegex(rows["silent"]["message"], r"run.*-5|-5.*run")

    def test_wrong_with_verify_only(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--verify-only", "--variant", "good,last")
        self.assertEqual(result.exit, 3, result)
        self.assertEqual(self.by_variant()["last"]["status"], "wrong")

    def test_a_wrong_baseline_is_no_denominator(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--quick", "--variant", "everywhere,good,other",
                               "--baseline", "everywhere")
        self.assertEqual(result.exit, 3, result)
        for row in self.rows():
            self.assertEqual(row["speedup"], "", row)


class Crash(Faults):
    def test_crashes_cost_their_own_rows(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--exclude", "loop,deaf", timeout=300)
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        self.check_survivors(rows, second="noisy")
        for variant, word in CRASHES.items():
            with self.subTest(variant):
                self.check_lost(rows[variant], "crashed")
                self.assertIn(word, rows[variant]["message"])
                self.assertIn("run", rows[variant]["message"])
        self.check_lost(rows["prepare"], "crashed")
        self.assertIn("prepare", rows["prepare"]["message"])
        self.check_lost(rows["before"], "crashed")
        self.assertRegex(rows["before"]["message"], "SIGSEGV in before")
        self.assertRegex(result.out, r"[89] crashed")
        self.assertNotIn("noise on std", result.out)

    def test_what_is_quoted_is_its_own(self):
        """The message quotes the variant's own output, not that of the previous variant, on either stream."""
        for variant in ("segv", "exit", "exit_at_once"):
            with self.subTest(variant):
                self.gpubench("--plugin", plugin("bad_crash"), "--verify-only", "--variant", f"noisy,{variant}", "--baseline", "noisy",
                              "--out", variant)
                row = self.by_variant(self.dir / variant)[variant]
                self.check_lost(row, "crashed")
                self.assertNotIn("noise", row["message"])

    def test_each_alone_beside_a_good_one(self):
        for variant in CRASHES:
            with self.subTest(variant):
                result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", f"good,{variant},other",
                                       "--out", variant)
                self.assertEqual(result.exit, 3, result)
                rows = self.by_variant(self.dir / variant)
                self.check_survivors(rows)
                self.check_lost(rows[variant], "crashed")

    def test_a_crash_in_release_is_told(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", "good,release,other")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.check_survivors(rows)
        self.assertIn("release", rows["release"]["message"])

    def test_in_supports_they_cost_only_what_was_asked(self):
        """All cases are asked at once. Those whose `supports` crashed or hung are lost; the remaining ones are asked in
        a new worker."""
        result = self.gpubench("--plugin", plugin("bad_supports"), "--verify-only", "--timeout", "1")
        self.assertEqual(result.exit, 3, result)
        rows = {(row["case_key"][-2], row["variant"]): row for row in self.rows()}
        self.assertEqual(len(rows), 25)
        for (at, variant), row in rows.items():
            lost = "crashed" if at == "2" or (at, variant) == ("3", "segv") else "timeout" if (at, variant) == ("4", "loop") else None
            with self.subTest(at=at, variant=variant):
                self.assertEqual(row["status"], lost or ("skipped" if variant == "odd" and at in "135" else "ok"), row)
                self.assertRegex(row["message"], {"crashed": "^SIGSEGV in supports", "timeout": "^no return within 1 s in supports"}
                                 .get(lost, f"^{at} is odd$|^$"))

    def test_only_crashes(self):
        result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--variant", "segv")
        self.assertEqual(result.exit, 3, result)
        self.check_lost(self.by_variant()["segv"], "crashed")

    def test_hangs_end_at_the_timeout(self):
        for variant in ("loop", "deaf"):
            with self.subTest(variant):
                start = time.monotonic()
                result = self.gpubench("--plugin", plugin("bad_crash"), "--quick", "--timeout", "2", "--variant",
                                       f"good,{variant},other", "--out", variant, timeout=60)
                self.assertLess(time.monotonic() - start, 50)
                self.assertEqual(result.exit, 3, result)
                rows = self.by_variant(self.dir / variant)
                self.check_survivors(rows)
                self.check_lost(rows[variant], "timeout")
                self.assertRegex(rows[variant]["message"], r"run")
                self.assertRegex(rows[variant]["message"], r"\b2(\.0)? s")

    def test_a_hang_in_teardown_costs_no_row(self):
        """It comes after all reports, so each row keeps its time, and says what happened. The other cases are measured."""
        hangs = shutil.copy(plugin("hangs"), self.dir / "hangs.so")
        self.dir.chmod(0o755)  # with --isolate the workers' users read the plugin there
        for mode in ((), ("--isolate",)):
            folder = "o" + "".join(mode)
            result = self.gpubench("--plugin", hangs, "--bench", "three", "--quick", "--timeout", "2", "--out", folder, *mode,
                                   env={"HANGS": "teardown", "HANGS_IN": "2"})
            self.assertEqual(result.exit, 0, result)
            rows = self.rows(self.dir / folder)
            self.assertEqual(len(rows), 9, result)
            for row in rows:
                self.assertEqual(row["status"], "ok", row)
                self.assertGreater(self.number(row, "median_raw_ns"), 0)
                told = "after the measurement: no return within 2 s in teardown of hangs/three[which=2]"
                self.assertEqual(told in row["message"], "which=2" in row["case_key"], row)


class Hostile(Faults):
    """Whatever a kernel does to its process costs its own row only: many hostile variants together with three good
    ones."""

    def mark_left(self, mark):
        """Returns the processes that still carry the mark in their environment, whatever their session and parents."""
        found = []
        for entry in os.listdir("/proc"):
            try:
                if entry.isdigit() and mark.encode() in Path("/proc", entry, "environ").read_bytes():
                    found.append(int(entry))
            except OSError:
                continue
        return found

    def check_hostile(self, *device):
        mark = f"GPUBENCH_TEST_MARK={os.getpid()}-{id(self)}"
        name, value = mark.split("=")
        start = time.monotonic()
        result = self.gpubench("--plugin", plugin("bad_hostile"), "--quick", "--timeout", "1", *device, timeout=280,
                               env={name: value})
        seconds = time.monotonic() - start
        left = self.mark_left(mark)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "processes left behind")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        hangs = sum(row["status"] == "timeout" for row in rows.values())
        self.assertLess(seconds, 1.5 * hangs + 2 * len(rows))  # an idle machine needs a third of that
        for variant in ("better", "best"):
            self.check_survivors(rows, second=variant)
        self.assertGreaterEqual(len(rows), 50)
        for variant, (status, sentence) in HOSTILE.items():
            if variant in NOT_EVERYWHERE and variant not in rows:
                continue
            if variant in HEAP and "ASAN_OPTIONS" in os.environ:  # the sanitizer's heap fails differently
                continue
            with self.subTest(variant):
                row = rows[variant]
                self.assertRegex(row["status"], f"^({status})$", row)
                self.assertRegex(row["message"], sentence)
                if row["status"] != "ok":
                    self.assertEqual((row["speedup"], row["median_raw_ns"]), ("", ""), row)
        self.assertEqual(set(rows) - set(HOSTILE), {"good", "better", "best"})
        self.assertNotIn("dull boy\nall work", result.out + result.err)

    def test_on_the_cpu(self):
        self.check_hostile()

    def test_on_a_scripted_device(self):
        self.check_hostile(*self.fake())


class Interrupt(Faults):
    """SIGINT and SIGTERM: measured rows are kept, the others are reported as not run."""

    def interrupt(self, number, expected):
        process = self.start("--plugin", plugin("ok_vector"), "-a", "n=8,16,32,64,128,256,512,1k", "--precision", "0",
                             "--case-time", "0.5", "--ceilings", "off")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            time.sleep(0.05)
            if any((d / "results.csv").exists() and len(self.rows(d)) >= 3 for d in self.run_dirs()):
                break
        process.send_signal(number)
        start = time.monotonic()
        result = self.finish(process, timeout=30)
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(result.exit, expected, result)
        rows = self.rows()
        self.assertGreaterEqual(sum(r["status"] == "ok" for r in rows), 3)
        self.assertTrue(any(r["stop_reason"] == "interrupted" or r["status"] == "not_run" for r in rows), rows)
        self.assertTrue((self.run_dir() / "report.html").exists())

    def test_sigint_is_130_and_keeps_the_rows(self):
        self.interrupt(signal.SIGINT, 130)

    def test_sigterm_is_143_and_keeps_the_rows(self):
        self.interrupt(signal.SIGTERM, 143)

    def test_a_second_signal_ends_a_hanging_kernel(self):
        process = self.start("--plugin", plugin("bad_crash"), "--quick", "--variant", "good,deaf")
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        result = self.finish(process, timeout=30)
        self.assertLess(time.monotonic() - start, 10)
        self.assertEqual(result.exit, 130, result)


if __name__ == "__main__":
    main()
