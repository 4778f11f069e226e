#!/usr/bin/env python3
"""truth.py TREE PLUGIN [--device D] [--processes N] [--trials N] [--axis A=V]...: ground truth for the words.

Runs contests whose outcome is known (tests/plugins/truth.c) in N processes and prints how often each word was said, with
its 95% Clopper-Pearson interval: `b` is `a` under another name, `c` takes 1% longer. On a GPU also the clock: how long
gpubench says that kernels of known duration take. Exit 1 when a bound is broken by more than chance explains, 77 where
the device is missing."""

import argparse
import csv
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile


def tail(k, n, p):
    """P(X >= k) of a binomial."""
    return sum(math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) +
                        (n - i) * math.log1p(-p)) for i in range(k, n + 1)) if k > 0 else 1.0


def bisect(function, target):
    low, high = 1e-12, 1 - 1e-12
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < target else (low, middle)
    return low


def clopper_pearson(k, n):
    """Interval for a rate seen k times of n: Clopper and Pearson, Biometrika 26 (1934)."""
    low = 0.0 if k == 0 else bisect(lambda p: tail(k, n, p), 0.025)
    high = 1.0 if k == n else bisect(lambda p: tail(k + 1, n, p), 0.975)
    return low, high


def show(what, k, n, bound, most):
    """A rate against its bound: broken only if the whole interval lies on the wrong side."""
    low, high = clopper_pearson(k, n)
    broken = low > bound if most else high < bound
    print(f"{what:46} {k:4d} of {n:4d} = {k / n:6.1%} [{low:.1%}, {high:.1%}]  "
          f"{'at most' if most else 'at least'} {bound:.1%}{'  BROKEN' if broken else ''}")
    return broken


def run(binary, folder, *arguments):
    done = subprocess.run([binary, *arguments, "--out", folder, "-q"], capture_output=True, text=True)
    if done.returncode == 4:
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"gpubench {' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
    with open(pathlib.Path(folder) / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def contests(options, binary, work):
    bench = "spin" if options.device == "cuda" else "sweep"
    rows = []
    for process in range(options.processes):
        rows += run(binary, f"{work}/{process}", "--plugin", options.plugin, "--bench", bench, "--device",
                    options.device, "-a", f"trial=1:{options.trials}:1", "--seed", str(process + 1), "--case-time",
                    options.case_time, *(word for axis in options.axis for word in ("-a", axis)))
    return [row for row in rows if row["bench"] == f"truth/{bench}"]


def words(rows, variant):
    said = [row["verdict"] for row in rows if row["variant"] == variant]
    return {word: said.count(word) for word in ("same", "faster", "slower", "undecided")}, len(said)


def judge(rows, truth, name):
    """How often the interval of `variant` against `a` holds the true ratio."""
    held = [float(r["speedup_lo"]) <= truth <= float(r["speedup_hi"]) for r in rows if r["variant"] == name]
    return sum(held), len(held)


def report_words(rows, axis):
    broken = 0
    points = sorted({row["axes"].split(";")[0] for row in rows}, key=lambda text: float(text.split("=")[1]))
    for point in points:
        here = [row for row in rows if row["axes"].split(";")[0] == point]
        said, n = words(here, "b")
        broken += show(f"{point}: equal code called faster or slower", said["faster"] + said["slower"], n, 0.025, True)
        print(f"{'':46} same {said['same']}, undecided {said['undecided']}")
        if axis == "ns":  # only here is the truth of c known
            held, n = judge(here, 1.0, "b")
            show(f"{point}: interval of equal code holds 1", held, n, 0.93, False)
        said, n = words(here, "c")
        broken += show(f"{point}: 1% longer called faster", said["faster"], n, 0.01, True)
        if axis == "ns" and float(point.split("=")[1]) >= 50000:
            broken += show(f"{point}: 1% longer called slower", said["slower"], n, 0.97, False)
        else:
            print(f"{point}: 1% longer called slower {said['slower']}, undecided {said['undecided']}, same {said['same']}")
    return broken


def theil_sen(points):
    slopes = [(y2 - y1) / (x2 - x1) for i, (x1, y1) in enumerate(points) for x2, y2 in points[i + 1:] if x2 != x1]
    return statistics.median(slopes)


def clock(options, binary, work):
    """Raw medians of kernels that spin for a known time: slope, and the offset that isolation and launch leave in."""
    times = "32,2016,5024,10016,20000,50016,100000,200000,500000,1000000,10000000"
    rows = run(binary, f"{work}/clock", "--plugin", "calibrate.so", "--bench", "spin", "--device", "cuda", "-a",
               "ns=" + times, "-a", "grid=1,132,1056", "--case-time", "0.3")
    for grid in ("1", "132", "1056"):
        points = []
        for row in rows:
            axes = dict(pair.split("=") for pair in row["axes"].split(";"))
            if row["bench"] == "calibrate/spin" and axes["grid"] == grid:
                points.append((float(axes["ns"]), float(row["median_raw_ns"])))
        floor = points[0][1] - points[0][0]
        print(f"clock, grid {grid:>4}: floor {floor:.0f} ns; slope {theil_sen(points[1:]):.6f}; said - true in ns: " +
              ", ".join(f"{x / 1000:g} us {y - x:.0f}" for x, y in points[1:]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("plugin")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--case-time", default="1")
    parser.add_argument("--axis", action="append", default=[])
    options = parser.parse_args()
    binary = str(pathlib.Path(options.tree).resolve() / "bin/gpubench")
    options.plugin = str(pathlib.Path(options.plugin).resolve())
    with tempfile.TemporaryDirectory(prefix="gpubench-truth-") as work:
        broken = report_words(contests(options, binary, work), "ns" if options.device == "cuda" else "n")
        if options.device == "cuda":
            clock(options, binary, work)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
