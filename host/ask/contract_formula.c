/* What a contract's figures are in terms of its axes, and the words for what tensors are. Pure. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gpubench/ext/tensor.h>

#include "ask/contract.h"
#include "case/check.h"

static const struct tensor_desc *find_tensor(const struct declaration *d, const char *name) {
  for (uint32_t i = 0; i < d->count; i++)
    if (strcmp(d->tensors[i].name, name) == 0) return &d->tensors[i];
  return NULL;
}

/* A figure of another declaration that has the same tensors; false where it has not. */
static bool figure_of(const struct declaration *d, enum figure figure, const struct tensor_desc *like, uint32_t dim,
                      double *value) {
  const struct tensor_desc *t = like != NULL ? find_tensor(d, like->name) : NULL;
  const bool of_tensor = figure == FIGURE_DIM || figure == FIGURE_STRIDE || figure == FIGURE_REDUCTION;
  if (of_tensor && (t == NULL || t->rank != like->rank)) return false;
  switch (figure) {
    case FIGURE_DIM:
      *value = (double)t->shape[dim];
      return true;
    case FIGURE_STRIDE:
      *value = (double)t->strides[dim];
      return true;
    case FIGURE_REDUCTION:
      *value = (double)t->reduction;
      return true;
    case FIGURE_FLOPS:
      *value = (double)d->report.flops;
      return true;
    case FIGURE_READ:
      *value = (double)d->report.bytes_read;
      return true;
    case FIGURE_WRITTEN:
      *value = (double)d->report.bytes_written;
      return true;
    case FIGURE_ITEMS:
      *value = (double)d->report.items;
      return true;
  }
  return false;
}

/* What the figure would be at twice the axis, from what it is at half of it. */
static double twice_from_half(double value, double half) {
  for (int power = 1; power <= 3; power++)
    if (half == ldexp(value, -power)) return ldexp(value, power);
  return value + 2 * (value - half);
}

/* The figure with this axis doubled; false: not known. */
static bool doubled(const struct contract *c, enum figure figure, const struct tensor_desc *like, uint32_t dim,
                    uint32_t axis, double value, double *twice) {
  for (size_t i = 0; i < c->probe_count; i++) {
    const struct probe *p = &c->probes[i];
    if (p->axis != axis || !p->known) continue;
    if (!figure_of(&p->declaration, figure, like, dim, twice)) return false;
    if (p->value.i64 < c->point.values[axis].i64) *twice = twice_from_half(value, *twice);
    return true;
  }
  return false;
}

/* How a figure follows the axes: times * (product of powers) * (sum of parts + rest). */
struct formula {
  double product, rest, parts[AXES_MAX]; /* `product`: of the axes' values */
  int powers[AXES_MAX];                  /* 1 to 3; 0: the axis is no factor */
  bool factors, sums, sure;              /* there are some of these; every axis could be doubled */
};

static bool is_whole(double value) {
  return value >= 0 && value == floor(value);
}

/* The axes that double, quadruple or octuple the figure are factors. */
static void find_factors(const struct contract *c, struct formula *f, double value, const double *twice) {
  for (uint32_t a = 0; a < c->point.count; a++) {
    for (int power = 1; power <= 3; power++)
      if (twice[a] == ldexp(value, power)) f->powers[a] = power;
    if (f->powers[a] > 0) f->factors = true;
    if (f->powers[a] > 0) f->product *= pow((double)c->point.values[a].i64, f->powers[a]);
  }
}

/* The others add to what the factors multiply, or are not in it. False: neither. */
static bool find_parts(const struct contract *c, struct formula *f, double value, const double *twice) {
  f->rest = value / f->product;
  for (uint32_t a = 0; a < c->point.count; a++) {
    if (isnan(twice[a]) || f->powers[a] > 0 || twice[a] == value) continue;
    f->parts[a] = (twice[a] - value) / f->product / (double)c->point.values[a].i64;
    f->rest -= f->parts[a] * (double)c->point.values[a].i64;
    f->sums = true;
    if (!is_whole(f->parts[a])) return false;
  }
  return !f->sums || is_whole(f->rest);
}

static double common_divisor(double a, double b) {
  while (b > 0) {
    double next = fmod(a, b);
    a = b;
    b = next;
  }
  return a;
}

/* What all parts have in common goes before the bracket. */
static double take_common(const struct contract *c, struct formula *f) {
  double common = f->rest;
  for (uint32_t a = 0; a < c->point.count; a++)
    common = common_divisor(common, f->parts[a]);
  for (uint32_t a = 0; a < c->point.count; a++)
    f->parts[a] /= common;
  f->rest /= common;
  return common;
}

static void add(char *to, size_t size, const char *between, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void add(char *to, size_t size, const char *between, const char *format, ...) {
  size_t used = strlen(to);
  va_list args;
  if (used > 0 && to[used - 1] != '(') used += (size_t)snprintf(to + used, size - used, "%s", between);
  va_start(args, format);
  if (used < size) vsnprintf(to + used, size - used, format, args);
  va_end(args);
}

static void write_factors(const struct contract *c, const struct formula *f, char *to, size_t size) {
  for (uint32_t a = 0; a < c->point.count; a++)
    if (f->powers[a] == 1)
      add(to, size, "*", "%s", c->point.values[a].name);
    else if (f->powers[a] > 1)
      add(to, size, "*", "%s^%d", c->point.values[a].name, f->powers[a]);
}

static void write_sum(const struct contract *c, const struct formula *f, char *to, size_t size) {
  bool bracket = to[0] != '\0';
  if (bracket) add(to, size, "*", "(");
  for (uint32_t a = 0; a < c->point.count; a++)
    if (f->parts[a] == 1)
      add(to, size, " + ", "%s", c->point.values[a].name);
    else if (f->parts[a] > 1)
      add(to, size, " + ", "%.0f*%s", f->parts[a], c->point.values[a].name);
  if (f->rest > 0) add(to, size, " + ", "%.0f", f->rest);
  if (bracket) add(to, size, "", ")");
}

/* False where the figure is none of this. */
static bool write_formula(const struct contract *c, struct formula *f, double value, char *to, size_t size) {
  double times = f->sums ? take_common(c, f) : f->rest;
  if (!f->sums && !f->factors) return false;
  if (times > 1 && times == floor(times)) add(to, size, "", "%.0f", times);
  write_factors(c, f, to, size);
  if (f->sums) write_sum(c, f, to, size);
  double over = f->product / value;
  if (times < 1) add(to, size, "", "/%.0f", over);
  return times >= 1 ? times == floor(times) : over == floor(over);
}

void contract_formula(const struct contract *c, enum figure figure, uint32_t tensor, uint32_t dim, char *to,
                      size_t size) {
  static const double exact = 0x1p53; /* whole numbers up to here are themselves */
  const struct tensor_desc *like = figure <= FIGURE_REDUCTION ? &c->example.tensors[tensor] : NULL;
  struct formula f = {.product = 1, .sure = true};
  double value = 0, twice[AXES_MAX];
  char words[MSG_SIZE] = "";
  if (!figure_of(&c->example, figure, like, dim, &value)) value = 0;
  for (uint32_t a = 0; a < c->point.count; a++) {
    bool counts = c->point.values[a].type == AXIS_I64 && c->point.values[a].i64 > 0;
    if (counts && doubled(c, figure, like, dim, a, value, &twice[a])) continue;
    twice[a] = NAN;
    f.sure = f.sure && !counts;
  }
  if (value > 0) find_factors(c, &f, value, twice);
  bool known = value > 0 && value < exact && f.product < exact && find_parts(c, &f, value, twice);
  /* an axis that could not be doubled may hide in any number that is left */
  if (known && !f.sure) known = !f.sums && f.rest == 1;
  if (known && write_formula(c, &f, value, words, sizeof words))
    text_copy(to, size, words);
  else
    snprintf(to, size, "%.0f", value);
}

bool contract_axis_types(const struct contract *c, uint32_t axis) {
  for (size_t i = 0; i < c->probe_count; i++) {
    const struct probe *p = &c->probes[i];
    if (p->axis != axis || p->value.type != AXIS_STR || !p->known) continue;
    if (p->declaration.count != c->example.count) return true;
    for (uint32_t t = 0; t < c->example.count; t++)
      if (contract_probed_dtype(p, c->example.tensors[t].name) != c->example.tensors[t].dtype) return true;
  }
  return false;
}

uint32_t contract_probed_dtype(const struct probe *probe, const char *tensor) {
  const struct tensor_desc *t = probe->known ? find_tensor(&probe->declaration, tensor) : NULL;
  return t != NULL ? t->dtype : 0;
}

bool contract_is_dense(const struct tensor_desc *t) {
  int64_t dense = 1;
  for (uint32_t i = t->rank; i-- > 0;) {
    if (t->shape[i] > 1 && t->strides[i] != dense) return false;
    dense *= t->shape[i];
  }
  return true;
}

/* As case_math() has it for "native". */
const char *contract_native(const struct declaration *d) {
  for (uint32_t i = 0; i < d->count; i++)
    if (d->tensors[i].role == GB_IN || d->tensors[i].role == GB_INOUT) return check_native(d->tensors[i].dtype);
  return check_native(0);
}

const char *contract_role(uint32_t role) {
  static const char *const names[] = {"?", "in", "out", "inout", "scratch"};
  return names[role < sizeof names / sizeof names[0] ? role : 0];
}

void contract_fill(const struct tensor_desc *t, char *to, size_t size) {
  char a[32], b[32];
  text_shortest(a, sizeof a, t->fill_a);
  text_shortest(b, sizeof b, t->fill_b);
  if (size > 0) to[0] = '\0';
  if (t->role != GB_IN && t->role != GB_INOUT) return;
  if (t->fill == GB_FILL_BENCH) snprintf(to, size, "by the bench");
  if (t->fill == GB_FILL_NORMAL) snprintf(to, size, "normal, mean %s, std dev %s", a, b);
  if (t->fill == GB_FILL_UNIFORM) snprintf(to, size, "uniform in [%s, %s)", a, b);
}
