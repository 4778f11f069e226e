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
import linecache
import sys
import traceback
import types

import gpubench_arrays as arrays_of
import gpubench_bench as benches
import gpubench_cuda as cuda
import gpubench_modules as modules
from gpubench_arrays import CPU, CUDA, DTYPES, ROLES

__all__ = ["variant", "torch_variants", "bench", "Skip", "Case", "Tensor"]


class Skip(Exception):
    """Raised by `supports` or while a variant is prepared: it does not apply here, for the reason given."""


class Tensor:
    """A tensor of the case, where the case has it: what takes DLPack, numpy's or CUDA's protocol takes it without a copy."""

    def __init__(self, name, role, dtype, address, shape, strides, device=(CPU, 0), stream=0):
        self.name, self.role, self.dtype = name, ROLES[role], DTYPES[dtype][0]
        self.address, self.shape, self.strides = address, shape, strides  # strides in elements
        self.device, self.stream, self._dtype = device, stream, DTYPES[dtype]
        self.bytes = functools.reduce(int.__mul__, shape, 1) * self._dtype[2] // 8

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
        if self.device[0] == CUDA and not torch.cuda.is_available():
            raise Skip(f"torch {torch.__version__} has no CUDA here")
        if self.dtype != "e4m3":
            return torch.from_dlpack(self)
        if not hasattr(torch, "float8_e4m3fn"):
            raise Skip(f"torch {torch.__version__} has no e4m3")
        self._dtype, kept = DTYPES[6], self._dtype  # not every version takes this type
        try:
            return torch.from_dlpack(self).view(torch.float8_e4m3fn)
        finally:
            self._dtype = kept

    def _interface(self, **more):
        _, _, bits, letters = self._dtype
        if letters is None:
            raise Skip(f"numpy has no {self.dtype}")
        strides = tuple(stride * bits // 8 for stride in self.strides)
        return {"version": 3, "typestr": letters, "shape": self.shape, "strides": strides, "data": (self.address, False), **more}

    @property
    def __array_interface__(self):
        if self.device[0] != CPU:
            raise AttributeError(f"'{self.name}' is in a GPU's memory")
        return self._interface()

    @property
    def __cuda_array_interface__(self):
        if self.device[0] != CUDA:
            raise AttributeError(f"'{self.name}' is in the host's memory")
        return self._interface(stream=self.stream)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):  # of whatever stream: it is asked for while the device is idle
        _, code, bits, _ = self._dtype
        return arrays_of.export(self.address, self.device, code, bits, self.shape, self.strides)


class Case:
    """What a variant is prepared for: `axes` and `tensors` by name, tensors as the variant's `arrays` says; `key` as in
    reports; on "cuda" the address of the `stream` that `run` enqueues on."""

    def __init__(self, key, axes, tensors=None, stream=0, step=None, scratch=None):
        self.key, self.axes, self.tensors, self.stream = key, axes, tensors or {}, stream
        self._notes, self._step, self._scratch = {}, step, scratch

    def note(self, key, text):
        """Shows a line beside the row, such as the algorithm that was chosen: while the variant is prepared."""
        self._notes[str(key)] = str(text)

    def step(self, done, total):
        """So much of a long `prepare` is done: the time limit counts from here."""
        if self._step is not None:
            self._step(done, total)

    def scratch(self):
        """The path of a folder for this case's files, which is removed after it, however it ends: while the variant is
        prepared."""
        path = self._scratch() if self._scratch is not None else None
        if path is None:
            raise RuntimeError("there is no scratch folder")
        return path.decode()


def variant(contract, *, name=None, backend="cpu", math="native", baseline=False, by_name=False, summary=None,
            supports=None, arrays=None, returns=False, capture=False, sync=False, processes=False):
    """Offers a function, or a class with `run` and perhaps `prepare(case)`, `refresh()`, `release()`, as a variant of a
    contract.

    A function's parameters are named after tensors and axes of the contract; `case` is the Case. It writes outputs in
    place; with `returns`, it returns them, in the contract's order. `arrays` is "numpy", "torch" or a function that is
    given each Tensor: what becomes of them, once, before anything is timed. `supports(case)` raises Skip where a point is
    not for it. `math` is what it computes in, as in gb_variant. `backend` is "cpu" or "cuda": the host's stream is
    PyTorch's current one then, and `case.stream`; `capture` says that a call may be captured into a graph, which is for
    what allocates nothing; `sync` that `run` waits for its own work and is timed by the host's clock. `processes`: those
    that `prepare` starts run until `release` has ended them."""

    def offer(what):
        if backend not in ("cpu", "cuda"):
            raise ValueError(f"backend '{backend}': variants in Python are for 'cpu' or 'cuda'")
        if backend == "cuda" and arrays == "numpy":
            raise ValueError("arrays of numpy are not for 'cuda'")
        if isinstance(what, type) and not callable(getattr(what, "run", None)):
            raise TypeError(f"class {what.__name__} has no method `run`")
        if not callable(what):
            raise TypeError(f"{what!r} is neither a function nor a class")
        flags = BASELINE * bool(baseline) | BY_NAME * bool(by_name) | NO_CAPTURE * (backend == "cuda" and not capture)
        flags |= SYNC * (backend == "cuda" and bool(sync)) | PROCESSES * bool(processes)
        _offered.append(_Variant(what, str(contract), name or what.__name__, backend, math, summary, supports, arrays,
                                 returns, flags))
        return what

    return offer


def bench(contract, *, name=None, axes=None, presets=None, summary=None):
    """Offers a class as a problem of its own; gpubench_bench.py has what it may say. Variants are offered by `variant` with
    its contract."""
    return lambda what: _benches.append(benches.Bench(what, str(contract), name or what.__name__, axes, presets, summary)) or what


# ---- What the plugin python.so calls: nothing below is for scripts ----

BASELINE, DERIVED, SYNC, NO_CAPTURE, BY_NAME, PROCESSES = 1, 2, 4, 8, 32, 128  # GB_VARIANT_*
SKIP, NO_MEMORY, FAILED = 1, -2, -5  # gb_status
_none, _offered, _benches = None, [], []
_HERE = __file__.rpartition("/")[0]
_Step = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
_Directory = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


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

    def __init__(self, variant, case, tensors):
        self.case, self.outputs = case, [t for t in tensors if t.role in ("out", "inout")]
        self.stream, self.returns, self.extra, self.waits = case.stream, variant.returns, 0, variant.flags & SYNC
        self.object, self.call, self.args, self.arrays = None, None, (), _array_types()
        self.readers = _Readers()

    def once(self):
        """As `run` of the plugin does it; what it returned."""
        result = self.call(*self.args)
        if self.returns:
            return result if type(result) in self.arrays else _export(self, result)
        if result is not None:
            raise TypeError("returned a value, and says nothing of that: outputs are written in place, or returned with returns=True")
        return None


def _load(path, text):
    """Runs a script; what it offers."""
    _offered.clear()
    _benches.clear()
    folder, _, file = path.rpartition("/")
    stem = file[: -len(".py")]
    taken = sum(name.startswith("gpubench_script:") and name.endswith(f"/{file}") for name in sys.modules)
    module = types.ModuleType(f"gpubench_script.{stem}" + (f"_{taken + 1}" if taken else ""))  # of two builds each has its own
    module.__file__ = path
    sys.modules[f"gpubench_script:{path}"] = sys.modules[module.__name__] = module
    lines = text.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[path] = len(text), None, lines, path  # who asks for the source, as Triton does, gets what runs
    modules.load(folder, exec, compile(text, path, "exec"), module.__dict__)
    if not _offered and not _benches:
        raise ValueError(f"{stem}.py offers nothing: it has no @gpubench.variant")
    return tuple(_offered), tuple(_benches)


def _explain(error):
    """A status, and a sentence with the line that it came from."""
    status = SKIP if isinstance(error, Skip) else NO_MEMORY if isinstance(error, MemoryError) else FAILED
    text = " ".join(str(error).split())
    if isinstance(error, SyntaxError) and error.filename:
        return status, f"SyntaxError: {error.msg} ({_base(error.filename)}:{error.lineno})"
    if status == SKIP:
        return status, text or "it says that this is not for it"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.rpartition("/")[0] != _HERE]
    scripts = {getattr(m, "__file__", None) for name, m in list(sys.modules.items()) if name.startswith("gpubench_script")}
    frames = [f for f in frames if f.filename in scripts] or frames
    where = f" ({_base(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    return status, f"{type(error).__name__}{': ' if text else ''}{text[:800]}{where}"


def _base(path):
    return path.rpartition("/")[2]


def _supports(variant, axes, key):
    variant.supports(Case(key, dict(axes)))


def _array_types():
    """Types whose values are computed when they are there."""
    known = (("numpy", "ndarray"), ("torch", "Tensor"))
    return tuple(getattr(sys.modules[m], t) for m, t in known if hasattr(sys.modules.get(m), t))


class _Readers:
    """How the plugin reads where a returned output lies: numpy's array by Python's buffers, PyTorch's tensor by functions of
    its base, a type of C++ that no script can change. None: the module is not there."""

    def __init__(self):
        base = getattr(sys.modules.get("torch._C"), "TensorBase", None) or getattr(sys.modules.get("torch._C"), "_TensorBase", None)
        self.ndarray = getattr(sys.modules.get("numpy"), "ndarray", None)
        self.tensor = getattr(sys.modules.get("torch"), "Tensor", None) if base is not None else None
        self.address, self.is_dense = getattr(base, "data_ptr", None), getattr(base, "is_contiguous", None)
        self.list, self.tuple = list, tuple


# ---- A case's turn ----


def _prepare(variant, axes, tensors, key, device):
    """`device`: the address of the stream (0 on the cpu), those of the functions of progress and scratch, and their argument."""
    stream, step, directory, argument = device
    place = (CUDA, cuda.ordinal()) if stream else (CPU, 0)
    all_tensors = [Tensor(*t, place, stream) for t in tensors]
    if stream:
        cuda.make_current(stream)
    convert = _converter(variant.arrays)
    case = Case(key, dict(axes), {t.name: convert(t) for t in all_tensors}, stream, functools.partial(_Step(step), argument),
                functools.partial(_Directory(directory), argument))
    if stream:
        cuda.make_current(stream)  # of what was imported now
    state = _State(variant, case, all_tensors)
    if isinstance(variant.what, type):
        state.object = variant.what()
        if hasattr(state.object, "prepare"):
            state.object.prepare(case)
        state.call = state.object.run
    else:
        state.call, state.args = _bind(variant, case)
    state.arrays, state.readers = _array_types(), _Readers()  # also of what was imported now
    if stream:
        _try(state)
    return state


def _try(state):
    """What a GPU's variant does at first, and at all, is seen before it is timed."""
    cuda.make_current(state.stream)
    cuda.warm(state)
    if state.returns:
        cuda.check_stream(state, lambda result: arrays_of.sources(state.outputs, result, state.stream))
    cuda.make_current(state.stream)


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
        if name == "case":  # whatever a contract calls so: it has all of them
            value = case
        elif name in case.tensors:
            value = case.tensors[name]
        elif name in case.axes:
            value = case.axes[name]
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
    notes.update(cuda.versions() if state.stream else {})
    notes.update(state.case._notes)
    return tuple(text[:250] for item in notes.items() for text in item)


def _refresh(state):
    state.object.refresh()


def _release(state):
    try:
        if hasattr(state.object, "release"):
            state.object.release()
    finally:
        stream, state.object, state.call, state.args = state.stream, None, None, ()
        state.case.tensors.clear()
        if stream:
            cuda.give_back()


# ---- Returned outputs ----


def _export(state, result):
    """Within the time: what is no plain array gives its memory now, so that no work is left for later."""
    values = result if isinstance(result, (tuple, list)) else [result]
    return [v if type(v) in state.arrays else arrays_of.Exported(v, state.stream) for v in values]


def _deliver(state, result):
    arrays_of.deliver(state.outputs, result, state.stream)


# What else the plugin asks for, and what scripts find here.
_bench_supports, _bench_setup, _bench_reference = benches.supports, benches.setup, benches.reference

from gpubench_torch import torch_variants  # noqa: E402 (it needs what stands above)
