#!/usr/bin/env python3
"""Measures how often `gpubench compare` calls one binary, measured twice, "slower" or "faster".

usage: compare_rates.py [--pairs 100] [--restarts 3] [--case-time 0.2] [--plugin FILE] [--device cpu] [-- OPTION...]

Needs GPUBENCH_BIN and, without --plugin, GPUBENCH_TEST_PLUGINS. Every pair is two new runs, one after the other, as
on a CI machine. Prints the verdicts, the rate of false ones with its Clopper-Pearson interval, for rows and for
pairs, and how often a gate (--fail-on slower) would have failed. Exits with 1 if more than 5% of the rows got a
false verdict (with fewer than 100 pairs: if the interval shows it), and with 3 if too few rows could be judged."""

import argparse
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

MOST = 0.05
WORDS = ("same", "undecided", "slower", "faster")


def binomial_cdf(k, n, p):
    if p <= 0 or p >= 1:
        return 1.0 if p <= 0 or k >= n else 0.0
    log = lambda i: math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
    return min(1.0, sum(math.exp(log(i)) for i in range(k + 1)))


def bisect(function):
    """Finds where a falling function of p in [0, 1] crosses 0."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def clopper_pearson(k, n):
    """Returns the 95% interval of a rate that was k of n."""
    low = 0.0 if k == 0 else bisect(lambda p: binomial_cdf(k - 1, n, p) - 0.975)
    return low, 1.0 if k == n else bisect(lambda p: binomial_cdf(k, n, p) - 0.025)


def rate(k, n):
    low, high = clopper_pearson(k, n)
    return f"{k} of {n}: {100 * k / n:.1f}% [{100 * low:.1f}, {100 * high:.1f}]"


def run(options, folder, name):
    command = [os.environ["GPUBENCH_BIN"], "--plugin", options.plugin, "--device", options.device, "--restarts", str(options.restarts),
               "--case-time", str(options.case_time), "--out", str(folder / name), "-q", *options.more]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}")


def words_of(options, folder):
    """Returns the verdicts of a pair's rows with the relative half widths of their intervals, and whether a gate would
    fail."""
    command = [os.environ["GPUBENCH_BIN"], "compare", str(folder / "base"), str(folder / "new"), "--markdown", "-", "--fail-on", "slower"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")
    if done.returncode not in (0, 1, 5):  # 5: not all rows could be judged
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")][1:]
    found = [re.search(r" ([\d.]+)x \[([\d.]+), ([\d.]+)\] \| \S+ \**(same|undecided|slower|faster)\b[^|]*\|$", row) for row in rows]
    words = [(match.group(4), (float(match.group(3)) - float(match.group(2))) / 2 / float(match.group(1))) for match in found if match]
    return words, done.returncode == 1


def options_of():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--restarts", type=int, default=3)
    parser.add_argument("--case-time", type=float, default=0.2, help="seconds a case and process")
    parser.add_argument("--plugin", default=os.environ.get("GPUBENCH_TEST_PLUGINS", "") + "/ok_vector.so")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--verbose", action="store_true", help="a line for each pair")
    parser.add_argument("more", nargs="*", help="options of `gpubench run`; default: --preset small --ceilings off")
    options = parser.parse_args()
    options.more = options.more or ["--preset", "small", "--ceilings", "off"]
    return options


def main():
    options = options_of()
    words, widths, false_pairs, stopped = dict.fromkeys(WORDS, 0), [], 0, 0
    for pair in range(options.pairs):
        with tempfile.TemporaryDirectory(prefix="gpubench-rates-") as folder:
            run(options, Path(folder), "base")
            run(options, Path(folder), "new")
            found, stop = words_of(options, Path(folder))
        for word, width in found:
            words[word] += 1
            widths.append(width)
        false_pairs += any(word in ("slower", "faster") for word, _ in found)
        stopped += stop
        if options.verbose:
            print(f"pair {pair + 1}: {' '.join(word for word, _ in found)}", flush=True)
    rows, false = sum(words.values()), words["slower"] + words["faster"]
    print(f"{options.pairs} pairs, {options.restarts} restarts, {options.device}: " + ", ".join(f"{n} {word}" for word, n in words.items()))
    if rows == 0:
        print("no row got a word")
        return 3
    print(f"95% intervals are +-{100 * statistics.median(widths):.2g}% wide in the middle: what is wider than a few percent tests little")
    print(f"false words   {rate(false, rows)} of the rows")
    print(f"              {rate(false_pairs, options.pairs)} of the pairs")
    print(f"false alarms  {rate(stopped, options.pairs)} of the pairs")
    if rows < options.pairs:
        print("too few rows were judged")
        return 3
    return int(false / rows > MOST if options.pairs >= 100 else clopper_pearson(false, rows)[0] > MOST)


if __name__ == "__main__":
    sys.exit(main())
