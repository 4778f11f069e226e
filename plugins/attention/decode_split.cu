// The variant `split` of "decode": chooses the kernel and the number of shares, and launches the kernel.
#include <cuda_runtime.h>

#include "decode_kernels.h"
#include "decode_split.cuh"
#include "flash.h"

namespace attention {
namespace {

constexpr int kStaticShared = 1024;  // bytes of static shared memory, padded to the alignment of dynamic shared memory

struct plan {
  void (*kernel)(const split_arguments);
  int rows;     // rows of queries that a CTA handles; an SM holds one CTA
  int threads;  // threads of a CTA
  int keys;     // keys in a block of keys
  int bytes;    // shared memory of a CTA
};

template <int D, int ROW_WARPS, int KEY_GROUPS, int KEYS, int STAGES>
plan plan_for() {
  using layout = split_layout<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>;
  return {split_kernel<D, ROW_WARPS, KEY_GROUPS, KEYS, STAGES>, layout::rows, layout::threads, KEYS, layout::bytes};
}

// Returns the plan for this many rows of a unit. Stages are chosen so that every plan has about 192 KiB of keys and
// values in flight to an SM.
template <int D>
plan plan_of_rows(int rows) {
  constexpr int stages = 384 / D;  // stages of 128 keys
  if (rows <= 16) return plan_for<D, 1, 8, 128, stages>();
  if (rows <= 32) return plan_for<D, 2, 4, 64, 2 * stages>();
  if (D == 64) return plan_for<D, 4, 2, 128, stages>();
  if (rows <= 64) return plan_for<D, 4, 2, 64, 2 * stages>();
  return plan_for<D, 8, 1, 64, 2 * stages>();
}

plan plan_of(const decode_problem *p) {
  return p->d == 64 ? plan_of_rows<64>(p->rows) : plan_of_rows<128>(p->rows);
}

// Returns the properties of a kernel that share_keys_of() needs. Starting and ending a share takes about as long as
// processing 192 keys. A unit has at most so many shares that the states of all shares of a CTA's rows fit in shared
// memory.
share_plan share_plan_of(const plan &how) {
  return {how.rows, how.keys, 192, how.bytes / (how.rows * static_cast<int>(sizeof(softmax_state)))};
}

struct launch {
  plan how;
  split_arguments arg;
  int row_blocks;
};

launch launch_of(const decode_problem *p) {
  launch l = {};
  l.how = plan_of(p);
  split_arguments &arg = l.arg;
  arg.q = static_cast<const __nv_bfloat16 *>(p->q);
  arg.k = static_cast<const __nv_bfloat16 *>(p->k);
  arg.v = static_cast<const __nv_bfloat16 *>(p->v);
  arg.o = static_cast<__nv_bfloat16 *>(p->o);
  arg.rows = p->rows;
  l.row_blocks = row_blocks_of(p, l.how.rows);
  arg.block_rows = ((p->rows + l.row_blocks - 1) / l.row_blocks + 15) / 16 * 16;
  arg.s_q = p->s_q;
  arg.s = p->s;
  arg.share_keys = p->share_keys;
  arg.parts = share_parts_of(p, l.row_blocks);
  arg.scale_log2 = flash_scale_log2(p->d);
  return l;
}

}  // namespace
}  // namespace attention

using namespace attention;

int64_t decode_cuda_split_shared_memory(const struct decode_problem *p) {
  return plan_of(p).bytes + kStaticShared;
}

int32_t decode_cuda_split_share_keys(const struct decode_problem *p) {
  return share_keys_of(p, share_plan_of(plan_of(p)));
}

uint64_t decode_cuda_split_workspace(const struct decode_problem *p) {
  return launch_of(p).arg.parts.bytes;
}

int decode_cuda_split_prepare(struct decode_problem *p, struct CUstream_st *stream) {
  const launch l = launch_of(p);
  const cudaError_t status =
      cudaFuncSetAttribute(l.how.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, l.how.bytes);
  if (status != cudaSuccess || l.arg.parts.shares == 1) return status;
  return cudaMemsetAsync(p->workspace, 0, l.arg.parts.counters, stream);
}

int decode_cuda_split_run(const struct decode_problem *p, struct CUstream_st *stream) {
  const launch l = launch_of(p);
  const int64_t ctas = p->units * l.arg.parts.shares * l.row_blocks;
  l.how.kernel<<<static_cast<unsigned>(ctas), static_cast<unsigned>(l.how.threads), static_cast<size_t>(l.how.bytes),
                 stream>>>(l.arg);
  return cudaPeekAtLastError();
}
