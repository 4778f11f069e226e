#!/usr/bin/env python3
"""tests/gpu/decode.py RUN: what tests/gpu/decode.sh says of a run with foreign rows."""

import csv
import sys
from pathlib import Path

SHARE = 0.9  # of the read ceiling, where there is enough to read


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def main(run):
    peers, wrong, cases = {}, 0, 0
    rows = rows_of(run / "results.csv")
    for row in rows_of(run / "foreign.csv"):
        peers.setdefault(row["case_key"], []).append(row)
    for row in rows:
        if row["variant"] != "split" and row["status"] == "ok":
            peers.setdefault(row["case_key"], []).append(
                {"variant": row["variant"], "median_ns": row["median_raw_ns"], "hi_ns": row["ci95_hi_ns"]})
    for row in rows:
        if row["bench"] != "attention/decode" or row["variant"] != "split":
            continue
        cases += 1
        if row["status"] != "ok":
            print(f"FAILED {row['case_key']}: {row['status']}: {row['message']}")
            wrong += 1
            continue
        axes = dict(axis.split("=") for axis in row["axes"].split(";"))
        share = float(row["roof_share"])
        best = min(peers.get(row["case_key"], []), key=lambda peer: float(peer["median_ns"]), default=None)
        slower = best is not None and float(row["ci95_lo_ns"]) > float(best["hi_ns"])
        short = int(axes["b"]) * int(axes["h_kv"]) >= 64 and int(axes["s"]) >= 8192 and share < SHARE
        ratio = f"{float(best['median_ns']) / float(row['median_raw_ns']):6.3f}x {best['variant']}" if best else "no peer"
        print(f"{'FAILED' if slower or short else 'ok':7}{row['preset']:24}{float(row['median_raw_ns']) / 1e3:9.2f} us"
              f"{float(row['gb_per_s']):7.0f} GB/s{100 * share:6.1f}% of read  {ratio}")
        wrong += slower or short
    if cases == 0:
        print("FAILED: no row of split")
    return int(wrong > 0 or cases == 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
