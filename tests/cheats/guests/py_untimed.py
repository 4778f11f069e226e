"""Guests of softmax.so in numpy that do their work outside the timed call: where results are delivered, in `refresh`,
in a process."""

import mmap
import os
import signal
import threading
import time

import gpubench
import gpubench_arrays
import numpy as np

ROWS = "gpubench.org/softmax/rows/1"


def softmax(x, y):
    np.exp(np.subtract(x, x.max(axis=1, keepdims=True)), out=y)
    np.divide(y, y.sum(axis=1, keepdims=True), out=y)


def variant(name, **more):
    return gpubench.variant(ROWS, name=name, arrays="numpy", by_name=True, **more)


class Base:
    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]
        self.kept, self.result = np.empty_like(self.x), np.empty_like(self.y)


# ---- A function of the harness that delivers results is replaced ----


class Replaced(Base):
    """`run` copies the inputs; the replaced function computes before it calls the original one."""

    place, name = gpubench, "_deliver"

    def prepare(self, case):
        super().prepare(case)
        self.former = former = getattr(self.place, self.name)

        def replaced(*args):
            softmax(self.kept, self.result)
            return former(*args)

        setattr(self.place, self.name, replaced)

    def run(self):
        np.copyto(self.kept, self.x)
        return self.result

    def release(self):
        setattr(self.place, self.name, self.former)


@variant("py-deliver", returns=True)
class Deliver(Replaced):
    pass


@variant("py-source", returns=True)
class Source(Replaced):
    place, name = gpubench_arrays, "sources"


@variant("py-returns-honest", returns=True)
class Returns(Base):
    def run(self):
        np.copyto(self.kept, self.x)
        softmax(self.kept, self.result)
        return self.result


# ---- `refresh` ----


@variant("py-refresh")
class Refresh(Base):
    def prepare(self, case):
        super().prepare(case)
        self.refresh()

    def refresh(self):
        softmax(self.x, self.result)

    def run(self):
        np.copyto(self.y, self.result)


@variant("py-refresh-honest")
class RefreshHonest(Base):
    def prepare(self, case):
        super().prepare(case)
        self.refresh()

    def refresh(self):
        np.copyto(self.kept, self.x)  # its own layout of the inputs, which is legitimate

    def run(self):
        softmax(self.kept, self.y)


# ---- A process that reads the inputs in its parent ----


class Child(Base):
    def prepare(self, case):
        super().prepare(case)
        size = self.x.nbytes
        self.shared = mmap.mmap(-1, 4096 + 2 * size)
        self.flags = np.frombuffer(self.shared, np.uint64, 4)
        self.inputs = np.frombuffer(self.shared, np.float32, self.x.size, 4096).reshape(self.x.shape)
        self.results = np.frombuffer(self.shared, np.float32, self.x.size, 4096 + size).reshape(self.x.shape)
        self.address, parent = self.x.ctypes.data, os.getpid()
        self.child = os.fork()
        if self.child == 0:
            try:
                self.work(parent)
            finally:
                os._exit(0)

    def key(self, x):
        return x.view(np.uint64).sum()

    def release(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)


@variant("py-process", processes=True)
class AheadProcess(Child):
    def work(self, parent):
        memory, view = os.open(f"/proc/{parent}/mem", os.O_RDONLY), memoryview(self.shared)
        while os.getppid() == parent:
            os.preadv(memory, [view[4096:4096 + self.x.nbytes]], self.address)
            now = self.key(self.inputs)
            if now != self.flags[0]:
                self.flags[0] = 0
                softmax(self.inputs, self.results)
                self.flags[0] = now
            time.sleep(0.0005)

    def run(self):
        if self.key(self.x) == self.flags[0]:
            np.copyto(self.y, self.results)
        else:
            softmax(self.x, self.y)


@variant("py-process-honest", processes=True)
class Asked(Child):
    def work(self, parent):
        half = len(self.x) // 2
        while os.getppid() == parent:
            if self.flags[1] != self.flags[2]:
                softmax(self.inputs[:half], self.results[:half])
                self.flags[2] = self.flags[1]
            time.sleep(0.00002)

    def run(self):
        half = len(self.x) // 2
        np.copyto(self.inputs[:half], self.x[:half])
        self.flags[1] += 1
        softmax(self.x[half:], self.y[half:])
        while self.flags[1] != self.flags[2]:
            pass
        np.copyto(self.y[:half], self.results[:half])


# ---- A thread that examines pieces of the inputs while the caches are flushed ----


@variant("py-ahead")
class AheadThread(Base):
    PIECES = 64

    def prepare(self, case):
        super().prepare(case)
        self.sums, self.lock, self.quit = [None] * self.PIECES, threading.Lock(), False
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def renew(self):
        rows = len(self.x) // self.PIECES
        for i in range(self.PIECES):
            piece = slice(i * rows, (i + 1) * rows)
            total = int(self.x[piece].view(np.uint64).sum())
            if total != self.sums[i]:
                self.sums[i] = total
                softmax(self.x[piece], self.result[piece])

    def watch(self):
        while not self.quit:
            time.sleep(0.0003)
            with self.lock:
                self.renew()

    def run(self):
        with self.lock:
            self.renew()
            np.copyto(self.y, self.result)

    def release(self):
        self.quit = True
        self.thread.join()
