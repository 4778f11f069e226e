/* Variants with known differences, for tests of how often a comparison gives the right verdict: `b` is the same code as
 * `a`, and `c` takes 1% longer. In the bench `ratios`, the name of a variant says how many times as long as the
 * baseline it takes. Each value of the axis `trial` is one more comparison. The work on the CPU is real, a loop over an
 * array, because a loop that waits for the clock would take the same time in every call, unlike real work. */
#include "truth.h"

#include <gpubench/sugar.h>
#include <math.h>
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
/* Launches a kernel that takes as many nanoseconds as the axis `ns` says, plus a share of that time. `user` points to
 * the share, in thousandths. */
static gb_status spin_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const int64_t cycles = gb.point->i64(c, "ns") * 2; /* at about 2 GHz; an H200 runs at 1.98 GHz */
  const int64_t longer = cycles * *(const int64_t *)self->user / 1000;
  int rc = truth_spin(gb.tensor->data(c, "y"), cycles + longer, gb.cuda->stream(c));
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
  gb_status status = gb.tensor->input(c, "x", 0, n, values);
  for (uint64_t i = 0; i < n; i++)
    for (int k = 0; k < 8; k++)
      values[i] = values[i] * 0.9f + 0.15f;
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, values);
  free(values);
  return status;
}

/* Computes all elements of the array, and a share of them a second time. `user` points to that share, in
 * thousandths. */
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

/* ---- Streaming: y = x, and y = GELU(x) ---- */

static gb_status map_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = gb.point->i64(c, "n");
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_NORMAL, .fill_a = 0,           .fill_b = 1};
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y";
  t.role = GB_OUT;
  t.reduction = 8;
  if (status == GB_OK) status = gb.tensor->declare(c, &t);
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = 4 * (uint64_t)n, .bytes_written = 4 * (uint64_t)n};
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* Accepts y = x and y = GELU(x), because the two variants compute different results, and the tests of this bench
 * compare times only. */
static gb_status map_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  double x[1024], y[1024];
  const uint64_t n = (uint64_t)gb.point->i64(c, "n"), first = n - 1024;
  gb_status status = gb.tensor->input(c, "x", first, 1024, x);
  if (status == GB_OK) status = gb.tensor->output(c, "y", first, 1024, y);
  for (int i = 0; i < 1024 && status == GB_OK; i++) {
    const double gelu = 0.5 * x[i] * (1 + tanh(0.7978845608028654 * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
    if (fabs(y[i] - x[i]) > 1e-6 && fabs(y[i] - gelu) > 1e-5)
      return gb_failf(&gb, c, GB_EFAIL, "y[%d] is %g for x %g", i, y[i], x[i]);
  }
  return status;
}

#ifdef GPUBENCH_CUDA
static gb_status map_cuda(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  int rc = truth_map(gb.tensor->data(c, "x"), gb.tensor->data(c, "y"), gb.point->i64(c, "n"),
                     *(const int64_t *)self->user != 0, gb.cuda->stream(c));
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "launch: cudaError %d", rc);
}
#endif

static gb_status map_cpu(const gb_variant *self, gb_case *c, void *vstate) {
  (void)vstate;
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  const int64_t n = gb.point->i64(c, "n");
  const int is_gelu = *(const int64_t *)self->user != 0;
  for (int64_t i = 0; i < n; i++)
    y[i] = is_gelu ? 0.5f * x[i] * (1 + tanhf(0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]))) : x[i];
  return GB_OK;
}

static const int64_t none = 0, one_percent = 10;
#define VARIANT(label, on, function, longer, bits)                                                       \
  {                                                                                                      \
    GB_SIZE(gb_variant), .flags = bits, .name = label, .backend = on, .math = "fp32", .user = &(longer), \
                         .run = function                                                                 \
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

static const int64_t four_more = 4000, many_more = 139000;
static const gb_variant ratio_1 = VARIANT("1", "cpu", sweep_run, none, GB_VARIANT_BASELINE);
static const gb_variant ratio_same = VARIANT("same", "cpu", sweep_run, none, 0);
static const gb_variant ratio_5 = VARIANT("5", "cpu", sweep_run, four_more, 0);
static const gb_variant ratio_140 = VARIANT("140", "cpu", sweep_run, many_more, 0);

static const gb_variant map_cpu_copy = VARIANT("copy", "cpu", map_cpu, none, GB_VARIANT_BASELINE);
static const gb_variant map_cpu_gelu = VARIANT("gelu", "cpu", map_cpu, one_percent, 0);
#ifdef GPUBENCH_CUDA
static const gb_variant map_cuda_copy = VARIANT("copy", "cuda", map_cuda, none, GB_VARIANT_BASELINE);
static const gb_variant map_cuda_gelu = VARIANT("gelu", "cuda", map_cuda, one_percent, 0);
#define MAP_CUDA &map_cuda_copy, &map_cuda_gelu,
#else
#define MAP_CUDA
#endif

static const gb_axis floats = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "64k,1M,16M"};
static const gb_bench map_bench = {
    GB_SIZE(gb_bench),
    .name = "map",
    .contract = "gpubench.org/test/truth/map/1",
    .axes = (const gb_axis *const[]){&floats, NULL},
    .variants = (const gb_variant *const[]){MAP_CUDA & map_cpu_copy, &map_cpu_gelu, NULL},
    .setup = map_setup,
    .verify = map_verify};

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
static const gb_bench ratios_bench = {
    GB_SIZE(gb_bench),
    .name = "ratios",
    .contract = "gpubench.org/test/truth/ratios/1",
    .axes = (const gb_axis *const[]){&n, &trial, NULL},
    .variants = (const gb_variant *const[]){&ratio_1, &ratio_same, &ratio_5, &ratio_140, NULL},
    .setup = sweep_setup,
    .reference = sweep_reference};

static gb_status open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  if (status == GB_OK) status = host->add(host, registry, &spin_bench);
  if (status == GB_OK) status = host->add(host, registry, &sweep_bench);
  if (status == GB_OK) status = host->add(host, registry, &ratios_bench);
  return status == GB_OK ? host->add(host, registry, &map_bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "truth", .version = "1.0.0", .open = open};
