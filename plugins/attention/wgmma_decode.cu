// The launch of decode's `wgmma`, and its tensor maps. Of an object library for compute capability 9.0 alone.
#include <cuda_runtime.h>
#include <stdlib.h>

#include "decode_kernels.h"
#include "flash.h"
#include "wgmma_decode.cuh"

namespace attention {
namespace {

typedef void (*decode_function)(const wgmma_decode_maps, const wgmma_decode_arguments);
typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                    CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

encode_function encoder() {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return nullptr;
  return reinterpret_cast<encode_function>(function);
}

// [units][rows][d] in boxes of 64 columns by `box_rows`; what lies outside reads as zero.
int describe(encode_function encode, CUtensorMap *map, const void *matrix, const decode_problem *p, int rows,
             int box_rows) {
  const cuuint64_t width = static_cast<cuuint64_t>(p->d), height = static_cast<cuuint64_t>(rows);
  const cuuint64_t extents[3] = {width, height, static_cast<cuuint64_t>(p->units)};
  const cuuint64_t pitch[2] = {width * 2, width * height * 2};
  const cuuint32_t box[3] = {64, static_cast<cuuint32_t>(box_rows), 1}, steps[3] = {1, 1, 1};
  const CUresult result = encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 3, const_cast<void *>(matrix), extents, pitch,
                                 box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

struct plan {
  decode_function kernel;
  int rows;  // of a CTA
  int keys;  // of a block
  int threads;
  int bytes;  // of shared memory
};

template <int D, int GROUPS>
plan plan_for() {
  typedef wgmma_decode_shape<D, GROUPS> shape;
  return {decode_wgmma_kernel<D, GROUPS>, shape::rows, shape::keys, shape::threads, shape::bytes};
}

plan plan_of(const decode_problem *p) {
  if (p->d == 64) return p->rows <= 64 ? plan_for<64, 1>() : plan_for<64, 2>();
  return p->rows <= 64 ? plan_for<128, 1>() : plan_for<128, 2>();
}

}  // namespace
}  // namespace attention

using namespace attention;

struct decode_wgmma {
  wgmma_decode_maps maps;
  wgmma_decode_arguments arg;
  plan how;
  unsigned ctas;
};

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
  int code = describe(encode, &w->maps.q, p->q, p, p->rows, 64);
  if (code == cudaSuccess) code = describe(encode, &w->maps.k, p->k, p, p->s, w->how.keys);
  if (code == cudaSuccess) code = describe(encode, &w->maps.v, p->v, p, p->s, w->how.keys);
  if (code == cudaSuccess)
    code = cudaFuncSetAttribute(w->how.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, w->how.bytes);
  if (code != cudaSuccess || arg.parts.shares == 1) return code;
  return cudaMemsetAsync(p->workspace, 0, arg.parts.counters, stream);
}

int decode_wgmma_run(const struct decode_problem *p, struct CUstream_st *stream) {
  const decode_wgmma *w = static_cast<const decode_wgmma *>(p->plan);
  w->how.kernel<<<w->ctas, static_cast<unsigned>(w->how.threads), static_cast<size_t>(w->how.bytes), stream>>>(w->maps,
                                                                                                               w->arg);
  return cudaPeekAtLastError();
}
