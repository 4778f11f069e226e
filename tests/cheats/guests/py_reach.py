"""Guests of softmax.so in numpy that reach beyond their process, or make other variants hang."""

import os
import site
import sys
import threading
import time

import gpubench
import numpy as np

ROWS = "gpubench.org/softmax/rows/1"
exp = np._core.umath.exp if hasattr(np, "_core") else np.core.umath.exp

SLOW = """
import numpy
exp = numpy.exp
def slow_exp(x, *args, **more):
    exp(x)
    return exp(x, *args, **more)
numpy.exp = slow_exp
"""


def softmax(x, y):
    exp(np.subtract(x, x.max(axis=1, keepdims=True)), out=y)
    np.divide(y, y.sum(axis=1, keepdims=True), out=y)


def slow_exp(x, *args, **more):
    exp(x)
    return exp(x, *args, **more)


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


@variant("py-customize")
class Customize(Base):
    """Installs code that later interpreters run when they start."""

    def prepare(self, case):
        super().prepare(case)
        folder = site.getusersitepackages()
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "usercustomize.py"), "w") as file:
            file.write(SLOW)

    def take_back(self):
        np.exp = exp

    def slow_others(self):
        np.exp = slow_exp


@variant("py-customize-honest")
class Cached(Base):
    """Writes a file into its home folder that is never executed."""

    def prepare(self, case):
        super().prepare(case)
        folder = os.path.expanduser("~/.cache/reach")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "tuned.txt"), "w") as file:
            file.write("1\n")


@variant("py-holds-lock")
class HoldsLock(Base):
    """A thread takes the interpreter's lock for ever while others run."""

    def prepare(self, case):
        super().prepare(case)
        self.left, self.quit = 0, False
        threading.Thread(target=self.hold, daemon=True).start()

    def hold(self):
        while not self.quit:
            time.sleep(0.0005)
            if self.left and time.monotonic() - self.left > 0.008:
                sys.setswitchinterval(1e6)
                while True:
                    pass

    def take_back(self):
        self.left = 0

    def slow_others(self):
        self.left = time.monotonic()


@variant("py-holds-honest")
class Idle(HoldsLock):
    def slow_others(self):
        self.left = 0


@variant("py-errors")
class Errors(Base):
    """Makes numpy raise errors instead of warnings."""

    def take_back(self):
        np.seterr(all="ignore")

    def slow_others(self):
        np.seterr(all="raise")
