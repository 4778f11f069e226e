"""Guests of softmax.so in numpy that slow another script of the interpreter, numpy_softmax.py, while it is timed. They
undo everything in their own calls. Their twins change only objects of their own."""

import gc
import sys
import threading
import time

import gpubench
import numpy as np

ROWS = "gpubench.org/softmax/rows/1"
OTHER = "gpubench_script.numpy_softmax"
exp, setprofile = np.exp, sys.setprofile


def softmax(x, y):
    exp(np.subtract(x, x.max(axis=1, keepdims=True)), out=y)
    np.divide(y, y.sum(axis=1, keepdims=True), out=y)


def slow_exp(x, *args, **more):
    exp(x)
    return exp(x, *args, **more)


def slow_hook(frame, event, _):
    if event == "call" and frame.f_code.co_name == "softmax":
        time.sleep(0.002)


class Slow:
    """numpy with one function replaced."""

    exp = staticmethod(slow_exp)

    def __getattr__(self, name):
        return getattr(np, name)


def variant(name):
    return gpubench.variant(ROWS, name=name, arrays="numpy", by_name=True)


class Base:
    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]

    def run(self):
        self.take_back()
        softmax(self.x, self.y)
        self.slow_others()

    def take_back(self):
        pass

    def slow_others(self):
        pass

    def release(self):
        self.take_back()


@variant("py-patched-exp")
class PatchedExp(Base):
    def take_back(self):
        np.exp = exp

    def slow_others(self):
        np.exp = slow_exp


@variant("py-profile")
class Profile(Base):
    def take_back(self):
        setprofile(None)

    def slow_others(self):
        setprofile(slow_hook)


@variant("py-gc")
class Collected(Base):
    def prepare(self, case):
        super().prepare(case)
        self.kept = [[i] for i in range(300000)]
        self.former = gc.get_threshold()

    def take_back(self):
        gc.set_threshold(*self.former)

    def slow_others(self):
        gc.set_threshold(1, 1, 1)


@variant("py-module")
class Module(Base):
    def take_back(self):
        sys.modules[OTHER].np = np

    def slow_others(self):
        sys.modules[OTHER].np = Slow()


@variant("py-code")
class Code(Base):
    def prepare(self, case):
        super().prepare(case)
        self.function = sys.modules[OTHER].softmax
        self.former = self.function.__code__

        def slower(x, y):
            e = np.subtract(x, x.max(axis=1, keepdims=True), dtype=np.float32)
            np.exp(np.exp(e), out=e) if x is None else np.exp(e)
            np.exp(e, out=e)
            np.divide(e, e.sum(axis=1, keepdims=True), out=y, casting="same_kind")

        self.slower = slower.__code__

    def take_back(self):
        self.function.__code__ = self.former

    def slow_others(self):
        self.function.__code__ = self.slower


@variant("py-thread")
class Thread(Base):
    """A thread that holds the interpreter's lock while others run."""

    def prepare(self, case):
        super().prepare(case)
        self.on, self.quit, self.interval = False, False, sys.getswitchinterval()
        self.thread = threading.Thread(target=self.spin, daemon=True)
        self.thread.start()

    def spin(self):
        while not self.quit:
            while self.on:
                pass
            time.sleep(0.0001)

    def take_back(self):
        self.on = False

    def slow_others(self):
        self.on = True

    def release(self):
        self.on, self.quit = False, True
        self.thread.join()


@variant("py-own-honest")
class Own(Base):
    """Replaces and restores only its own function."""

    def take_back(self):
        self.exp = exp

    def slow_others(self):
        self.exp = slow_exp


@variant("py-thread-honest")
class Idle(Thread):
    def slow_others(self):
        self.on = False


@variant("py-gc-honest")
class Objects(Collected):
    def slow_others(self):
        gc.set_threshold(*self.former)
