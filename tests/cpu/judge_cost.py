#!/usr/bin/env python3
"""judge_cost.py [--times N] [--old GPUBENCH] GPUBENCH OPTION...: what verified slots cost, of the seconds of sampling.

For each case the seconds of verifying, less those of a run with --verify-only, which any judge takes in each process, over
the seconds of sampling. With --old, runs of an older gpubench in turns with these, and the seconds that either takes for the same options:
for cases that end when their time is over, the share of it that goes into kept samples."""

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile


def cases(binary, options):
    """For each case the seconds of sampling, of verifying and of kept samples, and processes."""
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([binary, *options, "--roofs", "off", "--max-time", "1h", "-q", "--out", work + "/out"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{binary}: exit {done.returncode}\n{done.stderr}")
        with open(work + "/out/results.csv", newline="", encoding="utf-8") as file:
            rows = [row for row in csv.DictReader(file) if row["status"] == "ok"]
    found = {}
    for row in rows:
        one = found.setdefault(row["case_key"] + " " + row["mode"], [0.0, 0.0, 0.0, 1])
        one[0] = max(one[0], float(row["sampling_s"] or 0))
        one[1] = max(one[1], float(row["verify_s"] or 0))
        one[3] = max(one[3], int(row["restarts"] or 1))
        one[2] += float(row["samples"] or 0) * float(row["mean_ns"] or 0) * 1e-9
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--old")
    parser.add_argument("gpubench")
    parser.add_argument("options", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    verified = cases(arguments.gpubench, [*arguments.options, "--verify-only"])
    runs, before = [], []
    for _ in range(arguments.times):
        if arguments.old:
            before.append(cases(arguments.old, arguments.options))
        runs.append(cases(arguments.gpubench, arguments.options))
    print(f"{'case':80} {'sampling':>9} {'cost':>6}" + ("   kept, old and new" if before else ""))
    sums = [0.0, 0.0]
    for key in sorted(runs[0]):
        samples = statistics.median(run[key][0] for run in runs)
        cost = statistics.median(run[key][1] - run[key][3] * verified[key][1] for run in runs)
        sums = [sums[0] + samples, sums[1] + cost]
        line = f"{key[:80]:80} {samples:7.2f} s {cost / samples:6.1%}"
        if before and key in before[0]:
            line += "".join(f" {statistics.median(run[key][2] / (run[key][0] + run[key][1]) for run in which):9.1%}" for which in (before, runs))
        print(line)
    print(f"{'all':80} {sums[0]:7.2f} s {sums[1] / sums[0]:6.1%}")


main()
