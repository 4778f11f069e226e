// Launches of the wgmma kernel of "forward". Of an object library for compute capability 9.0 alone.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"
#include "wgmma_forward.cuh"
#include "wgmma_maps.cuh"

namespace attention {
namespace {

struct forward_kernel {
  void (*function)(const forward_maps, const forward_arguments);
  int rows, keys, threads, bytes;
};

template <typename S, bool CAUSAL>
forward_kernel forward_kernel_of() {
  return {forward_wgmma_kernel<S, CAUSAL>, S::rows, S::keys, S::threads, S::bytes};
}

template <typename S>
forward_kernel choose_mask(const attention_problem *p) {
  return p->causal ? forward_kernel_of<S, true>() : forward_kernel_of<S, false>();
}

// For so many multiprocessors: of heads of 64 tiles of 128 queries where those of 192 leave some without any, and there
// are more of them.
template <typename T>
forward_kernel choose_shape(const attention_problem *p, int multiprocessors) {
  typedef forward_shape<T, 64, 3, 128, 2, 2> d64;
  typedef forward_shape<T, 64, 2, 128, 2, 2> d64_few;
  typedef forward_shape<T, 128, 2, 128, 2, 2> d128;
  typedef forward_shape<T, 256, 2, 80, 2, 1> d256;
  if (p->d == 256) return choose_mask<d256>(p);
  if (p->d == 128) return choose_mask<d128>(p);
  const int64_t tiles = (p->s + d64::rows - 1) / d64::rows, smaller = (p->s + d64_few::rows - 1) / d64_few::rows;
  return p->heads * tiles < multiprocessors && smaller > tiles ? choose_mask<d64_few>(p) : choose_mask<d64>(p);
}

forward_kernel choose(const attention_problem *p, int multiprocessors) {
  return p->stored == STORED_FP16 ? choose_shape<__half>(p, multiprocessors)
                                  : choose_shape<__nv_bfloat16>(p, multiprocessors);
}

}  // namespace
}  // namespace attention

struct attention_wgmma {
  attention::forward_maps maps;
  attention::forward_arguments arg;
  attention::forward_kernel kernel;
  unsigned ctas;
};

namespace attention {
namespace {

// Heads whose keys and values are in the L2 cache together, or without a mask those that share them.
unsigned resident_of(const attention_problem *p) {
  const int64_t fit = (32 << 20) / (4 * static_cast<int64_t>(p->s) * p->d) * p->group;
  const int64_t heads = p->causal && fit > p->group ? fit : p->group;
  return static_cast<unsigned>(heads < p->heads ? heads : p->heads);
}

int plan(const attention_problem *p, cudaStream_t stream, attention_wgmma *w) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  const int64_t keys = p->heads / p->group;
  int device = 0, multiprocessors = 0;
  int code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  if (code == cudaSuccess) code = cudaMemsetAsync(p->workspace, 0, 2 * sizeof(unsigned), stream);
  w->kernel = choose(p, multiprocessors);
  w->arg.taken = static_cast<unsigned *>(p->workspace);
  w->arg.heads = static_cast<unsigned>(p->heads);
  w->arg.resident = resident_of(p);
  w->arg.tiles = static_cast<unsigned>((p->s + w->kernel.rows - 1) / w->kernel.rows);
  w->arg.group = p->group;
  w->arg.s = p->s;
  w->arg.scale_log2 = flash_scale_log2(p->d);
  w->arg.slack = 8 / w->arg.scale_log2;
  if (code == cudaSuccess) code = describe(encode, &w->maps.q, p->q, p->d, p->s, p->heads, w->kernel.rows);
  if (code == cudaSuccess) code = describe(encode, &w->maps.k, p->k, p->d, p->s, keys, w->kernel.keys);
  if (code == cudaSuccess) code = describe(encode, &w->maps.v, p->v, p->d, p->s, keys, w->kernel.keys);
  if (code == cudaSuccess) code = describe(encode, &w->maps.o, p->o, p->d, p->s, p->heads, 64);
  if (code != cudaSuccess) return code;
  const unsigned tiles = w->arg.heads * w->arg.tiles, at_once = static_cast<unsigned>(multiprocessors);
  w->ctas = tiles < at_once ? tiles : at_once;
  return cudaFuncSetAttribute(w->kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, w->kernel.bytes);
}

}  // namespace
}  // namespace attention

int attention_wgmma_here(void) {
  const attention_problem any = {};
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, attention::choose(&any, 0).function) == cudaSuccess;
  cudaGetLastError();
  return here;
}

uint64_t attention_wgmma_workspace(const struct attention_problem *) {
  return 256;
}

int attention_wgmma_open(const struct attention_problem *p, struct CUstream_st *stream, void **plan) {
  attention_wgmma *w = static_cast<attention_wgmma *>(aligned_alloc(alignof(attention_wgmma), sizeof(attention_wgmma)));
  if (w == nullptr) return cudaErrorMemoryAllocation;
  memset(w, 0, sizeof *w);
  const int code = attention::plan(p, stream, w);
  if (code == cudaSuccess)
    *plan = w;
  else
    free(w);
  return code;
}

int attention_wgmma_run(const void *plan, struct CUstream_st *stream) {
  const attention_wgmma *w = static_cast<const attention_wgmma *>(plan);
  w->kernel.function<<<w->ctas, w->kernel.threads, static_cast<size_t>(w->kernel.bytes), stream>>>(w->maps, w->arg);
  return cudaPeekAtLastError();
}
