/* c = a b^T, a guest: a variant of matmul/gemm, which another plugin defines. `gpubench list --contract matmul/gemm`
 * prints the contract. To make it yours: 1. write every element of c in mymatmul_run; 2. let mymatmul_supports return
 * GB_SKIP for cases that it cannot run; 3. name the variant. `prepare` is for work that is done once. */
#include <gpubench/sugar.h>

enum { LANES = 16, ROWS = 2, COLUMNS = 4 }; /* computes 2 x 4 elements of c at a time, each as 16 partial sums */

static gb_sdk gb; /* the host's services */

static gb_status mymatmul_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return gb_axis_is(&gb, c, "dtype", "fp32") ? GB_OK : gb_failf(&gb, c, GB_SKIP, "fp32 only");
}

/* Computes rows x columns elements of c at `to`. It is inline so that the extents of full tiles are constants. */
static inline void tile(const float *a, const float *b, float *to, int rows, int columns, int64_t n, int64_t k) {
  float sums[ROWS][COLUMNS][LANES] = {{{0}}};
  int64_t p = 0;
  for (; p + LANES <= k; p += LANES)
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        for (int l = 0; l < LANES; l++)
          sums[i][j][l] += a[i * k + p + l] * b[j * k + p + l];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      float sum = 0;
      for (int64_t l = p; l < k; l++)
        sum += a[i * k + l] * b[j * k + l];
      for (int l = 0; l < LANES; l++)
        sum += sums[i][j][l];
      to[i * n + j] = sum;
    }
}

static gb_status mymatmul_run(const gb_variant *self, gb_case *in, void *vstate) {
  (void)self, (void)vstate;
  const float *a = gb.tensor->data(in, "a"), *b = gb.tensor->data(in, "b");
  float *c = gb.tensor->data(in, "c");
  int64_t m = gb.point->i64(in, "m"), n = gb.point->i64(in, "n"), k = gb.point->i64(in, "k");
#pragma omp parallel for
  for (int64_t j = 0; j < n; j += COLUMNS)
    for (int64_t i = 0; i < m; i += ROWS) {
      int rows = m - i < ROWS ? (int)(m - i) : ROWS, columns = n - j < COLUMNS ? (int)(n - j) : COLUMNS;
      if (rows == ROWS && columns == COLUMNS)
        tile(a + i * k, b + j * k, c + i * n + j, ROWS, COLUMNS, n, k);
      else
        tile(a + i * k, b + j * k, c + i * n + j, rows, columns, n, k);
    }
  return GB_OK;
}

static const gb_variant lanes = GB_VARIANT("lanes", "cpu", "fp32", .supports = mymatmul_supports, .run = mymatmul_run);

static gb_status mymatmul_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->attach(host, registry, "gpubench.org/matmul/gemm/1", &lanes) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mymatmul", .version = "0.1.0", .open = mymatmul_open};
