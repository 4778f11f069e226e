"""`ci/nightly.sh`: nightly runs that end green, red or unjudged, on a scripted device whose script sets the time of
each build.

The suite has six rows; a test replaces the plugin file by another build."""

import hashlib
import os
import random
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import nights
from run import BIN, PLUGINS, GpubenchTest, main, plugin, read_csv
from safety import SANITIZED

ROOT = Path(__file__).resolve().parents[2]
NOISE = "sample_sd = 0.004\nslot_sd = 0.001\n"
HEAD = "[device]\nname = Test device\ntick_ns = 32\nceilings = 1\n"
KEY = "builds/spin[repeat=%d]"


class NightlyTest(GpubenchTest):
    def setUp(self):
        super().setUp()
        self.history, self.out, self.site = self.dir / "history", self.dir / "out", self.dir / "site"
        self.environment = {**{k: v for k, v in os.environ.items() if not k.startswith(("GITHUB_", "CI_", "GIT_"))}, "GPUBENCH": BIN, "HOME": str(self.dir),
                            "XDG_CACHE_HOME": str(self.dir / "cache"), "LC_ALL": "C.UTF-8", "CI": "true", "GPUBENCH_LOCK_DIR": str(self.locks),
                            "GPUBENCH_PLUGIN_PATH": str(PLUGINS / "small")}
        self.build("builds_100")
        self.suite("axis.repeat = 1,2,3\n")
        self.device()
        self.seed = 0

    def build(self, name):
        shutil.copyfile(plugin(name), self.dir / "mine.so.new")
        (self.dir / "mine.so.new").rename(self.dir / "mine.so")

    def suite(self, more=""):
        (self.dir / "suite.ini").write_text(f"[spin]\nplugin = ./mine.so\n{more}")

    def device(self, more=""):
        """Sets the sections of the device that precede the one for all others, which take 50 us."""
        self.script = more
        return self

    def slowed(self, *globs, step=1.1):
        """Slows these rows in tonight's build, and none in the build before it."""
        return self.device(f"[*@old]\nns = 50000\n{NOISE}" + "".join(f"[{glob}]\nns = {50000 * step}\n{NOISE}" for glob in globs))

    def nightly(self, *more, exit=0, options=(), device="fake"):
        self.seed += 1
        (self.dir / "fake.ini").write_text(f"{HEAD}seed = {self.seed}\n{self.script}[*]\nns = 50000\n{NOISE}")
        where = ["--device", "fake:fake.ini", "--case-time", "600"] if device == "fake" else ["--device", device]
        done = subprocess.run([ROOT / "ci/nightly.sh", self.history, "--suite", "suite.ini", "--site", self.site, "--out", self.out, *more, "--", *where, *options],
                              cwd=self.dir, env=self.environment, capture_output=True, text=True, timeout=600)
        self.assertIn(done.returncode, exit if isinstance(exit, tuple) else (exit,), f"{done.stdout}\n{done.stderr}")
        return done

    def last(self):
        return sorted(path.name for path in (self.history / "nights").iterdir())[-1]

    def decided(self):
        path = self.history / "nights" / self.last() / "decided.csv"
        rows = read_csv(path) if path.is_file() else []
        return {row["part"]: row["verdict"] for row in rows if row["part"] == "night"}, {(row["case_key"], row["variant"]): row["verdict"] for row in rows if row["part"] == "row"}

    def named(self):
        """Returns the rows that summary.md, nightly.xml and decided.csv call slower; they must agree."""
        decided = {row for row, verdict in self.decided()[1].items() if verdict == "slower"}
        cells = [re.sub(r"\\(.)", r"\1", line).strip("| ").split(" | ") for line in (self.out / "summary.md").read_text().splitlines() if line.startswith("| builds")]
        self.assertEqual({(cell[0], cell[1]) for cell in cells if cell[3] == "slower"}, decided)
        cases = xml.parse(self.out / "nightly.xml").getroot().findall("testcase")
        self.assertEqual({tuple(case.get("name").split(" ")[:2]) for case in cases if case.find("failure") is not None and case.get("classname") != "nightly"}, decided)
        return decided

    def fill(self, count):
        """Writes earlier nightly runs, which are one real run with noise from night to night, and keeps their binaries."""
        self.seed += 1
        (self.dir / "fake.ini").write_text(f"{HEAD}seed = {self.seed}\n[*]\nns = 50000\n{NOISE}")
        self.ok("run", "--suite", "suite.ini", "--device", "fake:fake.ini", "--case-time", "600", "-q", "--out", "base", env=self.environment)
        dice = random.Random(1)
        for number in range(count):
            common = dice.gauss(1, 0.003)
            nights.write(self.history / "nights", self.dir / "base", number, packed=True, factor=lambda row: common * dice.gauss(1, 0.004))
        self.helper("keep", self.dir / "base", self.history)
        self.ok("history", "rebuild", self.history)

    def helper(self, *args):
        subprocess.run(["python3", ROOT / "ci/nightly.py", *args], cwd=self.dir, env=self.environment, check=True)

    def kept(self):
        return sorted(path.name for path in (self.history / "plugins").iterdir())


def sha(name):
    return hashlib.sha256(Path(plugin(name)).read_bytes()).hexdigest()


class Regressions(NightlyTest):
    def test_ten_nights_and_a_step_in_the_eleventh(self):
        self.fill(9)
        self.nightly()
        self.build("builds_103")
        self.slowed("*repeat=2* whole*", "*repeat=3* half*").nightly(exit=1)
        self.assertEqual(self.named(), {(KEY % 2, "whole"), (KEY % 3, "half")})
        self.assertEqual(self.decided()[0], {"night": "regression"})
        self.assertIn("regression", (self.site / "index.html").read_text())
        self.assertEqual(self.kept(), sorted([sha("builds_100"), sha("builds_103")]))

    def test_ten_nights_and_none(self):
        self.fill(9)
        for name in ("builds_100", "builds_103"):
            self.build(name)
            self.nightly()
            self.assertEqual(self.named(), set())
        self.assertEqual(self.decided()[0].get("night", "ok"), "ok")

    def test_the_third_night_is_confirmed_or_cleared(self):
        self.nightly()
        self.nightly()
        self.build("builds_103")
        self.slowed("*repeat=2* whole*").nightly(exit=1)
        self.assertEqual(self.named(), {(KEY % 2, "whole")})

    def test_what_the_machine_did_is_cleared(self):
        """Tonight's rows are slower, and so are the old binaries: the confirmation says same."""
        self.fill(9)
        self.build("builds_103")
        self.device(f"[*@*]\nns = 55000\n{NOISE}[*repeat=2* whole]\nns = 55000\n{NOISE}").nightly()
        self.assertEqual(self.named(), set())
        self.assertEqual(set(self.decided()[1].values()), {"same"})

    def test_text_of_plugins_stays_text(self):
        """Axis values that are markup, formulas or separators; one file is both the old and the new build."""
        shutil.copyfile(plugin("ok_hostile_text"), self.dir / "mine.so")
        self.suite("variant = good, other\n")
        self.nightly()
        self.nightly()
        self.slowed("*text* other*").nightly(exit=1)
        verdicts = self.decided()[1]
        self.assertEqual(len(verdicts), 7)
        self.assertEqual({(variant, verdict) for (_, variant), verdict in verdicts.items()}, {("other", "slower")})
        self.assertNotIn("<script>", (self.out / "summary.md").read_text().replace("\\<", ""))
        self.assertEqual(len(xml.parse(self.out / "nightly.xml").getroot().findall("testcase/failure")), 8)

    def test_faster_is_reported_and_green(self):
        self.fill(9)
        self.build("builds_103")
        self.slowed("*repeat=2* whole*", step=0.9).nightly()
        self.assertEqual(self.named(), set())
        self.assertIn("faster", self.ok("trend", self.history).out)


class Failures(NightlyTest):
    def test_nothing_timed(self):
        self.nightly()
        for script in ("serial = 1\n", "absent = 1\n"):
            self.device(script).nightly(exit=3)
            self.assertIn("## failed", (self.out / "summary.md").read_text())
        self.assertIn("failed", (self.site / "index.html").read_text())

    def test_a_required_variant_is_skipped(self):
        self.suite("axis.repeat = 1\n")
        self.nightly()
        shutil.copyfile(plugin("ok_vector"), self.dir / "mine.so")
        self.suite("axis.n = 1001\nrequire = blocked\n")
        self.assertIn("required and skipped", self.nightly(exit=3).stderr)
        self.assertEqual(self.decided()[0], {"night": "failed"})

    def test_a_variant_crashes(self):
        self.nightly()
        self.build("builds_100_crash")
        self.nightly(exit=3)
        self.assertEqual(self.decided()[0], {"night": "failed"})
        self.build("builds_100")
        self.nightly()

    def test_a_shard_is_missing(self):
        self.suite("axis.repeat = 1,2\n")
        self.nightly("--shards", "1")
        self.assertIn("1 of 2 shards are there", self.nightly("--shards", "2", exit=3).stderr)
        self.assertEqual(self.listed(), "10 of 10")  # of one shard; eight of them are yardsticks
        for shard, case_time in (("shard", "600"), ("other", "500")):
            self.ok("run", "--suite", "suite.ini", "--device", "fake:fake.ini", "--case-time", case_time, "-q", "--shard", "1/2", "--out", shard, env=self.environment)
        self.nightly("--shards", "2", "--shard", "shard")
        self.assertEqual(self.listed(), "12 of 12")
        self.assertIn("do not make one night", self.nightly("--shards", "2", "--shard", "other", exit=3).stderr)
        (self.dir / "shard/results.csv").unlink()
        self.nightly("--shards", "2", "--shard", "shard", exit=3)

    def listed(self):
        """Returns how many rows of the last nightly run were timed, of how many."""
        return re.search(r"\d+ of \d+", self.ok("history", "list", self.history).out.splitlines()[-1])[0]

    def test_a_command_line_that_says_nothing(self):
        for args, said in (((), "no --suite"), (("--suite",), "--suite needs a value"), (("--nights", "x"), "--nights is 'x'"), (("--fast", "x"), "unknown option '--fast'")):
            suite = () if args in ((), ("--suite",)) else ("--suite", "suite.ini")
            done = subprocess.run([ROOT / "ci/nightly.sh", self.history, *suite, *args], cwd=self.dir, env=self.environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(said, done.stderr)
        (self.dir / "suite.ini").write_text("[a]\nplugin = ./mine.so\npresision = 1\n")
        self.assertIn("unknown key 'presision'", self.nightly(exit=2).stderr)


class Kept(NightlyTest):
    def test_a_named_baseline(self):
        self.suite("axis.repeat = 1\n")
        self.fill(9)
        base = self.last()
        self.build("builds_103")
        self.slowed("*whole*").nightly("--baseline", base, exit=1)
        self.assertIn("no night 'never'", self.nightly("--baseline", "never", exit=2).stderr)

    def test_old_run_directories_go(self):
        self.suite("axis.repeat = 1\n")
        (self.out / "20200101T000000Z-mine").mkdir(parents=True)
        for _ in range(3):
            self.nightly("--nights", "2")
        self.assertEqual(sum(path.is_dir() and path.name.endswith("-nightly") and not path.is_symlink() for path in self.out.iterdir()), 2)
        self.assertTrue((self.out / "20200101T000000Z-mine").is_dir())

    def test_the_last_good_binary_stays(self):
        self.suite("axis.repeat = 1\n")
        self.nightly("--nights", "1")
        good = self.kept()
        self.build("builds_100_crash")
        for _ in range(2):
            self.nightly("--nights", "1", exit=3)
        self.assertEqual(self.kept(), sorted([*good, sha("builds_100_crash")]))
        self.build("builds_103")
        self.nightly("--nights", "1")
        self.assertEqual(self.kept(), [sha("builds_103")])

    def test_what_other_programs_are_given(self):
        summary = self.dir / "step.md"
        self.environment.update(GITHUB_STEP_SUMMARY=str(summary), GITHUB_SHA="abc123")
        self.nightly()
        self.assertIn("## ok", summary.read_text())
        self.assertIn("builds/spin", summary.read_text())
        for name in ("results.xml", "results.json", "benchmark-smaller.json", "benchmark-bigger.json", "nightly.xml"):
            self.assertTrue((self.out / name).is_file(), name)
        self.assertIn("abc123", self.ok("history", "list", self.history).out)


class Long(NightlyTest):
    def test_every_night_of_two_weeks(self):
        """Ten nightly runs, each judged as it comes; a step in the eleventh, reported once; undone in the fourteenth."""
        for _ in range(10):
            self.nightly()
        self.build("builds_103")
        self.slowed("*repeat=2* whole*", "*repeat=3* half*").nightly(exit=1)
        self.assertEqual(self.named(), {(KEY % 2, "whole"), (KEY % 3, "half")})
        self.device(f"[*repeat=2* whole*]\nns = 55000\n{NOISE}[*repeat=3* half*]\nns = 55000\n{NOISE}")
        for _ in range(2):
            self.nightly()
            self.assertEqual(self.named(), set())
        self.build("builds_100")
        self.device().nightly()

    def test_other_binaries_each_night(self):
        for number in range(14):
            self.build(("builds_100", "builds_103", "builds_130")[number % 3])
            self.nightly()


class Real(NightlyTest):
    def setUp(self):
        super().setUp()
        os.environ["GPUBENCH_FLUSH_BYTES"] = "0"  # as a real nightly run
    def test_a_third_more_work_on_this_cpu(self):
        """Exits with 1, or with 5 if the machine is busy, but never without a regression."""
        self.suite()
        # Yardsticks might use up the default time on a busy machine.
        options = ("--case-time", "1", "--max-time", "120")
        for _ in range(2):
            self.nightly(exit=(0, 5), device="cpu", options=options)
        self.build("builds_130")
        done = self.nightly(exit=(1, 5), device="cpu", options=options)
        self.assertNotIn("no regression", done.stdout + done.stderr + (self.out / "summary.md").read_text())
        if done.returncode == 5:
            self.skipTest("this machine is too busy to tell 30%")
        self.assertEqual({variant for _, variant in self.named()}, {"whole", "half"})



@unittest.skipIf(SANITIZED, "a sanitizer's library would have to be Python's first")
class Beside(NightlyTest):
    """A script that imports a module; only the module changes."""

    SCRIPT = """import ctypes, gpubench, kernels


def view(t):
    return (ctypes.c_float * t.shape[0]).from_address(t.address)


@gpubench.variant("gpubench.org/test/vector/scale/1", name="f", math="fp32")
def f(x, y, a):
    view(y)[:] = [kernels.FACTOR * a * e for e in view(x)]
"""

    def write(self, build):
        (self.dir / "mine.py").write_text(self.SCRIPT)
        (self.dir / "kernels.py").write_text(f"FACTOR = 1  # {build}\n")

    def test_old_and_new_are_kept_with_it_and_take_turns(self):
        (self.dir / "suite.ini").write_text(f"[beside]\nplugin = {plugin('ok_vector')}, ./mine.py\nvariant = plain, f\naxis.n = 64,128\n")
        self.write("old")
        self.fill(10)
        old = {path.parent.name for path in (self.history / "plugins").glob("*/mine.py")}
        self.write("new")
        done = self.slowed("*n=64,* f*").nightly(exit=1)
        both = list((self.history / "plugins").glob("*/mine.py"))
        self.assertEqual((len(old), len(both)), (1, 2), done.stderr)
        self.assertEqual({(path.parent / "kernels.py").read_text() for path in both}, {"FACTOR = 1  # old\n", "FACTOR = 1  # new\n"})
        self.assertEqual({variant for _, variant in self.named_rows()}, {"f"})
        confirmed = read_csv(next(self.out.glob("*-confirmed-*")) / "results.csv")
        self.assertEqual({row["variant"]: row["plugin_sha256"] in old for row in confirmed if row["yardstick"] != "1"}, {"f@old": True, "f@new": False})

    def named_rows(self):
        return {row for row, verdict in self.decided()[1].items() if verdict == "slower"}


if __name__ == "__main__":
    main()
