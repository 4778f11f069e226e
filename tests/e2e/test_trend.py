"""`gpubench trend`: nightly runs with planted changes, and how they are reported."""

import json
import re

import nights
from run import check_schema, main, read_csv
from test_history import HistoryTest


class Trend(HistoryTest):
    def planted(self, count=14, at=10, step=1.1, variant="twice", **how):
        """Adds nightly runs with a step of one variant and less than 0.1% noise."""
        def factor_of(number):
            return lambda row: (1 + 0.0005 * (number % 3 - 1)) * (step if row["variant"] == variant and number >= at else 1)
        runs = [self.night(i, factor=factor_of(i), tags={"commit": f"abc{i:04}"}, **how) for i in range(count)]
        self.ok("history", "add", self.history, *runs)

    def test_a_step_is_named_with_its_first_night_and_commit(self):
        self.planted()
        out = self.ok("trend", self.history).out
        self.assertEqual(out.splitlines()[0], "3 series: 1 slower within 60 nights; 1 slower since earlier nights, neither fixed nor accepted.")
        self.assertRegex(out, r"twice\n  [▁-█]{14} 110\.\d us \[.*\]  ▼ \+10\.\d% slower since 2026-01-11, commit abc0010; two nights in a row, not confirmed\n")
        self.assertNotIn("blocked", out)
        self.assertIn("blocked", self.ok("trend", self.history, "-v").out)
        rows = read_csv(self.file("csv"))
        self.assertEqual([(row["variant"], row["kind"]) for row in rows], [("twice", "slower"), ("blocked", "steady"), ("plain", "steady")])
        self.assertAlmostEqual(float(rows[0]["change"]), 0.1, delta=0.003)
        whole = json.loads(self.file("json").read_text())
        self.assertEqual([level["first_night"] for level in whole["series"][0]["levels"]], [nights.name_of(0), nights.name_of(10)])
        self.assertEqual([night["verdict"] for night in whole["nights"][-5:]], ["ok", "suspect", "not judged", "ok", "ok"])
        self.assertEqual([(event["night"], event["state"]) for event in whole["series"][0]["events"]], [(nights.name_of(10), "suspect: slower"), (nights.name_of(11), "slower")])
        self.assertEqual(whole["series"][0]["judgement"]["open_since"], nights.name_of(10))
        check_schema(self.dir / "trend.json", "trend.schema.json")

    def trend(self, exit, *args, **how):
        done = self.gpubench("trend", self.history, *args, **how)
        self.assertEqual(done.exit, exit, done)
        return done

    def file(self, kind, exit=0):
        self.trend(exit, f"--{kind}", self.dir / f"trend.{kind}", "-q")
        return self.dir / f"trend.{kind}"

    def test_an_improvement_is_one(self):
        self.planted(step=0.9)
        self.assertIn("▲ -10.0% faster since 2026-01-11", self.ok("trend", self.history).out)
        self.assertEqual(json.loads(self.file("json").read_text())["nights"][-1]["verdict"], "ok")

    def test_nothing_is_found_where_nothing_is(self):
        self.planted(step=1)
        self.assertEqual(self.ok("trend", self.history, "-q").out, "3 series: no change within 60 nights.\n")

    def test_the_machine_is_marked(self):
        for number in range(8):
            driver = "1.0" if number < 5 else "2.0"
            self.ok("history", "add", self.history, self.night(number, edit=lambda row: {**row, "driver": driver}, factor=lambda row: 1.05 if number >= 5 else 1))
        out = self.ok("trend", self.history, env={"COLUMNS": "200"}).out
        self.assertIn("machine     2026-01-06 driver 1.0 -> 2.0\n", out)
        self.assertIn("suspect: slower since 2026-01-06, the plugin is the same file; driver 1.0 -> 2.0", out)

    def test_missing_new_broken(self):
        def edit(number):
            def change(row):
                if row["variant"] == "plain" and number == 5:
                    return None
                if row["variant"] == "twice" and number < 5:
                    return None
                return {**row, "status": "wrong"} if row["variant"] == "blocked" and number == 5 else row
            return change
        for number in (0, 1, 2, 5):
            self.ok("history", "add", self.history, self.night(number, edit=edit(number)))
        done = self.trend(3)
        self.assertEqual(done.out.splitlines()[0], "3 series: 1 no longer correct, 1 missing, 1 new within 60 nights.")
        self.assertIn("4, from 2026-01-01 to 2026-01-06; 2 days between them without one", done.out)
        kinds = {row["variant"]: row["kind"] for row in read_csv(self.file("csv", exit=3))}
        self.assertEqual(kinds, {"plain": "missing", "twice": "new", "blocked": "no longer correct"})
        self.assertEqual(json.loads(self.file("json", exit=3).read_text())["nights"][-1]["verdict"], "failed")

    def test_a_night_that_is_not_whole(self):
        self.fill(3)
        self.ok("history", "add", self.history, self.night(3, environment={"wall_s": None}))
        out = self.trend(3).out
        self.assertEqual(out.splitlines()[0], "The last night failed: the run did not come to its end.")
        self.assertIn("not whole   2026-01-04 the run did not come to its end", out)

    def test_series_by_uuid(self):
        for number in range(4):
            self.ok("history", "add", self.history, self.night(number, edit=lambda row: {**row, "devices": f"GPU-{number % 2}"}))
        self.assertEqual(len(read_csv(self.file("csv"))), 3)
        self.ok("trend", self.history, "--series-by", "uuid", "--csv", self.dir / "by.csv")
        self.assertEqual({row["uuid"] for row in read_csv(self.dir / "by.csv")}, {"GPU-0", "GPU-1"})

    def test_globs_and_plain_terminals(self):
        self.planted()
        self.assertIn("1 series: ", self.ok("trend", self.history, "--variant", "tw*").out)
        self.assertIn("3 series: ", self.ok("trend", self.history, "--bench", "scale").out)
        self.assertRegex(self.one_line_error(2, "trend", self.history, "--bench", "no"), "no series of these nights match --bench")
        out = self.ok("trend", self.history, "-v", env={"LC_ALL": "C", "COLUMNS": "80"}).out
        self.assertTrue(out.isascii())
        self.assertRegex(out, r"(?m)^  [_,\-~=+*#]{14} 110")
        for utf8 in ("C", "C.UTF-8"):
            for line in self.ok("trend", self.history, "-v", env={"LC_ALL": utf8, "COLUMNS": "80"}).out.splitlines():
                self.assertLessEqual(len(line), 80)

    def test_empty_folders(self):
        (self.history / "nights").mkdir(parents=True)
        self.assertEqual(self.ok("trend", self.history).out, "There are no nights yet.\n")
        self.assertIn("is no history folder", self.one_line_error(2, "trend", self.dir))
        self.assertIn("needs one history folder", self.one_line_error(2, "trend"))


if __name__ == "__main__":
    main()
