"""The command line: help, lists, and a one-line error for each mistake."""

import json
import re
import time
from pathlib import Path

from run import GpubenchTest, main, plugin

VECTOR = plugin("ok_vector")


class Help(GpubenchTest):
    def test_help_is_on_stdout_and_names_the_essentials(self):
        result = self.ok("--help")
        self.assertEqual(result.err, "")
        for word in ("--plugin", "--suite", "--baseline", "--quick", "--dry-run", "list", "report", "130"):
            self.assertIn(word, result.out)
        self.assertLessEqual(max(map(len, result.out.splitlines())), 80)

    def test_help_of_commands(self):
        for command in ("run", "list", "report", "compare", "new", "check"):
            out = self.ok(command, "--help").out
            self.assertIn("gpubench", out)
            headings = re.findall(r"^(?:What|How|Output).*$", out, re.M)
            self.assertEqual(len(headings), len(set(headings)), headings)

    def test_version(self):
        out = self.ok("--version").out
        self.assertRegex(out, r"^gpubench \d+\.\d+\.\d+ \(([0-9a-f]{7,}|\S*-g?[0-9a-f]+|commit not known)(-dirty)?, (gcc|clang) [^,]+, (CUDA \d+\.\d+|no CUDA)\)\n$")
        self.assertEqual(self.ok("-V").out, out)

    def test_nothing_at_all_is_a_usage_error(self):
        self.assertEqual(self.gpubench().exit, 2)


class Words(GpubenchTest):
    """`gpubench FILE` is `gpubench --plugin FILE`."""

    def plan(self, *args, **kwargs):
        return re.sub(r"(?m)^(conditions|busy) .*\n|; (about|at most) .*", "", self.ok(*args, "--dry-run", "--device", "cpu", **kwargs).out)

    def test_a_plugin_as_a_word(self):
        folder = {"GPUBENCH_PLUGIN_PATH": str(Path(VECTOR).parent)}
        expected = self.plan("--plugin", VECTOR)
        self.assertIn("vector/scale", expected)
        for words in ((VECTOR,), ("run", VECTOR), ("ok_vector",), ("ok_vector.so",)):
            with self.subTest(words):
                self.assertEqual(self.plan(*words, env=folder), expected)
        self.assertEqual(self.plan(f"a={VECTOR}", f"b={VECTOR}"), self.plan("--plugin", f"a={VECTOR}", "--plugin", f"b={VECTOR}"))
        self.assertEqual(self.plan(VECTOR, "--variant", "plain"), self.plan("--variant", "plain", VECTOR))


class Mistakes(GpubenchTest):
    def check(self, exit, pattern, *args, **kwargs):
        line = self.one_line_error(exit, *args, **kwargs)
        self.assertRegex(line, pattern)
        self.assertEqual(self.run_dirs(), [], "a refused command line made a run directory")

    def test_unknown_option(self):
        self.check(2, r"unknown option '--varaint'; nearest '--variant'", "--varaint", "x", "--plugin", VECTOR)

    def test_unknown_plugin(self):
        self.check(2, r"plugin 'ok_vektor' not found; nearest 'ok_vector' \(looked in .*\)", "--plugin", "ok_vektor",
                   env={"GPUBENCH_PLUGIN_PATH": str(plugin("ok_vector").rsplit("/", 1)[0])})

    def test_where_else_plugins_may_be(self):
        self.check(2, r"plugin 'elsewhere\.so' not found.*\(looked in [^;]*; GPUBENCH_PLUGIN_PATH adds folders\)", "run", "elsewhere.so")

    def test_a_word_that_is_neither_a_command_nor_a_plugin(self):
        folder = {"GPUBENCH_PLUGIN_PATH": str(Path(VECTOR).parent)}
        self.check(2, r"^gpubench: 'lits' is not a command \(nearest list\), so it is taken as a plugin: plugin 'lits' not found.*\(looked in .*\)$",
                   "lits", env=folder)
        self.check(2, r"'ok_vektor' is not a command \(run, list, report, compare, new, check, history, trend, doctor\), so .*: plugin 'ok_vektor' not found; nearest 'ok_vector'",
                   "ok_vektor", env=folder)
        for word in ("a=./nowhere.so", "./nowhere.so"):  # no command has such a name
            self.check(2, r"^gpubench: plugin '\./nowhere\.so' not found: No such file", word)
        # The following argument may show the intention, so the error names both readings.
        self.check(2, r"^gpubench: 'lits' is not a command \(nearest list\), so it is taken as a plugin: --json needs FILE", "lits", "--json")

    def test_a_plugin_as_the_first_word(self):
        """The error is about the actual mistake, not about the omitted word `run`."""
        folder = {"GPUBENCH_PLUGIN_PATH": str(Path(VECTOR).parent)}
        for word in ("ok_vector", "ok_vector.so", VECTOR, f"new={VECTOR}", "ok_vector=ok_vector"):
            for args in (("-a", "zz=1"), ("-a",), ("--precision", "x"), ("--varaint", "x"), ("--csv", "nowhere/x"), ("--json",), ("--all",)):
                with self.subTest(word=word, args=args):
                    self.check(2, rf"^gpubench: ([^']*-?{args[0][2:] or args[0]}|unknown option '--varaint')", word, *args, env=folder)

    def test_missing_file(self):
        self.check(2, r"plugin '\./nowhere\.so' not found: No such file", "--plugin", "./nowhere.so")

    def test_unknown_variant(self):
        self.check(2, r"--variant 'plian' matches nothing \(nearest 'plain'\) in vector/scale: plain, twice, blocked", "--plugin", VECTOR,
                   "--variant", "plian")

    def test_unknown_bench(self):
        self.check(2, r"--bench 'skale' matches nothing \(nearest 'scale'\): vector/scale$", "--plugin", VECTOR, "--bench", "skale")

    def test_unknown_preset(self):
        self.check(2, r"--preset 'medium' matches nothing.*small, large, odd", "--plugin", VECTOR, "--preset", "medium")
        self.check(2, r"--preset 'larg' matches nothing \(nearest 'large'\) in vector/scale: small, large, odd", "--plugin", VECTOR, "--preset", "larg")

    def test_unknown_baseline(self):
        self.check(2, r"--baseline 'plian' matches nothing \(nearest 'plain'\) in", "--plugin", VECTOR, "--baseline", "plian")

    def test_unknown_case(self):
        for key in ("vector/nothing[n=3]", "vector/scale[m=3]", "vector/scale[n=3", "vector/scale[n=3,dtype=bf61,a=1]"):
            with self.subTest(key):
                self.check(2, re.escape(f"--case '{key}'"), "--plugin", VECTOR, "--case", key)

    def test_unknown_axis(self):
        self.check(2, r"-a .*'?m'?.*n, dtype, a", "--plugin", VECTOR, "-a", "m=3")

    def test_unknown_choice(self):
        self.check(2, r"-a dtype=bf61: vector/scale has fp32, bf16", "--plugin", VECTOR, "-a", "dtype=bf61")

    def test_axis_nonsense(self):
        for expression in ("n=", "n=x", "n=1:10:0", "n=5:1:1", "n=1:10:x1", "n=1,,2", "n=99999999999999999999",
                           "n=1:1000000:1", "n=1.5", "a=nan", "a=1e999"):
            with self.subTest(expression):
                self.check(2, r"-a ", "--plugin", VECTOR, "-a", expression)

    def test_unknown_device(self):
        for device in ("gpu", "cuda:x", "cpu:1", ""):
            with self.subTest(device):
                result = self.gpubench("--plugin", VECTOR, "--device", device)
                self.assertIn(result.exit, (2, 4), result)
                self.assertIn(device.partition(":")[0] or "--device", result.err)

    def test_a_gpu_where_none_can_be_used(self):
        if Path("/dev/nvidiactl").exists():
            self.skipTest("a GPU is here")
        for device in ("cuda", "cuda:1", "GPU-12345678"):
            line = self.one_line_error(4, "--plugin", "softmax.so", "--device", device)
            self.assertIn("--device cpu to go on", line)

    def test_bad_numbers(self):
        for option, value in (("--precision", "30%"), ("--precision", "x"), ("--precision", "-1%"), ("--timeout", "0"),
                              ("--max-time", "soon"), ("--seed", "-1"), ("--seed", "x"), ("--tag", "novalue"),
                              ("--name", "../x"), ("--name", "a b"), ("--color", "pink")):
            with self.subTest(f"{option} {value}"):
                self.check(2, re.escape(option), "--plugin", VECTOR, option, value)

    def test_contradictions(self):
        self.check(2, "--no-save.*--out", "--plugin", VECTOR, "--no-save", "--out", "x")
        self.check(2, "stdout", "--plugin", VECTOR, "--csv", "-", "--html", "-")

    def test_report_without_a_run(self):
        self.check(2, "report needs a run directory", "report")
        self.assertIn(self.gpubench("report", "nowhere").exit, (2, 3))


class DryRun(GpubenchTest):
    """A dry run reports the errors that it can find; the run reports the same before it measures."""

    def test_the_same_errors(self):
        (self.dir / "exists").mkdir()
        (self.dir / "file").write_text("text")
        self.ok(VECTOR, "--preset", "small", "--verify-only", "--ceilings", "off", "--device", "cpu", "--out", "stored")
        out = {"GPUBENCH_OUT": "file/x"}
        for exit, pattern, args, env in (
                (2, r"--out exists exists; a run needs a new directory$", ("--out", "exists"), {}),
                (2, r"--out: file/x: Not a directory$", ("--out", "file/x"), {}),
                (3, r"file/x: Not a directory$", (), out),
                (2, r"GPUBENCH_OUT is longer than", (), {"GPUBENCH_OUT": "x" * 4000}),
                (2, r"--json: cannot write nowhere/x.json: No such file or directory$", ("--json", "nowhere/x.json"), {}),
                (2, r"--html: cannot write nowhere/x.html: No such file or directory$", ("--html", "nowhere/x.html"), {}),
                (2, r"--gh-benchmark: cannot write nowhere/x.json: No such", ("--gh-benchmark", "nowhere/x.json"), {}),
                (2, r"--csv: cannot write exists: Is a directory$", ("--csv", "exists"), {}),
                (2, r"--junit: cannot write file/x: Not a directory$", ("--junit", "file/x"), {}),
                (2, r"cannot open nowhere: No such file or directory$", ("--ceilings", "nowhere"), {}),
                (2, r"--ceilings stored: it holds no measured ceiling$", ("--ceilings", "stored"), {}),
                (2, r"--foreign nowhere.csv: No such file", ("--foreign", "nowhere.csv"), {}),
                (2, r"--against: no run 'nowhere'", ("--against", "nowhere"), {}),
                (2, r"--require 'plian' matches nothing", ("--require", "plian"), {}),
                (2, r"--scratch nowhere: No such file", ("--scratch", "nowhere"), {})):
            for more in (("--dry-run",), ()):
                with self.subTest(args=args, more=more):
                    result = self.gpubench(VECTOR, "--preset", "small", "--device", "cpu", *args, *more, env=env)
                    self.assertEqual(result.exit, exit, result)
                    (line,) = [line for line in result.err.splitlines() if line.startswith("gpubench: ")]
                    self.assertRegex(line, pattern)
                    self.assertNotIn("[1/", result.err, "something was measured before it was found")
        self.assertEqual({p.name for p in self.dir.iterdir()} - {"exists", "file", "stored", "gpubench-out"}, set())

    def test_on_a_gpu_where_there_is_none(self):
        """The cases and variants are those that a GPU would get; only a plan can be made."""
        if Path("/dev/nvidiactl").exists():
            self.skipTest("a GPU is here")
        env = {"RULES_BACKEND": "cuda", "CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": ""}
        for device in ("cuda", "cuda:1", "cuda:all"):
            out = self.ok(plugin("rules"), "--device", device, "--dry-run", env=env).out
            self.assertRegex(" ".join(out.split()), r"device no GPU detected: .*; planned as for one, whose times need it conditions")
            self.assertIn("\nrules/scale[n=256]\n  plain\nrules/scale[n=512]\n  plain\n", out)
        self.one_line_error(4, plugin("rules"), "--device", "cuda", env=env)
        self.one_line_error(4, plugin("rules"), "--device", "cuda", "--dry-run", env={**env, "CUDA_VISIBLE_DEVICES": "0"})

    def test_what_it_does_not_touch(self):
        before = sorted(self.dir.iterdir())
        self.ok(VECTOR, "--dry-run", "--device", "cpu", "--out", "new/run", "--json", "new.json", "--csv", "/dev/full")
        self.assertEqual(sorted(self.dir.iterdir()), before)


class Quiet(GpubenchTest):
    def test_it_ends_with_a_reason(self):
        """The reason for the exit code is in a line on stderr, even if no row is printed or stdout is used for a file."""
        bad, crash = plugin("bad_wrong"), plugin("bad_crash")
        for exit, pattern, args, env in (
                (3, r"^gpubench: \d+ rows skipped; the first: d must be 64, 128 or 256, not 65$", ("attention.so", "-a", "d=65", "--no-save"), {}),
                (3, r"^gpubench: 1 row crashed; the first: SIGSEGV in run of ", (crash, "--variant", "segv", "--csv", "-"), {}),
                (3, r"^gpubench: .*rows? wrong.*; the first: ", (bad, "--json", "-"), {}),
                (3, r"^gpubench: \d+ rules? failed$", ("check", plugin("rules"), "--junit", "-"), {"RULES_FAULT": "values"})):
            with self.subTest(args=args):
                more = () if args[0] == "check" else ("--verify-only", "--max-time", "600")
                result = self.gpubench(*args, *more, "--device", "cpu", "-q", env=env)
                self.assertEqual(result.exit, exit, result)
                self.assertRegex(result.err.splitlines()[-1], pattern)


class Lists(GpubenchTest):
    def test_list(self):
        out = self.ok("list", "--plugin", VECTOR).out
        for word in ("vector", "scale", "plain", "twice", "blocked", "dtype", "small", "large", "gpubench.org/test/vector/scale/1"):
            self.assertIn(word, out)

    def test_presets_of_this_device(self):
        presets = lambda *args, **more: re.findall(r"(?m)^    preset   (\w+)", self.ok("list", VECTOR, *args).out)
        self.assertEqual(presets(), ["small", "large", "and"])
        self.assertEqual(presets("--all"), ["small", "large", "odd"])

    def test_benches(self):
        softmax = ("list", "softmax", "--bench", "rows")
        out = self.ok(*softmax).out
        self.assertEqual(re.findall(r"(?m)^  (softmax/\w+)", out), ["softmax/rows"])
        self.assertNotIn("\nrun ", out)
        (listed,) = json.loads(self.ok(*softmax, "--json").out)["plugins"]
        self.assertEqual([bench["id"] for bench in listed["benches"]], ["softmax/rows"])
        self.assertRegex(self.one_line_error(2, "list", "softmax", "--bench", "rowz"), r"--bench 'rowz' matches nothing \(nearest 'rows'\): softmax/rows")
        for other in (("--runs",), ("--contract", "softmax/rows")):
            self.one_line_error(2, *softmax, *other)

    def test_stored_runs(self):
        self.assertEqual(self.ok("list", "--runs").out, "")
        for name in ("one", "two"):
            self.ok(VECTOR, "--preset", "small", "--verify-only", "--device", "cpu", "--name", name)
            time.sleep(1.1)
        (self.run_dirs()[0] / "run.ini").unlink()  # an unreadable run is listed nevertheless
        lines = self.ok("list", "--runs").out.splitlines()
        self.assertRegex(lines[0], r"^run \S+-two  .+  \d+\.\d s  latest$")
        self.assertRegex(lines[1], r"^run \S+-one  not finished$")
        self.assertEqual(self.ok("list").out.splitlines()[-2:], lines)
        newest, older = json.loads(self.ok("list", "--runs", "--json").out)["runs"]
        self.assertEqual((newest["name"], newest["latest"], older["name"], older["latest"]), ("two", True, None, False))

    def test_list_json(self):
        data = json.loads(self.ok("list", "--json", "--plugin", VECTOR).out)
        text = json.dumps(data)
        for word in ("vector", "scale", "plain", "baseline", "1.0.0", "gpubench.org/test/vector/scale/1"):
            self.assertIn(word, text)

    def test_list_leaves_nothing_behind(self):
        self.ok("list", "--plugin", VECTOR)
        self.assertEqual(self.run_dirs(), [])


if __name__ == "__main__":
    main()
