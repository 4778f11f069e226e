/* Contests whose outcome is known: `b` is `a` under another name, `c` takes 1% longer. Each value of the axis `trial`
 * is a contest of its own. On the cpu the work is real (a sweep over an array), since a loop that watches the clock
 * would repeat better than work does. */
#include "truth.h"

#include <gpubench/sugar.h>
#include <stdlib.h>

static gb_sdk gb;

static gb_status spin_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t one = 1;
  const gb_tensor y = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_I32,
                       .rank = 1,          .name = "y",    .shape = &one};
  return gb.tensor->declare(c, &y);
}

static gb_status spin_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const double one = 1;
  return gb.tensor->expect(c, "y", 0, 1, &one);
}

#ifdef GPUBENCH_CUDA
/* `user` is how much longer it takes, in thousandths. */
static gb_status spin_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  int64_t ns = gb.point->i64(c, "ns");
  ns += ns * *(const int64_t *)self->user / 1000 / 32 * 32;
  int rc = truth_spin(gb.tensor->data(c, "y"), ns, gb.cuda->stream(c));
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: cudaError %d", rc);
}
#endif

static gb_status sweep_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = gb.point->i64(c, "n");
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y";
  t.role = GB_OUT;
  t.reduction = 8;
  return status == GB_OK ? gb.tensor->declare(c, &t) : status;
}

static gb_status sweep_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const uint64_t n = (uint64_t)gb.point->i64(c, "n");
  double *values = malloc(n * sizeof *values);
  if (values == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory for %llu values", (unsigned long long)n);
  gb_status status = gb.tensor->read(c, "x", 0, n, values);
  for (uint64_t i = 0; i < n; i++)
    for (int k = 0; k < 8; k++)
      values[i] = values[i] * 0.9f + 0.15f;
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, values);
  free(values);
  return status;
}

/* `user` is how much longer it takes, in thousandths: that share of the array is done again. */
static gb_status sweep_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  const int64_t n = gb.point->i64(c, "n"), more = n * *(const int64_t *)self->user / 1000;
  for (int64_t i = 0; i < n + more; i++) {
    float v = x[i % n];
    for (int k = 0; k < 8; k++)
      v = v * 0.9f + 0.15f;
    y[i % n] = v;
  }
  return GB_OK;
}

static const int64_t none = 0, one_percent = 10;
#define VARIANT(label, on, function, longer, bits)                                    \
  {                                                                                   \
    GB_SIZE(gb_variant), .flags = bits, .name = label, .backend = on, .math = "fp32", \
                         .user = (void *)(uintptr_t) & (longer), .run = function      \
  }
#define THREE(on, function)                                                                     \
  static const gb_variant function##_a = VARIANT("a", on, function, none, GB_VARIANT_BASELINE); \
  static const gb_variant function##_b = VARIANT("b", on, function, none, 0);                   \
  static const gb_variant function##_c = VARIANT("c", on, function, one_percent, 0);            \
  static const gb_variant *const function##_all[] = {&function##_a, &function##_b, &function##_c, NULL}

THREE("cpu", sweep_run);
#ifdef GPUBENCH_CUDA
THREE("cuda", spin_run);
#else
static const gb_variant *const spin_run_all[] = {NULL};
#endif

static const gb_axis trial = {GB_SIZE(gb_axis), .type = GB_I64, .name = "trial", .values = "1"};
static const gb_axis ns = {GB_SIZE(gb_axis), .type = GB_I64, .name = "ns", .unit = "ns", .values = "20000,100000"};
static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "20000,200000"};
static const gb_bench spin_bench = {GB_SIZE(gb_bench),
                                    .name = "spin",
                                    .contract = "gpubench.org/test/truth/spin/1",
                                    .axes = (const gb_axis *const[]){&ns, &trial, NULL},
                                    .variants = spin_run_all,
                                    .setup = spin_setup,
                                    .reference = spin_reference};
static const gb_bench sweep_bench = {GB_SIZE(gb_bench),
                                     .name = "sweep",
                                     .contract = "gpubench.org/test/truth/sweep/1",
                                     .axes = (const gb_axis *const[]){&n, &trial, NULL},
                                     .variants = sweep_run_all,
                                     .setup = sweep_setup,
                                     .reference = sweep_reference};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &spin_bench);
  return status == GB_OK ? host->add(host, registry, &sweep_bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "truth", .version = "1.0.0", .open = open};
