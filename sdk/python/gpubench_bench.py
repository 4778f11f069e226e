"""Part of gpubench.py: benches in Python, by `@gpubench.bench(contract, axes=..., presets=...)` on a class with the methods

    setup(self, case)               declares tensors and nominal work for `case.axes`: `case.tensor(...)`, `case.work(...)`
    reference(self, x, ..., case)   returns the expected outputs; its parameters are inputs by name, numpy arrays in float64
    supports(self, case)            optional: raises gpubench.Skip with the reason
    minor_of(self, case)            optional: returns the minor of the contract with which the case came, up to `contract_minor`

An axis is a text of whole numbers as on the command line ("1k:16k:x4"); a tuple of words, of which the first is the default
("fp32", "bf16"); or a dict of `values`, `type` ("i64", "f64", "str"), `choices`, `unit`, `summary` and values by backend. A preset is
a point, "n=1M,dtype=fp32", or a dict of `point`, `backends`, `summary`."""

import ctypes
import inspect
import math

import gpubench_arrays as arrays_of

TYPES = {"i64": 1, "f64": 2, "str": 3}  # GB_I64, ...
FILLS = {"uniform": 1, "normal": 2}  # GB_FILL_*
EXACT = 1  # GB_TENSOR_EXACT
_ROLES = {name: number for number, name in arrays_of.ROLES.items()}
_DTYPES = {name: number for number, (name, *_) in arrays_of.DTYPES.items()}
_DTYPES.update(fp64=1, fp32=2, fp16=3)  # the names that axes use
BACKENDS = ("cpu", "cuda")
MINOR_MOST = 65535


class Bench:
    """The data of a gb_bench. A text that is NULL there is None here."""

    def __init__(self, what, contract, contract_minor, name, axes, presets, summary):
        for method in ("setup", "reference"):
            if not callable(getattr(what, method, None)):
                raise TypeError(f"bench {name} has no method `{method}`")
        self.what, self.contract, self.name, self.summary = what, contract, name, summary
        self.contract_minor = minor(contract_minor)
        self.asks = callable(getattr(what, "supports", None))
        self.tells_minors = callable(getattr(what, "minor_of", None))
        self.axes = tuple(_axis(key, axis) for key, axis in (axes or {}).items())
        self.presets = tuple(_preset(key, preset) for key, preset in (presets or {}).items())


def minor(number):
    if not isinstance(number, int) or not 0 <= number <= MINOR_MOST:
        raise ValueError(f"contract_minor {number!r}: a whole number from 0 to {MINOR_MOST}")
    return number


def _axis(name, axis):
    if isinstance(axis, tuple):
        axis = {"type": "str", "choices": ",".join(axis), "values": axis[0]}
    elif not isinstance(axis, dict):
        axis = {"values": str(axis)}
    kind = axis.get("type", "str" if "choices" in axis else "i64")
    choices = axis.get("choices")
    if isinstance(choices, (tuple, list)):
        choices = ",".join(choices)
    defaults = tuple((backend, str(axis[backend])) for backend in BACKENDS if backend in axis)
    return name, TYPES[kind], axis.get("unit"), axis.get("summary"), choices, str(axis["values"]), defaults


def _preset(name, preset):
    if not isinstance(preset, dict):
        preset = {"point": str(preset)}
    return name, preset.get("summary"), preset["point"], preset.get("backends")


class Setup:
    """The case as `setup` gets it: `axes`, `key`, and the two calls that declare."""

    def __init__(self, key, axes):
        self.key, self.axes, self.tensors, self.nominal = key, axes, [], (0, 0, 0, 0, None)

    def tensor(self, name, role, dtype, shape, fill=("normal", 0, 1), reduction=0, tolerance=0, exact=False):
        """Declares a tensor. `role` is "in", "out", "inout" or "scratch"; `fill` is ("normal", mean, std dev) or ("uniform",
        from, to); `reduction` is the number of terms summed for one element of an output."""
        if role not in _ROLES or dtype not in _DTYPES or fill[0] not in FILLS:
            raise ValueError(f"tensor '{name}': role {role!r}, dtype {dtype!r}, fill {fill[0]!r}: one of them is not known")
        shape = tuple(int(extent) for extent in shape)
        self.tensors.append((name, _ROLES[role], _DTYPES[dtype], FILLS[fill[0]], EXACT * bool(exact), float(fill[1]),
                             float(fill[2]), int(reduction), float(tolerance), shape))

    def work(self, flops=0, bytes_read=0, bytes_written=0, items=0, unit=None):
        """States the nominal work of one iteration, the same for every variant."""
        self.nominal = int(flops), int(bytes_read), int(bytes_written), int(items), unit


class _Made:
    """A bench at one point: its object and its tensors."""

    def __init__(self, thing, case):
        self.thing, self.case = thing, case
        self.shapes = {t[0]: t[-1] for t in case.tensors}
        self.outputs = [t[0] for t in case.tensors if arrays_of.ROLES[t[1]] in ("out", "inout")]


def supports(bench, axes, key):
    bench.what().supports(Setup(key, dict(axes)))


def minor_of(bench, axes, key):
    return minor(bench.what().minor_of(Setup(key, dict(axes))))


def setup(bench, axes, key):
    thing, case = bench.what(), Setup(key, dict(axes))
    thing.setup(case)
    return _Made(thing, case), tuple(case.tensors), case.nominal


def reference(made, inputs):
    """`inputs`: names, and addresses of float64 values. Returns (name, bytes of float64) for each output."""
    import numpy as np
    values = {}
    for name, address in inputs:
        shape = made.shapes[name]
        memory = (ctypes.c_double * math.prod(shape)).from_address(address)
        values[name] = np.frombuffer(memory, np.float64).reshape(shape)
    found = made.thing.reference(**_arguments(made, values))
    found = found if isinstance(found, (tuple, list)) else [found]
    if len(found) != len(made.outputs):
        raise ValueError(f"reference returned {len(found)} outputs, there are {len(made.outputs)}: {', '.join(made.outputs)}")
    return tuple(_expected(made, name, np.asarray(value, np.float64)) for name, value in zip(made.outputs, found))


def _arguments(made, values):
    known = {**made.case.axes, **values, "case": made.case}
    chosen = {}
    for name, parameter in inspect.signature(made.thing.reference).parameters.items():
        if name in known:
            chosen[name] = known[name]
        elif parameter.default is parameter.empty:
            raise TypeError(f"parameter '{name}' of reference is no input or axis: there are {', '.join(known)}")
    return chosen


def _expected(made, name, value):
    if value.shape != made.shapes[name]:
        raise ValueError(f"reference returned '{name}' of shape {list(value.shape)}, it is {list(made.shapes[name])}")
    return name, value.tobytes()
