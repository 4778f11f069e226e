#!/usr/bin/env python3
"""bounds.py BUILD [--times N] [--loops N] [--only PLUGIN,...] [--max-time-share S] [--device SPEC]: checks that runs
keep the time that they announce, and measure every row within it, on a loaded machine.

Runs each bundled plugin with its defaults: once on the idle machine, then N times under busy loops, then once more with --max-time set to a
share of the first announcement. No run uses what an earlier one learned. Prints for each run the seconds announced and taken, and the lost
rows: those with neither a time nor a fault of their own. Exits with 1 if a run took longer than announced, lost a row, or announced more than
four times as long as the first run; or if a row that --max-time left out was neither named in the plan nor has a message that names a call."""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from loads import WORK, beside

NAMED = re.compile(r"\(no room in the plan\)|a (call|slot) takes|took [\d.]+ s of them|timed out")
TIMES_MOST = 4


class Run:
    def __init__(self, options, plugin, loops, extra=()):
        with tempfile.TemporaryDirectory(prefix="gpubench-bounds-") as folder:
            env = {**os.environ, "XDG_CACHE_HOME": folder, "GPUBENCH_LOCK_DIR": folder}
            command = [str(options.build / "bin/gpubench"), "--plugin", plugin, "--device", options.device, "--out", folder + "/o", *extra]
            with beside([WORK] * loops, 900):
                begun = time.monotonic()
                done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)
                self.took_s = time.monotonic() - begun
            said = re.search(r"(?m)^plan .*; at most ([\d.]+) s", done.stdout)
            if said is None:
                sys.exit(f"{plugin}: exit {done.returncode}\n{done.stdout}\n{done.stderr}")
            self.may_s = float(said[1])
            with open(folder + "/o/results.csv", newline="", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["bench"].startswith(plugin + "/")]
        self.count = len(rows)
        self.lost = [row for row in rows if row["status"] == "not_run"]
        self.precise = sum(row["stop_reason"] == "precision" for row in rows)
        self.exit = done.returncode

    def show(self, name):
        print(f"{name:28} at most {self.may_s:5.0f} s, took {self.took_s:5.1f} s; {self.count:3} rows, {self.precise:3} precise, {len(self.lost)} lost; "
              f"exit {self.exit}", flush=True)
        for row in self.lost:
            print(f"    {row['case_key']} {row['variant']}: {row['message']}", flush=True)


def try_plugin(options, plugin):
    """Runs one plugin and returns how many of its runs failed a check."""
    bad = 0
    first = Run(options, plugin, 0)
    first.show(plugin)
    bad += first.took_s > first.may_s + 1 or len(first.lost) > 0
    for turn in range(options.times):
        run = Run(options, plugin, options.loops)
        run.show(f"{plugin}, {options.loops} loops, {turn + 1}")
        bad += run.took_s > run.may_s + 1 or len(run.lost) > 0 or run.may_s > TIMES_MOST * first.may_s
    limit = max(2, round(options.max_time_share * first.may_s))
    run = Run(options, plugin, options.loops, ("--max-time", str(limit)))
    run.show(f"{plugin}, --max-time {limit}")
    return bad + (run.took_s > limit + 1 or any(not NAMED.search(row["message"]) for row in run.lost))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--loops", type=int, default=3)
    parser.add_argument("--only", default="activations,attention,calibrate,data_pipeline,energy,matmul,md,softmax")
    parser.add_argument("--max-time-share", type=float, default=0.5)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    bad = sum(try_plugin(options, plugin) for plugin in options.only.split(","))
    print(f"{bad} runs were not as they should be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
