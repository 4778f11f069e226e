"""Plugins for gpubench in Python: `gpubench --plugin softmax.so --plugin mine.py` runs a file such as

    import gpubench, numpy as np

    @gpubench.variant("gpubench.org/softmax/rows/1", name="numpy", arrays="numpy")
    def softmax(x, y):
        np.exp(x - x.max(axis=1, keepdims=True), out=y)
        y /= y.sum(axis=1, keepdims=True)

beside the plugin's own variants, verified and timed as they are. `gpubench list --contract ID` says which tensors and axes
a contract has. The guide is share/gpubench/README.md, "In Python". Standard library only, Python 3.9 and later."""

import ctypes
import functools
import inspect
import random
import sys
import time
import traceback
import types

__all__ = ["variant", "Skip", "Case", "Tensor"]


class Skip(Exception):
    """Raised by `supports` or while a variant is prepared: it does not apply here, for the reason given."""


class Tensor:
    """A tensor of the case, in the host's memory: what takes DLPack or numpy's protocol takes it without a copy."""

    def __init__(self, name, role, dtype, address, shape, strides):
        self.name, self.role, self.dtype = name, ROLES[role], DTYPES[dtype][0]
        self.address, self.shape, self.strides = address, shape, strides  # strides in elements
        self._dtype = DTYPES[dtype]

    def __repr__(self):
        return f"<gpubench.Tensor {self.name} {self.dtype}{list(self.shape)}>"

    def numpy(self):
        """An array on this memory."""
        try:
            import numpy
        except ImportError as error:
            raise Skip(f"no numpy: {error}") from error
        return numpy.asarray(self)

    def torch(self):
        """A tensor of PyTorch's on this memory."""
        try:
            import torch
        except ImportError as error:
            raise Skip(f"no torch: {error}") from error
        return torch.from_dlpack(self)

    @property
    def __array_interface__(self):
        _, _, bits, letters = self._dtype
        if letters is None:
            raise Skip(f"numpy has no {self.dtype}")
        strides = tuple(stride * bits // 8 for stride in self.strides)
        return {"version": 3, "typestr": letters, "shape": self.shape, "strides": strides, "data": (self.address, False)}

    def __dlpack_device__(self):
        return CPU

    def __dlpack__(self, **_):
        _, code, bits, _ = self._dtype
        return _export_memory(self.address, code, bits, self.shape, self.strides)


class Case:
    """What a variant is prepared for: `axes` and `tensors` by name, tensors as the variant's `arrays` says; `key` as in
    reports."""

    def __init__(self, key, axes, tensors=None):
        self.key, self.axes, self.tensors = key, axes, tensors or {}
        self._notes = {}

    def note(self, key, text):
        """Shows a line beside the row, such as the algorithm that was chosen: while the variant is prepared."""
        self._notes[str(key)] = str(text)


def variant(contract, *, name=None, backend="cpu", math="native", baseline=False, by_name=False, summary=None,
            supports=None, arrays=None, returns=False):
    """Offers a function, or a class with `run` and perhaps `prepare(case)`, `refresh()`, `release()`, as a variant of a
    contract.

    A function's parameters are named after tensors and axes of the contract, or `case`. It writes outputs in place;
    with `returns`, it returns them, in the contract's order. `arrays` is "numpy", "torch" or a function that is given
    each Tensor: what becomes of them, once, before anything is timed. `supports(case)` raises Skip where a point is not
    for it. `math` is what it computes in, as in gb_variant."""

    def offer(what):
        if backend != "cpu":
            raise ValueError(f"backend '{backend}': variants in Python are for 'cpu'")
        if isinstance(what, type) and not callable(getattr(what, "run", None)):
            raise TypeError(f"class {what.__name__} has no method `run`")
        if not callable(what):
            raise TypeError(f"{what!r} is neither a function nor a class")
        _offered.append(_Variant(what, str(contract), name or what.__name__, backend, math, summary, supports, arrays,
                                 returns, BASELINE * bool(baseline) | BY_NAME * bool(by_name)))
        return what

    return offer


# ---- What the plugin python.so calls: nothing below is for scripts ----

BASELINE, DERIVED, BY_NAME = 1, 2, 32  # GB_VARIANT_*
SKIP, NO_MEMORY, FAILED = 1, -2, -5  # gb_status
ROLES = {1: "in", 2: "out", 3: "inout", 4: "scratch"}
CPU = (1, 0)  # DLPack's device
DTYPES = {  # GB_DTYPE_*: name; DLPack's code and bits; numpy's letters
    1: ("f64", 2, 64, "<f8"),
    2: ("f32", 2, 32, "<f4"),
    3: ("f16", 2, 16, "<f2"),
    4: ("bf16", 4, 16, None),
    5: ("i32", 0, 32, "<i4"),
    6: ("u8", 1, 8, "|u1"),
    7: ("e4m3", 10, 8, None),
}
_none, _offered = None, []


def _nothing(*_):
    pass


class _Variant:
    def __init__(self, what, contract, name, backend, math, summary, supports, arrays, returns, flags):
        self.what, self.contract, self.name, self.backend, self.math = what, contract, name, backend, math
        self.summary, self.supports, self.arrays, self.returns = summary, supports, arrays, bool(returns)
        self.asks, self.refreshes = supports is not None, isinstance(what, type) and hasattr(what, "refresh")
        self.flags = flags | DERIVED * self.refreshes


class _State:
    """A variant that is prepared: what `run` calls, with what."""

    def __init__(self, case, tensors):
        self.case, self.outputs = case, [t for t in tensors if t.role in ("out", "inout")]
        self.object, self.call, self.args, self.arrays = None, None, (), _array_types()


def _load(path, text):
    """Runs a script; what it offers."""
    _offered.clear()
    stem = path.rpartition("/")[2][: -len(".py")]
    module = types.ModuleType(f"gpubench_script.{stem}")
    module.__file__ = path
    sys.modules[f"gpubench_script:{path}"] = sys.modules[module.__name__] = module
    folder = path.rpartition("/")[0]
    if folder not in sys.path:
        sys.path.append(folder)  # last: what lies there hides no package
    exec(compile(text, path, "exec"), module.__dict__)
    if not _offered:
        raise ValueError(f"{stem}.py offers nothing: it has no @gpubench.variant")
    return tuple(_offered)


def _explain(error):
    """A status, and a sentence with the line that it came from."""
    status = SKIP if isinstance(error, Skip) else NO_MEMORY if isinstance(error, MemoryError) else FAILED
    text = " ".join(str(error).split())
    if isinstance(error, SyntaxError) and error.filename:
        return status, f"SyntaxError: {error.msg} ({_base(error.filename)}:{error.lineno})"
    if status == SKIP:
        return status, text or "it says that this is not for it"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename != __file__]
    scripts = {getattr(m, "__file__", None) for name, m in list(sys.modules.items()) if name.startswith("gpubench_script")}
    frames = [f for f in frames if f.filename in scripts] or frames
    where = f" ({_base(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return status, f"{type(error).__name__}{': ' if text else ''}{text[:800]}{where}"


def _base(path):
    return path.rpartition("/")[2]


def _supports(variant, axes, key):
    variant.supports(Case(key, dict(axes)))


# ---- Tensors ----


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_exported = {}  # by address, until their consumers are done


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


def _export_memory(address, code, bits, shape, strides):
    """A capsule of memory that is not ours to free."""
    extents = ctypes.c_int64 * len(shape)
    managed = _DLManagedTensor()
    held = managed, extents(*shape), extents(*strides)
    managed.tensor = _DLTensor(address, *CPU, len(shape), code, bits, 1, held[1], held[2], 0)
    managed.deleter = _delete
    _exported[ctypes.addressof(managed)] = held
    return _new_capsule(ctypes.addressof(managed), b"dltensor", None)


def _array_types():
    """Types whose values are computed when they are there."""
    known = (("numpy", "ndarray"), ("torch", "Tensor"))
    return tuple(getattr(sys.modules[m], t) for m, t in known if hasattr(sys.modules.get(m), t))


# ---- A case's turn ----


def _prepare(variant, axes, tensors, key):
    all_tensors = [Tensor(*t) for t in tensors]
    convert = _converter(variant.arrays)
    case = Case(key, dict(axes), {t.name: convert(t) for t in all_tensors})
    state = _State(case, all_tensors)
    if isinstance(variant.what, type):
        state.object = variant.what()
        if hasattr(state.object, "prepare"):
            state.object.prepare(case)
        state.call = state.object.run
    else:
        state.call, state.args = _bind(variant, case)
    state.arrays = _array_types()  # also of what was imported now
    return state


def _converter(arrays):
    if arrays is None:
        return lambda tensor: tensor
    if arrays in ("numpy", "torch"):
        return getattr(Tensor, arrays)
    if callable(arrays):
        return arrays
    raise ValueError(f"arrays={arrays!r}: numpy, torch, or a function")


def _bind(variant, case):
    """The function's arguments, by the names of its parameters."""
    args, named = [], {}
    for name, parameter in inspect.signature(variant.what).parameters.items():
        if name in case.tensors:
            value = case.tensors[name]
        elif name in case.axes:
            value = case.axes[name]
        elif name == "case":
            value = case
        elif parameter.default is not parameter.empty:
            continue
        else:
            raise TypeError(f"parameter '{name}' of {variant.name} is no tensor or axis of {variant.contract}, which has "
                            f"tensors {', '.join(case.tensors)} and axes {', '.join(case.axes)}")
        if parameter.kind is parameter.KEYWORD_ONLY or len(named) > 0:
            named[name] = value
        else:
            args.append(value)
    return (functools.partial(variant.what, **named) if named else variant.what), tuple(args)


def _notes(state):
    notes = {"python": f"{'.'.join(map(str, sys.version_info[:3]))} ({sys.executable})"}
    for name in ("numpy", "torch"):
        version = getattr(sys.modules.get(name), "__version__", None)
        if version is not None:
            notes[name] = str(version)
    notes.update(state.case._notes)
    return tuple(text[:250] for item in notes.items() for text in item)


def _refresh(state):
    state.object.refresh()


def _release(state):
    if hasattr(state.object, "release"):
        state.object.release()


# ---- Returned outputs ----


def _export(state, result):
    """Within the time: what is no plain array gives its memory now, so that no work is left for later."""
    values = result if isinstance(result, (tuple, list)) else [result]
    return [v if type(v) in state.arrays else _Exported(v) for v in values]


class _Exported:
    def __init__(self, value):
        self.kind = type(value).__name__
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"returned {'nothing' if value is None else self.kind}: an output is an array that has __dlpack__")
        self.device, self.capsule = tuple(value.__dlpack_device__()), value.__dlpack__()

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self):
        return self.capsule


def _deliver(state, result):
    """Copies returned outputs to where the host looks for them: outside the time."""
    values = result if isinstance(result, list) else [result]
    if len(values) != len(state.outputs):
        raise ValueError(f"returned {len(values)} outputs, the contract has {len(state.outputs)}: "
                         f"{', '.join(t.name for t in state.outputs)}")
    pairs = [(t, _Source(t, v)) for t, v in zip(state.outputs, values)]
    for tensor, source in pairs:
        source.copy(tensor)
    time.sleep(0.001)  # lets threads go on that should have ended
    for tensor, source in pairs:
        source.check_still(tensor)


class _Source:
    """A returned output, held against what it should be."""

    def __init__(self, tensor, value):
        device = tuple(value.__dlpack_device__())
        if device[0] != CPU[0]:
            raise ValueError(f"returned '{tensor.name}' on device {device} of DLPack, it belongs on the cpu")
        self.capsule = value.__dlpack__()  # holds the memory
        t = ctypes.cast(_capsule_pointer(self.capsule, b"dltensor"), ctypes.POINTER(_DLManagedTensor)).contents.tensor
        self.shape = tuple(t.shape[i] for i in range(t.ndim))
        self.strides = tuple(t.strides[i] for i in range(t.ndim)) if t.strides else _dense(self.shape)
        self.address, self.size = (t.data or 0) + t.byte_offset, t.bits // 8
        name = next((n for n, code, bits, _ in DTYPES.values() if (code, bits) == (t.code, t.bits)), f"{t.code}:{t.bits}")
        if name != tensor.dtype:
            raise ValueError(f"returned '{tensor.name}' as {name}, it is {tensor.dtype}")
        if self.shape != tensor.shape:
            raise ValueError(f"returned '{tensor.name}' of shape {list(self.shape)}, it is {list(tensor.shape)}")

    def pieces(self, tensor):
        """(to, from, bytes): as few as the layouts allow."""
        whole = len(self.shape)
        while whole > 0 and self.strides[whole - 1:] == tensor.strides[whole - 1:] == _dense(self.shape[whole - 1:]):
            whole -= 1
        count = self.size
        for extent in self.shape[whole:]:
            count *= extent
        places = [(tensor.address, self.address)]
        for extent, to, at in zip(self.shape[:whole], tensor.strides, self.strides):
            places = [(t + i * to * self.size, f + i * at * self.size) for t, f in places for i in range(extent)]
        return [(t, f, count) for t, f in places]

    def copy(self, tensor):
        for to, at, count in self.pieces(tensor):
            ctypes.memmove(to, at, count)

    def check_still(self, tensor):
        """Is it what it was? At places that nobody knows beforehand."""
        pieces, some = self.pieces(tensor), 4096
        for _ in range(16):
            to, at, count = random.choice(pieces)
            first = random.randrange(max(1, count - some + 1))
            count = min(some, count - first)
            if ctypes.string_at(to + first, count) != ctypes.string_at(at + first, count):
                raise ValueError(f"'{tensor.name}' was written after it was returned: work was left to a thread")


def _dense(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))
