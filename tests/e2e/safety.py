"""Shared code of the tests that interrupt runs: finds workers, and reads the files that a kill leaves."""

import csv
import io
import time
from pathlib import Path

from run import BIN, members

SANITIZED = any(name in Path(BIN).read_bytes() for name in (b"__asan_init", b"__tsan_init"))


def command(pid):
    try:
        return Path("/proc", str(pid), "cmdline").read_bytes().split(b"\0")
    except OSError:
        return []


def parent(pid):
    try:
        return int(Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


def workers(session):
    """Returns the worker processes of a session, without those that they forked."""
    return [pid for pid in members(session) if command(pid)[1:3] == [b"--worker-of", str(parent(pid)).encode()]]


def alive(pid):
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone(pids, seconds=5):
    """Waits for processes to end. Returns those that are still there after that time."""
    end = time.monotonic() + seconds
    while (left := [pid for pid in pids if alive(pid)]) and time.monotonic() < end:
        time.sleep(0.02)
    return left


def whole_rows(path):
    """Parses strictly the rows of a CSV file that have a line end; text after the last line end was torn by the kill."""
    data = path.read_bytes()
    text = data[: data.rfind(b"\n") + 1].decode("utf-8")
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    widths = {len(row) for row in rows}
    assert len(widths) <= 1, f"{path}: rows of {sorted(widths)} fields"
    return [dict(zip(rows[0], row)) for row in rows[1:]] if rows else []


def keys(folder):
    """Returns (case, variant, mode) of a run's rows, in order."""
    return [(row["case_key"], row["variant"], row["mode"]) for row in whole_rows(folder / "results.csv")]


def check_files(test, folder):
    """Checks that every file in a run directory can be read, as it must be after a kill."""
    for name in ("results.csv", "samples.csv", "slots.csv"):
        if (folder / name).exists():
            rows = whole_rows(folder / name)
            test.assertTrue(all(None not in row.values() for row in rows), name)
    if (folder / "results.csv").exists() and whole_rows(folder / "results.csv"):
        test.ok("report", folder, "-q")
    if (folder / "run.ini").exists():
        test.assertTrue((folder / "run.ini").read_text().endswith("\n"))


def check_epochs(test, folder):
    """Checks that a row counts exactly the samples of its epochs."""
    samples = whole_rows(folder / "samples.csv")
    found = {}
    for sample in samples:
        key = (sample["case_key"], sample["variant"], sample["mode"], sample["epoch"])
        found[key] = found.get(key, 0) + 1
    for row in whole_rows(folder / "results.csv"):
        if row["status"] == "ok" and row["samples"]:
            count = sum(found.get((row["case_key"], row["variant"], row["mode"], epoch), 0)
                        for epoch in row["epochs"].split(";"))
            test.assertEqual(count, int(row["samples"]), row)


def environment(folder):
    """Returns the entries of run.ini's [environment]."""
    pairs, inside = {}, False
    for line in (folder / "run.ini").read_text().splitlines():
        if line.startswith("["):
            inside = line == "[environment]"
        elif inside and " = " in line:
            name, _, value = line.partition(" = ")
            pairs[name] = value
    return pairs


