"""Empties L2 as gpubench's cold mode does (host/device/cuda/kernels.cu): reads one and a half times its size with
evict_last, which also evicts lines that other kernels loaded that way, and then turns its own lines into ordinary ones.
Imported only if Triton is there."""

import torch
import triton
import triton.language as tl

BLOCK = 4096  # words of 4 bytes


@triton.jit
def flush_kernel(words, sink, count, BLOCK: tl.constexpr):
    first, step = tl.program_id(0) * BLOCK, tl.num_programs(0) * BLOCK
    seen = tl.zeros((BLOCK,), tl.int32)
    for begin in range(first, count, step):
        at = (words + begin + tl.arange(0, BLOCK)).to(tl.int64)
        seen |= tl.inline_asm_elementwise(
            """{
            .reg .b64 policy;
            createpolicy.fractional.L2::evict_last.b64 policy, 1.0;
            ld.global.L2::cache_hint.b32 $0, [$1], policy;
            }""", "=r,l", [at], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(sink + tl.program_id(0), tl.max(seen, 0))
    for begin in range(first, count, step):
        line = (words + begin + tl.arange(0, BLOCK // 32) * 32).to(tl.int64)
        tl.inline_asm_elementwise("applypriority.global.L2::evict_normal [$1], 128; mov.u32 $0, 0;", "=r,l", [line],
                                  dtype=tl.int32, is_pure=False, pack=1)


def flush_of(device, properties, cache_bytes):
    count = cache_bytes * 3 // 2 // 4 // BLOCK * BLOCK
    words = torch.zeros(count, dtype=torch.int32, device=device)
    programs = 4 * properties.multi_processor_count
    sink = torch.zeros(programs, dtype=torch.int32, device=device)
    return lambda: flush_kernel[(programs,)](words, sink, count, BLOCK=BLOCK)
