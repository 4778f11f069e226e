"""`gpubench new`: what it writes is built, tested and run as its author would, by the commands that it prints."""

import os
import shlex
import shutil
import subprocess
import unittest
from pathlib import Path

from run import BIN, FINE, GpubenchTest, main

BUILD = Path(BIN).parents[1]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
LANGUAGES = {"c": ("plugin.c", "loop", "threads"), "cpp": ("plugin.cpp", "loop", "tiled"),
             "rust": ("src/lib.rs", "indices", "iterators"), "cuda": ("plugin.cu", "plain", "vector")}


class New(GpubenchTest):
    def shell(self, command, **environment):
        done = subprocess.run(command, shell=True, cwd=self.dir, env={**os.environ, **environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def new(self, *args, binary=BIN):
        """The three commands that it prints."""
        done = subprocess.run([str(binary), "new", *args], cwd=self.dir, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[1:]

    def follow(self, lang, name, *args, binary=BIN):
        commands = self.new(name, "--lang", lang, *args, binary=binary)
        self.assertEqual(len(commands), 3)
        folder = self.dir / (args[-1] if args else name)
        source, baseline, other = LANGUAGES[lang]
        for file in (source, "CMakeLists.txt", "README.md"):
            text = (folder / file).read_text(encoding="utf-8")
            self.assertIn(name, text + name * (file == source))
            self.assertNotRegex(text, r"(?i)\bmy(cpp|rust|cuda)\b|\bmine\b(?!:)")
        self.assertIn("1. name the problem", " ".join((folder / source).read_text().replace("//!", "").split()))
        for command in commands[:2]:
            self.assertNotIn("warning", self.shell(command))
        return folder, shlex.split(commands[2])[1:], {baseline, other}

    def check(self, lang, name, *args, **kwargs):
        folder, plugin, variants = self.follow(lang, name, *args, **kwargs)
        self.assertIn("100% tests passed", self.shell(f"ctest --test-dir '{folder}/build' --no-tests=error"))
        self.ok(*plugin, "--verify-only", "-a", "n=4096", "--out", f"out-{name}")
        rows = self.rows(self.dir / f"out-{name}")
        self.assertEqual({row["variant"] for row in rows}, variants)
        for row in rows:
            self.assertEqual((row["status"], row["plugin"]), ("ok", name))
            self.assertRegex(row["message"], FINE)

    def test_c_from_the_build_tree(self):
        self.check("c", "demo")

    def test_c_from_an_install_and_elsewhere(self):
        prefix = self.dir / "a prefix"
        self.shell(f"cmake --install '{BUILD}' --prefix '{prefix}'")
        self.check("c", "demo2", "--dir", "my demo", binary=prefix / "bin/gpubench")

    @unittest.skipIf(shutil.which("c++") is None, "no C++ compiler")
    def test_cpp(self):
        self.check("cpp", "demo_cpp")

    @unittest.skipIf(shutil.which("rustc") is None, "no rustc")
    def test_rust(self):
        self.check("rust", "demo_rust")

    @unittest.skipIf(NVCC is None, "no nvcc")
    def test_cuda_is_built_and_listed(self):
        os.environ.setdefault("CUDACXX", NVCC)
        _, plugin, variants = self.follow("cuda", "demo_cuda")
        listed = self.ok("list", *plugin).out
        for variant in variants:
            self.assertIn(f"variant  {variant}", listed)

    def test_refusals(self):
        (self.dir / "there").mkdir()
        for args, code, message in (
                ([], 2, "new needs one name: gpubench new NAME, not 0"),
                (["a", "b"], 2, "new needs one name: gpubench new NAME, not 2"),
                (["there"], 2, "new: 'there' cannot be made: File exists; choose another --dir"),
                (["a", "--dir", "no/where"], 3, "new: 'no/where' cannot be made: No such file or directory"),
                (["No-name"], 2, "new 'No-name': a name has a-z, 0-9 and _, begins with a letter, and is at most 40 long"),
                (["a" * 41], 2, "at most 40 long"),
                (["../a"], 2, "new '../a': a name has"),
                (["a", "--lang", "go"], 2, "--lang 'go' is not one of c|cuda|cpp|rust"),
                (["a", "--quick"], 2, "--quick does not apply to 'new'")):
            done = subprocess.run([BIN, "new", *args], cwd=self.dir, text=True, capture_output=True)
            self.assertEqual(done.returncode, code, (args, done.stderr))
            self.assertIn(message, done.stderr)
        self.assertEqual(list((self.dir / "there").iterdir()), [])


if __name__ == "__main__":
    main()
