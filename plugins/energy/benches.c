/* The benches (computations) of the plugin energy: which sizes they support, their tensors, and the references (the
 * expected outputs). The variants, which implement them, are in plugin.c. */
#include "benches.h"

#include <stdlib.h>
#include <string.h>

#include "kernels.h"

gb_sdk energy_gb;
#define gb energy_gb

#define SAMPLES 64 /* most segments of an output that are compared with expected values */
#define SEGMENT_BYTES ((int64_t)ENERGY_SEGMENT * 4)

static int64_t energy_axis(gb_case *c, const char *name) {
  return gb.point->i64(c, name);
}

/* Returns GB_SKIP unless the value of the axis `name` is a multiple of `step` in [step, max]. */
static gb_status check_energy_axis(gb_case *c, const char *name, int64_t step, int64_t max) {
  const int64_t value = energy_axis(c, name);
  if (value >= step && value <= max && value % step == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "%s is %lld: must be a multiple of %lld, from %lld to %lld", name, (long long)value,
                  (long long)step, (long long)step, (long long)max);
}

static int64_t fewer_segments(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static gb_status energy_no_memory(gb_case *c) {
  return gb_failf(&gb, c, GB_ENOMEM, "no host memory for the reference");
}

static gb_status declare_energy_in(gb_case *c, const char *name, uint32_t rank, const int64_t *shape, uint32_t fill,
                                   const double *parameters) {
  const gb_tensor tensor = {GB_SIZE(gb_tensor), .role = GB_IN, .dtype = GB_DTYPE_F32,   .rank = rank,
                            .name = name,       .fill = fill,  .fill_a = parameters[0], .fill_b = parameters[1],
                            .shape = shape};
  return gb.tensor->declare(c, &tensor);
}

static gb_status declare_energy_out(gb_case *c, uint32_t dtype, uint32_t rank, const int64_t *shape,
                                    int64_t reduction) {
  const gb_tensor tensor = {GB_SIZE(gb_tensor),
                            .role = GB_OUT,
                            .dtype = dtype,
                            .rank = rank,
                            .name = "y",
                            .shape = shape,
                            .reduction = (uint64_t)reduction};
  return gb.tensor->declare(c, &tensor);
}

/* ---- copy and job ----------------------------------------------------------------------------------------------- */

gb_status energy_bytes_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return check_energy_axis(c, "bytes", SEGMENT_BYTES, INT32_MAX * SEGMENT_BYTES);
}

static gb_status declare_arrays(gb_case *c, uint64_t flops_each, int64_t reduction) {
  static const double range[] = {-1.0, 1.0625}; /* the mean is not 0: sums near 0 would have large relative errors */
  const int64_t floats[] = {energy_axis(c, "bytes") / 4};
  const gb_work work = {GB_SIZE(gb_work), .flops = flops_each * (uint64_t)floats[0],
                        .bytes_read = 4 * (uint64_t)floats[0], .bytes_written = 4 * (uint64_t)floats[0]};
  gb_status status = declare_energy_in(c, "x", 1, floats, GB_FILL_UNIFORM, range);
  if (status == GB_OK) status = declare_energy_out(c, GB_DTYPE_F32, 1, floats, reduction);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

gb_status energy_copy_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  return declare_arrays(c, 0, 1);
}

gb_status energy_job_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  return declare_arrays(c, 4, 3);
}

/* Computes the expected outputs of a segment. `x` has `count` floats: those of the segment and, where they exist, one
 * neighbour on each side. `from` is 1 if x begins with the neighbour before the segment, else 0. */
static void smoothed(double *y, const double *x, int64_t from, int64_t count) {
  for (int64_t i = 0; i < ENERGY_SEGMENT; i++) {
    const int64_t at = i + from;
    const double left = x[at == 0 ? 0 : at - 1], right = x[at == count - 1 ? at : at + 1];
    y[i] = 0.5 * x[at] + 0.25 * (left + right);
  }
}

static gb_status expect_segment(gb_case *c, int64_t segment, int64_t total, int smooths, double *memory) {
  const int64_t start = segment * ENERGY_SEGMENT, from = segment > 0, to = segment + 1 < total;
  const int64_t count = from + ENERGY_SEGMENT + to;
  double *x = memory, *y = memory + ENERGY_SEGMENT + 2;
  const gb_status status = gb.tensor->input(c, "x", (uint64_t)(start - from), (uint64_t)count, x);
  if (status != GB_OK) return status;
  if (smooths)
    smoothed(y, x, from, count);
  else
    y = x + from;
  return gb.tensor->expect(c, "y", (uint64_t)start, ENERGY_SEGMENT, y);
}

/* Passes the expected values of a sample of segments to gpubench, which compares y with them. A sample is enough to
 * compare, because gpubench also checks that every element was written. */
static gb_status expect_energy_segments(gb_case *c, int smooths) {
  const int64_t total = energy_axis(c, "bytes") / SEGMENT_BYTES, count = fewer_segments(total, SAMPLES);
  double *memory = malloc((2 * ENERGY_SEGMENT + 2) * sizeof *memory);
  gb_status status = GB_OK;
  if (memory == NULL) return energy_no_memory(c);
  for (int64_t i = 0; i < count && status == GB_OK; i++)
    status = expect_segment(c, gb_sampled(&gb, c, 1, i, count, total), total, smooths, memory);
  free(memory);
  return status;
}

gb_status energy_copy_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  return expect_energy_segments(c, 0);
}

gb_status energy_job_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  return expect_energy_segments(c, 1);
}

/* ---- gemm and data ---------------------------------------------------------------------------------------------- */

#define FULL 512 /* up to this n, the reference covers all elements */
#define SAMPLE_ROWS 24

gb_status energy_gemm_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return check_energy_axis(c, "n", 16, 1 << 16);
}

gb_status energy_gemm_setup(const gb_bench *self, gb_case *c, void **state) {
  const int zeros = self->user != NULL && strcmp(gb.point->str(c, "data"), "zeros") == 0;
  const double normal[] = {0.0, zeros ? 0.0 : 1.0};
  const int64_t n = energy_axis(c, "n"), shape[] = {n, n};
  const uint64_t elements = (uint64_t)(n * n);
  const gb_work work = {GB_SIZE(gb_work), .flops = 2 * elements * (uint64_t)n};
  (void)state;
  gb_status status = declare_energy_in(c, "a", 2, shape, GB_FILL_NORMAL, normal);
  if (status == GB_OK) status = declare_energy_in(c, "b", 2, shape, GB_FILL_NORMAL, normal);
  if (status == GB_OK) status = declare_energy_out(c, GB_DTYPE_F32, 2, shape, n);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static double dot_product(const double *a, const double *b, int64_t count) {
  double sum[4] = {0, 0, 0, 0};
  for (int64_t i = 0; i < count; i += 4)
    for (int u = 0; u < 4; u++)
      sum[u] += a[i + u] * b[i + u];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Expected values are passed to gpubench SEGMENT elements at a time, because it compares an error with the magnitude of
 * the values that were passed in the same call. */
#define SEGMENT 64
#define SAMPLE_SEGMENTS 8

struct sample {
  int64_t n, row_count, segment_count, width;
  double *rows, *columns;
};

static gb_status expect_columns(gb_case *c, const struct sample *s, int64_t j) {
  const int64_t first = gb_sampled(&gb, c, 3, j, s->segment_count, s->n / s->width) * s->width;
  double values[SEGMENT];
  gb_status status = gb.tensor->input(c, "b", (uint64_t)(first * s->n), (uint64_t)(s->width * s->n), s->columns);
  for (int64_t i = 0; i < s->row_count && status == GB_OK; i++) {
    const int64_t row = gb_sampled(&gb, c, 2, i, s->row_count, s->n);
    for (int64_t u = 0; u < s->width; u++)
      values[u] = dot_product(s->rows + i * s->n, s->columns + u * s->n, s->n);
    status = gb.tensor->expect(c, "y", (uint64_t)(row * s->n + first), (uint64_t)s->width, values);
  }
  return status;
}

static gb_status expect_products(gb_case *c, const struct sample *s) {
  gb_status status = GB_OK;
  for (int64_t i = 0; i < s->row_count && status == GB_OK; i++)
    status = gb.tensor->input(c, "a", (uint64_t)(gb_sampled(&gb, c, 2, i, s->row_count, s->n) * s->n), (uint64_t)s->n,
                              s->rows + i * s->n);
  for (int64_t j = 0; j < s->segment_count && status == GB_OK; j++)
    status = expect_columns(c, s, j);
  return status;
}

gb_status energy_gemm_reference(const gb_bench *self, gb_case *c, void *state) {
  const int64_t n = energy_axis(c, "n"), width = n % SEGMENT == 0 ? SEGMENT : 16;
  const int all = n <= FULL;
  struct sample s = {n, all ? n : SAMPLE_ROWS, all ? n / width : SAMPLE_SEGMENTS, width, NULL, NULL};
  (void)self;
  (void)state;
  s.rows = malloc((size_t)(s.row_count * n) * sizeof *s.rows);
  s.columns = malloc((size_t)(width * n) * sizeof *s.columns);
  const gb_status status = s.rows == NULL || s.columns == NULL ? energy_no_memory(c) : expect_products(c, &s);
  free(s.rows);
  free(s.columns);
  return status;
}

/* ---- small ------------------------------------------------------------------------------------------------------ */

static const int64_t ring_shape[] = {ENERGY_RING};
static const double above_zero[] = {0.5, 1.5};

gb_status energy_small_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return check_energy_axis(c, "steps", 1, 4096);
}

gb_status energy_small_setup(const gb_bench *self, gb_case *c, void **state) {
  const int64_t steps = energy_axis(c, "steps");
  const gb_work work = {GB_SIZE(gb_work), .items = (uint64_t)steps, .item_unit = "steps"};
  (void)self;
  (void)state;
  gb_status status = declare_energy_in(c, "x", 1, ring_shape, GB_FILL_UNIFORM, above_zero);
  if (status == GB_OK) status = declare_energy_out(c, GB_DTYPE_F32, 1, ring_shape, steps);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

gb_status energy_small_reference(const gb_bench *self, gb_case *c, void *state) {
  double ring[ENERGY_RING];
  const int64_t steps = energy_axis(c, "steps");
  (void)self;
  (void)state;
  const gb_status status = gb.tensor->input(c, "x", 0, ENERGY_RING, ring);
  if (status != GB_OK) return status;
  for (int64_t s = 0; s < steps; s++) {
    const double first = ring[0];
    for (int i = 0; i < ENERGY_RING; i++)
      ring[i] = 0.5 * (ring[i] + (i + 1 < ENERGY_RING ? ring[i + 1] : first));
  }
  return gb.tensor->expect(c, "y", 0, ENERGY_RING, ring);
}

/* ---- idle and selftest ------------------------------------------------------------------------------------------ */

gb_status energy_idle_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return check_energy_axis(c, "ms", 1, 1000);
}

gb_status energy_idle_setup(const gb_bench *self, gb_case *c, void **state) {
  const int64_t shape[] = {1};
  (void)self;
  (void)state;
  return declare_energy_out(c, GB_DTYPE_I32, 1, shape, 1);
}

gb_status energy_idle_reference(const gb_bench *self, gb_case *c, void *state) {
  const double one = 1.0;
  (void)self;
  (void)state;
  return gb.tensor->expect(c, "y", 0, 1, &one);
}

gb_status energy_selftest_supports(const gb_bench *self, gb_case *c) {
  const double duty = gb.point->f64(c, "duty");
  (void)self;
  const gb_status status = energy_axis(c, "period_ms") == 0 ? GB_OK : check_energy_axis(c, "period_ms", 1, 1000);
  if (status != GB_OK || (duty >= 0.01 && duty <= 0.9)) return status;
  return gb_failf(&gb, c, GB_SKIP, "duty is %g: must be 0.01 to 0.9, so that a burst ends before the next", duty);
}

gb_status energy_selftest_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t shape[] = {ENERGY_LANES};
  (void)self;
  (void)state;
  const gb_status status = declare_energy_in(c, "x", 1, shape, GB_FILL_UNIFORM, above_zero);
  return status == GB_OK ? declare_energy_out(c, GB_DTYPE_F32, 1, shape, 1) : status;
}

gb_status energy_selftest_reference(const gb_bench *self, gb_case *c, void *state) {
  double *values = malloc(ENERGY_LANES * sizeof *values);
  (void)self;
  (void)state;
  if (values == NULL) return energy_no_memory(c);
  gb_status status = gb.tensor->input(c, "x", 0, ENERGY_LANES, values);
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, ENERGY_LANES, values);
  free(values);
  return status;
}

void energy_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  (void)state;
  energy_cpu_stop_threads();
}
