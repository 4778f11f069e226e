"""The SDK's examples in languages other than C, built by hand with only the headers, as their authors might do."""

import os
import shutil
import subprocess
import unittest

from author import ROOT, RUSTC, compile_rust
from run import FINE, GpubenchTest, main

EXAMPLES = ROOT / "sdk/examples"
CXX = shutil.which(os.environ.get("CXX", "c++"))


def needs(condition, what):
    """Skips a test if something is missing, except in CI, which installs everything: there the test fails."""
    return unittest.skipIf(not condition and not os.environ.get("GPUBENCH_NO_SKIP"), f"{what} is not installed")


class Languages(GpubenchTest):
    def compile(self, *command):
        done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def check(self, name, baseline, other, **axes):
        """Verifies the plugin alone on one case, and checks that it exports only its entry."""
        made = self.dir / f"{name}.so"
        exported = subprocess.run(["nm", "-D", "--defined-only", made], text=True, capture_output=True, check=True).stdout
        self.assertEqual([line.split()[-1] for line in exported.splitlines()], ["gb_plugin_v1"])
        where = [word for axis, value in axes.items() for word in ("--axis", f"{axis}={value}")]
        self.ok("--plugin", made, "--verify-only", *where, "--out", f"{name}-{'-'.join(axes.values())}")
        rows = self.by_variant(self.dir / f"{name}-{'-'.join(axes.values())}")
        self.assertEqual({variant: row["status"] for variant, row in rows.items()}, {baseline: "ok", other: "ok"})
        for row in rows.values():
            self.assertRegex(row["message"], FINE)
            self.assertLess(self.number(row, "verify_error"), self.number(row, "verify_tolerance"))

    @needs(CXX, "a C++ compiler")
    def test_cpp11(self):
        self.assertIsNotNone(CXX, "no C++ compiler")
        self.compile(CXX, "-std=c++11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wold-style-cast", "-Werror", "-fPIC", "-shared",
                     "-fvisibility=hidden", f"-I{ROOT}/sdk/include", EXAMPLES / "cpp/plugin.cpp", "-o", self.dir / "mycpp.so")
        self.check("mycpp", "loop", "tiled", n="4096", dtype="fp32")
        self.check("mycpp", "loop", "tiled", n="4097", dtype="fp64")

    @needs(RUSTC, "rustc")
    def test_rust(self):
        compile_rust(self, "myrust", EXAMPLES / "rust/src/lib.rs")
        self.check("myrust", "indices", "iterators", n="4096")

    @needs(RUSTC, "rustc")
    def test_rust_tells_minors(self):
        made = compile_rust(self, "rust", ROOT / "tests/plugins/rust.rs")
        self.ok(made, "--verify-only", "-a", "n=3000,3001", "--variant", "scoped,guest,later", "--out", "o")
        self.assertEqual({(row["case_key"][-5:-1], row["variant"]): row["status"] for row in self.rows(self.dir / "o")},
                         {("3000", "scoped"): "ok", ("3000", "guest"): "ok", ("3000", "later"): "ok",
                          ("3001", "scoped"): "ok", ("3001", "guest"): "skipped", ("3001", "later"): "ok"})
        self.gpubench(made, "--verify-only", "-a", "n=3002", "--variant", "scoped", "--out", "p")
        (row,) = self.rows(self.dir / "p")
        self.assertEqual(row["status"], "error")
        self.assertRegex(row["message"], r"^minor_of: panicked at .*rust\.rs:\d+: n is 3002$")

    @needs(RUSTC, "rustc")
    def test_rust_says_what_went_wrong_and_where(self):
        source = ROOT / "tests/plugins/rust.rs"
        made = compile_rust(self, "rust", source)
        lines = {line.split("// at ")[1]: number for number, line in enumerate(source.read_text().splitlines(), 1) if "; // at " in line}
        result = self.gpubench(made, "--verify-only", "--out", "o")
        self.assertEqual(result.exit, 3)
        self.assertNotIn("thread '", result.out + result.err)
        rows = self.by_variant(self.dir / "o")
        for variant in ("scoped", "planned"):
            self.assertEqual((rows[variant]["status"], rows[variant]["preset"]), ("ok", "small"), rows[variant])
        panics = {"index": "index out of bounds: the len is 3000 but the index is 3000", "in_thread": "of a thread",
                  "long_name": "no name is as long as 'one-that-is-longer-", "element": "the elements of 'y' are no f64"}
        self.assertEqual(panics.keys(), lines.keys())
        for variant, said in panics.items():
            self.assertEqual(rows[variant]["status"], "error")
            self.assertIn(f"run: panicked at {source}:{lines[variant]}: {said}", rows[variant]["message"])
        for variant, status, said in (("name", "error", "run: example.org/rust/copy/1 has no tensor 'no-such-tensor'"),
                                      ("error", "error", "run: invalid digit found in string"),
                                      ("state", "error", "run: prepare or setup returned no rust::Plan"),
                                      ("few", "skipped", "n is 3000: must be 1 to 16"),
                                      ("not_here", "skipped", "n is 3000, and I am not here")):
            self.assertEqual((rows[variant]["status"], rows[variant]["message"]), (status, said))

    @needs(RUSTC, "rustc")
    def test_rust_keeps_the_rules(self):
        """Checks gpubench.rs: its code around each callback, state that is made and dropped, and threads that end with
        run."""
        made = compile_rust(self, "rust", ROOT / "tests/plugins/rust.rs")
        result = self.ok("check", made, "--variant", "scoped,planned")
        self.assertRegex(result.out, r" [1-9]\d* passed, 0 failed, ")

    @needs(shutil.which("gcc"), "gcc")
    def test_the_rust_declarations_are_those_of_the_headers(self):
        made = subprocess.run([ROOT / "sdk/abi/make_rust.py"], text=True, capture_output=True, check=True).stdout
        self.assertEqual(made, (ROOT / "sdk/rust/abi.rs").read_text(encoding="utf-8"), "run sdk/abi/make_rust.py >sdk/rust/abi.rs")


if __name__ == "__main__":
    main()
