// The two matrix products of standard attention in fp32 arithmetic. A CTA computes a tile of 128 x N, a thread 8 x (N /
// 16) outputs of it. The depth is processed in steps of 16 through double-buffered shared memory, with the next step's
// global loads in flight.
#include "standard.h"

namespace attention {
namespace {

constexpr int kThreads = 256;
constexpr int kStep = 16;
constexpr int kPitch = kTile + 4;

// Copies a ROWS x 16 slice of a row-major matrix, whose 16 columns run along the reduction, to shared memory,
// transposed.
template <int ROWS>
struct transposed_slice {
  static constexpr int pieces = ROWS * kStep / 4 / kThreads;
  float4 piece[pieces];

  __device__ __forceinline__ void fetch(const float *from, int pitch, int valid) {
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * kThreads;
      const int row = index / 4;
      piece[i] = row < valid ? *reinterpret_cast<const float4 *>(from + row * pitch + index % 4 * 4)
                             : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
  }

  __device__ __forceinline__ void store(float (&to)[kStep][kPitch]) const {
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * kThreads;
      const int row = index / 4;
      const int column = index % 4 * 4;
      to[column][row] = piece[i].x;
      to[column + 1][row] = piece[i].y;
      to[column + 2][row] = piece[i].z;
      to[column + 3][row] = piece[i].w;
    }
  }
};

// Copies a 16 x COLUMNS slice of a row-major matrix, whose 16 rows run along the reduction, to shared memory as it is.
template <int COLUMNS>
struct straight_slice {
  static constexpr int pieces = COLUMNS * kStep / 4 / kThreads;
  float4 piece[pieces];

  __device__ __forceinline__ void fetch(const float *from, int pitch, int valid) {
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * kThreads;
      const int row = index / (COLUMNS / 4);
      piece[i] = row < valid ? *reinterpret_cast<const float4 *>(from + row * pitch + index % (COLUMNS / 4) * 4)
                             : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
  }

  __device__ __forceinline__ void store(float (&to)[kStep][kPitch]) const {
#pragma unroll
    for (int i = 0; i < pieces; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * kThreads;
      *reinterpret_cast<float4 *>(&to[index / (COLUMNS / 4)][index % (COLUMNS / 4) * 4]) = piece[i];
    }
  }
};

__device__ __forceinline__ void read4(float *to, const float *from) {
  const float4 x = *reinterpret_cast<const float4 *>(from);
  to[0] = x.x;
  to[1] = x.y;
  to[2] = x.z;
  to[3] = x.w;
}

// Adds a step of 16 to the outputs of a thread. Thread (ty, tx) has rows 4 ty + {0 .. 3} + {0, 64} and columns 4 tx +
// {0 .. 3} + 64 j.
template <int N>
__device__ __forceinline__ void multiply_step(float (&c)[8][N / 16], const float (&a)[kStep][kPitch],
                                              const float (&b)[kStep][kPitch]) {
  const int row = static_cast<int>(threadIdx.x) / 16 * 4;
  const int column = static_cast<int>(threadIdx.x) % 16 * 4;
#pragma unroll 2
  for (int kk = 0; kk < kStep; ++kk) {
    float x[8], y[N / 16];
    read4(x, &a[kk][row]);
    read4(x + 4, &a[kk][row + 64]);
#pragma unroll
    for (int j = 0; j < N / 64; ++j)
      read4(y + j * 4, &b[kk][column + j * 64]);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
#pragma unroll
      for (int j = 0; j < N / 16; ++j)
        c[i][j] = fmaf(x[i], y[j], c[i][j]);
    }
  }
}

template <int N>
__device__ __forceinline__ void store_tile(const float (&c)[8][N / 16], float *to, int pitch, int valid, float scale) {
  const int column = static_cast<int>(threadIdx.x) % 16 * 4;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const int row = static_cast<int>(threadIdx.x) / 16 * 4 + i % 4 + i / 4 * 64;
    if (row < valid) {
#pragma unroll
      for (int j = 0; j < N / 64; ++j) {
        const float *from = c[i] + j * 4;
        *reinterpret_cast<float4 *>(to + row * pitch + column + j * 64) =
            make_float4(from[0] * scale, from[1] * scale, from[2] * scale, from[3] * scale);
      }
    }
  }
}

template <int D>
__global__ void __launch_bounds__(kThreads, 2) scores_kernel(const standard_arguments arg) {
  __shared__ __align__(16) float a[2][kStep][kPitch];
  __shared__ __align__(16) float b[2][kStep][kPitch];
  const int pitch = standard_pitch(arg.s);
  const standard_place place = standard_place_of(blockIdx.x, pitch / kTile, pitch / kTile);
  if (arg.causal && place.column0 > place.row0) return;
  const int64_t first = place.head * arg.s;
  const float *q = static_cast<const float *>(arg.q) + (first + place.row0) * D;
  const float *k = static_cast<const float *>(arg.k) + (place.head / arg.group * arg.s + place.column0) * D;
  transposed_slice<kTile> next_a, next_b;
  next_a.fetch(q, D, arg.s - place.row0);
  next_b.fetch(k, D, arg.s - place.column0);
  float c[8][8] = {};
  for (int x = 0; x < D; x += kStep) {
    const int stage = x / kStep % 2;
    next_a.store(a[stage]);
    next_b.store(b[stage]);
    __syncthreads();
    if (x + kStep < D) {
      next_a.fetch(q + x + kStep, D, arg.s - place.row0);
      next_b.fetch(k + x + kStep, D, arg.s - place.column0);
    }
    multiply_step<kTile>(c, a[stage], b[stage]);
  }
  store_tile<kTile>(c, arg.scores + (first + place.row0) * pitch + place.column0, pitch, arg.s - place.row0, arg.scale);
}

template <int D>
__global__ void __launch_bounds__(kThreads, 2) values_kernel(const standard_arguments arg) {
  __shared__ __align__(16) float a[2][kStep][kPitch];
  __shared__ __align__(16) float b[2][kStep][kPitch];
  const int pitch = standard_pitch(arg.s);
  const standard_place place = standard_place_of(blockIdx.x, pitch / kTile, 1);
  const int column0 = D > kTile ? static_cast<int>(blockIdx.y) * kTile : 0;
  const int64_t first = place.head * arg.s;
  const float *p = static_cast<const float *>(arg.probabilities) + (first + place.row0) * pitch;
  const float *v = static_cast<const float *>(arg.v) + place.head / arg.group * arg.s * D + column0;
  const int end = standard_end(arg, place.row0);
  transposed_slice<kTile> next_a;
  straight_slice<kPart<D>> next_b;
  next_a.fetch(p, pitch, arg.s - place.row0);
  next_b.fetch(v, D, arg.s);
  float c[8][kPart<D> / 16] = {};
  for (int key = 0; key < end; key += kStep) {
    const int stage = key / kStep % 2;
    next_a.store(a[stage]);
    next_b.store(b[stage]);
    __syncthreads();
    if (key + kStep < end) {
      next_a.fetch(p + key + kStep, pitch, arg.s - place.row0);
      next_b.fetch(v + static_cast<int64_t>(key + kStep) * D, D, arg.s - key - kStep);
    }
    multiply_step<kPart<D>>(c, a[stage], b[stage]);
  }
  store_tile<kPart<D>>(c, static_cast<float *>(arg.o) + (first + place.row0) * D + column0, D, arg.s - place.row0,
                       1.0f);
}

typedef void (*standard_function)(const standard_arguments);

}  // namespace

int standard_f32_scores(const standard_arguments &arg, int d, unsigned ctas, cudaStream_t stream) {
  const standard_function kernel = d == 64 ? scores_kernel<64> : d == 128 ? scores_kernel<128> : scores_kernel<256>;
  kernel<<<ctas, kThreads, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

int standard_f32_values(const standard_arguments &arg, int d, unsigned ctas, cudaStream_t stream) {
  const standard_function kernel = d == 64 ? values_kernel<64> : d == 128 ? values_kernel<128> : values_kernel<256>;
  kernel<<<dim3(ctas, standard_parts(d)), kThreads, 0, stream>>>(arg);
  return cudaPeekAtLastError();
}

}  // namespace attention
