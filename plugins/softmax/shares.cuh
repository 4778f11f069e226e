// Divides long rows among the blocks of a cluster: how many blocks a row gets, and when the blocks of each row begin.
#ifndef SOFTMAX_SHARES_CUH
#define SOFTMAX_SHARES_CUH

#include "cluster.cuh"
#include "part.cuh"

namespace softmax {

constexpr int kUnit = 8;       // packs (16 bytes each) in a cache line of 128 bytes; shares begin at such lines
constexpr int kHeldPacks = 8;  // packs that a thread holds in registers
constexpr int kShareThreads = 256;
constexpr int kShareBlocks = 4;     // blocks on a multiprocessor, which together hold 128 KiB in registers
constexpr int64_t kMost = 4096;     // most packs of a block, unless the row has kMaxRanks blocks
constexpr int64_t kBrought = 2560;  // about how many bytes memory delivers per clock cycle

struct Shape {
  int ranks, staged;  // ranks: blocks that share a row; staged: packs of each block in shared memory
};

// Chooses the smallest number of blocks that hold a row.
inline Shape shape_of(int64_t n, int64_t size) {
  // Extra packs: a row that is not aligned to cache lines also touches parts of other lines.
  const int64_t slack = n * size % 128 == 0 ? 0 : kUnit;
  const int64_t touched = (n * size + 15) / 16 + 2 * slack;
  int log2 = 0;
  while ((touched >> log2) + slack > kMost && (1 << log2) < kMaxRanks)
    log2++;
  const int64_t share = ((((touched - 1) >> log2) + kUnit) / kUnit * kUnit) + slack;
  const int64_t rest = share - kHeldPacks * kShareThreads;
  return {1 << log2, int(rest > 0 ? rest : 0)};
}

// When the blocks of a row begin to load. The first `resident` rows are on the GPU at the same time. Each of them
// begins `apart` clock cycles after the preceding one, so that their loads do not all end at the same time. Later rows
// begin without a delay.
struct Pace {
  int resident, apart;
};

inline cudaError_t pace_of(int64_t n, int64_t size, int ranks, Pace *pace) {
  int device = 0, processors = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  *pace = {processors * kShareBlocks / ranks, int(n * size / kBrought)};
  return code;
}

__device__ __forceinline__ void wait_for_turn(int64_t row, const Pace &pace) {
  if (row >= pace.resident) return;
  const int64_t begin = clock64(), cycles = row * pace.apart;
  while (clock64() - begin < cycles) {
  }
}

// Launches kernel(x, y, n, ranks, staged, pace) with a cluster of blocks for each row.
template <typename T>
int launch_shares(void (*kernel)(const T *, T *, int, int, int, Pace), bool paced, const T *x, T *y, int64_t m,
                  int64_t n, cudaStream_t stream) {
  const Shape shape = shape_of(n, sizeof(T));
  const int bytes = shape.staged * 16;
  cudaError_t code = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (code == cudaSuccess && shape.ranks > 8)
    code = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  Pace pace = {0, 0};
  if (code == cudaSuccess && paced) code = pace_of(n, sizeof(T), shape.ranks, &pace);
  if (code != cudaSuccess) return code;
  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = unsigned(shape.ranks), cluster.val.clusterDim.y = 1, cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(unsigned(m * shape.ranks)), config.blockDim = dim3(kShareThreads), config.stream = stream;
  config.dynamicSmemBytes = size_t(bytes);
  config.attrs = &cluster, config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, kernel, x, y, int(n), shape.ranks, shape.staged, pace);
}

}  // namespace softmax

#endif
