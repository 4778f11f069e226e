"""Outputs in Python that are computed when the host reads them: in a method, a hook, a replaced function, a thread.
None is faster than its honest twin, which does the same work in time. The problem is that of tests/cheats, whose work
is long enough to be worth hiding."""

import os
import sys
import unittest

from run import PLUGINS, GpubenchTest, main

try:
    import numpy
except ImportError:
    if os.environ.get("GPUBENCH_NO_SKIP") == "1":
        raise
    numpy = None

CHEATS = PLUGINS.parent / "cheats/cheats.so"
SCRIPT = """
import ctypes, gc, random, sys, threading, time
import gpubench, gpubench_arrays, numpy as np


def work(x, y):
    np.copyto(y, x)
    for _ in range(32):
        np.multiply(y, np.float32(0.9), out=y)
        np.add(y, np.float32(0.15), out=y)


class Returns:
    # What is returned has its memory at once, and its values when `finish` is called.
    def prepare(self, case):
        self.x, self.turn, self.pending = case.tensors["x"], 0, None
        self.buffers = [(np.zeros_like(self.x), np.array([-1], np.int32)) for _ in range(2)]
        self.known = self.x.copy()
        self.arm()
    def run(self):
        self.turn ^= 1
        self.pending = self.buffers[self.turn][0]
        np.copyto(self.known, self.x)  # which is not there while results are brought home
        self.start()
        return self.wrapped(self.buffers[self.turn])
    def arm(self): pass
    def start(self): pass
    def wrapped(self, made): return made
    def finish(self, *_):
        y, self.pending = self.pending, None
        if y is not None:
            work(self.known, y)


def offer(name):
    return gpubench.variant("gpubench.org/test/cheats/elsewhere/1", name=name, math="fp32", arrays="numpy", returns=True)


def replaced(module, name):
    # Whoever calls it has the work done first.
    class Replaced(Returns):
        def arm(self):
            self.former = former = getattr(module, name)
            def instead(*args, **named):
                self.finish()
                return former(*args, **named)
            setattr(module, name, instead)
        def release(self): setattr(module, name, self.former)
    return Replaced


@offer("twin")
class Honest(Returns):
    def start(self): self.finish()


@offer("honest-lazy")
class HonestLazy(Returns):
    def wrapped(self, made):
        owner = self
        class Lazy:
            def __dlpack_device__(self): return made[0].__dlpack_device__()
            def __dlpack__(self, **more):
                owner.finish()
                return made[0].__dlpack__(**more)
        return Lazy(), made[1]


offer("deliver")(replaced(gpubench_arrays, "deliver"))
offer("sources")(replaced(gpubench_arrays, "sources"))
offer("capsule")(replaced(gpubench_arrays, "capsule_of"))
offer("private")(replaced(gpubench, "_deliver"))
offer("memmove")(replaced(ctypes, "memmove"))
offer("sleep")(replaced(time, "sleep"))
offer("dense")(replaced(gpubench_arrays, "dense"))
offer("merged")(replaced(gpubench_arrays, "_merged"))
offer("cast")(replaced(ctypes, "cast"))


@offer("profile")
class Profile(Returns):
    def start(self): sys.setprofile(lambda frame, event, arg: event == "call" and frame.f_code.co_name == "deliver" and self.finish())
    def release(self): sys.setprofile(None)


@offer("trace")
class Trace(Returns):
    def start(self): sys.settrace(lambda frame, event, arg: self.finish() if frame.f_code.co_name == "deliver" else None)
    def release(self): sys.settrace(None)


@offer("garbage")
class Garbage(Returns):
    def arm(self):
        self.ends = lambda phase, info: self.finish()
        gc.callbacks.append(self.ends)
        gc.set_threshold(1)
    def release(self):
        gc.callbacks.remove(self.ends)
        gc.set_threshold(700)


@offer("thread")
class Thread(Returns):
    def start(self): threading.Thread(target=self.finish).start()


@offer("a-list")
class AList(Returns):
    def wrapped(self, made):
        owner = self
        class Late(list):
            def __iter__(self):
                if sys._getframe(1).f_code.co_name != "_export":
                    owner.finish()
                return super().__iter__()
        return Late(made)


@offer("subclass")
class Subclass(Returns):
    def wrapped(self, made):
        owner = self
        class Late(np.ndarray):
            def __dlpack__(self, **more):
                return np.asarray(self).__dlpack__(**more)
            def __dlpack_device__(self):
                caller = sys._getframe(1).f_code.co_name
                if caller != "__init__":
                    owner.finish()
                return (1, 0)
        return made[0].view(Late), made[1]


@offer("audit")
class Audit(Returns):
    def arm(self):
        here = self
        def hook(event, args):
            if event.startswith("ctypes.") and here.pending is not None:
                here.finish()
        sys.addaudithook(hook)
"""
LATE = (("deliver", "memmove"), ("sources", "capsule", "private", "dense", "merged", "cast"), ("sleep", "profile", "garbage"),
        ("trace", "thread", "audit", "a-list", "subclass"))


@unittest.skipIf(numpy is None, "numpy is not installed")
class Lazy(GpubenchTest):
    def rows_of(self, *names):
        script = self.dir / "lazy.py"
        script.write_text(SCRIPT)
        out = self.dir / names[0]
        self.gpubench(CHEATS, script, "--bench", "cheats/elsewhere", "--variant", ",".join(["twin", *names]), "-a", "n=65536",
                      "--baseline", "twin", "--case-time", "1", "--max-time", "600", "--ceilings", "off", "--python", sys.executable, "--out", out)
        return {(row["provider"], row["variant"]): row for row in self.rows(out)}

    def test_none_is_faster(self):
        for group in LATE:
            rows = self.rows_of(*group)
            self.assertEqual(rows["lazy", "twin"]["status"], "ok", rows["lazy", "twin"])
            for name in group:
                with self.subTest(name):
                    row = rows["lazy", name]
                    print(name, row["status"], row["median_raw_ns"], row["verdict"], row["message"][:150])
                    self.assertIn(row["status"], ("ok", "wrong", "error"), row)
                    if row["status"] == "ok":  # its work was done in time
                        self.assertNotEqual(row["verdict"], "faster", row)
                        self.assertIn(name, ("garbage", "thread"), row)

    def test_what_is_made_in_time_is_right(self):
        rows = self.rows_of("honest-lazy")
        for name in ("twin", "honest-lazy"):
            self.assertEqual(rows["lazy", name]["status"], "ok", rows["lazy", name])


if __name__ == "__main__":
    main()
