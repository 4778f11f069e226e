"""Matrix products with numpy and its bundled BLAS: guests of matmul.so."""

import gpubench

try:
    import numpy as np
except ImportError:
    np = None  # the rows report that it is missing, because of `arrays`


def is_fp32(case):
    if case.axes["dtype"] != "fp32":
        raise gpubench.Skip(f"dtype is {case.axes['dtype']}: numpy's products of it go element by element")


@gpubench.variant("gpubench.org/matmul/gemm/1", name="numpy", arrays="numpy", supports=is_fp32,
                  summary="numpy.matmul, by its BLAS")
def matmul(a, b, c):
    np.matmul(a, b.T, out=c)
