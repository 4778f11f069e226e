// `split`: which kernel, how many shares, and its launch.
#include <cuda_runtime.h>

#include "decode_kernels.h"
#include "decode_split.cuh"
#include "flash.h"

namespace attention {
namespace {

constexpr int kStaticShared = 1024;  // what lies before the shared memory of a launch, which is aligned to this

struct plan {
  void (*kernel)(const split_arguments);
  int rows;     // of a CTA, of which a multiprocessor holds one
  int threads;  // of a CTA
  int keys;     // of a block
  int bytes;    // of shared memory
};

template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
plan plan_for() {
  using layout = split_layout<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>;
  return {split_kernel<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>, layout::rows, layout::threads, KEYS, layout::bytes};
}

// All have about 192 KiB of keys and values on the way into a multiprocessor.
template <int D>
plan plan_of_rows(int rows) {
  constexpr int stages = 384 / D;  // of 128 keys
  if (rows <= 16) return plan_for<D, 1, 8, 128, stages>();
  if (rows <= 32) return plan_for<D, 2, 4, 64, 2 * stages>();
  if (D == 64) return plan_for<D, 4, 2, 128, stages>();
  if (rows <= 64) return plan_for<D, 4, 2, 64, 2 * stages>();
  return plan_for<D, 8, 1, 64, 2 * stages>();
}

plan plan_of(const decode_problem *p) {
  return p->d == 64 ? plan_of_rows<64>(p->rows) : plan_of_rows<128>(p->rows);
}

int row_blocks_of(const decode_problem *p, const plan &how) {
  return (p->rows + how.rows - 1) / how.rows;
}

// Shares of a unit: so many that all multiprocessors are at work until the end, and no more, as each has a start and an
// end of its own, which take about as long as kCost keys. The states of all shares of a CTA's rows fit in shared
// memory.
constexpr int kCost = 192;

int share_keys_of(const decode_problem *p) {
  const plan how = plan_of(p);
  const int64_t blocks = (p->s + how.keys - 1) / how.keys;
  const int64_t ctas = p->units * row_blocks_of(p, how);  // of one share of every unit
  const int64_t at_once = static_cast<int64_t>(p->workers);
  int64_t best = blocks, best_time = INT64_MAX;
  for (int64_t shares = 1; shares <= blocks; ++shares) {
    const int64_t each = (blocks + shares - 1) / shares;
    const int64_t used = (blocks + each - 1) / each;
    const int64_t time = (ctas * used + at_once - 1) / at_once * (each * how.keys + kCost);
    if (time < best_time) best = each, best_time = time;
    if (ctas * shares > 16 * at_once || (shares + 1) * how.rows * sizeof(softmax_state) > how.bytes) break;
  }
  return static_cast<int>(best) * how.keys;
}

// The arguments of a launch, and how much of the workspace they take: counters, softmax states, outputs.
struct launch {
  plan how;
  split_arguments arg;
  uint64_t counters;  // bytes
  uint64_t workspace;
};

uint64_t aligned(uint64_t bytes) {
  return (bytes + 255) / 256 * 256;
}

launch launch_of(const decode_problem *p) {
  launch l = {};
  l.how = plan_of(p);
  split_arguments &arg = l.arg;
  arg.q = static_cast<const __nv_bfloat16 *>(p->q);
  arg.k = static_cast<const __nv_bfloat16 *>(p->k);
  arg.v = static_cast<const __nv_bfloat16 *>(p->v);
  arg.o = static_cast<__nv_bfloat16 *>(p->o);
  arg.rows = p->rows;
  const int blocks = row_blocks_of(p, l.how);
  arg.block_rows = ((p->rows + blocks - 1) / blocks + 15) / 16 * 16;
  arg.s_q = p->s_q;
  arg.s = p->s;
  arg.share_keys = p->share_keys;
  arg.shares = (p->s + arg.share_keys - 1) / arg.share_keys;
  arg.scale_log2 = flash_scale_log2(p->d);
  if (arg.shares == 1) return l;
  const uint64_t parts = static_cast<uint64_t>(p->units) * arg.shares * p->rows;
  l.counters = aligned(static_cast<uint64_t>(p->units) * blocks * sizeof(unsigned));
  const uint64_t states = aligned(parts * sizeof(softmax_state));
  l.workspace = l.counters + states + parts * p->d * sizeof(float);
  unsigned char *at = static_cast<unsigned char *>(p->workspace);
  if (at == nullptr) return l;
  arg.finished = reinterpret_cast<unsigned *>(at);
  arg.part_softmax = reinterpret_cast<softmax_state *>(at + l.counters);
  arg.part_o = reinterpret_cast<float *>(at + l.counters + states);
  return l;
}

}  // namespace
}  // namespace attention

using namespace attention;

int64_t decode_cuda_split_shared_memory(const struct decode_problem *p) {
  return plan_of(p).bytes + kStaticShared;
}

int32_t decode_cuda_split_share_keys(const struct decode_problem *p) {
  return share_keys_of(p);
}

uint64_t decode_cuda_split_workspace(const struct decode_problem *p) {
  return launch_of(p).workspace;
}

int decode_cuda_split_prepare(const struct decode_problem *p, struct CUstream_st *stream) {
  const launch l = launch_of(p);
  const cudaError_t status =
      cudaFuncSetAttribute(l.how.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, l.how.bytes);
  if (status != cudaSuccess || l.counters == 0) return status;
  return cudaMemsetAsync(p->workspace, 0, l.counters, stream);
}

int decode_cuda_split_run(const struct decode_problem *p, struct CUstream_st *stream) {
  const launch l = launch_of(p);
  const int64_t ctas = p->units * l.arg.shares * row_blocks_of(p, l.how);
  l.how.kernel<<<static_cast<unsigned>(ctas), static_cast<unsigned>(l.how.threads), static_cast<size_t>(l.how.bytes),
                 stream>>>(l.arg);
  return cudaPeekAtLastError();
}
