// Flash attention on tensor cores, bf16 or fp16: one pass over keys and values with an online softmax; scores are never
// stored.
//
// A CTA of four warps owns 128 query rows of one head, a warp 32 of them, so that each key or value fragment read from
// shared memory feeds two mma row tiles. With heads of 256, whose outputs fill the registers, a CTA owns 64 rows, and a
// warp 16 of them (one row tile). Keys and values come in blocks through a ring of two stages filled by cp.async.
// Scores stay in registers and become the left operand of P*V there.
//
// A window makes the loop begin at the block with the first key that any of the CTA's rows sees. With packed sequences,
// all rows of a CTA belong to one sequence, which the CTA finds from the offsets; rows past the end of the sequence are
// read as zeros.
#include <cuda_runtime.h>

#include "flash.h"
#include "flash_rows.cuh"

namespace attention {
namespace {

constexpr int kRows = 128;  // query rows of a tile of packed sequences
constexpr int kThreads = 128;

__host__ __device__ constexpr int block_rows(int d) {
  return kThreads / 32 * warp_tiles(d) * 16;
}

// Returns how many keys a block has. With packed sequences and heads of 128 there are 32: a thread also keeps the
// position of its sequence in the tensors, and the scores of 64 keys would leave no registers for that. With heads of
// 256 there are 32, because more keys do not fit into 99 KiB of shared memory.
__host__ __device__ constexpr int block_keys(int d, bool packed) {
  return d == 256 || (packed && d == 128) ? 32 : 64;
}

constexpr int shared_bytes(int d, bool packed) {
  return (block_rows(d) + 4 * block_keys(d, packed)) * d * 2;
}

template <typename T>
struct flash_arguments {
  const T *q;
  const T *k;
  const T *v;
  T *o;
  int64_t heads;
  int group;     // heads of queries that share keys and values
  int resident;  // heads of queries that are worked on together; their keys and values fit into the L2 cache
  int s;
  float scale_log2;
  int window;
  int sequences;       // number of packed sequences
  const int *offsets;  // the first row of each packed sequence, then the number of all rows
  int64_t pitch;       // elements between rows of q and o
  int64_t key_pitch;   // elements between rows of k and v
};

// Returns the number of the first query tile of a packed sequence. The formula needs only the offset of this sequence,
// not the lengths of all earlier ones. Therefore up to one number per sequence belongs to a tile that has no rows.
__host__ __device__ __forceinline__ int packed_tile(int offset, int sequence) {
  return offset / kRows + sequence;
}

__host__ __device__ __forceinline__ int dense_tiles(int s, int d) {
  return (s + block_rows(d) - 1) / block_rows(d);
}

// The work of a CTA. `queries` and `keys` are the offsets, in elements, of the sequence's first query and key in this
// head; `s` is its number of rows, and `row0` the CTA's first row.
struct flash_task {
  int64_t queries;
  int64_t keys;
  int s;
  int row0;
};

template <int D, typename T>
__device__ __forceinline__ flash_task dense_task(const flash_arguments<T> &arg) {
  const flash_place place = flash_place_of(blockIdx.x, arg.heads, arg.resident, dense_tiles(arg.s, D));
  flash_task task;
  task.queries = place.head * arg.s * D;
  task.keys = place.head / arg.group * arg.s * D;
  task.s = arg.s;
  task.row0 = place.tile * block_rows(D);
  return task;
}

// Returns the task of a CTA if sequences are packed. To find its sequence, each warp counts the sequences that begin at
// or before the CTA's tile, 32 at a time.
template <int D, typename T>
__device__ __forceinline__ flash_task packed_task(const flash_arguments<T> &arg) {
  const flash_place place = flash_place_of(blockIdx.x, arg.heads, arg.resident, packed_tile(arg.s, arg.sequences));
  const int lane = static_cast<int>(threadIdx.x) & 31;
  int before = 0;
  for (int first = 0; first < arg.sequences; first += 32) {
    const int i = first + lane;
    const bool begun = i < arg.sequences && packed_tile(arg.offsets[i], i) <= place.tile;
    before += __popc(__ballot_sync(0xffffffffu, begun));
  }
  const int sequence = before - 1;
  const int start = arg.offsets[sequence];
  flash_task task;
  task.queries = start * arg.pitch + place.head * D;
  task.keys = start * arg.key_pitch + place.head / arg.group * D;
  task.s = arg.offsets[sequence + 1] - start;
  task.row0 = (place.tile - packed_tile(start, sequence)) * kRows;
  return task;
}

// Returns x through an empty asm statement, so that the compiler cannot reuse values derived from an earlier x: they
// are computed again where they are needed, and occupy no registers in between.
__device__ __forceinline__ int64_t fresh(int64_t x) {
  asm volatile("" : "+l"(x));
  return x;
}

// Computes the outputs of one tile of queries per CTA. WINDOW requires CAUSAL.
template <typename T, int D, bool CAUSAL, bool WINDOW, bool PACKED>
__global__ void __launch_bounds__(kThreads, 2) flash_kernel(const flash_arguments<T> arg) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const flash_task task = PACKED ? packed_task<D>(arg) : dense_task<D>(arg);
  const int64_t pitch = PACKED ? arg.pitch : D;
  const int s = task.s;
  const int row0 = task.row0;
  if (PACKED && row0 >= s) return;
  const int warp = static_cast<int>(threadIdx.x) >> 5;
  const int lane = static_cast<int>(threadIdx.x) & 31;
  constexpr int M = warp_tiles(D);
  constexpr int rows = block_rows(D), warp_rows = M * 16;
  const int warp_row = row0 + warp * warp_rows;

  constexpr int columns = block_keys(D, PACKED);
  const uint32_t q_tile = shared_address(memory);
  const uint32_t kv_tiles = q_tile + rows * tile<D>::row_bytes;
  constexpr uint32_t v_offset = columns * tile<D>::row_bytes;
  constexpr uint32_t stage_bytes = 2 * v_offset;

  const int begin = WINDOW ? max(0, row0 + 1 - arg.window) / columns * columns : 0;
  const int end = CAUSAL ? min(s, row0 + rows) : s;

  const auto stage_of = [](int column) { return static_cast<uint32_t>(column & columns) * (stage_bytes / columns); };
  const auto load_block = [&](int column) {
    const int64_t key_pitch = PACKED ? fresh(arg.key_pitch) : D;
    const int64_t first = task.keys + column * key_pitch;
    const uint32_t stage = kv_tiles + stage_of(column);
    tile<D>::template load<columns, kThreads>(stage, arg.k + first, key_pitch, s - column);
    tile<D>::template load<columns, kThreads>(stage + v_offset, arg.v + first, key_pitch, s - column);
    copy_commit();
  };

  tile<D>::template load<rows, kThreads>(q_tile, arg.q + task.queries + row0 * pitch, pitch, s - row0);
  load_block(begin);

  row_state<D> state;
#pragma unroll
  for (int m = 0; m < M; ++m) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      state.largest[m][half] = -INFINITY;
      state.sum[m][half] = 0.0f;
    }
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
      state.o[m][n][0] = state.o[m][n][1] = state.o[m][n][2] = state.o[m][n][3] = 0.0f;
  }

  const uint32_t q_start = tile<D>::start_rows(q_tile + warp * warp_rows * tile<D>::row_bytes, lane);
  const uint32_t k_start = tile<D>::start_columns(kv_tiles, lane);
  const uint32_t v_start = tile<D>::start_rows(kv_tiles + v_offset, lane);

  for (int column = begin; column < end; column += columns) {
    copy_wait<0>();
    __syncthreads();  // this block has arrived, and no warp reads the preceding one, whose stage is filled next
    if (column + columns < end) load_block(column + columns);
    if (CAUSAL && column > warp_row + (warp_rows - 1)) continue;  // no row of this warp sees a key of this block
    if (WINDOW && column + columns <= warp_row + 1 - arg.window) continue;
    const uint32_t stage = stage_of(column);
    score_tiles<M, columns / 8> c;
    multiply_scores<T, D>(c, q_start, k_start + stage);
    if (column + columns > (CAUSAL ? min(s, warp_row + 1) : s) ||
        (WINDOW && column <= warp_row + (warp_rows - 1) - arg.window))
      mask_scores<CAUSAL, WINDOW>(c, warp_row + (lane >> 2), column + (lane & 3) * 2, s, arg.window);
    update_softmax<D, WINDOW>(c, state, arg.scale_log2);
    multiply_values<T, D>(c, state, v_start + stage);
  }
  store_rows<D>(state, memory + warp * warp_rows * tile<D>::row_bytes, arg.o + task.queries + warp_row * pitch, pitch,
                s - warp_row);
}

template <typename T>
using flash_function = void (*)(const flash_arguments<T>);

// True if the kernel also supports windows and packed sequences: in bf16, with heads of 64 or 128.
template <typename T, int D>
constexpr bool kAll = std::is_same_v<T, __nv_bfloat16> &&D < 256;

template <typename T, int D, bool PACKED>
flash_function<T> choose_mask(const attention_problem *p) {
  if constexpr (kAll<T, D>)
    if (p->window > 0) return flash_kernel<T, D, true, true, PACKED>;
  return p->causal ? flash_kernel<T, D, true, false, PACKED> : flash_kernel<T, D, false, false, PACKED>;
}

template <typename T, int D>
flash_function<T> choose_layout(const attention_problem *p) {
  if constexpr (kAll<T, D>)
    if (p->offsets != nullptr) return choose_mask<T, D, true>(p);
  return choose_mask<T, D, false>(p);
}

template <typename T>
flash_function<T> choose(const attention_problem *p) {
  if (p->d == 64) return choose_layout<T, 64>(p);
  return p->d == 128 ? choose_layout<T, 128>(p) : choose_layout<T, 256>(p);
}

int choose_bytes(const attention_problem *p) {
  return shared_bytes(p->d, p->offsets != nullptr);
}

template <typename T>
int prepare(const attention_problem *p) {
  return cudaFuncSetAttribute(choose<T>(p), cudaFuncAttributeMaxDynamicSharedMemorySize, choose_bytes(p));
}

template <typename T>
int run(const attention_problem *p, cudaStream_t stream) {
  flash_arguments<T> arg = {};
  arg.q = static_cast<const T *>(p->q);
  arg.k = static_cast<const T *>(p->k);
  arg.v = static_cast<const T *>(p->v);
  arg.o = static_cast<T *>(p->o);
  arg.heads = p->heads;
  arg.group = p->group;
  arg.s = p->s;
  arg.resident = flash_resident(p, 2);
  arg.scale_log2 = flash_scale_log2(p->d);
  arg.window = p->window;
  arg.sequences = p->sequences;
  arg.offsets = p->offsets;
  arg.pitch = p->heads * p->d;
  arg.key_pitch = p->heads / p->group * p->d;
  const int tiles = p->offsets != nullptr ? packed_tile(p->s, p->sequences) : dense_tiles(p->s, p->d);
  const int64_t ctas = p->heads * tiles;
  choose<T>(p)<<<static_cast<unsigned>(ctas), kThreads, static_cast<size_t>(choose_bytes(p)), stream>>>(arg);
  return cudaPeekAtLastError();
}

}  // namespace

int flash_half_prepare(const attention_problem *p) {
  return p->stored == STORED_FP16 ? prepare<__half>(p) : prepare<__nv_bfloat16>(p);
}

int flash_half_run(const attention_problem *p, cudaStream_t stream) {
  return p->stored == STORED_FP16 ? run<__half>(p, stream) : run<__nv_bfloat16>(p, stream);
}

}  // namespace attention
