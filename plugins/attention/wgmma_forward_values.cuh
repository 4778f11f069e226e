// Transposes e4m3 values for the kernel of "forward" for Hopper, because wgmma reads e4m3 operands only with the keys
// contiguous. They are transposed in global memory before that kernel runs, because every tile of queries reads them,
// and the kernel has no time to transpose them in shared memory.
//
// A block of keys is stored in the layout of shared memory, so that one copy fetches it. It consists of parts of 128,
// 64 or 32 keys. A part has d rows with one byte for each key, and the swizzle of that width. Each 16 keys are in the
// order 0 1 8 9, 2 3 10 11, ..., which is the order of the keys of a thread's scores.
#ifndef ATTENTION_WGMMA_FORWARD_VALUES_CUH
#define ATTENTION_WGMMA_FORWARD_VALUES_CUH

#include "wgmma_products.cuh"

namespace attention {

// P of the largest score of a row is 2^forward_raised. If a later score is larger, P grows; the largest e4m3 number is
// 448, about 2^8.8, so that the row's maximum must be updated when it has grown by forward_slack.
constexpr float forward_raised = 4.0f, forward_slack = 4.75f;

struct forward_values_arguments {
  const uint8_t *v;
  uint8_t *to;
  int s, padded;  // keys of a head, without and with padding; padding keys are zeros
  int ctas;       // number of CTAs for each head
};

constexpr int kValuesThreads = 256, kValuesKeys = 128;  // threads and keys of a CTA

// Transposes four rows of four bytes.
__device__ __forceinline__ void transpose_bytes(uint32_t (&to)[4], uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  const uint32_t ab_low = __byte_perm(a, b, 0x5140), ab_high = __byte_perm(a, b, 0x7362);
  const uint32_t cd_low = __byte_perm(c, d, 0x5140), cd_high = __byte_perm(c, d, 0x7362);
  to[0] = __byte_perm(ab_low, cd_low, 0x5410);
  to[1] = __byte_perm(ab_low, cd_low, 0x7632);
  to[2] = __byte_perm(ab_high, cd_high, 0x5410);
  to[3] = __byte_perm(ab_high, cd_high, 0x7632);
}

// Transposes 128 keys through shared memory; the places of 16-byte chunks avoid bank conflicts between eight threads.
template <int D, int ROW>
__global__ void __launch_bounds__(kValuesThreads)
    forward_values_kernel(const __grid_constant__ forward_values_arguments arg) {
  constexpr int parts = D / 16;
  __shared__ uint4 tile[D][8];
  let_next_kernel_begin();
  const int first = static_cast<int>(blockIdx.x) % arg.ctas * kValuesKeys;
  const int64_t head = static_cast<int>(blockIdx.x) / arg.ctas;
  const uint8_t *from = arg.v + head * arg.s * D;
  uint8_t *to = arg.to + head * arg.padded * D;
#pragma unroll
  for (int task = static_cast<int>(threadIdx.x); task < 32 * parts; task += kValuesThreads) {
    const int part = task % parts, quad = task / parts;
    uint4 of[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int key = first + quad / 4 * 16 + quad % 4 * 2 + i / 2 * 8 + i % 2;
      of[i] = key < arg.s ? *reinterpret_cast<const uint4 *>(from + static_cast<int64_t>(key) * D + part * 16)
                          : make_uint4(0, 0, 0, 0);
    }
    uint32_t turned[4][4];
    transpose_bytes(turned[0], of[0].x, of[1].x, of[2].x, of[3].x);
    transpose_bytes(turned[1], of[0].y, of[1].y, of[2].y, of[3].y);
    transpose_bytes(turned[2], of[0].z, of[1].z, of[2].z, of[3].z);
    transpose_bytes(turned[3], of[0].w, of[1].w, of[2].w, of[3].w);
#pragma unroll
    for (int i = 0; i < 16; ++i)
      reinterpret_cast<uint32_t *>(&tile[part * 16 + i][quad / 4 ^ part % 8])[quad % 4] = turned[i / 4][i % 4];
  }
  __syncthreads();
#pragma unroll
  for (int i = static_cast<int>(threadIdx.x); i < D * 8; i += kValuesThreads) {
    const int row = i / 8, chunk = i % 8, key = first + chunk * 16;
    if (key >= arg.padded) continue;
    const int at = row * ROW + key % ROW, swizzled = at ^ (at >> 7 & (ROW / 16 - 1)) << 4;
    *reinterpret_cast<uint4 *>(to + static_cast<int64_t>(key / ROW) * ROW * D + swizzled) =
        tile[row][chunk ^ row / 16 % 8];
  }
}

}  // namespace attention
#endif
