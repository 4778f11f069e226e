"""A bench in Python with two variants: y = 2 x + z. The section "In Python" of the guide explains each line."""

import gpubench

AXPY = "example.org/mine/axpy/1"


@gpubench.bench(AXPY, axes={"n": "1k,1M", "dtype": ("fp32", "fp64")}, presets={"odd": "n=777"})
class axpy:
    def setup(self, case):
        n, size = case.axes["n"], 4 if case.axes["dtype"] == "fp32" else 8
        case.tensor("x", "in", case.axes["dtype"], (n,))
        case.tensor("z", "in", case.axes["dtype"], (n,), fill=("uniform", 1, 2))
        case.tensor("y", "out", case.axes["dtype"], (n,), reduction=2)
        case.work(flops=2 * n, bytes_read=2 * size * n, bytes_written=size * n)

    def reference(self, x, z):
        return 2 * x + z


@gpubench.variant(AXPY, arrays="numpy", baseline=True)
def plain(x, z, y):
    y[:] = 2 * x + z


@gpubench.variant(AXPY, arrays="numpy")
def in_place(x, z, y):
    y[:] = x
    y *= 2
    y += z
