/* z = 2x + y in two ways. To make your own: 1. name the problem and its axes; 2. declare tensors in setup; 3. state the
 * outputs in reference; 4. write run, one for all variants or one for each; 5. list it all in the tables below. */
#include <gpubench/sugar.h>
#include <stdlib.h>

static gb_sdk gb; /* the host's services */

static gb_status axpy_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  int64_t n = gb.point->i64(c, "n");
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = GB_DTYPE_F32, .rank = 1,
                 .shape = &n,        .fill = GB_FILL_NORMAL, .fill_b = 1,           .reduction = 2};
  t.name = "x", gb.tensor->declare(c, &t);
  t.name = "y", gb.tensor->declare(c, &t);
  t.name = "z", t.role = GB_OUT, gb.tensor->declare(c, &t);
  return gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .flops = 2 * (uint64_t)n, .bytes_read = 8 * (uint64_t)n,
                                      .bytes_written = 4 * (uint64_t)n});
}

static gb_status axpy_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  uint64_t n = (uint64_t)gb.point->i64(c, "n");
  double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
  if (!x || !y) return free(x), free(y), gb_failf(&gb, c, GB_ENOMEM, "reference: no memory for x and y");
  gb.tensor->input(c, "x", 0, n, x), gb.tensor->input(c, "y", 0, n, y);
  for (uint64_t i = 0; i < n; i++)
    x[i] = 2 * x[i] + y[i];
  gb_status status = gb.tensor->expect(c, "z", 0, n, x);
  return free(x), free(y), status;
}

static gb_status axpy_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const float *x = gb.tensor->data(c, "x"), *y = gb.tensor->data(c, "y");
  float *z = gb.tensor->data(c, "z");
  int64_t n = gb.point->i64(c, "n");
#pragma omp parallel for simd if (self->user != NULL)
  for (int64_t i = 0; i < n; i++)
    z[i] = 2 * x[i] + y[i];
  return GB_OK;
}

static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1M:16M:x4"};
static const gb_variant loop = GB_VARIANT("loop", "cpu", "fp32", .run = axpy_run, .flags = GB_VARIANT_BASELINE);
static const gb_variant threads = GB_VARIANT("threads", "cpu", "fp32", .run = axpy_run, .user = "all");
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "axpy",
                               .contract = "example.org/mine/axpy/1",
                               .axes = GB_LIST(gb_axis, &n),
                               .variants = GB_LIST(gb_variant, &loop, &threads),
                               .setup = axpy_setup,
                               .reference = axpy_reference};

static gb_status mine_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "mine", .version = "0.1.0", .open = mine_open};
