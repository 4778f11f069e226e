#!/usr/bin/env python3
"""tests/build/install.py BUILD: tests an install of that build folder (its files, that it works after being moved, that
`uninstall` removes it), the man page and the shells' completions, the TGZ, and a build on a machine without the
packages that the tests need."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1) if len(sys.argv) > 1 and "=" not in sys.argv[1] else ".").resolve()
COMMANDS = ("run", "list", "report", "compare", "new")
HOLDS = """bin/gpubench include/gpubench/gpubench.h include/gpubench/sugar.h include/gpubench/ext/tensor.h
lib/cmake/gpubench/gpubenchConfig.cmake lib/cmake/gpubench/gpubenchConfigVersion.cmake lib/cmake/gpubench/GpubenchPlugin.cmake
lib/gpubench/plugins/softmax.so lib/gpubench/plugins/numpy_softmax.py lib/gpubench/libgpubench-worker.so
lib/gpubench/python.so share/gpubench/python/gpubench.py share/gpubench/python/gpubench_arrays.py share/gpubench/python/gpubench_bench.py share/gpubench/python/gpubench_cuda.py share/gpubench/python/gpubench_modules.py share/gpubench/python/gpubench_torch.py lib/pkgconfig/gpubench.pc share/bash-completion/completions/gpubench
share/doc/gpubench/copyright share/fish/vendor_completions.d/gpubench.fish share/gpubench/examples/matmul/plugin.c
share/gpubench/rust/gpubench.rs share/gpubench/rust/abi.rs share/gpubench/rust/Cargo.toml
share/gpubench/template/CMakeLists.txt share/gpubench/template/plugin.c share/gpubench/README.md share/man/man1/gpubench.1
share/zsh/site-functions/_gpubench""".split()


def run(*command, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in ("DESTDIR", "CDPATH")}
    return subprocess.run([str(word) for word in command], env={**environment, **variables}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = Path(tempfile.mkdtemp(prefix="gpubench-install-"))
        self.addCleanup(shutil.rmtree, self.dir)

    def ok(self, *command, **variables):
        done = run(*command, **variables)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}")
        return done.stdout


class Install(Case):
    def install(self):
        self.ok("cmake", "--install", BUILD, "--prefix", self.dir / "made")
        return (self.dir / "made").rename(self.dir / "moved here")

    def test_is_complete_and_may_be_moved(self):
        tree = self.install()
        self.assertEqual([name for name in HOLDS if not (tree / name).is_file()], [])
        self.assertIn("plugin", self.ok(tree / "bin/gpubench", "list", "softmax.so", "--device", "cpu", "--json"))
        for name in ("lib/cmake/gpubench", "lib/pkgconfig", "share"):
            said = self.ok("grep", "-rlF", self.dir, tree / name) if run("grep", "-rqF", self.dir, tree / name).returncode == 0 else ""
            self.assertEqual(said, "", "names the folder that it was installed to")

    def test_pkg_config(self):
        tree = self.install()
        flags = self.ok("pkg-config", "--cflags", "gpubench", PKG_CONFIG_PATH=str(tree / "lib/pkgconfig"))
        (self.dir / "a.c").write_text("#include <gpubench/sugar.h>\nint a;\n")
        self.ok("sh", "-c", f"cc -c {flags.strip()} -o {self.dir}/a.o {self.dir}/a.c")
        self.assertNotIn("made", flags)
        folder = self.ok("pkg-config", "--variable=plugindir", "gpubench", PKG_CONFIG_PATH=str(tree / "lib/pkgconfig"))
        self.assertTrue((Path(folder.strip().replace("\\", "")) / "softmax.so").is_file(), folder)

    def test_uninstall(self):
        tree, build = self.install(), self.dir / "build"
        build.mkdir()
        names = sorted(str(file) for file in tree.rglob("*") if not file.is_dir())
        theirs = [tree / "share/gpubench/mine.txt", tree / "bin/other"]
        for file in theirs:
            file.write_text("not ours")
        (build / "install_manifest.txt").write_text("\n".join(names) + "\n")
        script = ("cmake", f"-DBUILD={build}", "-P", ROOT / "ci/uninstall.cmake")
        self.assertIn(f"{len(names)} files removed", self.ok(*script))
        self.assertEqual(sorted(file for file in tree.rglob("*") if not file.is_dir()), sorted(theirs))
        self.assertEqual([folder for folder in tree.rglob("gpubench") if folder != tree / "share/gpubench"], [])
        done = run(*script)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("nothing was installed from it", " ".join(done.stdout.split()))

    def test_tgz(self):
        self.ok("cpack", "-G", "TGZ", "--config", BUILD / "CPackConfig.cmake", "-B", self.dir)
        made = list(self.dir.glob("*.tar.gz"))
        self.assertEqual(len(made), 1)
        self.assertRegex(made[0].name, r"^gpubench-\d+\.\d+\.\d+-linux-\w+-glibc2\.\d+\.tar\.gz$")
        self.ok("tar", "-C", self.dir, "-xzf", made[0])
        tree = self.dir / made[0].name.removesuffix(".tar.gz")
        self.assertEqual([name for name in HOLDS if not (tree / name).is_file()], [])
        for file in (tree / "bin/gpubench", tree / "lib/gpubench/plugins/softmax.so"):
            outside = [line for line in re.findall(r"=> (/\S+)", self.ok("ldd", file)) if not Path(line).is_relative_to(tree)]
            self.assertEqual([name for name in outside if not re.search(r"/(libc|libm|libdl|librt|libpthread)\.so", name)], [])
        libraries = [file for file in (tree / "lib").glob("*.so*") if not file.is_symlink()]
        self.assertGreater(len(libraries), 2)
        if shutil.which("dpkg-query"):
            self.assertTrue(list((tree / "share/doc/gpubench/libraries").iterdir()))
        self.assertFalse((BUILD / "install_manifest.txt").exists() and
                         "_CPack_Packages" in (BUILD / "install_manifest.txt").read_text())


class Manual(Case):
    """The man page and the completions, which are made from the same table of options as --help."""

    def options(self, command):
        return re.findall(r"(?m)^  (?:-\w, )?(--[\w-]+)", self.ok(BUILD / "bin/gpubench", command, "--help"))

    def bash(self, *words):
        script = f"""source {BUILD}/share/bash-completion/completions/gpubench
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _gpubench; printf '%s\\n' "${{COMPREPLY[@]}}" """
        return self.ok("bash", "-c", script, "bash", *words).split()

    def test_man_page_has_each_option(self):
        page = (BUILD / "share/man/man1/gpubench.1").read_text().replace("\\-", "-")
        for command in COMMANDS:
            self.assertGreater(len(self.options(command)), 5)
            for option in self.options(command):
                self.assertIn(f"\\fB{option}\\fR", page)
        if shutil.which("groff"):
            self.assertEqual(self.ok("groff", "-man", "-ww", "-z", BUILD / "share/man/man1/gpubench.1"), "")

    def test_bash(self):
        for command in COMMANDS:
            self.assertEqual(sorted(self.bash("gpubench", command, "--")), sorted(self.options(command)))
        self.assertEqual(self.bash("gpubench", "re"), ["report"])
        self.assertEqual(self.bash("gpubench", "a.so", "--lock", "re"), ["refuse"])
        self.assertEqual(self.bash("gpubench", "a.so", "--lock", "=", "re"), ["refuse"])
        self.assertEqual(self.bash("gpubench", "compare", "a", "b", "--fail-on", ""), ["slower", "wrong", "none"])
        self.assertEqual(self.bash("gpubench", "--csv", ""), [])  # bash then offers files

    def test_zsh_and_fish_read_theirs(self):
        for shell, file in (("zsh", "share/zsh/site-functions/_gpubench"), ("fish", "share/fish/vendor_completions.d/gpubench.fish")):
            text = (BUILD / file).read_text()
            for command in COMMANDS:
                for option in self.options(command):
                    self.assertIn(f"{option}" if shell == "zsh" else f" -l {option[2:]} ", text)
            if shutil.which(shell):
                self.assertEqual(self.ok(shell, "-n", BUILD / file), "")


class Plain(Case):
    def test_without_cunit_there_are_no_tests_and_it_says_so(self):
        pretend = self.dir / "pkg-config"
        pretend.write_text("#!/bin/sh\ncase \"$*\" in *cunit*) exit 1 ;; esac\nexec pkg-config \"$@\"\n")
        pretend.chmod(0o755)
        plain = ("cmake", "-S", ROOT, "-B", self.dir / "build", "-DGPUBENCH_CUDA=OFF", f"-DPKG_CONFIG_EXECUTABLE={pretend}")
        said = re.findall(r"(?m)^-- gpubench: tests.*", self.ok(*plain))
        self.assertEqual(said, ["-- gpubench: tests OFF: they need CUnit (libcunit1-dev) and Python 3"])
        asked = run(*plain, "-DBUILD_TESTING=ON")
        self.assertNotEqual(asked.returncode, 0)
        self.assertIn("cunit", asked.stdout)


if __name__ == "__main__":
    unittest.main()
