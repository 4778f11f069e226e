// Launches of the wgmma kernel of "backward", and its tensor maps. Of an object library for compute capability 9.0
// alone.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "wgmma_backward.cuh"
#include "wgmma_maps.cuh"

namespace attention {
namespace {

typedef void (*backward_function)(const backward_maps, const backward_arguments);

backward_function kernel_of(const backward_problem *p) {
  if (p->d == 64) return p->causal ? backward_wgmma_kernel<64, true> : backward_wgmma_kernel<64, false>;
  return p->causal ? backward_wgmma_kernel<128, true> : backward_wgmma_kernel<128, false>;
}

int bytes_of(const backward_problem *p) {
  return p->d == 64 ? backward_shape<64>::bytes : backward_shape<128>::bytes;
}

}  // namespace
}  // namespace attention

struct backward_wgmma {
  attention::backward_maps maps;
  attention::backward_arguments arg;
  backward_problem p;
  unsigned ctas;
};

namespace attention {
namespace {

int plan(const backward_problem *p, backward_wgmma *w) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  const int64_t keys = p->heads / p->group;
  const int queries = p->d == 64 ? backward_shape<64>::queries : backward_shape<128>::queries;
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
  int device = 0, multiprocessors = 0;
  if (code == cudaSuccess) code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (code != cudaSuccess) return code;
  const unsigned blocks = w->arg.order.heads * w->arg.order.tiles, at_once = static_cast<unsigned>(multiprocessors);
  w->ctas = blocks < at_once ? blocks : at_once;
  return cudaFuncSetAttribute(kernel_of(p), cudaFuncAttributeMaxDynamicSharedMemorySize, bytes_of(p));
}

}  // namespace
}  // namespace attention

int backward_wgmma_here(void) {
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, attention::backward_wgmma_kernel<64, true>) == cudaSuccess;
  cudaGetLastError();
  return here;
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
  int code = attention::backward_before(&w->p, stream);
  if (code != cudaSuccess) return code;
  attention::kernel_of(
      &w->p)<<<w->ctas, attention::kBackwardThreads, static_cast<size_t>(attention::bytes_of(&w->p)), stream>>>(w->maps,
                                                                                                                w->arg);
  code = cudaPeekAtLastError();
  return code == cudaSuccess ? attention::backward_after(&w->p, stream) : code;
}
