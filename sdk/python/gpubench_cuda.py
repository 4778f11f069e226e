"""Part of gpubench.py, not for scripts: driver calls for variants on "cuda", and checks of such variants while they are
prepared. The device's context is current on the host's thread."""

import ctypes
import sys
import time

ENQUEUED = 20  # most calls between two readings of the clock, because a stream's queue holds about 1000 operations
POISON = 0xFF  # the byte that memory of former outputs is filled with
_driver = None


def _call(name, *args):
    global _driver
    if _driver is None:
        _driver = ctypes.CDLL("libcuda.so.1")
    code = getattr(_driver, name)(*args)
    if code != 0:
        raise RuntimeError(f"{name}: error {code} of CUDA's driver")


def _address(value):
    return ctypes.c_uint64(value)


def _stream(value):
    return ctypes.c_void_p(value)


def ordinal():
    found = ctypes.c_int()
    _call("cuCtxGetDevice", ctypes.byref(found))
    return found.value


def finish(stream):
    _call("cuStreamSynchronize", _stream(stream))


def is_busy(stream):
    _call("cuCtxGetDevice", ctypes.byref(ctypes.c_int()))  # makes sure that the driver is open
    return _driver.cuStreamQuery(_stream(stream)) == 600  # CUDA_ERROR_NOT_READY


class _Copy2D(ctypes.Structure):  # CUDA_MEMCPY2D
    _fields_ = [(f"{side}_{name}", kind) for side in ("src", "dst") for name, kind in
                (("x", ctypes.c_size_t), ("y", ctypes.c_size_t), ("type", ctypes.c_uint), ("host", ctypes.c_void_p),
                 ("device", ctypes.c_uint64), ("array", ctypes.c_void_p), ("pitch", ctypes.c_size_t))] + \
               [("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


def copy(to, to_pitch, at, at_pitch, width, height, stream):
    """Copies `height` rows of `width` bytes on the device."""
    if height == 1:
        return _call("cuMemcpyDtoDAsync_v2", _address(to), _address(at), ctypes.c_size_t(width), _stream(stream))
    device = 2  # CU_MEMORYTYPE_DEVICE
    how = _Copy2D(src_type=device, src_device=at, src_pitch=at_pitch, dst_type=device, dst_device=to, dst_pitch=to_pitch,
                  width=width, height=height)
    return _call("cuMemcpy2DAsync_v2", ctypes.byref(how), _stream(stream))


def read(address, count):
    """Copies from the device and waits only for the copy."""
    there = ctypes.create_string_buffer(count)
    with _Side() as side:
        _call("cuMemcpyDtoHAsync_v2", there, _address(address), ctypes.c_size_t(count), side)
        _call("cuStreamSynchronize", side)
    return there.raw


class _Side:
    """A stream that does not synchronise with the default stream."""

    def __enter__(self):
        self.stream = ctypes.c_void_p()
        _call("cuStreamCreate", ctypes.byref(self.stream), ctypes.c_uint(1))
        return self.stream

    def __exit__(self, *_):
        _call("cuStreamDestroy_v2", self.stream)


# ---- PyTorch ----


def torch_here():
    """Returns PyTorch if a script has imported it and it has a device."""
    torch = sys.modules.get("torch")
    return torch if hasattr(torch, "cuda") and torch.cuda.is_available() else None


def make_current(stream):
    """Makes the host's stream the one that PyTorch, and with it Triton, enqueues on."""
    torch = torch_here()
    if torch is not None:
        torch.cuda.set_device(ordinal())
        torch.cuda.set_stream(torch.cuda.ExternalStream(stream))


def give_back():
    """Frees the memory that PyTorch caches: other cases may need it."""
    torch = torch_here()
    if torch is not None:
        torch.cuda.empty_cache()


def versions():
    torch, found = torch_here(), {}
    if torch is not None and torch.version.cuda:
        found["cuda"] = f"{torch.version.cuda}, torch's"
    triton = getattr(sys.modules.get("triton"), "__version__", None)
    return {**found, **({"triton": str(triton)} if triton else {})}


# ---- While a variant is prepared ----


def warm(state):
    """Makes the first calls, which compile, tune and allocate. A returned output lives until the next one exists."""
    start, former = time.monotonic(), None
    for turn in range(3):
        former = state.once()
        finish(state.stream)
        if turn == 0 and time.monotonic() - start > 0.5:
            state.case.note("first_call", f"{time.monotonic() - start:.1f} s")
    del former
    if not state.waits:
        _note_pace(state)
    state.extra = _extra_bytes(state)


def _pace(state, count):
    """Returns microseconds per call: of the host to enqueue it, and of calls back to back until the last is done."""
    finish(state.stream)
    start, kept = time.perf_counter(), None
    for _ in range(count):
        kept = state.once()
    enqueued = time.perf_counter() - start
    finish(state.stream)
    del kept
    return enqueued / count * 1e6, (time.perf_counter() - start) / count * 1e6


def _note_pace(state):
    count = max(1, min(ENQUEUED, int(20000 / max(_pace(state, 1)[1], 1))))
    host, whole = min(_pace(state, count) for _ in range(5))
    text = f"{host:.1f} us to enqueue, {whole:.1f} us each back to back"
    if count > 1 and host > 0.8 * whole:
        text += ": launch-bound, a program that calls it so waits for the host; the row has the device's time"
    state.case.note("host_call", text)


def _extra_bytes(state):
    """Returns the bytes that PyTorch allocates during a call, without the outputs."""
    torch = torch_here()
    if torch is None:
        return 0
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    kept = state.once()
    finish(state.stream)
    del kept
    returned = sum(t.bytes for t in state.outputs) if state.returns else 0
    return max(0, torch.cuda.max_memory_allocated() - before - returned)


def _hold(stream, place):
    """Keeps the stream busy with memsets for some milliseconds, as the host may do before it lets a variant's work begin."""
    for _ in range(400):
        _call("cuMemsetD8Async", place, ctypes.c_ubyte(0), ctypes.c_size_t(32 << 20), _stream(stream))


def check_stream(state, sources_of):
    """Raises ValueError if `run` works outside its stream: a returned output that exists while the stream is still busy with
    earlier work was made elsewhere. Memory that was returned before is poisoned first, because the allocator returns it
    again."""
    before = [sources_of(state.once()) for _ in range(2)]
    places = {s.address for sources in before for s in sources}
    for source in (s for sources in before for s in sources):
        for _, at, rows, count, (_, pitch) in source.pieces[:1]:
            size = ctypes.c_size_t(pitch * (rows - 1) + count)
            _call("cuMemsetD8Async", _address(at), ctypes.c_ubyte(POISON), size, _stream(state.stream))
    finish(state.stream)
    before = source = None
    place = ctypes.c_uint64()
    _call("cuMemAlloc_v2", ctypes.byref(place), ctypes.c_size_t(32 << 20))
    try:
        _hold(state.stream, place)
        found = sources_of(state.once())
        time.sleep(0.001)
        early = [read(s.address, _some(s)) for s in found]
        held = is_busy(state.stream)
        finish(state.stream)
    finally:
        _call("cuMemFree_v2", place)
    for source, seen in zip(found, early):
        poisoned = source.address in places
        if held and poisoned and seen != bytes([POISON]) * len(seen) and seen == read(source.address, _some(source)):
            raise ValueError(f"run escapes its stream: '{source.tensor.name}' was there while the stream was still at "
                             "earlier work")


def _some(source):
    return min(4096, source.pieces[0][3])
