"""`gpubench new`: the plugin that it writes is built, tested and run as its author would, by the commands that it
prints."""

import ast
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from author import CC, ROOT
from run import BIN, FINE, GpubenchTest, main, plugin
from safety import SANITIZED

BUILD = Path(BIN).parents[1]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
SOURCES = {"c": "plugin.c", "cpp": "plugin.cpp", "rust": "src/lib.rs", "cuda": "plugin.cu"}
VECTOR = plugin("ok_vector")

# Examples of the SDK, and the options that write them.
EXAMPLES = {
    "cpp": ("--lang", "cpp"), "rust": ("--lang", "rust"), "cuda": ("--lang", "cuda"), "cuda-split": ("--lang", "cuda", "--split"),
    "matmul": ("--guest", "matmul"), "matmul-cpp": ("--guest", "matmul", "--lang", "cpp"),
    "matmul-rust": ("--guest", "matmul", "--lang", "rust"), "matmul-cuda": ("--guest", "matmul", "--lang", "cuda"),
    "attention": ("--guest", "attention/forward"), "attention-rust": ("--guest", "attention/forward", "--lang", "rust"),
    "attention-cuda": ("--guest", "attention/forward", "--lang", "cuda")}

SOFTMAX = """
  for (int64_t i = 0; i < m; i++) {
    float most = x[i * n], sum = 0;
    for (int64_t j = 0; j < n; j++) most = fmaxf(most, x[i * n + j]);
    for (int64_t j = 0; j < n; j++) sum += y[i * n + j] = expf(x[i * n + j] - most);
    for (int64_t j = 0; j < n; j++) y[i * n + j] /= sum;
  }
"""


def bundled(name):
    return unittest.skipIf(not (BUILD / f"lib/gpubench/plugins/{name}.so").exists(), f"{name} is not built here")


class Author(GpubenchTest):
    def shell(self, command, **environment):
        done = subprocess.run(command, shell=True, cwd=self.dir, env={**os.environ, **environment}, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout

    def new(self, *args, binary=BIN):
        """Runs `gpubench new`. Returns the commands that it prints."""
        done = subprocess.run([str(binary), "new", *args], cwd=self.dir, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()[1:]

    def follow(self, lang, name, *args, binary=BIN, folder=None):
        commands = self.new(name, "--lang", lang, *args, binary=binary)
        self.assertEqual(len(commands), 3)
        folder = self.dir / (folder or name)
        source = "plugin.c" if "--split" in args else SOURCES[lang]
        for file in (source, "CMakeLists.txt", "README.md"):
            text = (folder / file).read_text(encoding="utf-8")
            self.assertIn(name, text)
            self.assertNotRegex(text, r"(?i)\bmy(cpp|rust|cuda|split|matmul|attention)\b|\bmine\b(?!:)")
        steps = " ".join((folder / source).read_text().replace("//", "").replace("!", "").replace(" * ", " ").split())
        self.assertRegex(steps, r"make it yours: 1\. .*[;.] 2\. .*[;.] 3\. |To make your own: 1\. ")
        for command in commands[:2]:
            self.assertNotIn("warning", self.shell(command, CFLAGS="-Wall -Wextra", CXXFLAGS="-Wall -Wextra"))
        return folder, shlex.split(commands[2])[1:]


class New(Author):
    def check(self, lang, name, *args, variants, **kwargs):
        folder, plugin = self.follow(lang, name, *args, **kwargs)
        self.assertIn("100% tests passed", self.shell(f"ctest --test-dir '{folder}/build' --no-tests=error"))
        self.ok(*plugin, "--verify-only", "-a", "n=4096", "--out", f"out-{name}")
        rows = self.rows(self.dir / f"out-{name}")
        self.assertEqual({row["variant"] for row in rows}, variants)
        for row in rows:
            self.assertEqual((row["status"], row["plugin"]), ("ok", name))
            self.assertRegex(row["message"], FINE)

    def test_c_from_the_build_tree(self):
        self.check("c", "demo", variants={"loop", "threads"})

    def test_c_from_an_install_and_elsewhere(self):
        prefix = self.dir / "a prefix"
        self.shell(f"cmake --install '{BUILD}' --prefix '{prefix}'")
        self.check("c", "demo2", "--dir", "my demo", folder="my demo", binary=prefix / "bin/gpubench", variants={"loop", "threads"})

    def test_the_examples_are_what_it_writes(self):
        """test_examples.py builds and runs these. They are identical except for the name, and the path of the SDK's
        crate."""
        for example, args in EXAMPLES.items():
            with self.subTest(example):
                self.new("demo", "--dir", example, *args)
                made, theirs = self.dir / example, ROOT / "sdk/examples" / example
                (name,) = re.findall(r"(?m)^project\((\w+)", (theirs / "CMakeLists.txt").read_text())
                files = [[file.relative_to(folder) for file in sorted(folder.rglob("*")) if file.is_file()] for folder in (made, theirs)]
                self.assertEqual(*files)
                for file in files[0]:
                    text = re.sub(r'(gpubench = \{ path = )"(.*)"', r'\1"../../rust"', (made / file).read_text())
                    self.assertEqual(text, (theirs / file).read_text().replace(name, "demo"))
        (crate,) = re.findall(r'gpubench = { path = "(.*)" }', (self.dir / "rust/Cargo.toml").read_text())
        self.assertTrue(Path(crate, "gpubench.rs").is_file(), crate)

    def test_refusals(self):
        (self.dir / "there").mkdir()
        for args, code, message in (
                ([], 2, "new needs one name: gpubench new NAME, not 0"),
                (["a", "b"], 2, "new needs one name: gpubench new NAME, not 2"),
                (["there"], 2, "new: 'there' cannot be made: File exists; choose another --dir"),
                (["a", "--dir", "no/where"], 2, "new: 'no/where' cannot be made: No such file or directory"),
                (["No-name"], 2, "new 'No-name': a name has a-z, 0-9 and _, begins with a letter, and is at most 40 long"),
                (["a" * 41], 2, "at most 40 long"),
                (["../a"], 2, "new '../a': a name has"),
                (["test"], 2, "new 'test': a target of CMake is called so: choose another name"),
                (["gb_a"], 2, "new 'gb_a': what begins with gb_ is the SDK's: choose another name"),
                (["a", "--split"], 2, "new --split is for --lang cuda without --guest"),
                (["a", "--split", "--lang", "cuda", "--guest", "matmul"], 2, "new --split is for --lang cuda without --guest"),
                (["a", "--plugin", VECTOR], 2, "new --plugin says where the contract of --guest is: give that too"),
                (["a", "--lang", "go"], 2, "--lang 'go' is not one of c|cuda|cpp|rust|python"),
                (["a", "--quick"], 2, "--quick does not apply to 'new'")):
            done = subprocess.run([BIN, "new", *args], cwd=self.dir, text=True, capture_output=True)
            self.assertEqual(done.returncode, code, (args, done.stderr))
            self.assertIn(message, done.stderr)
        self.assertEqual(list((self.dir / "there").iterdir()), [])


def has_numpy():
    return importlib.util.find_spec("numpy") is not None or os.environ.get("GPUBENCH_NO_SKIP") == "1"


@bundled("softmax")
@unittest.skipIf(not has_numpy() or SANITIZED, "numpy is not here")
class Scripts(Author):
    """--lang python: a script and a README, without a build."""

    def follow(self, name, *args, folder=None):
        check, run = self.new(name, "--lang", "python", "--python", sys.executable, *args)
        folder = self.dir / (folder or name)
        self.assertEqual({file.name for file in folder.iterdir()}, {f"{name}.py", "README.md"})
        for file in folder.iterdir():
            self.assertIn(name, file.read_text() if file.suffix == ".md" else file.name)
            self.assertNotIn("mysoftmax", file.read_text())
        self.assertRegex((folder / f"{name}.py").read_text(), r"make it yours:\n1\. .*;\n2\. .*;\n3\. .*;\n4\. ")
        return folder / f"{name}.py", shlex.split(check)[1:], shlex.split(run)[1:]

    def table(self, command, *more):
        self.ok(*command, "--verify-only", *more, "--out", f"out-{len(list(self.dir.iterdir()))}")
        return {row["variant"]: row for row in self.rows(max(self.dir.glob("out-*"), key=os.path.getmtime))}

    def test_one_that_works(self):
        _, check, run = self.follow("demo", "--dir", "my demo", folder="my demo")
        self.assertRegex(self.ok(*check, "-a", "m=7", "-a", "n=33", "-a", "dtype=fp32").out,
                         r"my demo/demo\.py: \d+ passed, 0 failed, \d+ not applicable, 0 not checked")
        rows = self.table(run, "-a", "m=7", "-a", "n=33")
        for variant in ("in-place", "by-rows"):
            self.assertEqual((rows[variant]["status"], rows[variant]["provider"]), ("ok", "demo"), rows[variant])

    @bundled("activations")
    def test_one_that_is_to_be_written(self):
        source, _, run = self.follow("swish", "--guest", "swish")
        self.assertEqual(run[-6:-2], ["--bench", "activations/swish", "-a", "dtype=fp32"])
        row = self.table(run, "-a", "n=1000")["swish"]
        self.assertEqual((row["status"], row["message"]), ("skipped", "swish is not written yet"))
        text = source.read_text()
        text = re.sub(r"    raise .*step 2.*\n", "", text).replace("    pass  # step 1", "    import numpy\n    y[...] = x / (1 + numpy.exp(-x))  #")
        source.write_text(text)
        rows = self.table(run, "-a", "n=1000")
        self.assertEqual(rows["swish"]["status"], "ok", rows["swish"])
        self.table([word if word != "dtype=fp32" else "dtype=fp16" for word in run], "-a", "n=1000")

    def test_of_every_contract_there_is(self):
        """Each script is valid Python, whatever the names of its tensors and axes, and its parameters have names that
        exist."""
        contracts = json.loads(self.ok("list", "--contract", "*", "--json").out)["contracts"]
        for i, contract in enumerate(contracts):
            with self.subTest(contract["contract"]):
                self.new(f"g{i}", "--lang", "python", "--guest", contract["contract"], "--plugin", contract["path"])
                tree = ast.parse((self.dir / f"g{i}/g{i}.py").read_text())
                functions = {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}
                self.assertIn("run", functions)

    def test_names_that_python_has_for_itself(self):
        for word in ("class", "lambda", "def"):  # as the name of the plugin, which the script itself does not use
            check, _ = self.new(word, "--lang", "python", "--guest", "scale", "--plugin", VECTOR)
            ast.parse((self.dir / word / f"{word}.py").read_text())
            self.assertIn(VECTOR, check)

    def test_refusals(self):
        for args, message in ((["a", "--lang", "python", "--split"], "new --split is for --lang cuda"),
                              (["a", "--lang", "python", "--guest", "softmx/rows"], "nearest: softmax/rows"),
                              (["A", "--lang", "python"], "a name has a-z, 0-9 and _")):
            done = subprocess.run([BIN, "new", *args], cwd=self.dir, text=True, capture_output=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(message, done.stderr)


class Guests(Author):
    """Guests of contracts that the SDK has no example for: they report that they are not written yet."""

    def table(self, command, name, *args, status="ok"):
        """Runs the printed command. Returns the guest's row in the owner's table."""
        self.ok(*command, "--quick", "--ceilings", "off", *args, "--out", f"out-{name}")
        rows = self.rows(self.dir / f"out-{name}")
        (mine,) = [row for row in rows if row["provider"] == name]
        self.assertEqual(mine["status"], status, mine)
        self.assertTrue(any(row["provider"] != name and row["status"] == "ok" for row in rows))
        return mine

    @bundled("softmax")
    def test_one_that_is_to_be_written(self):
        folder, command = self.follow("c", "soft", "--guest", "softmax/rows")
        self.assertEqual(command[-4:], ["--bench", "softmax/rows", "-a", "dtype=fp32"])
        self.assertIn("100% tests passed", self.shell(f"ctest --test-dir {folder}/build --no-tests=error"))
        sizes = ("-a", "m=7", "-a", "n=33")
        self.assertEqual(self.table(command, "soft", *sizes, status="skipped")["message"], "soft is not written yet")
        source = folder / "plugin.c"
        text = source.read_text()
        text = text.replace("  /* step 1: write every element of every output */\n", SOFTMAX)
        text = text.replace('return gb_failf(&gb, c, GB_SKIP, "soft is not written yet"); /* step 2: return GB_OK; */', "return GB_OK;")
        source.write_text("#include <math.h>\n" + text)
        self.shell(f"cmake --build {folder}/build")
        shutil.rmtree(self.dir / "out-soft")
        mine = self.table(command, "soft", *sizes)
        self.assertRegex(mine["message"], FINE)

    @bundled("softmax")
    def test_rust_has_those_that_work_alone(self):
        done = subprocess.run([BIN, "new", "soft", "--lang", "rust", "--guest", "softmax/rows"], cwd=self.dir, text=True, capture_output=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("new --guest softmax/rows: in rust there are guests of matmul/gemm and attention/forward alone; "
                      "--lang c, cuda, cpp or python", done.stderr)
        self.assertFalse((self.dir / "soft").exists())

    def test_of_another_plugin_by_its_path(self):
        folder, command = self.follow("c", "vec", "--guest", "scale", "--plugin", VECTOR)
        self.assertEqual(command[:2], [VECTOR, "./vec/build/vec.so"])
        self.assertIn(f'"{VECTOR}"', (folder / "CMakeLists.txt").read_text())
        self.assertIn("100% tests passed", self.shell(f"ctest --test-dir {folder}/build --no-tests=error"))

    def test_refusals_of_contracts(self):
        (self.dir / "a b").mkdir()
        spaced = str(shutil.copy(VECTOR, self.dir / "a b"))
        for args, message in (
                (["--guest", "scael"], r"new --guest 'scael' is no contract here; there are \w+/\w+, "),
                (["--guest", "vector/scael"], r"'vector/scael' is no contract here; nearest: vector/scale; there is vector/scale$"),
                (["--guest", "scale", "--plugin", "no-such.so"], r"no-such"),
                (["--guest", ""], r"--guest needs CONTRACT; it is empty"),
                (["--guest", "*"], r"new --guest '\*' is no contract here"),
                (["--guest", "scale", "--plugin", spaced], r"the plugin's path '.*a b/ok_vector.so' has more than letters")):
            plugins = [] if "--plugin" in args or args[1] == "scael" else ["--plugin", VECTOR]
            done = subprocess.run([BIN, "new", "a", *args, *plugins], cwd=self.dir, text=True, capture_output=True)
            self.assertEqual(done.returncode, 2, (args, done.stderr))
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
            self.assertRegex(done.stderr.strip(), message)
            self.assertFalse((self.dir / "a").exists())


class Every(Author):
    """All contracts, and kernels: minutes of compilers, so a test of `ci/test.sh --extra`."""

    @unittest.skipIf(NVCC is None, "no nvcc")
    def test_cuda_is_built_and_listed(self):
        os.environ.setdefault("CUDACXX", NVCC)
        os.environ.setdefault("CUDAARCHS", "90")
        for name, contract in (("softmax", "softmax/masked"), ("data_pipeline", "data_pipeline/pipeline")):
            if not (BUILD / f"lib/gpubench/plugins/{name}.so").exists():
                continue
            _, command = self.follow("cuda", f"on_{name}", "--guest", contract)
            self.assertIn("--device cuda", " ".join(command))
            self.assertIn(f"on_{name}", self.ok("list", *command[:2]).out)

    def test_of_every_contract_there_is(self):
        """Each compiles in C and in C++, without any of the strictest warnings."""
        contracts = json.loads(self.ok("list", "--contract", "*", "--json").out)["contracts"]
        self.assertGreaterEqual(len(contracts), 8)
        strict = "-Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only"
        for i, contract in enumerate(contracts):
            for lang, compiler in (("c", f"{CC} -std=c11"), ("cpp", "c++ -std=c++11 -Wold-style-cast")):
                with self.subTest(contract["contract"], lang=lang):
                    name = f"g{i}_{lang}"
                    self.new(name, "--lang", lang, "--guest", contract["contract"], "--plugin", contract["path"])
                    self.shell(f"{compiler} {strict} -Wno-unknown-pragmas -I'{ROOT}/sdk/include' {name}/{SOURCES[lang]}")


if __name__ == "__main__":
    main()
