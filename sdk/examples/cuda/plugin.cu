// z = 2x + y on a GPU: tables and kernels in one file. To make it yours: 1. name the problem and its axes in
// `open_plugin`; 2. declare tensors and work in `setup`; 3. state the right outputs in `reference`; 4. write a kernel
// and a `run` that only launches it, once per variant; 5. list the variants in `open_plugin`.
#include <gpubench/sugar.h>

#include <new>
#include <vector>

namespace {

gb_sdk gb;  // the host's services

// ---- The problem ----

gb_status setup(const gb_bench *, gb_case *c, void **) {
  const int64_t n = gb.point->i64(c, "n");
  gb_tensor t;
  GB_CLEAR(t);
  t.role = GB_IN, t.dtype = GB_DTYPE_F32, t.rank = 1, t.shape = &n;
  t.fill = GB_FILL_NORMAL, t.fill_b = 1, t.reduction = 2;
  t.name = "x", gb.tensor->declare(c, &t);
  t.name = "y", gb.tensor->declare(c, &t);
  t.name = "z", t.role = GB_OUT, gb.tensor->declare(c, &t);
  gb_work work;
  GB_CLEAR(work);
  work.flops = 2 * static_cast<uint64_t>(n);
  work.bytes_read = 8 * static_cast<uint64_t>(n), work.bytes_written = 4 * static_cast<uint64_t>(n);
  return gb.point->work(c, &work);
}

gb_status reference(const gb_bench *, gb_case *c, void *) try {
  const size_t n = static_cast<size_t>(gb.point->i64(c, "n"));
  std::vector<double> x(n), z(n);
  gb.tensor->input(c, "x", 0, n, x.data());
  gb.tensor->input(c, "y", 0, n, z.data());
  for (size_t i = 0; i < n; i++)
    z[i] += 2 * x[i];
  return gb.tensor->expect(c, "z", 0, n, z.data());
} catch (const std::bad_alloc &) {
  return gb_failf(&gb, c, GB_ENOMEM, "reference: no memory");
}

// ---- Timed code ----

__global__ void axpy(const float *x, const float *y, float *z, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) z[i] = 2 * x[i] + y[i];
}

__global__ void axpy4(const float4 *x, const float4 *y, float4 *z, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 a = x[i], b = y[i];
  z[i] = make_float4(2 * a.x + b.x, 2 * a.y + b.y, 2 * a.z + b.z, 2 * a.w + b.w);
}

const unsigned threads = 256;

unsigned blocks(int64_t items) {
  return static_cast<unsigned>((items + threads - 1) / threads);
}

gb_status launched(gb_case *c) {
  const cudaError_t error = cudaGetLastError();
  return error == cudaSuccess ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: %s", cudaGetErrorString(error));
}

gb_status run_plain(const gb_variant *, gb_case *c, void *) {
  const int64_t n = gb.point->i64(c, "n");
  axpy<<<blocks(n), threads, 0, gb.cuda->stream(c)>>>(static_cast<const float *>(gb.tensor->data(c, "x")),
                                                      static_cast<const float *>(gb.tensor->data(c, "y")),
                                                      static_cast<float *>(gb.tensor->data(c, "z")), n);
  return launched(c);
}

gb_status supports_vector(const gb_variant *, gb_case *c) {
  return gb.point->i64(c, "n") % 4 == 0 ? GB_OK : gb_failf(&gb, c, GB_SKIP, "n is no multiple of 4");
}

gb_status run_vector(const gb_variant *, gb_case *c, void *) {
  const int64_t n = gb.point->i64(c, "n") / 4;
  axpy4<<<blocks(n), threads, 0, gb.cuda->stream(c)>>>(static_cast<const float4 *>(gb.tensor->data(c, "x")),
                                                       static_cast<const float4 *>(gb.tensor->data(c, "y")),
                                                       static_cast<float4 *>(gb.tensor->data(c, "z")), n);
  return launched(c);
}

// ---- The tables ----

gb_variant variant(const char *name, uint32_t flags) {
  gb_variant v;
  GB_CLEAR(v);
  v.name = name, v.flags = flags, v.backend = "cuda", v.math = "fp32";
  return v;
}

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static gb_axis n;
  GB_CLEAR(n);
  n.type = GB_I64, n.name = "n", n.values = "1M:64M:x8";
  static gb_variant plain = variant("plain", GB_VARIANT_BASELINE), vector = variant("vector", 0);
  plain.run = run_plain;
  vector.run = run_vector, vector.supports = supports_vector;
  static const gb_axis *const axes[] = {&n, nullptr};
  static const gb_variant *const variants[] = {&plain, &vector, nullptr};
  static gb_bench bench;
  GB_CLEAR(bench);
  bench.name = "axpy", bench.contract = "example.org/mycuda/axpy/1";
  bench.axes = axes, bench.variants = variants;
  bench.setup = setup, bench.reference = reference;
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

}  // namespace

// The one symbol that the host looks for. It is a constant, so that it exists before any code of the plugin runs.
extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mycuda", "0.1.0", open_plugin);
