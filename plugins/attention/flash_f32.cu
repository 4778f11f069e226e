// Flash attention in fp32 arithmetic: the online softmax of flash.cu without tensor cores.
//
// A CTA of 256 threads owns 64 query rows; keys and values come in blocks of 64. The threads form a 16 x 16 grid over
// the 64 x 64 scores: thread (ty, tx) has rows 4 ty .. 4 ty + 3 and columns tx + 16 j. Of the output it has the same
// rows and columns 4 tx + 64 j to 4 tx + 64 j + 3. The 16 threads of a row are half a warp, so row sums and maxima need
// only shuffles.
#include <cuda_runtime.h>

#include "flash.h"
#include "tile.cuh"

namespace attention {
namespace {

constexpr int kRows = 64;
constexpr int kColumns = 64;
constexpr int kThreads = 256;
constexpr int kPitchP = kColumns + 4;

// Four words of padding keep float4 reads of 8 consecutive rows in different banks.
template <int D>
constexpr int kPitch = D + 4;

// Returns the bytes of shared memory: queries, then keys, then values. The memory of the keys also holds the
// probabilities, once the scores are computed.
template <int D>
constexpr int shared_bytes() {
  static_assert(kPitchP <= kPitch<D>, "probabilities fit where the keys were");
  return ((kRows + kColumns) * kPitch<D> + kColumns * D) * 4;
}

template <int D, int PITCH>
__device__ __forceinline__ void load_rows(float *to, const float *from, int valid) {
  constexpr int chunks = D / 4;
#pragma unroll
  for (int i = 0; i < kColumns * chunks / kThreads; ++i) {
    const int row = static_cast<int>(threadIdx.x) / chunks + i * (kThreads / chunks);
    const int column = static_cast<int>(threadIdx.x) % chunks * 4;
    const bool inside = row < valid;
    copy16(shared_address(to + row * PITCH + column), from + (inside ? row * D : 0) + column, inside);
  }
}

__device__ __forceinline__ float dot4(const float4 &a, const float4 &b, float c) {
  return fmaf(a.w, b.w, fmaf(a.z, b.z, fmaf(a.y, b.y, fmaf(a.x, b.x, c))));
}

template <int D>
__device__ __forceinline__ void multiply_scores(float (&c)[4][4], const float *q, const float *k) {
  constexpr int pitch = kPitch<D>;
#pragma unroll
  for (int i = 0; i < 16; ++i)
    c[i / 4][i % 4] = 0.0f;
#pragma unroll 4
  for (int x = 0; x < D; x += 4) {
    float4 a[4], b[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      a[i] = *reinterpret_cast<const float4 *>(q + i * pitch + x);
      b[i] = *reinterpret_cast<const float4 *>(k + i * 16 * pitch + x);
    }
#pragma unroll
    for (int i = 0; i < 16; ++i)
      c[i / 4][i % 4] = dot4(a[i / 4], b[i % 4], c[i / 4][i % 4]);
  }
}

__device__ __forceinline__ float half_warp_max(float x) {
#pragma unroll
  for (int lanes = 8; lanes > 0; lanes /= 2)
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, lanes));
  return x;
}

__device__ __forceinline__ float half_warp_sum(float x) {
#pragma unroll
  for (int lanes = 8; lanes > 0; lanes /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, lanes);
  return x;
}

template <int D>
struct row_state {
  float largest[4];
  float sum[4];  // the sum over this thread's columns only
  float o[4][D / 16];
};

// Turns scores into probabilities relative to the new maximum, and rescales sums and outputs to it. `top` is finite,
// because key 0 is in the first block and visible to all rows.
template <int D>
__device__ __forceinline__ void update_softmax(float (&c)[4][4], row_state<D> &state, float scale_log2) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float own = fmaxf(fmaxf(c[i][0], c[i][1]), fmaxf(c[i][2], c[i][3]));
    const float top = fmaxf(state.largest[i], half_warp_max(own));
    const float rescale = exp2f((state.largest[i] - top) * scale_log2);
    state.largest[i] = top;
    state.sum[i] *= rescale;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      c[i][j] = exp2f((c[i][j] - top) * scale_log2);
      state.sum[i] += c[i][j];
    }
#pragma unroll
    for (int j = 0; j < D / 16; ++j)
      state.o[i][j] *= rescale;
  }
}

__device__ __forceinline__ float element(const float4 &a, int i) {
  return i == 0 ? a.x : i == 1 ? a.y : i == 2 ? a.z : a.w;
}

template <int D>
__device__ __forceinline__ void multiply_values(row_state<D> &state, const float *p, const float *v) {
#pragma unroll 2
  for (int x = 0; x < kColumns; x += 4) {
    float4 a[4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      a[i] = *reinterpret_cast<const float4 *>(p + i * kPitchP + x);
#pragma unroll
    for (int e = 0; e < 4; ++e) {
#pragma unroll
      for (int j = 0; j < D / 64; ++j) {
        const float4 b = *reinterpret_cast<const float4 *>(v + (x + e) * D + j * 64);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int n = 0; n < 4; ++n)
            state.o[i][j * 4 + n] = fmaf(element(a[i], e), element(b, n), state.o[i][j * 4 + n]);
        }
      }
    }
  }
}

template <int D>
__device__ __forceinline__ void store_rows(const row_state<D> &state, float *o, int valid) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float inverse = 1.0f / half_warp_sum(state.sum[i]);
    if (i < valid) {
#pragma unroll
      for (int j = 0; j < D / 64; ++j) {
        const float *from = state.o[i] + j * 4;
        *reinterpret_cast<float4 *>(o + i * D + j * 64) =
            make_float4(from[0] * inverse, from[1] * inverse, from[2] * inverse, from[3] * inverse);
      }
    }
  }
}

struct flash_arguments {
  const float *q;
  const float *k;
  const float *v;
  float *o;
  int64_t heads;
  int group;
  int resident;
  int s;
  float scale_log2;
};

template <int D, bool CAUSAL>
__global__ void __launch_bounds__(kThreads, 2) flash_kernel(const flash_arguments arg) {
  extern __shared__ __align__(1024) float floats[];
  constexpr int pitch = kPitch<D>;
  float *const q = floats;
  float *const k = q + kRows * pitch;
  float *const v = k + kColumns * pitch;
  const flash_place place = flash_place_of(blockIdx.x, arg.heads, arg.resident, (arg.s + kRows - 1) / kRows);
  const int64_t head = place.head * arg.s * D;
  const int64_t shared = place.head / arg.group * arg.s * D;
  const int row0 = place.tile * kRows;
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int row = static_cast<int>(threadIdx.x) / 16 * 4;

  row_state<D> state;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    state.largest[i] = -INFINITY;
    state.sum[i] = 0.0f;
#pragma unroll
    for (int j = 0; j < D / 16; ++j)
      state.o[i][j] = 0.0f;
  }
  load_rows<D, pitch>(q, arg.q + head + static_cast<int64_t>(row0) * D, arg.s - row0);

  const int end = CAUSAL ? min(arg.s, row0 + kRows) : arg.s;
  for (int column = 0; column < end; column += kColumns) {
    const int64_t first = shared + static_cast<int64_t>(column) * D;
    load_rows<D, pitch>(k, arg.k + first, arg.s - column);
    copy_commit();
    load_rows<D, D>(v, arg.v + first, arg.s - column);
    copy_commit();
    copy_wait<1>();
    __syncthreads();
    float c[4][4];
    multiply_scores<D>(c, q + row * pitch, k + tx * pitch);
    if (column + kColumns > (CAUSAL ? min(arg.s, row0 + 1) : arg.s)) {
#pragma unroll
      for (int i = 0; i < 16; ++i) {
        const int limit = CAUSAL ? min(arg.s, row0 + row + i / 4 + 1) : arg.s;
        if (column + tx + i % 4 * 16 >= limit) c[i / 4][i % 4] = -INFINITY;
      }
    }
    update_softmax<D>(c, state, arg.scale_log2);
    copy_wait<0>();
    __syncthreads();  // values have arrived, and no thread reads the keys any more, whose memory is overwritten next
    float *const p = k + row * kPitchP;
#pragma unroll
    for (int i = 0; i < 16; ++i)
      p[i / 4 * kPitchP + tx + i % 4 * 16] = c[i / 4][i % 4];
    __syncwarp();
    multiply_values<D>(state, p, v + tx * 4);
    __syncthreads();
  }
  store_rows<D>(state, arg.o + head + static_cast<int64_t>(row0 + row) * D + tx * 4, arg.s - row0 - row);
}

typedef void (*flash_function)(const flash_arguments);

flash_function choose(const attention_problem *p) {
  if (p->d == 64) return p->causal ? flash_kernel<64, true> : flash_kernel<64, false>;
  return p->causal ? flash_kernel<128, true> : flash_kernel<128, false>;
}

int choose_bytes(const attention_problem *p) {
  return p->d == 64 ? shared_bytes<64>() : shared_bytes<128>();
}

}  // namespace

int flash_f32_prepare(const attention_problem *p) {
  return cudaFuncSetAttribute(choose(p), cudaFuncAttributeMaxDynamicSharedMemorySize, choose_bytes(p));
}

int flash_f32_run(const attention_problem *p, cudaStream_t stream) {
  flash_arguments arg = {};
  arg.q = static_cast<const float *>(p->q);
  arg.k = static_cast<const float *>(p->k);
  arg.v = static_cast<const float *>(p->v);
  arg.o = static_cast<float *>(p->o);
  arg.heads = p->heads;
  arg.group = p->group;
  arg.s = p->s;
  arg.resident = flash_resident(p, 4);
  arg.scale_log2 = flash_scale_log2(p->d);
  const int64_t ctas = p->heads * ((p->s + kRows - 1) / kRows);
  choose(p)<<<static_cast<unsigned>(ctas), kThreads, static_cast<size_t>(choose_bytes(p)), stream>>>(arg);
  return cudaPeekAtLastError();
}

}  // namespace attention
