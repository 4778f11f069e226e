// Copies padded rows to dense rows. A library that is slow if rows of c are not multiples of 16 bytes writes its
// product to padded rows first.
#include <cuda_runtime.h>

#include "kernels.h"

namespace matmul {
namespace {

constexpr int kUnpadThreads = 256;

// Copies padded rows to c. A thread writes 16 aligned bytes of a row, which it assembles by shifts from five 32-bit
// words. The ends of a row are copied two bytes at a time.
__global__ void __launch_bounds__(kUnpadThreads)
    unpad(uint8_t *c, const uint8_t *padded, int64_t rows, int64_t width, int64_t pitch) {
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    uint8_t *to = c + row * width;
    const uint8_t *from = padded + row * pitch;
    const int64_t before = -static_cast<int64_t>(reinterpret_cast<uintptr_t>(to)) & 15;
    const int64_t at = before + 16 * (static_cast<int64_t>(blockIdx.x) * kUnpadThreads + threadIdx.x);
    if (at + 16 <= width) {
      const uint32_t *words = reinterpret_cast<const uint32_t *>(from + (at & ~INT64_C(3)));
      const unsigned shift = 8 * (at & 3);
      const uint32_t x[5] = {words[0], words[1], words[2], words[3], shift != 0 ? words[4] : 0};
      *reinterpret_cast<uint4 *>(to + at) =
          make_uint4(__funnelshift_r(x[0], x[1], shift), __funnelshift_r(x[1], x[2], shift),
                     __funnelshift_r(x[2], x[3], shift), __funnelshift_r(x[3], x[4], shift));
    } else if (at < width) {
      for (int64_t i = at; i < width; i += 2)
        *reinterpret_cast<uint16_t *>(to + i) = *reinterpret_cast<const uint16_t *>(from + i);
    }
    if (blockIdx.x == 0 && threadIdx.x < 8 && 2 * threadIdx.x < min(before, width))
      reinterpret_cast<uint16_t *>(to)[threadIdx.x] = reinterpret_cast<const uint16_t *>(from)[threadIdx.x];
  }
}

}  // namespace
}  // namespace matmul

int matmul_cuda_unpad(const matmul_problem *p, const void *from, int64_t pitch, struct CUstream_st *stream) {
  const int64_t size = p->dtype == MATMUL_FP32 ? 4 : 2, width = p->n * size;
  const dim3 grid(static_cast<unsigned>(width / (16 * matmul::kUnpadThreads) + 1),
                  static_cast<unsigned>(p->m < 65535 ? p->m : 65535));
  matmul::unpad<<<grid, matmul::kUnpadThreads, 0, stream>>>(
      static_cast<uint8_t *>(p->c), static_cast<const uint8_t *>(from), p->m, width, pitch * size);
  return cudaPeekAtLastError();
}
