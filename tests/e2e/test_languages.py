"""The SDK's examples in other languages than C, built from the headers alone and by hand, as their authors may do."""

import os
import shutil
import subprocess
import unittest

from author import ROOT
from run import FINE, GpubenchTest, main

EXAMPLES = ROOT / "sdk/examples"
CXX, RUSTC = shutil.which(os.environ.get("CXX", "c++")), shutil.which("rustc")


def needs(condition, what):
    """In CI, which installs all of them, what is missing is a failure."""
    return unittest.skipIf(not condition and not os.environ.get("GPUBENCH_NO_SKIP"), f"{what} is not installed")


class Languages(GpubenchTest):
    def compile(self, *command):
        done = subprocess.run([str(word) for word in command], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def check(self, name, baseline, other, **axes):
        """Alone in its table, verified on one case; and it shows the entry alone."""
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
        self.assertIsNotNone(RUSTC, "no rustc")
        self.compile(RUSTC, "--edition", "2021", "--crate-type", "cdylib", "--crate-name", "myrust", "-C", "opt-level=3",
                     "-C", "panic=abort", "-D", "warnings", "-o", self.dir / "myrust.so", EXAMPLES / "rust/src/lib.rs")
        self.check("myrust", "indices", "iterators", n="4096")

    @needs(shutil.which("gcc"), "gcc")
    def test_the_rust_declarations_are_those_of_the_headers(self):
        made = subprocess.run([ROOT / "sdk/abi/make_rust.py"], text=True, capture_output=True, check=True).stdout
        self.assertEqual(made, (EXAMPLES / "rust/src/gpubench.rs").read_text(encoding="utf-8"),
                         "run sdk/abi/make_rust.py >sdk/examples/rust/src/gpubench.rs")


if __name__ == "__main__":
    main()
