#!/usr/bin/env python3
"""loads.py GPUBENCH PLUGIN [--trials N] [--load NAME]... [--quick]: verdicts on this machine while busy loops run.

Runs contests of the truth plugin on the cpu: `same` is `1` under another name, `5` and `140` take that many times as long. Prints for
each load how many rows of `same` got a false verdict, and how many rows of `5` and of `140` got the right one. Exits with 1 if more
than 1% of all rows of `same` got a verdict, or if a timed row of `140` got a wrong one or none."""

import argparse
import contextlib
import csv
import subprocess
import sys
import tempfile
from pathlib import Path

WORK = "while :; do :; done"
BURSTS = "while :; do timeout 0.3 sh -c 'while :; do :; done'; sleep 0.5; done"
LOADS = {"1 loop": [WORK], "3 loops": [WORK] * 3, "8 loops": [WORK] * 8, "4 in bursts": [BURSTS] * 4}
SIZES = {"cold": ("20000", "200000"), "latency": ("200", "20000", "200000")}


@contextlib.contextmanager
def beside(scripts, seconds):
    loops = [subprocess.Popen(["timeout", str(seconds), "sh", "-c", script], start_new_session=True) for script in scripts]
    try:
        yield
    finally:
        for loop in loops:
            loop.terminate()  # timeout(1) forwards the signal to its process group
            loop.wait()


def measure(options, mode, folder):
    """Runs one mode and returns its rows."""
    command = [options.gpubench, "--plugin", options.plugin, "--bench", "ratios", "--mode", mode, "--device", "cpu", "-a", f"n={','.join(SIZES[mode])}",
               "-a", f"trial=1:{options.trials}:1", "--ceilings", "off", "--max-time", "300", "--out", folder, "-q"]
    command += ["--quick"] if options.quick else ["--case-time", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    with open(Path(folder) / "results.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["bench"] == "truth/ratios"]
    if done.returncode not in (0, 3) or not rows:
        sys.exit(f"gpubench: exit {done.returncode}\n{done.stderr}")
    return rows


def is_word(row):
    return row["verdict"] in ("faster", "slower")


def show(name, rows):
    """Prints a line for the load. Returns three numbers: false verdicts on equal code, rows of equal code, rows of `140` without
    the right verdict."""
    timed = [row for row in rows if row["status"] == "ok" and row["median_raw_ns"]]
    of = {variant: [row for row in timed if row["variant"] == variant] for variant in ("same", "5", "140")}
    false = [row for row in of["same"] if is_word(row)]
    found = {variant: sum(row["verdict"] == "slower" for row in of[variant]) for variant in ("5", "140")}
    busy = sum(row["contended"] == "1" for row in of["same"])
    print(f"{name:24} {len(rows) - len(timed):4} untimed  {busy:4} of {len(of['same'])} busy  {len(false)} false  " +
          "  ".join(f"{variant}x found in {found[variant]} of {len(of[variant])}" for variant in found), flush=True)
    lost = [row for row in of["140"] if row["verdict"] != "slower"]
    for row in false + lost:
        print(f"    {row['case_key']} {row['variant']} {row['mode']}: {row['speedup']} [{row['speedup_lo99']}, {row['speedup_hi99']}] "
              f"{row['verdict']} {row['unproven']} {row['message']}")
    return len(false), len(of["same"]), len(lost)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gpubench")
    parser.add_argument("plugin")
    parser.add_argument("--trials", type=int, default=4, help="cases of each size, mode and load")
    parser.add_argument("--load", action="append", choices=LOADS, help="only these")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    sums = [0, 0, 0]
    with tempfile.TemporaryDirectory(prefix="gpubench-loads-") as work:
        for load in options.load or LOADS:
            for mode in SIZES:
                with beside(LOADS[load], 330):
                    rows = measure(options, mode, f"{work}/{load}-{mode}")
                sums = [a + b for a, b in zip(sums, show(f"{load}, {mode}", rows))]
    print(f"{sums[0]} false words of {sums[1]}; {sums[2]} rows of 140x without theirs")
    return 1 if sums[0] > 0.01 * sums[1] or sums[2] > 0 else 0


if __name__ == "__main__":
    sys.exit(main())
