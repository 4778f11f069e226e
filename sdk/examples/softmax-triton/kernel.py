"""The kernel: a program for a row. Compiled by aot.py ahead of time, by mytriton_jit.py as Triton usually does."""

import triton
import triton.language as tl

WARPS = {1024: 4, 2048: 4, 4096: 8, 8192: 8, 16384: 16}  # by BLOCK, the least power of two that holds a row


@triton.jit
def softmax_rows(x, y, n, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * n + column
    v = tl.load(x + at, mask=column < n, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + at, v / tl.sum(v, 0), mask=column < n)
