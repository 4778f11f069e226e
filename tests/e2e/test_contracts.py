"""Contracts: the output of `list --contract`, the READMEs made from it, and the guest that it gives to start from."""

import json
import re
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

from author import ROOT, compile_plugin
from run import BIN, GpubenchTest, main, plugin

BUILD = Path(BIN).resolve().parents[1]
VECTOR = plugin("ok_vector")


CRASH = """
#include <gpubench/sugar.h>
static gb_sdk gb;
static gb_status setup(const gb_bench *self, gb_case *c, void **state) { (void)self, (void)c, (void)state; return *(volatile int *)0; }
static gb_status verify(const gb_bench *self, gb_case *c, void *state) { (void)self, (void)c, (void)state; return GB_OK; }
static const gb_bench bench = {GB_SIZE(gb_bench), .name = "crash", .contract = "example.org/crash/1", .setup = setup, .verify = verify};
static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}
const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "crash", .version = "1.0.0", .open = open};
"""


class Contract(GpubenchTest):
    def json(self, *args):
        return json.loads(self.ok("list", *args, "--json").out)["contracts"]

    def test_what_an_author_needs(self):
        text = self.ok("list", "softmax", "--contract", "gpubench.org/softmax/rows/1").out
        for words in ("contract gpubench.org/softmax/rows/1", "of plugin softmax", "axes", "presets", "  x  ", "  y  ",
                      "[128, 50257]", "row-major, dense, aligned to 256 bytes", "normal, mean 104, std dev 4",
                      "sums of 50257 terms", "bytes read     25731584", "native is fp32", "naive",
                      "a guest to start from:  gpubench new mine --guest softmax/rows\n"):
            self.assertIn(words, text)

    def test_tensors_at_a_case(self):
        (found,) = self.json("softmax", "--contract", "softmax/rows", "--case", "softmax/rows[m=3,n=5,dtype=bf16]")
        x, y = found["tensors"]
        self.assertEqual((x["name"], x["role"], x["dtype"], x["shape"], x["strides"]), ("x", "in", "bf16", [3, 5], [5, 1]))
        self.assertEqual((y["reduction"], y["shape"]), (5, [3, 5]))
        self.assertEqual(found["work"]["bytes_read"], 30)
        self.assertGreater(y["tolerances"]["bf16"], y["tolerances"]["fp32"])
        self.assertEqual(found["native"], "bf16")
        self.assertEqual({v["provider"] for v in found["variants"]}, {"softmax"})

    def test_the_tolerance_is_the_one_that_is_applied(self):
        key = "softmax/rows[m=64,n=100,dtype=fp32]"
        (found,) = self.json("softmax", "--contract", "softmax/rows", "--case", key)
        self.ok("--plugin", "softmax", "--verify-only", "--case", key)
        self.assertAlmostEqual(self.number(self.by_variant()["online"], "verify_tolerance") / found["tensors"][1]["tolerances"]["fp32"],
                               1, places=3)

    def test_globs_and_guests(self):
        contracts = self.json("softmax", VECTOR, plugin("ok_second"), "--contract", "*")
        self.assertEqual([c["bench"] for c in contracts],
                         ["softmax/rows", "softmax/cross_entropy", "softmax/masked", "vector/scale"])
        self.assertIn(("plain@second", "second"), [(v["name"], v["provider"]) for v in contracts[3]["variants"]])

    def test_short_names_are_those_of_new(self):
        """The short name of a plugin or a bench, if it is not a full name."""
        benches = lambda *args: [c["bench"] for c in self.json(*args)]
        self.assertEqual(benches("--contract", "softmax"), ["softmax/rows", "softmax/cross_entropy", "softmax/masked"])
        self.assertEqual(benches("--contract", "cross_entropy"), ["softmax/cross_entropy"])
        self.assertEqual(benches("--contract", "soft*"), benches("--contract", "softmax/*"))
        text = self.ok("list", VECTOR, "--contract", "scale").out
        (start,) = re.findall("(?m)^a guest to start from:  gpubench (new .*)$", text)
        self.ok(*shlex.split(start))

    def test_a_point_that_the_bench_refuses(self):
        key = "softmax/rows[m=0,n=5,dtype=bf16]"
        result = self.ok("list", "softmax", "--contract", "softmax/rows", "--case", key)
        self.assertIn("tensors  not known here: supports: m is 0: must be 1 to", result.out)
        self.assertIn("variants", result.out)
        (found,) = self.json("softmax", "--contract", "softmax/rows", "--case", key)
        self.assertIn("m is 0", found["not_known"])
        self.assertEqual(found["tensors"], [])

    def test_a_setup_that_fails_or_crashes_costs_its_tensors_only(self):
        crash = compile_plugin(self, "crash", CRASH)
        for other, words in ((plugin("bad_bench_setup_error"), "setup: "), (plugin("bad_bench_rank_zero"), "rank 0"),
                             (crash, "SIGSEGV in setup")):
            with self.subTest(words):
                contracts = self.json(other, VECTOR, "--contract", "*")
                self.assertIn(words, contracts[0]["not_known"])
                self.assertEqual(len(contracts[1]["tensors"]), 2)

    def test_mistakes(self):
        both = ("softmax", "calibrate")
        for pattern, args in (
                (r"--contract 'gpubench.org/softmax/rows/2' matches nothing; loaded: gpubench.org/softmax/rows/1 "
                 r"\(from softmax\)", ("softmax", "--contract", "gpubench.org/softmax/rows/2")),
                (r"nearest: gpubench.org/softmax/rows/1", ("softmax", "--contract", "sotfmax/rows")),
                (r"attention.so offers it: add --plugin attention.so", ("softmax", "--contract", "attention/forward")),
                (r"--skeleton needs exactly one contract; '\*' matches", (*both, "--contract", "*", "--skeleton")),
                (r"list --skeleton needs --contract", ("--skeleton",)),
                (r"--case needs --contract", ("--case", "softmax/rows[m=3]")),
                (r"--case 'softmax/rows\[q=3\]'", ("softmax", "--contract", "*", "--case", "softmax/rows[q=3]")),
                (r"is no case of 'softmax/rows'", ("softmax", "--contract", "softmax/rows", "--case", "calibrate/copy")),
                (r"one of --json, --markdown", ("--contract", "*", "--markdown", "--json"))):
            with self.subTest(args):
                self.assertRegex(self.one_line_error(2, "list", *args), pattern)


class Skeleton(GpubenchTest):
    def build(self, contract, *plugins):
        clashing = "".join(f"#include <{name}.h>\n" for name in ("fcntl", "pthread", "stdlib", "sys/stat", "unistd"))
        return compile_plugin(self, "mine", clashing + self.ok("list", *plugins, "--contract", contract, "--skeleton").out)

    def test_compiles_attaches_and_is_skipped_until_it_is_written(self):
        """The guest is skipped while it says that it is not written yet. Without that line it is wrong, because it
        writes no output."""
        text = self.ok("list", "softmax", "--contract", "softmax/rows", "--skeleton").out
        later = text.replace('return gb_failf(&gb, c, GB_SKIP, "mine is not written yet");', "return GB_OK;")
        self.assertNotEqual(text, later)
        for source, code, status, message in ((text, 0, "skipped", "mine is not written yet"),
                                              (later, 3, "wrong", "15 of 15 elements of 'y' unwritten")):
            made = compile_plugin(self, "mine", source)
            result = self.gpubench("--plugin", "softmax", "--plugin", made, "--verify-only", "-a", "m=3", "-a", "n=5",
                                   "-a", "dtype=fp32,bf16", "--variant", "mine,naive", "--out", status)
            self.assertEqual(result.exit, code, result)
            rows = {(r["variant"], "bf16" in r["axes"]): r for r in self.rows(self.dir / status)}
            self.assertEqual((rows["mine", False]["status"], rows["naive", False]["status"]), (status, "ok"))
            self.assertIn(message, rows["mine", False]["message"])
            self.assertEqual((rows["mine", True]["status"], rows["mine", True]["message"]), ("skipped", "fp32 only"))

    def test_names_files_and_not_plugins(self):
        elsewhere = self.dir / "it's another.so"
        shutil.copy(VECTOR, elsewhere)
        for loaded, contract, named in (("softmax", "softmax/rows", "softmax.so"), (elsewhere, "*", str(elsewhere.resolve()))):
            with self.subTest(named):
                text = self.ok("list", "--plugin", loaded, "--contract", contract, "--skeleton").out
                made = compile_plugin(self, "mine", text)
                command = shlex.split(re.search(r"(?m)^ \* gpubench (.*) \*/$", text)[1])
                self.assertEqual(command, ["--plugin", named, "--plugin", "./mine.so"])
                self.ok("list", *command, cwd=Path(made).parent)

    def test_of_every_contract_there_is(self):
        contracts = json.loads(self.ok("list", "--contract", "*", "--json").out)["contracts"]
        self.assertGreaterEqual(len(contracts), 8)
        for contract in contracts:
            with self.subTest(contract["contract"]):
                self.assertIsNone(contract["not_known"])
                self.build(contract["contract"], contract["path"])


class Readmes(GpubenchTest):
    def check(self, *folders):
        return subprocess.run([ROOT / "ci/contracts.sh", BUILD, "--check", *folders], text=True, capture_output=True)

    def test_they_are_current(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("contracts: ok", done.stdout)

    def test_one_that_is_not_is_found(self):
        text = (ROOT / "plugins/md/README.md").read_text()
        for page in ("README.md", "CONTRACTS.md"):
            folder = self.dir / page / "md"
            folder.mkdir(parents=True)
            (folder / "README.md").write_text("")  # not looked at if there is a CONTRACTS.md
            for name, changed, said in (("another default", text.replace("| `atoms` | i64 | `4000` |", "| `atoms` | i64 | `4001` |"), "is not current"),
                                        ("no section", text.replace("<!-- contract ", "<!-- "), "has no section for")):
                with self.subTest(name, page=page):
                    self.assertNotEqual(text, changed)
                    (folder / page).write_text(changed)
                    done = self.check(folder)
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertIn(said, done.stderr)
                    self.assertEqual((folder / page).read_text(), changed, "--check wrote")
            subprocess.run([ROOT / "ci/contracts.sh", BUILD, folder], check=True, capture_output=True)
            self.assertEqual(self.check(folder).returncode, 0)
            self.assertIn("<!-- contract ", (folder / page).read_text())


if __name__ == "__main__":
    main()
