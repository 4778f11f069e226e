"""Guests of softmax.so in PyTorch on a GPU: results that are kept, left to another stream or to the harness; and
settings and functions that slow, or damage, another script, torch_softmax.py."""

import sys

import gpubench
import gpubench_arrays
import torch

ROWS = "gpubench.org/softmax/rows/1"
OTHER = "gpubench_script.torch_softmax"
softmax = torch.softmax


def variant(name, **more):
    return gpubench.variant(ROWS, name=name, backend="cuda", arrays="torch", by_name=True, **more)


class Base:
    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]
        self.side = torch.cuda.Stream()


# ---- Their own work ----


@variant("t-honest")
class Honest(Base):
    def run(self):
        torch.softmax(self.x, 1, out=self.y)


@variant("t-returns-honest", returns=True)
class Returns(Base):
    def run(self):
        return softmax(self.x, 1)


class Replaced(Base):
    place, name = gpubench, "_deliver"

    def prepare(self, case):
        super().prepare(case)
        self.kept, self.result = torch.empty_like(self.x), torch.empty_like(self.y)
        self.former = former = getattr(self.place, self.name)

        def replaced(*args):
            torch.softmax(self.kept, 1, out=self.result)
            torch.cuda.current_stream().synchronize()
            return former(*args)

        setattr(self.place, self.name, replaced)

    def run(self):
        self.kept.copy_(self.x)
        return self.result

    def release(self):
        setattr(self.place, self.name, self.former)


@variant("t-deliver", returns=True)
class Deliver(Replaced):
    pass


@variant("t-sources", returns=True)
class Sources(Replaced):
    place, name = gpubench_arrays, "sources"


# ---- Effects on other scripts ----


def slow_softmax(x, *args, **more):
    softmax(x, *args, **more)
    return softmax(x, *args, **more)


class Neighbour(Base):
    def run(self):
        self.take_back()
        torch.softmax(self.x, 1, out=self.y)
        self.slow_others()

    def release(self):
        self.take_back()


@variant("t-patched")
class Patched(Neighbour):
    def take_back(self):
        torch.softmax = softmax

    def slow_others(self):
        torch.softmax = slow_softmax


@variant("t-code")
class Code(Neighbour):
    def prepare(self, case):
        super().prepare(case)
        self.function = sys.modules[OTHER].softmax
        self.former = self.function.__code__

        def slower(x):
            torch.softmax(x, dim=1)
            return torch.softmax(x, dim=1)

        self.slower = slower.__code__

    def take_back(self):
        self.function.__code__ = self.former

    def slow_others(self):
        self.function.__code__ = self.slower


@variant("t-stream")
class Stream(Neighbour):
    """Redirects other variants' work to another stream."""

    def prepare(self, case):
        super().prepare(case)
        self.host = torch.cuda.current_stream()

    def take_back(self):
        torch.cuda.set_stream(self.host)

    def slow_others(self):
        torch.cuda.set_stream(self.side)


@variant("t-own-honest")
class Own(Neighbour):
    def take_back(self):
        self.softmax = softmax

    def slow_others(self):
        self.softmax = slow_softmax
