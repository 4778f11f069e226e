"""Every run ends: by --timeout and by --max-time, whatever hangs, and within two seconds of one SIGTERM, with its rows
kept. tests/cheats/ends.sh repeats this."""

import os
import signal
import time

from run import GpubenchTest, main, plugin
from safety import check_files, workers

HANG = plugin("bad_hang")
TRAPS = ("heap", "stop", "zero", "zero-on", "nothing", "sleep")
FOUND_AT_ONCE = ("zero", "zero-on")  # the worker is ended as soon as the status page has been overwritten
SLACK_S = 8  # allowed on a busy machine; waiting for --timeout instead would take a minute


def stuck(pid):
    """Returns True if the process has not run for half a second."""
    seen = None
    for _ in range(10):
        now = used(pid)
        if now is None or (seen is not None and now != seen):
            return False
        seen = now
        time.sleep(0.05)
    return True


def used(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return None


class Ends(GpubenchTest):
    def begin(self, trap, *args):
        return self.start("--plugin", HANG, "--bench", "hang", "--quick", "--variant", f"good,{trap},best", "--out", "o", *args)

    def by_timeout(self, trap):
        process = self.begin(trap, "--timeout", "1")
        result = self.finish(process, timeout=40)
        rows = self.by_variant(self.dir / "o")
        for name in ("good", "best"):
            self.assertEqual(rows[name]["status"], "ok", rows[name])
            self.assertGreater(self.number(rows[name], "speedup"), 0)
        if trap == "heap" and rows[trap]["status"] == "ok":
            return  # alone it was never cancelled inside the allocator: the run has ended, and no variant is blamed
        self.assertEqual(result.exit, 3, result)
        self.assertIn(rows[trap]["status"], ("timeout", "crashed"), rows[trap])
        self.assertRegex(rows[trap]["message"], "^(no (progress|return) within 1 s|overwrote the page that it shares with the host)"
                                                f" in .* of hang/hang/{trap}")

    def by_signal(self, trap):
        process = self.begin(trap)
        stuck = self.wait_until_stuck(process, trap in FOUND_AT_ONCE)
        if trap == "heap" and not stuck and process.poll() is not None:
            return  # it was never cancelled inside the allocator: the run ended before the signal
        self.assertTrue(stuck or trap == "heap", "it has not come to hang")
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        result = self.finish(process, timeout=40)
        self.assertLess(time.monotonic() - start, 2 + SLACK_S)
        self.assertIn(result.exit, (128 + signal.SIGTERM, 3) if trap in FOUND_AT_ONCE else (128 + signal.SIGTERM,), result)
        check_files(self, self.dir / "o")

    def wait_until_stuck(self, process, at_once):
        end = time.monotonic() + 30
        while time.monotonic() < end and process.poll() is None:
            found = workers(process.pid)
            if found and at_once:
                time.sleep(0.3)
                return True
            if found and stuck(found[0]):
                return True
            time.sleep(0.02)
        return False

    def test_a_stop_between_cases(self):
        """A worker that does not answer a request is replaced, and the variant that was running when it stopped is
        measured alone."""
        result = self.gpubench("--plugin", HANG, "--bench", "between", "--quick", "--timeout", "1", "--out", "o")
        self.assertEqual(result.exit, 0, result)
        self.assertEqual([row["status"] for row in self.rows(self.dir / "o")], ["ok"] * 3)

    def test_by_max_time(self):
        for trap in ("heap", "sleep"):
            start = time.monotonic()
            process = self.start("--plugin", HANG, "--bench", "between,hang", "--quick", "--max-time", "3", "--timeout", "60",
                                 "--variant", f"only,good,{trap}", "--out", f"o{trap}")
            result = self.finish(process, timeout=40)
            self.assertLess(time.monotonic() - start, 5 + SLACK_S, result)
            rows = {row["variant"]: row for row in self.rows(self.dir / f"o{trap}")}
            self.assertEqual((rows[trap]["status"], rows[trap]["stop_reason"]), ("not_run", "max_time"), rows[trap])
            self.assertRegex(rows[trap]["message"], "--max-time (was reached|allows more)")

    def test_max_time_before_anything(self):
        start = time.monotonic()
        line = self.one_line_error(3, "--plugin", plugin("bad_open_hang"), "--max-time", "1")
        self.assertLess(time.monotonic() - start, 3 + SLACK_S)
        self.assertEqual(line, "gpubench: --max-time was reached before anything was measured")


def add(name, method, trap):
    setattr(Ends, f"test_{name}_{trap.replace('-', '_')}", lambda self: method(self, trap))


for one in TRAPS:
    add("timeout", Ends.by_timeout, one)
    add("signal", Ends.by_signal, one)


if __name__ == "__main__":
    main()
