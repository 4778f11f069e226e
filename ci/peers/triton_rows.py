"""Our own Triton kernels for memory-bound benches, written as one would by hand: one read and one write, a program for
a row or for some short ones, the best of a few numbers of warps. Imported only if Triton is asked for."""

import math

import torch
import triton
import triton.language as tl

LONGEST = 1 << 16  # elements of the longest row that one program holds; longer rows are read twice
CHUNK = 1 << 13    # elements that a program reads at a time from longer rows


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.erf(x * 0.70710678118654752))


@triton.jit
def gelu_by_tanh(x):
    return x * tl.sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x))


@triton.jit
def map_kernel(x, z, y, count, width, WHAT: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < count).to(tl.float32)
    if WHAT == "bias_erf" or WHAT == "bias_tanh":
        v += tl.load(z + at % width, mask=at < count).to(tl.float32)
    if WHAT == "erf" or WHAT == "bias_erf":
        v = gelu(v)
    elif WHAT == "tanh" or WHAT == "bias_tanh":
        v = gelu_by_tanh(v)
    else:
        v = v * tl.sigmoid(v)
    if WHAT == "swiglu":
        v = v * tl.load(z + at, mask=at < count).to(tl.float32)
    tl.store(y + at, v, mask=at < count)


@triton.jit
def norm_kernel(x, z, gamma, beta, y, s, mean, rstd, m, n, CENTRED: tl.constexpr, ADD: tl.constexpr,
                GELU: tl.constexpr, SAVE: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    there, at = (row < m) & (column < n), row * n + column
    v = tl.load(x + at, mask=there, other=0.0).to(tl.float32)
    if ADD:
        stored = (v + tl.load(z + at, mask=there, other=0.0).to(tl.float32)).to(s.dtype.element_ty)
        tl.store(s + at, stored, mask=there)
        v = stored.to(tl.float32)
    g = tl.load(gamma + column, mask=column < n).to(tl.float32)
    if CENTRED:
        average = tl.sum(v, 1, keep_dims=True) / n
        v = tl.where(there, v - average, 0.0)
        if SAVE:
            tl.store(mean + row, average, mask=row < m)
    scale = tl.rsqrt(tl.sum(v * v, 1, keep_dims=True) / n + 1e-5)
    if SAVE:
        tl.store(rstd + row, scale, mask=row < m)
    v = v * scale * g
    if CENTRED:
        v += tl.load(beta + column, mask=column < n).to(tl.float32)
    if GELU:
        v = gelu(v)
    tl.store(y + at, v, mask=there)


@triton.jit
def softmax_kernel(x, y, m, n, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    there, at = (row < m) & (column < n), row * n + column
    v = tl.load(x + at, mask=there, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 1, keep_dims=True))
    tl.store(y + at, v / tl.sum(v, 1, keep_dims=True), mask=there)


@triton.jit
def masked_softmax_kernel(x, seen, y, rows, m, n, CAUSAL: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    there, at = (row < rows) & (column < n), row * n + column
    if CAUSAL:
        shown = there & (column <= row % m)
    else:
        shown = there & (tl.load(seen + row % m * n + column, mask=there, other=0) != 0)
    v = tl.load(x + at, mask=shown, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 1, keep_dims=True))
    tl.store(y + at, v / tl.sum(v, 1, keep_dims=True), mask=there)


@triton.jit
def long_softmax_kernel(x, y, n, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * n
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        v = tl.load(x + start + at, mask=at < n, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(most, v)
        shift = tl.where(higher == -float("inf"), 0.0, higher)
        total = total * tl.exp(most - shift) + tl.exp(v - shift)
        most = higher
    top = tl.max(most, 0)
    total = tl.sum(total * tl.exp(most - top), 0)
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        v = tl.load(x + start + at, mask=at < n, other=0.0).to(tl.float32)
        tl.store(y + start + at, tl.exp(v - top) / total, mask=at < n)


def best(launch, choices):
    """Returns the launch with the number of warps that takes least time."""
    def time(warps):
        return triton.testing.do_bench(lambda: launch(warps), warmup=2, rep=8, return_mode="median")
    warps = min(choices, key=time)
    return lambda: launch(warps)


def warps_for(elements):
    """Returns numbers of warps that give each thread 8, 16 or 32 elements."""
    fits = {min(max(elements // (32 * each), 1), 32) for each in (8, 16, 32)}
    return sorted(fits)


def elementwise(what, x, z=None):
    def make():
        y, count, block = torch.empty_like(x), x.numel(), 2048

        def launch(warps):
            map_kernel[(triton.cdiv(count, block),)](x, z if z is not None else x, y, count, x.shape[-1],
                                                     what, block, num_warps=warps)
            return y
        return best(launch, (4, 8))
    return make


def shape_of(n):
    block = triton.next_power_of_2(n)
    return max(1, 1024 // block), block


def norm(kind, x, gamma, beta, z=None, gelu_after=False, saved=False):
    def make():
        m, n = x.shape
        y, rows_block = torch.empty_like(x), shape_of(n)
        s = torch.empty_like(x) if z is not None else x
        mean, rstd = torch.empty((2, m), dtype=torch.float32, device=x.device)

        def launch(warps):
            rows, block = rows_block
            norm_kernel[(triton.cdiv(m, rows),)](x, z if z is not None else x, gamma, beta, y, s, mean, rstd, m, n,
                                                 kind == "layer", z is not None, gelu_after, saved, rows, block,
                                                 num_warps=warps)
            return y
        return best(launch, warps_for(math.prod(rows_block)))
    return make


def softmax(x):
    def make():
        m, n = x.shape
        y, (rows, block) = torch.empty_like(x), shape_of(n)

        def launch(warps):
            softmax_kernel[(triton.cdiv(m, rows),)](x, y, m, n, rows, block, num_warps=warps)
            return y

        def launch_long(warps):
            long_softmax_kernel[(m,)](x, y, n, CHUNK, num_warps=warps)
            return y
        return best(launch, warps_for(rows * block)) if n <= LONGEST else best(launch_long, (8, 16, 32))
    return make


def masked_softmax(x, seen=None):
    """Softmax of the elements that the mask `seen` shows; if it is None, of those up to the diagonal."""
    def make():
        b, m, n = x.shape
        y, (some, block) = torch.empty_like(x), shape_of(n)
        mask = x if seen is None else seen.to(torch.uint8)

        def launch(warps):
            masked_softmax_kernel[(triton.cdiv(b * m, some),)](x, mask, y, b * m, m, n, seen is None, some, block,
                                                               num_warps=warps)
            return y
        return best(launch, warps_for(some * block))
    return make
