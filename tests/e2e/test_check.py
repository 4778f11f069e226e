"""`gpubench check`: each planted fault fails the rule that it breaks, and no other rule; a plugin without faults
passes."""

import json
import os
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from author import guest
from run import BIN, PLUGINS, GpubenchTest, main, plugin

BUNDLED = Path(os.environ.get("GPUBENCH_PLUGINS", Path(BIN).parents[1] / "lib/gpubench/plugins"))

# Values of RULES_FAULT for tests/plugins/rules.c: the rule that the fault breaks, and the reason in the output.
FAULTS = {
    # A callback that crashes: the line names it.
    "crash-open": ("crash", r"SIGSEGV in open"),
    "crash-supports": ("crash", r"SIGSEGV in supports"),
    "crash-setup": ("crash", r"scale/plain\[n=256\]: SIGSEGV in setup"),
    "crash-fill": ("crash", r"SIGSEGV in fill"),
    "crash-reference": ("crash", r"SIGSEGV in reference"),
    "crash-prepare": ("crash", r"SIGSEGV in prepare"),
    "crash-run": ("crash", r"SIGSEGV in run"),
    "crash-verify": ("crash", r"SIGSEGV in verify"),
    "crash-release": ("crash", r"SIGSEGV in release"),
    "crash-teardown": ("crash", r"SIGSEGV in teardown"),
    "crash-close": ("close", r"SIGSEGV in close"),
    "hang-open": ("hang", r"no return within 2 s in open"),
    "crash-minor_of": ("crash", r"SIGSEGV in minor_of"),
    "hang-minor_of": ("hang", r"no return within 2 s in minor_of"),
    "hang-supports": ("hang", r"no return within 2 s in supports"),
    "hang-setup": ("hang", r"no return within 2 s in setup"),
    "hang-reference": ("hang", r"no return within 2 s in reference"),
    "hang-run": ("hang", r"no return within 2 s in run"),
    "hang-teardown": ("hang", r"no return within 2 s in teardown"),
    "hang-close": ("close", r"no return within 2 s in close"),
    # Callbacks that fail although nothing is wrong, or that give no message.
    "fail-open": ("open", r"open: no milk in the fridge"),
    "fail-supports": ("supports", r"supports: no milk"),
    "fail-setup": ("setup", r"setup: no milk"),
    "fail-fill": ("fill", r"fill: no milk"),
    "fail-reference": ("reference", r"reference: no milk"),
    "fail-prepare": ("prepare", r"prepare: no milk"),
    "fail-run": ("run", r"run: no milk"),
    "supports-changes": ("supports", r"scale/plain\[n=512\]: supports took this case at first and refused it when it was asked again, in another order: asked too often"),
    "mute-open": ("messages", r"open returned -5 without a message"),
    "mute-supports": ("messages", r"supports returned an error \(-5\) without a message"),
    "mute-skip": ("messages", r"supports returned GB_SKIP \(1\) without a reason"),
    "mute-setup": ("messages", r"setup returned an error \(-5\)"),
    "mute-reference": ("messages", r"reference returned an error"),
    "mute-prepare": ("messages", r"prepare returned an error"),
    "mute-run": ("messages", r"run returned an error"),
    "mute-verify": ("messages", r"verify returned an error"),
    # Faults of the bench.
    "cases": ("cases", r"takes no default case and no preset, this one not since not on a Wednesday"),
    "contract": ("contracts", r"bench 'scale': contract 'gpubench.org/test/rules' is no DOMAIN/PATH/N.*: it ends in 'rules'"),
    "minor-above": ("minors", r"minor_of: gave 3, and contract_minor of gpubench.org/test/rules/1 is 2"),
    "minor-twice": ("minors", r"minor_of: gave 0 and then 1 for one case"),
    "minor-axis": ("services", r"bench 'scale' has no axis 'no-such-axis'"),
    "fail-minor_of": ("minors", r"minor_of: no milk"),
    "mute-minor_of": ("minors", r"minor_of: gave 4294967295, and contract_minor of .* is 2"),
    "setup-twice": ("setup", r"states other work the second time: 257 flops and 2048 bytes, then 258 and 2048"),
    "work": ("work", r"states 4 bytes written, its outputs have 1024"),
    "work-writes": ("work", r"states 2048 bytes written, its outputs have 1024"),
    "work-reads": ("work", r"states 2048 bytes read, its inputs have 1024"),
    "flops": ("work", r"states 2\.56e\+09 flops, and run takes .* us of processor time: .* GFLOP/s, more than the \d+ that a core"),
    "work-reads-nothing": ("work", r"states 0 bytes read, its inputs have 1024"),
    "fill": ("fill", r"'x' has other values than before for the same seed"),
    "reference-constant": ("reference", r"expects the same of other inputs: 256 values whose sum is 768"),
    "reference-foreseen": ("reference", r"states a part of 'y' at places that `run` may foresee: draw them from gb.case/1 places"),
    "reference-moves": ("reference", r"expects other values of the same inputs: their sum was .*, and is"),
    "last-element": ("verify", r"output 'y' with a wrong last element passes"),
    "few": ("verify", r"output 'y' with a wrong element in the middle passes"),
    "few-alone": ("verify", r"states 2 of the 256 elements of output 'y': state all, or 1000"),
    "reduction": ("verify", r"output 'y' states sums of 1000000000000000 terms, which its inputs and work cannot have"),
    "unchecked": ("verify", r"output 'y' with zeros everywhere passes"),
    # Faults of the variant.
    "values": ("values", r"'y': error .*worst \[128\] is .*, expected"),
    "verify": ("values", r"the sum of rows is off by 3"),
    "writes": ("writes", r"left 1 of 256 elements of 'y' unwritten, the first is 128"),
    "bounds": ("bounds", r"SIGSEGV in run, where it (wrote to|touched) byte 1024 of tensor 'y', which has 1024"),
    "bounds-before": ("bounds", r"wrote outside tensor 'y': [1-4] bytes? beside it changed, the first at byte -[1-4]"),
    "beyond": ("bounds", r"SIGSEGV in run, where it (wrote to|touched) byte 66560 of tensor 'y', which has 1024"),
    "before": ("bounds", r"SIGSEGV in run, where it (wrote to|touched) byte -40000 of tensor 'y', which has 1024"),
    "reads-beyond": ("bounds", r"SIGSEGV in run, where it (read|touched) byte 1024 of tensor 'x', which has 1024"),
    "workspace-beyond": ("bounds", r"SIGSEGV in run, where it (wrote to|touched) byte 9216 of memory of gb.mem/1, which has 1024"),
    "inputs": ("inputs", r"changed its input 'x'"),
    # Whichever of the two is detected first.
    "complete": ("complete", r"were wrong when its time was taken, and right 50 ms later|time was taken before its work was done"),
    "repeat": ("repeat", r"worst \[3\] is -1, expected"),
    "fresh": ("fresh", r"'y': error"),
    "there": ("fresh", r"over outputs of other inputs: 'y': error"),
    "statics": ("statics", r"'y'"),
    "no-memory": ("no-memory", r"SIGSEGV in prepare, where gb.mem/1 gave no memory"),
    "services": ("services", r"gb.mem/1 alloc is for setup and prepare, not run"),
    "log": ("services", r"gb_host log is not for run"),
    "services-axis": ("services", r"bench 'scale' has no axis 'no-such-axis'"),
    # Faults in other cases than the default ones.
    "odd": ("values", r"^rules/scale/plain\[n=65\]: 'y': error .*worst \[64\] is 0, expected"),
    "odd-setup": ("setup", r"^rules/scale/plain\[n=65\]: setup: n is odd"),
    "choice": ("bounds", r"^rules/scale/plain\[n=65,kind=wide\]: .*'y'"),
    # Changes of the process.
    "thread-prepare": ("threads", r"\d more threads from the 11th to the 20th case"),
    "thread-run": ("threads", r"threads"),
    "descriptor-setup": ("descriptors", r"9 more open descriptors from the 11th to the 20th case"),
    "descriptor-run": ("descriptors", r"descriptors"),
    "leak-setup": ("memory", r"\d+ more bytes of the heap from the 11th to the 20th case"),
    "leak-prepare": ("memory", r"\d+ more bytes of the heap from the 11th to the 20th case"),
    "leak-run": ("memory", r"\d+ more bytes of the heap from the 11th to the 20th call of run"),
    "leak-release": ("memory", r"bytes of the heap"),
    "leak-teardown": ("memory", r"bytes of the heap"),
    "unstated": ("memory", r"prepare takes 671\d{5} bytes of the heap that it does not state: use `alloc` or `claim` of gb.mem/1"),
    "openmp": ("process", r"prepare leaves OpenMP with 3 threads, not 7"),
    "print-open": ("prints", r"printed while it was opened and closed: 'hello from open'"),
    "print-setup": ("prints", r"setup printed 17 bytes: 'hello from setup'"),
    "print-run": ("prints", r"run printed \d+ bytes: 'hello from run'"),
    "print-release": ("prints", r"release printed 19 bytes: 'hello from release'"),
    "print-close": ("prints", r"'hello from close'"),
    "file-open": ("files", r"opening and closing it left 'left-behind' in its working directory"),
    "file-prepare": ("files", r"left 'left-behind' in its working directory"),
    "shared-open": ("files", r"open left '/dev/shm/rules-shared' behind"),
    "shared-mapped": ("files", r"prepare left '/dev/shm/rules-shared' behind"),
    "shared-file": ("files", r"prepare left '/dev/shm/rules-of-\d+-\d+' behind: each of \d+ cases left something there, and no pause"),
    "var-file": ("files", r"prepare left '/var/tmp/rules-of-\d+-\d+' behind: each of \d+ cases left something there, and no pause"),
    "sysv-segment": ("files", r"prepare left the segment of shared memory \d+ behind"),
    "sysv-semaphores": ("files", r"prepare left the set of semaphores \d+ behind"),
    "sysv-queue": ("files", r"prepare left the message queue \d+ behind"),
    "signal-open": ("process", r"open .*SIGUSR1"),
    "signal-prepare": ("process", r"prepare .*SIGUSR1"),
    "environment-setup": ("process", r"setup .*environment.*RULES_LEFT"),
    "directory-run": ("process", r"run changed the directory to /"),
    "umask-run": ("process", r"run changed the umask to 0000"),
    "locale-teardown": ("process", r"teardown .*locale"),
}

# Files that are linked incorrectly, and other test plugins.
LINKED = {
    "rules_exports": ("exports", r"exports 'rules_helper'"),
    "rules_imports": ("imports", r"needs 'gb_host_internal'"),
    "rules_stack": ("stack", r"PT_GNU_STACK is executable"),
    "rules_relocations": ("relocations", r"DT_TEXTREL is set: compile with -fPIC"),
    "bad_text": ("load", r"not an ELF file|too short"),
    "bad_load_crash": ("crash", r"SIGABRT in dlopen"),
    "bad_open_magic": ("entry", r"magic 0xDEADBEEF, expected 0x4C504247"),
    "bad_open_newer": ("entry", r"needs ABI 1\.99"),
    "bad_open_bad_id": ("names", r"id '\.\./etc/passwd' is not a valid name"),
    "bad_open_version": ("names", r"version is empty"),
    "bad_bench_name": ("names", r"'two words' is not a valid name"),
    "bad_bench_dup_variants": ("names", r"two variants are named 'good'"),
    "bad_bench_axis_twice": ("names", r"two axes are named 'm'"),
    "bad_bench_short": ("tables", r"bench: struct_size is \d+, ABI 1\.0 has \d+"),
    "bad_bench_run_null": ("tables", r"variant 'odd'.*run is NULL"),
    "bad_bench_math": ("tables", r"variant 'odd': math is 'abacus'"),
    "bad_bench_axis_expr": ("axes", r"axis 'm'.*banana"),
    "bad_bench_axis_choice": ("axes", r"axis 'kind'.*'green'.*red,blue"),
    "bad_bench_preset_axis": ("presets", r"preset 'one'.*'zebra'"),
    "bad_bench_tensor_name": ("services", r"tensor name 'a tensor' is not a valid name"),
    "bad_bench_no_tensor": ("services", r"no-such-tensor"),
}

# A line about one rule, and one about several rules with the same outcome.
LINE = re.compile(r"^(passed|failed|not applicable|not checked) +(\S+) +(.*)  \[(.*)\]$")
TOGETHER = re.compile(r"^(passed|not applicable|not checked) +([a-z-]+(?:, [a-z-]+)*)(?:: (.*))?$")


class Check(GpubenchTest):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.remove_what_is_left)

    def remove_what_is_left(self):
        """Removes the files that the test plugin has left where others may have made them, so that they remain."""
        for folder in ("/tmp", "/dev/shm", "/var/tmp"):
            for path in Path(folder).glob("rules-of-*"):
                path.unlink()

    def check(self, *args, exit=None, **kwargs):
        """Checks one plugin. Returns {rule: (outcome, reason)}."""
        result = self.gpubench("check", *args, **kwargs)
        if exit is not None:
            self.assertEqual(result.exit, exit, result)
        rules = {}
        for line in result.out.splitlines()[:-1]:
            if line.startswith("looked at "):
                continue
            match = LINE.match(line) or TOGETHER.match(line)
            self.assertIsNotNone(match, f"{line}\n{result}")
            for name in match[2].split(", "):
                self.assertNotIn(name, rules, result)
                rules[name] = (match[1], match[3])
        counts = [sum(outcome == wanted for outcome, _ in rules.values())
                  for wanted in ("passed", "failed", "not applicable", "not checked")]
        failed = [name for name, (outcome, _) in rules.items() if outcome == "failed"]
        named = f" \\({', '.join(failed)}\\)" if failed else ""
        self.assertRegex(result.out.splitlines()[-1],
                         "{} passed, {} failed{}, {} not applicable, {} not checked$".format(*counts[:2], named, *counts[2:]))
        self.assertEqual(result.err, "", result)
        return rules

    def breaks(self, rule, sentence, path, **kwargs):
        rules = self.check(path, "--timeout", "2", exit=3, **kwargs)
        failed = {name: reason for name, (outcome, reason) in rules.items() if outcome == "failed"}
        self.assertEqual(set(failed), {rule}, failed)
        self.assertRegex(failed[rule], sentence)

    def test_each_fault_fails_its_rule(self):
        for fault, (rule, sentence) in FAULTS.items():
            with self.subTest(fault):
                self.breaks(rule, sentence, plugin("rules"), env={"RULES_FAULT": fault})

    def test_what_grows_in_few_cases_is_not_called_a_leak(self):
        """Eight or nine cases fit into the time, and each took more memory. That may be the allocator's, until twice as
        many cases have shown it."""
        rules = self.check(plugin("rules"), exit=0, env={"RULES_FAULT": "leak-slowly"})
        self.assertEqual(rules["memory"][0], "not checked")
        self.assertRegex(rules["memory"][1], r"\d cases took \d+\.\d s: a smaller one shows more")

    def test_what_the_allocator_keeps_for_a_thread_is_no_leak(self):
        """Freed blocks of a new size in each case: glibc keeps them in a cache and counts them as allocated."""
        for tunables in ({}, {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=7"}):
            rules = self.check(plugin("rules"), exit=0, env={"RULES_FAULT": "caches", **tunables})
            self.assertEqual(rules["memory"][0], "passed", rules["memory"])

    def test_the_same_values_in_another_order_are_others(self):
        rules = self.check(plugin("rules"), exit=0, env={"RULES_FAULT": "rotated"})
        self.assertEqual(rules["reference"][0], "passed")

    def test_what_looks_like_a_fault_and_is_none(self):
        """A reference that states little beside a `verify` that reads all; a sum of more terms than the inputs have;
        memory of a library that is claimed."""
        for kept in ("few-verified", "reduction-fair", "stated"):
            with self.subTest(kept):
                rules = self.check(plugin("rules"), exit=0, env={"RULES_FAULT": kept})
                self.assertEqual((rules["verify"][0], rules["memory"][0]), ("passed", "passed"))

    def test_what_is_slow_or_odd_is_allowed(self):
        """Threads that spin between `prepare` and `release`, a slow `open`, a reference of a second, files of /proc in
        `run`; 16 operations for each element; things that all processes see and that are removed again."""
        for kept in ("slow-reference", "spinning", "slow-open", "smaps", "flops-fair", "all-removed"):
            with self.subTest(kept):
                rules = self.check(plugin("rules"), exit=0, env={"RULES_FAULT": kept})
                self.assertEqual((rules["values"][0], rules["files"][0], rules["work"][0]), ("passed", "passed", "passed"), rules)

    def test_a_file_of_a_common_folder(self):
        """Others make files in /tmp, too, so this is found only while they make none. It is never called anything else,
        and no file is removed that may be another process's."""
        rules = self.check(plugin("rules"), env={"RULES_FAULT": "tmp-file"})
        self.assertEqual([name for name, (outcome, _) in rules.items() if outcome == "failed" and name != "files"], [])
        self.assertGreater(len(list(Path("/tmp").glob("rules-of-*"))), 5)

    def test_a_line_for_what_is_alike(self):
        """A broken rule has a line, and the others share one for each outcome and reason; -v has a line for each rule."""
        result = self.gpubench("check", plugin("rules"), env={"RULES_FAULT": "values"})
        self.assertLess(len(result.out.splitlines()), 12, result)
        self.assertRegex(result.out, r"(?m)^not checked +(\S+, )+\S+: rules/scale/plain\[n=256\]: after values has failed$")
        each = self.gpubench("check", plugin("rules"), "-v", env={"RULES_FAULT": "values"})
        self.assertEqual(len({match[2] for match in map(LINE.match, each.out.splitlines()) if match}), 47, each)

    def test_inputs_that_never_change_are_told(self):
        """Benches of one fixed input are allowed, but nothing is known then about a variant that keeps its results."""
        rules = self.check(plugin("rules"), exit=0, env={"RULES_FAULT": "fill-fixed"})
        self.assertEqual(rules["fresh"][0], "not checked")
        self.assertRegex(rules["fresh"][1], r"inputs never change: they are the same for three seeds")
        self.check(plugin("rules"), "--require-all", exit=3, env={"RULES_FAULT": "fill-fixed"})

    def test_each_file_fails_its_rule(self):
        for name, (rule, sentence) in LINKED.items():
            if not (PLUGINS / f"{name}.so").exists() and name == "rules_relocations":
                continue  # the platform does not allow text relocations
            with self.subTest(name):
                self.breaks(rule, sentence, plugin(name))

    def test_who_keeps_all_rules_passes(self):
        rules = self.check(plugin("rules"), "--require-all", exit=0)
        self.assertEqual({name for name, (outcome, _) in rules.items() if outcome != "passed"},
                         {"stream", "async", "capture", "allocation"})
        for name in ("ok_vector", "ok_graph", "ok_second"):
            with self.subTest(name):
                self.check(plugin(name), exit=0)

    def test_a_guest(self):
        """For a guest, only its variants count. Its bench is the owner's, even if the owner is checked in the same
        command."""
        alone = self.check(plugin("ok_guest"), exit=0)  # the owner is found among the installed plugins
        self.assertEqual(alone["setup"], ("not applicable", "the benches are another plugin's"))
        self.assertEqual(alone["values"][0], "passed")
        both = self.ok("check", plugin("ok_guest"), "attention", "--variant", "guest,standard", "-a", "s=65")
        self.assertEqual(len(re.findall(r": \d+ passed, 0 failed", both.out)), 2)

    def test_a_guest_of_nobody(self):
        rules = self.check(plugin("bad_bench_attach_nowhere"), exit=0)
        self.assertEqual(rules["load"][0], "passed")
        self.assertEqual(rules["setup"], ("not applicable", "the benches are another plugin's"))
        for name in ("run", "values"):
            self.assertEqual(rules[name][0], "not checked")
            self.assertRegex(rules[name][1], r"good: plugin 'bad' attaches to contract \S+; no bench is loaded; name the plugin that offers it, too: "
                                             r"gpubench check OWNER\.so GUEST\.so$")
        both = self.ok("check", plugin("ok_vector"), plugin("ok_second"))
        self.assertNotIn("OWNER.so", both.out)

    def test_a_cuda_guest_without_a_gpu(self):
        """The rules of its bench are not reported as unknown, because the bench is its owner's."""
        made = guest(self, "mine", "gpubench.org/test/vector/scale/1", "", backend="cuda")
        result = self.gpubench("check", made, plugin("ok_vector"), "--device", "fake,cpu", "-v")
        rules = {match[2]: (match[1], match[3]) for match in map(LINE.match, result.out.splitlines()[:45]) if match}
        self.assertEqual({rules[name] for name in ("setup", "work", "fill", "reference", "verify")},
                         {("not applicable", "the benches are another plugin's")})
        self.assertEqual(rules["values"], ("not checked", "mine: no GPU here"))

    def test_many_crashes_in_one_plugin(self):
        """Every variant is examined, in fresh processes, and each crash is reported."""
        result = self.gpubench("check", plugin("bad_crash"), "--timeout", "2", "-v")
        self.assertEqual(result.exit, 3)
        for variant, what in (("segv", "SIGSEGV in run"), ("abort", "SIGABRT in run"), ("release", "SIGSEGV in release"),
                              ("exit", "exited with status 0 in run"), ("loop", "no return within 2 s in run")):
            self.assertRegex(result.out, f"bad/crash/{variant}: {what}")

    def test_a_cuda_plugin_without_a_gpu(self):
        """Rules that need no GPU are checked; the others are "not checked", and fail with --require-all."""
        cuda = {"RULES_BACKEND": "cuda"}
        rules = self.check(plugin("rules"), "--device", "fake", exit=0, env=cuda)
        for name in ("load", "open", "supports", "cases", "setup", "work", "fill", "reference"):
            self.assertEqual(rules[name][0], "passed", name)
        for name in ("prepare", "run", "values", "async", "capture", "lifetimes"):
            self.assertEqual(rules[name][0], "not checked", name)
            self.assertRegex(rules[name][1], "plain: no GPU here")
        self.assertEqual(rules["verify"], ("not checked", "rules/scale[n=256]: it takes a variant's outputs, and no variant of it runs here"))
        chosen = self.ok("check", plugin("rules"), "--device", "fake", "-a", "n=8,16", env=cuda)
        self.assertIn("\nlooked at rules/scale[n=8], rules/scale[n=16]\n", chosen.out)
        self.check(plugin("rules"), "--device", "fake", "--require-all", exit=3, env=cuda)
        for fault, rule in (("crash-reference", "crash"), ("fail-setup", "setup"), ("reference-constant", "reference"),
                            ("fill", "fill"), ("work", "work"), ("setup-twice", "setup")):
            with self.subTest(fault):
                rules = self.check(plugin("rules"), "--device", "fake", exit=3, env={**cuda, "RULES_FAULT": fault})
                self.assertEqual([name for name, (outcome, _) in rules.items() if outcome == "failed"], [rule])

    def test_a_pretended_gpu_measures_nothing(self):
        result = self.gpubench(plugin("rules"), "--device", "fake", "--no-save", env={"RULES_BACKEND": "cuda"})
        self.assertNotEqual(result.exit, 0)
        self.assertIn("device fake runs nothing: it is for gpubench check", result.err + result.out)

    def test_a_device_that_is_not_for_it(self):
        rules = self.check(plugin("rules"), "--device", "fake", exit=0)
        self.assertEqual(rules["values"], ("not checked", "plain: --device fake has no cpu"))

    def test_quiet_shows_what_fails(self):
        quiet = self.gpubench("check", plugin("rules"), "-q", env={"RULES_FAULT": "values"})
        self.assertEqual(len(quiet.out.splitlines()), 2, quiet)
        self.assertRegex(quiet.out, r"^failed +values ")
        quiet = self.gpubench("check", plugin("rules"), "-q")
        self.assertEqual(len(quiet.out.splitlines()), 1, quiet)

    def test_junit(self):
        file = self.dir / "rules.xml"
        self.gpubench("check", plugin("rules"), "--junit", file, env={"RULES_FAULT": "values"})
        root = ElementTree.parse(file).getroot()
        suite = root.find("testsuite")
        self.assertEqual(suite.get("failures"), "1")
        failed = {case.get("name") for case in suite.iter("testcase") if case.find("failure") is not None}
        self.assertEqual(failed, {"values"})
        self.assertGreater(len(list(suite.iter("testcase"))), 40)

    def test_further_cases(self):
        """A variant is also run with odd extents, as far as it supports them, and with each choice of an axis."""
        for fault, looked_at in (("", "[n=256] [n=65]"), ("odd-refused", "[n=256]"), ("odd-one", "[n=256,m=16] [n=65,m=16]"),
                                 ("choices", "[n=256,kind=narrow] [n=65,kind=narrow] [n=65,kind=wide] [n=65,kind=long]")):
            with self.subTest(fault):
                out = self.ok("check", plugin("rules"), env={"RULES_FAULT": fault}).out
                line = re.search(r"\nlooked at (.*);", out)[1]
                self.assertEqual(line.replace("rules/scale", "").replace("], ", "] "), looked_at)

    def test_points_are_chosen(self):
        result = self.gpubench("check", plugin("rules"), "-a", "n=8,16", "-v", env={"RULES_FAULT": "values"})
        self.assertIn("rules/scale/plain[n=8]: 'y'", result.out)
        self.assertIn("rules/scale/plain[n=16]: 'y'", result.out)

    def test_bad_command_lines(self):
        self.assertIn("check needs a plugin", self.one_line_error(2, "check"))
        self.assertIn("not found", self.one_line_error(2, "check", "./none.so"))
        self.assertIn("-a zebra=3: no such axis", self.one_line_error(2, "check", plugin("rules"), "-a", "zebra=3"))
        self.assertIn("nosuch", self.one_line_error(2, "check", plugin("rules"), "--variant", "nosuch"))
        self.assertIn("device 'moon'", self.one_line_error(2, "check", plugin("rules"), "--device", "moon"))

    def test_no_time_is_told(self):
        rules = self.check(plugin("rules"), "--max-time", "1ms", exit=0)
        self.assertEqual(rules["values"], ("not checked", "rules/scale/plain[n=256]: the time was over (--max-time)"))
        self.check(plugin("rules"), "--max-time", "1ms", "--require-all", exit=3)


# Points so small that all rules are checked within seconds; at the default points only a third would be checked in 15
# s.
POINTS = {
    "activations": ("m=33", "n=70"),
    "attention": ("s=65",),
    "calibrate": ("bytes=64k", "lanes=1k", "steps=64", "ns=5024"),
    "data_pipeline": ("bytes=1M", "record=12k", "data_pipeline/source.chunk=48k", "n=2", "h=40", "w=40", "crop=32", "side=32",
                      "data_pipeline/pipeline.chunk=4", "chunks=6"),
    "energy": ("bytes=1M", "n=64", "ms=1"),
    "matmul": ("m=65", "n=70", "k=40"),
    "md": ("atoms=501",),
    "softmax": ("m=33", "n=70"),
}


class Bundled(GpubenchTest):
    def test_they_break_no_rule(self):
        for path in sorted(BUNDLED.glob("*.so")):
            with self.subTest(path.stem):
                point = [word for axis in POINTS.get(path.stem, ()) for word in ("-a", axis)]
                said = self.ok("check", path, "--max-time", "120", *point).out
                self.assertRegex(said, r"passed, 0 failed, .*\n$")
                self.assertNotIn("the time was over", said)


if __name__ == "__main__":
    main()
