#!/usr/bin/env python3
"""classes.py [--update]: writes the table of reports/docs/verification.md that lists, from battery.list, how many
cheats of each class are found in each mode. Without --update the table is compared: exit 1 if it differs."""

import sys
from pathlib import Path

from battery import CLASSES, HERE, read_list

README = HERE.parents[1] / "reports/docs/verification.md"
BEGIN, END = "<!-- made by tests/cheats/classes.py --update -->\n", "<!-- end of what it makes -->\n"
# The method of each class of cheats, and the defence against it.
WHAT = {
    "foresee": ("computes only what will be compared", "places are drawn when outputs are final, by `gb.case/1` `places`; who does not ask for it is `foreseen`"),
    "lazy": ("outputs are computed when they are read, or are pages of something else, or written by what nobody waits for",
             "outputs exist when the clock stops: pages are looked at, and elements copied right behind the work"),
    "untimed": ("works in `after`, `refresh`, `prepare`, a thread, a process, or where the harness delivers",
                "a mark, `unverified_work`, and `unproven` where it could carry the advantage"),
    "reuse": ("gives results that it kept, of all or of a part", "calls with new inputs are compared with slots; inputs change"),
    "declared": ("computes less exactly: as declared, within a wide tolerance, or beside few stated elements",
                 "no word across precisions, with an error far above the baseline's, or where few elements are compared"),
    "neighbour": ("slows the slots of others", "verdicts between providers are checked with each alone in a process"),
    "clock": ("changes the times that the host reads", "the parent's own clock bounds what a worker claims"),
    "files": ("rewrites results", "hashes are kept while files are written"),
    "harm": ("spoils outputs, inputs or settings of others", "what is wrong in company is tried alone before it is told"),
    "hang": ("stops the run", "time limits, and who it was by trials"),
}


def kind(entry):
    python = any(word.endswith(".py") for word in entry["run"].split())
    return f"{'GPU' if entry['on'] == 'cuda' else 'CPU'}{', Python' if python else ''}"


def counted(entries):
    kinds = sorted({kind(entry) for entry in entries})
    return "; ".join(f"{sum(kind(entry) == k for entry in entries)} {k}" for k in kinds)


def state(entries):
    """Returns, for runs by default, how many get no verdict, and which still get one and why."""
    claimed = [entry for entry in entries if entry["means"] == "ordinary"]
    open_ = [entry for entry in claimed if entry.get("open")]
    if not claimed:
        return "not claimed"
    more = len(entries) - len(claimed)
    text = f"{len(claimed) - len(open_)} of {len(claimed)}" + (f" ({more} that patch memory not claimed)" if more else "")
    reasons = {}
    for entry in open_:
        reasons.setdefault(entry["open"], []).append(entry["name"])
    return text + "".join(f"; open: {', '.join(names)}: {why}" for why, names in reasons.items())


def isolated(entries):
    """Returns the same for --isolate, as far as it was run."""
    run = [entry for entry in entries if entry.get("isolate")]
    if not run:
        return "not run"
    open_ = [entry["name"] for entry in run if entry["isolate"].startswith("open")]
    text = f"{len(run) - len(open_)} of {len(run)}" + (f", {len(entries) - len(run)} not run" if len(run) < len(entries) else "")
    return text + (f"; open: {', '.join(open_)}" if open_ else "")


def table(entries):
    lines = ["| class | it | against it | tried | no word by default | with `--isolate` |", "|---|---|---|---|---|---|"]
    for name in CLASSES:
        of = [entry for entry in entries.values() if entry["class"] == name]
        if of:
            lines.append(f"| {name} | {WHAT[name][0]} | {WHAT[name][1]} | {counted(of)} | {state(of)} | {isolated(of)} |")
    return "\n".join(lines) + "\n"


def main():
    text = README.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{README.name}: no place for the table")
    made = before + begin + table(read_list(HERE / "battery.list")) + end + after
    if "--update" in sys.argv[1:]:
        README.write_text(made, encoding="utf-8")
    elif made != text:
        print("reports/docs/verification.md has another table of cheats than battery.list makes: tests/cheats/classes.py --update")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
