#!/usr/bin/env python3
"""tests/build/cuda.py: which CUDA a build takes (host/cuda.cmake), with compilers that pretend to be nvcc. A machine is a
folder: usr/local/cuda with its nvcc, others beside it. Needs no toolkit and no GPU."""

import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = """#include <cstddef>
enum cudaError_t { cudaSuccess };
struct cudaDeviceProp { int major, minor; };
static inline cudaError_t cudaGetDeviceCount(int *count) { return *count = 0, cudaSuccess; }
static inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int) { return cudaSuccess; }
"""


class Cuda(unittest.TestCase):
    def setUp(self):
        self.machine = Path(tempfile.mkdtemp(prefix="gpubench-cuda-"))
        self.addCleanup(shutil.rmtree, self.machine)
        (self.machine / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.22)
project(pretend LANGUAGES C)
set(CMAKE_FIND_ROOT_PATH {self.machine}) # nothing of the machine that this runs on
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM ONLY)
set(GPUBENCH_CUDA AUTO CACHE STRING "")
include({ROOT}/host/cuda.cmake)
message(STATUS "outcome: ${{GPUBENCH_CUDA}} ${{CMAKE_CUDA_COMPILER}} ${{CMAKE_CUDA_ARCHITECTURES}}")
""")

    def nvcc(self, place, version, refuses=""):
        root = self.machine / place
        for folder in ("bin", "include", "lib64", "nvvm/libdevice"):
            (root / folder).mkdir(parents=True)
        (root / "version").write_text(version)
        (root / "refuses").write_text(refuses)
        (root / "include/cuda_runtime.h").write_text(RUNTIME)
        major, minor = version.split(".")
        (root / "include/cuda.h").write_text(f"#define CUDA_VERSION {int(major) * 1000 + int(minor) * 10}\n")
        for name in ("libcudart.so", "libcudart_static.a", "libcudadevrt.a"):
            (root / "lib64" / name).write_bytes(b"!<arch>\n" if name.endswith(".a") else b"")
        shutil.copy(ROOT / "tests/build/pretend_nvcc.sh", root / "bin/nvcc")
        return root / "bin/nvcc"

    def configure(self, *options, path=(), **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA")}
        environment["PATH"] = os.pathsep.join([*(str(nvcc.parent) for nvcc in path), "/usr/bin:/bin"])
        done = subprocess.run([shutil.which("cmake"), "-S", self.machine, "-B", self.machine / "build", *options],
                              env={**environment, **variables}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = [line for line in done.stdout.splitlines() if line.startswith("-- gpubench: ")]
        outcome = [line.split()[2:] for line in done.stdout.splitlines() if line.startswith("-- outcome: ")]
        return done.returncode, said, outcome[0] if outcome else None, done.stdout

    def takes(self, nvcc, architectures, *options, **where):
        code, said, outcome, text = self.configure(*options, **where)
        self.assertEqual(code, 0, text)
        self.assertEqual(outcome, ["ON", str(nvcc), architectures], text)
        self.assertEqual(len(said), 1, text)
        self.assertIn(f"{nvcc} for {architectures}", said[0])

    def does_without(self, reason, **where):
        """One line, and again the next time."""
        for _ in range(2):
            code, said, outcome, text = self.configure(**where)
            self.assertEqual((code, outcome[0]), (0, "OFF"), text)
            self.assertEqual(len(said), 1, text)
            self.assertRegex(said[0], reason)

    def refuses(self, reason, *options, **where):
        code, _, outcome, text = self.configure(*options, **where)
        self.assertNotEqual(code, 0, text)
        self.assertIsNone(outcome)
        self.assertRegex(" ".join(text.split()), reason)

    def test_the_usual_place(self):
        self.takes(self.nvcc("usr/local/cuda", "13.0"), "90a-real")

    def test_one_on_the_path_comes_first(self):
        self.nvcc("usr/local/cuda", "13.0")
        mine, other = self.nvcc("mine", "12.8"), self.nvcc("other", "12.4")
        self.takes(mine, "90a-real", path=[mine, other])
        self.takes(mine, "90a-real", path=[other])  # a build folder keeps its compiler

    def test_named_ones_come_before_that(self):
        path = [self.nvcc("mine", "12.8")]
        named = self.nvcc("named", "12.6")
        self.takes(named, "90a-real", path=path, CUDACXX=str(named))
        shutil.rmtree(self.machine / "build")
        self.takes(named, "90a-real", f"-DCMAKE_CUDA_COMPILER={named}", path=path)

    def test_architectures(self):
        nvcc = self.nvcc("usr/local/cuda", "12.8", refuses="90a")
        self.takes(nvcc, "89", CUDAARCHS="89")
        shutil.rmtree(self.machine / "build")
        self.takes(nvcc, "80;86", "-DCMAKE_CUDA_ARCHITECTURES=80;86", CUDAARCHS="89")

    def test_one_that_cannot_build(self):
        nvcc = self.nvcc("usr/local/cuda", "11.5", refuses="90a")
        self.does_without(f"CUDA OFF: {nvcc} for 90a-real cannot build: see .*/CMakeError.log")
        self.refuses("compute_90a|not able to compile", "-DGPUBENCH_CUDA=ON")
        shutil.rmtree(self.machine / "build")
        self.refuses("compute_90a|not able to compile", CUDACXX=str(nvcc))

    def test_one_that_is_too_old(self):
        nvcc = self.nvcc("usr/local/cuda", "11.8")
        self.does_without(f"CUDA OFF: {nvcc} is 11.8[^ ]*: 12.0 is the oldest", CUDAARCHS="80")
        self.refuses(f"CUDA was asked for, and {nvcc} is 11.8", "-DGPUBENCH_CUDA=ON", CUDAARCHS="80")

    def test_none(self):
        self.does_without("CUDA OFF: no nvcc is on the PATH")
        self.refuses("CUDA was asked for, and no nvcc", "-DGPUBENCH_CUDA=ON")

    def test_off(self):
        self.nvcc("usr/local/cuda", "13.0")
        code, said, outcome, text = self.configure("-DGPUBENCH_CUDA=OFF")
        self.assertEqual((code, outcome, said), (0, ["OFF"], ["-- gpubench: CUDA OFF"]), text)


if __name__ == "__main__":
    unittest.main()
