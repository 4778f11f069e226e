#!/usr/bin/env python3
"""tests/renames.py FORMER PRESENT: compares two outputs, of a build before names were changed and of one after it.

Both are CSV files with a header, or JSON files. Every value of FORMER has to be in PRESENT, unchanged, under the name
that the readers give it: the table is read from host/record/renamed.c, the only place that knows former names."""

import csv
import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TABLE = re.findall(r'\{RENAMED_(\w+), "([^"]+)", "([^"]+)"\}', (ROOT / "host/record/renamed.c").read_text(encoding="utf-8"))
SCHEMA = re.search(r"#define RECORD_SCHEMA (\d+)", (ROOT / "host/record/record.h").read_text(encoding="utf-8"))[1]
COLUMNS = {former: name for kind, former, name in TABLE if kind == "COLUMN"}
MARKS = {"floor-limited": "launch-limited", "above the roof": "above the ceiling", "few compared": "few verified", "partly unseen": "partly unverified"}
OPTIONS = {"--roofs": "--ceilings"}
VALUES = {column: {former: name for kind, former, name in TABLE if kind == column.upper()} for column in ("verdict", "outcome", "contract")}


def option_of(option, program):
    """Returns the name that a build of gpubench has for an option: the former one if it was built before the renaming."""
    former = next((before for before, now in OPTIONS.items() if now == option), None)
    if former is None:
        return option
    words = subprocess.run([program, "--help"], capture_output=True, text=True, check=False).stdout.split()
    return former if former in words else option


def present_row(row):
    """Returns a row of a CSV file, or an object of a JSON file, under the present names."""
    row = {COLUMNS.get(name, name): value for name, value in row.items()}
    for column, names in VALUES.items():
        if column in row:
            row[column] = names.get(row[column], row[column])
    if "marks" in row:
        row["marks"] = [MARKS.get(mark, mark) for mark in row["marks"]]
    if row.get("schema"):
        row["schema"] = type(row["schema"])(SCHEMA)
    return row


def present_json(value):
    """Returns a JSON value with the present names of its members."""
    if isinstance(value, list):
        return [present_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    return present_row({name: present_json(item) for name, item in value.items()})


def read_rows(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def differences(former, present):
    """Yields where two CSV files differ under the renaming."""
    before, after = [present_row(row) for row in read_rows(former)], read_rows(present)
    if len(before) != len(after):
        yield f"{len(before)} rows, {len(after)} rows"
    for number, (old, new) in enumerate(zip(before, after), 1):
        for name, value in old.items():
            if new.get(name) != value:
                yield f"row {number}: {name}: {value!r}, {new.get(name)!r}"


def json_differences(former, present):
    """Yields in which rows two reports (--json) differ under the renaming."""
    before, after = (json.loads(Path(path).read_text(encoding="utf-8"))["rows"] for path in (former, present))
    for number, (old, new) in enumerate(zip(present_json(before), after), 1):
        for name, value in old.items():
            if new.get(name) != value:
                yield f"row {number}: {name}: {value!r}, {new.get(name)!r}"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n", maxsplit=1)[0])
    compare = json_differences if sys.argv[1].endswith(".json") else differences
    found = list(compare(*sys.argv[1:]))
    print(*found, sep="\n", end="\n" if found else "")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
