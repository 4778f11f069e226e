#!/usr/bin/env python3
"""Tests the judgements of honest.py on made-up runs by two builds: which rows count as changed, and which changes are
wrong."""

import contextlib
import io
import json
import sys
import tempfile
import types
import unittest
from pathlib import Path

import honest
import sides
from runs import Keeper, ListError, plugin_file


def row(variant="fused", verdict="faster", status="ok", ns="1000", **more):
    return {"case_key": "a/b[n=1]", "variant": variant, "mode": "cold", "plugin": "a", "bench": "a/b", "status": status, "message": "",
            "verdict": verdict, "speedup": "1.5", "baseline": "naive", "median_raw_ns": ns, "ci95_lo_ns": ns, "ci95_hi_ns": ns,
            "launch_overhead_ns": "", "contended": "0", **more}


def result(*rows, seconds=10.0, most=20, code=0):
    return {"exit": code, "said": "", "rows": list(rows), "seconds": seconds, "plan": f"plan  1 case, cold; at most {most} s"}


class Rows(unittest.TestCase):
    def outcome(self, befores, nows, code=0):
        """Returns the complaints; the classified rows are in self.rows."""
        self.rows = sides.Rows()
        self.rows.add("run", result(*befores), result(*nows, code=code))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            wrong = self.rows.report()
        self.said = said.getvalue()
        return wrong

    def test_a_build_before_the_renaming_is_compared(self):
        former = {("floor_ns" if name == "launch_overhead_ns" else name): value for name, value in row(ns="1").items()}
        present = honest.present_row(former | {"verdict": "undecided (floor)", "floor_ns": "5000"})
        self.assertEqual(present["launch_overhead_ns"], "5000")
        self.assertEqual(present["verdict"], "undecided (launch)")
        self.assertEqual(self.outcome([present], [present]), [])

    def test_a_build_before_the_renaming_gets_its_options(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "gpubench")
            for name in ("--roofs", "--ceilings"):
                program.write_text(f"#!/bin/sh\necho '  {name} RUN|off  a sentence'\n", encoding="utf-8")
                program.chmod(0o755)
                self.assertEqual(honest.option_of("--ceilings", program), name)
        self.assertEqual(honest.option_of("--quick", "/nowhere"), "--quick")

    def test_what_stays_is_not_wrong(self):
        self.assertEqual(self.outcome([row(), row("naive", "")], [row(), row("naive", "")]), [])
        self.assertEqual(self.rows.found.keys(), {"kept"})

    def test_another_status_is_wrong(self):
        for status in ("wrong", "crashed", "skipped"):
            wrong = self.outcome([row()], [row(status=status, message="why")])
            self.assertEqual(len(wrong), 1)
            self.assertIn(f"ok -> {status}: why", wrong[0])
        self.assertEqual(len(self.outcome([row(status="skipped")], [row(status="error")])), 1)

    def test_a_row_that_is_gone_is_wrong_and_one_that_is_new_is_not(self):
        self.assertIn("no row now", self.outcome([row()], [])[0])
        self.assertEqual(self.outcome([], [row()]), [])
        self.assertEqual(self.rows.alone, 1)

    def test_a_row_that_was_not_ok_may_be(self):
        self.assertEqual(self.outcome([row(status="error")], [row()]), [])
        self.assertEqual(len(self.rows.found["ok now"]), 1)

    def test_what_time_did_not_suffice_for_has_lost_its_word(self):
        self.assertEqual(sides.change_of_status(row(), row(status="not_run")), "lost")
        self.assertEqual(sides.change_of_status(row(status="not_run"), row(status="skipped")), "not run before")
        self.assertEqual(sides.spoiled(result(row(), row(status="not_run"))), 1)

    def test_a_run_that_is_refused_is_wrong(self):
        self.assertEqual(self.outcome([row()], [row()], code=4), ["another status: run: exit 4"])

    def test_one_lost_word_in_a_hundred_may_be(self):
        many = [row(f"v{i}") for i in range(100)]
        for lost, count in ((1, 0), (2, 1)):
            nows = [row(f"v{i}", "unproven" if i < lost else "faster", unproven="few") for i in range(100)]
            self.assertEqual(len(self.outcome(many, nows)), count)
        self.assertIn("faster (1.5x) -> unproven: few", self.said)

    def test_words(self):
        for was, now, kind in (("faster", "same", "another word"), ("faster", "slower", "contradicts"), ("same", "", "lost"),
                               ("same", "not checked alone", "lost"), ("slower", "undecided (noise)", "open now"),
                               ("faster", "busy machine", "open now"), ("too noisy", "same", "gained"), ("", "", None),
                               ("undecided (noise)", "unproven", "open before, no word now"), ("undecided (noise)", "too noisy", None)):
            self.assertEqual(sides.change_of_word(row(verdict=was), row(verdict=now)), kind, (was, now))
        self.assertEqual(sides.change_of_word(row(), row(baseline="fast", verdict="")), "another baseline")

    def test_times_that_are_others_all_together_are_wrong(self):
        befores = [row(f"v{i}") for i in range(9)]
        self.assertEqual(self.outcome(befores, [row(f"v{i}", ns="1010") for i in range(9)]), [])
        self.assertIn("1.0100 times", self.said)
        self.assertIn("a are 1.100 times", self.outcome(befores, [row(f"v{i}", ns="1100") for i in range(9)])[0])
        self.assertEqual(len(self.rows.found["apart"]), 9)

    def test_one_that_is_apart_is_shown_and_times_of_a_busy_machine_are_not(self):
        befores = [row(f"v{i}") for i in range(9)]
        self.assertEqual(self.outcome(befores, [row("v0", ns="1500"), *befores[1:]]), [])
        self.assertEqual(len(self.rows.found["apart"]), 1)
        self.assertEqual(self.outcome(befores, [row(f"v{i}", ns="1500", contended="1") for i in range(9)]), [])


class Seconds(unittest.TestCase):
    def setUp(self):
        redirected = contextlib.redirect_stdout(io.StringIO())
        redirected.__enter__()
        self.addCleanup(redirected.__exit__, None, None, None)

    def test_a_run_that_takes_longer_than_it_announced_is_wrong(self):
        self.assertEqual(sides.bounds("run", [result(seconds=19)]), [])
        self.assertEqual(sides.bounds("run", [result(seconds=19), result(seconds=21)]), ["run: took 21.0 s, announced 20"])
        self.assertEqual(len(sides.bounds("run", [{**result(), "plan": ""}])), 1)

    def test_the_price_is_the_least_that_pairs_allow(self):
        pairs = lambda *seconds: [(result(seconds=a), result(seconds=b)) for a, b in seconds]  # noqa: E731
        self.assertEqual(sides.price("run", pairs((10, 10.9))), [])
        self.assertEqual(len(sides.price("run", pairs((10, 12), (11, 13)))), 1)
        self.assertEqual(sides.price("run", pairs((10, 30), (10, 10), (10, 31))), [])


class Made(honest.Sides):
    """Runs of both builds with given results for each side."""

    def __init__(self, folder, tries, **given):
        self.given, self.made, self.keeper = {side: list(of) for side, of in given.items()}, [], Keeper(folder, tries, 1000)

    def run(self, side, entry, turn):
        def make(out):
            self.made.append(side)
            out.parent.mkdir(parents=True, exist_ok=True)
            out.write_text(json.dumps(self.given[side].pop(0)))

        return self.keeper.tried(f"{entry['name']}/{side}-{turn}", make, sides.spoiled)


class Runs(unittest.TestCase):
    def compare(self, both, times=1):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            wrong = honest.compare([{"part": "rows", "name": "run"}], both, times)
        self.said = said.getvalue()
        return wrong

    def test_what_a_busy_machine_spoils_is_made_again_and_what_is_there_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            busy, quiet = result(row(verdict="busy machine")), result(row())
            both = Made(Path(folder), 2, before=[quiet], now=[busy, quiet])
            self.assertEqual(self.compare(both), [])
            self.assertEqual(both.made, ["before", "now", "now"])
            self.assertEqual(self.compare(both), [])
            self.assertEqual(len(both.made), 3)

    def test_builds_take_turns_in_going_first(self):
        with tempfile.TemporaryDirectory() as folder:
            both = Made(Path(folder), 1, before=[result(row())] * 2, now=[result(row())] * 2)
            self.compare(both, 2)
            self.assertEqual(both.made, ["before", "now", "now", "before"])

    def test_what_an_older_build_refuses_counts_for_nothing_and_nothing_at_all_is_no_success(self):
        with tempfile.TemporaryDirectory() as folder:
            refused = {**result(), "said": "gpubench: newer\n", "exit": 3}
            self.assertIsNone(self.compare(Made(Path(folder), 1, before=[refused], now=[result(row())])))
            self.assertIn("no rows before: gpubench: newer", self.said)


class Lists(unittest.TestCase):
    def test_the_list_is_whole(self):
        entries = honest.read_list(honest.HERE / "honest.list")
        for device, least in (("cpu", 20), ("cuda:0", 20)):
            self.assertGreaterEqual(len(honest.choose(entries, "rows", device, "")), least)
            self.assertGreaterEqual(len(honest.choose(entries, "price", device, "")), 8)
            self.assertGreaterEqual(len(honest.choose(entries, "bound", device, "")), 4)
        for word in {word for entry in entries for word in entry["plugins"] if word.startswith("examples/")}:
            source = honest.HERE.parents[1] / "sdk" / word
            self.assertTrue(source.exists() if word.endswith(".py") else source.parent.is_dir(), word)

    def test_twins_are_runs_without_their_cheats(self):
        cheats = {entry["cheat"] for entry in honest.battery.read_list(honest.HERE / "battery.list").values()}
        self.assertGreater(len(honest.twins()), 20)
        for entry in honest.twins():
            self.assertFalse(cheats & set(entry["options"][-1].split(",")), entry["name"])

    def test_what_is_no_run_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "honest.list")
            for text in ("rows cpu name\n", "what cpu name a\n", "rows gpu name a\n", "rows cpu name --mode hot\n", "rows cpu a b\nrows cpu a c\n"):
                path.write_text(text)
                with self.assertRaises(ListError, msg=text):
                    honest.read_list(path)

    def test_a_tree_without_a_file_has_the_other_one_s(self):
        with tempfile.TemporaryDirectory() as folder:
            before, now = Path(folder, "before"), Path(folder, "now")
            for tree in (before, now):
                (tree / "tests/cheats/guests").mkdir(parents=True)
            both = types.SimpleNamespace(trees={"before": [before, now]})
            guest = now / "tests/cheats/guests/cheat_reuse.so"
            entry = {"plugins": ["softmax", "cheat_reuse.so"]}
            self.assertEqual(len(honest.Sides.missing(both, entry)), 1)
            guest.touch()
            self.assertEqual(honest.Sides.missing(both, entry), [])
            self.assertEqual(plugin_file("cheat_reuse.so", both.trees["before"]), guest)
            self.assertEqual(plugin_file("softmax", [now]), "softmax")


if __name__ == "__main__":
    sys.exit(unittest.main())
