"""Softmax in numpy, as its users write it: a guest of softmax.so. The arithmetic is in float32."""

import gpubench

try:
    import numpy as np
except ImportError:
    np = None  # the rows report that it is missing, because of `arrays`


@gpubench.variant("gpubench.org/softmax/rows/1", name="numpy", arrays="numpy", summary="subtract, exp, sum, divide")
def softmax(x, y):
    e = np.subtract(x, x.max(axis=1, keepdims=True), dtype=np.float32)
    np.exp(e, out=e)
    np.divide(e, e.sum(axis=1, keepdims=True), out=y, casting="same_kind")
