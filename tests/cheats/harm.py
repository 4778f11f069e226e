#!/usr/bin/env python3
"""harm.py BUILD [--times N] [--only NAME,...] [--part I/N]: for each harm of harm.list, the honest rows of its case
must be ok, have a time, and have no message except that its provider harmed them; none may be called wrong, crashed or
slow because of it. Exits with 1 if that fails once."""

import argparse
import csv
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HONEST = ("honest", "also-honest")
PYTHON = "py-honest"
# On a busy machine an empty launch may take nearly as long as a small kernel.
FINE = r"(no time less the launch overhead: .*)?"
UNSET = ("CI", "NO_COLOR", "COLUMNS", "GPUBENCH_OUT", "GPUBENCH_PLUGIN_PATH", "CLICOLOR_FORCE")


def read_list(path):
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split(maxsplit=2)
        if words and not line.startswith("#"):
            yield words[0], words[1]


def honest_beside(name):
    return (*HONEST, PYTHON) if name.startswith("py-") else HONEST


def plugins_of(build, name):
    tests = build / "tests/cheats"
    guests = (HERE / "harm_honest.py", HERE / "harm_guest.py") if name.startswith("py-") else (tests / "harm.so",)
    return [word for plugin in (tests / "harm_owner.so", *guests) for word in ("--plugin", plugin)]


def run(build, name, folder):
    variables = {k: v for k, v in os.environ.items() if k not in UNSET}
    variables.update(LC_ALL="C.UTF-8", GPUBENCH_LOCK_DIR=folder)
    command = [build / "bin/gpubench", "--device", "cpu", *plugins_of(build, name), "--variant", ",".join((*honest_beside(name), name)),
               "--python", sys.executable, "--quick", "--ceilings", "off", "--timeout", "10", "--max-time", "2m", "--out", f"{folder}/run"]
    done = subprocess.run([str(c) for c in command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    results = Path(folder, "run/results.csv")
    if not results.exists():
        return {}, f"exit {done.returncode}\n{done.stdout[-1500:]}"
    with open(results, newline="", encoding="utf-8") as file:
        return {row["variant"]: row for row in csv.DictReader(file)}, ""


def is_fine(row, culprit):
    """Returns True if the row has no message, or says that it was harmed and names the culprit. It may also say that the
    cause was not found, and name the neighbours: if it was one of several suspects, or if time was too short."""
    harmed = re.match(r"harmed by what ran beside it: (.*?) \(in company: |in company; cause not found.*? \(beside (.*?): ", row["message"])
    return culprit in (harmed[1] or harmed[2]).split(", ") if harmed else re.fullmatch(FINE, row["message"]) is not None


def complaint(rows, name, seen):
    """Returns a sentence on the first deviation, or ""."""
    for honest in honest_beside(name):
        row = rows.get(honest)
        if row is None:
            return f"{honest}: no row"
        if row["status"] != "ok" or row["median_raw_ns"] == "" or not is_fine(row, rows[name]["provider"]):
            return f"{honest}: {row['status']} {row['median_raw_ns']} {row['message']}"
        if row["verdict"] in ("faster", "slower") and honest != "honest":
            return f"{honest}: {row['verdict']} {row['speedup']}"
    if seen != "any" and rows.get(name, {}).get("status") != seen:
        return f"{name}: {rows.get(name, {}).get('status')} instead of {seen}: {rows.get(name, {}).get('message')}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1")
    options = parser.parse_args()
    index, parts = (int(word) for word in options.part.split("/"))
    harms = list(read_list(HERE / "harm.list"))
    if importlib.util.find_spec("numpy") is None and os.environ.get("GPUBENCH_NO_SKIP") != "1":
        print("harm.py: without numpy none in Python")
        harms = [harm for harm in harms if not harm[0].startswith("py-")]
    wanted = [name for name in options.only.split(",") if name]
    unknown = set(wanted) - {name for name, _ in harms}
    if unknown:
        sys.exit(f"harm.py: no such harm: {', '.join(sorted(unknown))}")
    harms = [harm for at, harm in enumerate(harms) if (harm[0] in wanted if wanted else at % parts == index - 1)]
    failed = 0
    for name, seen in harms:
        good, harmed, unfound, own = 0, 0, 0, set()
        for _ in range(options.times):
            with tempfile.TemporaryDirectory(prefix="gpubench-harm-") as folder:
                rows, why = run(options.build, name, folder)
            why = why or complaint(rows, name, seen)
            good += not why
            harmed += any(rows[honest]["message"].startswith("harmed") for honest in honest_beside(name) if honest in rows)
            unfound += any(rows[honest]["message"].startswith("in company") for honest in honest_beside(name) if honest in rows)
            own.add(rows.get(name, {}).get("status", "none"))
            if why:
                print(f"{name}: {why}")
        failed += good < options.times
        print(f"{name:16} spared {good} of {options.times}, harmed in {harmed}, cause not found in {unfound}; itself {' '.join(sorted(own))}", flush=True)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
