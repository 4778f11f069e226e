#!/usr/bin/env python3
"""tests/gpu/memory.py RUN...: prints and judges the cases of runs with foreign rows, for tests/gpu/memory.sh."""

import csv
import sys
from pathlib import Path


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def overhead_of(bench, axes):
    """Returns the smallest allowed share of the speed of a copy of the same bytes."""
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
    return 0.98 if count >= 1 << 27 else 0


def leads_of(bench, axes):
    """Returns how many times our time some peers' times must be; all other peers must only not be faster."""
    if bench == "softmax/rows" and int(axes["n"]) >= 65536:
        return {"torch-softmax": 1.4}
    if bench.endswith("layernorm_gelu"):
        return {"torch": 1.9, "torch-compile": 1.05}
    if bench.endswith("/gelu") and axes["form"] == "erf" and axes["dtype"] == "bf16" and int(axes["n"]) >= 1 << 28:
        return {"torch": 1.3}
    return {}


def number(row, name):
    return float(row[name]) if row.get(name) else float("nan")


def axes_of(row):
    return dict(part.split("=", 1) for part in row["axes"].split(";"))


def line_of(key, ours, yardstick, peers):
    axes = axes_of(ours)
    mine, overhead, leads = number(ours, "median_raw_ns"), overhead_of(ours["bench"], axes), leads_of(ours["bench"], axes)
    share = yardstick / mine
    text = f"{key:62} {ours['variant']:8} {mine / 1e3:8.2f} us {100 * share:6.1f}% of {100 * overhead:2.0f}"
    wrong = [] if share >= overhead else [f"{100 * (overhead - share):.1f} points below its launch overhead"]
    for name, row in sorted(peers.items(), key=lambda item: number(item[1], "median_ns")):
        lead = number(row, "median_ns") / mine
        text += f"  {name} {lead:.3f}x"
        if number(row, "hi_ns") < number(ours, "ci95_lo_ns"):
            wrong.append(f"slower than {name}")
        elif lead < leads.get(name, 0):
            wrong.append(f"{name} is to take {leads[name]:g}x")
    return text, wrong


def copy_line(key, rows):
    """Returns the line of the copy that all others are compared with, and its failures. It is compared with memcpy
    itself."""
    times = {row["variant"]: number(row, "median_raw_ns") for row in rows}
    share = times["memcpy"] / times["pack"]
    text = f"{key:62} pack     {times['pack'] / 1e3:8.2f} us {100 * share:6.1f}% of 99 of memcpy"
    return text, [] if share >= 0.99 else ["below its launch overhead"]


def lines_of(run):
    """Yields a line for each case of a run, and its failures."""
    cases, foreign = {}, {}
    told = run / "foreign.csv" if (run / "foreign.csv").exists() else run / "peers.csv"  # of an interrupted run
    for row in rows_of(told):
        foreign.setdefault(row["case_key"], {})[row["variant"]] = row
    for row in rows_of(run / "results.csv"):
        if row["status"] == "ok" and ("calibrate/" not in row["contract"] or row["variant"] in ("pack", "memcpy")):
            cases.setdefault(row["case_key"], []).append(row)
    for key, rows in cases.items():
        if "calibrate/" in rows[0]["contract"]:
            yield copy_line(key, rows)
        else:
            yardsticks = [number(r, "median_raw_ns") for r in rows if r["yardstick"] == "1"]
            ours = min((r for r in rows if r["yardstick"] != "1"), key=lambda r: number(r, "median_raw_ns"))
            yield line_of(key, ours, min(yardsticks), foreign.get(key, {}))


def main():
    said, failed = 0, 0
    for run in sys.argv[1:]:
        for text, wrong in lines_of(Path(run)):
            said, failed = said + 1, failed + bool(wrong)
            print(text + ("  <- " + ", ".join(wrong) if wrong else ""))
    print(f"{said} cases, {failed} below a launch overhead or slower than a peer")
    return 1 if failed or not said else 0


if __name__ == "__main__":
    sys.exit(main())
