#!/usr/bin/env python3
"""honest.py BUILD BEFORE [--price | --bounds] [--device cuda:0] [--only NAME,...] [--times N] [--tries N] [--keep DIR]
[--seconds S] [--python EXE]

Runs honest variants by two builds of gpubench alternately: which verdicts BUILD withholds from honest rows, and what
its verification costs. BUILD and BEFORE are build trees, or folders with bin, lib, and from a build tree examples,
tests/cheats and tests/plugins.

honest.list has the runs; the honest twins of battery.list are further ones. Each build runs the plugins and guests of
its own tree. If BEFORE does not have a plugin, its build runs that of BUILD. An old build may refuse it, which is
reported but not counted.
- Without an option, rows by both builds. WRONG: another status than before, unless it is ok now; more than one row in a
  hundred that lost its verdict, except through noise; times of a plugin that differ from those before as a whole.
- --price: the same for runs at their defaults, and their durations. WRONG: more than 1.10 times as long, by the
  shortest of --times runs and by their medians.
- --bounds: the announced and actual durations of BUILD, with several providers and with --isolate.
In all parts it is WRONG if BUILD takes longer than it announced.

With --keep, runs are kept and not repeated. After --seconds it stops with exit 75, and the same command continues. A
run in which a busy machine spoiled rows is repeated, --tries times in all. Exit 1: something is WRONG; 77: nothing
was compared."""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))
import battery
import sides
from renames import option_of, present_row
from runs import HERE, Keeper, ListError, Stopped, is_python, last_line, numbered_lines, plugin_file, run_gpubench

PARTS = ("rows", "price", "bound")
QUICKLY = ["--case-time", "0.7", "--ceilings", "off"]  # for runs whose rows count, but not their durations


def read_list(path):
    """Returns [{part, on, name, plugins, options}]."""
    entries = []
    for where, line in numbered_lines(path):
        head, words = line.split()[:3], line.split()[3:]
        plugins = words[: next((i for i, word in enumerate(words) if word.startswith("-")), len(words))]
        if not plugins or head[0] not in PARTS or head[1] not in ("cpu", "cuda", "both"):
            raise ListError(f"{where}: '{line[:40]}' is no run")
        if any(head == [entry["part"], entry["on"], entry["name"]] for entry in entries):
            raise ListError(f"{where}: {' '.join(head)} is there twice")
        options = words[len(plugins):] + (QUICKLY if head[0] == "rows" else [])
        entries.append({"part": head[0], "on": head[1], "name": head[2], "plugins": plugins, "options": options})
    return entries


def twins():
    """Returns the honest twins of the battery as such entries."""
    entries = battery.read_list(HERE / "battery.list").values()
    return [{"part": "rows", "on": first["on"], "name": f"twins-{first['name']}", "plugins": first["run"].split(),
             "options": [*first["options"].split(), "--variant", ",".join([*first["beside"].split(), *names])]}
            for first, names in battery.twin_groups(entries)]


def choose(entries, part, device, only):
    names = set(filter(None, only.split(",")))
    on = "cpu" if device == "cpu" else "cuda"
    chosen = [e for e in entries if e["part"] == part and e["on"] in (on, "both") and (not names or e["name"] in names)]
    if names - {entry["name"] for entry in chosen} or not chosen:
        sys.exit(f"honest.py: no such run of {part}: {', '.join(sorted(names - {entry['name'] for entry in chosen}))}")
    return chosen


class Sides:
    """Both builds, and how they make a run."""

    def __init__(self, options, keep):
        self.device, self.python, self.keep = options.device, options.python, keep.resolve()
        self.trees = {"before": [options.before, options.build], "now": [options.build]}
        self.keeper = Keeper(self.keep, options.tries, options.seconds)

    def missing(self, entry):
        """Returns the files of a run that do not exist in any tree."""
        files = [plugin_file(word, self.trees["before"]) for word in entry["plugins"]]
        return [str(file) for file in files if isinstance(file, Path) and not file.exists()]

    def run(self, side, entry, turn):
        def make(out):
            command = [self.trees[side][0] / "bin/gpubench"]
            for word in entry["plugins"]:
                command += ["--plugin", plugin_file(word, self.trees[side])]
            command += [option_of(option, command[0]) for option in entry["options"]]
            command += ["--python", self.python] if any(map(is_python, entry["plugins"])) else []
            cache = self.keep / "cache" / side  # each build keeps its own cache of earlier runs
            cache.mkdir(parents=True, exist_ok=True)
            run_gpubench(command, self.device, out, XDG_CACHE_HOME=str(cache))

        spoiled = sides.spoiled if entry["part"] == "rows" else lambda result: 0
        result = self.keeper.tried(f"{entry['part']}-{entry['name']}/{side}-{turn}", make, spoiled)
        return result | {"rows": [present_row(row) for row in result["rows"]]}

    def pair(self, entry, turn, begins_before):
        """Returns (result before, result now); the order in which they are made alternates."""
        order = ("before", "now") if begins_before else ("now", "before")
        made = {side: self.run(side, entry, turn) for side in order}
        return made["before"], made["now"]


def compare(chosen, both, times):
    """Runs all of them by both builds and prints a comparison. Returns the complaints, or None if nothing was compared."""
    pairs = {}
    for turn in range(times):
        for index, entry in enumerate(chosen):
            pairs.setdefault(entry["name"], []).append(both.pair(entry, turn, (turn + index) % 2 == 0))
    print("seconds taken of those announced, by this build:")
    wrong = [line for name, of in pairs.items() for line in sides.bounds(name, [now for _, now in of])]
    for name in [name for name, of in pairs.items() if not all(before["rows"] for before, _ in of)]:
        print(f"{name}: no rows before: {last_line(pairs.pop(name)[0][0])}")
    if not pairs:
        return wrong or None
    rows = sides.Rows()
    for name, of in pairs.items():
        for before, now in of:
            rows.add(name, before, now)
    print("seconds by both:")
    costly = [line for name, of in pairs.items() for line in sides.price(name, of)]
    sides.price("all of them", [[{"seconds": sum(of[turn][side]["seconds"] for of in pairs.values())} for side in (0, 1)]
                                for turn in range(times)])
    wrong += (costly if chosen[0]["part"] == "price" else []) + rows.report()
    return wrong if rows.both else None


def hold(chosen, both, times):
    """Runs all of them by this build and prints seconds. Returns the complaints."""
    results = {entry["name"]: [both.run("now", entry, turn) for turn in range(times)] for entry in chosen}
    return [line for name, of in results.items() for line in sides.bounds(name, of)]


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("before", type=lambda text: Path(text).resolve())
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--price", dest="part", action="store_const", const="price", default="rows")
    part.add_argument("--bounds", dest="part", action="store_const", const="bound")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--tries", type=int, default=2)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--python", default=sys.executable)
    return parser.parse_args()


def main():
    options = parse()
    chosen = choose([*read_list(HERE / "honest.list"), *twins()], options.part, options.device, options.only)
    with tempfile.TemporaryDirectory() as scratch:
        both = Sides(options, options.keep or Path(scratch))
        for entry in chosen:
            for file in both.missing(entry):
                print(f"{entry['name']} is not run: no {file}")
        chosen = [entry for entry in chosen if not both.missing(entry)]
        try:
            wrong = (hold if options.part == "bound" else compare)(chosen, both, options.times) if chosen else None
        except Stopped as stopped:
            print(f"stopped {stopped}: the same command goes on from there")
            return 75
    for line in wrong or ():
        print(f"WRONG: {line}")
    return 77 if wrong is None else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
