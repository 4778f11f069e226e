"""A third party's variant in the owner's table: same cases, same inputs, same verification."""

import json
import signal
import time
from pathlib import Path

from author import guest
from run import GpubenchTest, main, plugin
from safety import check_epochs, check_files, keys, whole_rows

OWNER, GUEST = plugin("ok_vector"), plugin("ok_second")
CONTRACT = "gpubench.org/test/vector/scale/1"


class Guest(GpubenchTest):
    def table(self, *order):
        out = f"o{len(list(self.dir.iterdir()))}"
        args = [a for p in order for a in ("--plugin", p)]
        self.ok(*args, "--verify-only", "--preset", "large", "--out", out)
        return self.by_variant(self.dir / out)

    def test_in_any_order(self):
        tables = [self.table(OWNER, GUEST), self.table(GUEST, OWNER)]
        views = [{v: (r["plugin"], r["provider"], r["plugin_version"], r["case_key"], r["baseline"], r["status"]) for v, r in t.items()}
                 for t in tables]
        self.assertEqual(views[0], views[1])
        self.assertEqual(set(views[0]), {"plain", "twice", "blocked", "quarter", "plain@second"})
        self.assertEqual(views[0]["quarter"][:3], ("vector", "second", "2.0.0"))
        self.assertEqual(views[0]["plain"][:3], ("vector", "vector", "1.0.0"))
        self.assertEqual(views[0]["plain@second"][4], "plain")
        self.assertEqual({v[5] for v in views[0].values()}, {"ok"})

    def test_compared_in_the_same_run(self):
        self.ok("--plugin", OWNER, "--plugin", GUEST, "--quick", "--preset", "large", *self.fake(quarter=200000))
        rows = self.by_variant()
        self.assertEqual(rows["quarter"]["verdict"], "slower")
        self.assertEqual(rows["quarter"]["baseline"], "plain")

    def test_its_own_skips(self):
        self.ok("--plugin", OWNER, "--plugin", GUEST, "--verify-only", "--preset", "odd")
        row = self.by_variant()["quarter"]
        self.assertEqual((row["status"], row["message"]), ("skipped", "fp32 only"))

    def test_a_guest_may_be_the_baseline(self):
        self.ok("--plugin", OWNER, "--plugin", GUEST, "--quick", "--preset", "large", "--baseline", "quarter",
                *self.fake(quarter=200000))
        self.assertEqual(self.by_variant()["plain"]["verdict"], "faster")

    def test_in_the_bundled_attention_table(self):
        for order in (("attention", plugin("ok_guest")), (plugin("ok_guest"), "attention")):
            out = f"a{len(list(self.dir.iterdir()))}"
            self.ok("--plugin", order[0], "--plugin", order[1], "--verify-only", "-a", "s=64", "-a", "b=1", "-a", "h=2", "-a", "h_kv=2",
                    "-a", "d=64", "-a", "dtype=fp32", "--out", out)
            rows = self.rows(self.dir / out)
            guests = [r for r in rows if r["variant"] == "guest"]
            self.assertTrue(guests)
            for row in guests:
                self.assertEqual((row["bench"], row["provider"], row["status"]), ("attention/forward", "guest", "ok"), row)
                self.assertEqual(row["baseline"], "standard")


class GuestsEverywhere(GpubenchTest):
    """A guest works wherever the owner's variants do."""

    BOTH = ("--plugin", OWNER, "--plugin", GUEST)

    def check(self, rows, **columns):
        mine = [r for r in rows if r["variant"] == "quarter"]
        self.assertTrue(mine)
        for row in mine:
            wanted = {"plugin": "vector", "provider": "second", "status": "ok", "baseline": "plain", **columns}
            self.assertEqual({k: row[k] for k in wanted}, wanted)
        return mine

    def test_restarts(self):
        self.ok(*self.BOTH, "--restarts", "3", "--case-time", "0.2", "--precision", "5%", "--preset", "large", *self.fake(quarter=200000))
        rows = self.rows()
        (row,) = self.check(rows, restarts="3", verdict="slower")
        self.assertAlmostEqual(self.number(row, "speedup"), 0.25, delta=0.02)
        epochs = {v: {s["epoch"] for s in whole_rows(self.run_dir() / "samples.csv") if s["variant"] == v}
                  for v in ("plain", "quarter")}
        self.assertEqual(row["epochs"], "1;2;3")
        # Leaves out the epochs of measurements alone, which differ.
        self.assertEqual(epochs["plain"] & epochs["quarter"], {"1", "2", "3"})

    def test_suites(self):
        (self.dir / "s.ini").write_text(f"[s]\nplugin = {OWNER}, {GUEST}\npreset = large\nvariant = plain, quarter\n")
        self.ok("--suite", "s.ini", "--verify-only", "--out", "one")
        self.check(self.rows(self.dir / "one"))
        self.ok("--suite", "one/run.ini", "--verify-only", "--out", "two")
        self.assertEqual(keys(self.dir / "two"), keys(self.dir / "one"))
        (self.dir / "s.ini").write_text(f"[s]\nplugin = {OWNER}\npreset = large\n")
        self.ok("--suite", "s.ini", "--plugin", GUEST, "--verify-only", "--out", "three")  # added on the command line
        self.check(self.rows(self.dir / "three"))

    def test_by_case_key(self):
        key = "vector/scale[n=24,dtype=fp32,a=1.5]"
        self.ok(*self.BOTH, "--verify-only", "--case", key)
        self.check(self.rows(), case_key=key)

    def test_resume(self):
        self.ok(*self.BOTH, "-a", "n=8:1k:x2", *self.fake(quarter=200000), "--out", "o")
        whole, path = keys(self.dir / "o"), self.dir / "o/results.csv"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:13]) + lines[13][:50])
        self.ok("--resume", "o")
        self.assertEqual(keys(self.dir / "o"), whole)
        self.assertEqual(len(self.check(whole_rows(path))), 8)
        check_files(self, self.dir / "o")
        check_epochs(self, self.dir / "o")

    def test_resume_of_a_killed_run(self):
        args = (*self.BOTH, "-a", "n=8:1k:x2", "--case-time", "0.2", "--precision", "0", "--ceilings", "off", "--out", "o")
        process = self.start(*args)
        path = self.dir / "o/results.csv"
        while not path.exists() or len(whole_rows(path)) < 6:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        self.finish(process)
        self.ok("--resume", "o")
        self.assertEqual(len(self.check(whole_rows(path))), 8)

    def test_without_its_file_a_run_is_not_gone_on_with(self):
        made = guest(self, "mine", CONTRACT, 'const float *x = gb.tensor->data(c, "x"); float *y = gb.tensor->data(c, "y");'
                     'for (int64_t i = 0; i < gb.tensor->dim(c, "y", 0); i++) y[i] = (float)gb.point->f64(c, "a") * x[i];')
        self.ok("--plugin", OWNER, "--plugin", made, "-a", "n=8:32:x2", *self.fake(), "--out", "o")
        path = self.dir / "o/results.csv"
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:5]))
        (self.dir / "mine.so").unlink()
        self.assertIn("mine.so", self.one_line_error(2, "--resume", "o"))

    def test_reports_name_the_provider(self):
        result = self.ok(*self.BOTH, "--quick", "--preset", "large", "--json", "o.json", "--markdown", "o.md",
                         *self.fake(quarter=200000))
        self.assertIn("quarter (second)", result.out)
        self.assertRegex(result.out, r"\n +plain@second +")  # its name already says so
        self.assertNotIn("(vector)", result.out)
        page = (self.run_dir() / "report.html").read_text()
        self.assertIn("quarter <span class=\"minor\">from second</span>", page)
        self.assertIn('"provider": "second"', (self.dir / "o.json").read_text())
        rows = [r for r in json.loads((self.dir / "o.json").read_text())["rows"] if r["variant"] == "quarter"]
        self.assertEqual([(r["plugin"], r["provider"]) for r in rows], [("vector", "second")])
        again = self.ok("report", self.run_dir())
        self.assertIn("quarter (second)", again.out)

    def test_alone_by_its_name(self):
        self.ok(*self.BOTH, "--verify-only", "--preset", "large", "--variant", "quarter")
        self.assertEqual([r["variant"] for r in self.rows()], ["quarter"])
        self.ok(*self.BOTH, "--verify-only", "--preset", "large", "--variant", "*@second", "--out", "o")
        self.assertEqual([r["variant"] for r in self.rows(self.dir / "o")], ["plain@second"])


class BadGuests(GpubenchTest):
    def rows_beside(self, name, body, *args):
        made = guest(self, name, CONTRACT, body)
        result = self.gpubench("--plugin", OWNER, "--plugin", made, "--preset", "large", "--variant", f"plain,twice,{name}",
                               "--out", name, *args)
        self.assertEqual(result.exit, 3, result)
        return self.by_variant(self.dir / name)

    def test_a_crash_costs_its_own_row(self):
        for name, args in (("verified", ("--verify-only",)), ("timed", ("--quick", "--ceilings", "off")),
                           ("thrice", ("--restarts", "3", "--case-time", "0.2", "--ceilings", "off"))):
            with self.subTest(name):
                rows = self.rows_beside(name, "abort();", *args)
                self.assertEqual((rows["plain"]["status"], rows["twice"]["status"]), ("ok", "ok"))
                self.assertEqual((rows[name]["status"], rows[name]["provider"]), ("crashed", name))
                self.assertIn(f"SIGABRT in run of vector/scale/{name}[", rows[name]["message"])
                if name != "verified":
                    self.assertNotEqual(rows["twice"]["speedup"], "")

    def test_a_hang_costs_its_own_row(self):
        rows = self.rows_beside("hangs", "for (volatile int forever = 1; forever;) continue;", "--verify-only",
                                   "--timeout", "1")
        self.assertEqual([rows[v]["status"] for v in ("plain", "twice", "hangs")], ["ok", "ok", "timeout"])

    def test_what_writes_nothing_is_wrong(self):
        rows = self.rows_beside("lazy", "", "--verify-only")
        self.assertEqual([rows[v]["status"] for v in ("plain", "twice", "lazy")], ["ok", "ok", "wrong"])
        self.assertIn("unwritten", rows["lazy"]["message"])


class Contracts(GpubenchTest):
    """A guest is refused by name if no loaded plugin offers its contract."""

    def check(self, contract, pattern, *plugins):
        made = guest(self, "mine", contract, "")
        args = [a for p in (*plugins, made) for a in ("--plugin", p)]
        for way in ((), ("--dry-run",)):
            self.assertRegex(self.one_line_error(2, *args, *way), pattern)
        self.assertEqual(self.run_dirs(), [])

    def test_another_version(self):
        self.check("gpubench.org/test/vector/scale/9",
                   r"plugin 'mine' attaches to contract gpubench.org/test/vector/scale/9; "
                   r"loaded: gpubench.org/test/vector/scale/1 \(from vector\)$", OWNER)

    def test_a_slip(self):
        self.check("gpubench.org/softmax/row/1", r"contract gpubench.org/softmax/row/1; nearest: gpubench.org/softmax/rows/1 "
                   r"\(from softmax\)$", "softmax")

    def test_a_plugin_that_is_not_loaded(self):
        self.check("gpubench.org/softmax/rows/1", r"loaded: gpubench.org/test/vector/scale/1 \(from vector\); softmax.so "
                   r"offers it: add --plugin softmax.so$", OWNER)
        self.check("gpubench.org/softmax/rows/2", r"no bench is loaded; softmax.so offers gpubench.org/softmax/rows/1: add "
                   r"--plugin softmax.so$")

    def test_nothing_like_it(self):
        self.check("example.org/unheard/of/1", r"loaded: gpubench.org/test/vector/scale/1 \(from vector\)$", OWNER)

    def test_looking_for_it_runs_nothing_in_the_parent(self):
        """A plugin in the search path that crashes its process does not change the refusal."""
        path = self.dir / "path"
        path.mkdir()
        Path(guest(self, "killer", CONTRACT, "", opens="abort();")).rename(path / "killer.so")
        made = guest(self, "mine", "gpubench.org/softmax/rows/1", "")
        line = self.one_line_error(2, "--plugin", OWNER, "--plugin", made, env={"GPUBENCH_PLUGIN_PATH": str(path)})
        self.assertIn("softmax.so offers it", line)


class Elsewhere(GpubenchTest):
    """A guest for a GPU in a run on a CPU: the owner's rows are ok, and a warning says that no variant of the guest
    ran."""

    SAYS = "plugin 'mine' has no part on cpu: its variant mine is for cuda"

    def test_it_is_said_while_it_runs_and_behind_the_rows(self):
        made = guest(self, "mine", CONTRACT, "", backend="cuda")
        for more in (("--verify-only",), ("--quick", "--case-time", "0.1", "--max-time", "600")):
            with self.subTest(more):
                result = self.ok(OWNER, made, "--preset", "small", *more, "--out", more[0][2:])
                self.assertIn(f"gpubench: warning: {self.SAYS}\n", result.err)
                self.assertRegex(" ".join(result.out.split()), f"Nothing of a plugin ran: {self.SAYS}")
                self.assertIn(f"unsupported = {self.SAYS}\n", (self.dir / more[0][2:] / "run.ini").read_text())
        self.assertRegex(" ".join(self.ok("report", "quick").out.split()), self.SAYS)
        self.assertIn(self.SAYS, self.ok(OWNER, made, "--preset", "small", "--dry-run").err)
        self.assertRegex(self.one_line_error(2, OWNER, made, "--require", "mine"), "--require 'mine' matches nothing")

    def test_who_has_a_part_is_not_named(self):
        self.assertNotIn("has no part", self.ok(OWNER, GUEST, "--preset", "small", "--verify-only").err)

    def test_nothing_else_and_no_gpu(self):
        """If the device was not chosen by the user, the error says why it is a CPU."""
        if Path("/dev/nvidiactl").exists():
            self.skipTest("a GPU is here")
        rules = (plugin("rules"), "--verify-only")
        env = {"RULES_BACKEND": "cuda", "CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": ""}
        line = self.one_line_error(2, *rules, "--device", "auto", env=env)
        self.assertRegex(line, "nothing to run on 'cpu': rules/scale has variants for cuda; no GPU detected: no NVIDIA driver")
        line = self.one_line_error(2, *rules, "--device", "cpu", env=env)
        self.assertRegex(line, "has variants for cuda$")


if __name__ == "__main__":
    main()
