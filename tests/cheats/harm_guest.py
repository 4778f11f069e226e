"""Each variant of this script is right, and harms the other scripts of its interpreter (harm.py, harm.list)."""

import gc
import os
import sys
import threading
import time

import gpubench
import numpy as np

OFFSETS = np.tile(np.arange(1, 17, dtype=np.float32), 512)
multiply, add = np.multiply, np.add


class Harm:
    act_at = 6  # the call of `run` in which the harm begins; 0: in prepare

    def prepare(self, case):
        self.x, self.y, self.calls = case.tensors["x"], case.tensors["y"], 0
        if self.act_at == 0:
            self.act()

    def run(self):
        multiply(self.x, np.float32(0.5), out=self.y)
        add(self.y, OFFSETS, out=self.y)
        self.calls += 1
        if self.calls == self.act_at:
            self.act()

    def release(self):
        pass


def harm(name):
    return gpubench.variant("gpubench.org/test/harm/1", name=name, math="fp32", arrays="numpy")


@harm("py-flags")
class Flags(Harm):
    def act(self): sys.modules["harm_flags"].fast = True


@harm("py-flags-soon")
class FlagsSoon(Flags):
    act_at = 0


@harm("py-errstate")
class Errstate(Harm):
    def act(self): np.seterr(all="raise")


@harm("py-patch")
class Patch(Harm):
    def act(self): np.multiply = lambda a, b, out: multiply(a, b * np.float32(1.5), out=out)


@harm("py-recursion")
class Recursion(Harm):
    def act(self): sys.setrecursionlimit(len(__import__("inspect").stack()) + 3)


@harm("py-exit")
class Exit(Harm):
    def act(self): os._exit(0)


@harm("py-thread")
class Thread(Harm):
    act_at = 0

    def act(self):
        self.going = True
        self.thread = threading.Thread(target=self.spoil, daemon=True)
        self.thread.start()

    def spoil(self):
        while self.going:
            self.y[::97] = -1
            time.sleep(1e-5)

    def release(self):
        self.going = False
        self.thread.join()


@harm("py-gc")
class Gc(Harm):
    def act(self): gc.disable()
