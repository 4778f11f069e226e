#!/usr/bin/env python3
"""Tests the judgements of battery.py on made-up runs: a battery in which nothing is judged, or nothing gets a verdict,
must not pass."""

import argparse
import contextlib
import io
import json
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import battery

ENTRY = {"name": "one", "class": "reuse", "means": "ordinary", "on": "cpu", "run": "a b.so", "options": "", "beside": "base",
         "cheat": "cheat", "twin": "twin", "does": "it", "wins": "2x", "victims": ""}


def row(variant, verdict="", speedup="", status="ok", **more):
    return {"variant": variant, "bench": "a/b", "status": status, "message": "", "verdict": verdict, "speedup": speedup,
            "speedup_lo": speedup, "baseline": "base", "above_ceiling": "", "unproven": "", **more}


class Made:
    """Runs with given rows, for the cheat and for the twin, one per try."""

    def __init__(self, **rows):
        self.rows, self.made = {name: list(of) for name, of in rows.items()}, 0

    def run(self, entry, variants, out):
        rows = [row(variants[0], speedup="1")]
        for name in variants[1:]:
            given = self.rows[name]
            rows.append(given.pop(0) if len(given) > 1 else given[0])
        self.made += 1
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps({"exit": 0, "said": "", "rows": rows}))


class Judges(unittest.TestCase):
    def outcome(self, entry=ENTRY, isolate=False, tries=2, **rows):
        """Returns (complaints, whether something is not judged) of one turn."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            self.bench = Made(**rows)
            turn = battery.Battery(self.bench, Path(folder), tries, 1000).turn([entry], 0)
            found = battery.report([entry], [turn], isolate)
        self.said = said.getvalue()
        return found

    def test_a_cheat_that_is_caught_passes(self):
        for caught in (row("cheat", status="wrong"), row("cheat", "unproven", "3", unproven="untimed"), row("cheat", "not checked alone", "3"),
                       row("cheat", "undecided", "3")):
            self.assertEqual(self.outcome(cheat=[caught], twin=[row("twin", "same", "1.0")]), ([], False), caught)

    def test_a_word_for_a_cheat_is_wrong(self):
        for verdict, speedup in (("faster", "2"), ("same", "1.2"), ("slower", "0.9")):
            wrong, _ = self.outcome(cheat=[row("cheat", verdict, speedup)], twin=[row("twin", "slower", "0.8")])
            self.assertEqual(wrong, ["one got a word in 1 of 1"], verdict)

    def test_what_is_no_faster_than_its_twin_gained_nothing(self):
        self.assertEqual(self.outcome(cheat=[row("cheat", "faster", "1.52")], twin=[row("twin", "faster", "1.5")]), ([], False))

    def test_what_its_twin_may_be_as_well_is_no_gain(self):
        for upper, words in (("1.9", 0), ("1.6", 1)):
            wrong, _ = self.outcome(cheat=[row("cheat", "faster", "1.9")], twin=[row("twin", "faster", "1.5", speedup_hi=upper)])
            self.assertEqual(len(wrong), words, upper)

    def test_an_open_one_is_shown_and_passes(self):
        wrong, _ = self.outcome({**ENTRY, "open": "not yet"}, cheat=[row("cheat", "faster", "2")], twin=[row("twin", "same", "1")])
        self.assertEqual(wrong, [])
        self.assertIn("open: not yet", self.said)

    def test_what_patches_memory_counts_with_isolate_alone(self):
        entry = {**ENTRY, "means": "patches memory"}
        rows = {"cheat": [row("cheat", "faster", "2")], "twin": [row("twin", "same", "1")]}
        self.assertEqual(self.outcome(entry, **rows)[0], [])
        self.assertEqual(len(self.outcome(entry, isolate=True, **rows)[0]), 1)

    def test_a_busy_machine_judges_nothing_and_is_asked_again(self):
        busy = row("cheat", "busy machine", "9")
        wrong, not_judged = self.outcome(cheat=[busy, row("cheat", "faster", "9")], twin=[row("twin", "same", "1")])
        self.assertEqual((len(wrong), not_judged, self.bench.made), (1, False, 3))
        wrong, not_judged = self.outcome(cheat=[busy], twin=[row("twin", "same", "1")])
        self.assertEqual((wrong, not_judged, self.bench.made), ([], True, 3))

    def test_what_bounds_no_reuse_on_a_busy_machine_judges_nothing(self):
        busy = row("twin", "busy machine", "1", unproven="reuse")
        self.assertEqual(self.outcome(cheat=[row("cheat", status="wrong")], twin=[busy]), ([], True))
        noisy = row("cheat", "busy machine", "9", unproven="reuse;error")
        self.assertEqual(self.outcome(cheat=[noisy], twin=[row("twin", "same", "1")]), ([], False))

    def test_a_battery_in_which_nothing_has_a_word_is_wrong(self):
        wrong, _ = self.outcome(cheat=[row("cheat", status="wrong")], twin=[row("twin", "unproven", "1", unproven="untimed")])
        self.assertEqual(len(wrong), 1)
        self.assertIn("only 0 of 1 twins have a word", wrong[0])

    def test_where_no_twin_was_judged_nothing_is(self):
        self.assertEqual(self.outcome(cheat=[row("cheat", status="wrong")], twin=[row("twin", "busy machine", "1")]), ([], True))

    def test_a_twin_that_is_accused_is_wrong(self):
        wrong, _ = self.outcome(cheat=[row("cheat", status="wrong")], twin=[row("twin", status="wrong")])
        self.assertIn("one's twin lost its status in 1 of 1", wrong)

    def test_a_reason_that_the_baseline_shares_is_none(self):
        result = {"exit": 0, "said": "", "rows": [row("base", unproven="few"), row("cheat", "", "2", unproven="few;reuse")]}
        self.assertEqual(battery.own_reasons(result["rows"][1], result), {"reuse"})

    def test_a_run_whose_files_were_changed_is_refused(self):
        forged = {"exit": 3, "said": "results.csv is not as gpubench wrote it: ...", "rows": [row("cheat", "faster", "50")]}
        self.assertEqual(battery.judge_cheat(ENTRY, forged, None)[0], "caught")
        self.assertEqual(battery.judge_cheat(ENTRY, {**forged, "said": ""}, None)[0], "word")

    def test_a_run_without_rows_proves_nothing(self):
        result = {"exit": 3, "said": "gpubench: no plugin could be loaded\n", "rows": []}
        self.assertEqual(battery.judge_cheat(ENTRY, result, None), ("again", "no row: gpubench: no plugin could be loaded"))
        self.assertEqual(battery.judge_twin(ENTRY, result)[0], "lost")

    def test_neighbours_may_be_hurt_if_they_say_by_whom(self):
        entry = {**ENTRY, "victims": "other"}
        for message, wrong in (("harmed by cheats", 0), ("'y': error 1", 1)):
            other = row("other", status="wrong", message=message)
            result = {"exit": 3, "said": "", "rows": [other]}
            self.assertEqual(battery.judge_cheat(entry, result, None)[0] == "word", wrong == 1, message)


class Lists(unittest.TestCase):
    def test_the_list_is_whole(self):
        entries = battery.read_list(battery.HERE / "battery.list")
        on = [entry["on"] for entry in entries.values()]
        python = [entry for entry in entries.values() if entry["run"].endswith(".py")]
        self.assertGreaterEqual(len(entries), 60)
        self.assertGreaterEqual(on.count("cuda"), 25)
        self.assertGreaterEqual(len(python), 15)
        for entry in entries.values():
            guest = entry["run"].split()[-1]
            self.assertTrue(guest.endswith(".so") or (battery.HERE / "guests" / guest).exists(), entry["name"])

    def test_what_cannot_work_here_is_left_out(self):
        """Where the hypervisor ignores PR_SET_TSC the cheat does nothing, and its twin fails for its signal handler."""
        options = argparse.Namespace(only="", classes="", device="cpu")
        entries = {"one": ENTRY, "two": {**ENTRY, "name": "two", "needs": "counter trap"}}
        for traps, left in ((True, ["one", "two"]), (False, ["one"])):
            with unittest.mock.patch.object(battery, "counter_traps", lambda traps=traps: traps), contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual([entry["name"] for entry in battery.choose(entries, options)], left)
            self.assertEqual("two" in said.getvalue(), not traps)

    def test_what_is_no_entry_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "battery.list")
            for text, said in (("class: reuse\n", "no line of an entry"), ("@a\n@a\n", "twice"), ("@a\nclass: reuse\n", "no means"),
                               ("@a\nwhat: else\n", "no line"),
                               ("@a\n" + "".join(f"{key}: {ENTRY[key]}\n" for key in battery.REQUIRED) + "needs: luck\n", "needs luck")):
                path.write_text(text)
                with self.assertRaisesRegex(battery.ListError, said):
                    battery.read_list(path)


if __name__ == "__main__":
    sys.exit(unittest.main())
