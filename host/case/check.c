/* Tolerances, and the comparison of outputs with the expected values.
 *
 * Rounding to p significant bits changes a value by at most u = 2^-p of itself. The root mean square of these changes
 * is 0.425 u for mantissas like those of sums and products: 1.66e-3 for bf16, 2.07e-4 for f16, 2.5e-8 for f32. That is
 * the norm-relative error of an exact result that is rounded to its storage type. 1.5 times as much is allowed, because
 * mantissas may all be near 1 (u / sqrt(3)). Independent errors add as squares. */
#include "case/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gpubench/ext/tensor.h>

#include "model/data/dtype.h"

static const double rms_rounding = 0.425, margin = 1.5, worst_factor = 8;

/* The largest error that is allowed for sums, however long they are. It equals the error that is allowed for values
 * stored as bf16. */
static const double sums_most = 1.5 * 0.425 * 0x1p-8;

/* The errors of a math mode (the precision in which a variant computes). `product`: the norm-relative error of sums of
 * products that comes from rounding the operands; the length of the sums does not matter. The rounding error of sums of
 * `length` terms, in multiples of `unit`, is start + root * sqrt(length) + line * length. */
struct math_error {
  const char *name;
  double product, unit, start, root, line;
};

/* The errors of the math modes. A sequential sum of n terms in fp32 has an error of about 0.3 sqrt(n) 2^-24 (Higham,
 * Accuracy and Stability, 4.2, as a random walk); the factor is 1.5 here. Tensor cores truncate when they add, which
 * gives an error that grows with the number of steps (Ootomo and Yokota, IJHPCA 2022).
 *
 *   fp64    the reference is a sum in float64, too, so both sums have a rounding error
 *   tf32    both operands have 11 bits: 2.9e-4 rounded to nearest, up to 8e-4 if the hardware truncates
 *   3xtf32  the product of the two small parts is dropped, and three truncating sums are added
 *   fp16    both operands rounded; sums in fp32 (an fp16 accumulator is not within tolerance)
 *   bf16    as fp16; also covers an intermediate result kept in bf16 between two products
 *   fp8     e4m3: 4 significant bits */
static const struct math_error math_errors[] = {
    {"fp64", 0, 0x1p-53, 16, 4, 0},
    {"fp32", 0, 0x1p-24, 8, 1.5, 0},
    {"3xtf32", 0, 0x1p-24, 16, 4, 1.0 / 16},
    {"tf32", 8e-4, 0x1p-24, 8, 1.5, 1.0 / 16},
    {"fp16", 1.41421356 * 0.425 * 0x1p-11, 0x1p-24, 8, 1.5, 1.0 / 16},
    {"bf16", 1.41421356 * 0.425 * 0x1p-8, 0x1p-24, 8, 1.5, 1.0 / 16},
    {"fp8", 1.41421356 * 0.425 * 0x1p-4, 0x1p-24, 8, 1.5, 1.0 / 16},
};

const char *check_math(size_t n) {
  return n < sizeof math_errors / sizeof math_errors[0] ? math_errors[n].name : NULL;
}

const char *check_native(uint32_t dtype) {
  switch (dtype) {
    case GB_DTYPE_F64:
      return "fp64";
    case GB_DTYPE_F16:
      return "fp16";
    case GB_DTYPE_BF16:
      return "bf16";
    case GB_DTYPE_E4M3:
      return "fp8";
    default:
      return "fp32";
  }
}

double check_tolerance(uint32_t dtype, const char *math, uint64_t reduction) {
  if (dtype_bytes(dtype) == 0) return -1;
  for (size_t i = 0; i < sizeof math_errors / sizeof math_errors[0]; i++) {
    const struct math_error *m = &math_errors[i];
    if (strcmp(m->name, math) != 0) continue;
    double storage = margin * rms_rounding * dtype_roundoff(dtype), length = (double)reduction;
    if (storage <= 0) return 0; /* integers are exact in every math */
    double sums = m->unit * (m->start + m->root * sqrt(length) + m->line * length);
    return hypot(storage, margin * m->product) + fmin(sums, sums_most);
  }
  return -1;
}

static void add_not_finite(struct check *check, uint64_t index, double value, double expected) {
  if (check->not_finite++ > 0) return;
  check->first_not_finite = index;
  check->worst = INFINITY;
  check->worst_index = index;
  check->worst_value = value;
  check->worst_expected = expected;
}

static bool agree_as_not_finite(double value, double expected) {
  return (isnan(value) && isnan(expected)) || (isinf(value) && isinf(expected) && signbit(value) == signbit(expected));
}

/* Sums are taken in lanes, element i in lane i % LANES: so they vectorize and give the same result on every machine. */
enum { LANES = 8, BLOCK = 64 };

static double lanes_sum(const double *lanes) {
  double sum = 0;
  for (int i = 0; i < LANES; i++)
    sum += lanes[i];
  return sum;
}

/* Values are squared without rescaling if their exponents lie between these limits. The sum of any number of their
 * squares then stays in the range of a double. The squares of differences stay in it as well, even if a difference is
 * only 2^-54 times as large as the values. */
static const int unit_least = -400, unit_most = 480;

static double unit_of(double size) {
  const int exponent = size > 0 && size <= DBL_MAX ? ilogb(size) : 0;
  if (exponent >= unit_least && exponent <= unit_most) return 1;
  return ldexp(1, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

static double largest_of(const double *expected, size_t count) {
  double largest = 0;
  for (size_t i = 0; i < count; i++)
    if (fabs(expected[i]) > largest && fabs(expected[i]) <= DBL_MAX) largest = fabs(expected[i]);
  return largest;
}

static struct check_size size_in(double unit, const double *expected, size_t count) {
  double sums[LANES] = {0}, finite[LANES] = {0};
  for (size_t i = 0; i < count; i += LANES)
    for (size_t j = 0; j < LANES && i + j < count; j++) {
      const bool counts = fabs(expected[i + j]) <= DBL_MAX;
      const double value = expected[i + j] * unit;
      sums[j] += counts ? value * value : 0;
      finite[j] += counts;
    }
  const double of = lanes_sum(finite);
  return (struct check_size){of > 0 ? fmin(sqrt(lanes_sum(sums) / of) / unit, DBL_MAX) : 0, of};
}

struct check_size check_size(const double *expected, size_t count) {
  const struct check_size size = size_in(1, expected, count);
  if (size.rms > 0 && size.rms < DBL_MAX && unit_of(size.rms) == 1) return size;
  return size_in(unit_of(largest_of(expected, count)), expected, count);
}

struct check_size check_size_of(const struct check_size *sizes, size_t count) {
  double largest = 0, squares = 0, finite = 0;
  for (size_t i = 0; i < count; i++)
    largest = fmax(largest, sizes[i].rms);
  const double unit = unit_of(largest);
  for (size_t i = 0; i < count; i++) {
    squares += sizes[i].rms * unit * (sizes[i].rms * unit) * sizes[i].finite;
    finite += sizes[i].finite;
  }
  return (struct check_size){finite > 0 ? fmin(sqrt(squares / finite) / unit, DBL_MAX) : 0, finite};
}

double check_scale(const struct check *check, double rms) {
  /* A span (consecutive elements) whose expected values are all 0 gets the root mean square of the spans before it. */
  const bool before = !(rms > 0) && check->compared > 0 && check->unit > 0;
  return before ? sqrt(check->expected2 / (double)check->compared) / check->unit : rms;
}

/* The smallest positive value of a float type has the encoding 1: 2^-24 for f16 and 2^-149 for f32 (IEEE 754-2019,
 * 3.3), 2^-133 for bf16, 2^-9 for e4m3 (OCP 8-bit Floating Point Specification, 1.0). The expected value is a float64
 * and was rounded as well. So an f64 output may be off by both roundings, each of half the smallest value. */
double check_slack(uint32_t dtype) {
  const uint64_t first = 1; /* little-endian: the first byte is the lowest */
  if (dtype_roundoff(dtype) <= 0) return 0;
  const double smallest = dtype_load(dtype, &first, 0);
  return dtype == GB_DTYPE_F64 ? smallest : smallest / 2;
}

/* For all elements of a piece: the divisor of differences (scale), and the part of a difference that does not count
 * (slack). Both are multiplied by the piece's `unit`, as the values are. */
struct measure {
  double unit, scale, slack;
};

static double beyond(double difference, double slack) {
  return difference > slack ? difference - slack : 0;
}

/* Adds the squares of the differences and of the expected values of a whole block. Returns false and adds nothing if a
 * value is not finite, or if an element may be the worst one so far (the one whose difference divided by its size is
 * largest). Then the caller adds the elements one by one. */
static bool add_block(struct check *check, const struct measure *m, const double *values, const double *expected) {
  double difference2[LANES] = {0}, expected2[LANES] = {0}, odd[LANES] = {0};
  const double worst = check->worst, unit = m->unit, scale = m->scale, slack = m->slack;
  for (int i = 0; i < BLOCK; i += LANES)
    for (int j = 0; j < LANES; j++) {
      const double right = expected[i + j] * unit, off = fabs(values[i + j] * unit - right), size = fabs(right);
      const double difference = beyond(off, slack);
      difference2[j] += difference * difference;
      expected2[j] += right * right;
      odd[j] += off <= DBL_MAX ? 0 : 1;
      odd[j] += difference >= worst * (size + scale) ? difference : 0;
    }
  if (!(lanes_sum(odd) <= 0)) return false;
  check->difference2 += lanes_sum(difference2);
  check->expected2 += lanes_sum(expected2);
  return true;
}

static void note_worst(struct check *check, double relative, uint64_t index, double value, double expected) {
  if (!(relative > check->worst)) return;
  check->worst = relative;
  check->worst_index = index;
  check->worst_value = value;
  check->worst_expected = expected;
}

/* Adds the elements one by one. */
static void add_elements(struct check *check, const struct measure *m, uint64_t first, const double *values,
                         const double *expected, size_t count) {
  double difference2[LANES] = {0}, expected2[LANES] = {0};
  for (size_t i = 0; i < count; i++) {
    if (!isfinite(values[i]) || !isfinite(expected[i])) {
      if (!agree_as_not_finite(values[i], expected[i])) add_not_finite(check, first + i, values[i], expected[i]);
      continue;
    }
    const double right = expected[i] * m->unit, difference = beyond(fabs(values[i] * m->unit - right), m->slack);
    difference2[i % LANES] += difference * difference;
    expected2[i % LANES] += right * right;
    if (difference > 0) note_worst(check, difference / (fabs(right) + m->scale), first + i, values[i], expected[i]);
  }
  check->difference2 += lanes_sum(difference2);
  check->expected2 += lanes_sum(expected2);
}

/* Rescales the sums of squares to another unit (the factor that values are multiplied by). Before two checks are added,
 * callers choose the unit of the one with larger values; what the other one loses to rounding is negligible. */
static void bring_to(struct check *check, double unit) {
  const double ratio = check->unit > 0 ? unit / check->unit : 1;
  check->unit = unit;
  if (ratio == 1) return;
  check->difference2 *= ratio * ratio;
  check->expected2 *= ratio * ratio;
}

static bool has_squares(const struct check *check) {
  return check->expected2 > 0 || check->difference2 > 0;
}

void check_piece(struct check *piece, const struct check_ruler *ruler, uint64_t first, const double *values,
                 const double *expected, size_t count) {
  const double unit = unit_of(ruler->scale);
  const struct measure m = {unit, ruler->scale * unit, ruler->slack * unit};
  piece->unit = unit;
  for (size_t i = 0; i < count; i += BLOCK) {
    const size_t size = count - i < BLOCK ? count - i : BLOCK;
    if (size == BLOCK && add_block(piece, &m, values + i, expected + i)) continue;
    add_elements(piece, &m, first + i, values + i, expected + i, size);
  }
  piece->compared += count;
}

static bool same_bits(double a, double b) {
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y;
}

void check_bits(struct check *piece, uint64_t first, const double *values, const double *expected, size_t count) {
  if (memcmp(values, expected, count * sizeof *values) == 0) return;
  for (size_t i = 0; i < count; i++) {
    if (same_bits(values[i], expected[i]) || (isnan(values[i]) && isnan(expected[i])) || piece->different++ > 0)
      continue;
    piece->first_different = first + i;
    piece->different_value = values[i];
    piece->different_expected = expected[i];
  }
}

static void join_different(struct check *check, const struct check *piece) {
  if (check->different == 0) {
    check->first_different = piece->first_different;
    check->different_value = piece->different_value;
    check->different_expected = piece->different_expected;
  }
  check->different += piece->different;
}

static void join_squares(struct check *check, const struct check *piece) {
  struct check other = *piece;
  if (!has_squares(&other)) return;
  const double unit = has_squares(check) ? fmin(check->unit, other.unit) : other.unit;
  bring_to(check, unit);
  bring_to(&other, unit);
  check->difference2 += other.difference2;
  check->expected2 += other.expected2;
}

void check_join(struct check *check, const struct check *piece) {
  join_different(check, piece);
  if (piece->not_finite > 0)
    add_not_finite(check, piece->first_not_finite, piece->worst_value, piece->worst_expected);
  else
    note_worst(check, piece->worst, piece->worst_index, piece->worst_value, piece->worst_expected);
  check->not_finite += piece->not_finite > 0 ? piece->not_finite - 1 : 0;
  join_squares(check, piece);
  check->compared += piece->compared;
}

void check_add(struct check *check, double slack, uint64_t first, const double *values, const double *expected,
               size_t count) {
  struct check span = {0};
  const struct check_ruler ruler = {check_scale(check, check_size(expected, count).rms), slack};
  check_piece(&span, &ruler, first, values, expected, count);
  check_join(check, &span);
}

/* Returns the size of the differences divided by the size of the expected values. If only a part of the output is
 * compared, and the expected values in it are smaller than those of the whole output on average, the differences are
 * divided by the size of the whole output instead. */
double check_error(const struct check *check) {
  if (check->not_finite > 0) return INFINITY;
  if (!(check->difference2 > 0)) return isnan(check->difference2) ? INFINITY : 0;
  const double typical = check->typical * check->unit, compared = (double)check->compared;
  const double error = sqrt(check->difference2 / fmax(check->expected2, typical * typical * compared));
  return isnan(error) ? INFINITY : error;
}

/* Returns the tolerance for this number of compared elements, up to twice as large if they are few. The measured error
 * of n elements deviates by chance from the usual one by about 1 / sqrt(n) of it. A single element may even have the
 * largest possible error, the unit roundoff, which is 2.35 times the root mean square. */
static double allowed_error(const struct check *check, double tolerance) {
  return tolerance * (1 + 1 / sqrt((double)(check->compared > 0 ? check->compared : 1)));
}

static bool pass_exactly(const struct check *check, const char *tensor, char *why, size_t size) {
  if (check->different == 0) return true;
  snprintf(why, size,
           "'%s': %llu of %llu values are not bit for bit what they have to be; first [%llu] is %.17g, "
           "expected %.17g",
           tensor, (unsigned long long)check->different, (unsigned long long)check->compared,
           (unsigned long long)check->first_different, check->different_value, check->different_expected);
  return false;
}

bool check_pass(const struct check *check, const struct allowance *allowance, const char *tensor, char *why,
                size_t size) {
  const double tolerance = allowance->tolerance;
  const char *whose = allowance->own ? " of the bench's own" : "";
  if (size > 0) why[0] = '\0';
  if (allowance->exact && check->compared > 0) return pass_exactly(check, tensor, why, size);
  double error = check_error(check), norm_limit = allowed_error(check, tolerance),
         worst_limit = worst_factor * tolerance;
  unsigned long long index = check->worst_index, compared = check->compared, count = check->not_finite;
  if (count > 0)
    snprintf(why, size,
             "'%s': %llu of %llu values are not finite, or finite where they should not be; first [%llu] is "
             "%g, expected %g",
             tensor, count, compared, index, check->worst_value, check->worst_expected);
  else if (compared == 0)
    snprintf(why, size, "'%s': nothing was compared", tensor);
  else if (!(error <= norm_limit))
    snprintf(why, size,
             "'%s': error %.2e, tolerance %.2e%s (norm-relative over %llu values); worst [%llu] is %.9g, "
             "expected %.9g",
             tensor, error, norm_limit, whose, compared, index, check->worst_value, check->worst_expected);
  else if (!(check->worst <= worst_limit))
    snprintf(why, size, "'%s': [%llu] is %.9g, expected %.9g: error %.2e of its size, tolerance %.2e%s for one value",
             tensor, index, check->worst_value, check->worst_expected, check->worst, worst_limit, whose);
  else
    return true;
  return false;
}
