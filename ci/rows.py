"""Reads verdicts for bisect.sh and nightly.sh from the run directory of a comparison of two builds: a row per case,
variant and mode, new over old.

    rows.py worst RUN LABEL LEAST           prints the row that lost most, of those that surely lost at least LEAST:
                                            KEY, VARIANT, MODE, STEP, one per line
    rows.py word RUN LABEL KEY VARIANT MODE LIMIT   prints the verdict: slower if the step is surely above LIMIT, same
                                                    if it is surely below, undecided otherwise

LABEL is that of the new build. A step is (new time / old time) - 1, with its 99% interval, which is widened to twice
the ratio on either side if the machine was busy or rounds were few."""

import csv
import math
import sys
from pathlib import Path

# Verdicts of rows that cannot be judged, whatever their intervals are.
NO_WORD = {"too noisy", "undecided (one process)", "undecided (launch)", "unproven", "not checked alone"}
# The largest ratio between two equal builds that other load on the machine, or chance in few rounds, produces
# (host/stats/gap.h).
CONTENTION = 2


class Row:
    def __init__(self, row, label):
        self.key, self.variant, self.mode = row["case_key"], row["variant"].removesuffix("@" + label), row["mode"]
        self.verdict, self.status = row["verdict"], row["status"]
        self.timed = row["status"] == "ok" and self.verdict not in NO_WORD
        self.step, self.lo, self.hi = (self.above(row[name]) for name in ("speedup", "speedup_hi99", "speedup_lo99"))
        if row.get("contended") == "1" or self.verdict in ("busy machine", "too few rounds"):
            self.lo, self.hi = (1 + self.lo) / CONTENTION - 1, (1 + self.hi) * CONTENTION - 1
        self.known = self.timed and not any(math.isnan(x) for x in (self.step, self.lo, self.hi))
        self.undecided = self.verdict.startswith(("undecided", "too noisy", "too few rounds", "busy machine"))

    @staticmethod
    def above(speedup):
        return 1 / float(speedup) - 1 if speedup and float(speedup) > 0 else math.nan

    def word(self, limit):
        if not self.known:
            return "undecided"
        return "slower" if self.lo > limit else "same" if self.hi < limit else "undecided"

    def __str__(self):
        return f"{self.step:+.2%} [{self.lo:+.2%}, {self.hi:+.2%}]" if self.known else self.verdict or self.status


def rows_of(run, label):
    """Returns the rows of the new build that are compared with the same variant of the old one."""
    with open(Path(run) / "results.csv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, strict=True) if row["variant"].endswith("@" + label)]
    return [Row(row, label) for row in rows]


def worst(run, label, least):
    rows = rows_of(run, label)
    slower = sorted((row for row in rows if row.word(float(least)) == "slower"), key=lambda row: -row.lo)
    for row in sorted(rows, key=lambda row: -row.step if row.known else 0):
        print(f"  {row.key} {row.variant} {row.mode}: {row}", file=sys.stderr)
    if slower:
        print(slower[0].key, slower[0].variant, slower[0].mode, slower[0].step, sep="\n")
        return 0
    return 1 if rows and all(row.word(float(least)) == "same" for row in rows) else 5


def word(run, label, key, variant, mode, limit):
    found = [row for row in rows_of(run, label) if (row.key, row.variant, row.mode) == (key, variant, mode)]
    for row in found[:1]:
        print(f"  {row}", file=sys.stderr)
    print(found[0].word(float(limit)) if found else "undecided")
    return 0


COMMANDS = {"worst": worst, "word": word}

if __name__ == "__main__":
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
