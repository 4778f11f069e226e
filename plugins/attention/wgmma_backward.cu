// Launches the wgmma kernels of "backward", and makes their tensor maps. Part of an object library that is built for
// compute capability 9.0 only.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "launch.cuh"
#include "wgmma_backward_shares.cuh"
#include "wgmma_maps.cuh"

namespace attention {
namespace {

typedef void (*backward_function)(const backward_maps, const backward_arguments);

backward_function kernel_of(const backward_problem *p) {
  if (p->d == 64) return p->causal ? backward_wgmma_kernel<64, true> : backward_wgmma_kernel<64, false>;
  return p->causal ? backward_wgmma_kernel<128, true> : backward_wgmma_kernel<128, false>;
}

typedef void (*shares_function)(const backward_maps, const backward_arguments, const backward_shares);

shares_function shares_kernel_of(const backward_problem *p) {
  if (p->d == 64) return p->causal ? backward_shares_kernel<64, true> : backward_shares_kernel<64, false>;
  return p->causal ? backward_shares_kernel<128, true> : backward_shares_kernel<128, false>;
}

int queries_of(const backward_problem *p) {
  return p->d == 64 ? backward_shape<64>::queries : backward_shape<128>::queries;
}

int bytes_of(const backward_problem *p) {
  return p->d == 64 ? backward_shape<64>::bytes : backward_shape<128>::bytes;
}

}  // namespace
}  // namespace attention

struct backward_wgmma {
  attention::backward_maps maps;
  attention::backward_arguments arg;
  attention::backward_shares shares;
  attention::shares_end end;
  backward_problem p;
  unsigned ctas;
};

namespace attention {
namespace {

// Returns the number of turns of a block of keys. A turn is one block of queries of one head that sees these keys; all
// heads of queries that share the keys count.
int64_t turns_of(const backward_problem *p, unsigned tile) {
  const int queries = queries_of(p), first = p->causal ? static_cast<int>(tile) * kBackwardKeys / queries : 0;
  return static_cast<int64_t>(p->group) * ((p->s + queries - 1) / queries - first);
}

int64_t shares_of(const backward_problem *p, unsigned tile, int64_t most) {
  return (turns_of(p, tile) + most - 1) / most;
}

int64_t count_shares(const backward_problem *p, const backward_order &order, int64_t most) {
  int64_t count = 0;
  for (unsigned tile = 0; tile < order.tiles; ++tile)
    count += order.heads * shares_of(p, tile, most);
  return count;
}

// Cuts the blocks of keys into at most as many shares as there are SMs. All shares have about the same number of turns
// (a turn is one block of queries of one head). Leaves shares->count 0 (blocks are not cut) if there are as many blocks
// as SMs, or if the longest block would not become shorter.
void cut(const backward_problem *p, const backward_order &order, int multiprocessors, backward_shares *shares) {
  const unsigned blocks = order.heads * order.tiles;
  const unsigned at_once = static_cast<unsigned>(multiprocessors < kMostShares ? multiprocessors : kMostShares);
  *shares = {};
  if (blocks >= at_once) return;
  // Searches, between `least` and `most`, for the least number of turns per share that gives at most `at_once` shares.
  // With `most` turns each block of keys is one share, which is always few enough.
  int64_t least = 1, most = turns_of(p, 0);
  const int64_t longest = most;
  while (least < most) {
    const int64_t middle = (least + most) / 2;
    if (count_shares(p, order, middle) <= at_once)
      most = middle;
    else
      least = middle + 1;
  }
  if (most == longest) return;
  shares->most = static_cast<int>(most);
  for (unsigned block = 0; block < blocks; ++block) {
    shares->first[block] = static_cast<uint8_t>(shares->count);
    for (int64_t i = shares_of(p, backward_place_of(order, block).tile, most); i > 0; --i)
      shares->block[shares->count++] = static_cast<uint8_t>(block);
  }
  shares->first[blocks] = static_cast<uint8_t>(shares->count);
}

// Returns the bytes of the part of the workspace that all CUDA variants have, rounded up; the sums of shares begin
// after it.
uint64_t bytes_before_shares(const backward_problem *p) {
  return (backward_cuda_workspace(p) + 255) / 256 * 256;
}

int plan(const backward_problem *p, backward_wgmma *w) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  const int64_t keys = p->heads / p->group;
  const int queries = queries_of(p);
  w->p = *p;
  w->arg.work = backward_workspace_of(p);
  w->arg.order = backward_order_of(p, kBackwardKeys);
  w->arg.group = p->group;
  w->arg.s = p->s;
  w->arg.scale = p->d == 64 ? 0.125f : 0.08838834764831845f;
  w->arg.scale_log2 = w->arg.scale * 1.4426950408889634f;
  int code = describe(encode, &w->maps.q, p->q, p->d, p->s, p->heads, queries);
  if (code == cudaSuccess) code = describe(encode, &w->maps.d_o, p->d_o, p->d, p->s, p->heads, queries);
  if (code == cudaSuccess) code = describe(encode, &w->maps.k, p->k, p->d, p->s, keys, kBackwardKeys);
  if (code == cudaSuccess) code = describe(encode, &w->maps.v, p->v, p->d, p->s, keys, kBackwardKeys);
  if (code == cudaSuccess) code = describe(encode, &w->maps.dk, p->dk, p->d, p->s, keys, kBackwardKeys / 2);
  if (code == cudaSuccess) code = describe(encode, &w->maps.dv, p->dv, p->d, p->s, keys, kBackwardKeys / 2);
  int multiprocessors = 0;
  if (code == cudaSuccess) code = multiprocessors_here(&multiprocessors);
  if (code != cudaSuccess) return code;
  cut(p, w->arg.order, multiprocessors, &w->shares);
  if (w->shares.count > 0) {
    w->shares.sums = reinterpret_cast<float *>(static_cast<char *>(p->workspace) + bytes_before_shares(p));
    w->end.rows = rows_arguments_of(p);
    w->end.order = w->arg.order;
    w->end.dk = static_cast<__nv_bfloat16 *>(p->dk);
    w->end.dv = static_cast<__nv_bfloat16 *>(p->dv);
    w->end.row_ctas = rows_ctas(w->end.rows.rows / 2 * p->d / 8);
    return cudaFuncSetAttribute(shares_kernel_of(p), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_of(p));
  }
  const unsigned blocks = w->arg.order.heads * w->arg.order.tiles, at_once = static_cast<unsigned>(multiprocessors);
  w->ctas = blocks < at_once ? blocks : at_once;
  return cudaFuncSetAttribute(kernel_of(p), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_of(p));
}

template <int D>
int run_shares(const backward_wgmma *w, cudaStream_t stream) {
  int code =
      launch(before_shares_kernel<D>, rows_ctas(w->end.rows.rows * D / 8), kRowsThreads, 0, false, stream, w->end.rows);
  if (code == cudaSuccess)
    code = launch(shares_kernel_of(&w->p), static_cast<unsigned>(w->shares.count), kBackwardThreads,
                  backward_shape<D>::bytes, true, stream, w->maps, w->arg, w->shares);
  const unsigned blocks = w->arg.order.heads * w->arg.order.tiles;
  const unsigned ctas = w->end.row_ctas + rows_ctas(blocks * kShareFloats<D> / 4);
  return code == cudaSuccess ? launch(after_shares_kernel<D>, ctas, kRowsThreads, 0, true, stream, w->end, w->shares)
                             : code;
}

}  // namespace
}  // namespace attention

int backward_wgmma_here(void) {
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, attention::backward_wgmma_kernel<64, true>) == cudaSuccess;
  cudaGetLastError();
  return here;
}

uint64_t backward_wgmma_workspace(const struct backward_problem *p) {
  int multiprocessors = 0;
  if (attention::multiprocessors_here(&multiprocessors) != cudaSuccess) return backward_cuda_workspace(p);
  attention::backward_shares shares;
  attention::cut(p, attention::backward_order_of(p, attention::kBackwardKeys), multiprocessors, &shares);
  const uint64_t bytes = static_cast<uint64_t>(2 * attention::kBackwardKeys * p->d) * sizeof(float);
  return attention::bytes_before_shares(p) + static_cast<uint64_t>(shares.count) * bytes;
}

int backward_wgmma_open(const struct backward_problem *p, void **plan) {
  backward_wgmma *w = static_cast<backward_wgmma *>(aligned_alloc(alignof(backward_wgmma), sizeof(backward_wgmma)));
  if (w == nullptr) return cudaErrorMemoryAllocation;
  memset(w, 0, sizeof *w);
  const int code = attention::plan(p, w);
  if (code == cudaSuccess)
    *plan = w;
  else
    free(w);
  return code;
}

int backward_wgmma_run(const void *plan, struct CUstream_st *stream) {
  const backward_wgmma *w = static_cast<const backward_wgmma *>(plan);
  if (w->shares.count > 0)
    return w->p.d == 64 ? attention::run_shares<64>(w, stream) : attention::run_shares<128>(w, stream);
  int code = attention::backward_before(&w->p, stream);
  if (code != cudaSuccess) return code;
  attention::kernel_of(
      &w->p)<<<w->ctas, attention::kBackwardThreads, static_cast<size_t>(attention::bytes_of(&w->p)), stream>>>(w->maps,
                                                                                                                w->arg);
  code = cudaPeekAtLastError();
  return code == cudaSuccess ? attention::backward_after(&w->p, stream) : code;
}
