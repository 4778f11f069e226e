"""Part of gpubench.py, not for scripts: exports tensors by DLPack, and takes over the arrays that variants return."""

import ctypes
import random
import time

import gpubench_cuda as cuda

CPU, CUDA = 1, 2  # device types of DLPack
ROLES = {1: "in", 2: "out", 3: "inout", 4: "scratch"}
DTYPES = {  # GB_DTYPE_*: name; DLPack's type code and bits; numpy's typestr, None if it has no such type
    1: ("f64", 2, 64, "<f8"),
    2: ("f32", 2, 32, "<f4"),
    3: ("f16", 2, 16, "<f2"),
    4: ("bf16", 4, 16, None),
    5: ("i32", 0, 32, "<i4"),
    6: ("u8", 1, 8, "|u1"),
    7: ("e4m3", 10, 8, None),
}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class DLManagedTensor(ctypes.Structure):
    pass


_Deleter = ctypes.CFUNCTYPE(None, ctypes.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", _Deleter)]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_exported = {}  # by address, until their consumers call the deleter


@_Deleter
def _delete(managed):
    _exported.pop(ctypes.addressof(managed.contents), None)


def export(address, device, code, bits, shape, strides, owner=None):
    """Returns a DLPack capsule for memory that it does not own; it keeps `owner` alive."""
    extents = ctypes.c_int64 * len(shape)
    managed = DLManagedTensor()
    held = managed, extents(*shape), extents(*strides), owner
    managed.tensor = DLTensor(address, *device, len(shape), code, bits, 1, held[1], held[2], 0)
    managed.deleter = _delete
    _exported[ctypes.addressof(managed)] = held
    return _new_capsule(ctypes.addressof(managed), b"dltensor", None)


def dense(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent
    return tuple(reversed(strides))


# ---- Returned outputs ----


def capsule_of(value, stream):
    """Exports an array. A GPU array is exported for the host's stream, so that its remaining work is enqueued there."""
    try:
        return value.__dlpack__(stream=stream) if stream else value.__dlpack__()
    except BufferError as error:
        return _capsule_of_numpy(value, error)


def _capsule_of_numpy(value, error):
    """Exports a read-only numpy array. Many versions of numpy refuse that, because DLPack cannot mark memory as read-only; here it
    is only read."""
    interface = getattr(value, "__array_interface__", {})
    name, code, bits, letters = next((d for d in DTYPES.values() if d[3] and d[3] == interface.get("typestr")), (None,) * 4)
    if name is None:
        raise TypeError(f"returned {type(value).__name__} that DLPack cannot export ({error}): return a copy, such as numpy.array(y)") from error
    shape, size = interface["shape"], bits // 8
    strides = dense(shape) if interface.get("strides") is None else tuple(s // size for s in interface["strides"])
    return export(interface["data"][0], (CPU, 0), code, bits, shape, strides, value)


class Exported:
    """A returned value that is not a plain array. It is exported within the timed call, so that no work is left for later."""

    def __init__(self, value, stream):
        self.kind = type(value).__name__
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"returned {'nothing' if value is None else self.kind}: an output is an array that has __dlpack__")
        self.device, self.capsule = tuple(value.__dlpack_device__()), capsule_of(value, stream)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


class Source:
    """A returned output, checked against the tensor that it belongs to: device, type and shape."""

    def __init__(self, tensor, value, stream=None):
        if not hasattr(value, "__dlpack__"):
            raise TypeError(f"returned {type(value).__name__}: an output is an array that has __dlpack__")
        device = tuple(value.__dlpack_device__())
        if (int(device[0]), device[1] if device[0] == CUDA else 0) != tensor.device:
            raise ValueError(f"returned '{tensor.name}' on device {device} of DLPack, it belongs on "
                             f"{'the cpu' if tensor.device[0] == CPU else tensor.device}")
        self.tensor, self.stream = tensor, stream
        self.capsule = capsule_of(value.detach() if hasattr(value, "detach") else value, stream)  # keeps the memory alive
        t = ctypes.cast(_capsule_pointer(self.capsule, b"dltensor"), ctypes.POINTER(DLManagedTensor)).contents.tensor
        self.shape = tuple(t.shape[i] for i in range(t.ndim))
        self.strides = tuple(t.strides[i] for i in range(t.ndim)) if t.strides else dense(self.shape)
        self.address, self.size = (t.data or 0) + t.byte_offset, t.bits // 8
        name = next((n for n, code, bits, _ in DTYPES.values() if (code, bits) == (t.code, t.bits)), f"{t.code}:{t.bits}")
        if name != tensor.dtype:
            raise ValueError(f"returned '{tensor.name}' as {name}, it is {tensor.dtype}")
        if self.shape != tensor.shape:
            raise ValueError(f"returned '{tensor.name}' of shape {list(self.shape)}, it is {list(tensor.shape)}")
        self.pieces = self._pieces()

    def _pieces(self):
        """Returns copies as (to, from, rows, bytes, pitches), as few as the layouts allow."""
        to, at = _merged(self.shape, self.tensor.strides, self.strides)
        whole = len(to)
        if whole and to[-1][1] == at[-1][1] == 1:
            count, whole = to[-1][0] * self.size, whole - 1
        else:
            count = self.size
        rows, pitches = 1, (count, count)
        if whole and min(to[whole - 1][1], at[whole - 1][1]) * self.size >= count:
            rows, pitches = to[whole - 1][0], (to[whole - 1][1] * self.size, at[whole - 1][1] * self.size)
            whole -= 1
        places = [(self.tensor.address, self.address)]
        for (extent, step), (_, back) in zip(to[:whole], at[:whole]):
            places = [(t + i * step * self.size, f + i * back * self.size) for t, f in places for i in range(extent)]
        return [(t, f, rows, count, pitches) for t, f in places]

    def copy(self):
        for to, at, rows, count, (step, back) in self.pieces:
            if self.stream:
                cuda.copy(to, step, at, back, count, rows, self.stream)
            else:
                for row in range(rows):
                    ctypes.memmove(to + row * step, at + row * back, count)

    def look(self, address, count):
        return cuda.read(address, count) if self.stream else ctypes.string_at(address, count)

    def check_still(self):
        """Compares source and copy at random places: raises ValueError if the source changed after the copy."""
        for _ in range(16):
            to, at, rows, count, (step, back) = random.choice(self.pieces)
            row = random.randrange(rows)
            first = random.randrange(max(1, count - 4096 + 1))
            some = min(4096, count - first)
            if self.look(to + row * step + first, some) != self.look(at + row * back + first, some):
                raise ValueError(f"'{self.tensor.name}' was written after it was returned: work was left to a thread"
                                 f"{' or another stream' if self.stream else ''}")


def _merged(shape, to, at):
    """Returns extents and strides of both layouts, with axes merged that are contiguous in both."""
    found = []
    for extent, t, f in zip(shape, to, at):
        if extent == 1:
            continue
        if found and found[-1][1] == t * extent and found[-1][2] == f * extent:
            found[-1] = (found[-1][0] * extent, t, f)
        else:
            found.append((extent, t, f))
    return [(e, t) for e, t, _ in found], [(e, f) for e, _, f in found]


def sources(outputs, result, stream):
    values = result if isinstance(result, (list, tuple)) else [result]
    if len(values) != len(outputs):
        raise ValueError(f"returned {len(values)} outputs, the contract has {len(outputs)}: {', '.join(t.name for t in outputs)}")
    return [Source(t, v, stream) for t, v in zip(outputs, values)]


def deliver(outputs, result, stream):
    """Copies returned outputs to the case's tensors, outside the timed region."""
    found = sources(outputs, result, stream)
    for source in found:
        source.copy()
    if stream:
        cuda.finish(stream)
    time.sleep(0.001)  # lets threads run that the variant may have left behind, so that check_still() sees their writes
    for source in found:
        source.check_still()
