#!/usr/bin/env python3
"""judge_cost.py [--times N] [--old GPUBENCH] GPUBENCH OPTION...: measures the cost of verified slots, as a share of
sampling.

For each case, the cost is the seconds of verification, minus those of a run with --verify-only, which every process
needs, divided by the seconds of sampling. With --old, runs of an older gpubench alternate with these and are shown
with them. The share of that time in kept samples is shown, too; it is meant for cases that end when their time is
over."""

import argparse
import csv
import statistics
import subprocess
import sys
import tempfile


def cases(binary, options):
    """Runs gpubench. Returns for each case the seconds of sampling, of verification and of kept samples, and the number
    of processes."""
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run([binary, *options, "--ceilings", "off", "--max-time", "1h", "-q", "--out", work + "/out"],
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


def take(binaries, options, times):
    """Returns for each binary the result of cases() for a run with --verify-only, and a list of those of `times` runs;
    the binaries alternate."""
    verified = [cases(binary, [*options, "--verify-only"]) for binary in binaries]
    runs = [[] for _ in binaries]
    for _ in range(times):
        for binary, those in zip(binaries, runs):
            those.append(cases(binary, options))
    return list(zip(verified, runs))


def cost_of(taken, key):
    """Returns the seconds of sampling, those of verification during it, and the share of kept samples."""
    verified, runs = taken
    samples = statistics.median(run[key][0] for run in runs)
    cost = statistics.median(run[key][1] - run[key][3] * verified[key][1] for run in runs)
    return samples, cost, statistics.median(run[key][2] / (run[key][0] + run[key][1]) for run in runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--old")
    parser.add_argument("gpubench")
    parser.add_argument("options", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    names = ["old", "new"] if arguments.old else ["new"]
    taken = take([arguments.old, arguments.gpubench][-len(names):], arguments.options, arguments.times)
    print(f"{'case':80} " + "   ".join(f"{name}: sampling  judging  kept" for name in names))
    sums = [[0.0, 0.0] for _ in names]
    keys = sorted(set.intersection(*(set(run) for verified, runs in taken for run in [verified, *runs])))
    for key in keys:
        costs = [cost_of(those, key) for those in taken]
        for total, (samples, cost, _) in zip(sums, costs):
            total[0], total[1] = total[0] + samples, total[1] + cost
        print(f"{key[:80]:80} " + "   ".join(f"{s:11.2f} s {c / s:8.1%} {kept:5.0%}" for s, c, kept in costs))
    print(f"{'all':80} " + "   ".join(f"{s:11.2f} s {c / s:8.1%}      " for s, c in sums))


main()
