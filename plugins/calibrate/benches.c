/* The benches (computations) of the plugin calibrate: which sizes they support, their tensors, and the references (the
 * expected outputs). The variants, which implement them, are in plugin.c. */
#include "benches.h"

#include <math.h>
#include <stdlib.h>

#include "kernels.h"

gb_sdk calibrate_gb;
#define gb calibrate_gb

#define MAX_SAMPLES 64 /* most segments, or blocks of lanes, of an output that are compared with expected values */
#define MAX_TILES 8

static int64_t calibrate_axis(gb_case *c, const char *name) {
  return gb.point->i64(c, name);
}

/* Returns GB_SKIP unless the value of the axis `name` is a multiple of `step` in [step, max]. */
static gb_status check_calibrate_axis(gb_case *c, const char *name, int64_t step, int64_t max) {
  const int64_t value = calibrate_axis(c, name);
  if (value >= step && value <= max && value % step == 0) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "%s is %lld: must be a multiple of %lld, from %lld to %lld", name, (long long)value,
                  (long long)step, (long long)step, (long long)max);
}

static int64_t sampled_segments(int64_t total, int64_t most) {
  return total < most ? total : most;
}

static gb_status calibrate_no_memory(gb_case *c) {
  return gb_failf(&gb, c, GB_ENOMEM, "no host memory for the reference");
}

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

static gb_status declare_calibrate_in(gb_case *c, const char *name, uint32_t dtype, uint32_t rank, const int64_t *shape,
                                      double from, double to) {
  const gb_tensor tensor = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = dtype, .rank = rank, .name = name,
                            .shape = shape,     .fill = GB_FILL_UNIFORM, .fill_a = from, .fill_b = to};
  return gb.tensor->declare(c, &tensor);
}

static gb_status declare_calibrate_out(gb_case *c, uint32_t dtype, uint32_t rank, const int64_t *shape,
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

/* Declares the output y of a bench that only moves values: y must be exactly equal to what is expected, without a
 * tolerance. */
static gb_status declare_moved(gb_case *c, const int64_t *floats) {
  const gb_tensor tensor = {GB_SIZE(gb_tensor), .role = GB_OUT,  .dtype = GB_DTYPE_F32,    .rank = 1,
                            .name = "y",        .shape = floats, .flags = GB_TENSOR_EXACT, .reduction = 1};
  return gb.tensor->declare(c, &tensor);
}

static gb_status state_bytes(gb_case *c, int64_t read, int64_t written) {
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = (uint64_t)read, .bytes_written = (uint64_t)written};
  return gb.point->work(c, &work);
}

static gb_status state_flops(gb_case *c, int64_t flops) {
  const gb_work work = {GB_SIZE(gb_work), .flops = (uint64_t)flops};
  return gb.point->work(c, &work);
}

/* ---- empty and spin -------------------------------------------------------------------------------------------- */

static int is_cpu(gb_case *c) {
  const char *backend = gb.device->str(c, "backend");
  return backend != NULL && backend[0] == 'c' && backend[1] == 'p';
}

/* Returns GB_SKIP unless the axis `grid`, the number of blocks, is between 1 and `max` on a GPU, and 1 on the CPU,
 * which runs one thread. For the bench "spin", `max` is 16 blocks per multiprocessor: so many blocks of one warp are
 * resident at once. */
static gb_status check_grid(gb_case *c, int64_t max) {
  return check_calibrate_axis(c, "grid", 1, is_cpu(c) ? 1 : max);
}

/* Returns GB_SKIP unless the device supports the shape of the launch (parameters, shared memory, cluster). The CPU,
 * which has no launches, supports only the default. */
static gb_status check_launch(gb_case *c) {
  const int64_t params = calibrate_axis(c, "params"), shared = calibrate_axis(c, "shared"),
                cluster = calibrate_axis(c, "cluster");
  const int64_t most = gb.device->i64(c, "shared_memory_per_block_bytes");
  const int64_t clusters = gb.device->i64(c, "compute_capability") >= 90 ? 8 : 1;
  if (is_cpu(c) && (params != 8 || shared != 0 || cluster != 1))
    return gb_failf(&gb, c, GB_SKIP, "a call has no parameters, shared memory or clusters to choose");
  if (params != 8 && params != 4096)
    return gb_failf(&gb, c, GB_SKIP, "params is %lld: there are 8 and 4096", (long long)params);
  if (!is_cpu(c) && (shared < 0 || shared > most))
    return gb_failf(&gb, c, GB_SKIP, "shared is %lld: from 0 to %lld", (long long)shared, (long long)most);
  if (cluster < 1 || cluster > clusters || calibrate_axis(c, "grid") % cluster != 0)
    return gb_failf(&gb, c, GB_SKIP, "cluster is %lld: from 1 to %lld, and grid a multiple of it", (long long)cluster,
                    (long long)clusters);
  return GB_OK;
}

gb_status empty_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const gb_status status = check_launch(c);
  return status == GB_OK ? check_grid(c, INT32_MAX) : status;
}

gb_status empty_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t shape[] = {1};
  return declare_calibrate_out(c, GB_DTYPE_I32, 1, shape, 1);
}

gb_status empty_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const double one = 1.0;
  return gb.tensor->expect(c, "y", 0, 1, &one);
}

gb_status spin_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const int64_t units = gb.device->i64(c, "sm_count");
  const gb_status status = check_calibrate_axis(c, "ns", 32, 1000000000 / 32 * 32);
  return status == GB_OK ? check_grid(c, units > 0 ? 16 * units : 1) : status;
}

gb_status spin_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t shape[] = {calibrate_axis(c, "grid")};
  return declare_calibrate_out(c, GB_DTYPE_I32, 1, shape, 1);
}

/* Checks that each block spun at least as long as asked. There is no upper limit, because time goes on while a busy
 * machine does something else. */
gb_status spin_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t grid = calibrate_axis(c, "grid");
  const double ns = (double)calibrate_axis(c, "ns");
  for (int64_t i = 0; i < grid; i++) {
    double spent = 0.0;
    const gb_status status = gb.tensor->output(c, "y", (uint64_t)i, 1, &spent);
    if (status != GB_OK) return status;
    if (!(spent >= ns))
      return gb_failf(&gb, c, GB_EFAIL, "block %lld spent %.0f ns: must be at least %.0f", (long long)i, spent, ns);
  }
  return GB_OK;
}

/* ---- read, write, copy ----------------------------------------------------------------------------------------- */

#define SEGMENT_BYTES ((int64_t)CALIBRATE_SEGMENT * 4)

gb_status bytes_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  return check_calibrate_axis(c, "bytes", SEGMENT_BYTES, INT32_MAX * SEGMENT_BYTES);
}

/* Declares the tensors, and the bytes that a call reads and writes. The mean of x is not 0, so that sums are not near
 * zero, where an error relative to the norm means little; it is small, so that a sum without one of its elements is
 * detected. */
gb_status read_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t bytes = calibrate_axis(c, "bytes");
  const int64_t floats[] = {bytes / 4};
  const int64_t segments[] = {bytes / SEGMENT_BYTES};
  gb_status status = declare_calibrate_in(c, "x", GB_DTYPE_F32, 1, floats, -1.0, 1.0625);
  if (status == GB_OK) status = declare_calibrate_out(c, GB_DTYPE_F32, 1, segments, CALIBRATE_SEGMENT);
  return status == GB_OK ? state_bytes(c, bytes, segments[0] * 4) : status;
}

gb_status write_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t bytes = calibrate_axis(c, "bytes");
  const int64_t floats[] = {bytes / 4};
  const gb_status status = declare_moved(c, floats);
  return status == GB_OK ? state_bytes(c, 0, bytes) : status;
}

gb_status copy_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t bytes = calibrate_axis(c, "bytes");
  const int64_t floats[] = {bytes / 4};
  gb_status status = declare_calibrate_in(c, "x", GB_DTYPE_F32, 1, floats, -1.0, 1.0);
  if (status == GB_OK) status = declare_moved(c, floats);
  return status == GB_OK ? state_bytes(c, bytes, bytes) : status;
}

static gb_status expect_sum(gb_case *c, int64_t segment, double *values) {
  const uint64_t start = (uint64_t)segment * CALIBRATE_SEGMENT;
  const gb_status status = gb.tensor->input(c, "x", start, CALIBRATE_SEGMENT, values);
  if (status != GB_OK) return status;
  double sum = 0.0;
  for (int i = 0; i < CALIBRATE_SEGMENT; i++)
    sum += values[i];
  return gb.tensor->expect(c, "y", (uint64_t)segment, 1, &sum);
}

static gb_status expect_value(gb_case *c, int64_t segment, double *values) {
  for (int i = 0; i < CALIBRATE_SEGMENT; i++)
    values[i] = (double)CALIBRATE_VALUE;
  return gb.tensor->expect(c, "y", (uint64_t)segment * CALIBRATE_SEGMENT, CALIBRATE_SEGMENT, values);
}

static gb_status expect_same(gb_case *c, int64_t segment, double *values) {
  const uint64_t start = (uint64_t)segment * CALIBRATE_SEGMENT;
  const gb_status status = gb.tensor->input(c, "x", start, CALIBRATE_SEGMENT, values);
  return status == GB_OK ? gb.tensor->expect(c, "y", start, CALIBRATE_SEGMENT, values) : status;
}

/* Passes the expected values of a sample of segments to gpubench, which compares y with them. A sample is enough to
 * compare, because gpubench also checks that every element was written. */
static gb_status expect_calibrate_segments(gb_case *c,
                                           gb_status (*expect)(gb_case *c, int64_t segment, double *values)) {
  const int64_t total = calibrate_axis(c, "bytes") / SEGMENT_BYTES;
  const int64_t count = sampled_segments(total, MAX_SAMPLES);
  double *values = malloc(CALIBRATE_SEGMENT * sizeof *values);
  if (values == NULL) return calibrate_no_memory(c);
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i++)
    status = expect(c, gb_sampled(&gb, c, 1, i, count, total), values);
  free(values);
  return status;
}

gb_status read_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  return expect_calibrate_segments(c, expect_sum);
}

gb_status write_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  return expect_calibrate_segments(c, expect_value);
}

gb_status copy_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  return expect_calibrate_segments(c, expect_same);
}

/* ---- fma ------------------------------------------------------------------------------------------------------- */

#define LANES 256 /* number of lanes in a block */

gb_status fma_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const gb_status status = check_calibrate_axis(c, "lanes", LANES, (int64_t)1 << 30);
  return status == GB_OK ? check_calibrate_axis(c, "steps", 1, 1 << 20) : status;
}

/* Declares the tensors, and the operations of a call. x moves from below 0 towards b / (1 - a), which is 0.5 to 2.
 * After the default number of steps it has covered 63 to 86% of the way, so that a variant with fewer steps is
 * detected, and each step is still far larger than the rounding of x. */
gb_status fma_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t lanes = calibrate_axis(c, "lanes");
  const int64_t steps = calibrate_axis(c, "steps");
  const int64_t shape[] = {CALIBRATE_CHAINS, lanes};
  gb_status status = declare_calibrate_in(c, "a", GB_DTYPE_F32, 1, shape + 1, 1.0 - 0x1p-12, 1.0 - 0x1p-13);
  if (status == GB_OK) status = declare_calibrate_in(c, "b", GB_DTYPE_F32, 1, shape + 1, 0x1p-13, 0x1p-12);
  if (status == GB_OK) status = declare_calibrate_in(c, "x", GB_DTYPE_F32, 2, shape, -1.0, 0.0);
  if (status == GB_OK) status = declare_calibrate_out(c, GB_DTYPE_F32, 2, shape, steps);
  return status == GB_OK ? state_flops(c, 2 * CALIBRATE_CHAINS * lanes * steps) : status;
}

/* Returns the result of `steps` times x = a * x + b, in closed form. */
static double after_steps(double a, double b, double x, double steps) {
  const double power = pow(a, steps);
  return power * x + b * (1.0 - power) / (1.0 - a);
}

static gb_status expect_lanes(gb_case *c, int64_t block, int64_t lanes, double steps) {
  double a[LANES], b[LANES], x[LANES];
  const uint64_t first = (uint64_t)block * LANES;
  gb_status status = gb.tensor->input(c, "a", first, LANES, a);
  if (status == GB_OK) status = gb.tensor->input(c, "b", first, LANES, b);
  for (int i = 0; i < CALIBRATE_CHAINS && status == GB_OK; i++) {
    const uint64_t start = (uint64_t)i * (uint64_t)lanes + first;
    status = gb.tensor->input(c, "x", start, LANES, x);
    if (status != GB_OK) break;
    for (int j = 0; j < LANES; j++)
      x[j] = after_steps(a[j], b[j], x[j], steps);
    status = gb.tensor->expect(c, "y", start, LANES, x);
  }
  return status;
}

gb_status fma_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t lanes = calibrate_axis(c, "lanes");
  const int64_t count = sampled_segments(lanes / LANES, MAX_SAMPLES);
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i++)
    status = expect_lanes(c, gb_sampled(&gb, c, 1, i, count, lanes / LANES), lanes, (double)calibrate_axis(c, "steps"));
  return status;
}

/* ---- tensor ---------------------------------------------------------------------------------------------------- */

enum { M = CALIBRATE_TILE_M, N = CALIBRATE_TILE_N, K = CALIBRATE_TILE_K };

gb_status tensor_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const gb_status status = check_calibrate_axis(c, "tiles", 1, 1 << 20);
  return status == GB_OK ? check_calibrate_axis(c, "repeats", 1, 4096) : status;
}

/* Declares the tensors, and the operations of a call. Each repeat adds the same products, so that a variant with fewer
 * repeats is detected. Tensor cores round towards zero in each addition; up to 4096 repeats this error stays below the
 * rounding of y to bf16. */
gb_status tensor_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t tiles = calibrate_axis(c, "tiles");
  const int64_t repeats = calibrate_axis(c, "repeats");
  const int64_t a[] = {tiles, M, K};
  const int64_t b[] = {N, K};
  const int64_t y[] = {tiles, M, N};
  gb_status status = declare_calibrate_in(c, "a", GB_DTYPE_BF16, 3, a, -1.0, 1.0);
  if (status == GB_OK) status = declare_calibrate_in(c, "b", GB_DTYPE_BF16, 2, b, -1.0, 1.0);
  if (status == GB_OK) status = declare_calibrate_out(c, GB_DTYPE_BF16, 3, y, K * repeats);
  return status == GB_OK ? state_flops(c, 2 * M * N * K * tiles * repeats) : status;
}

/* Computes one row of y: `repeats` times the dot products of a row of a with each row of b. */
static void tensor_row(const double *a, const double *b, double repeats, double *y) {
  for (int n = 0; n < N; n++) {
    double sum = 0.0;
    for (int k = 0; k < K; k++)
      sum += a[k] * b[n * K + k];
    y[n] = repeats * sum;
  }
}

static gb_status expect_tile(gb_case *c, int64_t tile, double *a, const double *b, double *y) {
  const gb_status status = gb.tensor->input(c, "a", (uint64_t)tile * M * K, M * K, a);
  if (status != GB_OK) return status;
  const double repeats = (double)calibrate_axis(c, "repeats");
  for (int m = 0; m < M; m++)
    tensor_row(a + m * K, b, repeats, y + m * N);
  return gb.tensor->expect(c, "y", (uint64_t)tile * M * N, M * N, y);
}

gb_status tensor_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const int64_t tiles = calibrate_axis(c, "tiles");
  const int64_t count = sampled_segments(tiles, MAX_TILES);
  double *memory = malloc((M * K + N * K + M * N) * sizeof *memory);
  if (memory == NULL) return calibrate_no_memory(c);
  double *a = memory, *b = a + M * K, *y = b + N * K;
  gb_status status = gb.tensor->input(c, "b", 0, N * K, b);
  for (int64_t i = 0; i < count && status == GB_OK; i++)
    status = expect_tile(c, gb_sampled(&gb, c, 1, i, count, tiles), a, b, y);
  free(memory);
  return status;
}
