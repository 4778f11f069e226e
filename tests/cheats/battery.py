#!/usr/bin/env python3
"""battery.py BUILD [--times N] [--isolate] [--device cuda:0] [--only NAME,...] [--classes CLASS,...] [--keep DIR]
[--seconds S] [--guests DIR] [--tries N] [--python EXE]

Runs guests that cheat, each with the bundled bench whose table it tries to lead, and for each an honest twin of the
same structure. A cheat must not get a verdict that its twin would not get; every twin must stay "ok".

BUILD is the build tree of the gpubench under test; --guests is the folder "tests/cheats/guests" of a build tree that
has the guests, if BUILD (an older one) has none. With --keep, runs are kept and not repeated: the same command
continues after an interruption, also after --seconds stopped it (exit 75). A run that the host calls busy, noisy or
short judges nothing: it is repeated, --tries times in all, and then counts as "not judged" (exit 77 if nothing else is
wrong). Without --isolate, cheats that patch memory are shown but not counted. Exit 1: a cheat that is not `open` got a
verdict, a twin lost its status, or so few twins got a verdict that the battery proves nothing.

battery.list has an entry for each cheat: "@NAME" and lines "KEY: VALUE":
  class     one of CLASSES          means   ordinary | patches memory
  on        cpu | cuda              run     the bench's owner, then plugins: .so of the guests, or .py
  options   of gpubench             beside  variants of others in the run
  cheat     its variant             twin    the honest one
  does      a sentence on its method
  wins      the factor by which it won with an older build, and the command that showed it
  open      the reason why it still gets a verdict today; absent if it gets none
  isolate   "no word" if runs with --isolate have shown that it gets no verdict, "open" and the reason if it still gets
            one there; absent if not run
  needs     "counter trap": left out where reads of the processor's counter cannot be made to fault
  victims   for class harm: rows that must be ok or name the provider that harmed them"""

import argparse
import ctypes
import mmap
import os
import platform
import re
import signal
import statistics
import sys
import tempfile
from pathlib import Path

from runs import (AGAIN, HERE, WORDS, Keeper, ListError, Stopped, is_python, last_line, number, numbered_lines, plugin_file,
                  run_gpubench, why_refused)

CLASSES = ("foresee", "lazy", "untimed", "reuse", "declared", "neighbour", "clock", "files", "harm", "hang")
MEANS = ("ordinary", "patches memory")
KEYS = ("class", "means", "on", "run", "options", "beside", "cheat", "twin", "does", "wins", "open", "isolate", "needs", "victims")
REQUIRED = ("class", "means", "on", "run", "beside", "cheat", "twin", "does", "wins")
GAIN = 1.05  # a cheat gains something only if it exceeds its twin's speedup by this factor
TWINS_WITH_A_WORD = 0.6  # least share of the judged twins that must get a verdict
HARMED = re.compile(r"harmed by|in company")


def read_list(path):
    """Returns {name: entry} in the list's order."""
    entries, entry = {}, None
    for where, line in numbered_lines(path):
        if line.startswith("@"):
            name = line[1:].strip()
            if name in entries:
                raise ListError(f"{where}: {name} is there twice")
            entry = entries[name] = {"name": name, "options": "", "victims": ""}
            continue
        key, colon, value = line.partition(":")
        if entry is None or not colon or key not in KEYS:
            raise ListError(f"{where}: '{line[:40]}' is no line of an entry")
        entry[key] = value.strip()
    for entry in entries.values():
        missing = [key for key in REQUIRED if not entry.get(key)]
        if missing:
            raise ListError(f"{entry['name']}: no {', '.join(missing)}")
        if entry.get("needs", "counter trap") != "counter trap":
            raise ListError(f"{entry['name']}: needs {entry['needs']}")
        if entry["class"] not in CLASSES or entry["means"] not in MEANS or entry["on"] not in ("cpu", "cuda"):
            raise ListError(f"{entry['name']}: class {entry['class']}, means {entry['means']}, on {entry['on']}")
    return entries


# ---- A run ----


class Bench:
    """How runs are made: the gpubench, the guests, and further options."""

    def __init__(self, options):
        self.build, self.device, self.python = options.build, options.device, options.python
        self.guests = options.guests
        self.more = ["--isolate"] if options.isolate else []

    def run(self, entry, variants, out):
        words = entry["run"].split()
        command = [self.build / "bin/gpubench"]
        for word in words:
            command += ["--plugin", plugin_file(word, [self.build], self.guests)]
        command += ["--variant", ",".join(variants), "--timeout", "20", "--max-time", "5m", *entry["options"].split(), *self.more]
        if any(map(is_python, words)):  # the interpreter must have the script's modules
            command += ["--python", self.python]
        run_gpubench(command, self.device, out)


def row_of(result, variant):
    """Finds a variant's row. A guest's may be shown as NAME or as NAME@PLUGIN."""
    return next((row for row in result["rows"] if row["variant"].partition("@")[0] == variant), None)


# ---- Judging ----


def own_reasons(row, result):
    """Returns the reasons in column `unproven` that the baseline does not share."""
    reasons = set(filter(None, (row.get("unproven") or "").split(";")))
    base = row_of(result, row["baseline"]) if row["baseline"] else None
    return reasons - set((base or {}).get("unproven", "").split(";"))


def is_busy(row):
    return row["verdict"] in AGAIN or row.get("contended") == "1"


def why_caught(row, result):
    """Returns the reason why this row has no verdict, None if it has one, or "" if nothing can be judged."""
    if why_refused(result):
        return f"run refused: {why_refused(result)}"
    if row is None:
        return ""  # a run that did not get there proves nothing
    if row["status"] != "ok":
        return f"{row['status']}: {row['message'][:90]}"
    if row["verdict"] in WORDS:
        return None
    busy = is_busy(row)  # calls on new inputs are then as noisy as all others, and bound nothing
    reasons = own_reasons(row, result) - ({"reuse"} if busy else set())
    if reasons:
        return f"unproven: {';'.join(sorted(reasons))}"
    unjudged = (*AGAIN, "", "not checked alone", "unproven") if busy else (*AGAIN, "")
    return "" if row["verdict"] in unjudged and not number(row["above_ceiling"]) > 1 else row["verdict"] or "above the ceiling"


def gains(row, twin):
    """Returns True if the cheat's speedup is surely better than its twin's, allowing for chance in both."""
    honest = number(twin.get("speedup_hi") or twin["speedup"]) if twin is not None and twin["status"] == "ok" else 0
    return number(row["speedup_lo"] or row["speedup"]) > GAIN * (honest or 1)


def judge_cheat(entry, result, twin):
    """Returns ("caught" | "word" | "harmless" | "again", reason)."""
    if entry["victims"]:
        rows = [row_of(result, name) for name in entry["victims"].split()]
        hurt = [row for row in rows if row is None or (row["status"] != "ok" and not HARMED.search(row["message"]))]
        if not hurt:
            return "caught", "neighbours are ok, or say who harmed them"
        return "word", "; ".join("no row" if row is None else f"{row['variant']} {row['status']}: {row['message'][:80]}" for row in hurt)
    row = row_of(result, entry["cheat"])
    why = why_caught(row, result)
    if why is not None:
        return ("caught", why) if why else ("again", row["verdict"] if row else f"no row: {last_line(result)}")
    if not gains(row, twin):
        return "harmless", f"{row['verdict']} {row['speedup'][:5]}x, its twin {twin['speedup'][:5] if twin else '?'}x"
    return "word", f"{row['verdict']} {row['speedup'][:5]}x, its twin {twin['speedup'][:5] if twin else '?'}x"


def judge_twin(entry, result):
    """Returns ("word" | "none" | "lost" | "again", reason)."""
    row = row_of(result, entry["twin"])
    if row is None or row["status"] != "ok":
        return "lost", f"no row: {last_line(result)}" if row is None else f"{row['status']}: {row['message'][:120]}"
    why = why_caught(row, result)
    if why is None:
        return "word", row["verdict"]
    return ("none", why) if why and not is_busy(row) else ("again", row["verdict"])


# ---- The whole battery ----


def twin_groups(entries):
    """Groups twins of one plugin in one bench, which are measured in one run. Returns [(entry, twins)]."""
    groups = {}
    for entry in entries:
        key = entry["run"], entry["options"], entry["beside"]
        groups.setdefault(key, (entry, []))[1].append(entry["twin"])
    return [(entry, sorted(set(twins))) for entry, twins in groups.values()]


class Battery:
    def __init__(self, bench, keep, tries, seconds):
        self.bench, self.keeper = bench, Keeper(keep, tries, seconds)

    def tried(self, name, turn, entry, variants, is_judged):
        """Returns the first run of this turn that can be judged, or the last one if none can."""
        make = lambda out: self.bench.run(entry, [*entry["beside"].split(), *variants], out)  # noqa: E731
        return self.keeper.tried(f"{name}/{turn}", make, lambda result: not is_judged(result))

    def twins(self, entries, turn):
        """Returns {name of the entry: (verdict, reason, row)} of its twin."""
        found = {}
        for first, twins in twin_groups(entries):
            of = [entry for entry in entries if entry["twin"] in twins and entry["run"] == first["run"]]
            judged = lambda result: all(judge_twin(entry, result)[0] != "again" for entry in of)  # noqa: E731
            result = self.tried(f"twins-{first['name']}", turn, first, twins, judged)
            for entry in of:
                found[entry["name"]] = (*judge_twin(entry, result), row_of(result, entry["twin"]))
        return found

    def turn(self, entries, turn):
        """Returns {name: ((verdict, reason) of the cheat, (verdict, reason) of the twin, speedup)}."""
        twins, found = self.twins(entries, turn), {}
        for entry in entries:
            verdict, why, row = twins[entry["name"]]
            judged = lambda result: judge_cheat(entry, result, row)[0] != "again"  # noqa: E731, B023
            result = self.tried(entry["name"], turn, entry, [entry["cheat"]], judged)
            own = row_of(result, entry["cheat"])
            found[entry["name"]] = judge_cheat(entry, result, row), (verdict, why), number(own and own["speedup"])
        return found


def is_counted(entry, isolate):
    return isolate or entry["means"] == "ordinary"


def why_open(entry, isolate):
    """Returns the known reason why the cheat gets a verdict in this mode; None if it must get none."""
    if not isolate:
        return entry.get("open")
    word, _, why = entry.get("isolate", "").partition(" ")
    return why if word == "open" else None


def show(entry, turns, isolate):
    """Prints an entry's line and its details. Returns the complaints."""
    cheats, twins = [turn[0] for turn in turns], [turn[1] for turn in turns]
    count = lambda of, *what: sum(verdict in what for verdict, _ in of)  # noqa: E731
    speeds = [speed for _, _, speed in turns if speed > 0]
    words, lost = count(cheats, "word"), count(twins, "lost")
    fast = f"{statistics.median(speeds):.2f}x" if speeds else "-"
    open_ = " open" if why_open(entry, isolate) else "" if is_counted(entry, isolate) else " not claimed"
    print(f"{entry['name']:24} {entry['class']:9} {entry['means']:14} caught {count(cheats, 'caught', 'harmless')} word {words} "
          f"not judged {count(cheats, 'again')} ({fast})  twin ok {len(twins) - lost} word {count(twins, 'word')}{open_}")
    for what, of in (("cheat", cheats), ("twin", twins)):
        for line in sorted({f"{verdict}: {why}" for verdict, why in of if verdict not in ("word",) or what == "cheat"}):
            print(f"    {what} {line}")
    if why_open(entry, isolate):
        print(f"    open: {why_open(entry, isolate)}" + ("" if words else " (no word in these runs)"))
    wrong = []
    if words and is_counted(entry, isolate) and not why_open(entry, isolate):
        wrong.append(f"{entry['name']} got a word in {words} of {len(turns)}")
    if lost:
        wrong.append(f"{entry['name']}'s twin lost its status in {lost} of {len(turns)}")
    return wrong


def report(entries, turns, isolate):
    wrong, not_judged, twins, without = [], 0, [], []
    for entry in entries:
        of = [turn[entry["name"]] for turn in turns]
        wrong += show(entry, of, isolate)
        not_judged += sum(verdict == "again" for (verdict, _), _, _ in of)
        twins += [verdict for _, (verdict, _), _ in of if verdict != "again"]
        without += [f"{entry['name']}: {why}" for _, (verdict, why), _ in of if verdict == "none"]
    words, least = twins.count("word"), int(TWINS_WITH_A_WORD * len(twins) + 0.999)
    print(f"\ntwins with a word: {words} of {len(twins)} that were judged, at least {least}")
    for line in sorted(set(without)):
        print(f"    no word for the twin of {line}")
    if not twins:
        return wrong, True
    if words < least:
        wrong.append(f"only {words} of {len(twins)} twins have a word: nothing is proved by cheats that have none")
    print(f"cheats: {len(entries)} in {len(turns)} turns, {not_judged} runs not judged")
    return wrong, not_judged > 0


def counter_traps():
    """Returns true if prctl(PR_SET_TSC) makes reads of the processor's counter fault. Some hypervisors ignore it, and a
    cheat that relies on it then does nothing but leave its signal handler behind."""
    if platform.machine() != "x86_64":
        return False
    child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGSEGV, signal.SIG_DFL)
            code = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
            code.write(b"\x0f\x31\xc3")  # rdtsc; ret
            read = ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
            ctypes.CDLL(None).prctl(26, 2, 0, 0, 0)  # PR_SET_TSC, PR_TSC_SIGSEGV
            read()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSEGV


def choose(entries, options):
    names, classes = (set(filter(None, text.split(","))) for text in (options.only, options.classes))
    unknown = names - set(entries) | classes - set(CLASSES)
    if unknown:
        sys.exit(f"battery.py: no such entry or class: {', '.join(sorted(unknown))}")
    backend = "cpu" if options.device == "cpu" else "cuda"
    chosen = [e for e in entries.values() if e["on"] == backend and (not names or e["name"] in names)
              and (not classes or e["class"] in classes)]
    if not chosen:
        sys.exit("battery.py: no entry is chosen")
    left_out = [e["name"] for e in chosen if "needs" in e] if not counter_traps() else []
    if left_out:
        print(f"left out, because reads of the processor's counter do not fault here: {', '.join(left_out)}")
    return [e for e in chosen if e["name"] not in left_out]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=lambda text: Path(text).resolve())
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--isolate", action="store_true")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--only", default="")
    parser.add_argument("--classes", default="")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--guests", type=lambda text: Path(text).resolve())
    parser.add_argument("--tries", type=int, default=3)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    entries = choose(read_list(HERE / "battery.list"), options)
    if not entries:
        print("battery.py: no entry is left")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        battery = Battery(Bench(options), options.keep or Path(scratch), options.tries, options.seconds)
        turns = []
        try:
            for turn in range(options.times):
                turns.append(battery.turn(entries, turn))
        except Stopped as stopped:
            print(f"stopped {stopped}: the same command goes on from there")
            return 75
        wrong, not_judged = report(entries, turns, options.isolate)
    for line in wrong:
        print(f"WRONG: {line}")
    return 1 if wrong else 77 if not_judged else 0


if __name__ == "__main__":
    sys.exit(main())
