// Matrix product on tensor cores with mma.sync: bf16, fp16, fp32 as tf32, and e4m3; sums are fp32.
//
// A CTA owns a tile of c. Rows of a and of b arrive in steps of 128 bytes along k, through a ring of stages filled by
// cp.async. Each warp multiplies its part of the tile from registers, and reads the next fragments from shared memory
// meanwhile. If rows are not aligned to 16 bytes, the ring is filled element by element.
#include <cuda_runtime.h>

#include <type_traits>

#include "kernels.h"
#include "tile.cuh"

namespace matmul {
namespace {

typedef __nv_fp8_e4m3 e4m3;

template <typename T>
using out_of = std::conditional_t<std::is_same_v<T, e4m3>, __nv_bfloat16, T>;

// For large problems: one CTA per multiprocessor, 64 x 64 results per warp, and as many stages as shared memory can
// hold. The limit per block is 227 KB on compute capability 9.0, 163 KB on 8.0, 99 KB on 8.6, 8.9 and 12.0 (CUDA C++
// Programming Guide, technical specifications per compute capability).
struct large_shape {  // 192 KB of shared memory
  static constexpr int rows = 128, columns = 256, warp_rows = 64, warp_columns = 64, stages = 4, ctas = 1;
};
struct large_shape_163 {  // 144 KB, for compute capability 8.0
  static constexpr int rows = 128, columns = 256, warp_rows = 64, warp_columns = 64, stages = 3, ctas = 1;
};
struct large_shape_99 {  // 96 KB, for compute capability 8.6, 8.9 and 12.0
  static constexpr int rows = 128, columns = 128, warp_rows = 64, warp_columns = 32, stages = 3, ctas = 1;
};
// For problems that have too few large tiles to keep all multiprocessors busy.
struct small_shape {
  static constexpr int rows = 64, columns = 64, warp_rows = 32, warp_columns = 32, stages = 4, ctas = 3;
};
// The two shapes for e4m3, of 84 and 64 KB. Both fit the shared memory of compute capability 8.9 and 12.0, and the
// registers of 9.0 and 10.0, where mma.sync on e4m3 is executed in fp16 and needs more registers.
struct large_shape_e4m3 {
  static constexpr int rows = 128, columns = 96, warp_rows = 32, warp_columns = 48, stages = 3, ctas = 1;
};
struct small_shape_e4m3 {
  static constexpr int rows = 64, columns = 64, warp_rows = 32, warp_columns = 32, stages = 4, ctas = 2;
};

template <typename S>
struct layout {
  static constexpr int warps_across = S::columns / S::warp_columns;
  static constexpr int threads = S::rows / S::warp_rows * warps_across * 32;
  static constexpr int a_bytes = S::rows * kRowBytes;
  static constexpr int stage_bytes = a_bytes + S::columns * kRowBytes;
  static constexpr int bytes = S::stages * stage_bytes;
  static constexpr int row_tiles = S::warp_rows / 16, column_tiles = S::warp_columns / 8;
  // 16-bit results pass through shared memory on their way to c, in rows padded against bank conflicts.
  static constexpr int out_pitch = S::warp_columns * 2 + 16;
  static_assert(threads / 32 * S::warp_rows * out_pitch <= bytes, "the epilogue fits into the ring");
  static_assert(S::rows * kChunks % threads == 0 && S::columns * kChunks % threads == 0, "threads cover whole rows");
};

struct tensor_arguments {
  const void *a;
  const void *b;
  void *c;
  int m, n, k;
  int row_tiles, column_tiles;
};

struct place {
  int row0, column0;
};

// Maps a CTA number to its tile. Numbers run down the rows of a band of eight row tiles, then go to the next column, so
// that CTAs that run at the same time share rows of a and of b in the L2 cache.
template <typename S>
__device__ __forceinline__ place place_of(const tensor_arguments &arg) {
  constexpr int kBand = 8;
  const int cta = static_cast<int>(blockIdx.x);
  const int band = cta / (kBand * arg.column_tiles);
  const int height = min(kBand, arg.row_tiles - band * kBand);
  const int left = cta - band * kBand * arg.column_tiles;
  place p;
  p.row0 = (band * kBand + left % height) * S::rows;
  p.column0 = left / height * S::columns;
  return p;
}

template <typename T, bool ALIGNED>
__device__ __forceinline__ void load_chunk(uint32_t to, const T *rows, int row, int valid_rows, int element, int k) {
  constexpr int kPer = 16 / sizeof(T);
  if (ALIGNED) {  // k is whole chunks, so that each chunk is completely inside or outside the matrix
    const bool inside = row < valid_rows && element < k;
    copy16(to, rows + (inside ? static_cast<int64_t>(row) * k + element : 0), inside);
    return;
  }
  typedef std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>> bits;
  union {
    uint4 vector;
    bits part[kPer];
  } x;
  x.vector = make_uint4(0, 0, 0, 0);
  if (row < valid_rows) {
    const T *from = rows + static_cast<int64_t>(row) * k + element;
#pragma unroll
    for (int i = 0; i < kPer; ++i)
      if (element + i < k) x.part[i] = *reinterpret_cast<const bits *>(from + i);
  }
  store16(to, x.vector);
}

// Issues part PART of PARTS of one step's copies into `stage`, from element `k0` on.
template <typename T, typename S, bool ALIGNED, int PART, int PARTS>
__device__ __forceinline__ void load_part(uint32_t stage, const T *a, const T *b, int a_rows, int b_rows, int k0,
                                          int k) {
  typedef layout<S> L;
  constexpr int kRowsAtOnce = L::threads / kChunks;
  constexpr int kOfA = S::rows / kRowsAtOnce, kAll = kOfA + S::columns / kRowsAtOnce;
  constexpr int kShare = (kAll + PARTS - 1) / PARTS;
  const int chunk = static_cast<int>(threadIdx.x) % kChunks;
  const int row0 = static_cast<int>(threadIdx.x) / kChunks;
  const int element = k0 + chunk * static_cast<int>(16 / sizeof(T));
#pragma unroll
  for (int i = PART * kShare; i < (PART + 1) * kShare && i < kAll; ++i) {
    const bool of_a = i < kOfA;
    const int row = row0 + (of_a ? i : i - kOfA) * kRowsAtOnce;
    const uint32_t to = stage + (of_a ? 0 : L::a_bytes) + chunk_offset(row, chunk);
    load_chunk<T, ALIGNED>(to, of_a ? a : b, row, of_a ? a_rows : b_rows, element, k);
  }
}

template <typename S>
struct fragments {
  uint32_t a[layout<S>::row_tiles][4];
  uint32_t b[layout<S>::column_tiles / 2][4];
};

template <typename S>
__device__ __forceinline__ void load_fragments(fragments<S> &f, uint32_t a_start, uint32_t b_start, int step) {
#pragma unroll
  for (int i = 0; i < layout<S>::row_tiles; ++i)
    load_matrices(f.a[i], (a_start ^ (step * 32)) + i * 16 * kRowBytes);
#pragma unroll
  for (int i = 0; i < layout<S>::column_tiles / 2; ++i)
    load_matrices(f.b[i], (b_start ^ (step * 32)) + i * 16 * kRowBytes);
}

template <typename S>
using sums = float[layout<S>::row_tiles][layout<S>::column_tiles][4];

template <typename T, typename S>
__device__ __forceinline__ void multiply(sums<S> &c, const fragments<S> &f) {
#pragma unroll
  for (int i = 0; i < layout<S>::row_tiles; ++i) {
#pragma unroll
    for (int j = 0; j < layout<S>::column_tiles; ++j) {
#if __CUDA_ARCH__ < 890  // no variant supports e4m3 before 8.9
      if constexpr (!std::is_same_v<T, e4m3>)
#endif
        mma<T>(c[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
    }
  }
}

__device__ __forceinline__ uint32_t pack(__nv_bfloat16, float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return reinterpret_cast<const uint32_t &>(pair);
}

__device__ __forceinline__ uint32_t pack(__half, float low, float high) {
  const __half2 pair = __floats2half2_rn(low, high);
  return reinterpret_cast<const uint32_t &>(pair);
}

// Stores a warp's part of c, whose first element is at (row0, column0). 16-bit results pass through the warp's part of
// shared memory, so that global stores are 16 bytes wide.
template <typename T, typename S>
__device__ __forceinline__ void store_part(const sums<S> &c, unsigned char *rows, T *out, const tensor_arguments &arg,
                                           int row0, int column0) {
  typedef layout<S> L;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 2 * L::row_tiles; ++i) {
    unsigned char *row = rows + (i * 8 + lane / 4) * L::out_pitch + lane % 4 * 4;
#pragma unroll
    for (int j = 0; j < L::column_tiles; ++j) {
      const float *from = c[i / 2][j] + i % 2 * 2;
      *reinterpret_cast<uint32_t *>(row + j * 16) = pack(T(), from[0], from[1]);
    }
  }
  __syncwarp();
  constexpr int kAcross = S::warp_columns / 8;
  const bool wide = arg.n % 8 == 0;
  for (int i = lane; i < S::warp_rows * kAcross; i += 32) {
    const int row = i / kAcross, column = column0 + i % kAcross * 8;
    if (row0 + row >= arg.m || column >= arg.n) continue;
    const unsigned char *from = rows + row * L::out_pitch + i % kAcross * 16;
    T *to = out + static_cast<int64_t>(row0 + row) * arg.n + column;
    if (wide) {
      *reinterpret_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(from);
    } else {
      for (int e = 0; e < 8 && column + e < arg.n; ++e)
        to[e] = reinterpret_cast<const T *>(from)[e];
    }
  }
}

// Stores fp32 results straight from registers: the four threads of a row write 32 adjacent bytes.
template <typename T, typename S>
__device__ __forceinline__ void store_part(const sums<S> &c, unsigned char *, float *out, const tensor_arguments &arg,
                                           int row0, int column0) {
  typedef layout<S> L;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool wide = arg.n % 2 == 0;
#pragma unroll
  for (int i = 0; i < 2 * L::row_tiles; ++i) {
    const int row = row0 + i * 8 + lane / 4;
    if (row >= arg.m) continue;
#pragma unroll
    for (int j = 0; j < L::column_tiles; ++j) {
      const int column = column0 + j * 8 + lane % 4 * 2;
      const float *from = c[i / 2][j] + i % 2 * 2;
      float *to = out + static_cast<int64_t>(row) * arg.n + column;
      if (wide && column < arg.n) {
        *reinterpret_cast<float2 *>(to) = make_float2(from[0], from[1]);
      } else {
        if (column < arg.n) to[0] = from[0];
        if (column + 1 < arg.n) to[1] = from[1];
      }
    }
  }
}

template <typename T, typename S, bool ALIGNED>
__global__ void __launch_bounds__(layout<S>::threads, S::ctas) tensor_kernel(const tensor_arguments arg) {
  typedef layout<S> L;
  extern __shared__ __align__(1024) unsigned char memory[];
  constexpr int kStep = kRowBytes / sizeof(T);  // elements along k in a stage
  constexpr int kSteps = kRowBytes / 32;        // mma steps in a stage
  const place at = place_of<S>(arg);
  const T *a = static_cast<const T *>(arg.a) + static_cast<int64_t>(at.row0) * arg.k;
  const T *b = static_cast<const T *>(arg.b) + static_cast<int64_t>(at.column0) * arg.k;
  const int a_rows = arg.m - at.row0, b_rows = arg.n - at.column0;
  const int count = (arg.k + kStep - 1) / kStep;
  const uint32_t ring = shared_address(memory);

#pragma unroll
  for (int s = 0; s < S::stages - 1; ++s) {
    if (s < count) load_part<T, S, ALIGNED, 0, 1>(ring + s * L::stage_bytes, a, b, a_rows, b_rows, s * kStep, arg.k);
    copy_commit();
  }

  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / L::warps_across * S::warp_rows;
  const int warp_column = warp % L::warps_across * S::warp_columns;
  const uint32_t a_start = start_a(ring + warp_row * kRowBytes, lane);
  const uint32_t b_start = start_b(ring + L::a_bytes + warp_column * kRowBytes, lane);

  sums<S> c = {};
  fragments<S> f[2];
  uint32_t read = 0, write = (S::stages - 1) * L::stage_bytes;
  copy_wait<S::stages - 2>();
  __syncthreads();
  load_fragments<S>(f[0], a_start, b_start, 0);
  for (int step = 0; step < count; ++step) {
    const int next = step + S::stages - 1;
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
      if (i == kSteps - 1) {
        // Waits until the next stage has arrived and all warps have read their last fragments of this one, which is
        // filled next.
        copy_commit();
        copy_wait<S::stages - 2>();
        __syncthreads();
        read = read + L::stage_bytes == L::bytes ? 0 : read + L::stage_bytes;
      }
      // In the last step this loads fragments that are not used.
      load_fragments<S>(f[(i + 1) % 2], a_start + read, b_start + read, (i + 1) % kSteps);
      if (next < count) {
        const uint32_t stage = ring + write;
        if (i == 0) load_part<T, S, ALIGNED, 0, 3>(stage, a, b, a_rows, b_rows, next * kStep, arg.k);
        if (i == 1) load_part<T, S, ALIGNED, 1, 3>(stage, a, b, a_rows, b_rows, next * kStep, arg.k);
        if (i == 2) load_part<T, S, ALIGNED, 2, 3>(stage, a, b, a_rows, b_rows, next * kStep, arg.k);
      }
      multiply<T, S>(c, f[i % 2]);
    }
    write = write + L::stage_bytes == L::bytes ? 0 : write + L::stage_bytes;
  }
  copy_wait<0>();
  __syncthreads();  // the epilogue reuses the ring's memory
  typedef out_of<T> out;
  store_part<out, S>(c, memory + warp * S::warp_rows * L::out_pitch, static_cast<out *>(arg.c), arg, at.row0 + warp_row,
                     at.column0 + warp_column);
}

typedef void (*kernel)(const tensor_arguments);

struct choice {
  kernel function;
  int rows, columns, threads, bytes;
};

template <typename T, typename S>
choice choose_alignment(const matmul_problem *p) {
  const bool aligned = p->k % static_cast<int64_t>(16 / sizeof(T)) == 0;
  return {aligned ? tensor_kernel<T, S, true> : tensor_kernel<T, S, false>, S::rows, S::columns, layout<S>::threads,
          layout<S>::bytes};
}

template <typename S>
bool has_room(const matmul_problem *p) {
  return layout<S>::bytes <= p->shared_bytes;
}

template <typename T, typename LARGE, typename SMALL>
choice choose_size(const matmul_problem *p) {
  const int64_t tiles = (p->m + LARGE::rows - 1) / LARGE::rows * ((p->n + LARGE::columns - 1) / LARGE::columns);
  return 4 * tiles >= 3 * p->multiprocessors ? choose_alignment<T, LARGE>(p) : choose_alignment<T, SMALL>(p);
}

template <typename T>
choice choose_shape(const matmul_problem *p) {
  if (has_room<large_shape>(p)) return choose_size<T, large_shape, small_shape>(p);
  if (has_room<large_shape_163>(p)) return choose_size<T, large_shape_163, small_shape>(p);
  return choose_size<T, large_shape_99, small_shape>(p);
}

choice choose(const matmul_problem *p) {
  if (p->dtype == MATMUL_FP32) return choose_shape<float>(p);
  if (p->dtype == MATMUL_E4M3) return choose_size<e4m3, large_shape_e4m3, small_shape_e4m3>(p);
  return p->dtype == MATMUL_FP16 ? choose_shape<__half>(p) : choose_shape<__nv_bfloat16>(p);
}

}  // namespace
}  // namespace matmul

int matmul_cuda_tensor_prepare(const matmul_problem *p) {
  const matmul::choice chosen = matmul::choose(p);
  return cudaFuncSetAttribute(chosen.function, cudaFuncAttributeMaxDynamicSharedMemorySize, chosen.bytes);
}

int matmul_cuda_tensor(const matmul_problem *p, struct CUstream_st *stream) {
  const matmul::choice chosen = matmul::choose(p);
  matmul::tensor_arguments arg = {};
  arg.a = p->a;
  arg.b = p->b;
  arg.c = p->c;
  arg.m = static_cast<int>(p->m);
  arg.n = static_cast<int>(p->n);
  arg.k = static_cast<int>(p->k);
  arg.row_tiles = (arg.m + chosen.rows - 1) / chosen.rows;
  arg.column_tiles = (arg.n + chosen.columns - 1) / chosen.columns;
  const int64_t ctas = static_cast<int64_t>(arg.row_tiles) * arg.column_tiles;
  chosen.function<<<static_cast<unsigned>(ctas), static_cast<unsigned>(chosen.threads),
                    static_cast<size_t>(chosen.bytes), stream>>>(arg);
  return cudaPeekAtLastError();
}
