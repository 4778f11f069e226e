// Launches of the wgmma kernels: shapes by number, tensor maps, and a model of what a product takes. An object library
// of its own, for compute capability 9.0 alone.
#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "wgmma_kernel.cuh"
#include "wgmma_narrow.cuh"

struct matmul_wgmma {
  CUtensorMap a, b, c;
  matmul::wgmma_arguments arg;
  void (*kernel)(const CUtensorMap, const CUtensorMap, const CUtensorMap, const matmul::wgmma_arguments);
  unsigned ctas, cluster, threads, bytes;
};

namespace matmul {
namespace {

typedef void (*wgmma_function)(const CUtensorMap, const CUtensorMap, const CUtensorMap, const wgmma_arguments);
typedef CUresult (*encode_function)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                    const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                    CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

// Of the model: bytes a clock from L2 to a multiprocessor, what is left of them where CTAs of no cluster ask for the
// same at the same time (ncu at 2048^3: 0.55 to 0.62), and clocks until a CTA that follows another multiplies.
constexpr double kL2Bytes = 40, kMerged = 0.6, kStart = 2000;

struct shape {
  wgmma_function bf16, fp16, bf16_plain, fp16_plain;
  const char *name;
  int rows, columns, down, across, threads, bytes, box_a, box_b;
  int split;   // so many CTAs share the depth of a tile
  int single;  // as many CTAs as there are tiles, or parts of tiles
  int band;    // of rows of blocks
  // Of the model: rows of a step that come from L2, and clocks for each result that no products hide.
  double fetched, store;
};

template <typename S>
shape extents_of(const char *name) {
  shape s = {};
  s.name = name;
  s.rows = S::rows;
  s.columns = S::columns;
  s.down = S::down;
  s.across = S::across;
  s.bytes = S::bytes;
  s.box_a = S::box_a;
  s.box_b = S::box_b;
  s.threads = kWgmmaThreads;
  s.split = 1;
  s.band = 8;
  s.fetched = S::box_a + S::box_b;
  s.store = S::turns ? 0.02 : S::last > 0 ? 0.03 : 0.05;
  return s;
}

template <typename S>
shape shape_of(const char *name) {
  shape s = extents_of<S>(name);
  s.bf16 = wgmma_kernel<__nv_bfloat16, S, false>;
  s.fp16 = wgmma_kernel<__half, S, false>;
  if constexpr (S::parts * S::columns <= 256) {  // with more sums ordinary stores lack registers
    s.bf16_plain = wgmma_kernel<__nv_bfloat16, S, true>;
    s.fp16_plain = wgmma_kernel<__half, S, true>;
  }
  return s;
}

template <typename S>
shape single_of(const char *name, int band) {
  shape s = extents_of<S>(name);
  s.bf16 = wgmma_single<__nv_bfloat16, S>;
  s.fp16 = wgmma_single<__half, S>;
  s.single = 1;
  s.threads = wgmma_single_threads<S>();
  s.band = band;
  s.fetched *= kMerged;
  return s;
}

template <typename S>
shape narrow_of(const char *name) {
  shape s = {};
  s.bf16 = s.bf16_plain = wgmma_narrow<__nv_bfloat16, S>;
  s.fp16 = s.fp16_plain = wgmma_narrow<__half, S>;
  s.name = name;
  s.rows = S::rows;
  s.columns = S::columns;
  s.down = s.across = 1;
  s.threads = S::threads;
  s.bytes = S::bytes;
  s.box_a = S::box_a;
  s.box_b = S::box_b;
  s.fetched = S::box_a + S::box_b;
  s.split = S::split;
  s.single = 1;
  return s;
}

// The first is the one without a choice.
const shape shapes[] = {
    shape_of<wgmma_shape<128, 256, 4, 2, 1, kTogether>>("128 x 256 together, cluster 2 x 1"),
    shape_of<wgmma_shape<256, 128, 4, 1, 2, kTogether, 2>>("256 x 128 in halves, cluster 1 x 2"),
    shape_of<wgmma_shape<128, 192, 4, 2, 1, kByTurns>>("128 x 192 by turns, cluster 2 x 1"),
    shape_of<wgmma_shape<64, 256, 4, 2, 1, kByTurns>>("64 x 256 by turns, cluster 2 x 1"),
    shape_of<wgmma_shape<128, 128, 6, 2, 1, kByTurns>>("128 x 128 by turns, cluster 2 x 1"),
    shape_of<wgmma_shape<64, 128, 8, 2, 1, kByTurns>>("64 x 128 by turns, cluster 2 x 1"),
    single_of<wgmma_shape<64, 128, 8, 1, 1, kAlone>>("64 x 128, a tile a CTA", 4),
    single_of<wgmma_shape<256, 128, 4, 1, 1, kTogether, 2>>("256 x 128 in halves, a tile a CTA", 1),
    narrow_of<narrow_shape<16, 128, 2, 5, 1>>("16 x 128, a tile a CTA"),
    narrow_of<narrow_shape<16, 64, 4, 5, 2>>("16 x 64, a tile two CTAs"),
};

constexpr int kShapes = sizeof shapes / sizeof *shapes;

int blocks_down(const shape &s, int64_t m) {
  return static_cast<int>((m + s.rows * s.down - 1) / (s.rows * s.down));
}

int blocks_across(const shape &s, int64_t n) {
  return static_cast<int>((n + s.columns * s.across - 1) / (s.columns * s.across));
}

// Of libcuda, without linking it.
encode_function encoder() {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found) !=
          cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return nullptr;
  return reinterpret_cast<encode_function>(function);
}

// Boxes of 64 elements by `box` rows, 128-byte swizzle; what lies outside of the matrix reads as zero.
int describe(encode_function encode, CUtensorMap *map, const void *matrix, int64_t rows, int64_t columns, int box,
             int32_t dtype) {
  const cuuint64_t extents[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitch[1] = {static_cast<cuuint64_t>(columns) * 2};
  const cuuint32_t boxes[2] = {64, static_cast<cuuint32_t>(box)}, steps[2] = {1, 1};
  const CUresult result =
      encode(map, dtype == MATMUL_FP16 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2,
             const_cast<void *>(matrix), extents, pitch, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

// `cluster` is what the configuration points to.
cudaLaunchConfig_t launch_of(const matmul_wgmma *w, unsigned ctas, cudaLaunchAttribute *cluster) {
  *cluster = cudaLaunchAttribute{};
  cluster->id = cudaLaunchAttributeClusterDimension;
  cluster->val.clusterDim.x = w->cluster;
  cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
  cudaLaunchConfig_t launch = {};
  launch.gridDim = dim3(ctas);
  launch.blockDim = dim3(w->threads);
  launch.dynamicSmemBytes = w->bytes;
  launch.attrs = cluster;
  launch.numAttrs = w->cluster > 1 ? 1 : 0;
  return launch;
}

// As many clusters as run at once.
int clusters_at_once(const matmul_wgmma *w, int multiprocessors, int *clusters) {
  const int cluster = static_cast<int>(w->cluster);
  *clusters = multiprocessors / cluster;
  if (cluster == 1) return cudaSuccess;
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t launch =
      launch_of(w, static_cast<unsigned>(multiprocessors / cluster * cluster), &attribute);
  int most = 0;
  const int code = cudaOccupancyMaxActiveClusters(&most, w->kernel, &launch);
  if (most < *clusters) *clusters = most;
  return code == cudaSuccess && most < 1 ? cudaErrorInvalidConfiguration : code;
}

int plan(const matmul_problem *p, const shape &s, matmul_wgmma *w) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  const bool plain = p->n % 8 != 0;
  if (p->dtype == MATMUL_FP16)
    w->kernel = plain ? s.fp16_plain : s.fp16;
  else
    w->kernel = plain ? s.bf16_plain : s.bf16;
  if (w->kernel == nullptr) return cudaErrorNotSupported;
  w->bytes = static_cast<unsigned>(s.bytes);
  w->threads = static_cast<unsigned>(s.threads);
  w->cluster = static_cast<unsigned>(s.down * s.across * s.split);
  w->arg.c = p->c;
  w->arg.m = static_cast<int>(p->m);
  w->arg.n = static_cast<int>(p->n);
  w->arg.k = static_cast<int>(p->k);
  w->arg.blocks_down = blocks_down(s, p->m);
  w->arg.blocks_across = blocks_across(s, p->n);
  w->arg.band = s.band;
  int code = describe(encode, &w->a, p->a, p->m, p->k, s.box_a, p->dtype);
  if (code == cudaSuccess) code = describe(encode, &w->b, p->b, p->n, p->k, s.box_b, p->dtype);
  if (code == cudaSuccess && !plain) code = describe(encode, &w->c, p->c, p->m, p->n, 16, p->dtype);
  if (code == cudaSuccess) code = cudaFuncSetAttribute(w->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, s.bytes);
  int clusters = 0;
  if (code == cudaSuccess) code = clusters_at_once(w, p->multiprocessors, &clusters);
  const int64_t blocks = static_cast<int64_t>(w->arg.blocks_down) * w->arg.blocks_across;
  w->ctas = static_cast<unsigned>(s.single || blocks < clusters ? blocks : clusters) * w->cluster;
  return code;
}

}  // namespace
}  // namespace matmul

int matmul_wgmma_shapes(void) {
  return matmul::kShapes;
}

const char *matmul_wgmma_name(int shape) {
  return matmul::shapes[shape].name;
}

double matmul_wgmma_cycles(const matmul_problem *p, int shape) {
  const matmul::shape &s = matmul::shapes[shape];
  if (p->n % 8 != 0 && s.bf16_plain == nullptr) return HUGE_VAL;
  const double clusters = p->multiprocessors / (s.down * s.across * s.split);
  const double blocks = static_cast<double>(matmul::blocks_down(s, p->m)) * matmul::blocks_across(s, p->n);
  const double products = s.rows * s.columns * 64 / 2048.0;  // 2048 a clock: 512 in each tensor core (H100 white paper)
  const double fetched = s.fetched * 128 / matmul::kL2Bytes;
  const double steps = static_cast<double>((p->k + 63) / 64) / s.split;
  const double rounds = ceil(blocks / clusters);
  return rounds * (steps * (products > fetched ? products : fetched) + s.rows * s.columns * s.store) +
         (s.single ? (rounds - 1) * matmul::kStart : 0);
}

int matmul_wgmma_here(void) {
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, matmul::shapes[0].bf16) == cudaSuccess;
  cudaGetLastError();
  return here;
}

int matmul_wgmma_open(const matmul_problem *p, int shape, matmul_wgmma **plan) {
  matmul_wgmma *w = static_cast<matmul_wgmma *>(aligned_alloc(alignof(matmul_wgmma), sizeof(matmul_wgmma)));
  if (w == nullptr) return cudaErrorMemoryAllocation;
  memset(w, 0, sizeof *w);
  const int code = matmul::plan(p, matmul::shapes[shape], w);
  if (code == cudaSuccess)
    *plan = w;
  else
    free(w);
  return code;
}

int matmul_wgmma_run(const matmul_wgmma *w, struct CUstream_st *stream) {
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t launch = matmul::launch_of(w, w->ctas, &cluster);
  launch.stream = stream;
  return cudaLaunchKernelEx(&launch, w->kernel, w->a, w->b, w->c, w->arg);
}

void matmul_wgmma_close(matmul_wgmma *w) {
  free(w);
}
