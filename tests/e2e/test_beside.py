"""Files that plugins bring: the code that is measured is the code that is named, even if modules or libraries share a
name, and the hash of a build covers all of them."""

import hashlib
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from run import FINE, GpubenchTest, main, plugin

ROOT = Path(__file__).resolve().parents[2]
HEAD = """import ctypes, gpubench
C = "gpubench.org/test/vector/scale/1"


def view(t):
    return (ctypes.c_float * t.shape[0]).from_address(t.address)


"""
OFFER = '@gpubench.variant(C, name="{name}", math="fp32")\ndef f(x, y, a):\n    view(y)[:] = [{factor} * a * e for e in view(x)]\n'
RIGHT, WRONG = "FACTOR = 1\n", "FACTOR = 3\n"  # the result shows which module a build had
QUICK = ("-a", "n=64", "--verify-only", "--python", sys.executable)


class BesideTest(GpubenchTest):
    def write(self, name, text, mode=0o644):
        path = self.dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def script(self, path, imports, name="f", factor="kernels.FACTOR", head=HEAD):
        return self.write(path, head + imports + "\n\n" + OFFER.format(name=name, factor=factor))

    def statuses(self, *plugins, exit=3, out="o", options=QUICK):
        shutil.rmtree(self.dir / out, ignore_errors=True)
        result = self.gpubench(plugin("ok_vector"), *plugins, "--exclude", "twice,blocked", *options, "--out", out)
        self.assertEqual(result.exit, exit, result)
        rows = self.by_variant(self.dir / out)
        for row in rows.values():
            if row["status"] == "ok":
                self.assertRegex(row["message"], FINE)  # and the result must not be right only when measured alone
        return {name: row["status"] for name, row in rows.items() if name != "plain"}


class Modules(BesideTest):
    def builds(self, *modules, imports="import kernels", factor="kernels.FACTOR"):
        """Writes two builds of a script: the old one is right, the new one wrong."""
        for build, text in (("old", RIGHT), ("new", WRONG)):
            self.script(f"{build}/mine.py", imports, factor=factor)
            for module in modules:
                self.write(f"{build}/{module}", text if module.endswith(modules[-1]) else f"from {Path(modules[-1]).stem} import FACTOR\n")

    def each_has_its_own(self, right="old", wrong="new"):
        for first, second in ((right, wrong), (wrong, right)):
            with self.subTest(first=first):
                found = self.statuses(f"{first}={self.dir}/{first}/mine.py", f"{second}={self.dir}/{second}/mine.py")
                self.assertEqual(found, {f"f@{first}": "ok" if first == right else "wrong", f"f@{second}": "ok" if second == right else "wrong"})

    def test_a_module_of_each_build(self):
        self.builds("kernels.py")
        self.each_has_its_own()

    def test_one_step_further(self):
        self.builds("kernels.py", "deeper.py")
        self.each_has_its_own()

    def test_a_package(self):
        self.builds("kernels/__init__.py", "kernels/inner.py")
        for build in ("old", "new"):
            self.write(f"{build}/kernels/__init__.py", "from .inner import FACTOR\n")
        self.each_has_its_own()

    def test_imported_where_it_is_called(self):
        self.builds("kernels.py", imports="def late():\n    import kernels\n    return kernels.FACTOR", factor="late()")
        self.each_has_its_own()

    def test_imported_by_name(self):
        self.builds("kernels.py", imports='import importlib\ndef late(): return importlib.import_module("kernels").FACTOR', factor="late()")
        self.each_has_its_own()

    def test_a_module_that_one_of_them_has(self):
        """A build without the module takes another branch: it must not find the module of the other build."""
        text = "try:\n    import kernels\n    F = kernels.FACTOR\nexcept ImportError:\n    F = 1"
        for build in ("old", "new"):
            self.script(f"{build}/mine.py", text, factor="F")
        self.write("new/kernels.py", WRONG)
        self.each_has_its_own()
        text = text.replace("try:", "def late():\n  try:").replace("\n    ", "\n      ").replace("\nexcept", "\n  except") + "\n  return F"
        for build in ("old", "new"):
            self.script(f"{build}/mine.py", text, factor="late()")
        self.each_has_its_own()

    def test_where_sys_path_leads(self):
        """sys.path leads to a folder below the script, and to a shared folder with a module that imports each build's
        own."""
        lead = 'import os, sys\nHERE = os.path.dirname(__file__)\nfor p in (os.path.join(HERE, "lib"), os.path.join(os.path.dirname(HERE), "common")):\n    if p not in sys.path: sys.path.insert(0, p)\n'
        self.write("common/shared.py", "import kernels\ndef factor(): return kernels.FACTOR\n")
        for build, text in (("old", RIGHT), ("new", WRONG)):
            self.write(f"{build}/lib/kernels.py", text)
            for factor in ("kernels.FACTOR", "shared.factor()"):
                self.script(f"{build}/mine.py", lead + "import kernels, shared", factor=factor)
        self.each_has_its_own()

    def test_of_two_plugins(self):
        """Uses an attribute that only the script's own module has."""
        one = self.script("one/first.py", "import kernels", factor="kernels.ONE")
        two = self.script("two/second.py", "import kernels", name="g", factor="kernels.TWO")
        self.write("one/kernels.py", "ONE = 1\n")
        self.write("two/kernels.py", "TWO = 1\n")
        for scripts in ((one, two), (two, one)):
            self.assertEqual(self.statuses(*scripts, exit=0), {"f": "ok", "g": "ok"})

    def test_with_times(self):
        self.builds("kernels.py")
        self.write("new/kernels.py", "import time\nclass Slow:\n    def __rmul__(self, other): return other\n    def __mul__(self, other): time.sleep(0.0002); return other\nFACTOR = Slow()\n")
        out = self.statuses(f"old={self.dir}/old/mine.py", f"new={self.dir}/new/mine.py", exit=0,
                            options=("-a", "n=64", "--quick", "--max-time", "120s", "--python", sys.executable))
        self.assertEqual(out, {"f@old": "ok", "f@new": "ok"})
        rows = self.by_variant(self.dir / "o")
        # At least the time that it sleeps.
        self.assertGreater(self.number(rows["f@new"], "median_raw_ns"), 64 * 0.0002e9)
        self.assertLess(self.number(rows["f@old"], "min_ns"), 64 * 0.0002e9)

    def test_scripts_of_one_folder_share(self):
        self.write("kernels.py", "FACTOR, SEEN = 1, []\n")
        one = self.script("one.py", "import kernels\nkernels.SEEN.append(1)")
        two = self.script("two.py", "import kernels\nassert kernels.SEEN == [1] or not kernels.SEEN, kernels.SEEN", name="g")
        self.assertEqual(self.statuses(one, two, exit=0), {"f": "ok", "g": "ok"})


class Identity(BesideTest):
    def hash_of(self, path):
        self.statuses(path, exit=0)
        return self.by_variant(self.dir / "o")["f"]["plugin_sha256"]

    def changes(self, path, *files, yes=True):
        for name in files:
            before = self.hash_of(path)
            text = (self.dir / name).read_text()
            (self.dir / name).write_text(text + "# changed\n")
            self.assertEqual(self.hash_of(path) != before, yes, name)
            (self.dir / name).write_text(text)
            self.assertEqual(self.hash_of(path), before, name)

    def test_what_a_script_brings_along(self):
        late = "import kernels, late as deferred\nfrom pack.inner import X\nSOURCE = 'data/kernel.cu'\ndef f():\n    import importlib\n    return importlib.import_module('named')"
        path = self.script("mine.py", late)
        for name, text in (("kernels.py", "import deeper\nFACTOR = 1\n"), ("deeper.py", "\n"), ("late.py", "\n"), ("pack/__init__.py", "\n"),
                           ("pack/inner.py", "X = 1\n"), ("pack/other.py", "\n"), ("named.py", "\n"), ("data/kernel.cu", "\n"), ("stranger.py", "\n"), ("notes.txt", "\n")):
            self.write(name, text)
        self.changes(path, "mine.py", "kernels.py", "deeper.py", "pack/inner.py", "named.py", "data/kernel.cu")
        self.changes(path, "stranger.py", "notes.txt", yes=False)
        self.write("lib/below.py", "\n")
        self.write("mine.py", path.read_text() + 'sys = "lib"  # for sys.path\ntry:\n    import below\nexcept ImportError: pass\n')
        self.changes(path, "lib/below.py")
        self.write("mine.py", path.read_text().replace("import below", "import nothing"))
        self.changes(path, "lib/below.py", yes=False)
        ini = (self.dir / "o/run.ini").read_text()
        self.assertRegex(ini, r"(?m)^brought\.mine = data/kernel\.cu, deeper\.py, kernels\.py, late\.py, named\.py, pack/__init__\.py, pack/inner\.py, pack/other\.py$")

    def test_one_that_brings_nothing(self):
        path = self.script("mine.py", "", factor="1")
        self.write("stranger.py", "\n")
        self.assertEqual(self.hash_of(path), hashlib.sha256(path.read_bytes()).hexdigest())
        self.assertNotIn("brought", (self.dir / "o/run.ini").read_text())

    def test_compare_does_not_call_it_the_same(self):
        path = self.script("mine.py", "import kernels")
        self.write("kernels.py", RIGHT)
        self.hash_of(path)
        shutil.copytree(self.dir / "o", self.dir / "base")
        self.hash_of(path)
        self.assertIn("The plugin files are the same", self.gpubench("compare", "base", "o", "-v").out)
        self.write("kernels.py", RIGHT + "# fixed\n")
        self.hash_of(path)
        done = self.gpubench("compare", "base", "o", "-v")
        self.assertNotIn("The plugin files are the same", done.out)
        self.assertRegex(done.out, r"plugin mine")

    def test_a_run_is_not_gone_on_with(self):
        path = self.script("mine.py", "import kernels")
        self.write("kernels.py", RIGHT)
        self.hash_of(path)
        self.write("kernels.py", RIGHT + "# fixed\n")
        self.assertIn("cannot resume: plugin.mine was 'sha256 ", self.one_line_error(2, "--resume", "o"))


SOURCE = r"""
#include <dlfcn.h>
#include <gpubench/sugar.h>
static gb_sdk gb;
#if defined(NEEDED) || defined(DEEP)
int number(void);
static int get(void) { return number(); }
#else
static int get(void) {
  void *library = dlopen(PATH, RTLD_NOW | RTLD_LOCAL);
  int (*number)(void) = library ? (int (*)(void))dlsym(library, "number") : 0;
  return number ? number() : -1;
}
#endif
static gb_status prepare(const gb_variant *self, gb_case *c, void **state) {
  const int got = get();
  return got == OWN ? GB_OK : gb_failf(&gb, c, GB_EFAIL, "got the library of %d", got);
}
static gb_status run(const gb_variant *self, gb_case *c, void *state) {
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  for (int64_t i = 0; i < gb.tensor->dim(c, "y", 0); i++) y[i] = (float)gb.point->f64(c, "a") * x[i];
  return GB_OK;
}
static const gb_variant variant = {GB_SIZE(gb_variant), .name = NAME, .backend = "cpu", .math = "fp32", .prepare = prepare, .run = run};
static gb_status start(const gb_host *host, gb_registry *registry, void **self) {
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/test/vector/scale/1", &variant) : status;
}
const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = ID, .version = "1", .open = start};
"""


@unittest.skipUnless(shutil.which("cc"), "no C compiler")
class Libraries(BesideTest):
    def cc(self, out, *args):
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", out, *map(str, args)], check=True)

    def make(self, folder, how, own, name="f", id="beside"):
        """Compiles a guest in `folder` that is right only with its own libhelper.so, which it reaches by `how`: NEEDED,
        DEEP (through another library), OPENED (dlopen by name) or WHOLE (by its whole path)."""
        where = self.dir / folder
        self.cc(where / "libhelper.so", f"-DOWN={own}", self.write("helper.c", "int number(void) { return OWN; }\n"), "-Wl,-soname,libhelper.so")
        link = ["-L", where, "-Wl,-rpath,$ORIGIN", "-lhelper"]
        if how == "DEEP":
            middle = self.write("middle.c", "int number(void);\nint middle(void) { return number(); }\n")
            self.cc(where / f"libmiddle{own}.so", middle, f"-Wl,-soname,libmiddle{own}.so", *link)
            link = ["-L", where, "-Wl,-rpath,$ORIGIN", f"-lmiddle{own}", "-Dnumber=middle", f"-Wl,-rpath-link,{where}"]
        path = {"OPENED": "libhelper.so", "WHOLE": f"{where}/libhelper.so"}.get(how, "")
        link = ["-Wl,-rpath,$ORIGIN", "-ldl"] if path else link
        self.cc(where / "mine.so", f"-D{how}", f"-DOWN={own}", f'-DNAME="{name}"', f'-DID="{id}"', f'-DPATH="{path}"', "-I", ROOT / "sdk/include",
                self.write("plugin.c", SOURCE), *link)
        return where / "mine.so"

    def refused(self, first, second, other):
        result = self.gpubench(plugin("ok_vector"), first, second, "--exclude", "twice,blocked", *QUICK, "--out", "o")
        self.assertEqual(result.exit, 3, result)
        self.assertRegex(result.err, r"mine\.so: needs \S+/libhelper\.so, but \S+/libhelper\.so, which \S+mine\.so needs, has that name and would serve both")
        self.assertEqual({row["status"] for row in self.by_variant(self.dir / "o").values()}, {"ok"})
        self.assertIn(other, self.by_variant(self.dir / "o"))
        shutil.rmtree(self.dir / "o")

    def test_builds(self):
        for how in ("NEEDED", "DEEP", "OPENED"):
            with self.subTest(how=how):
                old, new = self.make(f"old{how}", how, 1), self.make(f"new{how}", how, 2)
                self.refused(f"old={old}", f"new={new}", "f@old")
                self.refused(f"new={new}", f"old={old}", "f@new")

    def test_two_plugins(self):
        """Two plugins with different ids, both guests of a third."""
        for how in ("NEEDED", "DEEP", "OPENED"):
            with self.subTest(how=how):
                one, two = self.make(f"one{how}", how, 1, id="one"), self.make(f"two{how}", how, 2, name="g", id="two")
                self.refused(one, two, "f")

    def test_libraries_that_are_the_same(self):
        old = self.make("old", "NEEDED", 1)
        shutil.copytree(self.dir / "old", self.dir / "new")
        self.assertEqual(self.statuses(f"old={old}", f"new={self.dir}/new/mine.so", exit=0), {"f@old": "ok", "f@new": "ok"})

    def test_by_its_whole_path_each_has_its_own(self):
        old, new = self.make("old", "WHOLE", 1), self.make("new", "WHOLE", 2)
        self.assertEqual(self.statuses(f"old={old}", f"new={new}", exit=0), {"f@old": "ok", "f@new": "ok"})

    def test_they_are_part_of_what_tells_builds_apart(self):
        hashes = []
        for how, change in (("NEEDED", False), ("NEEDED", True), ("OPENED", False), ("OPENED", True)):
            path = self.make("mine" + how, how, 1)
            if change:  # only the library changes
                self.cc(path.parent / "libhelper.so", "-DOWN=1", "-DMORE=1", self.write("helper.c", "int number(void) { return OWN; }\nint more(void) { return 5; }\n"), "-Wl,-soname,libhelper.so")
            self.statuses(path, exit=0)
            hashes.append(self.by_variant(self.dir / "o")["f"]["plugin_sha256"])
            self.assertIn("brought.beside = libhelper.so\n", (self.dir / "o/run.ini").read_text())
        self.assertEqual(len(set(hashes)), 4)


if __name__ == "__main__":
    main()
