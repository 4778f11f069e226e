"""`gpubench history suspects` and `decide`: a slower nightly run is found, confirmed by measuring old and new builds
interleaved, and reported."""

import json
import sqlite3

import nights
from run import check_schema, main, plugin, read_csv
from test_history import FAKE, HistoryTest

VECTOR = plugin("ok_vector")
OTHER = "0" * 64  # the SHA-256 of another nightly run's binaries


class DecideTest(HistoryTest):
    def add(self, number, slower=(), step=1.1, **how):
        """Adds a nightly run with noise below 0.1%. The variants in `slower` take `step` times as long, and come from
        other binaries."""
        def factor(row):
            return (1 + 0.0005 * (number % 3 - 1)) * (step if row["variant"] in slower else 1)
        how.setdefault("edit", lambda row: {**row, "plugin_sha256": row["plugin_sha256"] if slower else OTHER})
        run = self.night(number, factor=factor, tags={"commit": f"abc{number:04}"}, **how)
        self.ok("history", "add", self.history, run)
        return run.name

    def suspects(self, *args):
        done = json.loads(self.ok("history", "suspects", self.history, *args).out)
        self.assertEqual(done["schema"], "gpubench-suspects-1")
        return done

    def confirm(self, *args, **ns):
        """Makes a run with old and new builds interleaved, on a device with these times."""
        times = {f"{name}@{label}": time for name, time in (("plain", 50000), ("twice", 100000), ("blocked", 50000)) for label in ("old", "new")}
        times |= {name.replace("_", "@"): time for name, time in ns.items()}
        device = FAKE[: FAKE.index("[plain]")]
        (self.dir / "confirm.ini").write_text(device + "".join(f"[{name}]\nns = {time}\n" for name, time in times.items()))
        out = self.dir / f"confirm{len(list(self.dir.iterdir()))}"
        self.ok("--plugin", f"old={VECTOR}", "--plugin", f"new={VECTOR}", *(args or ("--preset", "small")), "--device", "fake:confirm.ini", "--restarts", "5", "-q", "--out", out)
        return out

    def decide(self, exit, *args):
        done = self.gpubench("history", "decide", self.history, *args)
        self.assertEqual(done.exit, exit, done)
        return done

    def trend(self, exit):
        done = self.gpubench("trend", self.history, "--json", self.dir / "trend.json", "--site", self.dir / "site")
        self.assertEqual(done.exit, exit, done)
        check_schema(self.dir / "trend.json", "trend.schema.json")
        return json.loads((self.dir / "trend.json").read_text())

    def quiet(self, number):
        night = self.add(number)
        self.assertEqual(self.suspects(), {"schema": "gpubench-suspects-1", "night": night, "suspects": []})
        self.decide(0, night)
        self.assertEqual(self.trend(0)["nights"][-1]["verdict"], "ok")


class Decide(DecideTest):
    def slower(self, number, few):
        """Adds a nightly run in which `twice` takes 10% longer, and checks everything that is reported about it."""
        night = self.add(number, slower=("twice",))
        found = self.suspects()
        self.assertEqual([one["variant"] for one in found["suspects"]], ["twice"])
        one = found["suspects"][0]
        row = next(row for row in nights.rows_of(self.run_dir) if row["variant"] == "twice")
        self.assertEqual({key: one[key] for key in ("plugin", "bench", "case_key", "axes", "mode")}, {key: row[key] for key in ("plugin", "bench", "case_key", "axes", "mode")} | {"plugin": row["provider"]})
        self.assertEqual((one["few"], one["old_sha256"], one["new_sha256"]), (few, OTHER, row["plugin_sha256"]))
        self.assertIn(one["reference_night"], [nights.name_of(i) for i in range(number)])
        self.assertAlmostEqual(one["step"], 0.1, delta=0.003)
        self.assertEqual(self.trend(0)["nights"][-1]["verdict"], "suspect")
        done = self.decide(1, night, self.confirm(twice_new=110000))
        self.assertRegex(done.out.splitlines()[0], r"^regression: 1 confirmed regression in 3 series: \S+ twice \+(9\.9|10\.\d)% since 2026-01-\d\d, commit abc\d+\.$")
        self.assertEqual(len(done.out.splitlines()), 2)
        self.assertRegex(done.out.splitlines()[1], r"^slower: \S+ twice ")
        whole = self.trend(1)
        self.assertEqual((whole["nights"][-1]["verdict"], whole["exit_code"]), ("regression", 1))
        self.assertEqual([(s["variant"], s["kind"], s["grounds"], s["first_night"]) for s in whole["series"] if s["kind"] != "steady"], [("twice", "slower", "confirmed", night)])
        index = (self.dir / "site/index.html").read_text()
        self.assertIn("regression</span> 1 confirmed regression in 3 series", index)
        self.assertIn("confirmed</span>", index)
        self.assertEqual(self.suspects()["suspects"], [])
        return night

    def test_ten_quiet_nights_and_a_slower_one(self):
        for number in range(10):
            self.quiet(number)
        slow = self.slower(10, few=False)
        # The next nightly run is as slow, but it is reported only once.
        night = self.add(11, slower=("twice",))
        self.assertEqual(self.suspects()["suspects"], [])
        self.decide(0, night)
        whole = self.trend(0)
        self.assertEqual(whole["series"][0]["judgement"]["open_since"], slow)
        # The decision on the earlier run is kept.
        self.assertEqual(self.suspects("--night", slow)["suspects"], [])
        with sqlite3.connect(self.history / "history.db") as db:
            self.assertEqual(db.execute("SELECT verdict FROM nights ORDER BY run_id").fetchall(), [("ok",)] * 10 + [("regression",), ("ok",)])
        dump = self.dump()
        self.ok("history", "rebuild", self.history)
        self.assertEqual(self.dump(), dump)

    def test_from_the_third_night_on(self):
        for number in range(2):
            self.quiet(number)
        self.slower(2, few=True)

    def test_without_a_step_no_night_fails(self):
        for number in range(12):
            self.quiet(number)

    def test_a_confirmation_clears(self):
        for number in range(3):
            self.quiet(number)
        night = self.add(3, slower=("twice", "plain"))
        self.assertEqual(sorted(one["variant"] for one in self.suspects()["suspects"]), ["plain", "twice"])
        self.assertIn("2 ask for a confirmation", self.decide(5, night).out)  # no confirmation was measured
        done = self.decide(1, night, self.confirm(plain_new=55000))
        self.assertEqual([line.split(":")[0] for line in done.out.splitlines()], ["regression", "slower", "cleared"])
        self.assertRegex(done.out, r"1 confirmed regression in 3 series: \S+ plain ")
        self.decide(0, night, self.confirm())
        decided = read_csv(self.history / "nights" / night / "decided.csv")
        self.assertEqual([(row["part"], row["variant"], row["verdict"]) for row in decided],
                         [("night", "", "ok"), ("row", "plain", "same"), ("row", "twice", "same")])

    def test_what_was_not_suspect_is_not_decided(self):
        for number in range(3):
            self.quiet(number)
        night = self.add(3, slower=("twice",))
        done = self.decide(1, night, self.confirm(twice_new=110000, blocked_new=52000))
        self.assertNotIn("blocked", done.out)

    def test_all_are_slower_as_if_the_machine_were(self):
        """When all series move, three confirmations are asked for; these settle it, and only the confirmed ones become
        regressions."""
        self.run_dir = self.dir / "wide"
        self.ok("--plugin", VECTOR, "-a", "n=4096,8192", "--device", "fake:fake.ini", "-q", "--out", self.run_dir)
        names = ("plain", "twice", "blocked")
        for number in range(9):
            self.quiet(number)
        night = self.add(9, slower=names)
        self.assertEqual(len(self.suspects()["suspects"]), 3)
        self.assertIn("3 ask for a confirmation", self.decide(5, night).out)
        same = self.confirm("-a", "n=4096,8192")
        self.decide(0, night, same)
        self.assertEqual({s["kind"] for s in self.trend(0)["series"]}, {"machine"})
        slower = self.confirm("-a", "n=4096,8192", plain_new=55000, twice_new=110000, blocked_new=55000)
        done = self.decide(1, night, slower)
        self.assertEqual([line.split(":")[0] for line in done.out.splitlines()], ["regression"] + ["slower"] * 6)

    def test_less_than_a_percent_is_none(self):
        for number in range(3):
            self.quiet(number)
        night = self.add(3, slower=("twice",))
        self.decide(0, night, self.confirm(twice_new=100700))

    def test_nobody_asks_about_a_faster_night(self):
        for number in range(3):
            self.quiet(number)
        night = self.add(3, slower=("twice",), step=0.9)
        self.assertEqual(self.suspects()["suspects"], [])
        self.decide(0, night)
        self.decide(0, night, self.confirm(twice_new=90000))
        self.assertEqual(self.trend(0)["series"][0]["kind"], "faster")

    def test_a_busy_machine_is_not_judged(self):
        for number in range(3):
            self.quiet(number)
        night = self.add(3, slower=("twice",), edit=lambda row: {**row, "contended": "1"})
        self.assertEqual(self.suspects()["suspects"], [])
        self.assertIn("1 not judged: the machine was busy", self.decide(5, night).out)
        # A confirmation on a busy machine is not judged, either.
        night = self.add(4, slower=("twice",))
        self.assertEqual(len(self.suspects()["suspects"]), 1)
        run = self.confirm(twice_new=110000)
        text = nights.text_of([{**row, "contended": "1"} for row in nights.rows_of(run)])
        (run / "results.csv").write_bytes(text.encode())
        self.assertIn("their confirmation was undecided", self.decide(5, night, run).out)

    def test_a_night_that_failed(self):
        for number in range(3):
            self.quiet(number)
        night = self.add(3, environment={"wall_s": None})
        self.assertIn("is not to be judged: the run did not come to its end", self.one_line_error(3, "history", "suspects", self.history))
        self.assertIn("failed: The night failed: the run did not come to its end.", self.decide(3, night).out)
        night = self.add(4, edit=lambda row: None if row["variant"] == "twice" else row)
        self.assertIn("failed: 1 of 3 series no longer timed or no longer correct.", self.decide(3, night).out)
        night = self.add(5, edit=lambda row: None if row["variant"] == "twice" else row)
        self.decide(0, night)  # the variant is already known to be missing

    def test_a_required_variant_that_was_skipped(self):
        self.quiet(0)
        ini = self.run_dir / "run.ini"
        ini.write_text(ini.read_text().replace("[environment]\n", "[environment]\nrequire = block*\n"))
        night = self.add(1, edit=lambda row: {**row, "status": "skipped", "median_raw_ns": ""} if row["variant"] == "blocked" else row)
        self.assertIn("blocked, which is required, was skipped", self.one_line_error(3, "history", "suspects", self.history))
        self.decide(3, night)
        self.trend(3)

    def test_a_named_baseline(self):
        names = [self.add(number) for number in range(4)]
        self.add(4, slower=("twice",))
        one = self.suspects("--baseline", names[0])["suspects"][0]
        self.assertEqual((one["reference_night"], one["old_sha256"]), (names[0], OTHER))
        self.assertIn("has no night 'none'", self.one_line_error(2, "history", "suspects", self.history, "--baseline", "none"))
        self.assertIn("has no night 'none'", self.one_line_error(2, "history", "suspects", self.history, "--night", "none"))

    def test_what_confirms_nothing(self):
        night = self.add(0)
        self.assertIn("confirms nothing of", self.one_line_error(3, "history", "decide", self.history, night, self.run_dir))
        self.assertIn("has no night 'none'", self.one_line_error(2, "history", "decide", self.history, "none"))
        self.assertIn("--night is for history suspects", self.one_line_error(2, "history", "list", self.history, "--night", night))
        self.assertIn("history decide needs a folder, a night", self.one_line_error(2, "history", "decide", self.history))


if __name__ == "__main__":
    main()
