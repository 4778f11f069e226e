"""Activations and norms in numpy, as its users write them: guests of activations.so. The arithmetic is in float32."""

import gpubench

try:
    import numpy as np
except ImportError:
    np = None  # the rows report that it is missing, because of `arrays`
try:
    from scipy.special import erf
except ImportError:
    erf = None  # numpy has no erf


def variant(bench, **more):
    return gpubench.variant(f"gpubench.org/activations/{bench}/1", name="numpy", arrays="numpy", **more)


def has_erf(case):
    if erf is None and case.axes.get("form") != "tanh":
        raise gpubench.Skip("numpy has no erf, and scipy is not here")


def wide(x):
    return x.astype(np.float32, copy=False)


def sigmoid_times(x):
    return x / (1 + np.exp(-x))


def gelu_of(x, form):
    if form == "tanh":
        return 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)))
    return 0.5 * x * (1 + erf(x * np.float32(0.7071067812)))


def layernorm_of(x, gamma, beta):
    centred = x - x.mean(axis=1, keepdims=True)
    variance = np.square(centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variance + np.float32(1e-5)) * wide(gamma) + wide(beta)


def rmsnorm_of(x, gamma):
    return x / np.sqrt(np.square(x).mean(axis=1, keepdims=True) + np.float32(1e-5)) * wide(gamma)


@variant("gelu", supports=has_erf)
def gelu(x, y, form):
    y[...] = gelu_of(wide(x), form)


@variant("bias_gelu", supports=has_erf)
def bias_gelu(x, bias, y, form):
    y[...] = gelu_of(wide(x) + wide(bias), form)


@variant("swish")
def swish(x, y):
    y[...] = sigmoid_times(wide(x))


@variant("swiglu")
def swiglu(x, z, y):
    y[...] = sigmoid_times(wide(x)) * wide(z)


@variant("layernorm")
def layernorm(x, gamma, beta, y):
    y[...] = layernorm_of(wide(x), gamma, beta)


@variant("rmsnorm")
def rmsnorm(x, gamma, y):
    y[...] = rmsnorm_of(wide(x), gamma)


@variant("layernorm_gelu", supports=has_erf)
def layernorm_gelu(x, gamma, beta, y):
    y[...] = gelu_of(layernorm_of(wide(x), gamma, beta), "erf")


@variant("add_layernorm")
def add_layernorm(x, z, gamma, beta, s, y):
    s[...] = wide(x) + wide(z)
    y[...] = layernorm_of(wide(s), gamma, beta)


@variant("add_rmsnorm")
def add_rmsnorm(x, z, gamma, s, y):
    s[...] = wide(x) + wide(z)
    y[...] = rmsnorm_of(wide(s), gamma)
