"""Plugins that break the rules: each is refused, or fails, with its own message; none crashes the host."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from run import BIN, GpubenchTest, main, plugin

# Refused when opened: the reason in the error line, next to the file's name.
REFUSED = {
    "bad_none": r"no gb_plugin_v1",
    "bad_v2": r"built for ABI 2, this host speaks 1",
    "bad_text": r"not an ELF file|too short",
    "bad_empty": r"not an ELF file|too short|empty",
    "bad_open_magic": r"magic 0xDEADBEEF, expected 0x4C504247",
    "bad_open_short": r"struct_size is 48",
    "bad_open_zero": r"entry: struct_size is 0, ABI 1\.0 has 64",
    "bad_open_newer": r"needs ABI 1\.99, this host speaks 1\.\d+",
    "bad_open_major": r"needs ABI 2\.0, this host speaks 1\.\d+",
    "bad_open_needed": r"abi_needed is 0x0, which is no version of the ABI; the lowest is 0x10000",
    "bad_open_nonsense": r"abi_needed is 0x12345678, which is no version of the ABI",
    "bad_open_later": r"needs ABI 1\.99, this host speaks 1\.\d+",
    "bad_open_no_id": r"id is empty",
    "bad_open_empty_id": r"id is empty",
    "bad_open_bad_id": r"id '\.\./etc/passwd' is not a valid name",
    "bad_open_version": r"version is empty",
    "bad_open_null": r"open is NULL",
    "bad_open_tail": r"newer ABI.*byte 64 of 72",
    "bad_open_message": r"the moon is in the wrong house",
    "bad_open_silent": r"open returned -5 without a message",
    "bad_open_segv": r"SIGSEGV.*open|open.*SIGSEGV",
    "bad_open_strange": r"open returned 77",
    "bad_bench_short": r"bench: struct_size is \d+, ABI 1\.0 has \d+",
    "bad_bench_size_zero": r"bench: struct_size is 0, ABI 1\.0 has \d+",
    "bad_bench_variant_zero": r"bench 'bench'.*variant: struct_size is 0, ABI 1\.0 has \d+",
    "bad_bench_axis_zero": r"bench 'bench'.*axis: struct_size is 0, ABI 1\.0 has 56",
    "bad_bench_default_zero": r"axis 'm'.*default: struct_size is 0, ABI 1\.0 has 24",
    "bad_bench_preset_zero": r"bench 'bench'.*preset: struct_size is 0, ABI 1\.0 has 40",
    "bad_bench_variant_name": r"variant name '\.\./\.\./etc' is not a valid name",
    "bad_bench_axis_name": r"axis name 'm,n=1' is not a valid name",
    "bad_bench_preset_name": r"preset name is empty",
    "bad_bench_dup_variants": r"two variants are named 'good'",
    "bad_bench_no_setup": r"bench 'bench'.*setup is NULL",
    "bad_bench_no_check": r"reference and verify",
    "bad_bench_run_null": r"variant 'odd'.*run is NULL",
    "bad_bench_name": r"'two words' is not a valid name",
    "bad_bench_long_name": r"is not a valid name",
    "bad_bench_long_summary": r"summary has more than 255 bytes",
    "bad_bench_no_contract": r"contract is empty",
    "bad_bench_axis_expr": r"axis 'm'.*banana",
    "bad_bench_axis_million": r"axis 'm'.*4096 values",
    "bad_bench_axis_choice": r"axis 'kind'.*'green'.*red,blue",
    "bad_bench_axes_17": r"more than 16 axes",
    "bad_bench_axis_twice": r"two axes are named 'm'",
    "bad_bench_preset_axis": r"preset 'one'.*'zebra'",
    "bad_bench_preset_twice": r"two presets are named 'one'",
    "bad_bench_bench_twice": r"two benches are named 'bench'",
}

# Not even opened.
UNLOADABLE = {
    "bad_load_crash": r"SIGABRT in dlopen",
    "bad_load_exit": r"exited with status 0 in dlopen",
    "bad_load_symbol": r"it uses outer::missing\(int\) \(_ZN5outer7missingEi\), which no library that is loaded defines|"
                       r"it uses _ZN5outer7missingEi, which",
    "bad_load_library": r"needs libgone\.so\.7, which is not found \(looked in its RUNPATH /.*/not/here, LD_LIBRARY_PATH "
                        r"\(not set\), the loader's cache and its default folders\)",
}

# Loaded without one variant, which needs a later host: the reason.
LEFT_OUT = {
    "bad_bench_variant_flag": r"variant 'odd': flag 0x40000000 is unknown to this host",
    "bad_bench_variant_tail": r"variant 'odd': variant: built for a newer ABI: byte \d+ of \d+ is not zero, this host knows \d+ bytes",
    "bad_bench_math": r"variant 'odd': math is 'abacus', known are .*",
}

# Loaded without its bench, which needs a later host: the reason.
LEFT_OUT_BENCH = {
    "bad_bench_tail_set": r"bench: built for a newer ABI: byte \d+ of \d+ is not zero, this host knows \d+ bytes",
    "bad_bench_bench_flag": r"flag 0x40000000 is unknown to this host",
    "bad_bench_axis_type": r"axis 'm' has type 17, known are GB_I64, GB_F64 and GB_STR",
}

# Accepted, but rows fail: the failing variant and its message. "*" is every variant.
FAILING = {
    "bad_bench_tensor_zero": ("*", r"tensor: struct_size is 0, ABI 1\.0 has \d+"),
    "bad_bench_tensor_name": ("*", r"tensor name 'a tensor' is not a valid name"),
    "bad_bench_work_zero": ("*", r"work: struct_size is 0, ABI 1\.0 has 48"),
    "bad_bench_rank_zero": ("*", r"'t'.*rank"),
    "bad_bench_negative": ("*", r"'t'.*-4"),
    "bad_bench_overflow": ("*", r"'t'.*1099511627776"),
    "bad_bench_dup_tensor": ("*", r"'x'"),
    "bad_bench_tensors_257": ("*", r"256"),
    "bad_bench_overlap": ("*", r"'t'.*(stride|overlap|place)"),
    "bad_bench_setup_error": ("*", r"no milk in the fridge"),
    "bad_bench_setup_mute": ("*", r"setup.*-5"),
    "bad_bench_ignored": ("*", r"no-such-axis"),
    "bad_bench_axis_asked": ("odd", r"no-such-axis"),
    "bad_bench_no_tensor": ("odd", r"no-such-tensor"),
    "bad_bench_expect_none": ("*", r"(?i)expect|nothing|compared|reference"),
    "bad_bench_expect_nan": ("*", r"(?i)nan|finite"),
    "bad_bench_verify": ("*", r"the sum of rows is off by 3"),
}

# Values in the tables of `open`, by bad_tables' name for them, that are refused, with the message.
NAME = r"is not a valid name: \[A-Za-z0-9\]\[A-Za-z0-9\._/-\]\*, at most 63 bytes"
HUGE = r"struct_size is 4294967295, at most 65536"
TABLES = {
    "bench-huge": f"bench: {HUGE}",
    "variant-huge": f"bench 'bench': variant: {HUGE}",
    "axis-huge": f"bench 'bench': axis: {HUGE}",
    "default-huge": f"axis 'm': default: {HUGE}",
    "preset-huge": f"bench 'bench': preset: {HUGE}",
    "option-huge": f"option: {HUGE}",
    "option-zero": r"option: struct_size is 0, ABI 1\.0 has 48",
    "bench-control": rf"bench name 'be\?\[2Jnch' {NAME}",
    "variant-bytes": f"variant name 'ödd' {NAME}",
    "axis-bytes": rf"axis name 'm\?' {NAME}",
    "preset-newline": rf"preset name 'one\?two' {NAME}",
    "backend-spaces": f"variant 'odd': backend 'c p u' {NAME}",
    "math-case": f"variant 'odd': math 'FP 32' {NAME}",
    "default-backend": f"axis 'm': backend of a default 'cpu,cuda' {NAME}",
    "option-name": f"option name 'a=b' {NAME}",
    "axis-overflow": r"axis 'm': its default: '9223372036854775807k' does not fit 64 bits",
    "axis-endless": r"axis 'm': its default: '1:9223372036854775807' has more than 4096 values",
    "axis-backwards": r"axis 'm': its default: '4:1' ends before it starts",
    "axis-step": r"axis 'm': its default: '1:4:0' needs a step above zero",
    "axis-nan": r"axis 'm': its default: 'nan' is not a finite number",
    "axis-inf": r"axis 'm': its default: '1e999' is not a finite number",
    "axis-negative-x": r"axis 'm': its default: '-4:4:x2' multiplies, so it must start above zero",
    "default-twice": r"axis 'm': two defaults are for backend 'cpu'",
    "default-values": r"axis 'm': its default: an item is empty",
    "choices-empty": r"axis 'kind': its choices: an item is empty",
    "choices-gap": r"axis 'kind': its choices: an item is empty",
    "choices-twice": r"axis 'kind': its choices 'red,blue,red' have 'red' twice",
    "preset-many": r"preset 'one': its point: 'm=1:4' is 4 values, not one",
    "preset-choice": r"preset 'one': its point: 'green' is not among red,blue",
    "preset-twice": r"preset 'one': its point: axis 'm' is given twice",
    "preset-backends": f"preset 'one': backends 'cpu cuda': a backend 'cpu cuda' {NAME}",
    "preset-gap": r"preset 'one': backends 'cpu,,cuda': a backend is empty",
    "bench-stateful": r"bench 'bench': GB_BENCH_STATEFUL without a verify",
    "variant-flags": r"variant 'odd': a yardstick cannot be the baseline: flags 0x11",
    "option-range": r"option 'number': its default: 5 is below 9, the least",
    "option-below": r"option 'number': its default: 1 is below 2, the least",
    "option-type": r"option 'number' has type 0, known are GB_I64, GB_F64 and GB_STR",
    "option-null": r"option 'number': value is NULL",
    "benches-257": r"more than 256 benches",
    "variants-4097": r"more than 4096 variants",
}

# Values with which the bench is left out, because a later host may know them.
TABLES_LEFT_OUT = {
    "default-reserved": r"axis 'm': default: reserved is 7, must be 0",
    "preset-reserved": r"preset 'one': preset: reserved is 7, must be 0",
    "bench-flags": r"flag 0xFFFFFFD0 is unknown to this host",
}

# Values in the tables of `setup`, one bench each. None: the value is allowed or ignored.
SETUP = {
    "fine": None,
    "tensor-huge": f"tensor: {HUGE}",
    "tensor-bytes": f"tensor name 'ö' {NAME}",
    "tensor-rank": r"tensor 't': rank 4294967295, allowed are 1 to 8",
    "tensor-shape": r"tensor 't': shape is NULL, rank 2",
    "tensor-extent": r"tensor 't': extent 1 is -9223372036854775808, after 1 elements",
    "tensor-stride-zero": r"tensor 't': stride 0 of axis 0, smaller axes span 1 elements",
    "tensor-stride-negative": r"tensor 't': stride -4 of axis 0, smaller axes span 1 elements",
    "tensor-stride-overflow": r"tensor 't': stride 9223372036854775807 of axis 0, smaller axes span 1 elements",
    "tensor-align": r"tensor 't': align_bytes 3, allowed are powers of two up to 4096",
    "tensor-align-huge": r"tensor 't': align_bytes 9223372036854775808, allowed are powers of two up to 4096",
    "tensor-offset": r"tensor 't': offset_bytes 18446744073709551615, at most 4096",
    "tensor-offset-odd": None,
    "tensor-fill-bench": r"tensor 't': fill is GB_FILL_BENCH, and the bench has no `fill`",
    "tensor-fill-nan": r"tensor 't': fill parameters nan and 0 are not finite",
    "tensor-fill-width": None,
    "tensor-fill-empty": r"tensor 't': uniform from 2 to below 1: there is no such value",
    "tensor-fill-deviation": r"tensor 't': standard deviation -1",
    "tensor-tolerance-nan": r"tensor 't': tolerance nan, allowed are 0 to below 1",
    "tensor-tolerance-negative": r"tensor 't': tolerance -0\.5, allowed are 0 to below 1",
    "tensor-tolerance-inf": r"tensor 't': tolerance inf, allowed are 0 to below 1",
    "tensor-exact-input": r"tensor 't': a tolerance and exactness are for outputs",
    "work-huge": f"work: {HUGE}",
    "work-flops": r"work: flops is 18446744073709551615, at most 9223372036854775807",
    "work-bytes": r"work: bytes_read \+ bytes_written is 18446744073709551614, at most 9223372036854775807",
    "work-items": r"work: items is 18446744073709551615, at most 9223372036854775807",
    "work-unit": None,
    "metric-huge": f"metric: {HUGE}",
    "metric-zero": r"metric: struct_size is 0, ABI 1\.0 has 40",
    "metric-reserved": None,
    "metric-name": r"metric is empty",
    "metric-better": None,
    "metric-aggregate": None,
    "progress-backwards": None,
    "alloc-kind": r"gb\.mem/1 alloc: kind 9, known are 1 to 3",
    "alloc-huge": None,
    "claim-kind": r"gb\.mem/1 claim: kind 0, known are 1 to 3",
    "free-stranger": r"gb\.mem/1 free: 0x[0-9a-f]+ was not allocated here",
    "write-early": r"gb\.input/1 write is for fill, not setup",
    "expect-early": r"gb\.tensor/1 expect is for outputs and in reference: tensor 'y', in setup",
    "output-early": r"gb\.tensor/1 output is for verify, not setup",
    "input-early": r"tensor 'x' has no contents in setup",
    "metric-early": r"gb\.metric/1 add is for run, prepare and verify, not setup",
    "note-early": r"gb\.note/1 set is for prepare, refresh and release, not setup",
    "steps-early": r"gb\.tensor/1 steps is for verify, not setup",
    "add-late": None,
    "attach-late": None,
    "option-late": None,
}

# Values for which the case is skipped, because a later host may know them.
SETUP_SKIPPED = {
    "tensor-flags": r"tensor 't': flag 0xFFFFFFFE is unknown to this host",
    "tensor-reserved": r"tensor: reserved is 7, must be 0",
    "tensor-role": r"tensor 't': role 4294967295, known are 1 to 4",
    "tensor-dtype": r"tensor 't': dtype 4294967295 is unknown to this host",
    "tensor-memory": r"tensor 't': memory 4294967295, known are 1 to 3",
    "tensor-fill": r"tensor 't': fill 4294967295 is unknown to this host",
    "work-reserved": r"work: reserved is 7, must be 0",
}

# What is left out with a warning, because a later host may know it; the rows are right.
WARNED = (
    r"tables/metric-reserved: left out: metric 'm': metric: reserved is 7, must be 0",
    r"tables/metric-better: left out: metric 'm': better is 4294967295, known are 0 to 2",
    r"tables/metric-aggregate: left out: metric 'm': aggregate is 4294967295, known are 0 to 5",
    r"tables/bench/node-kind: left out: graph node 'a': kind is 4294967295, known are 1 to 5",
    r"tables/bench/edge-reserved: left out: graph edge: reserved is 7, must be 0",
)

# The same for `prepare`, one variant each.
PREPARE = {
    "good": None,
    "node-huge": f"graph node: {HUGE}",
    "node-zero": r"graph node: struct_size is 0, ABI 1\.0 has 48",
    "node-kind": None,
    "node-id": rf"graph node 'a\?b' {NAME}",
    "node-bytes": None,
    "node-flops": None,
    "edge-huge": f"graph edge: {HUGE}",
    "edge-zero": r"graph edge: struct_size is 0, ABI 1\.0 has 40",
    "edge-reserved": None,
    "edge-null": r"graph edge: from is empty",
    "edge-nowhere": r"graph edge: no node 'nowhere' has been stated",
    "edge-bytes": None,
    "input-far": r"tensor 'x' has 4096 elements, asked for 2 from 18446744073709551615",
    "input-much": r"tensor 'x' has 4096 elements, asked for 18446744073709551615 from 1",
    "input-apart": r"tensor 'x' has 4096 elements, asked for 2 from 0, 18446744073709551615 apart",
    "input-output": r"gb\.tensor/1 input: tensor 'y' is no input",
    "free-stranger": r"gb\.mem/1 free: 0x[0-9a-f]+ was not allocated here",
    "axis-name": r"bench 'bench' has no axis '\?\[2J'",
    "tensor-name": r"gpubench\.org/test/tables/1 has no tensor '\?\[2J'",
    "option-name": r"gb\.option/2: '\?\[2J' was not declared in open",
    "declare-late": r"gb\.tensor/1 declare is for setup, not prepare",
    "work-late": r"gb\.case/1 work is for setup, not prepare",
}


# NULL instead of the case, with the service that reports it.
NULL = {
    "case-i64": "gb.case/1 i64",
    "case-f64": "gb.case/1 f64",
    "case-str": "gb.case/1 str",
    "case-key": "gb.case/1 key",
    "case-contract": "gb.case/1 contract",
    "case-state": "gb.case/1 state",
    "case-math": "gb.case/1 math",
    "case-seed": "gb.case/1 seed",
    "case-work": "gb.case/1 work",
    "device-i64": "gb.device/1 i64",
    "device-str": "gb.device/1 str",
    "mem-alloc": "gb.mem/1 alloc",
    "mem-claim": "gb.mem/1 claim",
    "mem-free": "gb.mem/1 free",
    "cuda-stream": "gb.cuda/1 stream",
    "tensor-declare": "gb.tensor/1 declare",
    "tensor-data": "gb.tensor/1 data",
    "tensor-dtype": "gb.tensor/1 dtype",
    "tensor-rank": "gb.tensor/1 rank",
    "tensor-dim": "gb.tensor/1 dim",
    "tensor-stride": "gb.tensor/1 stride",
    "tensor-role": "gb.tensor/1 role",
    "tensor-count": "gb.tensor/1 count",
    "tensor-name": "gb.tensor/1 name",
    "tensor-input": "gb.tensor/1 input",
    "tensor-output": "gb.tensor/1 output",
    "tensor-steps": "gb.tensor/1 steps",
    "tensor-expect": "gb.tensor/1 expect",
    "graph-node": "gb.graph/1 node",
    "graph-edge": "gb.graph/1 edge",
    "note-set": "gb.note/1 set",
    "option-i64": "gb.option/2 i64",
    "option-f64": "gb.option/2 f64",
    "option-str": "gb.option/2 str",
    "scratch-directory": "gb.scratch/1 directory",
    "scratch-bytes": "gb.scratch/1 free_bytes",
    "metric-declare": "gb.metric/1 declare",
    "metric-add": "gb.metric/1 add",
}


class Null(GpubenchTest):
    def test_each_service_says_so(self):
        result = self.gpubench("--plugin", plugin("bad_null"), "--verify-only")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        self.assertEqual(rows.pop("good")["status"], "ok")
        self.assertEqual(rows["tensor-values"]["message"], "prepare: gb.tensor/1 input: values is NULL")
        self.assertEqual(rows["graph-table"]["message"], "prepare: gb.graph/1 node: NULL")
        self.assertEqual({name: row["message"] for name, row in rows.items() if name in NULL},
                         {name: f"prepare: {slot}: the case is NULL" for name, slot in NULL.items()})
        self.assertEqual({row["status"] for row in rows.values()}, {"error"})

    def test_a_registry_that_is_none(self):
        self.assertRegex(self.refusal(3, "bad_null_registry.so", "--plugin", plugin("bad_null_registry")),
                         "add or attach: registry is NULL")


class Tables(GpubenchTest):
    def test_what_open_hands_over(self):
        for name, pattern in TABLES.items():
            with self.subTest(name):
                line = self.refusal(3, "bad_tables.so", "list", "--plugin", plugin("bad_tables"), env={"BAD_TABLE": name})
                self.assertRegex(line, r"bad_tables\.so: plugin 'tables': .*" + pattern)

    def test_what_open_hands_over_of_later_hosts(self):
        for name, pattern in TABLES_LEFT_OUT.items():
            with self.subTest(name):
                result = self.ok("list", "--plugin", plugin("bad_tables"), env={"BAD_TABLE": name})
                line = rf"(?m)^gpubench: warning: plugin 'tables': left out bench 'bench': {pattern}$"
                self.assertRegex(result.err, line)
                self.assertNotIn("  tables/bench ", result.out)

    def check(self, rows, patterns, phase, bad="error"):
        self.assertEqual(set(rows), set(patterns))
        for name, pattern in patterns.items():
            with self.subTest(name):
                row = rows[name]
                self.assertEqual(row["status"], "ok" if pattern is None else bad, row)
                self.assertRegex(row["message"], "^$" if pattern is None else f"^{phase}: {pattern}")

    def test_what_callbacks_hand_over(self):
        result = self.gpubench("--plugin", plugin("bad_tables"), "--verify-only")
        self.assertEqual(result.exit, 3, result)
        rows = self.rows()
        benches = {r["bench"].split("/")[1]: r for r in rows if r["bench"] != "tables/bench"}
        self.check({name: row for name, row in benches.items() if name not in SETUP_SKIPPED}, SETUP, "setup")
        skipped = {name: row for name, row in benches.items() if name in SETUP_SKIPPED}
        self.check(skipped, SETUP_SKIPPED, "setup", "skipped")
        for line in WARNED:
            self.assertRegex(result.err, rf"(?m): {line}$")
        self.check({r["variant"]: r for r in rows if r["bench"] == "tables/bench"}, PREPARE, "prepare")
        for what in ("add", "attach", "gb.option/2 declare"):
            self.assertIn(f"tables: {what} is for open: ignored", result.err)
        self.ok("report", self.run_dir())  # even with the largest counts that exist


class Refused(GpubenchTest):
    def test_every_refusal_has_its_sentence(self):
        for name, pattern in REFUSED.items():
            with self.subTest(name):
                line = self.refusal(3, name + ".so", "--plugin", plugin(name))
                self.assertRegex(line, pattern)
                self.assertNotIn("open was entered after all", line)

    def test_what_cannot_be_loaded(self):
        for name, pattern in UNLOADABLE.items():
            with self.subTest(name):
                self.assertRegex(self.refusal(3, name + ".so", "--plugin", plugin(name)), pattern)
        line = self.refusal(3, "bad_load_hang.so", "--plugin", plugin("bad_load_hang"), "--timeout", "1", timeout=30)
        self.assertRegex(line, r"no return within 1 s in dlopen")

    def test_where_a_library_is_looked_for(self):
        line = self.refusal(3, "bad_load_library.so", "--plugin", plugin("bad_load_library"), env={"LD_LIBRARY_PATH": "/opt/a"})
        self.assertIn("LD_LIBRARY_PATH /opt/a, ", line)
        folder = str(Path(plugin("bad_load_library")).parent)
        self.ok("list", "--plugin", plugin("bad_load_library"), env={"LD_LIBRARY_PATH": folder})

    def test_list_refuses_as_well(self):
        for name in ("bad_open_segv", "bad_bench_run_null", "bad_none"):
            with self.subTest(name):
                self.assertRegex(self.refusal(3, name + ".so", "list", "--plugin", plugin(name)), REFUSED[name])

    def test_open_that_never_returns(self):
        line = self.refusal(3, "bad_open_hang.so", "--plugin", plugin("bad_open_hang"), "--timeout", "2", timeout=30)
        self.assertRegex(line, r"open")

    def test_nothing_registered(self):
        result = self.gpubench("--plugin", plugin("bad_open_nothing"))
        self.assertIn(result.exit, (2, 3), result)

    def test_a_refused_plugin_beside_a_good_one(self):
        """The other plugins run, the message is printed, and the exit code reports the failure."""
        for order in (("ok_vector", "bad_bench_run_null"), ("bad_open_segv", "ok_vector")):
            with self.subTest(order):
                args = [a for name in order for a in ("--plugin", plugin(name))]
                result = self.gpubench(*args, "--verify-only", "--out", order[0])
                self.assertEqual(result.exit, 3, result)
                self.assertRegex(result.err, r"run is NULL|SIGSEGV")
                self.assertEqual({r["status"] for r in self.rows(self.dir / order[0])}, {"ok"})

    def test_a_variant_of_the_future_is_left_out(self):
        for name, why in LEFT_OUT.items():
            for command in ("run", "list"):
                with self.subTest(name, command=command):
                    result = self.ok(command, "--plugin", plugin(name), *(("--verify-only", "--out", name) if command == "run" else ()))
                    lines = result.err.splitlines()
                    self.assertEqual(len([line for line in lines if "left out" in line]), 1, result)
                    self.assertRegex(result.err, r"(?m)^gpubench: warning: plugin 'bad': left out of gpubench\.org/test/bench/1: " + why + "$")
            self.assertEqual({r["variant"]: r["status"] for r in self.rows(self.dir / name)}, {"good": "ok"})

    def test_a_bench_of_the_future_is_left_out(self):
        for name, why in LEFT_OUT_BENCH.items():
            with self.subTest(name):
                line = rf"(?m)^gpubench: warning: plugin 'bad': left out bench 'bench': {why}$"
                self.assertRegex(self.ok("list", "--plugin", plugin(name)).err, line)
                beside = self.ok("--plugin", plugin(name), "--plugin", plugin("ok_vector"), "--verify-only",
                                 "--out", name)
                self.assertRegex(beside.err, line)
                rows = self.rows(self.dir / name)
                self.assertEqual({(r["bench"], r["status"]) for r in rows}, {("vector/scale", "ok")})
                alone = self.gpubench("--plugin", plugin(name), "--verify-only")
                self.assertEqual(alone.exit, 2, alone)
                self.assertRegex(alone.err, line)

    def test_a_dtype_of_the_future_skips_the_case(self):
        result = self.gpubench("--plugin", plugin("bad_bench_dtype"), "--verify-only")
        for row in self.rows():
            self.assertEqual(row["status"], "skipped", row)
            self.assertRegex(row["message"], r"^setup: tensor 't': dtype 99 is unknown to this host$")
        self.assertEqual(result.exit, 3, "nothing was verified")
        self.assertNotRegex(result.out, "(?i)error")

    def test_one_of_two_attachments_without_its_bench(self):
        result = self.ok("--plugin", plugin("bad_bench_attach_both"), "--verify-only")
        self.assertRegex(result.err, r"(?m)^gpubench: warning: plugin 'bad' attaches also to contract gpubench\.org/test/nowhere/1, "
                                     r"which nobody offers here; loaded: gpubench\.org/test/bench/1 \(from bad\)$")
        self.assertEqual({r["variant"]: r["status"] for r in self.rows()}, {"good": "ok", "odd": "ok"})

    def test_a_guest_without_its_bench(self):
        line = self.one_line_error(2, "--plugin", plugin("bad_bench_attach_nowhere"))
        self.assertIn("gpubench.org/test/nowhere/1", line)

    def test_a_file_that_the_linker_is_still_writing(self):
        whole = Path(plugin("ok_vector")).read_bytes()
        (self.dir / "half.so").write_bytes(whole[: len(whole) // 2])
        line = self.refusal(3, "half.so", "--plugin", "./half.so")
        self.assertRegex(line, rf"half\.so: file too short \({len(whole) // 2} of \d+ bytes\): is the linker still writing it\?")

    def spoilt(self, offset, value, length=2):
        data = bytearray(Path(plugin("ok_vector")).read_bytes())
        data[offset : offset + length] = value.to_bytes(length, "little")
        (self.dir / "alien.so").write_bytes(data)
        return self.refusal(3, "alien.so", "--plugin", "./alien.so")

    def test_a_plugin_of_another_machine(self):
        self.assertRegex(self.spoilt(18, 22), r"alien\.so: built for s390 \(64 bits\), this machine is \S+ \(64 bits\)")
        self.assertRegex(self.spoilt(4, 1, 1), r"\(32 bits\), this machine is \S+ \(64 bits\)")

    def test_files_that_are_no_shared_objects(self):
        self.assertRegex(self.spoilt(16, 1), r"alien\.so: an object file, not a shared object: link it with -shared")
        self.assertRegex(self.spoilt(16, 2), r"a program, not a shared object")
        os.mkfifo(self.dir / "pipe.so")
        self.assertRegex(self.refusal(3, "pipe.so", "--plugin", "./pipe.so", timeout=20), r"not a regular file")
        (self.dir / "folder.so").mkdir()
        self.assertRegex(self.refusal(3, "folder.so", "--plugin", "./folder.so"), r"a directory, not a plugin")
        self.assertRegex(self.refusal(3, "/dev/zero", "--plugin", "/dev/zero", timeout=20), r"not a regular file")

    def test_garbage_in_the_middle(self):
        """Whatever is in the file, the host ends with one of its exit codes."""
        whole = Path(plugin("ok_vector")).read_bytes()
        for offset in range(64, len(whole), max(1, len(whole) // 12)):
            with self.subTest(offset):
                data = bytearray(whole)
                data[offset : offset + 64] = b"\xa5" * 64
                (self.dir / "garbage.so").write_bytes(data[: len(whole)])
                result = self.gpubench("list", "--plugin", "./garbage.so", timeout=60)
                self.assertIn(result.exit, (0, 3), result)


class Trust(GpubenchTest):
    """A plugin is loaded only if no other user can write its file."""

    def setUp(self):
        super().setUp()
        self.folder = self.dir / "plugins"
        self.folder.mkdir()
        self.file = self.folder / "mine.so"
        shutil.copy(plugin("ok_vector"), self.file)
        self.file.chmod(0o644)

    def check_suspect(self, why):
        """Expects the file to be refused for root, and for all users if it was found by name; other users get a warning
        if its path was given; --trust-plugins loads it."""
        args = ("--plugin", self.file, "--verify-only", "--preset", "small")
        if os.geteuid() == 0:
            line = self.refusal(3, "mine.so", *args)
            self.assertRegex(line, why)
            self.assertIn("--trust-plugins", line)
            self.assertEqual(self.run_dirs(), [])
        else:
            result = self.ok(*args, "--out", "warned")
            self.assertRegex(result.err, r"gpubench: warning: .*mine\.so: " + why)
            self.assertIn("--trust-plugins", result.err)
        found = {"GPUBENCH_PLUGIN_PATH": str(self.folder)}
        self.assertRegex(self.refusal(3, "mine.so", "--plugin", "mine", env=found), why)
        (self.dir / "suite.ini").write_text(f"[one]\nplugin = {self.file}\n")
        self.assertRegex(self.refusal(3, "mine.so", "--suite", "suite.ini"), why)
        self.assertRegex(self.refusal(3, "mine.so", "list", "--plugin", "mine", env=found), why)
        result = self.ok(*args, "--trust-plugins", "--out", "trusted")
        self.assertNotIn("mode", result.err)
        self.ok("list", "--plugin", "mine", "--trust-plugins", env=found)

    def test_ones_own_file_needs_no_word(self):
        self.assertEqual(self.ok("list", "--plugin", self.file).err, "")

    def test_a_file_that_others_may_write(self):
        self.file.chmod(0o666)
        self.check_suspect(r"other users can write to it \(mode 0666\)")

    def test_a_folder_that_others_may_write(self):
        self.folder.chmod(0o777)
        self.check_suspect(r"other users can write to its directory .*plugins \(mode 0777, no sticky bit\)")
        self.folder.chmod(0o1777)
        self.assertEqual(self.ok("list", "--plugin", self.file).err, "")

    def test_a_folder_far_above(self):
        self.dir.chmod(0o777)
        self.check_suspect(r"other users can write to its directory .*gpubench-e2e-\w+ \(mode 0777, no sticky bit\)")

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a file away")
    def test_a_file_of_a_third_person(self):
        os.chown(self.file, 4000001, -1)
        self.check_suspect(r"it belongs to user 4000001, who is neither you \(user 0\) nor root")

    def test_a_link_is_judged_by_what_it_leads_to(self):
        (self.dir / "link.so").symlink_to(self.file)
        self.ok("list", "--plugin", "./link.so")
        self.file.chmod(0o666)
        if os.geteuid() == 0:
            self.assertRegex(self.refusal(3, "mine.so", "list", "--plugin", "./link.so"), r"mode 0666")

    def test_a_file_that_is_replaced_while_it_runs(self):
        """The worker that is started after a crash must not load another file than the one that was described and
        hashed."""
        shutil.copy(plugin("bad_load_swap"), self.file)
        result = self.gpubench("--plugin", self.file, "--quick")
        self.assertEqual(result.exit, 3, result)
        rows = self.by_variant()
        # No suspect can be measured alone.
        self.assertEqual((rows["swaps"]["status"], rows["good"]["status"]), ("not_run", "not_run"), rows)
        self.assertRegex(rows["good"]["message"], r"mine\.so: the file was replaced since it was described \(SHA-256 then "
                                                  r"[0-9a-f]{12}\.\.\., now [0-9a-f]{12}\.\.\.\): run again")


class Failing(GpubenchTest):
    def test_every_failure_has_its_sentence(self):
        for name, (variant, pattern) in FAILING.items():
            with self.subTest(name):
                result = self.gpubench("--plugin", plugin(name), "--verify-only", "--out", name)
                self.assertEqual(result.exit, 3, result)
                rows = self.by_variant(self.dir / name)
                lost = rows.values() if variant == "*" else [rows[variant]]
                for row in lost:
                    self.assertIn(row["status"], ("error", "wrong"), row)
                    self.assertRegex(row["message"], pattern)
                if variant != "*":
                    self.assertEqual(rows["good"]["status"], "ok", rows["good"])

    def test_a_skip_without_a_reason_is_told_as_a_defect(self):
        self.gpubench("--plugin", plugin("bad_bench_skip_mute"), "--verify-only")
        row = self.by_variant()["odd"]
        self.assertIn(row["status"], ("skipped", "error"))
        self.assertRegex(row["message"], r"supports.*(message|reason)")

    def test_not_enough_memory_is_a_skip(self):
        self.ok("--plugin", plugin("bad_bench_enomem"), "--verify-only")
        row = self.by_variant()["odd"]
        self.assertEqual(row["status"], "skipped")
        self.assertRegex(row["message"], r"needs .*B, .*B free")

    def test_larger_structs_with_a_zero_tail_load(self):
        self.ok("--plugin", plugin("bad_bench_tail_zero"), "--verify-only")
        self.assertEqual({r["status"] for r in self.rows()}, {"ok"})

    def test_an_unknown_backend_is_in_no_plan(self):
        self.ok("--plugin", plugin("bad_bench_backend"), "--verify-only")
        self.assertEqual(set(self.by_variant()), {"good"})


class Lookup(GpubenchTest):
    def test_bare_names_come_from_the_path(self):
        folder = self.dir / "plugins"
        folder.mkdir()
        shutil.copy(plugin("ok_vector"), folder / "mine.so")
        for name in ("mine", "mine.so"):
            self.assertIn("vector", self.ok("list", "--plugin", name, env={"GPUBENCH_PLUGIN_PATH": f"/nowhere:{folder}"}).out)

    def test_bare_names_never_come_from_the_current_directory(self):
        shutil.copy(plugin("ok_vector"), self.dir / "mine.so")
        for path in ("", ".", ":", "relative"):
            with self.subTest(path):
                line = self.one_line_error(2, "--plugin", "mine.so", env={"GPUBENCH_PLUGIN_PATH": path})
                self.assertIn("not found", line)
        self.ok("list", "--plugin", "./mine.so")

    def test_bundled_plugins_are_found_from_anywhere(self):
        self.assertIn("attention", self.ok("list", "--plugin", "attention.so").out)
        self.assertIn("attention", self.ok("list", "--plugin", "attention").out)

    def test_the_binary_may_be_reached_through_a_link(self):
        os.symlink(BIN, self.dir / "gb")
        done = subprocess.run([self.dir / "gb", "list", "--plugin", "attention", "--device", "cpu"], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_same_file_twice_is_one_plugin(self):
        self.ok("--plugin", plugin("ok_vector"), "--plugin", plugin("ok_vector"), "--verify-only", "--preset", "small")
        self.assertEqual(set(self.by_variant()), {"plain", "twice", "blocked"})

    def test_two_plugins_of_one_id(self):
        result = self.gpubench("--plugin", plugin("bad_wrong"), "--plugin", plugin("bad_crash"), "--verify-only")
        self.assertNotEqual(result.exit, 0, result)
        self.assertRegex(result.err, r"id 'bad' is taken by .*bad_wrong\.so")


if __name__ == "__main__":
    main()
