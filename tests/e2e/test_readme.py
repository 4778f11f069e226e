"""The README is accurate: the tour's commands, the pandas lines, the SDK from an install."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from author import compile_plugin
from run import BIN, GpubenchTest, check_schema, main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BUILD = Path(BIN).resolve().parents[1]


def block(language, text=README):
    return re.search(rf"```{language}\n(.*?)```", text, re.S).group(1)


class Readme(GpubenchTest):
    def test_the_template_shares_no_name_with_the_system(self):
        clashing = "".join(f"#include <{name}.h>\n" for name in ("fcntl", "pthread", "stdio", "sys/stat", "unistd"))
        template = (ROOT / "sdk/template/plugin.c").read_text(encoding="utf-8")
        compile_plugin(self, "mine", clashing + re.sub("#pragma omp .*\n", "(void)self;\n", template))

    def test_the_tour_runs(self):
        commands = re.findall(r"^    gpubench ((?:--plugin )?(?:attention|softmax)\.so.*)$", README, re.M)
        commands = [c.split("#")[0] for c in commands if "./mine" not in c]
        self.assertGreaterEqual(len(commands), 4)
        for command in commands:
            self.ok(*shlex.split(command), "--dry-run", "--device", "cpu")

    def example(self):
        """Returns a copy of the sample run, because `report` writes into the run that it reads."""
        return shutil.copytree(ROOT / "reports/example/attention-h200", self.dir / "attention-h200")

    def test_the_sample_report_is_of_this_build(self):
        """Run reports/example/update.sh after a change to the page. Diagrams are ignored, because they depend on the
        version of Graphviz."""
        run = self.example()
        stored = (run / "report.html").read_text(encoding="utf-8")
        self.ok("report", "-q", run, "--json", "example.json")
        check_schema(self.dir / "example.json", "report.schema.json")
        made = (run / "report.html").read_text(encoding="utf-8")
        self.assertEqual(*(re.sub('<svg class="diagram".*?</svg>', "", page, flags=re.S).splitlines() for page in (made, stored)))

    def test_the_output_is_of_the_example(self):
        """The lines are from the output of the command below them, in its order."""
        printed = iter(self.ok("report", self.example(), env={"COLUMNS": "80"}).out.splitlines())
        shown = block("").splitlines()[1:]
        self.assertGreater(len(shown), 4)
        self.assertLessEqual(len(shown), 8)
        for line in shown:
            self.assertTrue(line == "..." or line in printed, line)

    def test_links_lead_somewhere(self):
        pages = [path.relative_to(ROOT) for folder in ("sdk", "reports", "host", "plugins", "ci", "tests") for path in (ROOT / folder).rglob("*.md")]
        for path in (Path("README.md"), *pages):
            text = (ROOT / path).read_text(encoding="utf-8")
            for target, _, section in re.findall(r"\]\(([^)#:\s]*)(#([^)]+))?\)", text):
                there = (ROOT / path).parent / target if target else ROOT / path
                self.assertTrue(there.exists(), (path, target))
                if section:
                    titles = re.findall(r"^#+ (.*)$", there.read_text(encoding="utf-8"), re.M)
                    anchors = [re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles]
                    self.assertIn(section, anchors, (path, target))

    def test_pandas_lines(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            if os.environ.get("GPUBENCH_NO_SKIP"):
                raise
            self.skipTest("pandas is not installed")
        self.ok("--plugin", "softmax.so", "--quick", "--device", "cpu", "-a", "m=64", "-a", "n=1k,4k")
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
