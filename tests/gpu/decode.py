#!/usr/bin/env python3
"""tests/gpu/decode.py RUN: prints and judges the cases of a run with foreign rows, for tests/gpu/decode.sh."""

import csv
import sys
from pathlib import Path

OURS = ("split", "wgmma")
SHARE = 0.9  # of the read ceiling, by the time less the launch overhead, for cases that read enough


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def fastest(rows, key):
    return min(rows, key=lambda row: float(row[key]), default=None)


def share_of(row):
    """Returns the share of the read ceiling that the bytes read and written reach in the time less the launch overhead.
    The table subtracts the overhead only if it is at least 5% of the time."""
    axes = dict(axis.split("=") for axis in row["axes"].split(";"))
    b, h, h_kv, s_q, s, d = (int(axes[name]) for name in ("b", "h", "h_kv", "s_q", "s", "d"))
    moved = (2 * h_kv * s + 2 * h * s_q) * b * d * 2
    return moved / float(row["median_ns"]) / (float(row["gb_per_s"]) / float(row["ceiling_share"]))


def say_case(rows, peers):
    """Prints one line; returns true if the faster variant of ours is slower than a peer or reads too little."""
    row, best = fastest(rows, "median_raw_ns"), fastest(peers, "median_ns")
    axes = dict(axis.split("=") for axis in row["axes"].split(";"))
    share = share_of(row)
    slower = best is not None and float(row["ci95_lo_ns"]) > float(best["hi_ns"])
    short = int(axes["b"]) * int(axes["h_kv"]) >= 64 and int(axes["s"]) >= 8192 and share < SHARE
    ratio = f"{float(best['median_ns']) / float(row['median_raw_ns']):6.3f}x {best['variant']}" if best else "no peer"
    others = "".join(f", {other['variant']} {float(other['median_raw_ns']) / 1e3:.2f} us" for other in rows if other != row)
    print(f"{'FAILED' if slower or short else 'ok':7}{row['preset']:24}{row['variant']:6}"
          f"{float(row['median_raw_ns']) / 1e3:9.2f} us{float(row['gb_per_s']):7.0f} GB/s{100 * share:6.1f}% of read"
          f"  {ratio}{others}")
    return slower or short


def main(run):
    ours, peers, wrong = {}, {}, 0
    for row in rows_of(run / "foreign.csv"):
        peers.setdefault(row["case_key"], []).append(row)
    for row in rows_of(run / "results.csv"):
        if row["bench"] != "attention/decode" or row["status"] == "skipped":
            continue
        if row["variant"] not in OURS:
            if row["status"] == "ok":
                peers.setdefault(row["case_key"], []).append(
                    {"variant": row["variant"], "median_ns": row["median_raw_ns"], "hi_ns": row["ci95_hi_ns"]})
        elif row["status"] == "ok":
            ours.setdefault(row["case_key"], []).append(row)
        else:
            print(f"FAILED {row['case_key']} {row['variant']}: {row['status']}: {row['message']}")
            wrong += 1
    wrong += sum(say_case(rows, peers.get(key, [])) for key, rows in ours.items())
    if not ours:
        print("FAILED: no row of ours")
    return int(wrong > 0 or not ours)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
