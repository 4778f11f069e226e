// c = a b^T in C++11, a guest of matmul/gemm, that is a variant of a bench that another plugin defines.
// `gpubench list --contract matmul/gemm` prints what a variant must compute. To make it yours: 1. write every element
// of c in `run`; 2. let `supports` return GB_SKIP for cases that it cannot run; 3. name the variant. Put work that is
// done once into a `prepare`. For another kernel, add another gb_variant and attach it, too.
#include <gpubench/sugar.h>

#include <algorithm>

namespace {

gb_sdk gb;  // the host's services

gb_status supports(const gb_variant *, gb_case *c) {
  return gb_axis_is(&gb, c, "dtype", "fp32") ? GB_OK : gb_failf(&gb, c, GB_SKIP, "fp32 only");
}

// The dot product of two rows, in 16 independent sums.
float dot(const float *a, const float *b, int64_t k) {
  const int64_t lanes = 16;
  float sums[lanes] = {}, sum = 0;
  int64_t p = 0;
  for (; p + lanes <= k; p += lanes)
    for (int64_t l = 0; l < lanes; l++)
      sums[l] += a[p + l] * b[p + l];
  for (; p < k; p++)
    sum += a[p] * b[p];
  for (float each : sums)
    sum += each;
  return sum;
}

gb_status run(const gb_variant *, gb_case *in, void *) {
  const float *a = static_cast<const float *>(gb.tensor->data(in, "a"));
  const float *b = static_cast<const float *>(gb.tensor->data(in, "b"));
  float *c = static_cast<float *>(gb.tensor->data(in, "c"));
  const int64_t m = gb.point->i64(in, "m"), n = gb.point->i64(in, "n"), k = gb.point->i64(in, "k"), block = 32;
#pragma omp parallel for
  for (int64_t left = 0; left < n; left += block)  // a block of rows of b stays in the cache
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = left; j < std::min(n, left + block); j++)
        c[i * n + j] = dot(a + i * k, b + j * k, k);
  return GB_OK;
}

gb_variant make_variant() {
  gb_variant v;
  GB_CLEAR(v);
  v.name = "rows", v.summary = "row by row, 32 rows of b at a time";
  v.backend = "cpu", v.math = "native";
  v.supports = supports, v.run = run;
  return v;
}

gb_status open_plugin(const gb_host *host, gb_registry *registry, void **) {
  static const gb_variant rows = make_variant();
  const gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/matmul/gemm/1", &rows) : status;
}

}  // namespace

extern "C" GB_EXPORT const gb_plugin gb_plugin_v1 = GB_PLUGIN_INIT("mymatmul", "0.1.0", open_plugin);
