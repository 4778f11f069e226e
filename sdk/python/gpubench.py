"""Plugins for gpubench in Python: `gpubench --plugin softmax.so --plugin mine.py` runs a file such as

    import gpubench, numpy as np

    @gpubench.variant("gpubench.org/softmax/rows/1", name="numpy", arrays="numpy")
    def softmax(x, y):
        np.exp(x - x.max(axis=1, keepdims=True), out=y)
        y /= y.sum(axis=1, keepdims=True)

in one table with the plugin's own variants, verified and timed as they are. `gpubench list --contract ID` prints the tensors
and axes of a contract. The guide is share/gpubench/README.md, "In Python". Needs only the standard library of Python 3.9 or
later."""

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
    """Raised by `supports` or while a variant is prepared: the variant does not apply to this case, for the reason given."""


class Tensor:
    """A tensor in the case's own memory. Libraries take it without a copy by DLPack, or by the array interface of numpy or CUDA."""

    def __init__(self, name, role, dtype, address, shape, strides, device=(CPU, 0), stream=0):
        self.name, self.role, self.dtype = name, ROLES[role], DTYPES[dtype][0]
        self.address, self.shape, self.strides = address, shape, strides  # strides in elements
        self.device, self.stream, self._dtype = device, stream, DTYPES[dtype]
        self.bytes = functools.reduce(int.__mul__, shape, 1) * self._dtype[2] // 8

    def __repr__(self):
        return f"<gpubench.Tensor {self.name} {self.dtype}{list(self.shape)}>"

    def numpy(self):
        """Returns a numpy array on this memory. Raises Skip without numpy, or if numpy lacks the type."""
        try:
            import numpy
        except ImportError as error:
            raise Skip(f"no numpy: {error}") from error
        return numpy.asarray(self)

    def torch(self):
        """Returns a PyTorch tensor on this memory. Raises Skip if PyTorch, its CUDA or the type is missing."""
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
        self._dtype, kept = DTYPES[6], self._dtype  # not every version imports e4m3: pass it as u8
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

    def __dlpack__(self, **_):  # ignores the consumer's stream: the device is idle when a tensor is exported
        _, code, bits, _ = self._dtype
        return arrays_of.export(self.address, self.device, code, bits, self.shape, self.strides)


class Case:
    """The case that a variant is prepared for. `axes` and `tensors` are dicts by name, with tensors converted by the variant's
    `arrays`. `key` is the key in reports. `stream` is, on "cuda", the address of the stream that `run` enqueues on."""

    def __init__(self, key, axes, tensors=None, stream=0, step=None, scratch=None):
        self.key, self.axes, self.tensors, self.stream = key, axes, tensors or {}, stream
        self._notes, self._step, self._scratch = {}, step, scratch

    def note(self, key, text):
        """Adds a note to the row, such as the algorithm that was chosen. Only while the variant is prepared."""
        self._notes[str(key)] = str(text)

    def step(self, done, total):
        """Reports that `done` of `total` steps of a long `prepare` are done; the time limit starts again."""
        if self._step is not None:
            self._step(done, total)

    def scratch(self):
        """Returns the path of a folder for this case's files. Only while the variant is prepared. The host removes the folder
        after the case, however that ends."""
        path = self._scratch() if self._scratch is not None else None
        if path is None:
            raise RuntimeError("there is no scratch folder")
        return path.decode()


def variant(contract, *, name=None, backend="cpu", math="native", baseline=False, by_name=False, summary=None,
            supports=None, arrays=None, returns=False, capture=False, sync=False, processes=False, contract_minor=0):
    """Offers a function as a variant of a contract, or a class with `run` and optionally `prepare(case)`, `refresh()` and
    `release()`.

    A function's parameters are named after tensors and axes of the contract; `case` is the Case. It writes outputs in
    place, or with `returns` returns them in the contract's order. `arrays` converts each Tensor once, before anything is
    timed: "numpy", "torch", or a function of the Tensor. `supports(case)` raises Skip for a point that the variant cannot
    run. `math` is the precision of its arithmetic, as in gb_variant. `backend` is "cpu" or "cuda"; on "cuda" the host's
    stream is PyTorch's current one and `case.stream`. `capture`: a call may be captured into a graph, because it allocates
    nothing. `sync`: `run` waits for its own work and is timed by the host's clock. `processes`: child processes that
    `prepare` starts run until `release` has ended them. `contract_minor`: the minor of another plugin's contract that the
    variant was written for; it gets the cases of this minor and of earlier ones."""

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
                                 returns, flags, benches.minor(contract_minor)))
        return what

    return offer


def bench(contract, *, contract_minor=0, name=None, axes=None, presets=None, summary=None):
    """Offers a class as a bench; gpubench_bench.py describes its methods. `variant` offers variants with the bench's
    contract."""
    return lambda what: _benches.append(benches.Bench(what, str(contract), contract_minor, name or what.__name__, axes, presets,
                                                      summary)) or what


# ---- The interface to the plugin python.so: nothing below is for scripts ----

BASELINE, DERIVED, SYNC, NO_CAPTURE, BY_NAME, PROCESSES = 1, 2, 4, 8, 32, 128  # GB_VARIANT_*
SKIP, NO_MEMORY, FAILED = 1, -2, -5  # gb_status
_none, _offered, _benches = None, [], []
_HERE = __file__.rpartition("/")[0]
_Step = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64)
_Directory = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


def _nothing(*_):
    pass


class _Variant:
    def __init__(self, what, contract, name, backend, math, summary, supports, arrays, returns, flags, contract_minor):
        self.what, self.contract, self.name, self.backend, self.math = what, contract, name, backend, math
        self.summary, self.supports, self.arrays, self.returns = summary, supports, arrays, bool(returns)
        self.asks, self.refreshes = supports is not None, isinstance(what, type) and hasattr(what, "refresh")
        self.flags, self.contract_minor = flags | DERIVED * self.refreshes, contract_minor


class _State:
    """A prepared variant: the function that `run` calls, and its arguments."""

    def __init__(self, variant, case, tensors):
        self.case, self.outputs = case, [t for t in tensors if t.role in ("out", "inout")]
        self.stream, self.returns, self.extra, self.waits = case.stream, variant.returns, 0, variant.flags & SYNC
        self.object, self.call, self.args, self.arrays = None, None, (), _array_types()
        self.readers = _Readers()

    def once(self):
        """Calls the variant once, as the plugin's `run` does, and returns its result."""
        result = self.call(*self.args)
        if self.returns:
            return result if type(result) in self.arrays else _export(self, result)
        if result is not None:
            raise TypeError("returned a value, and says nothing of that: outputs are written in place, or returned with returns=True")
        return None


def _load(path, text):
    """Runs a script, and returns the variants and benches that it offers."""
    _offered.clear()
    _benches.clear()
    folder, _, file = path.rpartition("/")
    stem = file[: -len(".py")]
    taken = sum(name.startswith("gpubench_script:") and name.endswith(f"/{file}") for name in sys.modules)
    module = types.ModuleType(f"gpubench_script.{stem}" + (f"_{taken + 1}" if taken else ""))  # each of two builds gets its own module
    module.__file__ = path
    sys.modules[f"gpubench_script:{path}"] = sys.modules[module.__name__] = module
    lines = text.decode("utf-8", "replace").splitlines(keepends=True)
    linecache.cache[path] = len(text), None, lines, path  # code that reads the source, such as Triton, gets the text that runs
    modules.load(folder, exec, compile(text, path, "exec"), module.__dict__)
    if not _offered and not _benches:
        raise ValueError(f"{stem}.py offers nothing: it has no @gpubench.variant")
    return tuple(_offered), tuple(_benches)


def _explain(error):
    """Returns a status, and a message with the script's line that raised the error."""
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
    """Returns the array types whose values are complete once they are returned."""
    known = (("numpy", "ndarray"), ("torch", "Tensor"))
    return tuple(getattr(sys.modules[m], t) for m, t in known if hasattr(sys.modules.get(m), t))


class _Readers:
    """Types and functions by which the plugin finds the memory of a returned output: of a numpy array by the buffer protocol,
    of a PyTorch tensor by functions of its base class, a C++ type that no script can change. None if a module is not
    imported."""

    def __init__(self):
        base = getattr(sys.modules.get("torch._C"), "TensorBase", None) or getattr(sys.modules.get("torch._C"), "_TensorBase", None)
        self.ndarray = getattr(sys.modules.get("numpy"), "ndarray", None)
        self.tensor = getattr(sys.modules.get("torch"), "Tensor", None) if base is not None else None
        self.address, self.is_dense = getattr(base, "data_ptr", None), getattr(base, "is_contiguous", None)
        self.list, self.tuple = list, tuple


# ---- The callbacks of a case ----


def _prepare(variant, axes, tensors, key, device):
    """`device`: the addresses of the stream (0 on the cpu), of the progress and scratch functions, and of their argument."""
    stream, step, directory, argument = device
    place = (CUDA, cuda.ordinal()) if stream else (CPU, 0)
    all_tensors = [Tensor(*t, place, stream) for t in tensors]
    if stream:
        cuda.make_current(stream)
    convert = _converter(variant.arrays)
    case = Case(key, dict(axes), {t.name: convert(t) for t in all_tensors}, stream, functools.partial(_Step(step), argument),
                functools.partial(_Directory(directory), argument))
    if stream:
        cuda.make_current(stream)  # again: `arrays` may have imported PyTorch
    state = _State(variant, case, all_tensors)
    if isinstance(variant.what, type):
        state.object = variant.what()
        if hasattr(state.object, "prepare"):
            state.object.prepare(case)
        state.call = state.object.run
    else:
        state.call, state.args = _bind(variant, case)
    state.arrays, state.readers = _array_types(), _Readers()  # again: `prepare` may have imported modules
    if stream:
        _try(state)
    return state


def _try(state):
    """Makes the first calls of a GPU variant before it is timed, and checks that it keeps to its stream."""
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
    """Returns the function to call and its positional arguments, chosen by the names of its parameters."""
    args, named = [], {}
    for name, parameter in inspect.signature(variant.what).parameters.items():
        if name == "case":  # always the Case, even if the contract has a tensor or axis of that name: the Case has all of them
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
    """Exports results that are not plain arrays. This is part of the timed call, so that they cannot leave work for later."""
    values = result if isinstance(result, (tuple, list)) else [result]
    return [v if type(v) in state.arrays else arrays_of.Exported(v, state.stream) for v in values]


def _deliver(state, result):
    arrays_of.deliver(state.outputs, result, state.stream)


# Other functions that the plugin calls, and one that scripts import from here.
_bench_supports, _bench_setup, _bench_reference = benches.supports, benches.setup, benches.reference
_bench_minor_of = benches.minor_of

from gpubench_torch import torch_variants  # noqa: E402 (it needs the functions above)
