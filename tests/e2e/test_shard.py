"""--shard I/N: parts of a plan that run separately, and `gpubench report`, which merges them into one run."""

import hashlib
import json
import os
import re
import shutil
import signal
import time

from run import GpubenchTest, main, plugin, read_csv
from safety import check_epochs, check_files, environment, keys, whole_rows

CASES = 7


class Shard(GpubenchTest):
    def script(self, name="a", device=""):
        noise = "sample_sd = 0.004\nslot_sd = 0.001\n"
        (self.dir / f"{name}.ini").write_text(
            f"[device]\nname = Test GPU\nuuid = GPU-{name}\ntick_ns = 32\nseed = 3\n{device}"
            f"[twice]\nns = 100000\n{noise}[blocked]\nns = 47000\n{noise}[*]\nns = 50000\n{noise}")
        return f"fake:{name}.ini"

    def vector(self, *args, device=None, axis="n=8:512:x2", run=None, **kwargs):
        return (run or self.ok)("--plugin", plugin("ok_vector"), "-a", axis, "--device", device or self.script(),
                                "--case-time", "600", *args, **kwargs)

    def shards(self, of, *args, device=None, name="s", **kwargs):
        """Runs all shards. Returns their directories."""
        for i in range(1, of + 1):
            where = device(i) if callable(device) else device
            self.vector("--shard", f"{i}/{of}", "--out", f"{name}{i}", *args, device=where, **kwargs)
        return [f"{name}{i}" for i in range(1, of + 1)]

    def planned(self, *args, **kwargs):
        out = self.vector("--dry-run", *args, **kwargs).out
        return [line for line in out.splitlines() if line.startswith("vector/scale[")]

    def words(self, *runs):
        """Returns from the report the keys, verdicts and status of all rows, and the sentences about variants."""
        self.ok("report", *runs, "--json", "words.json", "-q")
        made = json.loads((self.dir / "words.json").read_text())
        rows = [(r["case_key"], r["variant"], r["mode"], r["status"], r["verdict"], r["fastest"], r["baseline"]) for r in made["rows"]]
        return rows, made["sentence"], made["multiple_comparisons"], made["counts"]

    def refuses(self, exit, text, *args):
        """Expects that the report is refused, and that no file is made or changed."""
        def state():
            files = sorted(p for p in self.dir.rglob("*") if p.is_file())
            return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}
        before = state()
        self.assertIn(text, self.one_line_error(exit, "report", *args, "--out", "m"))
        self.assertFalse((self.dir / "m").exists())
        self.assertIn(text, self.one_line_error(exit, "report", *args))  # without --out, too
        self.assertEqual(state(), before)

    # ---- The division of the plan ----

    def test_each_case_is_in_one_shard(self):
        whole = self.planned()
        self.assertEqual(len(whole), CASES)
        for of in range(1, CASES + 3):
            parts = [self.planned("--shard", f"{i}/{of}") for i in range(1, of + 1)]
            self.assertEqual(sorted(key for part in parts for key in part), sorted(whole), of)
            self.assertLessEqual(max(map(len, parts)) - min(map(len, parts)), 1)  # the cases take equally long
            for part in parts:
                self.assertEqual(part, [key for key in whole if key in part])  # in the plan's order

    def test_the_division_is_the_plan_s_alone(self):
        """The division depends on the plan only: not on durations in the user's cache, and not on the device."""
        args = ("--shard", "2/3", "--mode", "cold,hot")
        first = self.planned(*args)
        self.vector("--quick", "--mode", "cold,hot", "--out", "o")
        self.assertEqual(self.planned(*args), first)
        other = {"XDG_CACHE_HOME": str(self.dir / "other"), "GPUBENCH_OUT": str(self.dir / "elsewhere")}
        self.assertEqual(self.planned(*args, env=other, device=self.script("b", "threads = 7\nceilings = 1\n")), first)

    def test_time_is_what_is_divided(self):
        """A case that takes long gets a separate shard, because shards take equally long."""
        (self.dir / "suite.ini").write_text("".join(
            f"[{n}]\nplugin = {plugin('ok_vector')}\naxis.n = {n}\nrestarts = 1\ncase_time = {seconds}s\n"
            for n, seconds in ((8, 1), (16, 1), (32, 60), (64, 1))))
        for i, sizes in ((1, [32]), (2, [8, 16, 64])):
            out = self.ok("--suite", "suite.ini", "--device", self.script(), "--dry-run", "--shard", f"{i}/2").out
            self.assertEqual([int(n) for n in re.findall(r"^vector/scale\[n=(\d+)", out, re.M)], sizes)

    def test_what_it_says(self):
        self.assertRegex(self.vector("--dry-run", "--shard", "2/3").out, r"plan +shard 2 of 3: 2 of 7 cases, 3 variants, cold")
        out = self.vector("--shard", "2/3", "--out", "o").out
        self.assertRegex(out, r"plan +shard 2 of 3: 2 of 7 cases")
        self.assertIn("Shard 2 of 3 of a plan of 7 cases", out)
        made = environment(self.dir / "o")
        self.assertEqual((made["shard"], made["plan_cases"]), ("2/3", "7"))
        self.assertRegex(made["plan_id"], r"^[0-9a-f]{16}$")
        self.assertIn("Shard 2 of 3", self.ok("report", "o").out)  # a run like any other

    def test_slips(self):
        for text in ("0/4", "5/4", "a/b", "1/0", "3", "1/99999999999999999999"):
            line = self.one_line_error(2, "--plugin", plugin("ok_vector"), "--shard", text)
            self.assertIn(f"--shard '{text}' is not I/N, with N from 1 to 1000 and I from 1 to N", line)
        self.assertIn("--against is for all cases", self.one_line_error(2, "--plugin", "x", "--shard", "1/2", "--against", "last"))

    # ---- Merging ----

    def test_four_are_as_one(self):
        args = ("--mode", "cold,hot")
        self.vector("--out", "whole", *args)
        dirs = self.shards(4, *args)
        out = self.ok("report", *reversed(dirs), "--out", "all").out
        self.assertIn("Put together from 4 shards on 1 GPU", out)
        self.assertEqual(self.words("all"), self.words("whole"))
        self.assertEqual(self.words(*dirs), self.words("whole"))  # without a directory, too
        self.assertEqual({row["verdict"] for row in self.rows(self.dir / "all")} & {"faster", "slower"}, {"faster", "slower"})
        for name in ("results.csv", "samples.csv", "slots.csv"):  # byte for byte, except for the run's id
            lines = [[line.replace(f',"{run}",'.encode(), b',"",', 1) for line in (self.dir / run / name).read_bytes().splitlines()[1:]]
                     for run in ("all", *dirs)]
            self.assertEqual(sorted(lines[0]), sorted(line for part in lines[1:] for line in part), name)
        sections = [(self.dir / run / "run.ini").read_text().partition("[case-1]")[2] for run in ("all", "whole")]
        self.assertEqual(*sections)  # as a suite it repeats the whole run
        check_files(self, self.dir / "all")
        self.assertTrue((self.dir / "all/report.html").exists())
        for name in ("plan_id", "device", "device_name", "name", "seed", "launch_overhead_ns"):
            self.assertEqual(environment(self.dir / "all").get(name), environment(self.dir / dirs[0]).get(name), name)

    def test_baselines_that_were_named(self):
        first, second = self.shards(2, "--baseline", "plain,blocked")
        ini = self.dir / first / "run.ini"
        self.assertIn("\nbaselines = the fastest named\n", ini.read_text())
        # Simulates a shard whose cases have only one of the two.
        ini.write_text(ini.read_text().replace("\nbaselines = the fastest named\n", "\n"))
        self.ok("report", first, second, "--out", "all")
        self.assertEqual(environment(self.dir / "all").get("baselines"), "the fastest named")

    def test_yardsticks(self):
        """Each shard measures its own yardsticks. The merge keeps one set per device, and rows keep the ceilings that
        they were judged by."""
        device = self.script(device="ceilings = 1\n")
        self.vector("--out", "whole", device=device)
        dirs = self.shards(3, device=device)
        self.ok("report", *dirs, "--out", "all")
        self.assertEqual(keys(self.dir / "all"), keys(self.dir / "whole"))
        self.assertIn("calibrate/copy", "".join(key for key, _, _ in keys(self.dir / "all")))
        check_files(self, self.dir / "all")
        check_epochs(self, self.dir / "all")
        made, first = environment(self.dir / "all"), environment(self.dir / "s1")
        for name in ("read_ceiling_gb_per_s", "copy_ceiling_gb_per_s", "flop_ceiling_fp32_tflops"):
            self.assertEqual(made[name], first[name])
        ceilings = {(r["case_key"], r["variant"]): r["ceiling_share"] for d in dirs for r in self.rows(self.dir / d)}
        for row in self.rows(self.dir / "all"):
            self.assertEqual(row["ceiling_share"], ceilings[row["case_key"], row["variant"]])

    def test_many_cases(self):
        """Shards with more than 4096 cases: the only measured case is repeated under other names."""
        many = 4200
        for shard in (self.dir / name for name in self.shards(2, "--verify-only", axis="n=8,16")):
            ini, header, rows = (shard / "run.ini").read_text(), *(shard / "results.csv").read_text().split("\n", 1)
            head, number, section = re.match(r"(?s)(.*)\[case-(\d)\]\n(.*)", ini).groups()
            (shard / "run.ini").write_text(head.replace("plan_cases = 2", f"plan_cases = {2 * many}") + "".join(
                f"[case-{2 * k + int(number)}]\n" + section.replace("a=2.5", f"a={k}") for k in range(many)))
            (shard / "results.csv").write_text(f"{header}\n" + "".join(rows.replace("a=2.5", f"a={k}") for k in range(many)))
        self.ok("report", "s1", "s2", "--out", "all", "-q")
        made = [re.sub(r".*\[n=(\d+),.*a=(\d+)\]", r"\1 \2", key) for key, _, _ in keys(self.dir / "all")]
        self.assertEqual(made, [f"{n} {k}" for k in range(many) for n in (8, 16) for _ in range(3)])

    def test_any_number(self):
        self.vector("--out", "whole")
        for of in (1, 2, CASES, CASES + 2):
            dirs = self.shards(of, name=f"s{of}-")
            out = self.ok("report", *dirs, "--out", f"all{of}").out
            self.assertIn(f"Put together from {of} shard{'' if of == 1 else 's'} on 1 GPU", out)
            self.assertEqual(keys(self.dir / f"all{of}"), keys(self.dir / "whole"))
            self.assertEqual(self.words(f"all{of}"), self.words("whole"))

    def test_a_shard_without_a_case(self):
        """The shard is a run that says so, and waits for no device."""
        done = self.vector("--shard", f"{CASES + 1}/{CASES + 1}", "--out", "o")
        self.assertRegex(done.out, r"plan +shard 8 of 8: none of 7 cases, nothing to measure")
        self.assertEqual(self.rows(self.dir / "o"), [])
        self.assertEqual(environment(self.dir / "o")["shard"], "8/8")
        self.assertIn("none of 7 cases", self.vector("--shard", "8/8", "--dry-run").out)
        self.assertIn("has no case", self.one_line_error(2, "--resume", "o"))

    def test_several_gpus(self):
        device = "ceilings = 1\n"
        scripts = [self.script(name, device) for name in "abc"]
        dirs = self.shards(4, "--restarts", "2", device=lambda i: scripts[i % 3])
        out = self.ok("report", *dirs, "--out", "all").out
        self.assertIn("Put together from 4 shards on 3 GPUs", out)
        rows, samples = self.rows(self.dir / "all"), read_csv(self.dir / "all/samples.csv")
        of_shards = {(r["case_key"], r["variant"], r["devices"]): r["median_raw_ns"] for d in dirs for r in self.rows(self.dir / d)}
        # Yardsticks of each GPU, once.
        self.assertEqual({(r["case_key"], r["variant"], r["devices"]) for r in rows}, set(of_shards))
        self.assertEqual(len(rows), len(of_shards))
        self.assertEqual({r["devices"] for r in rows}, {"GPU-a", "GPU-b", "GPU-c"})
        for row in rows:  # each has its own samples
            own = [s for s in samples if s["epoch"] in row["epochs"].split(";") and
                   all(s[name] == row[name] for name in ("case_key", "variant", "mode"))]
            self.assertEqual(len(own), int(row["samples"]), row)
        made = environment(self.dir / "all")
        self.assertEqual(made["devices"], "3")
        self.assertEqual({made[f"device.{i}.id"] for i in (1, 2, 3)}, {"GPU-a", "GPU-b", "GPU-c"})
        self.assertEqual(made["merged"], "4 shards on 3 GPUs")
        page = (self.dir / "all/report.html").read_text()
        self.assertIn("4 shards on 3 GPUs: fake:", page)
        self.assertNotIn("one after the other", page)
        suites = re.findall(r"^vector/scale, fake:(.)\.ini  ", out, re.M)
        self.assertEqual(sorted(suites), ["a", "b", "c"])  # a table for each, without a common one
        again = self.ok("report", "all/report.html", "--markdown", "-").out  # from the page alone
        self.assertIn("4 shards on 3 GPUs", again)

    def test_shards_on_two_devices_each(self):
        both = ",".join(self.script(name) for name in "ab")
        args = ("--mode", "hot")
        self.vector("--out", "whole", *args, device=both)
        dirs = self.shards(3, *args, device=both)
        self.assertIn("Put together from 3 shards on 2 GPUs", self.ok("report", *dirs, "--out", "all").out)
        names = ("devices", "case_key", "variant", "status", "verdict")
        made, whole = (sorted(tuple(row[name] for name in names) for row in self.rows(self.dir / run)) for run in ("all", "whole"))
        self.assertEqual(made, whole)

    def test_cpus_of_two_hosts(self):
        """The CPUs are distinguished only by the host's name."""
        for i in (1, 2):
            self.ok("--plugin", plugin("ok_vector"), "-a", "n=8,16", "--quick", "--ceilings", "off", "--shard", f"{i}/2", "--out", f"s{i}")
        path = self.dir / "s2/run.ini"
        path.write_text(re.sub(r"^host = .*$", "host = another", path.read_text(), flags=re.M))
        self.assertIn("Put together from 2 shards on 2 CPUs", self.ok("report", "s1", "s2", "--out", "all").out)
        self.assertEqual([row["devices"].split("@")[0] for row in self.rows(self.dir / "all")], ["cpu"] * 6)
        self.assertEqual(len({row["devices"] for row in self.rows(self.dir / "all")}), 2)

    def test_a_merged_run_is_a_run(self):
        self.vector("--out", "whole", "--restarts", "3")
        self.ok("report", *self.shards(2, "--restarts", "3"), "--out", "all", "--against", "whole", "--fail-on", "slower")
        self.assertTrue((self.dir / "all/against.csv").exists())
        done = self.ok("compare", "whole", "all", "--fail-on", "slower")
        self.assertEqual(done.out.count("= same"), 3 * CASES, done)
        self.ok("history", "add", "nights", "all")
        self.assertRegex(self.ok("trend", "nights").out, r"nights +1")
        self.assertEqual(self.planned_of("all/run.ini"), CASES)
        self.assertIn("was put together from shards", self.one_line_error(2, "--resume", "all"))

    def planned_of(self, suite):
        out = self.ok("--suite", suite, "--device", "fake:a.ini", "--dry-run").out
        return len(re.findall(r"^vector/scale\[", out, re.M))

    # ---- Refusals ----

    def test_one_is_missing(self):
        dirs = self.shards(4)
        self.refuses(3, "shard 3 of 4 is missing", *(d for d in dirs if d != "s3"))
        self.refuses(3, "shards 2, 4 of 4 are missing", "s1", "s3")
        self.assertIn("shards 2, 3, 4 of 4 are missing", self.one_line_error(3, "report", "s1", "--out", "m"))

    def test_one_is_there_twice(self):
        dirs = self.shards(2)
        shutil.copytree(self.dir / "s2", self.dir / "copy")
        self.refuses(2, "shard 2 of 2 is there twice: s2 and copy", *dirs, "copy")
        self.refuses(2, "s1 and s1 are the same run", "s1", "s1")

    def test_other_plans(self):
        self.shards(2)
        for name, args, text in (("seed", ("--seed", "7"), "option.seed is '' and '7'"), ("precision", ("--precision", "1%"), "option.precision"),
                                 ("variants", ("--exclude", "twice"), "other cases, variants or baselines"),
                                 ("baseline", ("--baseline", "twice"), "other cases, variants or baselines"),
                                 ("require", ("--require", "twice"), "other cases, variants or baselines")):
            self.vector("--shard", "2/2", "--out", name, *args)
            self.refuses(2, f"s1 and {name} are shards of different plans: ", "s1", name)
            self.refuses(2, text, "s1", name)
        self.vector("--shard", "2/2", "--out", "axis", axis="n=8:1k:x2")
        self.refuses(2, "other cases, variants or baselines", "s1", "axis")
        self.vector("--shard", "2/3", "--out", "three")
        self.refuses(2, "s1 is shard 1 of 2, three shard 2 of 3", "s1", "three")
        other = self.dir / "mine.so"
        shutil.copy(plugin("ok_vector"), other)
        with open(other, "ab") as file:
            file.write(b"\0")
        self.ok("--plugin", other, "-a", "n=8:512:x2", "--device", "fake:a.ini", "--case-time", "600", "--shard", "2/2", "--out", "plugin")
        self.refuses(2, "plugin.vector is 'sha256 ", "s1", "plugin")
        self.ok("report", "s1", "s2", "--out", "fine")
        # These options are not part of the plan.
        self.vector("--shard", "2/2", "--out", "limit", "--timeout", "200", "--tag", "who=me")
        self.ok("report", "s1", "limit", "--out", "limited")
        self.assertIn("[tags]\nwho = me\n", (self.dir / "limited/run.ini").read_text())

    def test_what_is_no_shard(self):
        self.shards(2)
        self.vector("--out", "whole")
        for name in ("whole", "s2/report.html"):
            self.assertIn("is no shard of a plan", self.one_line_error(2, "report", "s1", name, "--out", "m"))
        self.assertIn("whole is no shard of a plan", self.one_line_error(2, "report", "whole", "--out", "m"))
        self.assertIn("--out s1 exists", self.one_line_error(2, "report", "s1", "s2", "--out", "s1"))
        self.ok("report", "s1", "whole")  # two runs in one report
        self.assertFalse((self.dir / "m").exists())

    def test_one_was_interrupted(self):
        dirs = self.shards(2)
        path = self.dir / "s2/results.csv"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:5]) + lines[5][:50])
        self.refuses(3, "shard 2 of 2, s2, was interrupted: 2 of its 3 cases lack rows; go on with gpubench --resume s2", *dirs)
        ini = (self.dir / "s2/run.ini").read_text()
        before = environment(self.dir / "s2")
        out = self.ok("--resume", "s2").out
        self.assertRegex(out, r"plan +shard 2 of 2: 3 of 7 cases")
        self.assertRegex(out, r"resumed +1 of 3 cases are there already")
        after = environment(self.dir / "s2")
        for name in ("shard", "plan_id", "plan_cases", "verdicts.vector/scale.cold"):
            self.assertEqual(after[name], before[name], name)
        self.assertEqual((self.dir / "s2/run.ini").read_text().partition("[case-")[2], ini.partition("[case-")[2])
        self.vector("--out", "whole")
        self.ok("report", *dirs, "--out", "all")
        self.assertEqual(self.words("all"), self.words("whole"))
        self.assertEqual([name for name in environment(self.dir / "all") if name.startswith("verdicts.")], [])
        (self.dir / "s1/run.ini").write_text(re.sub(r"^wall_s = .*\n", "", (self.dir / "s1/run.ini").read_text(), flags=re.M))
        self.refuses(3, "shard 1 of 2, s1, was interrupted: it did not come to its end", *dirs)
        self.assertIn("--shard does not go with --resume", self.one_line_error(2, "--resume", "s1", "--shard", "1/2"))

    def test_one_is_killed_and_resumed(self):
        args = ("--plugin", plugin("ok_vector"), "-a", "n=8:1k:x2", "--case-time", "1", "--precision", "0", "--mode", "hot",
                "--ceilings", "off", "--restarts", "1")
        process = self.start(*args, "--shard", "1/2", "--out", "s1")
        results = self.dir / "s1/results.csv"
        while not results.exists() or len(whole_rows(results)) < 1:
            time.sleep(0.01)
        self.assertIn("s1, is still being measured", self.while_it_runs(process, args))
        process.send_signal(signal.SIGKILL)
        self.finish(process)
        self.refuses(3, "shard 1 of 2, s1, was interrupted", "s1", "s2")
        self.ok("--resume", "s1")
        check_epochs(self, self.dir / "s1")
        self.assertIn("Put together from 2 shards on 1 CPU", self.ok("report", "s1", "s2", "--out", "all").out)
        rows = self.rows(self.dir / "all")
        sizes = [int(re.search(r"n=(\d+)", row["case_key"])[1]) for row in rows]
        self.assertEqual(sizes, [n for n in (8, 16, 32, 64, 128, 256, 512, 1024) for _ in range(3)])
        self.assertEqual({row["status"] for row in rows}, {"ok"})

    def while_it_runs(self, process, args):
        """Stops the first shard and returns the error of a merge with it."""
        os.killpg(process.pid, signal.SIGSTOP)
        self.ok(*args, "--lock", "off", "--case-time", "0.05", "--shard", "2/2", "--out", "other")
        self.assertIn("different plans", self.one_line_error(2, "report", "s1", "other"))
        self.ok(*args, "--lock", "off", "--shard", "2/2", "--out", "s2")
        line = self.one_line_error(3, "report", "s1", "s2", "--out", "m")
        os.killpg(process.pid, signal.SIGCONT)
        return line

    def test_hostile_files(self):
        dirs = self.shards(2)
        path, text = self.dir / "s2/run.ini", (self.dir / "s2/run.ini").read_text()
        number = re.search(r"\[case-(\d+)\]", text)[1]
        for old, new, exit, said in ((r"^shard = .*$", "shard = 7/2", 3, "shard '7/2' is not I/N"),
                                     (r"^shard = .*$", "shard = %00", 3, "is not I/N"),
                                     (r"^plan_cases = .*$", "plan_cases = -1", 3, "plan_cases '-1' is not a whole number"),
                                     (r"^plan_cases = .*$", "plan_cases = 4000000000", 2, "shards of different plans"),
                                     (r"^plan_id = .*\n", "", 2, "s2 is no shard of a plan: run.ini has no plan_id"),
                                     (rf"^\[case-{number}\]", "[case-99999999999999999999]", 3, "not a case of a shard"),
                                     (rf"^\[case-{number}\]", "[case-1000]", 3, "do not have each of the plan's 7 cases once"),
                                     (rf"^\[case-{number}\]", "[case-1]", 3, "do not have each of the plan's 7 cases once"),
                                     (rf"^\[case-{number}\]", "[other]", 3, "not a case of a shard"),
                                     (r"^mode = .*$", "mode = cold, hot", 3, "not a case of a shard"),
                                     (r"^variant = .*$", "variant = plain, nothing", 3, "cases lack rows"),
                                     (r"^mode = .*$", "mode = nonsense", 3, "nonsense")):
            path.write_text(re.sub(old, new, text, count=1, flags=re.M))
            self.refuses(exit, said, *dirs)
        path.write_text(text)
        results = self.dir / "s2/results.csv"
        rows = results.read_bytes()
        results.write_bytes(rows + rows.splitlines(keepends=True)[-1])
        self.refuses(3, "a row that is there twice", *dirs)
        results.write_bytes(rows.replace(b'"plain"', b'"=plain"', 1))
        self.refuses(3, "the row is not believed", *dirs)
        results.write_bytes(rows)
        samples = self.dir / "s2/samples.csv"
        samples.write_bytes(samples.read_bytes() + b"x\r\ny,z\r\n")
        self.refuses(3, "samples.csv", *dirs)


if __name__ == "__main__":
    main()
