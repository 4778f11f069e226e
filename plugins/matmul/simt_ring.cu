// The fastest matrix product of this plugin without tensor cores (variant `ring`): fp32 products and sums, from a ring
// of shared-memory stages that cp.async fills.
//
// CTAs are persistent and take tile after tile. A thread holds a block of sums and adds outer products to it, one
// column of a and one row of b at a time, while it reads the next ones from shared memory. Both operands lie there
// transposed, with rows adjacent; therefore copies are four bytes each, and any k will do. Copies of later steps are
// always in flight, those of the next tile included.
#include <cuda_runtime.h>

#include "../shared/tensor_core.cuh"
#include "kernels.h"

namespace matmul {
namespace {

using namespace tensor_core;

// Tile shapes. `warp_rows` x `warp_columns` are the warps of a CTA, `lane_rows` the rows of lanes in a warp, `rows` x
// `columns` the sums of a thread, and `depth` the steps along k of a stage. `unroll` of these steps are unrolled into
// one piece of code; more are not, because instruction fetch cannot keep up with a loop of more than 20 KB.
struct large_shape {  // 149 KB of shared memory
  static constexpr int warp_rows = 2, warp_columns = 4, lane_rows = 8, rows = 8, columns = 16, depth = 32, unroll = 8,
                       stages = 3, ctas = 1;
};
struct large_shape_99 {  // for the 99 KB that a CTA can have on compute capability 8.6, 8.9 and 12.0
  static constexpr int warp_rows = 2, warp_columns = 4, lane_rows = 8, rows = 8, columns = 16, depth = 16, unroll = 8,
                       stages = 4, ctas = 1;
};
// Takes 50 KB of shared memory. For problems that have too few large tiles to keep all multiprocessors busy.
struct small_shape {
  static constexpr int warp_rows = 2, warp_columns = 2, lane_rows = 4, rows = 8, columns = 8, depth = 16, unroll = 8,
                       stages = 4, ctas = 2;
};

template <typename S>
struct layout {
  static constexpr int lane_columns = 32 / S::lane_rows;
  static constexpr int tile_rows = S::warp_rows * S::lane_rows * S::rows;
  static constexpr int tile_columns = S::warp_columns * lane_columns * S::columns;
  static constexpr int threads = S::warp_rows * S::warp_columns * 32;
  // One copy instruction of a warp covers eight steps along k and four rows, and so all 32 banks.
  static constexpr int pitch = tile_rows + tile_columns + 4;
  static constexpr int stage = S::depth * pitch;
  static constexpr int bytes = S::stages * stage * static_cast<int>(sizeof(float));
  static constexpr int pieces = S::depth / S::unroll;
  static constexpr int rows_at_once = threads / 8;
  static constexpr int a_groups = tile_rows / rows_at_once / pieces, b_groups = tile_columns / rows_at_once / pieces;
  static_assert(pitch % 32 == 4, "no bank conflicts");
  static_assert(a_groups * rows_at_once * pieces == tile_rows && b_groups * rows_at_once * pieces == tile_columns,
                "each piece copies as much");
};

struct ring_arguments {
  const float *a;
  const float *b;
  float *c;
  int m, n, k;
  int row_tiles, column_tiles, tiles, steps;
};

// Copies four bytes from global to shared memory, or writes a zero without reading.
__device__ __forceinline__ void copy4(uint32_t to, const char *from, bool valid) {
  const int bytes = valid ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(to), "l"(from), "r"(bytes));
}

struct place {
  int row0, column0;
};

// Maps a tile number to its place. Consecutive numbers go down the rows of a band of eight row tiles, then to the next
// column of the band.
template <typename S>
__device__ __forceinline__ place place_of(const ring_arguments &arg, int tile) {
  constexpr int kBand = 8;
  const int band = tile / (kBand * arg.column_tiles);
  const int height = min(kBand, arg.row_tiles - band * kBand);
  const int left = tile - band * kBand * arg.column_tiles;
  return {(band * kBand + left % height) * layout<S>::tile_rows, left / height * layout<S>::tile_columns};
}

// The source of the next copies: a step along k, and the tile to which the step belongs.
struct source {
  int tile, step;
  place at;
};

// Moves to the next step. After the CTA's last tile it continues with the last tile of the problem, whose copies are
// not read, so that the loop needs no condition.
template <typename S>
__device__ __forceinline__ void advance(source &from, const ring_arguments &arg) {
  if (++from.step < arg.steps) return;
  from.step = 0;
  from.tile = min(from.tile + static_cast<int>(gridDim.x), arg.tiles - 1);
  from.at = place_of<S>(arg, from.tile);
}

// Requests the copies of one group of rows of a and b into a stage. The kernel multiplies a stage in several pieces,
// and during each piece requests an equal part of the rows of a later stage, group by group. A group has as many rows
// as all threads copy at once, and is copied over the whole depth of the stage. Rows beyond the matrix repeat its last
// row.
template <typename S>
__device__ __forceinline__ void copy_group(uint32_t to, const source &from, const ring_arguments &arg, int piece,
                                           int group) {
  typedef layout<S> L;
  const int deep = static_cast<int>(threadIdx.x) % 8, row = static_cast<int>(threadIdx.x) / 8;
  const bool of_a = group < L::a_groups;
  const int first = (of_a ? piece * L::a_groups + group : piece * L::b_groups + group - L::a_groups) * L::rows_at_once;
  const int at = of_a ? min(from.at.row0 + row + first, arg.m - 1) : min(from.at.column0 + row + first, arg.n - 1);
  const int i = from.step * S::depth + deep;
  const char *x = reinterpret_cast<const char *>((of_a ? arg.a : arg.b) + i) +
                  static_cast<uint64_t>(static_cast<uint32_t>(at)) * (static_cast<uint32_t>(arg.k) * 4u);
#pragma unroll
  for (int j = 0; j < S::depth; j += 8)
    copy4(to + (j * L::pitch + (of_a ? 0 : L::tile_rows) + first) * 4, x + j * 4, i + j < arg.k);
}

template <typename S>
struct fragments {
  float a[S::rows], b[S::columns];
};

// Reads a thread's elements of a and b for one step of k. They are quads of adjacent rows or columns; between two quads
// of a thread lie those of the other lanes.
template <typename S>
__device__ __forceinline__ void take(fragments<S> &f, const float *a, const float *b) {
#pragma unroll
  for (int u = 0; u < S::rows; u += 4) {
    const float4 x = *reinterpret_cast<const float4 *>(a + u * S::lane_rows);
    f.a[u] = x.x, f.a[u + 1] = x.y, f.a[u + 2] = x.z, f.a[u + 3] = x.w;
  }
#pragma unroll
  for (int v = 0; v < S::columns; v += 4) {
    const float4 x = *reinterpret_cast<const float4 *>(b + v * layout<S>::lane_columns);
    f.b[v] = x.x, f.b[v + 1] = x.y, f.b[v + 2] = x.z, f.b[v + 3] = x.w;
  }
}

template <typename S>
using sums = float[S::rows][S::columns];

// Adds an outer product in serpentine order, in blocks of eight columns: each FMA shares one operand with the preceding
// FMA. That leaves two register reads for each FMA, as many as one clock allows.
template <typename S>
__device__ __forceinline__ void multiply(sums<S> &sum, const fragments<S> &f) {
#pragma unroll
  for (int block = 0; block < S::columns; block += 8) {
#pragma unroll
    for (int i = 0; i < S::rows; ++i) {
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        const int u = block / 8 % 2 == 0 ? i : S::rows - 1 - i, v = block + (i % 2 == 0 ? j : 7 - j);
        sum[u][v] = fmaf(f.a[u], f.b[v], sum[u][v]);
      }
    }
  }
}

// Stores the sums of a thread; (row0, column0) is its first element of c.
template <typename S>
__device__ __forceinline__ void store_tile(const sums<S> &sum, const ring_arguments &arg, int row0, int column0) {
#pragma unroll
  for (int u = 0; u < S::rows; ++u) {
    const int row = row0 + u / 4 * (S::lane_rows * 4) + u % 4;
    if (row >= arg.m) continue;
    float *to = arg.c + static_cast<int64_t>(row) * arg.n;
#pragma unroll
    for (int v = 0; v < S::columns; v += 4) {
      const int column = column0 + v * layout<S>::lane_columns;
      if (arg.n % 4 == 0) {
        if (column < arg.n)
          *reinterpret_cast<float4 *>(to + column) =
              make_float4(sum[u][v], sum[u][v + 1], sum[u][v + 2], sum[u][v + 3]);
        continue;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (column + j < arg.n) to[column + j] = sum[u][v + j];
    }
  }
}

template <typename S>
__global__ void __launch_bounds__(layout<S>::threads, S::ctas) ring_kernel(const ring_arguments arg) {
  typedef layout<S> L;
  extern __shared__ __align__(16) float ring[];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
  // Neighbouring lanes share a row or a column, so that a 16-byte read takes two passes through the banks instead of
  // four.
  const int y = (warp / S::warp_columns * S::lane_rows * S::rows) + (lane % 2 + lane / (2 * L::lane_columns) * 2) * 4;
  const int x = (warp % S::warp_columns * L::lane_columns * S::columns) + lane / 2 % L::lane_columns * 4;
  const uint32_t copies_to = shared_address(ring) + static_cast<uint32_t>((thread % 8 * L::pitch + thread / 8) * 4);
  const int first_tile = static_cast<int>(blockIdx.x);
  source from = {first_tile, 0, place_of<S>(arg, first_tile)};
#pragma unroll 1
  for (int s = 0; s < S::stages - 1; ++s) {
#pragma unroll 1
    for (int piece = 0; piece < L::pieces; ++piece)
#pragma unroll
      for (int g = 0; g < L::a_groups + L::b_groups; ++g)
        copy_group<S>(copies_to + s * (L::stage * 4), from, arg, piece, g);
    copy_commit();
    advance<S>(from, arg);
  }
  copy_wait<S::stages - 2>();
  __syncthreads();

  fragments<S> f[2];
  int read = 0, write = S::stages - 1;
  const float *rows = ring;
  take<S>(f[0], rows + y, rows + L::tile_rows + x);
  for (int tile = first_tile; tile < arg.tiles; tile += static_cast<int>(gridDim.x)) {
    sums<S> sum = {};
#pragma unroll 1
    for (int step = 0; step < arg.steps; ++step) {
#pragma unroll 1
      for (int piece = 0; piece < L::pieces; ++piece) {
#pragma unroll
        for (int i = 0; i < S::unroll; ++i) {
          if (i == S::unroll - 1 && piece == L::pieces - 1) {
            // Waits until the next stage has arrived and all threads have finished reading this one, which is filled
            // next.
            copy_commit();
            advance<S>(from, arg);
            write = read;
            read = read == S::stages - 1 ? 0 : read + 1;
            copy_wait<S::stages - 2>();
            __syncthreads();
            rows = ring + read * L::stage - S::unroll * L::pitch;
          }
          const float *next = rows + (i + 1) * L::pitch;
          take<S>(f[(i + 1) % 2], next + y, next + L::tile_rows + x);
          // The copies are spread over the products, because a burst of copies would delay reads of shared memory.
#pragma unroll
          for (int g = 0; g < L::a_groups + L::b_groups; ++g)
            if (g * (S::unroll - 1) / (L::a_groups + L::b_groups) == i)
              copy_group<S>(copies_to + write * (L::stage * 4), from, arg, piece, g);
          multiply<S>(sum, f[i % 2]);
        }
        rows += S::unroll * L::pitch;
      }
    }
    const place at = place_of<S>(arg, tile);
    store_tile<S>(sum, arg, at.row0 + y, at.column0 + x);
  }
  copy_wait<0>();
}

struct choice {
  void (*function)(const ring_arguments);
  int rows, columns, depth, threads, ctas, bytes;
};

template <typename S>
choice choice_of() {
  typedef layout<S> L;
  return {ring_kernel<S>, L::tile_rows, L::tile_columns, S::depth, L::threads, S::ctas, L::bytes};
}

int64_t tiles_of(const matmul_problem *p, const choice &x) {
  return (p->m + x.rows - 1) / x.rows * ((p->n + x.columns - 1) / x.columns);
}

// Returns how many elements of c the multiprocessor with the most tiles computes; the kernel's time is taken to be
// proportional to this number.
int64_t share_of(const matmul_problem *p, const choice &x) {
  return (tiles_of(p, x) + p->multiprocessors - 1) / p->multiprocessors * x.rows * x.columns;
}

// Chooses large tiles unless small ones take less than three quarters of the work per multiprocessor, because small
// tiles reach at most three quarters of the speed.
choice choose(const matmul_problem *p) {
  const choice large =
      layout<large_shape>::bytes <= p->shared_bytes ? choice_of<large_shape>() : choice_of<large_shape_99>();
  const choice small = choice_of<small_shape>();
  return 3 * share_of(p, large) > 4 * share_of(p, small) ? small : large;
}

}  // namespace
}  // namespace matmul

int matmul_cuda_ring_prepare(const matmul_problem *p) {
  const matmul::choice chosen = matmul::choose(p);
  return cudaFuncSetAttribute(chosen.function, cudaFuncAttributeMaxDynamicSharedMemorySize, chosen.bytes);
}

int matmul_cuda_ring(const matmul_problem *p, struct CUstream_st *stream) {
  const matmul::choice chosen = matmul::choose(p);
  matmul::ring_arguments arg = {};
  arg.a = static_cast<const float *>(p->a);
  arg.b = static_cast<const float *>(p->b);
  arg.c = static_cast<float *>(p->c);
  arg.m = static_cast<int>(p->m);
  arg.n = static_cast<int>(p->n);
  arg.k = static_cast<int>(p->k);
  arg.row_tiles = (arg.m + chosen.rows - 1) / chosen.rows;
  arg.column_tiles = (arg.n + chosen.columns - 1) / chosen.columns;
  arg.tiles = arg.row_tiles * arg.column_tiles;
  arg.steps = (arg.k + chosen.depth - 1) / chosen.depth;
  const int ctas = p->multiprocessors * chosen.ctas;
  chosen.function<<<static_cast<unsigned>(arg.tiles < ctas ? arg.tiles : ctas), static_cast<unsigned>(chosen.threads),
                    static_cast<size_t>(chosen.bytes), stream>>>(arg);
  return cudaPeekAtLastError();
}
