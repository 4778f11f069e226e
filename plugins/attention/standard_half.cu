// The two matrix products of standard attention on tensor cores: bf16 or fp16 with fp32 sums.
#include "standard.h"
#include "tile.cuh"

namespace attention {
namespace {

constexpr int kThreads = 256;
constexpr int kStep = 64;  // keys per step of the second product

// Computes a tile of 128 x 128 scores. Eight warps form a grid of 2 x 4, each with 64 x 32 scores; up to 128 columns of
// d are in shared memory at once.
template <typename T, int D>
__global__ void __launch_bounds__(kThreads, 2) scores_kernel(const standard_arguments arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  typedef tile<kPart<D>> part;
  const int pitch = standard_pitch(arg.s);
  const standard_place place = standard_place_of(blockIdx.x, pitch / kTile, pitch / kTile);
  if (arg.causal && place.column0 > place.row0) return;
  const int64_t head = place.head * arg.s * D;
  const int64_t shared = place.head / arg.group * arg.s * D;
  const T *q = static_cast<const T *>(arg.q) + head + static_cast<int64_t>(place.row0) * D;
  const T *k = static_cast<const T *>(arg.k) + shared + static_cast<int64_t>(place.column0) * D;
  const uint32_t q_tile = shared_address(memory);
  const uint32_t k_tile = q_tile + kTile * part::row_bytes;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 4 * 64;
  const int warp_column = warp % 4 * 32;
  const uint32_t q_start = part::start_rows(q_tile + warp_row * part::row_bytes, lane);
  const uint32_t k_start = part::start_columns(k_tile + warp_column * part::row_bytes, lane);
  float c[4][4][4] = {};
  for (int x = 0; x < D; x += kPart<D>) {
    if (x > 0) __syncthreads();  // every warp has finished reading the preceding part
    part::template load<kTile, kThreads>(q_tile, q + x, D, arg.s - place.row0);
    part::template load<kTile, kThreads>(k_tile, k + x, D, arg.s - place.column0);
    copy_commit();
    copy_wait<0>();
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < kPart<D> / 16; ++kk) {
      uint32_t a[4][4], b[2][4];
#pragma unroll
      for (int m = 0; m < 4; ++m)
        load_matrices(a[m], (q_start ^ (kk * 32)) + m * 16 * part::row_bytes);
#pragma unroll
      for (int n = 0; n < 2; ++n)
        load_matrices(b[n], (k_start ^ (kk * 32)) + n * 16 * part::row_bytes);
#pragma unroll
      for (int m = 0; m < 4; ++m) {
#pragma unroll
        for (int n = 0; n < 4; ++n)
          mma<T>(c[m][n], a[m], b[n / 2][n % 2 * 2], b[n / 2][n % 2 * 2 + 1]);
      }
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

// Computes 128 rows of outputs, up to 128 columns of d. Eight warps form a grid of 4 x 2, each with 32 rows by half of
// these columns; steps of 64 keys pass through a ring of two stages.
template <typename T, int D>
__global__ void __launch_bounds__(kThreads, 2) values_kernel(const standard_arguments arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  constexpr int columns = kPart<D>;
  constexpr int column_tiles = columns / 16;  // tiles of 8 columns in the half of the columns that a warp computes
  const int pitch = standard_pitch(arg.s);
  const standard_place place = standard_place_of(blockIdx.x, pitch / kTile, 1);
  const int column0 = D > kTile ? static_cast<int>(blockIdx.y) * kTile : 0;
  const int64_t first = place.head * arg.s;
  const T *p = static_cast<const T *>(arg.probabilities) + (first + place.row0) * static_cast<int64_t>(pitch);
  const T *v = static_cast<const T *>(arg.v) + place.head / arg.group * arg.s * D + column0;
  const uint32_t p_tiles = shared_address(memory);
  constexpr uint32_t v_offset = kTile * tile<kStep>::row_bytes;
  constexpr uint32_t stage_bytes = v_offset + kStep * tile<columns>::row_bytes;
  const int end = standard_end(arg, place.row0);

  const auto load_step = [&](int key) {
    const uint32_t stage = p_tiles + static_cast<uint32_t>(key / kStep % 2) * stage_bytes;
    tile<kStep>::template load<kTile, kThreads>(stage, p + key, pitch, arg.s - place.row0);
    tile<columns>::template load<kStep, kThreads>(stage + v_offset, v + static_cast<int64_t>(key) * D, D, arg.s - key);
    copy_commit();
  };
  load_step(0);

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / 2 * 32;
  const int warp_column = warp % 2 * (columns / 2);
  const uint32_t p_start = tile<kStep>::start_rows(p_tiles + warp_row * tile<kStep>::row_bytes, lane);
  const uint32_t v_start = tile<columns>::start_rows(p_tiles + v_offset, lane) ^ (warp_column * 2);
  float c[2][column_tiles][4] = {};
  for (int key = 0; key < end; key += kStep) {
    copy_wait<0>();
    __syncthreads();  // this step has arrived, and no warp reads the preceding one, whose stage is filled next
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
        load_matrices_transposed(b, ((v_start + stage) ^ (n * 16)) + kk * 16 * tile<columns>::row_bytes);
#pragma unroll
        for (int m = 0; m < 2; ++m) {
          mma<T>(c[m][n], a[m], b[0], b[1]);
          mma<T>(c[m][n + 1], a[m], b[2], b[3]);
        }
      }
    }
  }

  T *o = static_cast<T *>(arg.o) + first * D + column0 + warp_column + lane % 4 * 2;
#pragma unroll
  for (int m = 0; m < 4; ++m) {
    const int row = place.row0 + warp_row + m * 8 + lane / 4;
    if (row < arg.s) {
#pragma unroll
      for (int n = 0; n < column_tiles; ++n) {
        const float *from = c[m / 2][n] + m % 2 * 2;
        *reinterpret_cast<uint32_t *>(o + static_cast<int64_t>(row) * D + n * 8) = pack<T>(from[0], from[1]);
      }
    }
  }
}

template <int D>
constexpr int scores_bytes = 2 * kTile *tile<kPart<D>>::row_bytes;

template <int D>
constexpr int values_bytes = 2 * (kTile * tile<kStep>::row_bytes + kStep * tile<kPart<D>>::row_bytes);

struct standard_kernel {
  void (*function)(const standard_arguments);
  int bytes;
};

struct standard_kernels {
  standard_kernel scores, values;
};

template <typename T>
standard_kernels choose_width(int d) {
  if (d == 64) return {{scores_kernel<T, 64>, scores_bytes<64>}, {values_kernel<T, 64>, values_bytes<64>}};
  if (d == 128) return {{scores_kernel<T, 128>, scores_bytes<128>}, {values_kernel<T, 128>, values_bytes<128>}};
  return {{scores_kernel<T, 256>, scores_bytes<256>}, {values_kernel<T, 256>, values_bytes<256>}};
}

standard_kernels choose(int stored, int d) {
  return stored == STORED_FP16 ? choose_width<__half>(d) : choose_width<__nv_bfloat16>(d);
}

int prepare(const standard_kernel &kernel) {
  return cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, kernel.bytes);
}

int launch(const standard_kernel &kernel, const standard_arguments &arg, dim3 ctas, cudaStream_t stream) {
  kernel.function<<<ctas, kThreads, static_cast<size_t>(kernel.bytes), stream>>>(arg);
  return cudaPeekAtLastError();
}

}  // namespace

int standard_half_prepare(int stored, int d) {
  const standard_kernels kernels = choose(stored, d);
  const int status = prepare(kernels.scores);
  return status == cudaSuccess ? prepare(kernels.values) : status;
}

int standard_half_scores(const standard_arguments &arg, int stored, int d, unsigned ctas, cudaStream_t stream) {
  return launch(choose(stored, d).scores, arg, ctas, stream);
}

int standard_half_values(const standard_arguments &arg, int stored, int d, unsigned ctas, cudaStream_t stream) {
  return launch(choose(stored, d).values, arg, dim3(ctas, standard_parts(d)), stream);
}

}  // namespace attention
