#!/usr/bin/env python3
"""tests/build/cuda.py: tests which CUDA toolkit is chosen by a build (host/cuda.cmake) and by the build of an author's
plugin, with scripts in place of nvcc. A test's machine is a folder: usr/local/cuda with its nvcc, and other toolkits.
Needs no toolkit and no GPU."""

import json
import os
import re
import shlex
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


class Machine(unittest.TestCase):
    source = None

    def setUp(self):
        self.machine = Path(tempfile.mkdtemp(prefix="gpubench-cuda-"))
        self.addCleanup(shutil.rmtree, self.machine)

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

    def cmake(self, *options, path=(), **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CUDA")}
        environment["PATH"] = os.pathsep.join([*(str(nvcc.parent) for nvcc in path), "/usr/bin:/bin"])
        return subprocess.run([shutil.which("cmake"), "-S", self.source or self.machine, "-B", self.machine / "build", *options],
                              env={**environment, **variables}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Cuda(Machine):
    def setUp(self):
        super().setUp()
        (self.machine / "CMakeLists.txt").write_text(f"""
cmake_minimum_required(VERSION 3.22)
project(pretend LANGUAGES C)
set(CMAKE_FIND_ROOT_PATH {self.machine}) # nothing of the machine that this runs on
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM ONLY)
set(GPUBENCH_CUDA AUTO CACHE STRING "")
include({ROOT}/host/cuda.cmake)
message(STATUS "outcome: ${{GPUBENCH_CUDA}} ${{CMAKE_CUDA_COMPILER}} ${{CMAKE_CUDA_ARCHITECTURES}}")
""")

    def configure(self, *options, **where):
        done = self.cmake(*options, **where)
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
        """Expects CUDA OFF and one line that gives the reason, also when it is configured again."""
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
        self.takes(named, "90a-real", f"-DCMAKE_CUDA_COMPILER={named}", path=path, CUDACXX=str(path[0]))

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

    def test_one_that_cannot_build_is_not_passed_over(self):
        """A broken nvcc on the PATH is reported, not silently replaced by the one in /usr/local/cuda."""
        self.nvcc("usr/local/cuda", "13.0")
        mine = self.nvcc("mine", "11.5", refuses="90a")
        self.does_without(f"CUDA OFF: {mine} for 90a-real cannot build", path=[mine])

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


class Tree(Machine):
    source = ROOT

    def test_several_architectures_are_one_text(self):
        nvcc = self.nvcc("usr/local/cuda", "13.0")
        done = self.cmake("-DBUILD_TESTING=OFF", f"-DCMAKE_CUDA_COMPILER={nvcc}", CUDAARCHS="80-real;90a-real;120")
        self.assertEqual(done.returncode, 0, done.stdout)
        commands = json.loads((self.machine / "build/compile_commands.json").read_text())
        command, = (entry["command"] for entry in commands if entry["file"].endswith("device/cuda/open.c"))
        self.assertIn('-DGPUBENCH_CUDA_ARCHITECTURES="80-real, 90a-real, 120"', shlex.split(command))


class Author(Machine):
    """The build of a plugin that `gpubench new --lang cuda` made."""
    source = ROOT / "sdk/examples/cuda"

    def setUp(self):
        super().setUp()
        # Uses no program of the real machine except make.
        self.options = (f"-Dgpubench_DIR={self.machine}/gpubench", f"-DCMAKE_MAKE_PROGRAM={shutil.which('make')}",
                        f"-DCMAKE_FIND_ROOT_PATH={self.machine}", "-DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=ONLY",
                        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
        config = self.machine / "gpubench/gpubenchConfig.cmake"
        config.parent.mkdir()
        config.write_text(f"set(gpubench_PROGRAM gpubench)\nset(gpubench_VERSION 0.1)\ninclude({ROOT}/sdk/cmake/GpubenchPlugin.cmake)\n")
        (config.parent / "gpubenchConfigVersion.cmake").write_text("set(PACKAGE_VERSION_COMPATIBLE TRUE)\n")

    def takes(self, nvcc, architectures, *options, **where):
        shutil.rmtree(self.machine / "build", ignore_errors=True)
        done = self.cmake(*self.options, *options, **where)
        self.assertEqual(done.returncode, 0, done.stdout)
        (entry,) = json.loads((self.machine / "build/compile_commands.json").read_text())
        self.assertEqual(entry["command"].split()[0], str(nvcc))
        self.assertEqual(sorted(set(re.findall(r"sm_\w+", entry["command"]))), architectures, entry["command"])

    def gpu(self, capability):
        program = self.machine / "bin/nvidia-smi"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\necho {capability}\n")
        program.chmod(0o755)
        return program

    def test_which(self):
        usual, mine = self.nvcc("usr/local/cuda", "13.0"), self.nvcc("mine", "12.8")
        self.takes(usual, ["sm_80", "sm_90"], path=[self.gpu("none")])
        self.takes(mine, ["sm_80", "sm_90"], path=[mine, self.gpu("none")])
        self.takes(usual, ["sm_80", "sm_90"], path=[mine, self.gpu("none")], CUDACXX=str(usual))

    def test_architectures(self):
        nvcc = self.nvcc("usr/local/cuda", "13.0")
        path = [self.gpu("8.6")]
        self.takes(nvcc, ["sm_86"], path=path)
        self.takes(nvcc, ["sm_89"], path=path, CUDAARCHS="89")
        self.takes(nvcc, ["sm_90a"], "-DCMAKE_CUDA_ARCHITECTURES=90a", path=path, CUDAARCHS="89")

    def test_none(self):
        done = self.cmake(*self.options)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Failed to find nvcc", done.stdout)


if __name__ == "__main__":
    unittest.main()
