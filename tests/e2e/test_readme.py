"""What the README shows is what there is: the plugin, the tour's commands, the pandas lines, the SDK from an install."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from run import BIN, GpubenchTest, main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BUILD = Path(BIN).resolve().parents[1]


def block(language):
    return re.search(rf"```{language}\n(.*?)```", README, re.S).group(1)


class Readme(GpubenchTest):
    def test_the_plugin_is_the_template(self):
        self.assertEqual(block("c"), (ROOT / "sdk/template/plugin.c").read_text(encoding="utf-8"))

    def test_the_tour_runs(self):
        commands = re.findall(r"^    gpubench (--plugin (?:attention|softmax)\.so.*)$", README, re.M)
        commands = [c.split("#")[0] for c in commands if "./mine" not in c]
        self.assertGreaterEqual(len(commands), 4)
        for command in commands:
            self.ok(*shlex.split(command), "--dry-run", "--device", "cpu")

    def test_links_lead_somewhere(self):
        for target in re.findall(r"\]\(([^)#:]+)\)", README):
            self.assertTrue((ROOT / target).exists(), target)

    def test_pandas_lines(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            if os.environ.get("GPUBENCH_NO_SKIP"):
                raise
            self.skipTest("pandas is not installed")
        self.ok("--plugin", "softmax.so", "--quick", "--device", "cpu")
        done = subprocess.run([sys.executable, "-c", block("python")], cwd=self.dir, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("fused", done.stdout)

    def test_template_builds_against_an_install(self):
        prefix, build = self.dir / "prefix", self.dir / "build"
        cmake = shutil.which("cmake")
        for command in ([cmake, "--install", BUILD, "--prefix", prefix],
                        [cmake, "-S", prefix / "share/gpubench/template", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}"],
                        [cmake, "--build", build]):
            done = subprocess.run([str(c) for c in command], text=True, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.ok("--plugin", str(build / "mine.so"), "--quick", "--device", "cpu")
        rows = self.rows()
        self.assertEqual({row["variant"] for row in rows}, {"loop", "threads"})
        self.assertEqual({row["status"] for row in rows}, {"ok"})


if __name__ == "__main__":
    main()
