"""The author's guide agrees with the SDK: each block of code is in the file that it names, or is run, line by line,
from an install, in an empty folder; names of slots, flags and options in the text exist."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from author import ROOT, RUSTC, compile_plugin, compile_rust
from run import BIN, GpubenchTest, main

BUILD = Path(BIN).resolve().parents[1]
SDK = ROOT / "sdk"
GUIDE = (SDK / "README.md").read_text(encoding="utf-8")


def marked():
    """Returns (text of the comment before it, language, text) of each block."""
    return re.findall(r"(?ms)^<!-- (\S+) -->\n```(\w+)\n(.*?)^```$", GUIDE)


class Guide(GpubenchTest):
    def test_each_block_says_what_it_is(self):
        self.assertEqual(len(marked()), GUIDE.count("\n```") // 2)
        self.assertGreaterEqual(len(marked()), 12)
        self.assertEqual({language for what, language, _ in marked() if what == "run"}, {"sh"})

    def test_code_stands_in_the_file_that_it_names(self):
        for what, _, text in marked():
            if what != "run":
                self.assertIn(text, (SDK / what).read_text(encoding="utf-8"), what)

    def test_the_template_is_whole(self):
        (shown,) = [text for what, _, text in marked() if what == "template/plugin.c"]
        self.assertEqual(shown, (SDK / "template/plugin.c").read_text(encoding="utf-8"))

    @unittest.skipIf(not (BUILD / "lib/gpubench/plugins/matmul.so").exists(), "matmul is not built here")
    def test_commands_run(self):
        with tempfile.TemporaryDirectory(prefix="gpubench-guide-") as folder:
            prefix = Path(folder) / "prefix"
            subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix], check=True, capture_output=True)
            environment = {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}", "CMAKE_PREFIX_PATH": str(prefix),
                           "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
            commands = [text for what, _, text in marked() if what == "run" and (RUSTC or "rust" not in text)]
            self.assertGreaterEqual(len(commands), 4)
            for text in commands:
                there = set(self.dir.iterdir())
                for _ in range(5):
                    for made in set(self.dir.iterdir()) - there:
                        shutil.rmtree(made) if made.is_dir() else made.unlink()  # made by the previous attempt
                    done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.dir, env=environment, text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                    # The few seconds of --quick were too short on a busy machine.
                    if done.returncode != 3 or "not run" not in done.stdout:
                        break
                # With a tenth of a processor even the fourfold time of a busy machine may not do: rows then say so.
                starved = done.returncode == 3 and re.search(r"(?m)^busy .*: times 4 in the plan$", done.stdout)
                self.assertTrue(done.returncode == 0 or starved, text + done.stdout)
                self.assertNotRegex(done.stdout, "(?i)warning")
            for target in re.findall(r"\]\(([^)#:\s]+)\)", GUIDE):
                self.assertTrue((prefix / "share/gpubench" / target).exists(), target)

    def test_the_first_fault_reads_as_it_says(self):
        text = (SDK / "template/plugin.c").read_text()
        changed = text.replace("z[i] = 2 * x[i]", "z[i] = 3 * x[i]")
        self.assertNotEqual(text, changed)
        made = compile_plugin(self, "demo", re.sub("#pragma omp .*\n", "(void)self;\n", changed))
        result = self.gpubench(made, "-a", "n=4k", "--verify-only")
        self.assertEqual(result.exit, 3)
        said = re.search(r"`wrong: ('z': error) ([\d.e-]+), (tolerance) ([\d.e-]+) \.\.\.`", GUIDE)
        self.assertRegex(result.err + result.out, rf"{said[1]} 4\.\d+e-01, {said[3]} {re.escape(said[4])}")

    @unittest.skipIf(RUSTC is None, "no rustc")
    def test_a_panic_reads_as_it_says(self):
        text = (SDK / "examples/rust/src/lib.rs").read_text()
        source = self.dir / "rusty/src/lib.rs"
        source.parent.mkdir(parents=True)
        source.write_text(text.replace("in 0..z.len()", "in 0..=z.len()"))
        self.assertNotEqual(text, source.read_text())
        result = self.gpubench(compile_rust(self, "rusty", source), "-a", "n=4k", "--verify-only")
        self.assertEqual(result.exit, 3)
        (said,) = re.findall(r"`panicked at (rusty/.*?)`", GUIDE)
        self.assertIn(f"panicked at {self.dir}/{said}", result.err + result.out)

    def test_names_exist(self):
        headers = "".join(path.read_text() for path in (SDK / "include").rglob("*.h"))
        helps = "".join(self.ok(command, "--help").out for command in ("run", "list", "report", "compare", "new", "check"))
        for name in set(re.findall(r"\b(?:GB|gb)_\w+", GUIDE)):
            self.assertIn(name, headers)
        for slot in set(re.findall(r"\bgb\.(\w+)->(\w+)", GUIDE)):
            self.assertRegex(headers, rf"\(\*{slot[1]}\)", slot)
        foreign = {"--resource-usage", "--args", "--profile-from-start", "--test-dir", "--release",
                   # Options of nvcc, gdb, ncu, ctest, cargo, cmake, ci.
                   "--install", "--prefix", "--strip", "--component", "--cuda"}
        for option in set(re.findall(r"(?<![\w-])--[a-z][\w-]+", re.sub(r"(?ms)^```.*?^```", "", GUIDE))) - foreign:
            self.assertIn(option, helps)
        for example in SDK.glob("examples/*"):
            self.assertIn(f"(examples/{example.name})", GUIDE)

    @unittest.skipIf(shutil.which("xmllint") is None, "no xmllint")
    def test_the_picture_names_each_callback(self):
        subprocess.run(["xmllint", "--noout", SDK / "calls.svg"], check=True)
        shown = set(re.findall(r"\w+", " ".join(re.findall(r"<text[^>]*>([^<]*)<", (SDK / "calls.svg").read_text()))))
        header = (SDK / "include/gpubench/gpubench.h").read_text()
        callbacks = re.findall(r"(?:gb_status|void) \(\*(\w+)\)\((?:const gb_bench|const gb_variant)", header)
        self.assertGreater(len(callbacks), 10)
        self.assertEqual(set(callbacks) - shown, set())


if __name__ == "__main__":
    main()
