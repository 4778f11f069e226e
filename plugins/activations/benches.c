/* Callbacks of the benches (benchmarked operations) of this plugin: which cases they support, their tensors, the bytes
 * that a call moves, and the reference results in float64. All variants (implementations) of a bench share them. */
#include "benches.h"

#include <math.h>
#include <stdlib.h>

#include "../shared/convert.h"
#include "../shared/processors.h"

gb_sdk activations_gb;
#define gb activations_gb

/* An output of at most CHECKED elements is compared with the reference completely. Of a larger output, a random sample
 * of rows is compared: about CHECKED elements, but at least MIN_SAMPLES and at most MAX_SAMPLES rows. If the bench has
 * no rows, the sample consists of stretches, which are groups of READ_AHEAD consecutive elements. */
#define CHECKED ((int64_t)4 << 20)
#define READ_AHEAD ((int64_t)64 * 1024) /* number of elements in a stretch */
#define READ_ALL ((int64_t)1 << 20)     /* elements read at a time if all are compared */
#define ONE_TURN ((int64_t)8 * 1024)    /* elements that one CPU thread computes before it takes the next part */
#define MAX_SAMPLES 64                  /* a sample has at most this many rows, or stretches */
#define MIN_SAMPLES 8
#define FEW 64   /* tensors with fewer elements per row draw their inputs from other distributions */
#define MORE 256 /* added to a norm's row length where a tolerance is chosen, so that short rows get more of it */
#define STREAM_REFERENCE UINT64_C(1) /* number of the random stream (gb.rng) that chooses the sample */

/* The problems, with mean and standard deviation of their input x.
 * GELU, Swish and the gate of SwiGLU: a standard deviation of 3 around 0 covers both tails, and the region where the
 * two forms of GELU differ most.
 * LayerNorm: the mean is eight standard deviations, so that a variance computed as mean(x^2) - mean(x)^2 loses six
 * bits. The values are small, so that epsilon is 0.26% of the variance, and a variant that omits epsilon is detected in
 * fp32.
 * RMSNorm: the same small values with the mean 0.
 * Rows with fewer than FEW elements use other distributions. gpubench judges errors relative to the size of all of y,
 * and y might be tiny: all elements might lie in GELU's negative tail, or the elements of a row might be nearly equal.
 * Elementwise inputs are then uniform in [1, 8), x of norms has the mean 0, and beta and bias have the mean 2. */
#define SMALL 0x1p-4
const struct activations_problem activations_gelu = {ACTIVATIONS_GELU, 0.0, 3.0};
const struct activations_problem activations_swish = {ACTIVATIONS_SWISH, 0.0, 3.0};
const struct activations_problem activations_swiglu = {ACTIVATIONS_SWIGLU, 0.0, 3.0};
const struct activations_problem activations_layernorm = {ACTIVATIONS_LAYERNORM, 8 * SMALL, SMALL};
const struct activations_problem activations_rmsnorm = {ACTIVATIONS_RMSNORM, 0.0, SMALL};
const struct activations_problem activations_bias_gelu = {ACTIVATIONS_BIAS_GELU, 0.0, 3.0};
const struct activations_problem activations_layernorm_saved = {ACTIVATIONS_LAYERNORM_SAVED, 8 * SMALL, SMALL};
const struct activations_problem activations_rmsnorm_saved = {ACTIVATIONS_RMSNORM_SAVED, 0.0, SMALL};
const struct activations_problem activations_layernorm_gelu = {ACTIVATIONS_LAYERNORM_GELU, 8 * SMALL, SMALL};

/* The problems that normalise x + z. x and z are independent, so that the mean square of x + z is the sum of the mean
 * squares of x and z. */
const struct activations_problem activations_add_layernorm = {ACTIVATIONS_ADD_LAYERNORM, 8 * SMALL, SMALL};
const struct activations_problem activations_add_rmsnorm = {ACTIVATIONS_ADD_RMSNORM, 0.0, SMALL};

int activations_has_sum(enum activations_kind kind) {
  return kind == ACTIVATIONS_ADD_LAYERNORM || kind == ACTIVATIONS_ADD_RMSNORM;
}

int activations_has_z(enum activations_kind kind) {
  return kind == ACTIVATIONS_SWIGLU || activations_has_sum(kind);
}

int activations_has_rows(enum activations_kind kind) {
  return kind != ACTIVATIONS_GELU && kind != ACTIVATIONS_SWISH && kind != ACTIVATIONS_SWIGLU;
}

int activations_is_norm(enum activations_kind kind) {
  return activations_has_rows(kind) && kind != ACTIVATIONS_BIAS_GELU;
}

int activations_has_beta(enum activations_kind kind) {
  return kind == ACTIVATIONS_LAYERNORM || kind == ACTIVATIONS_LAYERNORM_GELU || kind == ACTIVATIONS_ADD_LAYERNORM ||
         kind == ACTIVATIONS_LAYERNORM_SAVED;
}

int activations_has_saved(enum activations_kind kind) {
  return kind == ACTIVATIONS_LAYERNORM_SAVED || kind == ACTIVATIONS_RMSNORM_SAVED;
}

static int has_form(enum activations_kind kind) {
  return kind == ACTIVATIONS_GELU || kind == ACTIVATIONS_BIAS_GELU;
}

static int64_t fewer_elements(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static enum activations_dtype activations_dtype_of(gb_case *c) {
  return gb_axis_is(&gb, c, "dtype", "fp16")   ? ACTIVATIONS_FP16
         : gb_axis_is(&gb, c, "dtype", "bf16") ? ACTIVATIONS_BF16
                                               : ACTIVATIONS_FP32;
}

static uint32_t activations_storage(gb_case *c) {
  return gb_dtype_named(gb.point->str(c, "dtype"));
}

struct activations_shape activations_shape_of(gb_case *c, enum activations_kind kind) {
  struct activations_shape shape = {.m = 1, .n = gb.point->i64(c, "n"), .dtype = activations_dtype_of(c)};
  if (activations_has_rows(kind)) shape.m = gb.point->i64(c, "m");
  if (has_form(kind) && gb_axis_is(&gb, c, "form", "tanh")) shape.form = ACTIVATIONS_TANH;
  shape.bytes = (uint64_t)shape.m * (uint64_t)shape.n * gb_dtype_bytes(activations_storage(c));
  return shape;
}

static enum activations_kind activations_kind_of(const gb_bench *self) {
  return ((const struct activations_problem *)self->user)->kind;
}

gb_status activations_supports(const gb_bench *self, gb_case *c) {
  if (!activations_has_rows(activations_kind_of(self))) return gb_axis_within(&gb, c, "n", 1, ACTIVATIONS_MAX_COUNT);
  gb_status status = gb_axis_within(&gb, c, "m", 1, ACTIVATIONS_MAX_M);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "n", 1, ACTIVATIONS_MAX_N);
  if (status != GB_OK) return status;
  const int64_t m = gb.point->i64(c, "m"), n = gb.point->i64(c, "n");
  if (m <= ACTIVATIONS_MAX_COUNT / n) return GB_OK;
  return gb_failf(&gb, c, GB_SKIP, "m * n is %lld * %lld: must be at most %lld", (long long)m, (long long)n,
                  (long long)ACTIVATIONS_MAX_COUNT);
}

/* ---- Tensors --------------------------------------------------------------------------------------------------- */

static gb_status declare_activations_in(gb_case *c, gb_tensor tensor, const char *name, double mean, double deviation) {
  tensor.role = GB_IN;
  tensor.name = name;
  tensor.fill = GB_FILL_NORMAL;
  tensor.fill_a = mean;
  tensor.fill_b = deviation;
  return gb.tensor->declare(c, &tensor);
}

static gb_status declare_uniform(gb_case *c, gb_tensor tensor, const char *name) {
  tensor.role = GB_IN;
  tensor.name = name;
  tensor.fill = GB_FILL_UNIFORM;
  tensor.fill_a = 1.0;
  tensor.fill_b = 8.0;
  return gb.tensor->declare(c, &tensor);
}

static gb_status declare_sum(gb_case *c, gb_tensor tensor) {
  tensor.role = GB_OUT;
  tensor.name = "s";
  tensor.reduction = 1;
  return gb.tensor->declare(c, &tensor);
}

static gb_status declare_x(gb_case *c, gb_tensor tensor, const struct activations_problem *problem, int few) {
  if (!few) return declare_activations_in(c, tensor, "x", problem->mean, problem->deviation);
  if (activations_is_norm(problem->kind)) return declare_activations_in(c, tensor, "x", 0.0, problem->deviation);
  return declare_uniform(c, tensor, "x");
}

static gb_status declare_z(gb_case *c, gb_tensor tensor, enum activations_kind kind, int few) {
  if (activations_has_sum(kind)) return declare_activations_in(c, tensor, "z", 0.0, SMALL);
  return few ? declare_uniform(c, tensor, "z") : declare_activations_in(c, tensor, "z", 0.0, 1.0);
}

static gb_status declare_saved(gb_case *c, const char *name, const int64_t *rows, uint64_t terms) {
  const gb_tensor tensor = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 1,
                            .name = name,       .shape = rows,  .reduction = terms};
  return gb.tensor->declare(c, &tensor);
}

gb_status activations_setup(const gb_bench *self, gb_case *c, void **state) {
  const struct activations_problem *problem = self->user;
  const struct activations_shape shape = activations_shape_of(c, problem->kind);
  const int rows = activations_has_rows(problem->kind), beta = activations_has_beta(problem->kind);
  const int norm = activations_is_norm(problem->kind), saved = activations_has_saved(problem->kind);
  const int few = shape.n < FEW;
  const int64_t extents[] = {shape.m, shape.n};
  const gb_tensor row = {GB_SIZE(gb_tensor), .dtype = activations_storage(c), .rank = 1, .shape = extents + 1};
  gb_tensor all = row, y;
  if (rows) {
    all.rank = 2;
    all.shape = extents;
  }
  y = all;
  y.role = GB_OUT;
  y.name = "y";
  y.reduction = norm ? (uint64_t)shape.n + MORE : 1;
  const uint64_t columns = (uint64_t)(rows + beta) * (shape.bytes / (uint64_t)shape.m);
  /* The count of floating-point operations stays unset: it would treat erf and an addition alike, and these problems
   * are limited by the bytes that they move. */
  const int two = activations_has_z(problem->kind), sum = activations_has_sum(problem->kind);
  const gb_work work = {
      GB_SIZE(gb_work), .bytes_read = shape.bytes * (uint64_t)(1 + two) + columns,
      .bytes_written = shape.bytes * (uint64_t)(1 + sum) + (uint64_t)(saved ? shape.m * (1 + beta) * 4 : 0),
      .items = (uint64_t)(rows ? shape.m : shape.n), .item_unit = rows ? "rows" : "elements"};
  (void)state;
  gb_status status = declare_x(c, all, problem, few);
  if (status == GB_OK && two) status = declare_z(c, all, problem->kind, few);
  if (status == GB_OK && sum) status = declare_sum(c, all);
  if (status == GB_OK && rows && !norm) status = declare_activations_in(c, row, "bias", few ? 2.0 : 0.0, 0.5);
  if (status == GB_OK && norm) status = declare_activations_in(c, row, "gamma", 1.0, 0.25);
  if (status == GB_OK && beta) status = declare_activations_in(c, row, "beta", few ? 2.0 : 0.0, 0.5);
  if (status == GB_OK) status = gb.tensor->declare(c, &y);
  if (status == GB_OK && saved && beta) status = declare_saved(c, "mean", extents, y.reduction);
  if (status == GB_OK && saved) status = declare_saved(c, "rstd", extents, y.reduction);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

/* ---- The reference ---------------------------------------------------------------------------------------------- */

static double gelu_erf_f64(double x) {
  return 0.5 * x * erfc(-x * 0.70710678118654752);
}

static double gelu_tanh_f64(double x) {
  return 0.5 * x * (1.0 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
}

static double swish_f64(double x) {
  return x / (1.0 + exp(-x));
}

static void map_values(double *values, int64_t count, double (*function)(double)) {
  for (int64_t i = 0; i < count; i++)
    values[i] = function(values[i]);
}

/* Statistics of a row: its mean, and 1 / sqrt(variance + epsilon). */
struct found {
  double mean, rstd;
};

/* Normalises a row in place and returns its statistics. Computes LayerNorm, or RMSNorm if `beta` is NULL. */
static struct found normalise(double *row, int64_t n, const double *gamma, const double *beta) {
  double mean = 0.0, square = 0.0;
  for (int64_t i = 0; beta != NULL && i < n; i++)
    mean += row[i] / (double)n;
  for (int64_t i = 0; i < n; i++)
    square += (row[i] - mean) * (row[i] - mean);
  const double scale = 1.0 / sqrt(square / (double)n + 1e-5);
  for (int64_t i = 0; i < n; i++)
    row[i] = (row[i] - mean) * scale * gamma[i] + (beta != NULL ? beta[i] : 0.0);
  return (struct found){mean, scale};
}

/* The state of one computation of the reference, which goes through the output stretch by stretch. */
struct check {
  gb_case *c;
  enum activations_kind kind;
  struct activations_shape shape;
  double *values, *gamma, *beta; /* beta is NULL if the norm has none; in bias_gelu, gamma is the bias */
  double *z;                     /* the elements of z at the same places as those in `values` */
  double *mean, *rstd;           /* expected statistics of the rows in `values` */
  int64_t count;                 /* current number of values */
};

/* Returns how many elements one CPU thread computes at a time. If the problem has rows, these are whole rows. */
static int64_t turn_of(const struct check *check) {
  const int64_t unit = activations_has_rows(check->kind) ? check->shape.n : 1;
  return unit < ONE_TURN ? ONE_TURN / unit * unit : unit;
}

static void each_turn(struct check *check, void (*work)(void *context, int64_t piece)) {
  const int64_t turn = turn_of(check);
  processors_each((check->count + turn - 1) / turn, work, check);
}

/* Replaces a part of `values`, which hold x, by x + z rounded to the storage type. The benches that store x + z in that
 * type normalise the stored sum, not the exact one. */
static void add_z(void *context, int64_t piece) {
  const struct check *check = context;
  const enum activations_dtype dtype = check->shape.dtype;
  const int64_t turn = turn_of(check), end = fewer_elements((piece + 1) * turn, check->count);
  for (int64_t i = piece * turn; i < end; i++) {
    const float sum = (float)(check->values[i] + check->z[i]);
    check->values[i] = dtype == ACTIVATIONS_FP32   ? (double)sum
                       : dtype == ACTIVATIONS_FP16 ? (double)from_fp16(to_fp16(sum))
                                                   : (double)from_bf16(to_bf16(sum));
  }
}

static void compute_piece(void *context, int64_t piece) {
  const struct check *check = context;
  const int64_t turn = turn_of(check), first = piece * turn, n = check->shape.n;
  const int64_t count = fewer_elements(turn, check->count - first);
  double *values = check->values + first;
  for (int64_t i = 0; activations_is_norm(check->kind) && i < count; i += n) {
    const struct found found = normalise(values + i, n, check->gamma, check->beta);
    check->mean[(first + i) / n] = found.mean;
    check->rstd[(first + i) / n] = found.rstd;
  }
  for (int64_t i = 0; check->kind == ACTIVATIONS_BIAS_GELU && i < count; i++)
    values[i] += check->gamma[i % n];
  if (check->kind == ACTIVATIONS_SWISH || check->kind == ACTIVATIONS_SWIGLU) map_values(values, count, swish_f64);
  if (has_form(check->kind))
    map_values(values, count, check->shape.form == ACTIVATIONS_TANH ? gelu_tanh_f64 : gelu_erf_f64);
  if (check->kind == ACTIVATIONS_LAYERNORM_GELU) map_values(values, count, gelu_erf_f64);
  for (int64_t i = 0; check->kind == ACTIVATIONS_SWIGLU && i < count; i++)
    values[i] *= check->z[first + i];
}

/* Reads `count` elements of x from element `first` on, computes their results in place and passes these to gpubench
 * as expected values. If the bench has rows, the elements are whole rows. */
static gb_status expect_stretch(struct check *check, int64_t first, int64_t count) {
  const uint64_t from = (uint64_t)first, many = (uint64_t)count;
  check->count = count;
  gb_status status = gb.tensor->input(check->c, "x", from, many, check->values);
  if (status == GB_OK && activations_has_z(check->kind)) status = gb.tensor->input(check->c, "z", from, many, check->z);
  if (status == GB_OK && activations_has_sum(check->kind)) {
    each_turn(check, add_z);
    status = gb.tensor->expect(check->c, "s", from, many, check->values);
  }
  if (status != GB_OK) return status;
  each_turn(check, compute_piece);
  status = gb.tensor->expect(check->c, "y", from, many, check->values);
  if (status != GB_OK || !activations_has_saved(check->kind)) return status;
  const uint64_t row = from / (uint64_t)check->shape.n, rows = many / (uint64_t)check->shape.n;
  if (check->beta != NULL) status = gb.tensor->expect(check->c, "mean", row, rows, check->mean);
  return status == GB_OK ? gb.tensor->expect(check->c, "rstd", row, rows, check->rstd) : status;
}

/* Passes the expected values to gpubench: all of them, or those of a sample of rows or stretches. `unit` is the number
 * of elements of a row or stretch. */
static gb_status expect_stretches(struct check *check, int64_t unit) {
  const int64_t elements = check->shape.m * check->shape.n, total = (elements + unit - 1) / unit;
  const int64_t some = CHECKED / unit < MIN_SAMPLES ? MIN_SAMPLES : fewer_elements(CHECKED / unit, MAX_SAMPLES);
  const int64_t count = elements <= CHECKED ? total : fewer_elements(total, some);
  gb_status status = GB_OK;
  for (int64_t i = 0; i < count && status == GB_OK; i++) {
    const int64_t first = gb_sampled(&gb, check->c, STREAM_REFERENCE, i, count, total) * unit;
    status = expect_stretch(check, first, fewer_elements(unit, elements - first));
  }
  return status;
}

/* Returns how many elements are read from x at a time: one row or stretch if only a sample is compared, otherwise about
 * READ_ALL elements in whole rows. */
static int64_t elements_per_read(const struct check *check) {
  const int64_t elements = check->shape.m * check->shape.n, held = fewer_elements(READ_ALL, elements);
  const int rows = activations_has_rows(check->kind);
  const int64_t row = rows ? check->shape.n : 1;
  if (elements > CHECKED) return rows ? row : READ_AHEAD;
  return row < held ? held / row * row : row;
}

gb_status activations_reference(const gb_bench *self, gb_case *c, void *state) {
  struct check check = {
      .c = c, .kind = activations_kind_of(self), .shape = activations_shape_of(c, activations_kind_of(self))};
  const int rows = activations_has_rows(check.kind);
  const int64_t n = check.shape.n;
  const int64_t unit = elements_per_read(&check), held = rows ? unit / n : 0;
  const int64_t more = (rows ? 2 * (n + held) : 0) + (activations_has_z(check.kind) ? unit : 0);
  double *memory = malloc((size_t)(unit + more) * sizeof *memory);
  (void)state;
  if (memory == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory for %lld elements", (long long)unit);
  check.values = memory;
  check.gamma = memory + unit;
  check.mean = check.gamma + (rows ? 2 * n : 0);
  check.rstd = check.mean + held;
  check.z = check.rstd + held;
  check.beta = activations_has_beta(check.kind) ? check.gamma + n : NULL;
  const char *columns = activations_is_norm(check.kind) ? "gamma" : "bias";
  gb_status status = rows ? gb.tensor->input(c, columns, 0, (uint64_t)n, check.gamma) : GB_OK;
  if (status == GB_OK && check.beta != NULL) status = gb.tensor->input(c, "beta", 0, (uint64_t)n, check.beta);
  if (status == GB_OK) status = expect_stretches(&check, unit);
  free(memory);
  return status;
}
