/* Sums of the rows of a matrix. The example uses most features of a bench: defaults by backend, presets, types,
 * constraints, a reference for a sample of the rows, a `verify`, several configurations of one kernel, workspace, a
 * note, and a yardstick (a variant for comparison only). ../../README.md explains each feature. */
#include <gpubench/sugar.h>
#include <math.h>
#include <stdlib.h>

static gb_sdk gb; /* the host's services */

/* ---- The problem ---- */

static gb_status rows_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "m", 1, INT64_C(1) << 20);
  return status == GB_OK ? gb_axis_within(&gb, c, "n", 1, INT64_C(1) << 20) : status;
}

static gb_status rows_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self, (void)state;
  int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n"), shape[] = {m, n};
  uint32_t dtype = gb_dtype_named(gb.point->str(c, "dtype"));
  gb_tensor x = {GB_SIZE(gb_tensor), .name = "x", .role = GB_IN, .dtype = dtype, .rank = 2, .shape = shape};
  /* values around 1, so that positive and negative terms do not cancel */
  x.fill = GB_FILL_NORMAL, x.fill_a = 1, x.fill_b = 1;
  gb_tensor y = {GB_SIZE(gb_tensor), .name = "y", .role = GB_OUT, .dtype = dtype, .rank = 1, .shape = &m};
  y.reduction = (uint64_t)n; /* number of terms in a sum, from which the host derives the tolerance */
  gb.tensor->declare(c, &x), gb.tensor->declare(c, &y);
  gb_work work = {GB_SIZE(gb_work), .flops = (uint64_t)(m * n), .items = (uint64_t)m, .item_unit = "rows"};
  work.bytes_read = (uint64_t)(m * n) * gb_dtype_bytes(dtype), work.bytes_written = (uint64_t)m * gb_dtype_bytes(dtype);
  return gb.point->work(c, &work);
}

enum { SAMPLED = 1000 };

/* Gives the host the expected sums of up to 1000 rows: the first, the last, and random ones that differ in every
 * comparison. */
static gb_status rows_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n"), count = m < SAMPLED ? m : SAMPLED;
  double *row = malloc((size_t)n * sizeof *row);
  gb_status status = row != NULL ? GB_OK : gb_failf(&gb, c, GB_ENOMEM, "no memory for a row");
  for (int64_t i = 0; i < count && status == GB_OK; i++) {
    int64_t r = gb_sampled(&gb, c, 0, i, count, m);
    double sum = 0;
    status = gb.tensor->input(c, "x", (uint64_t)(r * n), (uint64_t)n, row);
    for (int64_t j = 0; j < n; j++)
      sum += row[j];
    if (status == GB_OK) status = gb.tensor->expect(c, "y", (uint64_t)r, 1, &sum);
  }
  return free(row), status;
}

/* Checks all rows. The n values of a row lie within 3.47 of 1, so that a sum must lie within 3.47 n of n. */
static gb_status rows_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  uint64_t m = (uint64_t)gb.point->i64(c, "m");
  double n = (double)gb.point->i64(c, "n"), *y = malloc(m * sizeof *y);
  gb_status status = y != NULL ? gb.tensor->output(c, "y", 0, m, y) : gb_failf(&gb, c, GB_ENOMEM, "no memory for y");
  for (uint64_t i = 0; i < m && status == GB_OK; i++)
    if (!(fabs(y[i] - n) <= 3.5 * n))
      status = gb_failf(&gb, c, GB_EFAIL, "row %llu sums to %g, of %g values", (unsigned long long)i, y[i], n);
  return free(y), status;
}

/* ---- The variants ---- */

/* A configuration of the kernel: `lanes` independent sums. */
struct config {
  int64_t lanes;
};

static gb_status sums_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct config *config = self->user;
  *vstate = gb.mem->alloc(c, GB_MEM_HOST, (uint64_t)config->lanes * sizeof(double)); /* freed by the host */
  if (*vstate == NULL) return GB_ENOMEM;
  return gb_notef(&gb, c, "sums", "%d side by side", (int)config->lanes);
}

static gb_status sums_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct config *config = self->user;
  const int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n"), lanes = config->lanes;
  const int single = gb.tensor->dtype(c, "x") == GB_DTYPE_F32;
  const float *x = gb.tensor->data(c, "x");
  const double *x64 = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  double *y64 = gb.tensor->data(c, "y"), *sums = vstate;
  for (int64_t i = 0; i < m; i++) {
    double sum = 0;
    for (int64_t l = 0; l < lanes; l++)
      sums[l] = 0;
    for (int64_t j = 0; j < n; j += lanes)
      for (int64_t l = 0; l < lanes && j + l < n; l++)
        sums[l] += single ? (double)x[i * n + j + l] : x64[i * n + j + l];
    for (int64_t l = 0; l < lanes; l++)
      sum += sums[l];
    if (single)
      y[i] = (float)sum;
    else
      y64[i] = sum;
  }
  return GB_OK;
}

static gb_status sums_supports(const gb_variant *self, gb_case *c) {
  const struct config *config = self->user;
  return gb_axis_within(&gb, c, "n", config->lanes, INT64_MAX);
}

#define SUMS GB_SIZE(gb_variant), .backend = "cpu", .math = "native", .supports = sums_supports, .prepare = sums_prepare

static const struct config one = {1}, four = {4}, sixteen = {16};
static const gb_variant v1 = {SUMS, .run = sums_run, .name = "lanes-1", .user = &one, .flags = GB_VARIANT_BASELINE};
static const gb_variant v4 = {SUMS, .run = sums_run, .name = "lanes-4", .user = &four};
static const gb_variant v16 = {SUMS, .run = sums_run, .name = "lanes-16", .user = &sixteen};

/* The yardstick, a variant for comparison only: reads all of x and computes next to nothing, so that its time is a
 * lower limit for the others. */
static gb_status read_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self, (void)vstate;
  const int64_t m = gb.point->i64(c, "m"), each = gb.tensor->dtype(c, "x") == GB_DTYPE_F32 ? 1 : 2;
  const int64_t words = gb.point->i64(c, "n") * each;
  const uint32_t *x = gb.tensor->data(c, "x");
  uint32_t *y = gb.tensor->data(c, "y");
  for (int64_t i = 0; i < m; i++) {
    uint32_t bits = 0;
    for (int64_t j = 0; j < words; j++)
      bits ^= x[i * words + j];
    for (int64_t j = 0; j < each; j++)
      y[i * each + j] = bits;
  }
  return GB_OK;
}

static const gb_variant reads = GB_VARIANT("read", "cpu", "native", .run = read_run, .flags = GB_VARIANT_YARDSTICK);

/* ---- The tables ---- */

static const gb_axis_default m_cuda = {GB_SIZE(gb_axis_default), .backend = "cuda", .values = "16k"};
static const gb_axis m = {GB_SIZE(gb_axis), .type = GB_I64,  .name = "m",
                          .unit = "rows",   .values = "256", .defaults = GB_LIST(gb_axis_default, &m_cuda)};
static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1k:4k:x2", .summary = "row length"};
static const gb_axis dtype = {GB_SIZE(gb_axis), .type = GB_STR, .name = "dtype", .choices = "fp32,fp64",
                              .values = "fp32"};

static const gb_preset gpt2 = {GB_SIZE(gb_preset), .name = "gpt2", .point = "m=1024,n=768", .backends = "cuda,cpu"};
static const gb_preset odd = {GB_SIZE(gb_preset), .name = "odd", .point = "m=333,n=777,dtype=fp64", .backends = "cpu"};
static const gb_preset huge = {GB_SIZE(gb_preset), .name = "huge", .point = "m=64k,n=4k"}; /* by name only */

static const gb_bench bench = {
    GB_SIZE(gb_bench),
    .name = "sum",
    .contract = "example.org/myrows/sum/1",
    .summary = "the sum of every row",
    .axes = GB_LIST(gb_axis, &m, &n, &dtype),
    .presets = GB_LIST(gb_preset, &gpt2, &odd, &huge),
    .variants = GB_LIST(gb_variant, &v1, &v4, &v16, &reads),
    .supports = rows_supports,
    .setup = rows_setup,
    .reference = rows_reference,
    .verify = rows_verify,
};

static gb_status myrows_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "myrows", .version = "0.1.0", .open = myrows_open};
