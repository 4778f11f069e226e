// The two matrix products of standard attention on bf16 tensor cores, fp32 sums.
#include "standard.h"
#include "tile.cuh"

namespace attention {
namespace {

constexpr int kThreads = 256;
constexpr int kStep = 64;  // keys per step of the second product

// Eight warps as 2 x 4, each 64 x 32 of the 128 x 128 tile; all of d is in shared memory at once.
template <int D>
__global__ void __launch_bounds__(kThreads, 2) scores_kernel(const standard_arguments arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const int pitch = standard_pitch(arg.s);
  const standard_place place = standard_place_of(blockIdx.x, pitch / kTile, pitch / kTile);
  if (arg.causal && place.column0 > place.row0) return;
  const int64_t head = place.head * arg.s * D;
  const int64_t shared = place.head / arg.group * arg.s * D;
  const __nv_bfloat16 *q = static_cast<const __nv_bfloat16 *>(arg.q) + head + static_cast<int64_t>(place.row0) * D;
  const __nv_bfloat16 *k = static_cast<const __nv_bfloat16 *>(arg.k) + shared + static_cast<int64_t>(place.column0) * D;
  const uint32_t q_tile = shared_address(memory);
  const uint32_t k_tile = q_tile + kTile * tile<D>::row_bytes;
  tile<D>::template load<kTile, kThreads>(q_tile, q, D, arg.s - place.row0);
  tile<D>::template load<kTile, kThreads>(k_tile, k, D, arg.s - place.column0);
  copy_commit();
  copy_wait<0>();
  __syncthreads();

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 4 * 64;
  const int warp_column = warp % 4 * 32;
  const uint32_t q_start = tile<D>::start_rows(q_tile + warp_row * tile<D>::row_bytes, lane);
  const uint32_t k_start = tile<D>::start_columns(k_tile + warp_column * tile<D>::row_bytes, lane);
  float c[4][4][4] = {};
#pragma unroll
  for (int kk = 0; kk < D / 16; ++kk) {
    uint32_t a[4][4], b[2][4];
#pragma unroll
    for (int m = 0; m < 4; ++m)
      load_matrices(a[m], (q_start ^ (kk * 32)) + m * 16 * tile<D>::row_bytes);
#pragma unroll
    for (int n = 0; n < 2; ++n)
      load_matrices(b[n], (k_start ^ (kk * 32)) + n * 16 * tile<D>::row_bytes);
#pragma unroll
    for (int m = 0; m < 4; ++m) {
#pragma unroll
      for (int n = 0; n < 4; ++n)
        mma<__nv_bfloat16>(c[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
    }
  }

  float *scores = arg.scores + place.head * arg.s * pitch + place.column0 + warp_column + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < 8; ++m) {
    const int row = place.row0 + warp_row + m * 8 + lane / 4;
    if (row < arg.s) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        const float *from = c[m / 2][n] + m % 2 * 2;
        *reinterpret_cast<float2 *>(scores + static_cast<int64_t>(row) * pitch + n * 8) =
            make_float2(from[0] * arg.scale, from[1] * arg.scale);
      }
    }
  }
}

// Eight warps as 4 x 2, each 32 rows by half of d; steps of 64 keys through a ring of two stages.
template <int D>
__global__ void __launch_bounds__(kThreads, 2) values_kernel(const standard_arguments arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  constexpr int column_tiles = D / 16;  // of 8, in a warp's half
  const int pitch = standard_pitch(arg.s);
  const standard_place place = standard_place_of(blockIdx.x, pitch / kTile, 1);
  const int64_t first = place.head * arg.s;
  const __nv_bfloat16 *p =
      static_cast<const __nv_bfloat16 *>(arg.probabilities) + (first + place.row0) * static_cast<int64_t>(pitch);
  const __nv_bfloat16 *v = static_cast<const __nv_bfloat16 *>(arg.v) + place.head / arg.group * arg.s * D;
  const uint32_t p_tiles = shared_address(memory);
  constexpr uint32_t v_offset = kTile * tile<kStep>::row_bytes;
  constexpr uint32_t stage_bytes = v_offset + kStep * tile<D>::row_bytes;
  const int end = standard_end(arg, place.row0);

  const auto load_step = [&](int key) {
    const uint32_t stage = p_tiles + static_cast<uint32_t>(key / kStep % 2) * stage_bytes;
    tile<kStep>::template load<kTile, kThreads>(stage, p + key, pitch, arg.s - place.row0);
    tile<D>::template load<kStep, kThreads>(stage + v_offset, v + static_cast<int64_t>(key) * D, D, arg.s - key);
    copy_commit();
  };
  load_step(0);

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 2 * 32;
  const int warp_column = warp % 2 * (D / 2);
  const uint32_t p_start = tile<kStep>::start_rows(p_tiles + warp_row * tile<kStep>::row_bytes, lane);
  const uint32_t v_start = tile<D>::start_rows(p_tiles + v_offset, lane) ^ (warp_column * 2);
  float c[2][column_tiles][4] = {};
  for (int key = 0; key < end; key += kStep) {
    copy_wait<0>();
    __syncthreads();  // the step is complete, and every warp has left the one before, whose stage is filled next
    if (key + kStep < end) load_step(key + kStep);
    const uint32_t stage = static_cast<uint32_t>(key / kStep % 2) * stage_bytes;
#pragma unroll
    for (int kk = 0; kk < kStep / 16; ++kk) {
      uint32_t a[2][4];
#pragma unroll
      for (int m = 0; m < 2; ++m)
        load_matrices(a[m], ((p_start + stage) ^ (kk * 32)) + m * 16 * tile<kStep>::row_bytes);
#pragma unroll
      for (int n = 0; n < column_tiles; n += 2) {
        uint32_t b[4];
        load_matrices_transposed(b, ((v_start + stage) ^ (n * 16)) + kk * 16 * tile<D>::row_bytes);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          mma<__nv_bfloat16>(c[m][n], a[m], b[0], b[1]);
          mma<__nv_bfloat16>(c[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  __nv_bfloat16 *o = static_cast<__nv_bfloat16 *>(arg.o) + first * D + warp_column + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const int row = place.row0 + warp_row + m * 8 + lane / 4;
    if (row < arg.s) {
#pragma unroll
      for (int n = 0; n < column_tiles; ++n) {
        const float *from = c[m / 2][n] + m % 2 * 2;
        *reinterpret_cast<uint32_t *>(o + static_cast<int64_t>(row) * D + n * 8) = pack_bf16(from[0], from[1]);
      }
    }
  }
}

template <int D>
constexpr int scores_bytes() {
  return 2 * kTile * tile<D>::row_bytes;
}

template <int D>
constexpr int values_bytes() {
  return 2 * (kTile * tile<kStep>::row_bytes + kStep * tile<D>::row_bytes);
}

template <int D>
int prepare() {
  const cudaError_t first =
      cudaFuncSetAttribute(scores_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, scores_bytes<D>());
  if (first != cudaSuccess) return first;
  return cudaFuncSetAttribute(values_kernel<D>, cudaFuncAttributeMaxDynamicSharedMemorySize, values_bytes<D>());
}

}  // namespace

int standard_bf16_prepare(int d) {
  return d == 64 ? prepare<64>() : prepare<128>();
}

int standard_bf16_scores(const standard_arguments &arg, int d, unsigned ctas, cudaStream_t stream) {
  if (d == 64)
    scores_kernel<64><<<ctas, kThreads, scores_bytes<64>(), stream>>>(arg);
  else
    scores_kernel<128><<<ctas, kThreads, scores_bytes<128>(), stream>>>(arg);
  return cudaPeekAtLastError();
}

int standard_bf16_values(const standard_arguments &arg, int d, unsigned ctas, cudaStream_t stream) {
  if (d == 64)
    values_kernel<64><<<ctas, kThreads, values_bytes<64>(), stream>>>(arg);
  else
    values_kernel<128><<<ctas, kThreads, values_bytes<128>(), stream>>>(arg);
  return cudaPeekAtLastError();
}

}  // namespace attention
