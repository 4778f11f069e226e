"""`gpubench history`: a nightly run is added completely or not at all, and the index always agrees with the folder."""

import datetime
import fcntl
import gzip
import os
import random
import shutil
import signal
import sqlite3
import time

import nights
from run import GpubenchTest, main, plugin

FAKE = """[device]
name = Test device
driver = 1.0
tick_ns = 32
seed = 3
[plain]
ns = 50000
[twice]
ns = 100000
[blocked]
ns = 50000
"""


class HistoryTest(GpubenchTest):
    def setUp(self):
        super().setUp()
        (self.dir / "fake.ini").write_text(FAKE)
        self.run_dir = self.dir / "base"
        self.ok("--plugin", plugin("ok_vector"), "--preset", "small", "--device", "fake:fake.ini", "-q", "--out", self.run_dir)
        self.history = self.dir / "history"

    def night(self, number, **how):
        return nights.write(self.dir / "runs", self.run_dir, number, **how)

    def fill(self, count, **how):
        self.ok("history", "add", self.history, *[self.night(i, **how) for i in range(count)])

    def dump(self):
        with sqlite3.connect(f"file:{self.history}/history.db?mode=ro", uri=True) as db:
            return list(db.iterdump())


class History(HistoryTest):
    def test_nights_are_kept_and_indexed(self):
        runs = [self.night(i, tags={"commit": f"c{i}"}) for i in range(3)]
        done = self.ok("history", "add", self.history, *runs)
        self.assertEqual(done.out, "".join(f"{run.name} added\n" for run in runs))
        for run in runs:
            kept = self.history / "nights" / run.name
            self.assertEqual(sorted(path.name for path in kept.iterdir()), ["results.csv.gz", "run.ini"])
            self.assertEqual(gzip.decompress((kept / "results.csv.gz").read_bytes()), (run / "results.csv").read_bytes())
            self.assertEqual((kept / "run.ini").read_bytes(), (run / "run.ini").read_bytes())
        with sqlite3.connect(self.history / "history.db") as db:
            self.assertEqual(db.execute("SELECT run_id, commit_id, fault, timed FROM nights").fetchall(), [(run.name, f"c{i}", "", 3) for i, run in enumerate(runs)])
            self.assertEqual(db.execute("SELECT DISTINCT variant FROM times ORDER BY 1").fetchall(), [("blocked",), ("plain",), ("twice",)])
            self.assertEqual(db.execute("PRAGMA journal_mode").fetchone(), ("delete",))
        listed = self.ok("history", "list", self.history).out.splitlines()
        self.assertEqual([line.split()[0] for line in listed], ["night"] + [run.name for run in runs])
        # A nightly run is a run: all commands that read runs can read it.
        self.ok("report", self.history / "nights" / runs[0].name, "--markdown", "-")
        self.ok("compare", self.history / "nights" / runs[0].name, self.history / "nights" / runs[1].name)

    def test_the_index_is_the_same_made_anew_and_in_any_order(self):
        runs = [self.night(i, factor=lambda row, i=i: 1 + i / 100) for i in range(5)]
        random.Random(1).shuffle(runs)
        for run in runs:
            self.ok("history", "add", self.history, run)
        dump = self.dump()
        for how in ("deleted", "rebuilt", "not a database", "of another version", "damaged"):
            path = self.history / "history.db"
            if how == "deleted":
                path.unlink()
            elif how == "not a database":
                path.write_bytes(b"x" * 5000)
            elif how == "of another version":
                with sqlite3.connect(path) as db:
                    db.execute("PRAGMA user_version=99")
            elif how == "damaged":
                path.write_bytes(path.read_bytes()[:5000])
            else:
                self.ok("history", "rebuild", self.history)
            self.ok("history", "add", self.history, runs[0])
            self.assertEqual(self.dump(), dump, how)

    def test_what_is_there_is_not_added_again(self):
        run = self.night(0)
        self.ok("history", "add", self.history, run)
        dump, before = self.dump(), sorted(self.history.rglob("*"))
        done = self.ok("history", "add", self.history, run)
        self.assertEqual(done.out, f"{run.name} is there already; nothing has changed\n")
        self.assertEqual((self.dump(), sorted(self.history.rglob("*"))), (dump, before))
        other = nights.write(self.dir / "other", self.run_dir, 0, factor=lambda row: 2)
        self.assertIn("is there with other results", self.one_line_error(3, "history", "add", self.history, other))
        self.assertEqual(self.dump(), dump)

    def test_prune_keeps_the_newest(self):
        self.fill(6)
        self.ok("history", "prune", self.history, "--keep", "2")
        kept = sorted(path.name for path in (self.history / "nights").iterdir())
        self.assertEqual(kept, [nights.name_of(4), nights.name_of(5)])
        dump = self.dump()
        (self.history / "history.db").unlink()
        self.ok("history", "rebuild", self.history)
        self.assertEqual(self.dump(), dump)

    def test_a_night_that_timed_nothing_is_kept_and_fails(self):
        run = self.night(0, edit=lambda row: {**row, "status": "crashed", "median_raw_ns": ""})
        done = self.gpubench("history", "add", self.history, run)
        self.assertEqual(done.exit, 3, done)
        self.assertIn("1 of the nights timed nothing: kept, and marked as such", done.err)
        self.assertIn("nothing was timed", self.ok("history", "list", self.history).out)
        unfinished = self.night(1, environment={"wall_s": None})
        self.assertIn("is not whole: the run did not come to its end", self.ok("history", "add", self.history, unfinished).err)

    def test_a_night_begins_when_a_night_can(self):
        """A start time in the future is refused: that run would stay the last one for ever, and gates would judge no
        other."""
        soon = f"{datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=2):%Y-%m-%dT%H:%M:%SZ}"
        for started in ("2099-01-01T00:00:00Z", soon, "yesterday", "2026-02-30T00:00:00Z", "2026-11-21", "2026-11-21T07:15:03+01:00", "20260101T000000Z",
                        "1970-01-01T00:00:07Z", "9999999-01-01T00:00:00Z"):
            with self.subTest(started=started):
                run = self.night(0, environment={"started_utc": started})
                self.assertRegex(self.one_line_error(3, "history", "add", self.history, run), "has no place among nights: it began at .*(in the future|is no time|lost its clock)")
                shutil.rmtree(run)
        self.assertEqual(list((self.history / "nights").iterdir()), [])
        today = self.night(1, environment={"started_utc": f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%dT%H:%M:%SZ}"})
        self.ok("history", "add", self.history, today)

    def test_a_night_of_the_future_is_never_the_last(self):
        """An older version, or a user by hand, may have added such a run."""
        self.fill(13)
        self.ok("history", "add", self.history, self.night(13, factor=lambda row: 1.15))
        before = self.gpubench("trend", self.history)
        for number, started in ((14, "2099-01-01T00:00:00Z"), (15, "yesterday"), (16, "zzz")):
            nights.write(self.history / "nights", self.run_dir, number, environment={"started_utc": started})
        for index in ("as it was", "made anew"):
            with self.subTest(index=index):
                after = self.gpubench("trend", self.history)
                self.assertEqual((after.exit, after.out), (before.exit, before.out))
                self.assertEqual(after.err.count("left out: night"), 3, after)
                self.assertIn("2099-01-01T00:00:00Z, which is in the future", after.err)
                suspects = self.ok("history", "suspects", self.history)
                self.assertIn(nights.name_of(13), suspects.out)
                listed = self.ok("history", "list", self.history)
                self.assertNotIn(nights.name_of(14), listed.out)
                self.assertIn(nights.name_of(14), listed.err)
                self.ok("history", "rebuild", self.history)

    def test_names_that_are_no_folders(self):
        for name in ("../up", ".hidden", "a/b", "x" * 300):
            run = self.night(0, edit=lambda row: {**row, "run_id": name})
            self.assertIn("cannot be the name of a folder", self.one_line_error(3, "history", "add", self.history, run))
            shutil.rmtree(run)
        self.assertEqual(list((self.history / "nights").iterdir()), [])

    def test_text_that_would_be_sql(self):
        text = "x'); DROP TABLE nights; --\"\x1b[31m"
        run = self.night(0, edit=lambda row: {**row, "variant": text, "case_key": row["case_key"] + text}, tags={"commit": text.replace("\x1b", "")})
        self.ok("history", "add", self.history, run)
        with sqlite3.connect(self.history / "history.db") as db:
            self.assertEqual(db.execute("SELECT count(*) FROM nights").fetchone(), (1,))
            self.assertEqual(db.execute("SELECT variant FROM series").fetchone(), (text.replace("\x1b", "?"),))
        self.assertNotIn("\x1b", self.ok("trend", self.history, "-v").out)

    def test_a_small_file_that_unpacks_to_much(self):
        self.fill(2)
        packed = self.history / "nights" / nights.name_of(0) / "results.csv.gz"
        packed.write_bytes(gzip.compress(b"a" * (300 << 20), 9))
        done = self.gpubench("history", "rebuild", self.history)
        self.assertEqual(done.exit, 3, done)
        self.assertIn("1 nights could not be read; the others are indexed", done.err)
        packed.write_bytes(packed.read_bytes()[:100])  # cut off
        self.assertEqual(self.gpubench("history", "rebuild", self.history).exit, 3)

    def test_one_writer(self):
        self.fill(1)
        with open(self.history / "lock", "r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            said = self.one_line_error(3, "history", "add", self.history, self.night(1))
            self.assertIn("another process is writing to this history, and there may be only one", said)
            self.ok("trend", self.history)  # readers need no lock
            (self.history / "history.db").unlink()

    def test_decisions_come_with_a_night_or_later(self):
        run = self.night(0)
        head = "part,case_key,variant,mode,devices,verdict,step,again_ns,accepted,text\r\n"
        key = nights.rows_of(run)[0]["case_key"]
        decided = self.dir / "decided.csv"
        decided.write_bytes((head + 'night,,,,,regression,,,,"one is slower"\r\n' + f'row,"{key}",twice,cold,,slower,0.1,110000,1,\r\n').encode())
        self.ok("history", "add", self.history, run)
        self.assertIn("has new decisions", self.ok("history", "add", self.history, run, "--decided", decided).out)
        with sqlite3.connect(self.history / "history.db") as db:
            self.assertEqual(db.execute("SELECT verdict, sentence FROM nights").fetchall(), [("regression", "one is slower")])
            self.assertEqual(db.execute("SELECT verdict, step, again_ps FROM decisions").fetchall(), [("slower", 0.1, 110000000)])
        dump = self.dump()
        self.ok("history", "rebuild", self.history)
        self.assertEqual(self.dump(), dump)
        decided.write_bytes((head + "night,,,,,fine,,,,\r\n").encode())
        self.assertIn("a night's verdict is", self.one_line_error(3, "history", "add", self.history, run, "--decided", decided))

    def test_killed_at_any_moment_a_night_is_there_or_not(self):
        self.fill(20)
        runs = [self.night(i) for i in range(20, 60)]
        dice = random.Random(1)
        for run in runs[:20]:
            process = self.start("history", "add", self.history, run)
            time.sleep(dice.uniform(0, 0.03))
            process.kill()
            process.communicate()
            for path in (self.history / "nights").iterdir():
                if not path.name.startswith("."):
                    self.ok("report", path, "--csv", self.dir / "x.csv")
        self.ok("history", "add", self.history, *runs)
        self.assertEqual(len(list((self.history / "nights").iterdir())), 60)
        dump = self.dump()
        self.ok("history", "rebuild", self.history)
        self.assertEqual(self.dump(), dump)

    def test_the_command_line(self):
        for words, said in ((("add", "x"), "needs a folder and runs"), (("list",), "needs one folder"), (("prune", "x"), "needs --keep N"),
                            (("list", "x", "--keep", "3"), "--keep is for history prune"), (("remove", "x"), "add, list, suspects, decide, prune or rebuild"),
                            (("list", "x"), "is no history folder"), (("rebuild", "x"), "is no history folder")):
            self.assertIn(said, self.one_line_error(2, "history", *words))
        self.assertFalse((self.dir / "x").exists())


if __name__ == "__main__":
    main()
