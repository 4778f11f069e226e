"""Matrix products by numpy and the BLAS that it brings: guests of matmul.so."""

import gpubench

try:
    import numpy as np
except ImportError:
    np = None  # `arrays` says so in each row


def is_fp32(case):
    if case.axes["dtype"] != "fp32":
        raise gpubench.Skip(f"dtype is {case.axes['dtype']}: numpy's products of it go element by element")


@gpubench.variant("gpubench.org/matmul/gemm/1", name="numpy", arrays="numpy", supports=is_fp32,
                  summary="numpy.matmul, by its BLAS")
def matmul(a, b, c):
    np.matmul(a, b.T, out=c)
