// c = a b^T on a GPU, a guest of matmul/gemm, that is a variant of a bench that another plugin defines.
// `gpubench list --contract matmul/gemm` prints what a variant must compute. To make it yours: 1. write every element
// of c in a kernel that `run` launches on the case's stream; 2. let `supports` return GB_SKIP for cases that it cannot
// run; 3. name the variant. Put work that is done once into a `prepare`. For another kernel, add another gb_variant and
// attach it, too.
#include <gpubench/sugar.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace {

gb_sdk gb;  // the host's services

const int kTile = 64, kDepth = 16, kEdge = 16;  // 16 x 16 threads compute 64 x 64 elements of c
const int kOwn = kTile / kEdge;                 // each thread computes 4 x 4 elements of c, 16 apart

// Loads 64 rows from `row` on of a row-major matrix [rows][k], and of each row 16 elements from `first` on. Elements
// beyond the matrix become 0.
template <typename T>
__device__ void load(float (*to)[kTile + 1], const T *from, int64_t row, int64_t rows, int64_t first, int64_t k) {
  for (int i = threadIdx.y * kEdge + threadIdx.x; i < kTile * kDepth; i += kEdge * kEdge) {
    const int r = i / kDepth, p = i % kDepth;
    const bool inside = row + r < rows && first + p < k;
    to[p][r] = inside ? static_cast<float>(from[(row + r) * k + first + p]) : 0.0f;
  }
}

template <typename T>
__global__ void tiles(const T *a, const T *b, T *c, int64_t m, int64_t n, int64_t k) {
  __shared__ float rows[kDepth][kTile + 1], columns[kDepth][kTile + 1];
  const int64_t top = static_cast<int64_t>(blockIdx.y) * kTile, left = static_cast<int64_t>(blockIdx.x) * kTile;
  float sums[kOwn][kOwn] = {};
  for (int64_t first = 0; first < k; first += kDepth) {
    load(rows, a, top, m, first, k);
    load(columns, b, left, n, first, k);
    __syncthreads();
    for (int p = 0; p < kDepth; p++)
      for (int i = 0; i < kOwn; i++)
        for (int j = 0; j < kOwn; j++)
          sums[i][j] += rows[p][i * kEdge + threadIdx.y] * columns[p][j * kEdge + threadIdx.x];
    __syncthreads();
  }
  for (int i = 0; i < kOwn; i++)
    for (int j = 0; j < kOwn; j++) {
      const int64_t row = top + i * kEdge + threadIdx.y, column = left + j * kEdge + threadIdx.x;
      if (row < m && column < n) c[row * n + column] = static_cast<T>(sums[i][j]);
    }
}

gb_status supports(const gb_variant *, gb_case *c) {
  if (gb_axis_is(&gb, c, "dtype", "e4m3")) return gb_failf(&gb, c, GB_SKIP, "no e4m3");
  return gb_axis_within(&gb, c, "m", 1, 65535 * kTile);  // a grid has at most 65535 rows of blocks
}

template <typename T>
gb_status launch(gb_case *c) {
  const int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n"), k = gb.point->i64(c, "k");
  const dim3 grid(static_cast<unsigned>((n + kTile - 1) / kTile), static_cast<unsigned>((m + kTile - 1) / kTile));
  tiles<T><<<grid, dim3(kEdge, kEdge), 0, gb.cuda->stream(c)>>>(static_cast<const T *>(gb.tensor->data(c, "a")),
                                                                static_cast<const T *>(gb.tensor->data(c, "b")),
                                                                static_cast<T *>(gb.tensor->data(c, "c")), m, n, k);
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: %s", cudaGetErrorString(error));
}

gb_status run(const gb_variant *, gb_case *c, void *) {
  if (gb_axis_is(&gb, c, "dtype", "bf16")) return launch<__nv_bfloat16>(c);
  return gb_axis_is(&gb, c, "dtype", "fp16") ? launch<__half>(c) : launch<float>(c);
}

gb_variant make_variant() {
  gb_variant v;
  GB_CLEAR(v);
  v.name = "tiles", v.summary = "64 x 64 tiles in shared memory, no tensor cores";
  v.backend = "cuda", v.math = "native";
  v.supports = supports, v.run = run;
  return v;
}

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static const gb_variant tiles_variant = make_variant();
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/matmul/gemm/1", &tiles_variant) : status;
}

}  // namespace

extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mymatmul", "0.1.0", open_plugin);
