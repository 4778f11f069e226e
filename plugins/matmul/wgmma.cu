// Launches the wgmma kernels: numbers their tile shapes, makes tensor maps, estimates the duration of a product by a
// model, and has the kernel that splits operands for three products. Built with the kernels as a separate object
// library, for compute capability 9.0 only.
#include <cuda_runtime.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../shared/tensor_map.cuh"
#include "wgmma_shapes.cuh"

struct matmul_wgmma {
  CUtensorMap a, b, c, small_a, small_b;  // small_a describes r if the epilogue adds it
  const void *bias;                       // the epilogue's bias; NULL: it has none
  matmul::wgmma_arguments arg;
  const void *kernel;
  dim3 grid;
  unsigned cluster, threads, bytes;
  matmul_problem split;  // the problem whose operands are split before the product; all zeros if none are split
};

namespace matmul {
namespace {

using hopper::encode_function;
using hopper::encoder;

// Parameters of the model that estimates the clocks of a product (matmul_wgmma_cycles()).
constexpr double kL2Bytes = 40,  // bytes per clock from L2 to a multiprocessor
    kMerged = 0.6,     // part of the L2 traffic that remains if CTAs request the same data together (ncu: 0.55 to 0.62)
    kNotHidden = 0.1,  // part of the copies' time that is added to the time of products, as both draw power
    kStart = 2000;     // clocks until a CTA that follows another CTA begins to multiply
// Factor by which the estimate grows if a shape is not meant for the problem, so that it ranks last.
constexpr double kLast = 1e6;

shapes shapes_of(int math) {
  switch (math) {
    case MATMUL_WGMMA_FP16:
      return shapes_of_fp16();
    case MATMUL_WGMMA_BF16:
      return shapes_of_bf16();
    case MATMUL_WGMMA_TF32:
      return shapes_of_tf32();
    case MATMUL_WGMMA_3XTF32:
      return shapes_of_3xtf32();
    case MATMUL_WGMMA_E4M3:
      return shapes_of_e4m3();
    case MATMUL_WGMMA_BF16_BIAS_GELU:
      return shapes_of_bias_gelu();
    case MATMUL_WGMMA_BF16_ADD:
      return shapes_of_add();
    default:
      return shapes_of_e4m3_fast();
  }
}

// How elements are described to the copy engine (TMA), indexed by MATMUL_FP32 and so on. Operands in fp32 are described
// so that the copy engine rounds them to tf32.
struct stored {
  CUtensorMapDataType type;
  int bytes;
};

constexpr stored kOperands[] = {{CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, 4},
                                {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
                                {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
                                {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1}};
constexpr stored kResults[] = {{CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4},
                               {CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2},
                               {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2},
                               {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2}};

// Returns the part of x that rounding to tf32 loses. The copy engine rounds to nearest, ties to even (as an H200 does);
// it rounds the small part too.
__device__ float small_part(float x) {
  uint32_t large;
  asm("cvt.rn.tf32.f32 %0, %1;\n" : "=r"(large) : "f"(x));
  return x - __uint_as_float(large);
}

constexpr int kSplitThreads = 256, kSplitLoads = 4;

// Computes the small parts of a and b, in groups of four elements: the first `count_a` groups are of a, the others, up
// to `count`, of b.
__global__ void __launch_bounds__(kSplitThreads)
    split_kernel(const float4 *a, const float4 *b, float4 *small, int64_t count_a, int64_t count) {
  const int64_t first = int64_t(blockIdx.x) * (kSplitThreads * kSplitLoads) + threadIdx.x;
  float4 x[kSplitLoads];
#pragma unroll
  for (int i = 0; i < kSplitLoads; ++i) {
    const int64_t at = first + i * kSplitThreads;
    if (at < count) x[i] = at < count_a ? a[at] : b[at - count_a];
  }
#pragma unroll
  for (int i = 0; i < kSplitLoads; ++i) {
    const int64_t at = first + i * kSplitThreads;
    if (at < count)
      small[at] = make_float4(small_part(x[i].x), small_part(x[i].y), small_part(x[i].z), small_part(x[i].w));
  }
}

// Writes the small parts of a and b to the problem's workspace: [m][k], then [n][k].
int split(const matmul_problem *p, cudaStream_t stream) {
  constexpr int64_t kBlock = kSplitThreads * kSplitLoads;
  const int64_t count_a = p->m * p->k / 4, count = count_a + p->n * p->k / 4;
  split_kernel<<<static_cast<unsigned>((count + kBlock - 1) / kBlock), kSplitThreads, 0, stream>>>(
      static_cast<const float4 *>(p->a), static_cast<const float4 *>(p->b), reinterpret_cast<float4 *>(p->workspace),
      count_a, count);
  return cudaGetLastError();
}

bool is_plain(const matmul_problem *p) {
  return p->n * kResults[p->dtype].bytes % 16 != 0;
}

unsigned blocks_down(const shape &s, int64_t m) {
  return static_cast<unsigned>((m + s.rows * s.down - 1) / (s.rows * s.down));
}

unsigned blocks_across(const shape &s, int64_t n) {
  return static_cast<unsigned>((n + s.columns * s.across - 1) / (s.columns * s.across));
}

// Returns the height of a band, which is the number of rows of blocks that are worked on together. It is usually 8. It
// is 4 if, with 8, a band's rows of a would not stay in L2 (60 MiB on an H200) while all columns are computed. A height
// of 4 was not measured with fp32, and is not used there.
unsigned band_of(const matmul_problem *p, const shape &s) {
  constexpr unsigned kUsual = 8, kFew = 4;
  const int64_t usual_bytes = kUsual * s.rows * s.down * p->k * kOperands[p->dtype].bytes;
  return p->dtype != MATMUL_FP32 && usual_bytes > INT64_C(60) << 20 ? kFew : kUsual;
}

// Describes a matrix in boxes of 128 bytes by `box` rows, with the 128-byte swizzle. Elements outside the matrix read
// as zero.
int describe(encode_function encode, CUtensorMap *map, const void *matrix, int64_t rows, int64_t columns, int box,
             const stored &as, CUtensorMapL2promotion line) {
  const cuuint64_t extents[2] = {static_cast<cuuint64_t>(columns), static_cast<cuuint64_t>(rows)};
  const cuuint64_t pitch[1] = {static_cast<cuuint64_t>(columns) * static_cast<cuuint64_t>(as.bytes)};
  const cuuint32_t boxes[2] = {static_cast<cuuint32_t>(kRowBytes / as.bytes), static_cast<cuuint32_t>(box)};
  const cuuint32_t steps[2] = {1, 1};
  const CUresult result =
      encode(map, as.type, 2, const_cast<void *>(matrix), extents, pitch, boxes, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
             CU_TENSOR_MAP_SWIZZLE_128B, line, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue;
}

int describe_operands(encode_function encode, const matmul_problem *p, const shape &s, matmul_wgmma *w) {
  const stored &as = kOperands[p->dtype];
  const int box_a = s.clipped && p->m < s.box_a ? static_cast<int>(p->m) : s.box_a;
  int code = describe(encode, &w->a, p->a, p->m, p->k, box_a, as, s.line);
  if (code == cudaSuccess) code = describe(encode, &w->b, p->b, p->n, p->k, s.box_b, as, s.line);
  const float *small = w->split.workspace;
  if (code != cudaSuccess || small == nullptr) return code;
  code = describe(encode, &w->small_a, small, p->m, p->k, box_a, as, s.line);
  return code != cudaSuccess ? code
                             : describe(encode, &w->small_b, small + p->m * p->k, p->n, p->k, s.box_b, as, s.line);
}

// Returns true if the shape can run the problem. A shape with one tile per CTA (`single`) cannot if the tiles exceed
// the limits of a grid's y and z.
bool fits(const matmul_problem *p, const shape &s) {
  constexpr unsigned kMost = 65535;
  const void *kernel = is_plain(p) ? s.plain : s.kernel;
  return kernel != nullptr && (!s.single || (blocks_down(s, p->m) <= kMost && blocks_across(s, p->n) <= kMost));
}

// Returns the grid of a shape with one tile per CTA, or with one per cluster whose CTAs divide k among themselves. Rows
// of tiles are grouped into bands of equal height, so that no CTA is without a tile. In the grid, x is the row in the
// band, y the column of tiles, z the band. If all CTAs run at once, a band has as few rows as possible, but more than
// one if c has more. The two CTAs on a pair of multiprocessors then work on the same column of tiles.
dim3 grid_of_tiles(const bands &blocks, unsigned cluster, unsigned multiprocessors) {
  const unsigned rows = blocks.rows;
  const bool at_once = rows * blocks.columns * cluster <= multiprocessors;
  const unsigned pair = rows > 1 ? 2 : 1;
  unsigned height = at_once ? pair : blocks.height.by;
  while (rows % height > 0)
    height += at_once ? 1 : -1;
  return dim3(height * cluster, blocks.columns, rows / height);
}

// Returns the launch configuration. It points to `cluster`, which this function fills and which must outlive the
// result.
cudaLaunchConfig_t launch_of(const matmul_wgmma *w, const dim3 &grid, cudaLaunchAttribute *cluster) {
  *cluster = cudaLaunchAttribute{};
  cluster->id = cudaLaunchAttributeClusterDimension;
  cluster->val.clusterDim.x = w->cluster;
  cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
  cudaLaunchConfig_t launch = {};
  launch.gridDim = grid;
  launch.blockDim = dim3(w->threads);
  launch.dynamicSmemBytes = w->bytes;
  launch.attrs = cluster;
  launch.numAttrs = w->cluster > 1 ? 1 : 0;
  return launch;
}

// Sets `clusters` to how many clusters run at once. Returns a cudaError_t.
int clusters_at_once(const matmul_wgmma *w, int multiprocessors, int *clusters) {
  const int cluster = static_cast<int>(w->cluster);
  *clusters = multiprocessors / cluster;
  if (cluster == 1) return cudaSuccess;
  cudaLaunchAttribute attribute;
  const cudaLaunchConfig_t launch = launch_of(w, dim3(static_cast<unsigned>(*clusters) * w->cluster), &attribute);
  int most = 0;
  const int code = cudaOccupancyMaxActiveClusters(&most, w->kernel, &launch);
  if (most < *clusters) *clusters = most;
  return code == cudaSuccess && most < 1 ? cudaErrorInvalidConfiguration : code;
}

// For the model: returns how many rows of a and b one CTA fetches from L2 in a step. Rows that other CTAs request at
// the same time count less (kMerged).
double fetched(const shape &s, const matmul_problem *p) {
  const bool others_a = blocks_across(s, p->n) > 1, others_b = blocks_down(s, p->m) > 1;
  return s.box_a * (s.single && others_a ? kMerged : 1) + s.box_b * (s.single && others_b ? kMerged : 1);
}

int plan(const matmul_problem *p, int math, const shape &s, matmul_wgmma *w) {
  const encode_function encode = encoder();
  if (encode == nullptr) return cudaErrorSymbolNotFound;
  if (!fits(p, s)) return cudaErrorNotSupported;
  const bool plain = is_plain(p);
  w->kernel = plain ? s.plain : s.kernel;
  w->bytes = static_cast<unsigned>(s.bytes);
  w->threads = static_cast<unsigned>(s.threads);
  w->cluster = static_cast<unsigned>(s.down * s.across * s.split);
  w->arg.a = p->a;
  w->arg.b = p->b;
  w->arg.c = p->c;
  w->arg.m = static_cast<int>(p->m);
  w->arg.n = static_cast<int>(p->n);
  w->arg.k = static_cast<int>(p->k);
  w->arg.blocks = bands_of(blocks_down(s, p->m), blocks_across(s, p->n), band_of(p, s));
  if (math == MATMUL_WGMMA_3XTF32) w->split = *p;
  int code = describe_operands(encode, p, s, w);
  if (code == cudaSuccess && !plain) code = describe(encode, &w->c, p->c, p->m, p->n, 16, kResults[p->dtype], s.line);
  if (p->epilogue == MATMUL_BIAS_GELU) w->bias = p->extra;
  if (code == cudaSuccess && p->epilogue == MATMUL_ADD)
    code = describe(encode, &w->small_a, p->extra, p->m, p->n, 16, kResults[p->dtype], s.line);
  if (code == cudaSuccess) code = cudaFuncSetAttribute(w->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, s.bytes);
  int clusters = 0;
  if (code == cudaSuccess) code = clusters_at_once(w, p->multiprocessors, &clusters);
  const unsigned blocks = w->arg.blocks.rows * w->arg.blocks.columns, most = static_cast<unsigned>(clusters);
  w->grid = s.single ? grid_of_tiles(w->arg.blocks, w->cluster, static_cast<unsigned>(p->multiprocessors))
                     : dim3((blocks < most ? blocks : most) * w->cluster);
  return code;
}

}  // namespace
}  // namespace matmul

int matmul_wgmma_shapes(int math) {
  return matmul::shapes_of(math).count;
}

const char *matmul_wgmma_name(int math, int shape) {
  return matmul::shapes_of(math).each[shape].name;
}

double matmul_wgmma_cycles(const matmul_problem *p, int math, int shape) {
  const matmul::shape &s = matmul::shapes_of(math).each[shape];
  if (!matmul::fits(p, s)) return HUGE_VAL;
  const double clusters = p->multiprocessors / (s.down * s.across * s.split);
  const double blocks = static_cast<double>(matmul::blocks_down(s, p->m)) * matmul::blocks_across(s, p->n);
  const bool split = math == MATMUL_WGMMA_3XTF32;  // true: operands have two parts; two steps make three products
  // Clocks for a step of 128 bytes: 2048 16-bit products a clock, 512 in each tensor core (H100 white paper).
  const double products = s.rows * s.columns * 64 / 2048.0 * (split ? 1.5 : 1);
  const double fetched = matmul::fetched(s, p) * matmul::kRowBytes / matmul::kL2Bytes;
  const int64_t depth = matmul::kRowBytes / matmul::kOperands[p->dtype].bytes;
  const double steps = static_cast<double>((p->k + depth - 1) / depth) / s.split * (split ? 2 : 1);
  const double rounds = ceil(blocks / clusters);
  const double step = (products > fetched ? products : fetched) + matmul::kNotHidden * fetched;
  const double cycles =
      rounds * (steps * step + s.rows * s.columns * s.store) + (s.single ? (rounds - 1) * matmul::kStart : 0);
  return s.most == 0 || (p->m >= s.least && p->m <= s.most) ? cycles : cycles * matmul::kLast;
}

int matmul_wgmma_here(void) {
  cudaFuncAttributes attributes;
  const int here = cudaFuncGetAttributes(&attributes, matmul::shapes_of_bf16().each->kernel) == cudaSuccess;
  cudaGetLastError();
  return here;
}

int matmul_wgmma_open(const matmul_problem *p, int math, int shape, matmul_wgmma **plan) {
  matmul_wgmma *w = static_cast<matmul_wgmma *>(aligned_alloc(alignof(matmul_wgmma), sizeof(matmul_wgmma)));
  if (w == nullptr) return cudaErrorMemoryAllocation;
  memset(w, 0, sizeof *w);
  const int code = matmul::plan(p, math, matmul::shapes_of(math).each[shape], w);
  if (code == cudaSuccess)
    *plan = w;
  else
    free(w);
  return code;
}

int matmul_wgmma_run(const matmul_wgmma *w, struct CUstream_st *stream) {
  const int code = w->split.workspace != nullptr ? matmul::split(&w->split, stream) : cudaSuccess;
  if (code != cudaSuccess) return code;
  cudaLaunchAttribute cluster;
  cudaLaunchConfig_t launch = matmul::launch_of(w, w->grid, &cluster);
  launch.stream = stream;
  const void *last = w->split.workspace != nullptr ? static_cast<const void *>(&w->small_b) : &w->bias;
  // The launch reads as many elements of this array as the kernel has parameters.
  const void *arguments[] = {&w->a, &w->b, &w->c, &w->arg, &w->small_a, last};
  return cudaLaunchKernelExC(&launch, w->kernel, const_cast<void **>(arguments));
}

void matmul_wgmma_close(matmul_wgmma *w) {
  free(w);
}
