"""Plugins that are Python scripts: they are verified and timed with others, and their errors cost only their own rows."""

import os
import sys
import unittest

from run import FINE, GpubenchTest, main, needs_torch, plugin, read_csv

try:
    import numpy
except ImportError:
    if os.environ.get("GPUBENCH_NO_SKIP") == "1":
        raise
    numpy = None

HEAD = """import ctypes, threading, gpubench
C = "gpubench.org/test/vector/scale/1"


def view(t):
    return (ctypes.c_float * t.shape[0]).from_address(t.address)


def scale(x, y, a):
    view(y)[:] = [a * e for e in view(x)]
"""
LINES = len(HEAD.splitlines())
# On a busy machine the default ten seconds end before a Python process has been timed.
QUICK = ("--quick", "--max-time", "120s")
needs_numpy = unittest.skipIf(numpy is None, "numpy is not installed")


class PythonTest(GpubenchTest):
    def script(self, text, name="mine.py", head=HEAD):
        path = self.dir / name
        path.write_text(head + text)
        path.chmod(0o644)
        return path

    def run_with(self, *scripts, exit=0, n=64, options=QUICK, variants=None):
        chosen = ["--variant", variants] if variants else []
        result = self.gpubench(plugin("ok_vector"), *scripts, "-a", f"n={n}", *chosen, "--python", sys.executable, *options)
        self.assertEqual(result.exit, exit, result)
        return result

    def fault(self, text, status, message, exit=3, **kwargs):
        """Expects this status and message for the script's only variant, `f`, and an unaffected other variant."""
        self.run_with(self.script(text), exit=exit, variants="plain,f", **kwargs)
        rows = self.by_variant()
        self.assertEqual(rows["plain"]["status"], "ok", rows["plain"])
        self.assertRegex(rows["f"]["status"], status, rows["f"])
        self.assertRegex(rows["f"]["message"], message)
        self.assertNotIn("\n", rows["f"]["message"])
        return rows


class Rows(PythonTest):
    def test_a_function(self):
        script = self.script("""
@gpubench.variant(C, name="f", math="fp32", summary="in Python")
def any_name(x, y, a, *, n, case, factor=1):
    assert (n, case.axes["dtype"], factor) == (64, "fp32", 1) and case.tensors["x"] is x, case.axes
    assert (x.role, y.role, x.dtype, x.shape, x.strides) == ("in", "out", "f32", (64,), (1,))
    scale(x, y, a)
""")
        self.run_with(script, variants="plain,f")
        rows = self.by_variant()
        self.assertEqual({row["status"] for row in rows.values()}, {"ok"}, rows)
        row = rows["f"]
        self.assertEqual((row["provider"], row["math"], row["backend"]), ("mine", "fp32", "cpu"))
        self.assertRegex(row["message"], FINE)
        self.assertNotEqual(row["median_raw_ns"], "")
        notes = (self.run_dir() / "notes.csv").read_text() if (self.run_dir() / "notes.csv").exists() else str(row)
        self.assertRegex(notes, r"python_call.*us for an empty function")
        ini = (self.run_dir() / "run.ini").read_text()
        self.assertIn(f"python = {'.'.join(map(str, sys.version_info[:3]))} (", ini)
        self.assertIn("mine.py", ini)

    def test_a_class_from_prepare_to_release(self):
        script = self.script("""
@gpubench.variant(C, name="f", math="fp32")
class Scale:
    def prepare(self, case):
        self.x, self.y, self.a = view(case.tensors["x"]), view(case.tensors["y"]), case.axes["a"]
        self.doubled = [2 * e for e in self.x]
        case.note("way", "from twice the input")

    def refresh(self):
        self.doubled[:] = [2 * e for e in self.x]

    def run(self):
        self.y[:] = [e / 2 * self.a for e in self.doubled]

    def release(self):
        del self.x, self.y
""")
        self.run_with(script, variants="plain,f")
        row = self.by_variant()["f"]
        self.assertEqual((row["status"], row["derived"]), ("ok", "1"), row)

    def test_skips_say_why(self):
        script = self.script("""
def small(case):
    assert case.key.startswith("vector/scale[n=") and not case.tensors
    if case.axes["n"] > 10: raise gpubench.Skip(f"n is {case.axes['n']}: at most 10")

@gpubench.variant(C, name="f", supports=small)
def f(x, y): pass

@gpubench.variant(C, name="g")
class G:
    def prepare(self, case): raise gpubench.Skip("only on Sundays")
    def run(self): pass
""")
        self.run_with(script, variants="plain,f,g")
        rows = self.by_variant()
        self.assertEqual((rows["f"]["status"], rows["f"]["message"]), ("skipped", "n is 64: at most 10"))
        self.assertEqual((rows["g"]["status"], rows["g"]["message"]), ("skipped", "only on Sundays"))

    @needs_numpy
    def test_case_is_the_case(self):
        """The parameter `case` is the case, even if a contract has a tensor of that name, which is then found in
        case.tensors."""
        text = AXPY.replace('"z"', '"case"').replace("self, x, z, a", "self, x, a, case").replace("return a * x + z", "return a * x")
        text = text.replace("def plain(x, z, y, a): y[...] = x.dtype.type(a) * x + z",
                            'def plain(x, y, a, case):\n    assert case.tensors["case"].shape == x.shape\n    y[...] = x.dtype.type(a) * x')
        script = self.script(text, name="axpy.py", head="")
        self.gpubench(script, "--variant", "plain", "--preset", "small", "--python", sys.executable, *QUICK)
        self.assertEqual([r["status"] for r in self.rows()], ["ok"], self.rows())

    def test_two_builds_of_a_script(self):
        text = '\n@gpubench.variant(C, name="f", math="fp32")\ndef f(x, y, a): scale(x, y, a)\n'
        (self.dir / "new").mkdir()
        old, new = self.script(text), self.script(text + "# another build\n", name="new/mine.py")
        self.run_with(f"old={old}", f"new={new}", variants="plain,f*")
        rows = self.by_variant()
        self.assertEqual((rows["f@old"]["status"], rows["f@new"]["status"]), ("ok", "ok"), rows)

    def test_two_scripts_in_one_case_and_a_module_beside_them(self):
        (self.dir / "beside.py").write_text("FACTOR = 1\n")
        one = self.script('\nimport beside\n@gpubench.variant(C, name="f", math="fp32")\ndef f(x, y, a): scale(x, y, beside.FACTOR * a)\n', name="one.py")
        two = self.script('\n@gpubench.variant(C, name="g", math="fp32")\ndef g(x, y, a): scale(x, y, a)\n', name="two.py")
        self.run_with(one, two, variants="plain,f,g")
        self.assertEqual({r["status"] for r in self.rows()}, {"ok"})

    def test_cases_without_scripts_get_no_python(self):
        script = self.script('\nimport sys\nsys.stderr.write("here")\nraise SystemExit("loaded")\n')
        result = self.gpubench(plugin("ok_vector"), "-a", "n=64", "--verify-only", "--python", "/nowhere/python")
        self.assertEqual(result.exit, 0, result)
        self.assertNotIn("python", result.err)
        self.assertTrue(script.exists())

    @needs_numpy
    def test_returned_outputs(self):
        script = self.script("""
import numpy as np

@gpubench.variant(C, name="whole", math="fp32", arrays="numpy", returns=True)
def whole(x, a): return (x * a).astype(np.float32)

@gpubench.variant(C, name="strided", math="fp32", arrays="numpy", returns=True)
def strided(x, a): return np.repeat((x * a).astype(np.float32), 2)[::2]

class Lazy:
    def __init__(self, array): self.array = array
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self): return self.array.__dlpack__()

@gpubench.variant(C, name="lazy", math="fp32", arrays=gpubench.Tensor.numpy, returns=True)
def lazy(x, a): return Lazy((x * a).astype(np.float32))

@gpubench.variant(C, name="exchanged", math="fp32", returns=True)
def exchanged(x, a): return np.multiply(np.from_dlpack(x), np.float32(a))
""")
        self.run_with(script, variants="plain,whole,strided,lazy,exchanged")
        rows = self.by_variant()
        for name in ("whole", "strided", "lazy", "exchanged"):
            self.assertEqual(rows[name]["status"], "ok", rows[name])

    @needs_numpy
    def test_returned_outputs_that_nobody_may_write(self):
        """Read-only outputs, such as arrays of other libraries and shared memory: the host never writes to a returned
        output."""
        script = self.script("""
import numpy as np

def still(array):
    array.setflags(write=False)
    return array

@gpubench.variant(C, name="still", math="fp32", arrays="numpy", returns=True)
def whole(x, a): return still((x * a).astype(np.float32))

@gpubench.variant(C, name="bytes", math="fp32", arrays="numpy", returns=True)
def of_bytes(x, a): return np.frombuffer((x * a).astype(np.float32).tobytes(), np.float32)

@gpubench.variant(C, name="strided", math="fp32", arrays="numpy", returns=True)
def strided(x, a): return still(np.repeat((x * a).astype(np.float32), 2))[::2]

class Mine(np.ndarray): pass

@gpubench.variant(C, name="subclass", math="fp32", arrays="numpy", returns=True)
def subclass(x, a): return still((x * a).astype(np.float32)).view(Mine)

@gpubench.variant(C, name="swapped", math="fp32", arrays="numpy", returns=True)
def swapped(x, a): return still((x * a).astype(">f4"))

class Lazy:
    def __init__(self, array): self.array = array
    def __dlpack_device__(self): return (1, 0)
    def __dlpack__(self): raise BufferError("read-only")

@gpubench.variant(C, name="lazy", math="fp32", arrays="numpy", returns=True)
def lazy(x, a): return Lazy(still((x * a).astype(np.float32)))
""")
        self.run_with(script, exit=3)
        rows = self.by_variant()
        for name in ("still", "bytes", "strided", "subclass"):
            self.assertEqual(rows[name]["status"], "ok", rows[name])
        for name, what in (("swapped", "ndarray"), ("lazy", "Lazy")):
            self.assertEqual(rows[name]["status"], "error", rows[name])
            self.assertRegex(rows[name]["message"], rf"returned {what} that DLPack cannot export \(.+\): return a copy, such as")

    @needs_numpy
    def test_numpy_without_its_type(self):
        script = self.script('\n@gpubench.variant(C, name="f", arrays="numpy")\ndef f(x, y): pass\n')
        self.run_with(script, options=(*QUICK, "-a", "dtype=bf16"), variants="plain,f")
        row = self.by_variant()["f"]
        self.assertEqual((row["status"], row["message"]), ("skipped", "numpy has no bf16"))


class Faults(PythonTest):
    def test_exception_in_run(self):
        line = LINES + 4
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(x, y):\n    raise ValueError("no such luck")\n', "error",
                   rf"ValueError: no such luck \(mine\.py:{line}\)")

    def test_exception_in_prepare(self):
        self.fault('\n@gpubench.variant(C, name="f")\nclass F:\n    def prepare(self, case):\n        1 / 0\n    def run(self): pass\n',
                   "error", rf"prepare: ZeroDivisionError: division by zero \(mine\.py:{LINES + 5}\)")

    def test_wrong_parameter(self):
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(q): pass\n', "error",
                   r"TypeError: parameter 'q' of f is no tensor or axis of .*tensors x, y and axes n, dtype, a")

    def test_exception_in_release(self):
        script = self.script('\n@gpubench.variant(C, name="f", math="fp32")\nclass F:\n    def prepare(self, case): self.t, self.a = case.tensors, case.axes["a"]\n'
                             '    def run(self): scale(self.t["x"], self.t["y"], self.a)\n    def release(self): raise OSError("stuck")\n')
        result = self.run_with(script, variants="plain,f")
        self.assertRegex(result.err, r"mine: release of f: OSError: stuck \(mine\.py:\d+\)")
        self.assertEqual(self.by_variant()["f"]["status"], "ok")

    def test_sys_exit(self):
        self.fault('\nimport sys\n@gpubench.variant(C, name="f")\ndef f(x, y): sys.exit(5)\n', "error", r"SystemExit: 5 \(mine\.py:")

    def test_os_exit(self):
        self.fault('\nimport os\n@gpubench.variant(C, name="f")\ndef f(x, y): os._exit(5)\n', "crashed", r"exited with status 5 in run of .*/f\[")

    def test_segfault(self):
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(x, y):\n    ctypes.string_at(0)\n', "crashed",
                   rf'SIGSEGV in run of .*/f\[.*File ".*mine\.py", line {LINES + 4} in f')

    def test_lock_never_released(self):
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(x, y):\n    while True: pass\n', "timeout", r"no return within 1 s in run of",
                   options=(*QUICK, "--timeout", "1"))

    def test_returned_though_it_is_to_write(self):
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(x, y): return 1\n', "error", r"returned a value.*returns=True")

    def test_returned_nothing(self):
        self.fault('\n@gpubench.variant(C, name="f", returns=True)\ndef f(x): pass\n', "error", r"TypeError: returned nothing")

    @needs_numpy
    def test_wrong_type_shape_count(self):
        head = '\nimport numpy as np\n@gpubench.variant(C, name="f", arrays="numpy", returns=True)\n'
        for body, message in ((".astype(np.float64)", r"returned 'y' as f64, it is f32"),
                              (".reshape(1, -1)", r"returned 'y' of shape \[1, 64\], it is \[64\]"),
                              (", 1", r"TypeError: returned int: an output is an array")):
            with self.subTest(body):
                self.setUp()
                self.fault(f"{head}def f(x, a): return (x * a).astype(np.float32){body}\n", "error", message)

    def test_wrong_values(self):
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(x, y): scale(x, y, 3)\n', "wrong", r"'y': error")

    def test_input_changed(self):
        self.fault('\n@gpubench.variant(C, name="f")\ndef f(x, y, a):\n    scale(x, y, a)\n    view(x)[0] = 7\n', "wrong", r"changed its input 'x'")

    def test_thread_left_running(self):
        self.fault("""
@gpubench.variant(C, name="f")
def f(x, y, a):
    scale(x, y, a)
    threading.Thread(target=threading.Event().wait, daemon=True).start()
""", "error", r"run leaves threads running: \d+ more")

    def test_memory_that_grows(self):
        self.fault("""
kept = []
@gpubench.variant(C, name="f")
def f(x, y, a):
    scale(x, y, a)
    kept.append(bytearray(256 << 20))
""", "crashed", r"memory limit: .* resident, --memory-limit is", options=(*QUICK, "--memory-limit", "1GB"))

    def test_prints(self):
        script = self.script('\n@gpubench.variant(C, name="f", math="fp32")\ndef f(x, y, a):\n    scale(x, y, a)\n    print("loud")\n')
        result = self.gpubench("check", script, plugin("ok_vector"), "--variant", "f", "-a", "n=64", "--python", sys.executable)
        self.assertRegex(result.out, r"failed +prints .*\n?.*loud")
        self.run_with(script, variants="plain,f")  # and in a run its output does not disturb the table

    def load_fault(self, text, message, head=HEAD):
        script = self.script(text, head=head)
        result = self.run_with(script, exit=3, variants="plain")
        self.assertEqual({r["status"] for r in self.rows()}, {"ok"})
        self.assertRegex(result.err, message)
        self.assertIn("refused = ", (self.run_dir() / "run.ini").read_text())

    def test_exception_in_import(self):
        self.load_fault('\nraise ValueError("not today")\n', rf"plugin 'mine': open: ValueError: not today \(mine\.py:{LINES + 2}\)")

    def test_exit_in_import(self):
        self.load_fault('\nraise SystemExit(0)\n', r"plugin 'mine': open: SystemExit: 0 \(mine\.py:")

    def test_missing_module(self):
        self.load_fault("\nimport no_such_module\n", rf"ModuleNotFoundError: No module named 'no_such_module' \(mine\.py:{LINES + 2}\)")

    def test_syntax_error(self):
        self.load_fault("def f(:\n", r"SyntaxError: .* \(mine\.py:1\)", head="")

    def test_nothing_offered(self):
        self.load_fault("", r"mine\.py offers nothing: it has no @gpubench\.variant")

    def test_bad_name_and_bytes(self):
        script = self.script("", name="not a name.py")
        self.assertRegex(self.run_with(script, exit=3).err, r"'not a name' is not a valid name")
        bad = self.dir / "bad.py"
        bad.write_bytes(b"\0\xff")
        self.assertRegex(self.run_with(bad, exit=3).err, r"bad\.py: .*open: \w+Error")

    def test_a_backend_that_it_has_not(self):
        self.load_fault('\n@gpubench.variant(C, name="f", backend="rocm")\ndef f(x, y): pass\n', r"variants in Python are for 'cpu' or 'cuda'")


@needs_numpy
class Bundled(PythonTest):
    """numpy in the tables of the bundled plugins."""

    CASES = {
        "softmax": ("rows", ("m=3,37", "n=1,17,1025", "dtype=fp32,fp16")),
        "matmul": ("gemm", ("m=1,65", "n=33", "k=129")),
        "activations": ("*norm,add_*,sw*", ("m=3", "n=5,1000", "dtype=fp32,fp16")),
    }

    def test_all_are_right(self):
        for owner, (benches, axes) in self.CASES.items():
            with self.subTest(owner):
                points = [word for axis in axes for word in ("-a", axis)]
                self.ok(owner, f"numpy_{owner}", "--bench", benches, "--variant", "numpy", "--verify-only", "--out", owner,
                        *points, "--python", sys.executable)
                rows = self.rows(self.dir / owner)
                self.assertGreaterEqual(len(rows), 2)
                for row in rows:
                    self.assertEqual((row["status"], row["provider"]), ("ok", f"numpy_{owner}"), row)

    def test_gelu(self):
        self.ok("activations", "numpy_activations", "--bench", "gelu,bias_gelu", "--variant", "numpy", "--verify-only",
                "-a", "m=3", "-a", "n=1000", "-a", "form=erf,tanh", "--python", sys.executable)
        for row in self.rows():
            if row["status"] == "skipped":
                self.assertEqual(row["message"], "numpy has no erf, and scipy is not here")
            else:
                self.assertEqual(row["status"], "ok", row)

    def test_they_take_part_in_the_rounds(self):
        self.ok("softmax", "numpy_softmax", "--bench", "rows", "--variant", "fused,numpy", "-a", "m=64", "-a", "n=1000",
                *QUICK, "--baseline", "fused", "--python", sys.executable)
        row, rounds = self.by_variant()["numpy"], {}
        for slot in read_csv(self.run_dir() / "slots.csv"):
            # On a busy machine it may be measured again; only these epochs count.
            if slot["epoch"] in row["epochs"].split(";"):
                rounds.setdefault(slot["variant"], set()).add((slot["epoch"], slot["round"]))
        self.assertGreater(len(rounds["numpy"]), 1)
        # A variant that is precise stops, except a baseline that is still needed.
        self.assertLessEqual(rounds["numpy"], rounds["fused"])
        self.assertEqual((row["status"], row["plugin"], row["provider"]), ("ok", "softmax", "numpy_softmax"))
        self.assertNotEqual(row["speedup"], "")


class Torch(PythonTest):
    """PyTorch in the tables of the bundled plugins. It is installed only for `ci/test.sh --extra`."""

    CASES = {"softmax": ("rows", ("m=3,37", "n=1,1025")), "activations": ("gelu,swish,layernorm", ("m=3", "n=5,1000"))}

    def run_torch(self, owner, benches, axes, **more):
        points = [word for axis in (*axes, "dtype=fp32,fp16,bf16") for word in ("-a", axis)]
        self.gpubench(owner, f"torch_{owner}", "--bench", benches, "--variant", "torch", "--verify-only", "--out", owner,
                      *points, "--python", sys.executable, **more)
        return self.rows(self.dir / owner)

    @needs_torch
    def test_all_are_right(self):
        for owner, (benches, axes) in self.CASES.items():
            with self.subTest(owner):
                rows = self.run_torch(owner, benches, axes)
                for row in rows:
                    if row["status"] == "skipped":
                        self.assertRegex(row["message"], r"^torch \d\S+: .*(not implemented for|less exact)")
                    else:
                        self.assertEqual(row["status"], "ok", row)
                self.assertGreaterEqual([row["status"] for row in rows].count("ok"), 6)

    def test_without_it_they_are_skipped(self):
        (self.dir / "none").mkdir()
        (self.dir / "none/torch.py").write_text("raise ImportError('not today')\n")
        for owner, (benches, axes) in self.CASES.items():
            for row in self.run_torch(owner, benches, axes, env={"PYTHONPATH": str(self.dir / "none")}):
                self.assertEqual((row["status"], row["message"]), ("skipped", "no torch"), row)


AXPY = """import gpubench
import numpy as np

C = "example.org/mine/axpy/1"


@gpubench.bench(C, axes={"n": {"values": "1k,4k", "unit": "elements", "cuda": "1M"}, "dtype": ("fp32", "fp64"),
                         "a": {"type": "f64", "values": "2.5"}},
                presets={"small": {"point": "n=100", "backends": "cpu"}, "odd": "n=777,dtype=fp64"}, summary="y = a x + z")
class axpy:
    def supports(self, case):
        if case.axes["n"] > 5000: raise gpubench.Skip("too long")

    def setup(self, case):
        n, dtype = case.axes["n"], case.axes["dtype"]
        case.tensor("x", "in", dtype, (n,))
        case.tensor("z", "in", dtype, (n,), fill=("uniform", 1, 2))
        case.tensor("y", "out", dtype, (n,), reduction=2)
        case.work(flops=2 * n, bytes_read=8 * n, bytes_written=4 * n)

    def reference(self, x, z, a): return a * x + z


@gpubench.variant(C, arrays="numpy", baseline=True)
def plain(x, z, y, a): y[...] = x.dtype.type(a) * x + z


@gpubench.variant(C, arrays="numpy")
def bad(x, z, y): y[...] = 2 * x + z
"""


@needs_numpy
class Benches(PythonTest):
    """A bench that is defined in a script."""

    def run_axpy(self, *options, text=AXPY, exit=0):
        result = self.gpubench(self.script(text, name="axpy.py", head=""), *options, "--python", sys.executable, *QUICK)
        self.assertEqual(result.exit, exit, result)
        return result

    def test_presets_and_rows(self):
        self.run_axpy("--preset", "small,odd", exit=3)
        rows = self.rows()
        self.assertEqual({(r["case_key"], r["variant"], r["status"]) for r in rows},
                         {(f"axpy/axpy[n={n},dtype={d},a=2.5]", v, s) for n, d in ((100, "fp32"), (777, "fp64"))
                          for v, s in (("plain", "ok"), ("bad", "wrong"))})
        self.assertEqual({r["baseline"] for r in rows if r["status"] == "ok"}, {"plain"})

    def test_axes_work_and_supports(self):
        self.run_axpy("--variant", "plain", "-a", "n=1k,8k", "-a", "a=0.5")
        rows = {r["case_key"]: r for r in self.rows()}
        self.assertEqual(rows["axpy/axpy[n=1024,dtype=fp32,a=0.5]"]["status"], "ok")
        self.assertNotIn("axpy/axpy[n=8192,dtype=fp32,a=0.5]", {k for k, r in rows.items() if r["status"] == "ok"})

    def test_a_guest_of_it_in_another_script(self):
        guest = self.script('import gpubench\n@gpubench.variant("example.org/mine/axpy/1", arrays="numpy")\ndef two(x, z, y, a): y[:] = z + x * x.dtype.type(a)\n',
                            name="guest.py", head="")
        self.run_axpy(guest, "--preset", "small", "--variant", "plain,two")
        self.assertEqual({r["provider"]: r["status"] for r in self.rows()}, {"axpy": "ok", "guest": "ok"})

    def test_minors(self):
        """The second choice of dtype came with minor 1."""
        minor_of = '    def minor_of(self, case): return int(case.axes["dtype"] == "fp64")\n\n    def setup'
        text = AXPY.replace("bench(C, ", "bench(C, contract_minor=1, ").replace("    def setup", minor_of)
        guests = [self.script("import gpubench\n"
                              f'@gpubench.variant("example.org/mine/axpy/1", arrays="numpy", {minor})\n'
                              f"def {name}(x, z, y, a): y[:] = z + x * x.dtype.type(a)\n", name=f"{name}.py", head="")
                  for name, minor in (("old", ""), ("new", "contract_minor=1"))]
        self.run_axpy(*guests, "--preset", "small,odd", "--variant", "plain,old,new", text=text)
        self.assertEqual({(r["preset"], r["variant"]): (r["status"], r["message"]) for r in self.rows()},
                         {("small", "plain"): ("ok", ""), ("small", "old"): ("ok", ""), ("small", "new"): ("ok", ""),
                          ("odd", "plain"): ("ok", ""), ("odd", "new"): ("ok", ""),
                          ("odd", "old"): ("skipped", "written for minor 0 of example.org/mine/axpy/1; this case came "
                                                      "with minor 1")})

    def test_wrong_minors(self):
        for returned, message in (("-1", r"minor_of: ValueError: contract_minor -1: a whole number from 0 to 65535"),
                                  ("2", r"minor_of: gave 2, and contract_minor of example\.org/mine/axpy/1 is 0"),
                                  ("1 / 0", r"minor_of: ZeroDivisionError: division by zero")):
            self.setUp()
            text = AXPY.replace("    def setup", f"    def minor_of(self, case): return {returned}\n\n    def setup")
            result = self.run_axpy("--preset", "small", "--variant", "plain", text=text, exit=3)
            self.assertRegex(result.out + result.err, message)
        result = self.run_axpy(text=AXPY.replace("bench(C, ", 'bench(C, contract_minor="1", '), exit=3)
        self.assertRegex(result.err, r"ValueError: contract_minor '1': a whole number from 0 to 65535")

    def test_faults(self):
        for old, new, message in (("return a * x + z", "return a * x[1:]", r"reference returned 'y' of shape \[99\], it is \[100\]"),
                                  ("return a * x + z", "return x, z", r"reference returned 2 outputs, there are 1: y"),
                                  ("return a * x + z", "1 / 0", r"ZeroDivisionError: division by zero \(axpy\.py:21\)"),
                                  ("reference(self, x, z, a)", "reference(self, q)", r"parameter 'q' of reference is no input or axis"),
                                  ('"in", dtype, (n,))', '"inn", dtype, (n,))', r"tensor 'x': role 'inn'.* is not known"),
                                  ('"out", dtype, (n,), ', '"out", dtype, (n,) * 9, ', r"tensor 'y' has rank 9: 1 to 8")):
            with self.subTest(new):
                self.setUp()
                result = self.run_axpy("--preset", "small", "--variant", "plain", text=AXPY.replace(old, new), exit=3)
                self.assertRegex(result.out + result.err, message)

    def test_without_its_methods(self):
        result = self.run_axpy(text=AXPY.replace("def reference", "def referee"), exit=3)
        self.assertRegex(result.err, r"TypeError: bench axpy has no method `reference` \(axpy\.py:\d+\)")


class Interpreters(PythonTest):
    WORKS = '\n@gpubench.variant(C, name="f", math="fp32")\ndef f(x, y, a): scale(x, y, a)\n'

    def test_none_is_a_reason(self):
        script = self.script(self.WORKS)
        result = self.gpubench(plugin("ok_vector"), script, "-a", "n=64", *QUICK, env={"PATH": str(self.dir), "VIRTUAL_ENV": ""})
        self.assertEqual(result.exit, 0, result)
        self.assertRegex(result.err, r"warning: plugin mine\.py is skipped: no python3 on PATH: --python names another")
        self.assertIn("no python3 on PATH", (self.run_dir() / "run.ini").read_text())
        self.assertNotIn("f", self.by_variant())

    def test_alone_there_is_nothing_to_run(self):
        result = self.gpubench(self.script(self.WORKS), "-a", "n=64", "--python", "/nowhere/python")
        self.assertEqual(result.exit, 2, result)
        self.assertRegex(result.err, r"/nowhere/python cannot be used: No such file")

    def test_old_ones(self):
        old = self.dir / "python2"
        old.write_text("#!/bin/sh\necho 2.7.18\nexit 1\n")
        old.chmod(0o755)
        result = self.gpubench(plugin("ok_vector"), self.script(self.WORKS), "-a", "n=64", *QUICK, "--python", old)
        self.assertEqual(result.exit, 0, result)
        self.assertRegex(result.err, r"python2 is Python 2\.7: plugins in Python need 3\.9")

    def test_of_a_virtual_environment(self):
        home = self.dir / "venv"
        (home / "bin").mkdir(parents=True)
        (home / "bin/python").symlink_to(sys.executable)
        result = self.gpubench(plugin("ok_vector"), self.script(self.WORKS), "-a", "n=64", *QUICK, env={"VIRTUAL_ENV": str(home)})
        self.assertEqual(result.exit, 0, result)
        self.assertRegex((self.run_dir() / "run.ini").read_text(), r"(?m)^python = \S+ \(.*venv/bin/python\)$")

    def test_not_in_process(self):
        line = self.one_line_error(2, plugin("ok_vector"), self.script(self.WORKS), "-a", "n=64", "--in-process")
        self.assertRegex(line, r"mine\.py: a plugin in Python .*--in-process")

    def test_a_file_that_others_can_write(self):
        script = self.script(self.WORKS)
        script.chmod(0o666)
        result = self.gpubench(plugin("ok_vector"), script, "-a", "n=64", *QUICK, "--python", sys.executable)
        self.assertRegex(result.err, r"other users can write to it")

    def test_modules_of_the_current_folder_stay_out(self):
        for name in ("ctypes", "gpubench", "faulthandler", "types"):
            (self.dir / f"{name}.py").write_text("raise RuntimeError('a stranger')\n")
        (self.dir / "own").mkdir()
        self.run_with(self.script(self.WORKS, name="own/mine.py"), variants="plain,f")

    def test_list_and_suites(self):
        script = self.script(self.WORKS)
        listed = self.ok("list", "--plugin", script, "--python", sys.executable)
        self.assertRegex(listed.out, r"guest +f +cpu +native|guest +f +cpu +fp32")
        suite = self.dir / "mine.ini"
        suite.write_text(f"[vector]\nplugin = {plugin('ok_vector')}, {script}\nvariant = plain, f\naxis.n = 64\n")
        result = self.gpubench("--suite", suite, *QUICK, "--python", sys.executable)
        self.assertEqual(result.exit, 0, result)
        self.assertEqual(self.by_variant()["f"]["status"], "ok")


if __name__ == "__main__":
    main()
