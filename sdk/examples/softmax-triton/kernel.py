"""The kernel: one program per row. aot.py compiles it ahead of time, mytriton_jit.py just in time."""

import triton
import triton.language as tl

WARPS = {1024: 4, 2048: 4, 4096: 8, 8192: 8, 16384: 16}  # number of warps by BLOCK, the least power of two that holds a row


@triton.jit
def softmax_rows(x, y, n, BLOCK: tl.constexpr):
    column = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * n + column
    v = tl.load(x + at, mask=column < n, other=-float("inf")).to(tl.float32)
    v = tl.exp(v - tl.max(v, 0))
    tl.store(y + at, v / tl.sum(v, 0), mask=column < n)
