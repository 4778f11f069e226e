"""A guest of softmax/rows in Python: two variants in the table of softmax.so. Needs numpy.

Steps that make it yours:
1. write your code to be timed in `run`: it writes every element of every output, in place;
2. put work that is done once into `prepare` of a class, as below, and release its resources in `release(self)`;
3. let `supports` raise Skip, with the reason, for cases that it cannot compute;
4. add another @gpubench.variant for another way to compute it; write arrays="torch" to get torch in place of numpy.
"""

import gpubench
import numpy as np


@gpubench.variant("gpubench.org/softmax/rows/1", name="in-place", arrays="numpy", math="fp32")
def run(x, y):
    e = np.subtract(x, x.max(axis=1, keepdims=True), dtype=np.float32)
    np.exp(e, out=e)
    np.divide(e, e.sum(axis=1, keepdims=True), out=y, casting="same_kind")


def supports(case):
    if case.axes["n"] > 65536:
        raise gpubench.Skip("n above 65536: a row is to fit the cache")


@gpubench.variant("gpubench.org/softmax/rows/1", name="by-rows", arrays="numpy", math="fp32", supports=supports)
class ByRows:
    def prepare(self, case):
        self.x, self.y = case.tensors["x"], case.tensors["y"]
        self.row = np.empty(case.axes["n"], np.float32)
        case.note("rows", "one after the other")

    def run(self):
        for x, y in zip(self.x, self.y):
            np.exp(np.subtract(x, x.max(), out=self.row), out=self.row)
            np.divide(self.row, self.row.sum(), out=y, casting="same_kind")
