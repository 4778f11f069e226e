"""The SDK's examples as a third party gets them: from an install, by find_package, without this source tree. Each is
built without a warning, verified by its own ctest, and tested further here."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from author import ROOT
from run import BIN, FINE, NO_CHANGE, GpubenchTest, main

BUILD = Path(BIN).resolve().parents[1]
EXAMPLES = ROOT / "sdk/examples"
NVCC = os.environ.get("CUDACXX") or shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
GPU = Path("/dev/nvidiactl").exists()
ON_GPUS = ("attention-cuda", "cuda", "cuda-split", "devices", "matmul-cuda")
ELSEWHERE = ("attention", "attention-rust", "axpy-python", "cpp", "matmul", "matmul-cpp", "matmul-rust", "rows", "rust", "softmax-python", "stateful")
BY_TRITON = ("softmax-triton",)
# Stands in for Triton: the interface that aot.py uses, and a dummy image.
TRITON = """
__version__ = "3.3.0"
class constexpr: pass
class GPUTarget:
    def __init__(self, backend, arch, warp_size): assert (backend, warp_size) == ("cuda", 32) and arch == 90
class ASTSource:
    def __init__(self, fn, signature, constexprs, attrs): self.named = list(signature) == list(fn.__code__.co_varnames[:len(signature)])
class Metadata: name, shared = "softmax_rows", 64
class Compiled: metadata, asm = Metadata, {"cubin": b"none"}
def jit(fn): return fn
def compile(source, target, options):
    assert source.named and options["num_warps"] in (4, 8, 16)
    return Compiled
"""


def bundled(name):
    return (BUILD / "lib/gpubench/plugins" / f"{name}.so").exists()


def needs(condition, what):
    """Skips a test if something is missing, except in CI, which installs everything: there the test fails."""
    return unittest.skipIf(not condition and not os.environ.get("GPUBENCH_NO_SKIP"), f"{what} is not here")


class Installed(GpubenchTest):
    @classmethod
    def setUpClass(cls):
        cls.prefix = Path(tempfile.mkdtemp(prefix="gpubench-examples-")) / "a prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.prefix.parent)

    def shell(self, *command, **more):
        environment = {**os.environ, **more, "CXXFLAGS": "-Wall -Wextra", "CFLAGS": "-Wall -Wextra -Wpedantic"}
        environment.setdefault("CUDAARCHS", "90")
        if NVCC:
            environment.setdefault("CUDACXX", NVCC)
        done = subprocess.run([str(word) for word in command], env=environment, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertNotRegex(done.stdout, r"(?i)\bwarning\b")
        return done.stdout

    def take_over_compilers(self, build):
        """Reuses what CMake found out about the compilers in the first example: for CUDA that takes 4 s."""
        if (self.prefix.parent / "compilers").exists():
            shutil.copytree(self.prefix.parent / "compilers", build / "CMakeFiles")
            (build / "CMakeCache.txt").write_text("CMAKE_PLATFORM_INFO_INITIALIZED:INTERNAL=1\nCMAKE_CUDA_ARCHITECTURES:STRING=90\n")

    def build(self, name):
        source, build = self.prefix / "share/gpubench/examples" / name, self.dir / f"build-{name}"
        self.take_over_compilers(build)
        self.shell("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        # Named by CMake's version: its findings about the compilers.
        for folder in (build / "CMakeFiles").glob("[0-9]*"):
            shutil.copytree(folder, self.prefix.parent / "compilers" / folder.name, dirs_exist_ok=True)
        self.shell("cmake", "--build", build)
        (made,) = build.glob("my*.so")
        return build, made

    def own_test(self, build, skipped=False):
        said = self.shell("ctest", "--test-dir", build, "--no-tests=error", "--output-on-failure")
        self.assertIn("100% tests passed", said)
        self.assertEqual("Skipped" in said, skipped, said)


class Examples(Installed):
    def verified(self, made, *args, variants, provider=None):
        self.ok(made, "--verify-only", "--out", "o", *args)
        rows = [row for row in self.rows(self.dir / "o") if row["provider"] == (provider or Path(made).stem)]
        self.assertEqual({row["variant"] for row in rows}, variants)
        for row in rows:
            self.assertEqual(row["status"], "ok", row)
            self.assertRegex(row["message"], FINE)

    def test_all_are_tried_here(self):
        self.assertEqual(sorted(folder.name for folder in EXAMPLES.iterdir()), sorted(ON_GPUS + ELSEWHERE + BY_TRITON))
        for folder in EXAMPLES.iterdir():
            self.assertTrue((folder / "README.md").is_file() and (folder / "CMakeLists.txt").is_file(), folder)
            self.assertRegex((folder / "CMakeLists.txt").read_text(), r"add_test\(NAME \w+/check COMMAND \S+ check ", folder)

    def test_in_sixty_lines(self):
        for name in ("template/plugin.c", "examples/matmul/plugin.c", "examples/attention/plugin.c"):
            self.assertLessEqual(len((ROOT / "sdk" / name).read_text().splitlines()), 60, name)

    def test_guests_attach_to_what_there_is(self):
        offered = {c["contract"] for c in json.loads(self.ok("list", "--contract", "*", "--json").out)["contracts"]}
        guests = 0
        for source in [*EXAMPLES.glob("*/plugin.*"), *EXAMPLES.glob("*/src/lib.rs")]:
            for contract in re.findall(r'\((?:host, registry, )?"(gpubench[^"]+)', source.read_text()):
                guests += 1
                if bundled(contract.split("/")[1]):
                    self.assertIn(contract, offered, source)
        self.assertEqual(guests, 8)

    def guest(self, name, owner, variant, *args):
        """Runs a guest in the owner's table, in one run."""
        if not bundled(owner):
            self.skipTest(f"{owner} is not built here")
        build, made = self.build(name)
        self.own_test(build)
        result = self.ok(owner, made, "--quick", "--ceilings", "off", *args)
        row = self.by_variant()[variant]
        self.assertEqual((row["plugin"], row["provider"], row["status"]), (owner, made.stem, "ok"), row)
        self.assertIn(row["verdict"], {"faster", "slower", *NO_CHANGE})
        self.assertLessEqual(self.number(row, "verify_error"), self.number(row, "verify_tolerance"))
        self.assertIn(variant, result.out)

    def test_matmul(self):
        self.guest("matmul", "matmul", "lanes", "-a", "m=192", "-a", "n=130", "-a", "k=77", "-a", "dtype=fp32", "--baseline", "naive")

    def test_attention(self):
        self.guest("attention", "attention", "online", "--bench", "forward", "-a", "s=70", "-a", "h=2", "-a", "h_kv=1", "-a", "d=64", "-a", "causal=yes")

    @needs(shutil.which("c++"), "a C++ compiler")
    def test_matmul_cpp(self):
        self.guest("matmul-cpp", "matmul", "rows", "-a", "m=33", "-a", "n=130", "-a", "k=77", "-a", "dtype=fp32", "--baseline", "naive")

    @needs(shutil.which("rustc"), "rustc")
    def test_matmul_rust(self):
        self.guest("matmul-rust", "matmul", "lanes", "-a", "m=33", "-a", "n=131", "-a", "k=77", "-a", "dtype=fp32", "--baseline", "naive")

    @needs(shutil.which("cargo"), "cargo")
    def test_rust_by_cargo(self):
        target = self.dir / "target"
        self.shell("cargo", "build", "--release", "--offline", "--quiet", "--target-dir", target,
                   "--manifest-path", self.prefix / "share/gpubench/examples/rust/Cargo.toml")
        made = (target / "release/libmyrust.so").rename(self.dir / "myrust.so")
        self.verified(made, "-a", "n=4096", variants={"indices", "iterators"})

    @needs(shutil.which("rustc"), "rustc")
    def test_attention_rust(self):
        self.guest("attention-rust", "attention", "online", "--bench", "forward", "-a", "s=70", "-a", "h=2", "-a", "h_kv=1", "-a", "d=64", "-a", "causal=yes")

    @needs(shutil.which("c++"), "a C++ compiler")
    def test_cpp(self):
        build, made = self.build("cpp")
        self.own_test(build)
        self.verified(made, "-a", "n=4096,4099", "-a", "dtype=fp32,fp64", variants={"loop", "tiled"})

    @needs(shutil.which("rustc"), "rustc")
    def test_rust(self):
        build, made = self.build("rust")
        self.own_test(build)
        self.assertNotIn("Building", self.shell("cmake", "--build", build))
        (self.prefix / "share/gpubench/rust/gpubench.rs").touch()
        self.assertIn("Building", self.shell("cmake", "--build", build))
        self.verified(made, "-a", "n=4096", variants={"indices", "iterators"})

    @needs(importlib.util.find_spec("numpy"), "numpy")
    def test_softmax_python(self):
        source, build = self.prefix / "share/gpubench/examples/softmax-python", self.dir / "build"
        self.shell("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DPython3_EXECUTABLE={sys.executable}")
        self.own_test(build)
        script = source / "mysoftmax.py"
        self.verified("softmax", script, "--python", sys.executable, "--bench", "softmax/rows", "-a", "m=3", "-a", "n=1001", "-a",
                      "dtype=fp32,fp16", variants={"in-place", "by-rows"}, provider="mysoftmax")

    @needs(importlib.util.find_spec("numpy"), "numpy")
    def test_axpy_python(self):
        source, build = self.prefix / "share/gpubench/examples/axpy-python", self.dir / "build"
        self.shell("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DPython3_EXECUTABLE={sys.executable}")
        self.own_test(build)
        self.verified(source / "myaxpy.py", "--python", sys.executable, "-a", "n=1001", "-a", "dtype=fp32,fp64", variants={"plain", "in_place"})

    def test_rows(self):
        build, made = self.build("rows")
        self.own_test(build)
        self.verified(made, "-a", "m=1,1500", "-a", "n=16,33", "-a", "dtype=fp32,fp64", variants={"lanes-1", "lanes-4", "lanes-16", "read"})

    def test_a_sampled_reference_finds_slips(self):
        """Errors in the last row, and in a row that the sample may not contain: larger than the bench's own check
        allows."""
        text = (EXAMPLES / "rows/plugin.c").read_text()
        for name, changed, said in (("last", text.replace("double sum = 0;\n    for (int64_t l", "double sum = i == m - 1;\n    for (int64_t l"), "error"),
                                    ("wild", text.replace("double sum = 0;\n    for (int64_t l", "double sum = i == 1 ? 1e30 : 0;\n    for (int64_t l"), "1e\\+30|row 1 ")):
            self.assertNotEqual(text, changed)
            source, made = self.dir / f"{name}.c", self.dir / f"{name}.so"
            source.write_text(changed)
            self.shell("cc", "-std=c11", "-O1", "-fPIC", "-shared", f"-I{ROOT}/sdk/include", source, "-o", made, "-lm")
            result = self.gpubench(made, "-a", "m=90000", "-a", "n=16", "-a", "dtype=fp32", "--verify-only", "--variant", "lanes-1", "--out", name)
            self.assertEqual(result.exit, 3, result)
            row = self.by_variant(self.dir / name)["lanes-1"]
            self.assertEqual(row["status"], "wrong")
            self.assertRegex(row["message"], said)

    def test_stateful(self):
        build, made = self.build("stateful")
        self.own_test(build)
        self.ok(made, "-a", "n=3,1000", "--mode", "cold,hot", "--quick", "--ceilings", "off")
        rows = [row for row in self.rows() if row["bench"] == "mystate/heat"]
        self.assertEqual({(row["variant"], row["mode"], row["status"]) for row in rows},
                         {(v, m, "ok") for v in ("carried", "buffered") for m in ("cold", "hot")})

    def test_a_stateful_step_too_many_is_found(self):
        """`reference` and `verify` of the example must reject another step."""
        text = (EXAMPLES / "stateful/plugin.c").read_text()
        for name, changed, said in (("wrong", text.replace("u[last] = old[last] +", "u[last] = old[last] -"), "u"),
                                    ("hotter", text.replace("u[0] = old[0] +", "u[0] = 101 + old[0] +"), "u")):
            self.assertNotEqual(text, changed)
            source, made = self.dir / f"{name}.c", self.dir / f"{name}.so"
            source.write_text(changed)
            self.shell("cc", "-std=c11", "-O1", "-fPIC", "-shared", f"-I{ROOT}/sdk/include", source, "-o", made, "-lm")
            result = self.gpubench(made, "-a", "n=8", "--verify-only", "--out", name)
            self.assertEqual(result.exit, 3, result)
            rows = self.by_variant(self.dir / name)
            self.assertEqual((rows["buffered"]["status"], rows["carried"]["status"]), ("wrong", "ok"))
            self.assertIn(said, rows["buffered"]["message"])


@unittest.skipIf(NVCC is None, "no nvcc")
class OnGpus(Installed):
    """The examples are built and listed if there is no GPU, and their own tests are skipped."""

    def check(self, name, *variants, also=()):
        build, made = self.build(name)
        self.own_test(build, skipped=not GPU)
        listed = self.ok("list", *also, made).out
        for variant in variants:
            self.assertRegex(listed, rf"variant +{variant}\b")

    def test_they_look_for_cuda_alike(self):
        heads = {(EXAMPLES / name / "CMakeLists.txt").read_text().split("cmake_minimum_required")[1].split("project(")[0]
                 for name in ON_GPUS}
        self.assertEqual(len(heads), 1)

    @unittest.skipIf(not Path("/usr/local/cuda/bin/nvcc").exists(), "no nvcc in the usual place")
    def test_the_usual_place_after_what_is_named(self):
        """The PATH has no nvcc, or one that does not work."""
        here = {key: value for key, value in os.environ.items() if key not in ("CUDACXX", "CMAKE_PREFIX_PATH")}
        other = self.dir / "nvcc"
        other.write_text("#!/bin/sh\nexit 1\n")
        other.chmod(0o755)
        for path, found in (("/usr/bin:/bin", "/usr/local/cuda/bin/nvcc"), (f"{self.dir}:/usr/bin:/bin", str(other))):
            build = self.dir / f"build-{len(path)}"
            done = subprocess.run([shutil.which("cmake"), "-S", EXAMPLES / "cuda", "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                                  env={**here, "PATH": path}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual(done.returncode == 0, "local/cuda" in found, done.stdout)
            self.assertIn(f"nvcc:FILEPATH={found}", (build / "CMakeCache.txt").read_text())

    def test_cuda(self):
        self.check("cuda", "plain", "vector")

    def test_cuda_split(self):
        self.check("cuda-split", "plain", "vector")

    def test_devices(self):
        self.check("devices", "shared")

    def test_softmax_triton(self):
        """Builds with the stand-in for Triton, which needs no GPU; tests/gpu/python.sh uses the real one."""
        for module in ("triton/__init__.py", "triton/language.py", "triton/compiler.py", "triton/backends/__init__.py", "triton/backends/compiler.py"):
            (self.dir / "fake" / module).parent.mkdir(parents=True, exist_ok=True)
            (self.dir / "fake" / module).write_text(TRITON)
        source, build = self.prefix / "share/gpubench/examples/softmax-triton", self.dir / "build"
        python = {"PYTHONPATH": str(self.dir / "fake")}
        self.shell("cmake", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCUDAToolkit_ROOT={Path(NVCC).parents[1]}",
                   f"-DPython3_EXECUTABLE={sys.executable}", **python)
        self.shell("cmake", "--build", build, **python)
        listed = self.ok("list", "softmax", build / "mytriton.so", source / "mytriton_jit.py", "--python", sys.executable).out
        for variant in ("triton-aot", "triton-jit"):
            self.assertRegex(listed, rf"variant +{variant}\b")
        self.assertEqual((build / "images.h").read_text().count("{110,111,110,101}"), 15)
        (self.dir / "fake/triton/__init__.py").write_text(TRITON.replace("3.3.0", "3.2.9"))
        done = subprocess.run(["cmake", "-S", source, "-B", build], env={**os.environ, **python}, text=True, capture_output=True)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("has Triton '3.2.9', 3.3 or later is", " ".join(done.stderr.split()))  # CMake wraps the message

    @unittest.skipIf(not bundled("matmul"), "matmul is not built here")
    def test_matmul_cuda(self):
        self.check("matmul-cuda", "tiles", also=["matmul"])

    @unittest.skipIf(not bundled("attention"), "attention is not built here")
    def test_attention_cuda(self):
        self.check("attention-cuda", "warp", also=["attention"])


if __name__ == "__main__":
    main()
