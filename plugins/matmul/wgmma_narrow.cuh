// Matrix product on Hopper's tensor cores for few rows of a, where reading b takes most of the time. Rows of b are the
// rows of wgmma's operand, and the rows of a are its columns, 16 to 128. A CTA has COLUMNS rows of b; in a cluster of
// SPLIT each CTA takes a part of the depth, and the first adds the partial sums. The copy engine is slower for rows
// outside a matrix than for rows inside, so such rows are avoided: boxes have no more rows than a, and the last tile
// begins early enough to end with b.
#ifndef MATMUL_WGMMA_NARROW_CUH
#define MATMUL_WGMMA_NARROW_CUH

#include "wgmma_kernel.cuh"

namespace matmul {

// ROWS x COLUMNS is the tile of c. A stage has DEPTH steps of 64 elements. A warpgroup has 64 rows of b, or fewer if
// all multiprocessors then get the same number of rows. wgmma always multiplies 64 rows; the surplus rows are the data
// that follows in shared memory, and their results are not stored.
template <int ROWS, int COLUMNS, int DEPTH, int STAGES, int SPLIT>
struct narrow_shape {
  static constexpr int rows = ROWS, columns = COLUMNS, depth = DEPTH, stages = STAGES, split = SPLIT;
  static constexpr int groups = (COLUMNS + 63) / 64;  // warpgroups that multiply
  static constexpr int group_columns = COLUMNS / groups;
  static constexpr int threads = groups * 128 + 32;
  static constexpr int box_a = ROWS, box_b = COLUMNS;
  static constexpr int b_bytes = COLUMNS * kRowBytes;
  static constexpr int step_bytes = b_bytes + ROWS * kRowBytes;
  static constexpr int stage_bytes = DEPTH * step_bytes;
  static constexpr int ring_bytes = STAGES * stage_bytes;
  static constexpr int sent_bytes = (SPLIT - 1) * ROWS * groups * 64 * 4;
  static constexpr int bytes = 1024 + ring_bytes + sent_bytes + (2 * STAGES + 1) * 8;
  static_assert(bytes <= 232448, "what a block may have on compute capability 9.0");
  static_assert(group_columns * groups == COLUMNS && group_columns % 8 == 0, "the swizzle repeats every eight rows");
  static_assert(group_columns + ROWS >= 64, "products stay within a step");
};

template <typename S>
__device__ __forceinline__ void narrow_fetch(const CUtensorMap *a, const CUtensorMap *b, uint32_t ring, uint64_t *full,
                                             const wgmma_place &place, int rows, int from, int i) {
  const int stage = i % S::stages;
  const uint32_t to = ring + static_cast<uint32_t>(stage) * S::stage_bytes;
  bulk::arrive_and_expect(full + stage, S::depth * (S::b_bytes + rows * kRowBytes));
#pragma unroll
  for (int j = 0; j < S::depth; ++j)
    load_tile(to + j * S::step_bytes, b, ((from + i) * S::depth + j) * 64, place.column0, full + stage);
#pragma unroll
  for (int j = 0; j < S::depth; ++j)
    load_tile(to + j * S::step_bytes + S::b_bytes, a, ((from + i) * S::depth + j) * 64, place.row0, full + stage);
}

template <typename T, typename S>
__device__ __forceinline__ void narrow_multiply(float (&sum)[S::rows / 2], uint32_t ring, uint64_t *full,
                                                uint64_t *empty, int count, int group, bool releases) {
  const uint64_t start_b = descriptor(ring + static_cast<uint32_t>(group) * S::group_columns * kRowBytes);
  const uint64_t start_a = descriptor(ring + S::b_bytes);
#pragma unroll
  for (int i = 0; i < S::rows / 2; ++i)
    sum[i] = 0.0f;
  for (int i = 0; i < count; ++i) {
    const int stage = i % S::stages;
    bulk::wait(full + stage, static_cast<unsigned>(i / S::stages) & 1);
    products_begin();
#pragma unroll
    for (int j = 0; j < S::depth; ++j)
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const uint64_t at = static_cast<uint64_t>(stage * S::stage_bytes + j * S::step_bytes) / 16 + k * 2;
        product<T, S::rows>(sum, start_b + at, start_a + at, 1);
      }
    products_commit();
    products_wait<1>();
    if (releases && i > 0)
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];\n" ::"r"(bulk::shared_address(empty + (i - 1) % S::stages))
                   : "memory");
  }
  products_wait<0>();
}

// Stores the sums of one thread, two adjacent rows of a column at a time. Columns before `first` are skipped, because
// they belong to another tile.
template <typename T, typename S>
__device__ __forceinline__ void narrow_store(const float (&sum)[S::rows / 2], const wgmma_arguments &arg,
                                             const wgmma_place &place, int first, int thread) {
  // how many of wgmma's 64 rows are surplus, because the warpgroup has fewer rows of b
  constexpr int kLess = 64 - S::group_columns;
  const int column = place.column0 + thread / 32 * 16 + thread % 32 / 4 - thread / 128 * kLess;
  const int row = place.row0 + thread % 4 * 2, of_group = thread % 128 / 32 * 16 + thread % 32 / 4;
  uint16_t *c = static_cast<uint16_t *>(arg.c);
#pragma unroll
  for (int i = 0; i < S::rows / 4; ++i) {
    const int x = column + i % 2 * 8, y = row + i / 2 * 8;
    if (x < first || x >= arg.n || (kLess > 0 && of_group + i % 2 * 8 >= S::group_columns)) continue;
    const uint32_t pair = wgmma_pair<T>(sum[2 * i], sum[2 * i + 1]);
    uint16_t *to = c + static_cast<int64_t>(y) * arg.n + x;
    if (y < arg.m) to[0] = static_cast<uint16_t>(pair);
    if (y + 1 < arg.m) to[arg.n] = static_cast<uint16_t>(pair >> 16);
  }
}

// Computes a product of few rows of a. Must be launched in clusters of S::split CTAs, or without clusters if that is 1.
template <typename T, typename S>
__global__ void __launch_bounds__(S::threads, 1)
    wgmma_narrow(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                 const __grid_constant__ CUtensorMap, const __grid_constant__ wgmma_arguments arg) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  extern __shared__ uint8_t memory[];
  const uint32_t start = bulk::shared_address(memory), ring = (start + 1023) & ~1023u;
  float *sent = reinterpret_cast<float *>(memory + (ring - start) + S::ring_bytes);
  uint64_t *full = reinterpret_cast<uint64_t *>(sent + S::sent_bytes / 4);
  uint64_t *empty = full + S::stages, *all_sent = empty + S::stages;
  // The shuffle tells the compiler that all threads of a warp have the same `group`.
  const int group = __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) / 128, 0);
  wgmma_place place = wgmma_only_place<S, S::split>();
  const int first = place.column0, rank = static_cast<int>(blockIdx.x) % S::split;
  place.column0 = min(first, max(arg.n - S::columns, 0));
  const int rows = min(S::rows, arg.m);                              // rows in a box of a
  const int stages = (arg.k + 64 * S::depth - 1) / (64 * S::depth);  // stages that the CTAs of a cluster fill together
  const int from = rank * stages / S::split, count = (rank + 1) * stages / S::split - from;
  const bool fetches = threadIdx.x == S::groups * 128;
  if (fetches) {
    prefetch_map(&b);
    prefetch_map(&a);
    for (int i = 0; i < S::stages; ++i) {
      bulk::barrier_init(full + i, 1);
      bulk::barrier_init(empty + i, S::groups);
    }
    bulk::barrier_init(all_sent, 1);
    bulk::barriers_ready();
    if (S::split > 1 && rank == 0) bulk::arrive_and_expect(all_sent, S::sent_bytes);
    for (int i = 0; i < min(S::stages, count); ++i)
      narrow_fetch<S>(&a, &b, ring, full, place, rows, from, i);
  }
  __syncwarp();
  __syncthreads();
  if (S::split > 1) bulk::cluster_arrive();
  if (group < S::groups) {
    float sum[S::rows / 2];
    const int thread = static_cast<int>(threadIdx.x);
    narrow_multiply<T, S>(sum, ring, full, empty, count, group, thread % 128 == 0);
    if (S::split > 1) bulk::cluster_wait();
    if (S::split > 1 && rank > 0) {
#pragma unroll
      for (int i = 0; i < S::rows / 4; ++i)
        bulk::send(sent + 2 * (((rank - 1) * (S::rows / 4) + i) * (S::groups * 128) + thread), sum[2 * i],
                   sum[2 * i + 1], all_sent, 0);
      return;
    }
    if (S::split > 1) {
      bulk::wait(all_sent, 0);
      for (int other = 0; other < S::split - 1; ++other)
#pragma unroll
        for (int i = 0; i < S::rows / 4; ++i) {
          const float2 more =
              *reinterpret_cast<const float2 *>(sent + 2 * ((other * (S::rows / 4) + i) * (S::groups * 128) + thread));
          sum[2 * i] += more.x;
          sum[2 * i + 1] += more.y;
        }
    }
    narrow_store<T, S>(sum, arg, place, first, thread);
  } else {
    if (fetches)
      for (int i = S::stages; i < count; ++i) {
        bulk::wait(empty + i % S::stages, static_cast<unsigned>(i / S::stages - 1) & 1);
        narrow_fetch<S>(&a, &b, ring, full, place, rows, from, i);
      }
    __syncwarp();
    if (S::split > 1) bulk::cluster_wait();
  }
#endif
}

}  // namespace matmul
#endif
