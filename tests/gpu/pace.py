#!/usr/bin/env python3
"""pace.py rested DIR | again STEM... | thirteen DIR
Checks runs in which the device rests between slots. DIR is a run directory.
rested    a run in the modes cold and cold+burst; the second starts each slot after 0.2 s of rest. Its slots are longer:
          only as many samples from the start of each count as an interleaved slot has, because under full load the
          clock drops by 0.5% within milliseconds. If the run has cold+sustained, its medians are printed and not judged.
again     the same runs made twice, in STEM-1 and STEM-2
thirteen  a run of thirteen.ini
Exits with 1 if a condition does not hold."""

import csv
import statistics
import sys
from pathlib import Path

ALLOWED = 0.005


def rows(folder):
    with open(Path(folder, "results.csv"), newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["median_raw_ns"]]


def key(row):
    return row["case_key"], row["variant"]


def apart(a, b):
    """Returns the relative difference of two medians, and whether it is allowed: half a percent, or a step of the
    clock."""
    one, other = float(a["median_raw_ns"]), float(b["median_raw_ns"])
    return one / other - 1, abs(one - other) <= max(ALLOWED * other, step_of(a))


def step_of(row):
    """Returns the step of the clock in ns. Events are read as 32-bit floats, so that a step may be 32.0002 ns."""
    return float(row["tick_ns"] or 0) * 1.01


def compare(pairs, what, share):
    """Returns true if the medians of enough pairs of rows agree. A row without a partner does not agree."""
    good = 0
    for a, b in pairs:
        if b is None:
            print(f"  missing  {a['case_key']} {a['variant']}: {float(a['median_raw_ns']) / 1e3:.4g} us and none")
            continue
        by, near = apart(a, b)
        good += near
        if not near:
            print(f"  {by:+.2%}  {a['case_key']} {a['variant']}: {float(a['median_raw_ns']) / 1e3:.4g} us and {float(b['median_raw_ns']) / 1e3:.4g}")
    held = len(pairs) > 0 and good >= share * len(pairs)
    print(f"{'ok    ' if held else 'FAILED'} {what}: {good} of {len(pairs)} medians within {ALLOWED:.1%} or a step of the clock, {share:.0%} wanted")
    return held


def by_mode(folder, mode):
    return {key(row): row for row in rows(folder) if row["mode"] == mode}


def first_of_slots(folder, rows, mode, counts):
    """Returns these rows with the median of the first samples of each slot in that mode; `counts` says how many, per
    variant."""
    first = {}
    with open(Path(folder, "samples.csv"), newline="", encoding="utf-8") as file:
        for sample in csv.DictReader(file):
            if sample["mode"] == mode and int(sample["index"]) < counts.get(key(sample), 0):
                first.setdefault(key(sample), []).append(float(sample["ns"]))
    return {name: {**row, "median_raw_ns": statistics.median(first[name])} for name, row in rows.items() if name in first}


def per_slot(folder, mode):
    """Returns how many samples a typical slot of each variant has."""
    found = {}
    with open(Path(folder, "slots.csv"), newline="", encoding="utf-8") as file:
        for slot in csv.DictReader(file):
            if slot["mode"] == mode:
                found.setdefault(key(slot), []).append(int(slot["samples"]))
    return {name: statistics.median_high(counts) for name, counts in found.items()}


def rested(folder):
    cold, burst, sustained = (by_mode(folder, mode) for mode in ("cold", "cold+burst", "cold+sustained"))
    for name in sustained.keys() & cold.keys():
        by, _ = apart(sustained[name], cold[name])
        print(f"  sustained {by:+.2%}  {' '.join(name)}")
    if not burst:
        return bool(sustained)
    burst = first_of_slots(folder, burst, "cold+burst", per_slot(folder, "cold"))
    chosen = [(cold[name], burst.get(name)) for name in cold if 5e3 <= float(cold[name]["median_raw_ns"]) <= 20e6]
    return compare(chosen, "in turns and after a long rest", 1)


def again(*stems):
    pairs = {}  # each ceiling once, although every run measures it
    for stem in stems:
        second = {(*key(row), row["mode"]): row for row in rows(stem + "-2")}
        for row in rows(stem + "-1"):
            name = (*key(row), row["mode"])
            pairs.setdefault(name, (row, second.get(name)))
    return compare(list(pairs.values()), "minutes apart", 0.95)


def thirteen(folder):
    found, cases = rows(folder), {row["case_key"]: float(row["sampling_s"]) for row in rows(folder)}
    wide = []
    for row in found:
        half = (float(row["ci95_hi_ns"]) - float(row["ci95_lo_ns"])) / 2
        if half > max(ALLOWED * float(row["median_raw_ns"]), step_of(row)):
            wide.append(row)
            print(f"  +-{half / float(row['median_raw_ns']):.2%}  {row['case_key']} {row['variant']}")
    seconds = sum(cases.values())
    held = len(found) == 13 and not wide and seconds <= 5
    print(f"{'ok    ' if held else 'FAILED'} {len(found)} kernels, sampling {seconds:.1f} s of 5 allowed, {len(wide)} wider than {ALLOWED:.1%} or a step of the clock")
    return held


if __name__ == "__main__":
    parts = {"rested": rested, "again": again, "thirteen": thirteen}
    if len(sys.argv) < 3 or sys.argv[1] not in parts:
        sys.exit(__doc__)
    sys.exit(not parts[sys.argv[1]](*sys.argv[2:]))
