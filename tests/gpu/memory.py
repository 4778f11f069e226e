#!/usr/bin/env python3
"""tests/gpu/memory.py RUN: what tests/gpu/memory.sh says of a run with foreign rows."""

import csv
import sys
from pathlib import Path


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def floor_of(bench, axes):
    """Smallest share of the copy of the same bytes."""
    n, count = int(axes["n"]), int(axes.get("b", 1)) * int(axes.get("m", 1)) * int(axes["n"])
    bench = bench.removesuffix("_saved")
    if bench.endswith("cross_entropy"):
        return 0.95
    if bench.startswith("softmax/"):
        return 0.93 if n >= 65536 else 0.92 if n == 50257 else 0.95
    if bench.endswith("layernorm_gelu"):
        return 0.95 if count >= 1 << 26 else 0
    if bench.endswith("norm"):
        return 0.97 if count >= 1 << 26 else 0.90
    return 0.98 if count >= 1 << 24 else 0


def number(row, name):
    return float(row[name]) if row.get(name) else float("nan")


def line_of(key, ours, yardstick, peers):
    axes = dict(part.split("=", 1) for part in ours["axes"].split(";"))
    mine, floor = number(ours, "median_raw_ns"), floor_of(ours["bench"], axes)
    share = yardstick / mine
    lowest = number(ours, "ci95_lo_ns")
    text = f"{key:62} {ours['variant']:8} {mine / 1e3:8.2f} us {100 * share:6.1f}% of {100 * floor:2.0f}"
    wrong = [] if share >= floor else ["below its floor"]
    for name, row in sorted(peers.items(), key=lambda item: number(item[1], "median_ns")):
        text += f"  {name} {number(row, 'median_ns') / mine:.3f}x"
        if number(row, "hi_ns") < lowest:
            wrong.append(f"slower than {name}")
    return text, wrong


def main():
    run, failed = Path(sys.argv[1]), 0
    cases, foreign = {}, {}
    for row in rows_of(run / "foreign.csv"):
        foreign.setdefault(row["case_key"], {})[row["variant"]] = row
    for row in rows_of(run / "results.csv"):
        if "calibrate/" not in row["contract"] and row["status"] == "ok":
            cases.setdefault(row["case_key"], []).append(row)
    for key, rows in cases.items():
        yardsticks = [number(r, "median_raw_ns") for r in rows if r["yardstick"] == "1"]
        ours = min((r for r in rows if r["yardstick"] != "1"), key=lambda r: number(r, "median_raw_ns"))
        text, wrong = line_of(key, ours, min(yardsticks), foreign.get(key, {}))
        failed += bool(wrong)
        print(text + ("  <- " + ", ".join(wrong) if wrong else ""))
    print(f"{len(cases)} cases, {failed} below a floor or slower than a peer")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
