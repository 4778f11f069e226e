#!/usr/bin/env python3
"""run.py BUILD [--times N] [--keep DIR] [--only GROUP,...] [--part I/N] [--seconds S] [--list FILE] [--device DEV]
[--again]
Checks that each cheat of the list is caught by the rule that is listed with its name, and that its honest neighbours
are unaffected. With --keep, runs are kept and not repeated: an interrupted command continues, also after --seconds
stopped it with exit 75. --part 2/3 takes the second third of the groups. Spot checks are random: with --again a cheat
that escaped by chance is tried twice more, for four and eight times as long, while neighbours must be unaffected each
time; repeat.sh counts all of them. Prints a table; exits with 1 if in one of the N runs a cheat was not caught or a
neighbour was accused, and with 77 if the only fault is that a busy machine left cheats without a judgement and
without a verdict, in each of their tries.

A list has groups, each a separate run: a line "@GROUP PLUGIN OPTIONS..." and a line for each variant, "NAME STATUS
RULES". STATUS is a pattern that the row's status must match, or one of these words:
  harmless  ok, but not called faster, nor with a speedup that is surely above 1.1, unless the machine was busy and the
            row says that it may be a cheat; or caught
  bound<B   either caught, or ok with a speedup that is not surely above B: the saving is below the limit of detection
  stated    either caught, or ok with a reuse_limit that is empty or not below its saving: the row admits it
RULES are names from below, joined by "|"; "-" is for an honest variant. {here} stands for this folder. Unless a
group lists `honest`, its baseline, that and `also-honest` must be unaffected."""

import argparse
import csv
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
AGAIN = (4, 8)
WORDS = ("faster", "slower", "same")
SLOT = r"^in a timed slot: "
RULES = {
    # Rules that compare times.
    "inputs": r"^run is faster on inputs that it has had: on new ones it took \S+ us \(median of \d+\), on old ones \S+ us",
    "outputs": r"^run is faster where its outputs are there: where they had to be written it took \S+ us",
    "usual": r"^run is faster in timed slots: on new inputs it took \S+ us \(median of \d+\), in slots \S+ us",
    # Rules on the content of the tensors, in a verified call.
    "unwritten": r"^left \d+ of \d+ elements of '\w+' unwritten",
    "error": r"^'\w+': error \S+, tolerance \S+ .*worst \[",
    "finite": r"^'\w+': \d+ of \d+ values are not finite",
    "outside": r"^wrote outside tensor '\w+': 4 bytes beside it changed, the first at byte -?\d+ of it",
    "input": r"^changed its input 'x'",
    "escape": r"^run escapes its stream",
    "looked": r"^(in a timed slot: )?y\[\d+\] is wrong",
    "sealed": r"^(in a timed slot: )?output 'y' changed while it was compared",
    "unfinished": r"^run's time was taken before its work was done: (element \d+ of '\w+' was written afterwards|memory of output)",
    # The same in a timed slot.
    "slot-unwritten": SLOT + r"left \d+ of \d+ elements of '\w+' unwritten",
    "slot-error": SLOT + r"'\w+': error \S+",
    "slot-finite": SLOT + r"'\w+': \d+ of \d+ values are not finite",
    "slot-outside": SLOT + r"wrote outside tensor",
    "slot-input": SLOT + r"changed its input 'x'",
    # Rules on statements of the plugin.
    "service": r"run: gb\.\w+/1 \w+ is for ",
    "reference": r"gb\.tensor/1 output is for verify, not reference",
    "manner": r"^run (changed|left|leaves|blocked|closed)",
}
# Columns of a row that is ok.
MARKS = {
    "few": lambda row: row["few_verified"] == "1",
    "foreseen": lambda row: "foreseen" in row["unproven"].split(";"),
    "derived": lambda row: row["derived"] == "1",
    "ceiling": lambda row: number(row["above_ceiling"]) > 1 and row["speedup"] == "" and "times what this device" in row["message"],
}
# On a busy machine an empty launch may take nearly as long as a small kernel.
FINE = r"(no time less the launch overhead: .*)?"
FACTS = ("rounds", "verified_slots", "reuse_limit", "few_verified", "derived", "above_ceiling")
UNSET = ("CI", "NO_COLOR", "COLUMNS", "GPUBENCH_OUT", "GPUBENCH_PLUGIN_PATH", "CLICOLOR_FORCE")


class Group:
    def __init__(self, name, plugin, options):
        self.name, self.plugin, self.options, self.rows = name, plugin, options, {}


def read_list(path):
    groups = []
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if line.startswith("@"):
            groups.append(Group(words[0][1:], words[1], [word.replace("{here}", str(HERE)) for word in words[2:]]))
        else:
            name, status, rules = words
            groups[-1].rows[name] = (status, rules.split("|"))
    for group in groups:
        if "honest" not in group.rows:
            group.rows.update({name: ("ok", ["-"]) for name in ("honest", "also-honest")})
    return groups


def run(group, build, device, out, times=1):
    """Runs a group once, for `times` times its case time. Copies its results.csv to `out`, or writes an empty one if
    there is none."""
    with tempfile.TemporaryDirectory(prefix="gpubench-cheats-") as folder:
        variables = {k: v for k, v in os.environ.items() if k not in UNSET}
        variables["LC_ALL"] = "C.UTF-8"
        if device == "cpu":
            variables["GPUBENCH_LOCK_DIR"] = folder  # groups may run in parallel
        command = [build / "bin/gpubench", "--plugin", build / "tests" / group.plugin, "--variant", ",".join(group.rows),
                   "--timeout", "20", "--max-time", "10m", "--out", f"{folder}/run",
                   *(float(word) * times if before == "--case-time" else word
                     for before, word in zip([None, *group.options], group.options))]
        if "--device" not in group.options:
            command += ["--device", device]
        done = subprocess.run([str(c) for c in command], cwd=folder, env=variables, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        results = Path(folder, "run/results.csv")
        if not results.exists():
            print(f"{group.name}: exit {done.returncode}, no results\n{done.stdout[-2000:]}")
        out.parent.mkdir(parents=True, exist_ok=True)
        part = out.with_suffix(".part")
        shutil.copy(results, part) if results.exists() else part.write_text("")
        part.rename(out)


def number(text):
    return float(text) if text else 0.0


def is_accused(row, status, rules):
    texts = [RULES[rule] for rule in rules if rule in RULES]
    said = re.fullmatch(status, row["status"]) and any(re.search(text, row["message"]) for text in texts)
    return bool(said) and row["speedup"] == "" and row["verdict"] == ""


def is_timed(row):
    fine = re.fullmatch(FINE, row["message"]) is not None
    return row["status"] == "ok" and fine and row["median_raw_ns"] != "" and row["speedup"] != ""


def is_caught(row, status, rules):
    least = number(row["speedup_lo"] or row["speedup"])
    hides = row["reuse_limit"] == "" or number(row["reuse_limit"]) >= 1 - 1 / max(least, 1)
    if status == "harmless":
        earns = row["verdict"] == "faster" or least >= 1.1 and not (row["contended"] == "1" and hides)
        return row["status"] == "ok" and not earns or is_accused(row, "wrong", rules)
    if status.startswith("bound<"):
        return is_timed(row) and least < number(status.split("<")[1]) or is_accused(row, "wrong", rules)
    if status == "stated":
        return row["status"] == "ok" and hides or is_accused(row, "wrong", rules)
    if row["status"] == "ok" and re.fullmatch(status, "ok"):
        return any(rule in MARKS and MARKS[rule](row) for rule in rules)
    return is_accused(row, status, rules)


def is_spared(row):
    return is_timed(row) and row["verdict"] not in ("faster", "slower")


def shown(row):
    if row is None:
        return "no row"
    facts = " ".join(f"{name}={row[name]}" for name in FACTS if row.get(name))
    return " ".join("{status} {speedup} {verdict} {message} ({0})".format(facts, **row).split())[:400]


def judge(group, results):
    """Returns {variant: True if it is as the list says}."""
    with open(results, newline="", encoding="utf-8") as file:
        rows = {row["variant"]: row for row in csv.DictReader(file) if not row["bench"].startswith("calibrate/")}
    good = {}
    for name, (status, rules) in group.rows.items():
        row = rows.get(name)
        good[name] = row is not None and (is_spared(row) if (status, rules) == ("ok", ["-"]) else is_caught(row, status, rules))
        if not good[name]:
            print(f"{results.parent.name}/{results.stem} {name}: {shown(row)}")
    return good


def is_unjudged(results, name):
    """Returns true if the machine was busy and the row has neither a verdict nor an accusation: it proves nothing."""
    with open(results, newline="", encoding="utf-8") as file:
        return any(row["variant"] == name and row["status"] == "ok" and row["contended"] == "1" and row["verdict"] not in WORDS
                   for row in csv.DictReader(file))


def is_refused(results, name):
    with open(results, newline="", encoding="utf-8") as file:
        return any(row["variant"] == name and row["status"] != "ok" for row in csv.DictReader(file))


def choose(groups, only, part):
    names = [name for name in only.split(",") if name]
    unknown = set(names) - {group.name for group in groups}
    if unknown:
        sys.exit(f"run.py: no such group: {', '.join(sorted(unknown))}")
    index, count = (int(word) for word in part.split("/"))
    chosen = [group for group in groups if not names or group.name in names]
    return [group for at, group in enumerate(chosen) if at * count // len(chosen) == index - 1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--list", type=Path, default=HERE / "cheats.list")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    groups, start = choose(read_list(options.list), options.only, options.part), time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        keep, count, accused, unjudged = options.keep or Path(scratch), {}, {}, set()
        for turn, group in itertools.product(range(options.times), groups):
            results = keep / group.name / f"{turn}.csv"
            if not results.exists():
                if time.monotonic() - start > options.seconds:
                    print(f"stopped before run {turn} of {group.name}: the same command goes on from there")
                    return 75
                run(group, options.build, options.device, results)
            tries = [results]
            verdicts = judge(group, results)
            for times in AGAIN if options.again else ():
                if all(good or group.rows[name][1] == ["-"] for name, good in verdicts.items()):
                    break
                second = results.with_suffix(f".again{times}.csv")
                run(group, options.build, options.device, second, times=times)
                tries.append(second)
                for name, good in judge(group, second).items():
                    verdicts[name] = (verdicts[name] and good) if group.rows[name][1] == ["-"] else (verdicts[name] or good)
            for name, good in verdicts.items():
                if not good and group.rows[name][1] != ["-"] and all(is_unjudged(path, name) for path in tries):
                    unjudged.add((group.name, name))
                count[group.name, name] = count.get((group.name, name), 0) + good
                accused[group.name, name] = accused.get((group.name, name), 0) + is_refused(results, name)
    for group in groups:
        for name, (status, rules) in group.rows.items():
            what = status if status in ("harmless", "stated") or status[0] == "b" else "spared" if rules == ["-"] else "caught"
            also = f" ({accused[group.name, name]} caught)" if what not in ("caught", "spared") else ""
            print(f"{group.name:16} {name:24} {what} {count[group.name, name]} of {options.times}{also}  {'|'.join(rules)}")
    failed = {key for key, n in count.items() if n < options.times}
    if failed and failed <= unjudged:
        print(f"not judged on this busy machine: {', '.join(name for _, name in sorted(failed))}")
        return 77
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
