"""The matmul plugin on the CPU: correct at odd sizes, and its verification of all of c finds a single wrong element or
tile."""

import os
import pathlib
import re
import shutil
import subprocess
import unittest

from run import GpubenchTest, main, plugin

WRONG = plugin("matmul_wrong")
LARGE = ("-a", "m=1024", "-a", "n=1100", "-a", "k=200")  # above the size up to which every element is compared
LARGER = ("-a", "m=6000", "-a", "n=6008", "-a", "k=8")  # above the size up to which the sums include every row


class Right(GpubenchTest):
    def test_odd_sizes(self):
        self.ok("--plugin", "matmul", "--verify-only", "-a", "m=1,17,33,127", "-a", "n=1,33,130", "-a", "k=1,31,257",
                "-a", "dtype=fp32,fp16,bf16,e4m3", "--variant", "naive,blocked", "--out", "odd")
        rows = self.rows(self.dir / "odd")
        self.assertEqual(len(rows), 4 * 3 * 3 * 4 * 2)
        self.assertEqual({r["status"] for r in rows}, {"ok"}, [r for r in rows if r["status"] != "ok"])

    def test_epilogues_at_odd_sizes(self):
        self.ok("--plugin", "matmul", "--bench", "matmul/bias_gelu,matmul/add", "--verify-only", "-a", "m=1,33", "-a", "n=1,130",
                "-a", "k=1,257", "-a", "dtype=fp32,fp16,bf16", "--variant", "naive,blocked", "--out", "epilogues")
        rows = self.rows(self.dir / "epilogues")
        self.assertEqual(len(rows), 2 * 2 * 2 * 2 * 3 * 2)
        self.assertEqual({r["status"] for r in rows}, {"ok"}, [r for r in rows if r["status"] != "ok"])

    def test_epilogues_where_they_are_sampled(self):
        self.ok("--plugin", "matmul", "--bench", "matmul/bias_gelu,matmul/add", "--verify-only", "-a", "m=300", "-a", "n=2500",
                "-a", "k=200", "-a", "dtype=fp32,bf16", "--variant", "blocked", "--out", "sampled")
        self.assertEqual({r["status"] for r in self.rows(self.dir / "sampled")}, {"ok"})

    def test_default_cases(self):
        self.ok("--plugin", "matmul", "--device", "cpu", "--verify-only", "--variant", "naive,blocked", "--out", "all")
        rows = self.rows(self.dir / "all")
        self.assertEqual({r["status"] for r in rows}, {"ok"})
        self.assertEqual(len({r["case_key"] for r in rows}), 4)


class Wrong(GpubenchTest):
    def verdicts(self, sizes, dtype, seed, variants="right,element,tile"):
        out = f"w{len(list(self.dir.iterdir()))}"
        self.gpubench("--plugin", "matmul", "--plugin", WRONG, "--verify-only", *sizes, "-a", f"dtype={dtype}",
                       "--variant", variants, "--seed", str(seed), "--out", out)
        return self.by_variant(self.dir / out)

    def test_one_element_of_a_million(self):
        found = 0
        for seed in range(1, 5):
            for dtype in ("fp32", "bf16"):
                rows = self.verdicts(LARGE, dtype, seed)
                self.assertEqual(rows["right"]["status"], "ok", rows["right"])
                for name in ("element", "tile"):
                    self.assertEqual(rows[name]["status"], "wrong", rows[name])
                    found += "random weights" in rows[name]["message"]
        self.assertGreater(found, 10)  # mostly not by the sampled elements

    def test_a_tile_where_rows_are_sampled(self):
        """Half of the rows and columns are read, so one verification of a hundred misses the tile. A suspect measured alone
        is verified often enough to find its error with 95% probability: it may be cleared, but the error is reported."""
        found = noticed = 0
        for seed in range(1, 4):
            rows = self.verdicts(LARGER, "bf16", seed, "right,tile")
            self.assertEqual(rows["right"]["status"], "ok", rows["right"])
            reported = re.search(r"\((in company|beside right): row", rows["tile"]["message"])
            found += rows["tile"]["status"] == "wrong"
            noticed += rows["tile"]["status"] == "wrong" or reported is not None
        self.assertGreater(found, 0)
        self.assertGreaterEqual(noticed, 2)


class Library(GpubenchTest):
    """OpenBLAS and oneDNN are loaded on demand: if they are missing, their variants are skipped by name, and the plain
    variant is the baseline."""

    def rows_with(self, **env):
        self.ok("--plugin", "matmul", "--verify-only", "--preset", "cpu-256", "--out", "lib", env={**os.environ, **env})
        return self.by_variant(self.dir / "lib")

    def test_never_from_the_current_directory(self):
        stub = self.dir / "libopenblas.so.0"
        source = self.dir / "stub.c"
        source.write_text('#include <stdlib.h>\n__attribute__((constructor)) static void f(void) { abort(); }\n')
        compiler = shutil.which("cc") or self.skipTest("no compiler")
        subprocess.run([compiler, "-shared", "-fPIC", "-o", stub, source], check=True)
        for name in ("libdnnl.so.2", "libdnnl.so.3"):
            shutil.copy(stub, self.dir / name)
        for path in (":", ".:/nowhere", "/nowhere:"):
            rows = self.rows_with(LD_LIBRARY_PATH=path)
            for name in ("openblas", "onednn"):
                self.assertEqual(rows[name]["status"], "skipped")
                self.assertIn("not absolute", rows[name]["message"])
            shutil.rmtree(self.dir / "lib")

    def test_without_it_the_plain_way_is_the_baseline(self):
        self.ok("--plugin", "matmul", "--quick", "--ceilings", "off", "--preset", "cpu-256", "--out", "lib", env={**os.environ, "LD_LIBRARY_PATH": ":"})
        rows = self.by_variant(self.dir / "lib")
        self.assertEqual({v: rows[v]["baseline"] for v in ("naive", "blocked")}, {"naive": "naive", "blocked": "naive"})
        self.assertGreater(float(rows["blocked"]["speedup"]), 0)

    def test_found_by_the_loader(self):
        folders = [p for p in pathlib.Path("/usr/lib").glob("*/openblas*") if (p / "libopenblas.so.0").exists()]
        folders += [p for p in map(pathlib.Path, [os.environ.get("OPENBLAS_FOLDER", "")]) if (p / "libopenblas.so.0").exists()]
        if not folders:
            self.skipTest("no OpenBLAS here")
        rows = self.rows_with(LD_LIBRARY_PATH=str(folders[-1].resolve()))
        del rows["onednn"]
        self.assertEqual({r["status"] for r in rows.values()}, {"ok"}, rows)
        self.assertEqual(rows["naive"]["baseline"], "openblas")

    def test_onednn_is_right_in_every_type(self):
        if not any(pathlib.Path("/usr/lib").glob("*/libdnnl.so.[23]")):
            self.skipTest("no oneDNN here")
        self.ok("--plugin", "matmul", "--verify-only", "--variant", "onednn", "-a", "m=33,200", "-a", "n=1,130", "-a", "k=31,257",
                "-a", "dtype=fp32,fp16,bf16,e4m3", "--out", "onednn")
        rows = self.rows(self.dir / "onednn")
        self.assertEqual(len(rows), 2 * 2 * 2 * 4)
        self.assertEqual({r["status"] for r in rows}, {"ok"}, [r for r in rows if r["status"] != "ok"])


if __name__ == "__main__":
    main()
