#!/usr/bin/env python3
"""tests/gpu/one_clock.py LIB [DTYPE...]: see one_clock.sh."""

import ctypes
import statistics
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ci" / "peers"))
import benches  # noqa: E402
from clocks import CudaClock  # noqa: E402

SHAPES = ((16384, 4096), (8192, 8192), (4096, 16384), (2048, 4096), (131072, 128))
DTYPES = {"fp32": (0, torch.float32), "fp16": (1, torch.float16), "bf16": (2, torch.bfloat16)}
OURS = {"fp32": ("lanes", "whole"), "fp16": ("lanes", "whole", "staged", "tensor")}
OURS["bf16"] = OURS["fp16"]
NAMES = {"layer": "layernorm", "rms": "rmsnorm"}
PLACES = ((0, 0), (4096, 8192 + 4096))  # what x and y begin behind multiples of 2 MiB
ROUNDS, ALLOWED = 3, 0.01


class Call(ctypes.Structure):  # activations_call
    _fields_ = [(name, ctypes.c_void_p) for name in "x z gamma beta bias y s mean rstd middle".split()] + \
        [(name, ctypes.c_int64) for name in "mn"] + [(name, ctypes.c_int) for name in "dtype form threads".split()] + \
        [(name, ctypes.c_void_p) for name in "scratch stream".split()]


def placed(pool, begin, offset, like):
    """A tensor like that one behind `begin`, at `offset` from a multiple of 2 MiB; and where it ends."""
    begin = (begin + (1 << 21) - 1 >> 21 << 21) + offset
    end = begin + like.numel() * like.element_size()
    return pool[begin:end].view(like.dtype).view(like.shape).copy_(like), end


def ours_of(library, kind, dtype, x, gamma, beta, y):
    """Functions by name, of those that take this length."""
    (m, n), stream = x.shape, torch.cuda.current_stream().cuda_stream
    call = Call(x=x.data_ptr(), gamma=gamma.data_ptr(), beta=beta.data_ptr(), y=y.data_ptr(), m=m, n=n,
                dtype=DTYPES[dtype][0], stream=stream)
    takes = {"lanes": n * x.element_size() <= 2048, "whole": n % 1024 == 0, "staged": n % 2048 == 0,
             "tensor": n % 2048 == 0 or n <= 256}
    found = {}
    for name in OURS[dtype]:
        function = getattr(library, f"activations_cuda_{NAMES[kind]}_{name}")

        def run(function=function):
            if function(ctypes.byref(call)) != 0:
                raise RuntimeError("launch failed")
            return y
        if takes[name]:
            found[name] = run
    return found


def times_of(functions, clock):
    """Medians of samples that are taken in turn."""
    taken = {name: [] for name in functions}
    for i in range(ROUNDS):
        for name in list(functions)[::1 if i % 2 == 0 else -1]:
            taken[name] += clock.times(functions[name])
    return {name: statistics.median(times) for name, times in taken.items()}


def compiled(kind, n):
    normal = torch.nn.functional
    if kind == "layer":
        return benches.compiled(lambda t, g, b: normal.layer_norm(t, (n,), g, b, 1e-5))
    return benches.compiled(lambda t, g, b: normal.rms_norm(t, (n,), g, 1e-5))


def peers_of(kind, x, gamma, beta, compiled_norm):
    """On these tensors. Eager PyTorch and cuDNN are left out, as they are far behind."""
    import triton_rows
    return {"compile": lambda: compiled_norm(x, gamma, beta), "triton": triton_rows.norm(kind, x, gamma, beta)()}


def case(library, pool, clock, kind, m, n, dtype):
    """Ratios of the best of ours to the best peer, one for each placement; said."""
    device, of = pool.device, DTYPES[dtype][1]
    like = (torch.randn(m, n, device=device) / 16 + (0.5 if kind == "layer" else 0)).to(of)
    gamma, beta = (torch.randn(n, device=device) / 4 + 1).to(of), (torch.randn(n, device=device) / 2).to(of)
    compiled_norm, ratios = compiled(kind, n), []
    for x_at, y_at in PLACES:
        x, end = placed(pool, 0, x_at, like)
        y, _ = placed(pool, end, y_at, like)
        ours, peers = ours_of(library, kind, dtype, x, gamma, beta, y), peers_of(kind, x, gamma, beta, compiled_norm)
        expected = peers["compile"]().float()
        for name, run in ours.items():
            error = float((run().float() - expected).norm() / expected.norm())
            if not error < 8e-3:
                raise SystemExit(f"{kind} {m} x {n} {dtype}: {name} is wrong: {error}")
        times = times_of({**ours, **peers}, clock)
        first, rival = min(ours, key=times.get), min(peers, key=times.get)
        ratios.append(times[first] / times[rival])
        print(f"{NAMES[kind]:9} {m:6} x {n:5} {dtype} {ratios[-1]:.3f}  " +
              "  ".join(f"{name} {times[name] / 1e3:.2f}" for name in sorted(times, key=times.get)), flush=True)
    return ratios


def main():
    library, behind, count, first = ctypes.CDLL(sys.argv[1]), [], 0, 0
    device = torch.device("cuda", 0)
    pool, clock = torch.empty(600 << 20, dtype=torch.uint8, device=device), CudaClock(device, 20, 2)
    with torch.no_grad():
        for dtype in sys.argv[2:] or DTYPES:
            for kind in NAMES:
                for m, n in SHAPES:
                    ratios = case(library, pool, clock, kind, m, n, dtype)
                    count, first = count + len(ratios), first + sum(ratio <= 1 for ratio in ratios)
                    mean = statistics.mean(ratios)
                    if mean > 1 + ALLOWED:
                        behind.append(f"{NAMES[kind]} {m} x {n} {dtype} ({100 * mean - 100:.1f}%)")
    print(f"ours first in {first} of {count}; behind by more than {100 * ALLOWED:.0f}%: {', '.join(behind) or 'none'}")
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
