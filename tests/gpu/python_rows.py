"""python_rows.py WHAT RESULTS...: checks rows for tests/gpu/python.sh.
ended    each row is right, or skipped with a reason
caught   only the honest rows have a time
table    prints speedups
beside   rows of C have the same time in runs "alone-*" and "beside-*"
kernels  a run of cublas and one of torch have loaded the same single file of cuBLAS and traced the same kernels
same     each row that has a ratio has "same" as its verdict"""

import csv
import math
import re
import statistics
import sys
from collections import Counter


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return [r for r in csv.DictReader(file) if r["plugin"] != "calibrate"]


def ended(path):
    rows = rows_of(path)
    bad = [r for r in rows if r["status"] not in ("ok", "skipped") or (r["status"] == "skipped" and not r["message"])]
    for row in bad:
        print(f"  {row['case_key']} {row['variant']}: {row['status']}: {row['message'][:300]}")
    reasons = Counter(f"{r['variant']}: {r['message']}" for r in rows if r["status"] == "skipped")
    print(f"  {Counter(r['status'] for r in rows)}", *(f"\n  skipped {n} x {text[:160]}" for text, n in reasons.items()))
    return rows and not bad and any(r["status"] == "ok" for r in rows)


def caught(path):
    good = True
    for row in rows_of(path):
        honest = row["variant"].startswith("honest") or row["provider"] == "matmul"
        fine = row["status"] == "ok" if honest else row["status"] in ("wrong", "error", "crashed") and not row["speedup"]
        print(f"  {'' if fine else 'NOT AS IT SHOULD BE: '}{row['variant']:22} {row['status']:8} {row['message'][:150]}")
        good = good and fine
    return good


def table(*paths):
    for path in paths:
        for row in rows_of(path):
            if row["status"] == "ok":
                print(f"{row['case_key']:58} {row['variant']:18} {float(row['median_raw_ns']) / 1e3:9.2f} us  {row['speedup'][:6]:6} "
                      f"[{row['speedup_lo'][:6]}, {row['speedup_hi'][:6]}]  {row['notes'][:0]}")
    return True


def beside(*paths):
    times = {}
    for path in paths:
        kind = path.split("/")[-2].split("-")[0]
        for row in rows_of(path):
            if row["provider"] == "activations" and row["status"] == "ok":
                times.setdefault((row["case_key"], row["variant"]), {}).setdefault(kind, []).append(float(row["median_raw_ns"]))
    good, all_of = bool(times), []
    for (key, variant), of in times.items():
        alone, with_python = of["alone"], of["beside"]
        shift = statistics.mean(with_python) / statistics.mean(alone) - 1
        error = math.hypot(*(statistics.stdev(v) / len(v) ** 0.5 / statistics.mean(v) for v in (alone, with_python)))
        print(f"  {key:50} {variant:6} {statistics.mean(alone) / 1e3:8.2f} us alone, {shift * 100:+.2f}% beside Python, standard error {error * 100:.2f}%")
        good = good and abs(shift) - 2 * error < 0.005
        all_of.append((shift, error))
    mean, error = statistics.mean(s for s, _ in all_of), math.hypot(*(e for _, e in all_of)) / len(all_of)
    print(f"  mean of all rows: {mean * 100:+.2f}% beside Python, standard error {error * 100:.2f}%")
    return good and abs(mean) < 0.005


def kernels(*paths):
    """Takes RESULTS TRACE of one run, then RESULTS TRACE of the other."""
    seen = []
    for results, trace in zip(paths[::2], paths[1::2]):
        files = next((row["message"] for row in rows_of(results) if row["variant"] == "files"), "")
        with open(trace, encoding="utf-8", errors="replace") as lines:
            names = {line.split(" ", 1)[1].strip() for line in lines if re.search(r"gemm|nvjet|cutlass|xmma", line)}
        print(f"  {files}\n  {names}")
        seen.append((files, names))
    (files, names), other = seen[0], seen[1:]
    return all(each == (files, names) for each in other) and len(names) == 1 and files.count("/libcublas.so") == 1 and files.count("/libcublasLt.so") == 1


def same(path):
    rows = [row for row in rows_of(path) if row["speedup"] and row["variant"] != row["baseline"]]
    print(" ", Counter(row["verdict"] for row in rows))
    return rows and all(row["verdict"] == "same" for row in rows)


if __name__ == "__main__":
    sys.exit(0 if globals()[sys.argv[1]](*sys.argv[2:]) else 1)
