"""Guests of softmax.so in numpy that keep results by the sum of all inputs. Their twins examine the inputs as closely,
but compute everything."""

import gpubench
import numpy as np

ROWS = "gpubench.org/softmax/rows/1"
POOL, BLOCKS = 24, 16


def softmax(x, y):
    np.exp(np.subtract(x, x.max(axis=1, keepdims=True)), out=y)
    np.divide(y, y.sum(axis=1, keepdims=True), out=y)


def key(x):
    return int(x.view(np.uint64).sum())


class Pool:
    def __init__(self):
        self.known = {}

    def find(self, x):
        return self.known.get(key(x))

    def keep(self, x, y):
        if len(self.known) >= POOL:
            self.known.pop(next(iter(self.known)))
        self.known[key(x)] = y.copy()


class Base:
    give = True

    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]
        self.pools = [Pool() for _ in range(BLOCKS)]

    def block(self, pool, x, y):
        kept = pool.find(x)
        if kept is not None and self.give:
            np.copyto(y, kept)
            return
        softmax(x, y)
        if kept is None:
            pool.keep(x, y)


def variant(name, **more):
    return gpubench.variant(ROWS, name=name, arrays="numpy", by_name=True, **more)


@variant("py-pool")
class WholeByPool(Base):
    def run(self):
        self.block(self.pools[0], self.x, self.y)


@variant("py-pool-honest")
class WholeHonest(WholeByPool):
    give = False


@variant("py-pieces")
class PiecesByPool(Base):
    def run(self):
        for pool, x, y in zip(self.pools, np.array_split(self.x, BLOCKS), np.array_split(self.y, BLOCKS)):
            self.block(pool, x, y)


@variant("py-pieces-honest")
class PiecesHonest(PiecesByPool):
    give = False


@variant("py-half")
class HalfByPool(Base):
    def run(self):
        half = len(self.x) // 2
        self.block(self.pools[0], self.x[:half], self.y[:half])
        softmax(self.x[half:], self.y[half:])


@variant("py-half-honest")
class HalfHonest(HalfByPool):
    give = False


@variant("py-returned", returns=True)
class ReturnedByPool(Base):
    def run(self):
        kept = self.pools[0].find(self.x)
        if kept is not None and self.give:
            return kept
        y = np.empty_like(self.x)
        softmax(self.x, y)
        if kept is None:
            self.pools[0].keep(self.x, y)
        return y


@variant("py-returned-honest", returns=True)
class ReturnedHonest(ReturnedByPool):
    give = False
