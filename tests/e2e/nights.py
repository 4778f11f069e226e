"""Nightly runs without waiting for nights: the results of one real run, edited. A module of tests, and a command:

nights.py RUN DIR NIGHTS [SERIES]   writes that many nightly runs of that many series into the history folder DIR"""

import csv
import datetime
import gzip
import io
import random
import sys
from pathlib import Path

TIMES = ("median_ns", "median_lo_ns", "median_hi_ns", "median_raw_ns", "mean_ns", "min_ns", "p05_ns", "p25_ns", "p75_ns", "p95_ns", "max_ns",
         "ci95_lo_ns", "ci95_hi_ns", "p95_lo_ns", "p95_hi_ns", "p99_ns", "p99_lo_ns", "p99_hi_ns", "p999_ns")
FIRST = datetime.datetime(2026, 1, 1, 2, 0, tzinfo=datetime.timezone.utc)


def rows_of(run):
    with open(Path(run) / "results.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def text_of(rows):
    """Writes rows much like results.csv, but with quotes around all fields."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, list(rows[0]), quoting=csv.QUOTE_ALL)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def name_of(number):
    return f"{FIRST + datetime.timedelta(days=number):%Y%m%dT%H%M%SZ}-nightly"


def scaled(row, factor):
    return {**row, **{name: repr(float(row[name]) * factor) for name in TIMES if row.get(name)}}


def night(run, number, factor=lambda row: 1.0, edit=lambda row: row, tags=(), environment=()):
    """Returns (run_id, results.csv, run.ini) of the nightly run with this number: those of `run`, with times scaled."""
    run_id, started = name_of(number), f"{FIRST + datetime.timedelta(days=number):%Y-%m-%dT%H:%M:%SZ}"
    rows = [edit(scaled({**row, "run_id": run_id, "timestamp_utc": started}, factor(row))) for row in rows_of(run)]
    ini = []
    changed = {"run_id": run_id, "started_utc": started, **dict(environment)}
    for line in (Path(run) / "run.ini").read_text().splitlines():
        key = line.split(" = ")[0]
        ini.append(f"{key} = {changed[key]}" if key in changed and changed[key] is not None else line)
        if key in changed and changed[key] is None:
            ini.pop()
        if line == "[tags]":
            ini += [f"{name} = {value}" for name, value in dict(tags).items()]
    return run_id, text_of([row for row in rows if row]), "\n".join(ini) + "\n"


def write(folder, run, number, packed=False, **how):
    """Writes that nightly run into a subfolder of `folder`, as a run directory or, packed, as in a history. Returns its
    path."""
    run_id, results, ini = night(run, number, **how)
    path = Path(folder) / run_id
    path.mkdir(parents=True)
    if packed:
        (path / "results.csv.gz").write_bytes(gzip.compress(results.encode(), 1, mtime=0))
    else:
        (path / "results.csv").write_bytes(results.encode())
    (path / "run.ini").write_text(ini)
    return path


def many(run, folder, nights, series):
    """Writes nightly runs with 0.5% noise between them; every tenth series has a step of 4% in the middle."""
    rows = [row for row in rows_of(run) if row["yardstick"] != "1" and row["status"] == "ok"]
    wide = [{**row, "case_key": row["case_key"].replace("]", f",series={i}]"), "bench": f"{row['plugin']}/bench{i % 8}", "run_id": ""}
            for i, row in ((i, rows[i % len(rows)]) for i in range(series))]
    template = Path(folder) / "template"
    template.mkdir(parents=True)
    (template / "results.csv").write_bytes(text_of(wide).encode())
    (template / "run.ini").write_text((Path(run) / "run.ini").read_text())
    dice = random.Random(1)
    for number in range(nights):
        factors = iter([dice.gauss(1, 0.005) * (1.04 if i % 10 == 0 and number >= nights // 2 else 1) for i in range(series)])
        write(Path(folder) / "nights", template, number, packed=True, factor=lambda row: next(factors), tags={"commit": f"{number:07x}"})


if __name__ == "__main__":
    many(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]) if len(sys.argv) > 4 else 200)
