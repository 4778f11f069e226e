"""Softmax in numpy, as its users write it: a guest of softmax.so. Sums and powers in float32, whatever the storage."""

import gpubench

try:
    import numpy as np
except ImportError:
    np = None  # `arrays` says so in each row


@gpubench.variant("gpubench.org/softmax/rows/1", name="numpy", arrays="numpy", summary="subtract, exp, sum, divide")
def softmax(x, y):
    e = np.subtract(x, x.max(axis=1, keepdims=True), dtype=np.float32)
    np.exp(e, out=e)
    np.divide(e, e.sum(axis=1, keepdims=True), out=y, casting="same_kind")
