// Stores the sums of a warp to c.
#ifndef MATMUL_WGMMA_STORE_CUH
#define MATMUL_WGMMA_STORE_CUH

#include "wgmma_ring.cuh"

namespace matmul {

template <typename T>
__device__ __forceinline__ uint32_t wgmma_pair(float low, float high);

template <>
__device__ __forceinline__ uint32_t wgmma_pair<__nv_bfloat16>(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t *>(&pair);
}

template <>
__device__ __forceinline__ uint32_t wgmma_pair<__half>(float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return *reinterpret_cast<const uint32_t *>(&pair);
}

// Returns how many bytes of shared memory a row of two-byte results takes, rounded up to whole rows of 128 bytes.
template <typename S>
__host__ __device__ constexpr int wgmma_plain_bytes() {
  return (S::columns + 63) / 64 * kRowBytes;
}

// Stores one row of `columns` results, row `row` of `from`, to `out`, which may start at any element. A lane stores 16
// aligned bytes, shifted together from two chunks of shared memory; the results at both ends are stored one by one.
template <typename S>
__device__ __forceinline__ void wgmma_store_row(uint32_t from, int row, uint16_t *out, int columns, int lane) {
  constexpr int kLast = S::columns / 8 - 1;
  // number of results before the first 16-byte boundary of `out`
  const int shift = -static_cast<int>(reinterpret_cast<uintptr_t>(out) >> 1) & 7;
  const uint32_t start = from + row * wgmma_plain_bytes<S>();
  uint32_t word[8];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int chunk = min(lane + i, kLast) ^ row;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(word[4 * i]), "=r"(word[4 * i + 1]), "=r"(word[4 * i + 2]), "=r"(word[4 * i + 3])
                 : "r"(start + chunk * 16)
                 : "memory");
  }
#pragma unroll
  for (int i = 0; i < 6; ++i)
    word[i] = shift & 4 ? word[i + 2] : word[i];
#pragma unroll
  for (int i = 0; i < 5; ++i)
    word[i] = shift & 2 ? word[i + 1] : word[i];
  const unsigned halves = shift & 1 ? 0x5432 : 0x3210;
  const int at = 8 * lane + shift;
  if (at + 8 <= columns)
    *reinterpret_cast<uint4 *>(out + at) =
        make_uint4(__byte_perm(word[0], word[1], halves), __byte_perm(word[1], word[2], halves),
                   __byte_perm(word[2], word[3], halves), __byte_perm(word[3], word[4], halves));
  const int aligned = columns > shift ? (columns - shift) & ~7 : 0;
  const int end = lane < 8 ? lane : shift + aligned + lane - 8;
  if (end < columns && (lane < 8 ? lane < shift : lane < 16)) {
    uint16_t one;
    asm volatile("ld.shared.u16 %0, [%1];\n"
                 : "=h"(one)
                 : "r"(start + ((end >> 3) ^ row) * 16 + (end & 7) * 2)
                 : "memory");
    out[end] = one;
  }
}

// Stores the 16 rows of a warp, element by element, if rows of c are not multiples of 16 bytes. For fp32.
template <typename S>
__device__ __forceinline__ void wgmma_store_floats(const float (&sum)[S::columns / 2], const wgmma_arguments &arg,
                                                   int row0, int column0, int lane) {
  const int first = row0 + lane / 4, column = column0 + lane % 4 * 2;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first + half * 8, columns = row < arg.m ? arg.n - column : 0;
    float *to = static_cast<float *>(arg.c) + static_cast<int64_t>(row) * arg.n + column;
#pragma unroll
    for (int j = 0; j < S::columns / 8; ++j) {
      if (j * 8 < columns) to[j * 8] = sum[j * 4 + half * 2];
      if (j * 8 + 1 < columns) to[j * 8 + 1] = sum[j * 4 + half * 2 + 1];
    }
  }
}

// Stores the 16 rows of a warp if rows of c are not multiples of 16 bytes, for results of two bytes. Eight rows at a
// time are collected in shared memory at `buffers` and copied to c from there.
template <typename T, typename S>
__device__ __forceinline__ void wgmma_store_plain(const float (&sum)[S::columns / 2], const wgmma_arguments &arg,
                                                  uint32_t buffers, int row0, int column0, int lane) {
  static_assert(8 * wgmma_plain_bytes<S>() <= 2 * S::out_bytes, "eight rows fit into the buffers");
  const int columns = min(S::columns, arg.n - column0);
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    __syncwarp();
#pragma unroll
    for (int j = 0; j < S::columns; j += 32) {
      const int first = j + 32 <= S::columns ? j : S::columns - 32;  // the last chunk may overlap the one before
      const float *x = sum + first / 2 + half * 2;
      const int row = lane & 7, chunk = (first / 8 + (lane >> 3)) ^ row;
      store_matrices(buffers + row * wgmma_plain_bytes<S>() + chunk * 16, wgmma_pair<T>(x[0], x[1]),
                     wgmma_pair<T>(x[4], x[5]), wgmma_pair<T>(x[8], x[9]), wgmma_pair<T>(x[12], x[13]));
    }
    __syncwarp();
    const int first = row0 + half * 8, rows = min(8, arg.m - first);
    uint16_t *out = static_cast<uint16_t *>(arg.c) + static_cast<int64_t>(first) * arg.n + column0;
#pragma unroll 4
    for (int row = 0; row < rows; ++row, out += arg.n)
      wgmma_store_row<S>(buffers, row, out, columns, lane);
  }
}

// Returns the shared address at which a lane writes its results: 128 bytes of each of 16 rows, swizzled, into a buffer.
// wgmma_fill adds `half` to it, which selects the buffer. For fp32, lanes in every second row write their columns in
// another order, so that 16 lanes, which cover four rows, hit all banks.
template <typename T>
__device__ __forceinline__ uint32_t wgmma_start(uint32_t buffer, int lane) {
  if constexpr (sizeof(T) == 2) return start_a(buffer, lane);
  return buffer + (chunk_offset(lane / 4, lane % 4 / 2) ^ (lane & 4 ? 64 : 0)) + lane % 2 * 8;
}

template <typename T>
__device__ __forceinline__ void wgmma_fill(const float *sum, uint32_t to, uint32_t half) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float *x = sum + j * 8;
    store_matrices((to ^ (j * 32)) + half, wgmma_pair<T>(x[0], x[1]), wgmma_pair<T>(x[2], x[3]),
                   wgmma_pair<T>(x[4], x[5]), wgmma_pair<T>(x[6], x[7]));
  }
}

template <>
__device__ __forceinline__ void wgmma_fill<float>(const float *sum, uint32_t to, uint32_t half) {
  const bool swaps = threadIdx.x & 4;
#pragma unroll
  for (int rows = 0; rows < 2; ++rows)
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const float *x = sum + rows * 2 + j * 4, *y = sum + rows * 2 + (j ^ 2) * 4;
      asm volatile("st.shared.v2.f32 [%0], {%1, %2};\n" ::"r"((to ^ (j * 32)) + half + rows * (8 * kRowBytes)),
                   "f"(swaps ? y[0] : x[0]), "f"(swaps ? y[1] : x[1])
                   : "memory");
    }
}

// Stores the 16 rows of a warp, 128 bytes of each at a time, through two buffers; `half` is the offset of the next one.
// If FREE, both buffers are unused, so that there is no earlier store to wait for.
template <typename T, typename S, bool FREE = false>
__device__ __forceinline__ void wgmma_store(const float (&sum)[S::columns / 2], const CUtensorMap *c, uint32_t buffers,
                                            uint32_t &half, int row0, int column0, int lane) {
  constexpr int kColumns = kRowBytes / sizeof(T);
  static_assert(!FREE || S::columns <= 2 * kColumns, "two buffers");
  const uint32_t to = wgmma_start<T>(buffers, lane);
#pragma unroll
  for (int column = 0; column < S::columns; column += kColumns, half ^= S::out_bytes) {
    // The last chunk may overlap the one before it.
    const int first = column + kColumns <= S::columns ? column : S::columns - kColumns;
    if constexpr (!FREE) {
      if (lane == 0) bulk::wait_read<1>();
      __syncwarp();
    }
    wgmma_fill<T>(sum + first / 2, to, half);
    fence_for_copies();
    __syncwarp();
    if (lane == 0) {
      store_tile(c, column0 + first, row0, buffers + half);
      bulk::commit();
    }
  }
}

template <typename M, typename S, bool PLAIN>
__device__ __forceinline__ void wgmma_store_any(const float (&sum)[S::columns / 2], const CUtensorMap *c,
                                                const wgmma_arguments &arg, uint32_t buffers, uint32_t &half, int row0,
                                                int column0, int lane) {
  if constexpr (PLAIN && sizeof(typename M::out) == 4)
    wgmma_store_floats<S>(sum, arg, row0, column0, lane);
  else if constexpr (PLAIN)
    wgmma_store_plain<typename M::out, S>(sum, arg, buffers, row0, column0, lane);
  else
    wgmma_store<typename M::out, S>(sum, c, buffers, half, row0, column0, lane);
}

}  // namespace matmul
#endif
