#!/usr/bin/env python3
"""tests/gpu/one_clock.py LIB [PART...]: see one_clock.sh."""

import ctypes
import statistics
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ci" / "peers"))
import benches  # noqa: E402
from clocks import CudaClock  # noqa: E402

SHAPES = ((16384, 4096), (8192, 8192), (4096, 16384), (2048, 4096), (131072, 128))
SHORT = (131072, 128)  # the shape for which statistics are saved
FEW = 1 << 20          # elements, in bf16
DTYPES = {"fp32": (0, torch.float32), "fp16": (1, torch.float16), "bf16": (2, torch.bfloat16)}
OURS = {"fp32": ("lanes", "whole"), "fp16": ("lanes", "whole", "staged", "tensor")}
OURS["bf16"] = OURS["fp16"]
NAMES = {"layer": "layernorm", "rms": "rmsnorm"}
PLACES = ((0, 0), (4096, 8192 + 4096))  # offsets of x and y from multiples of 2 MiB
ROUNDS, ALLOWED = 3, 0.01


class Call(ctypes.Structure):  # mirrors activations_call
    _fields_ = [(name, ctypes.c_void_p) for name in "x z gamma beta bias y s mean rstd middle".split()] + \
        [(name, ctypes.c_int64) for name in "mn"] + [(name, ctypes.c_int) for name in "dtype form threads".split()] + \
        [(name, ctypes.c_void_p) for name in "scratch stream".split()]


def placed(pool, begin, offset, like):
    """Returns a copy of `like` in the pool, at `offset` from the first multiple of 2 MiB after `begin`, and its end."""
    begin = (begin + (1 << 21) - 1 >> 21 << 21) + offset
    end = begin + like.numel() * like.element_size()
    return pool[begin:end].view(like.dtype).view(like.shape).copy_(like), end


def launch(library, name, call, result):
    function = getattr(library, f"activations_cuda_{name}")

    def run():
        if function(ctypes.byref(call)) != 0:
            raise RuntimeError("launch failed")
        return result
    return run


def ours_of(library, kind, dtype, x, gamma, beta, y, saved):
    """Returns our functions that accept this row length, by name."""
    m, n = x.shape
    mean, rstd = (torch.empty(m, device=x.device) for _ in range(2))
    call = Call(x=x.data_ptr(), gamma=gamma.data_ptr(), beta=beta.data_ptr(), y=y.data_ptr(), mean=mean.data_ptr(),
                rstd=rstd.data_ptr(), m=m, n=n, dtype=DTYPES[dtype][0], stream=torch.cuda.current_stream().cuda_stream)
    takes = {"lanes": n * x.element_size() <= 2048, "whole": n % 1024 == 0, "staged": n % 2048 == 0 and not saved,
             "tensor": n % 2048 == 0 or n <= 256}
    whole = NAMES[kind] + ("_saved" if saved else "")
    return {name: launch(library, f"{whole}_{name}", call, (y, rstd) if saved else (y,))
            for name in OURS[dtype] if takes[name]}


def times_of(functions, clock):
    """Returns the median of each function's samples, which are taken in alternating order."""
    taken = {name: [] for name in functions}
    for i in range(ROUNDS):
        for name in list(functions)[::1 if i % 2 == 0 else -1]:
            taken[name] += clock.times(functions[name])
    return {name: statistics.median(times) for name, times in taken.items()}


def error_of(result, expected):
    """Returns the largest of the relative errors."""
    results = [(a.float().flatten(), b.float().flatten()) for a, b in zip(result, expected)]
    return max(float((a - b).norm() / b.norm()) for a, b in results)


def judged(title, ours, peers, expected, clock):
    """Prints the times and returns the ratio of our best time to the best peer's."""
    for name, run in ours.items():
        error = error_of(run(), expected)
        if not error < 8e-3:
            raise SystemExit(f"{title}: {name} is wrong: {error}")
    times = times_of({**ours, **peers}, clock)
    ratio = times[min(ours, key=times.get)] / times[min(peers, key=times.get)]
    said = "  ".join(f"{name} {times[name] / 1e3:.2f}" for name in sorted(times, key=times.get))
    print(f"{title} {ratio:.3f}  {said}", flush=True)
    return ratio


def norm_of(kind, n, saved):
    """Returns the compiled function; it returns a tuple of y, and 1 / std dev if that is saved."""
    normal = torch.nn.functional

    def layer(t, g, b):
        return (normal.layer_norm(t, (n,), g, b, 1e-5),)

    def root(t, g, b):
        return (normal.rms_norm(t, (n,), g, 1e-5),)

    def layer_saved(t, g, b):
        y, mean, scale = torch.native_layer_norm(t, (n,), g, b, 1e-5)
        return y, scale, mean

    def root_saved(t, g, b):
        scale = torch.rsqrt(t.float().square().mean(-1, keepdim=True) + 1e-5)
        return (t.float() * scale * g.float()).to(t.dtype), scale
    return benches.compiled((layer_saved if saved else layer) if kind == "layer" else root_saved if saved else root)


def norm(library, pool, clock, kind, m, n, dtype, saved=False):
    """Returns the ratios of our best time to the best peer's, one for each placement. Eager PyTorch and cuDNN are left
    out, because they are far behind."""
    import triton_rows
    device, of = pool.device, DTYPES[dtype][1]
    like = (torch.randn(m, n, device=device) / 16 + (0.5 if kind == "layer" else 0)).to(of)
    gamma, beta = (torch.randn(n, device=device) / 4 + 1).to(of), (torch.randn(n, device=device) / 2).to(of)
    compiled, ratios = norm_of(kind, n, saved), []
    for x_at, y_at in PLACES:
        x, end = placed(pool, 0, x_at, like)
        y, _ = placed(pool, end, y_at, like)
        peers = {"compile": lambda: compiled(x, gamma, beta),
                 "triton": triton_rows.norm(kind, x, gamma, beta, None, False, saved)()}
        title = f"{NAMES[kind] + ('_saved' if saved else ''):15} {m:6} x {n:5} {dtype}"
        ratios.append(judged(title, ours_of(library, kind, dtype, x, gamma, beta, y, saved), peers, peers["compile"](),
                             clock))
    return ratios


def few(library, pool, clock, what):
    """Returns the same ratios for Swish and SwiGLU on few elements, where the launch takes most of the time."""
    import triton_rows
    silu, of = torch.nn.functional.silu, DTYPES["bf16"][1]
    like, gate = ((3 * torch.randn(FEW, device=pool.device)).to(of) for _ in range(2))
    compiled = benches.compiled((lambda t, u: silu(t)) if what == "swish" else lambda t, u: silu(t) * u)
    ratios = []
    for x_at, y_at in PLACES:
        x, end = placed(pool, 0, x_at, like)
        z, end = placed(pool, end, 0, gate)
        y, _ = placed(pool, end, y_at, like)
        call = Call(x=x.data_ptr(), z=z.data_ptr(), y=y.data_ptr(), m=1, n=FEW, dtype=DTYPES["bf16"][0],
                    stream=torch.cuda.current_stream().cuda_stream)
        peers = {"compile": lambda: compiled(x, z),
                 "triton": triton_rows.elementwise(what, x, z if what == "swiglu" else None)()}
        ratios.append(judged(f"{what:15} {FEW:14} bf16", {"pack": launch(library, f"{what}_pack", call, (y,))}, peers,
                             (peers["compile"](),), clock))
    return ratios


def cases(library, pool, clock, part):
    """Yields name and ratios of each case of a part: a type, or `small`."""
    if part != "small":
        for kind in NAMES:
            for m, n in SHAPES:
                yield f"{NAMES[kind]} {m} x {n} {part}", norm(library, pool, clock, kind, m, n, part)
        return
    for what in ("swish", "swiglu"):
        yield f"{what} {FEW} bf16", few(library, pool, clock, what)
    for kind in NAMES:
        name = f"{NAMES[kind]} saved {SHORT[0]} x {SHORT[1]} bf16"
        yield name, norm(library, pool, clock, kind, *SHORT, "bf16", saved=True)


def main():
    library, behind, count, first = ctypes.CDLL(sys.argv[1]), [], 0, 0
    device = torch.device("cuda", 0)
    pool, clock = torch.empty(600 << 20, dtype=torch.uint8, device=device), CudaClock(device, 20, 2)
    with torch.no_grad():
        for part in sys.argv[2:] or [*DTYPES, "small"]:
            for name, ratios in cases(library, pool, clock, part):
                count, first = count + len(ratios), first + sum(ratio <= 1 for ratio in ratios)
                mean = statistics.mean(ratios)
                if mean > 1 + ALLOWED:
                    behind.append(f"{name} ({100 * mean - 100:.1f}%)")
    print(f"ours first in {first} of {count}; behind by more than {100 * ALLOWED:.0f}%: {', '.join(behind) or 'none'}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
