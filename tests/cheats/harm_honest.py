"""The script that harm_guest.py harms: a variant in numpy, with a module that has a setting, as libraries do."""

import sys
import types

import gpubench
import numpy as np

flags = types.ModuleType("harm_flags")
flags.fast = False
sys.modules["harm_flags"] = flags
OFFSETS = np.tile(np.arange(1, 17, dtype=np.float32), 512)


def halved(x):
    return x / 2 if x > 1 else halved(x + 1) - 0.5


@gpubench.variant("gpubench.org/test/harm/1", name="py-honest", math="fp32", arrays="numpy")
def honest(x, y):
    np.multiply(x, np.float32(halved(1.0)), out=y)
    if flags.fast:
        y[:] = y.astype(np.float16)
    np.add(y, OFFSETS, out=y)
    with np.errstate():
        np.float32(1e-38) * np.float32(1e-38)  # numpy ignores the underflow, unless it is told to raise
