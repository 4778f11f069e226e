// Launches the wgmma kernel of "forward". Part of an object library that is built for compute capability 9.0 only.
#include <cuda_runtime.h>
#include <stdlib.h>
#include <string.h>

#include "flash.h"
#include "launch.cuh"
#include "wgmma_forward.cuh"
#include "wgmma_maps.cuh"

namespace attention {
namespace {

struct forward_kernel {
  void (*function)(const forward_maps, const forward_arguments);
  void (*values)(const forward_values_arguments);  // transposes the values before `function` runs; NULL unless e4m3
  int rows, keys, threads, bytes;
};

template <typename S, bool CAUSAL>
forward_kernel forward_kernel_of() {
  if constexpr (S::narrow)
    return {forward_wgmma_kernel<S, CAUSAL>,
            forward_values_kernel<S::d, S::values_row>,
            S::rows,
            S::keys,
            S::threads,
            S::bytes};
  else
    return {forward_wgmma_kernel<S, CAUSAL>, nullptr, S::rows, S::keys, S::threads, S::bytes};
}

template <typename S>
forward_kernel choose_mask(const attention_problem *p) {
  return p->causal ? forward_kernel_of<S, true>() : forward_kernel_of<S, false>();
}

// Chooses the kernel. With heads of 64, a tile has 64, 128 or 192 queries: 64 if each such tile can have an SM of its
// own; else 128 if there are fewer tiles of 192 than SMs and a size of 128 gives more tiles; else 192.
template <typename T>
forward_kernel choose_shape(const attention_problem *p, int multiprocessors) {
  typedef forward_shape<T, 64, 3, 128, 2, 2> d64;
  typedef forward_shape<T, 64, 2, 128, 2, 2> d64_few;
  typedef forward_shape<T, 64, 1, 128, 2, 2> d64_fewer;
  typedef forward_shape<T, 128, 2, 128, 2, 2> d128;
  typedef forward_shape<T, 256, 2, 80, 2, 1> d256;
  if (p->d == 256) return choose_mask<d256>(p);
  if (p->d == 128) return choose_mask<d128>(p);
  if (p->heads * ((p->s + d64_fewer::rows - 1) / d64_fewer::rows) <= multiprocessors) return choose_mask<d64_fewer>(p);
  const int64_t tiles = (p->s + d64::rows - 1) / d64::rows, smaller = (p->s + d64_few::rows - 1) / d64_few::rows;
  return p->heads * tiles < multiprocessors && smaller > tiles ? choose_mask<d64_few>(p) : choose_mask<d64>(p);
}

// Returns how many queries the busiest SM processes, one tile after the other. The kernel's time is taken to be
// proportional to this number.
template <typename S>
int64_t queries_in_turn(const attention_problem *p, int multiprocessors) {
  const int64_t tiles = (p->s + S::rows - 1) / S::rows * p->heads;
  return (tiles + multiprocessors - 1) / multiprocessors * S::rows;
}

// Chooses the kernel for e4m3. For heads of 128, a kernel with three warpgroups takes a ninth less time per query than
// one with two. It is chosen unless its larger tiles give the busiest SM more than 9/8 as many queries.
forward_kernel choose_e4m3(const attention_problem *p, int multiprocessors) {
  typedef forward_shape<e4m3, 128, 3, 96, 4, 2> d128;
  typedef forward_shape<e4m3, 128, 2, 128, 3, 2> d128_few;
  if (p->d == 256) return choose_mask<forward_shape<e4m3, 256, 2, 128, 2, 1>>(p);
  if (p->d == 64) return choose_mask<forward_shape<e4m3, 64, 3, 128, 4, 2>>(p);
  return queries_in_turn<d128>(p, multiprocessors) * 8 <= queries_in_turn<d128_few>(p, multiprocessors) * 9
             ? choose_mask<d128>(p)
             : choose_mask<d128_few>(p);
}

forward_kernel choose(const attention_problem *p, int multiprocessors) {
  if (p->stored == STORED_E4M3) return choose_e4m3(p, multiprocessors);
  return p->stored == STORED_FP16 ? choose_shape<__half>(p, multiprocessors)
                                  : choose_shape<__nv_bfloat16>(p, multiprocessors);
}

}  // namespace
}  // namespace attention

struct attention_wgmma {
  attention::forward_maps maps;
  attention::forward_arguments arg;
  attention::forward_values_arguments values;
  attention::forward_kernel kernel;
  unsigned ctas, key_heads;
};

namespace attention {
namespace {

// Returns how many heads to work on together. With a causal mask, as many heads as can keep their keys and values in 32
// MiB of L2. Without a mask, the heads that share keys and values.
unsigned resident_of(const attention_problem *p) {
  const int64_t fit = (32 << 20) / (2 * static_cast<int64_t>(p->s) * p->d * stored_bytes(p->stored)) * p->group;
  const int64_t heads = p->causal && fit > p->group ? fit : p->group;
  return static_cast<unsigned>(heads < p->heads ? heads : p->heads);
}

// Returns the keys of a head, rounded up to whole blocks.
int64_t padded_of(const attention_problem *p, int keys) {
  return (p->s + keys - 1) / keys * keys;
}

int describe_all(const attention_problem *p, encode_function encode, attention_wgmma *w) {
  const int64_t keys = p->heads / p->group;
  const bool narrow = p->stored == STORED_E4M3;
  const auto in = [&](CUtensorMap *map, const void *matrix, int64_t heads, int rows) {
    return narrow ? describe_e4m3(encode, map, matrix, p->d, p->s, heads, rows)
                  : describe(encode, map, matrix, p->d, p->s, heads, rows);
  };
  int code = in(&w->maps.q, p->q, p->heads, w->kernel.rows);
  if (code == cudaSuccess) code = in(&w->maps.k, p->k, keys, w->kernel.keys);
  if (code == cudaSuccess && !narrow) code = in(&w->maps.v, p->v, keys, w->kernel.keys);
  return code == cudaSuccess ? describe(encode, &w->maps.o, p->o, p->d, p->s, p->heads, 64) : code;
}

int plan(const attention_problem *p, cudaStream_t stream, attention_wgmma *w) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  int multiprocessors = 0;
  int code = multiprocessors_here(&multiprocessors);
  if (code == cudaSuccess) code = cudaMemsetAsync(p->workspace, 0, 2 * sizeof(unsigned), stream);
  if (code != cudaSuccess) return code;
  w->kernel = choose(p, multiprocessors);
  w->arg.taken = static_cast<unsigned *>(p->workspace);
  w->arg.order = bands_of(static_cast<unsigned>(p->heads),
                          static_cast<unsigned>((p->s + w->kernel.rows - 1) / w->kernel.rows), resident_of(p));
  w->arg.group = divisor_of(static_cast<unsigned>(p->group));
  w->key_heads = static_cast<unsigned>(p->heads / p->group);
  w->arg.s = p->s;
  w->arg.scale_log2 = flash_scale_log2(p->d);
  w->arg.slack = (p->stored == STORED_E4M3 ? forward_slack : 8) / w->arg.scale_log2;
  if (p->stored == STORED_E4M3) {
    const int64_t padded = padded_of(p, w->kernel.keys);
    w->values = {static_cast<const uint8_t *>(p->v), static_cast<uint8_t *>(p->workspace) + 256, p->s,
                 static_cast<int>(padded), static_cast<int>((padded + kValuesKeys - 1) / kValuesKeys)};
    w->arg.values = w->values.to;
    w->arg.blocks = static_cast<int>(padded / w->kernel.keys);
  }
  if (code == cudaSuccess) code = describe_all(p, encode, w);
  if (code != cudaSuccess) return code;
  const unsigned tiles = w->arg.order.rows * w->arg.order.columns, at_once = static_cast<unsigned>(multiprocessors);
  w->ctas = tiles < at_once ? tiles : at_once;
  return cudaFuncSetAttribute(w->kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, w->kernel.bytes);
}

// Launches the kernel that transposes e4m3 values, then the main kernel, which starts while the first one runs and
// waits for its results (programmatic dependent launch).
int run_after_values(const attention_wgmma &w, cudaStream_t stream) {
  w.kernel.values<<<w.key_heads *static_cast<unsigned>(w.values.ctas), kValuesThreads, 0, stream>>>(w.values);
  const int code = cudaPeekAtLastError();
  if (code != cudaSuccess) return code;
  return launch(w.kernel.function, w.ctas, static_cast<unsigned>(w.kernel.threads), w.kernel.bytes, true, stream,
                w.maps, w.arg);
}

}  // namespace
}  // namespace attention

int attention_wgmma_here(void) {
  const attention_problem any = {};
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, attention::choose(&any, 1).function) == cudaSuccess;
  cudaGetLastError();
  return here;
}

uint64_t attention_wgmma_workspace(const struct attention_problem *p) {
  int multiprocessors = 0;
  if (p->stored != STORED_E4M3 || attention::multiprocessors_here(&multiprocessors) != cudaSuccess) return 256;
  const int64_t keys = attention::padded_of(p, attention::choose(p, multiprocessors).keys);
  return 256 + static_cast<uint64_t>(p->heads / p->group * keys * p->d);
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
  if (w->kernel.values != nullptr) return attention::run_after_values(*w, stream);
  w->kernel.function<<<w->ctas, w->kernel.threads, static_cast<size_t>(w->kernel.bytes), stream>>>(w->maps, w->arg);
  return cudaPeekAtLastError();
}
