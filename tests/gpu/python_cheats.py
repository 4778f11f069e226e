"""Guests of matmul.so on cuda that do the work once, or elsewhere, for tests/gpu/python.sh. None of them may get a
time; the variants named honest* are honest."""

import threading

import gpubench
import torch


def cheat(name, **more):
    return gpubench.variant("gpubench.org/matmul/gemm/1", name=name, backend="cuda", arrays="torch", **more)


def product(t):
    return torch.matmul(t["a"], t["b"].t())


class Cheat:
    def prepare(self, case):
        self.t, self.known, self.side = case.tensors, {}, torch.cuda.Stream()


@cheat("honest")
class Honest(Cheat):
    def run(self):
        torch.matmul(self.t["a"], self.t["b"].t(), out=self.t["c"])


@cheat("honest-returned", returns=True)
class HonestReturned(Cheat):
    def run(self):
        return product(self.t)


@cheat("by-pointer")
class ByPointer(Cheat):
    def run(self):
        key = self.t["a"].data_ptr()
        if key not in self.known:
            self.known[key] = product(self.t)
        self.t["c"].copy_(self.known[key])


@cheat("by-content")
class ByContent(Cheat):
    def run(self):
        key = float(self.t["a"].float().sum()), float(self.t["b"].float().sum())
        if key not in self.known:
            self.known = {key: product(self.t)}
        self.t["c"].copy_(self.known[key])


@cheat("cached-output", returns=True)
class CachedOutput(Cheat):
    def run(self):
        if not self.known:
            self.known["c"] = product(self.t)
        return self.known["c"]


@cheat("other-stream")
class OtherStream(Cheat):
    def run(self):
        with torch.cuda.stream(self.side):
            torch.matmul(self.t["a"], self.t["b"].t(), out=self.t["c"])


@cheat("other-stream-returned", returns=True)
class OtherStreamReturned(Cheat):
    def run(self):
        with torch.cuda.stream(self.side):
            return product(self.t)


@cheat("in-a-thread")
class InAThread(Cheat):
    def run(self):
        threading.Thread(target=self.work).start()

    def work(self):
        with torch.cuda.stream(self.side):
            self.t["c"].copy_(product(self.t))
