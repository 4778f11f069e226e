#!/usr/bin/env python3
"""tests/gpu/varlen.py RESULTS...: prints each variant's time in runs of attention/window, varlen and forward, its rate
by the declared work, and its ratio to cudnn's, or its status and message. Exits with 1 if a row is wrong, or if there
is none."""

import csv
import sys


def main(paths):
    rows = []
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    peers = {row["case_key"]: float(row["median_raw_ns"]) for row in rows if (row["variant"], row["status"]) == ("cudnn", "ok")}
    for row in rows:
        name = f"{row['preset'] or row['case_key']:40}{row['variant']:10}"
        if row["status"] != "ok":
            print(f"{name}{row['status']}: {row['message']}")
            continue
        ns = float(row["median_raw_ns"])
        ratio = f"{peers[row['case_key']] / ns:7.3f}x of cudnn" if row["case_key"] in peers else ""
        print(f"{name}{ns / 1e3:10.1f} us{float(row['flops']) / ns / 1e3:8.1f} TFLOP/s{ratio}  {row['notes'][:120]}")
    return int(not rows or any(row["status"] not in ("ok", "skipped") for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
