"""Plugins compiled against each released minor of the ABI: every host loads and serves all of them. Until 1.0 is frozen
there is no stored binary, and the plugin is built from its source."""

import platform
import subprocess
import unittest

from author import ROOT
from run import FINE, GpubenchTest, main, read_csv

GOLDEN = ROOT / "tests/abi/golden"
MINORS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())


@unittest.skipUnless(platform.machine() == "x86_64", "golden binaries are for x86-64")
class Golden(GpubenchTest):
    def plugin_of(self, minor):
        kept = GOLDEN / minor / "plugin.so"
        if kept.exists():
            self.assertLess(kept.stat().st_size, 32 << 10, "a golden binary is small")
            return kept
        made = self.dir / f"golden-{minor}.so"
        done = subprocess.run([GOLDEN / "make.sh", minor, made], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return made

    def test_each_is_served(self):
        self.assertIn("1.0", MINORS)
        for minor in MINORS:
            with self.subTest(minor):
                binary = self.plugin_of(minor)
                listed = self.ok("list", "--plugin", binary).out
                for word in ("golden/scale", "plain", "derived", "by-name", "guest", "small"):
                    self.assertIn(word, listed)
                self.ok("--plugin", binary, "--quick", "--preset", "small", "--variant", "*", "--option", "golden.turns=5",
                        "--out", minor)
                rows = self.by_variant(self.dir / minor)
                self.assertEqual(sorted(rows), ["by-name", "derived", "guest", "plain"])
                for row in rows.values():
                    self.assertEqual((row["status"], row["verify_error"]), ("ok", "0"), row)
                    self.assertRegex(row["message"], FINE)
                self.assertIn("option=5", rows["derived"]["notes"])
                self.assertEqual({row["variant"] for row in read_csv(self.dir / minor / "graph.csv")}, {"derived"})
                self.assertEqual({row["metric"] for row in read_csv(self.dir / minor / "metrics.csv")}, {"share"})


if __name__ == "__main__":
    main()
