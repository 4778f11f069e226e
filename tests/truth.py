#!/usr/bin/env python3
"""truth.py TREE PLUGIN [--device D] [--part P]...: ground truth: measurements whose right result is known beforehand.

  words    contests with known outcome (tests/plugins/truth.c) in many processes: `b` is `a` under another name, `c`
           takes 1% longer. How often was each verdict given, how often did the interval contain the truth? With 95%
           Clopper-Pearson intervals.
  clock    kernels that spin for a known time: the reported times, raw and minus the launch overhead; their slope;
           events against the host's clock.
  means    the time that spins take beyond their length and an empty launch of as many blocks, as the mean over lengths
           and processes; on a GPU.
  configs  13 configurations at default precision: the cost of the run, and how well medians repeat over restarts.

Exits with 1 if a bound is broken by more than chance explains, 77 if the device is missing."""

import argparse
import csv
import ctypes
import math
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time


def tail(k, n, p):
    """Returns P(X >= k) for a binomial X."""
    return sum(math.exp(math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) +
                        (n - i) * math.log1p(-p)) for i in range(k, n + 1)) if k > 0 else 1.0


def bisect(function, target):
    low, high = 1e-12, 1 - 1e-12
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < target else (low, middle)
    return low


def clopper_pearson(k, n):
    """Returns the 95% interval of a rate that was seen k times of n: Clopper and Pearson, Biometrika 26 (1934)."""
    low = 0.0 if k == 0 else bisect(lambda p: tail(k, n, p), 0.025)
    high = 1.0 if k == n else bisect(lambda p: tail(k + 1, n, p), 0.975)
    return low, high


def show(what, k, n, bound, most):
    """Prints a rate and its bound. The bound is broken only if the whole interval is on the wrong side of it."""
    low, high = clopper_pearson(k, n)
    broken = low > bound if most else high < bound
    print(f"{what:46} {k:4d} of {n:4d} = {k / n:6.1%} [{low:.1%}, {high:.1%}]  "
          f"{'at most' if most else 'at least'} {bound:.1%}{'  BROKEN' if broken else ''}")
    return broken


def run(options, folder, *arguments):
    command = [options.binary, *arguments, "--device", options.device, "--out", folder, "-q"]
    finished = pathlib.Path(folder + ".done")
    if pathlib.Path(folder).exists() and not finished.exists():
        command = [options.binary, "--resume", folder, "-q"]
    done = subprocess.run(["true"] if finished.exists() else command, capture_output=True, text=True)
    if done.returncode == 4:
        print("skipped: " + done.stderr.strip())
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    finished.touch()
    with open(pathlib.Path(folder) / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def axes(row):
    return dict(pair.split("=") for pair in row["axes"].split(";"))


def check(what, holds):
    print(f"{what}{'' if holds else '  BROKEN'}")
    return not holds


# ---- words


def contests(options, work):
    bench = "spin" if options.device == "cuda" else "sweep"
    rows = []
    for process in range(options.processes):
        if options.seconds and time.monotonic() - options.began > options.seconds:
            print(f"stopped after {options.seconds} s and {process} of {options.processes} processes: run it again")
            sys.exit(75)
        rows += run(options, f"{work}/{process}", "--plugin", options.plugin, "--bench", bench, "-a",
                    f"trial=1:{options.trials}:1", "--seed", str(process + 1), "--case-time", options.case_time, "--ceilings",
                    "off", "--max-time", "2h", *(word for axis in options.axis for word in ("-a", axis)))
    return [row for row in rows if row["bench"] == f"truth/{bench}"]


def said(rows, variant):
    words = [row["verdict"] for row in rows if row["variant"] == variant]
    return {word: words.count(word) for word in ("same", "faster", "slower", "undecided")}, len(words)


def truth_of(base, variant):
    """Returns the true ratio (time of the base / time). The kernel of c has 1% more cycles, at any clock; the launch
    costs both the same."""
    said = float(base["median_raw_ns"])
    return 1.0 if variant == "b" else said / (said + 0.01 * float(base["median_ns"]))


def held(rows, variant):
    bases = {r["case_key"]: r for r in rows if r["variant"] == "a"}
    inside = [float(r["speedup_lo"]) <= truth_of(bases[r["case_key"]], variant) <= float(r["speedup_hi"])
              for r in rows if r["variant"] == variant and r["speedup_lo"]]
    return sum(inside), len(inside)


def words_at(options, rows, point, all_held):
    """Judges the verdicts at one point. Adds to `all_held`, per variant, how many intervals contained the truth, of how
    many."""
    name, value = point.split("=")
    known = options.device == "cuda"  # the truth of c is known only there
    words, n = said(rows, "b")
    broken = show(f"{point}: equal code called faster or slower", words["faster"] + words["slower"], n, 0.025, True)
    if known and float(value) >= 20000:
        broken += show(f"{point}: equal code called the same", words["same"], n, 0.80, False)
    else:
        print(f"{'':46} same {words['same']}, undecided {words['undecided']} of {n}")
    for variant in "bc" if known else "b":
        k, n = held(rows, variant)
        all_held[variant] = [sum(pair) for pair in zip(all_held.get(variant, (0, 0)), (k, n))]
        low, high = clopper_pearson(k, n)
        print(f"{point}: interval of {'equal code' if variant == 'b' else '1% longer'} holds the truth"
              f" {k} of {n} = {k / n:.1%} [{low:.1%}, {high:.1%}]")
    words, n = said(rows, "c")
    broken += show(f"{point}: 1% longer called faster", words["faster"], n, 0.01, True)
    if known and float(value) >= 50000:
        return broken + show(f"{point}: 1% longer called slower", words["slower"], n, 0.97, False)
    print(f"{point}: 1% longer called slower {words['slower']}, undecided {words['undecided']}, same {words['same']}")
    return broken


def part_words(options, work):
    rows, all_held = contests(options, work), {}
    points = sorted({row["axes"].split(";")[0] for row in rows}, key=lambda text: float(text.split("=")[1]))
    broken = sum(words_at(options, [r for r in rows if r["axes"].split(";")[0] == point], point, all_held)
                 for point in points)
    if options.device != "cuda":
        return broken
    # There is no upper bound: intervals allow for a step of the clock, which is most of the difference at these
    # lengths. The simulations show that intervals are not too wide in other cases.
    for variant, name in (("b", "equal code"), ("c", "1% longer")):
        broken += show(f"all: interval of {name} holds the truth", *all_held[variant], 0.93, False)
    return broken


# ---- clock


def theil_sen(points):
    slopes = [(y2 - y1) / (x2 - x1) for i, (x1, y1) in enumerate(points) for x2, y2 in points[i + 1:] if x2 != x1]
    return statistics.median(slopes)


TIMES = "2016,5024,10016,20000,50016,100000,200000,500000,1000000,10000000,100000000"


def calibrate(options, folder, bench, *more):
    rows = run(options, folder, "--plugin", "calibrate.so", "--bench", bench, "--ceilings", "off", "--max-time", "1h", *more)
    return [row for row in rows if row["bench"] == f"calibrate/{bench}" and row["status"] == "ok"]


def spins(options, folder, times, mode, grids):
    return calibrate(options, folder, "spin", "--mode", mode, "-a", "ns=" + times, "-a", "grid=" + grids, "--case-time", "0.5")


def clock_at(rows, grid, wide):
    """Checks the times of spins on one grid. `raw` is the time that other tools report; `corrected` is the time minus
    the launch overhead. `wide`: the launch of a wide grid, or waking a processor's threads, costs more than an empty
    launch; this counts as the kernel's, up to the uncertainty of the launch overhead."""
    points = [(float(axes(r)["ns"]), r) for r in rows if axes(r)["grid"] == grid]
    raw = [(x, float(r["median_raw_ns"])) for x, r in points]
    corrected = [(x, float(r["median_ns"])) for x, r in points if r["median_ns"]]
    overhead, unc = float(points[0][1]["launch_overhead_ns"]), float(points[0][1]["launch_overhead_unc_ns"] or 0)
    own = unc if wide else 0
    slope = theil_sen(corrected)
    print(f"clock, grid {grid:>4}: launch overhead {overhead:.0f} ns +- {unc:.0f}; said - true, raw: " +
          ", ".join(f"{x / 1000:g} us {y - x:+.0f} ns" for x, y in raw))
    off = [(x, y - x) for x, y in corrected if abs(y - x) > max(300, 0.003 * x) + own]
    broken = check(f"clock, grid {grid:>4}: corrected is off by " + ", ".join(f"{y - x:+.0f}" for x, y in corrected) +
                   f" ns; allowed max(300 ns, 0.3%) + {own:.0f} ns", not off)
    return broken + check(f"clock, grid {grid:>4}: slope {slope:.6f}; allowed 1 +- 0.001", abs(slope - 1) <= 1e-3)


MEANS = {"1": 50, "132": 50, "1056": 200}  # ns
STEPS = [round(2000 * 100 ** (i / 19) / 32) * 32 for i in range(20)]  # 2 to 200 us


def part_means(options, work):
    """Checks the mean of what spins take beyond their length and an empty launch of the same grid, over many lengths
    and processes. The comparison uses that grid because a launch of many blocks takes longer than the empty one of a
    single block."""
    if options.device != "cuda":
        print("skipped: a processor has no grid")
        sys.exit(77)
    quickly = ("--mode", "cold", "--case-time", "0.1", "--restarts", "5", "-a", "grid=" + ",".join(MEANS))
    empty = {axes(row)["grid"]: float(row["median_raw_ns"]) for row in calibrate(options, f"{work}/empty", "empty", *quickly)}
    rows = calibrate(options, f"{work}/means", "spin", "-a", "ns=" + ",".join(map(str, STEPS)), *quickly)
    broken = 0
    for grid, allowed in MEANS.items():
        left = [float(r["median_raw_ns"]) - float(axes(r)["ns"]) - empty[grid] for r in rows if axes(r)["grid"] == grid]
        mean = statistics.mean(left)
        broken += check(f"clock, grid {grid:>4}: an empty launch takes {empty[grid]:.0f} ns; {len(left)} spins in 5 processes take {mean:+.0f} ns "
                        f"beside it ({min(left):+.0f} to {max(left):+.0f}); allowed {allowed} in the mean", len(left) == 20 and abs(mean) <= allowed)
    return broken


def clocks():
    """Returns seconds by the host's oscillator as it was calibrated at boot, and as NTP, if it runs, corrects it."""
    return time.clock_gettime(time.CLOCK_MONOTONIC_RAW), time.clock_gettime(time.CLOCK_MONOTONIC)


def clock_is_kept():
    """Returns True if this machine's clock is disciplined by another. If not, it is only as exact as the oscillator's
    nominal frequency; NTP corrects up to 500 ppm of a crystal's error (MAXFREQ, <linux/timex.h>)."""
    unsynchronised = 5  # TIME_ERROR, adjtimex(2)
    return ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(256)) not in (-1, unsynchronised)


def part_clock(options, work):
    gpu = options.device == "cuda"
    grids = ("1", "132", "1056") if gpu else ("1",)
    rows = spins(options, f"{work}/clock", TIMES if gpu else TIMES.rsplit(",", 1)[0], "cold" if gpu else "latency",
                 ",".join(grids))
    broken = sum(clock_at(rows, grid, wide=not gpu or grid == "1056") for grid in grids)
    if not gpu:
        return broken
    began, long = clocks(), "1000000,1000000000"  # a wake-up takes a negligible part of a second
    by_events, by_host = ([float(r["median_raw_ns"]) for r in spins(options, f"{work}/{mode}", long, mode, "132")]
                          for mode in ("cold", "wall"))
    slope = (by_host[1] - by_host[0]) / (by_events[1] - by_events[0])
    kept = (clocks()[1] - began[1]) / (clocks()[0] - began[0])
    allowed = 1e-4 if clock_is_kept() else 5e-4
    print(f"clock: this machine's raw clock runs {1 / kept - 1:+.6f} beside the other, which " +
          ("is kept by NTP or the like" if allowed == 1e-4 else "nobody keeps"))
    return broken + check(f"clock: CLOCK_MONOTONIC_RAW against events, slope {slope:.6f}, by the other {slope * kept:.6f}; "
                          f"allowed 1 +- {allowed:g} of either", min(abs(slope - 1), abs(slope * kept - 1)) <= allowed)


# ---- configs

SUITE = """[empty]
plugin = calibrate.so
bench = empty
restarts = {restarts}
[spin]
plugin = calibrate.so
bench = spin
axis.ns = 5024,20000,100000,1000000
restarts = {restarts}
[map]
plugin = {plugin}
bench = map
axis.n = {sizes}
restarts = {restarts}
"""


def configurations(options, work, name, restarts):
    sizes = "65536,1048576,16777216,268435456" if options.device == "cuda" else "65536,1048576"
    suite = pathlib.Path(work) / f"{name}.ini"
    suite.write_text(SUITE.format(plugin=options.plugin, sizes=sizes, restarts=restarts), encoding="utf-8")
    return run(options, f"{work}/{name}", "--suite", str(suite), "--ceilings", "off")


def cost(rows):
    """Returns the seconds of warm-up and sampling, and those of set-up and verification; every row of a case repeats
    them."""
    cases = {row["case_key"]: row for row in rows}.values()
    return (sum(float(r["sampling_s"]) for r in cases), sum(float(r["setup_s"]) + float(r["verify_s"]) for r in cases))


def part_configs(options, work):
    rows = configurations(options, work, "once", 1)
    sampling, rest = cost(rows)
    reached = sum(row["stop_reason"] == "precision" for row in rows)
    broken = check(f"configs: {len(rows)} rows, {reached} to the precision; warm-up and sampling {sampling:.1f} s, allowed 10",
                   sampling <= 10)
    broken += check(f"configs: set-up and verification {rest:.1f} s, allowed 10", rest <= 10)
    for row in configurations(options, work, "ten", 10):
        ns, sd = float(row["median_raw_ns"]), float(row["restart_sd"])
        most = 0.005 if ns > 100e3 else 0.01 if ns >= 30e3 else math.inf
        broken += check(f"configs: {row['case_key']} {row['variant']}: {ns / 1e3:.4g} us, restarts' medians sd {sd:.3%}"
                        + (f", allowed {most:.1%}" if most < 1 else ""), sd <= most or options.device != "cuda")
    return broken


PARTS = {"words": part_words, "clock": part_clock, "means": part_means, "configs": part_configs}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("plugin")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--part", action="append", choices=tuple(PARTS))
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--trials", type=int, default=20)
    parser.add_argument("--case-time", default="1")
    parser.add_argument("--axis", action="append", default=[])
    parser.add_argument("--keep", help="folder of the runs: where it was interrupted the same command goes on")
    parser.add_argument("--seconds", type=float, help="stop after so long, exit 75: the same command goes on")
    options = parser.parse_args()
    options.began = time.monotonic()
    options.binary = str(pathlib.Path(options.tree).resolve() / "bin/gpubench")
    options.plugin = str(pathlib.Path(options.plugin).resolve())
    if options.keep:
        pathlib.Path(options.keep).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="gpubench-truth-") as work:
        broken = sum(PARTS[part](options, options.keep or work) for part in options.part or ["words"])
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
