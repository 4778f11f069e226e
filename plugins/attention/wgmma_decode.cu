// Launches the wgmma kernel of "decode", and makes its tensor maps. Part of an object library that is built for compute
// capability 9.0 only.
#include <cuda_runtime.h>
#include <stdlib.h>

#include "decode_kernels.h"
#include "flash.h"
#include "wgmma_decode.cuh"
#include "wgmma_maps.cuh"

namespace attention {
namespace {

typedef void (*decode_function)(const wgmma_decode_maps, const wgmma_decode_arguments);

// Makes a tensor map with an L2 promotion of 128 bytes, the width of a box (64 columns). With 256 bytes, reading
// takes 6% longer.
int describe_units(encode_function encode, CUtensorMap *map, const void *matrix, const decode_problem *p, int rows,
                   int box_rows) {
  return describe(encode, map, matrix, p->d, rows, p->units, box_rows, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

struct plan {
  decode_function kernel;
  int rows;  // rows of queries that a CTA handles
  int keys;  // keys in a block of keys
  int box;
  int threads;
  int bytes;     // shared memory of a CTA
  int exchange;  // bytes of the shared memory that hold what other CTAs of the cluster send
  int (*from_each)(int, int);
};

template <int D, int GROUPS>
plan plan_for() {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  return {decode_wgmma_kernel<D, GROUPS>,
          shape::rows,
          shape::keys,
          shape::box,
          shape::threads,
          shape::bytes,
          shape::bytes - static_cast<int>(shape::exchange),
          shape::from_each};
}

plan plan_of(const decode_problem *p) {
  if (p->d == 64) return p->rows <= 64 ? plan_for<64, 1>() : plan_for<64, 2>();
  return p->rows <= 64 ? plan_for<128, 1>() : plan_for<128, 2>();
}

}  // namespace
}  // namespace attention

struct decode_wgmma {
  attention::wgmma_decode_maps maps;
  attention::wgmma_decode_arguments arg;
  attention::plan how;
  unsigned ctas;
};

namespace attention {
namespace {

cudaLaunchConfig_t launch_of(const decode_wgmma *w, int cluster, cudaLaunchAttribute *attribute, cudaStream_t stream) {
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(w->ctas);
  config.blockDim = dim3(static_cast<unsigned>(w->how.threads));
  config.dynamicSmemBytes = static_cast<size_t>(w->how.bytes);
  config.stream = stream;
  config.attrs = attribute;
  config.numAttrs = cluster > 1;
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  return config;
}

// Returns how many CTAs form a cluster, which is the number of shares of a unit, if all clusters can run at the same
// time and shared memory has room for what their CTAs exchange; else 1 (no clusters).
int cluster_of(const decode_wgmma *w) {
  const int shares = w->arg.parts.shares, warps = (w->arg.rows + 15) / 16;
  if ((shares != 2 && shares != 4 && shares != 8) || w->arg.row_blocks > 1 || w->ctas < w->arg.items) return 1;
  if ((shares - 1) * w->how.from_each(shares, warps) > w->how.exchange) return 1;
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config = launch_of(w, shares, &attribute, nullptr);
  int at_once = 0;
  if (cudaOccupancyMaxActiveClusters(&at_once, w->how.kernel, &config) != cudaSuccess) cudaGetLastError();
  return static_cast<unsigned>(at_once * shares) >= w->ctas ? shares : 1;
}

}  // namespace
}  // namespace attention

using namespace attention;

int decode_wgmma_here(void) {
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, decode_wgmma_kernel<64, 1>) == cudaSuccess;
  cudaGetLastError();
  return here;
}

int32_t decode_wgmma_share_keys(const struct decode_problem *p) {
  const plan how = plan_of(p);
  return share_keys_of(p, {how.rows, how.keys, 128, 64});
}

uint64_t decode_wgmma_workspace(const struct decode_problem *p) {
  return share_parts_of(p, row_blocks_of(p, plan_of(p).rows)).bytes;
}

int decode_wgmma_prepare(struct decode_problem *p, struct CUstream_st *stream) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  decode_wgmma *w = static_cast<decode_wgmma *>(aligned_alloc(alignof(decode_wgmma), sizeof(decode_wgmma)));
  if (w == nullptr) return cudaErrorMemoryAllocation;
  p->plan = w;
  w->how = plan_of(p);
  wgmma_decode_arguments &arg = w->arg;
  arg.o = static_cast<__nv_bfloat16 *>(p->o);
  arg.rows = p->rows;
  arg.row_blocks = row_blocks_of(p, w->how.rows);
  arg.block_rows = ((p->rows + arg.row_blocks - 1) / arg.row_blocks + 15) / 16 * 16;
  arg.s_q = p->s_q;
  arg.s = p->s;
  arg.share_keys = p->share_keys;
  arg.parts = share_parts_of(p, arg.row_blocks);
  arg.scale_log2 = flash_scale_log2(p->d);
  arg.items = static_cast<unsigned>(p->units * arg.parts.shares * arg.row_blocks);
  w->ctas = arg.items < static_cast<unsigned>(p->workers) ? arg.items : static_cast<unsigned>(p->workers);
  int code = describe_units(encode, &w->maps.q, p->q, p, p->rows, 64);
  if (code == cudaSuccess) code = describe_units(encode, &w->maps.k, p->k, p, p->s, w->how.box);
  if (code == cudaSuccess) code = describe_units(encode, &w->maps.v, p->v, p, p->s, w->how.box);
  if (code == cudaSuccess)
    code = cudaFuncSetAttribute(w->how.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, w->how.bytes);
  if (code != cudaSuccess) return code;
  arg.cluster = cluster_of(w);
  return arg.parts.shares > 1 ? cudaMemsetAsync(p->workspace, 0, arg.parts.counters, stream) : cudaSuccess;
}

int decode_wgmma_run(const struct decode_problem *p, struct CUstream_st *stream) {
  const decode_wgmma *w = static_cast<const decode_wgmma *>(p->plan);
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t config = launch_of(w, w->arg.cluster, &attribute, stream);
  return cudaLaunchKernelEx(&config, w->how.kernel, w->maps, w->arg);
}
