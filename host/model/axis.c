/* Expands axis expressions, such as "1k:16k:x2", into lists of values. An axis is a parameter of a bench. */
#include "model/axis.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"

/* The state while one axis expression is expanded into values. */
struct expansion {
  const struct axis_desc *axis;
  const char *what, *item; /* item: the part of the expression that error messages quote */
  bool pow2;
  struct axis_value *values;
  size_t count;
  struct err *err;
};

static int refuse_item(struct expansion *x, const char *why) {
  return err_set(x->err, EXIT_USAGE, "%s: '%.80s' %s", x->what, x->item, why);
}

static struct axis_value *append_value(struct expansion *x) {
  if (x->count == AXIS_VALUES_MAX) {
    err_set(x->err, EXIT_USAGE, "%s: '%.80s' has more than %d values", x->what, x->item, AXIS_VALUES_MAX);
    return NULL;
  }
  x->values = xgrow(x->values, x->count, sizeof *x->values);
  struct axis_value *value = &x->values[x->count++];
  memset(value, 0, sizeof *value); /* clears the padding too, because values are sent and compared as bytes */
  value->type = x->axis->type;
  text_copy(value->name, sizeof value->name, x->axis->name);
  return value;
}

static int append_i64(struct expansion *x, int64_t number) {
  if (x->pow2 && (number < 0 || number > 62)) return refuse_item(x, "is no exponent of two from 0 to 62");
  struct axis_value *value = append_value(x);
  if (value == NULL) return -1;
  value->i64 = x->pow2 ? (int64_t)1 << number : number;
  snprintf(value->str, sizeof value->str, "%lld", (long long)value->i64);
  return 0;
}

static int append_f64(struct expansion *x, double number) {
  struct axis_value *value = append_value(x);
  if (value == NULL) return -1;
  value->f64 = number + 0.0; /* turns -0 into 0, because otherwise two different keys would mean the same value */
  text_shortest(value->str, sizeof value->str, value->f64);
  return 0;
}

/* Copies the next item of the comma-separated list at `*at` to `item`, without spaces around it. Returns false at the
 * end of the list. An item that does not fit is truncated. */
static bool next_item(const char **at, char *item, size_t size) {
  if (*at == NULL) return false;
  size_t length = strcspn(*at, ",");
  const char *start = *at, *end = start + length;
  *at = *end == ',' ? end + 1 : NULL;
  while (start < end && *start == ' ')
    start++;
  while (end > start && end[-1] == ' ')
    end--;
  length = (size_t)(end - start);
  text_copy(item, length < size ? length + 1 : size, start);
  return true;
}

static bool is_choice(const struct axis_desc *axis, const char *text) {
  char choice[EXPR_SIZE];
  for (const char *at = axis->choices; next_item(&at, choice, sizeof choice);)
    if (choice[0] != '\0' && strcmp(choice, text) == 0) return true;
  return false;
}

static int append_str(struct expansion *x, const char *text) {
  if (!is_choice(x->axis, text))
    return err_set(x->err, EXIT_USAGE, "%s: '%.80s' is not among %s", x->what, text, x->axis->choices);
  struct axis_value *value = append_value(x);
  if (value == NULL) return -1;
  if (!text_copy(value->str, sizeof value->str, text)) return refuse_item(x, "is too long for a value");
  return 0;
}

/* ---- Numbers ---- */

/* Returns the power of two that a unit stands for, or -1. */
static int unit_shift(const char *unit) {
  if (unit[0] == '\0') return 0;
  if (unit[1] != '\0') return -1;
  return unit[0] == 'k' ? 10 : unit[0] == 'M' ? 20 : unit[0] == 'G' ? 30 : -1;
}

static int parse_i64(struct expansion *x, const char *text, int64_t *number) {
  size_t sign = text[0] == '-' || text[0] == '+';
  if (strspn(text + sign, "0123456789") == 0) return refuse_item(x, "is not a whole number");
  char *end = NULL;
  errno = 0;
  long long value = strtoll(text, &end, 10);
  int shift = unit_shift(end);
  if (shift < 0) return refuse_item(x, "is not a whole number; units are k, M, G");
  if (errno == ERANGE || __builtin_mul_overflow(value, 1LL << shift, &value))
    return refuse_item(x, "does not fit 64 bits");
  *number = value;
  return 0;
}

static int parse_f64(struct expansion *x, const char *text, double *number) {
  size_t length = quantity_number(text, number);
  int shift = length > 0 ? unit_shift(text + length) : -1;
  if (shift < 0) return refuse_item(x, "is not a finite number; units are k, M, G");
  *number = ldexp(*number, shift);
  return isfinite(*number) ? 0 : refuse_item(x, "is not a finite number");
}

/* ---- Ranges "from:to:step"; with `times`, the step is a factor ---- */

static int range_i64(struct expansion *x, const char *from_text, const char *to_text, const char *step_text,
                     bool times) {
  int64_t at = 0, to = 0, step = 1;
  if (parse_i64(x, from_text, &at) || parse_i64(x, to_text, &to) || parse_i64(x, step_text, &step)) return -1;
  if (at > to) return refuse_item(x, "ends before it starts");
  if (times && step < 2) return refuse_item(x, "needs a factor of at least x2");
  if (times && at < 1) return refuse_item(x, "multiplies, so it must start above zero");
  if (step < 1) return refuse_item(x, "needs a step above zero");
  while (at <= to) {
    if (append_i64(x, at)) return -1;
    if (times ? __builtin_mul_overflow(at, step, &at) : __builtin_add_overflow(at, step, &at)) break;
  }
  return 0;
}

/* Rounds to 15 digits, so that 0.1 + 2 * 0.1 becomes 0.3. The values of a range, and the keys made from them, are then
 * the same as if a user had typed the values. */
static double round_value(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.15g", value);
  return strtod(text, NULL);
}

static int range_f64(struct expansion *x, const char *from_text, const char *to_text, const char *step_text,
                     bool times) {
  double from = 0, to = 0, step = 1;
  if (parse_f64(x, from_text, &from) || parse_f64(x, to_text, &to) || parse_f64(x, step_text, &step)) return -1;
  if (from > to) return refuse_item(x, "ends before it starts");
  if (times && step <= 1) return refuse_item(x, "needs a factor above x1");
  if (times && from <= 0) return refuse_item(x, "multiplies, so it must start above zero");
  if (step <= 0) return refuse_item(x, "needs a step above zero");
  /* The end belongs to the range even if steps like 0.1 do not add up to it exactly. */
  double steps = times ? log(to / from) / log(step) : (to - from) / step;
  if (!(steps < AXIS_VALUES_MAX)) return refuse_item(x, "has too many steps");
  for (int i = 0; i <= (int)floor(steps + 1e-9); i++) {
    double value = i == 0 ? from : round_value(times ? from * pow(step, i) : from + i * step);
    if (append_f64(x, value > to ? to : value)) return -1;
  }
  return 0;
}

/* Expands "v", "from:to", "from:to:step" or "from:to:xfactor". */
static int expand_number(struct expansion *x, char *text) {
  char *to = strchr(text, ':'), *step = NULL;
  if (to != NULL) {
    *to++ = '\0';
    step = strchr(to, ':');
    if (step != NULL) *step++ = '\0';
  }
  bool times = step != NULL && step[0] == 'x';
  const char *step_text = step == NULL ? "1" : times ? step + 1 : step;
  if (x->axis->type == AXIS_I64) return range_i64(x, text, to != NULL ? to : text, step_text, times);
  return range_f64(x, text, to != NULL ? to : text, step_text, times);
}

/* ---- Lists ---- */

/* Copies the expression without the brackets around it, if it has any. */
static bool unwrap(char *to, size_t size, const char *expression) {
  size_t length = strlen(expression);
  if (length < 2 || expression[0] != '[' || expression[length - 1] != ']') return text_copy(to, size, expression);
  if (length - 2 >= size) return false;
  memcpy(to, expression + 1, length - 2);
  to[length - 2] = '\0';
  return true;
}

bool axis_unknown_item(const struct axis_desc *axis, const char *expression, char *item, size_t size) {
  char list[EXPR_SIZE], text[EXPR_SIZE];
  if (axis->type != AXIS_STR || !unwrap(list, sizeof list, expression)) return false;
  for (const char *at = list; next_item(&at, text, sizeof text);) {
    if (is_choice(axis, text)) continue;
    text_copy(item, size, text);
    return true;
  }
  return false;
}

static int expand_item(struct expansion *x, char *text) {
  char item[EXPR_SIZE];
  if (text[0] == '\0') return err_set(x->err, EXIT_USAGE, "%s: an item is empty", x->what);
  text_copy(item, sizeof item, text);
  x->item = item;
  int failed = x->axis->type == AXIS_STR ? append_str(x, text) : expand_number(x, text);
  x->item = NULL;
  return failed;
}

int axis_expand(const struct axis_desc *axis, const char *expression, bool pow2, const char *what,
                struct axis_value **values, size_t *count, struct err *err) {
  struct expansion x = {.axis = axis, .what = what, .pow2 = pow2, .err = err};
  char list[EXPR_SIZE], text[EXPR_SIZE];
  *values = NULL;
  *count = 0;
  if (pow2 && axis->type != AXIS_I64)
    return err_set(err, EXIT_USAGE, "%s: [pow2] needs whole numbers; axis '%s' has none", what, axis->name);
  if (!unwrap(list, sizeof list, expression))
    return err_set(err, EXIT_USAGE, "%s: %zu bytes of values, at most %d", what, strlen(expression), EXPR_SIZE - 1);
  for (const char *at = list; next_item(&at, text, sizeof text);) {
    if (expand_item(&x, text) == 0) continue;
    free(x.values);
    return -1;
  }
  *values = x.values;
  *count = x.count;
  return 0;
}

const char *axis_type_name(uint32_t type) {
  return type == AXIS_I64 ? "i64" : type == AXIS_F64 ? "f64" : type == AXIS_STR ? "str" : "?";
}

const char *axis_default(const struct axis_desc *axis, const char *backend) {
  for (uint32_t i = 0; i < axis->default_count && i < BACKENDS_MAX; i++)
    if (strcmp(axis->defaults[i].backend, backend) == 0) return axis->defaults[i].values;
  return axis->values;
}

/* ---- Points ---- */

static int unknown_axis(const struct bench_desc *bench, const char *name, const char *what, struct err *err) {
  const char *names[AXES_MAX];
  char all[EXPR_SIZE];
  for (uint32_t i = 0; i < bench->axis_count; i++)
    names[i] = bench->axes[i].name;
  text_join(all, sizeof all, names, bench->axis_count);
  return err_set(err, EXIT_USAGE, "%s: '%.80s' is no axis of %s, which has %s", what, name, bench->name,
                 bench->axis_count > 0 ? all : "none");
}

/* Parses "name=value" into `found`, which has an entry for each axis of the bench. */
static int take_axis_value(const struct bench_desc *bench, char *text, const char *what, struct axis_value **found,
                           struct err *err) {
  char *value = strchr(text, '=');
  if (value == NULL) return err_set(err, EXIT_USAGE, "%s: '%.80s' is not NAME=VALUE", what, text);
  *value++ = '\0';
  text_percent_decode(value);
  uint32_t axis = 0;
  while (axis < bench->axis_count && strcmp(bench->axes[axis].name, text) != 0)
    axis++;
  if (axis == bench->axis_count) return unknown_axis(bench, text, what, err);
  if (found[axis] != NULL) return err_set(err, EXIT_USAGE, "%s: axis '%s' is given twice", what, text);
  size_t count = 0;
  if (axis_expand(&bench->axes[axis], value, false, what, &found[axis], &count, err)) return -1;
  if (count == 1) return 0;
  return err_set(err, EXIT_USAGE, "%s: '%s=%.80s' is %zu values, not one", what, text, value, count);
}

int axis_point(const struct bench_desc *bench, const char *text, const char *what, struct point *point,
               struct err *err) {
  struct axis_value *found[AXES_MAX] = {NULL};
  char item[EXPR_SIZE + ID_SIZE];
  int failed = 0;
  memset(point, 0, sizeof *point);
  for (const char *at = text; !failed && next_item(&at, item, sizeof item);) {
    if (item[0] == '\0')
      failed = err_set(err, EXIT_USAGE, "%s: an item of '%.200s' is empty", what, text);
    else if (strlen(item) == sizeof item - 1)
      failed = err_set(err, EXIT_USAGE, "%s: '%.80s...' is too long", what, item);
    else
      failed = take_axis_value(bench, item, what, found, err);
  }
  for (uint32_t i = 0; i < bench->axis_count; i++) {
    if (found[i] != NULL) point->values[point->count++] = *found[i];
    free(found[i]);
  }
  return failed;
}

int64_t axis_devices(const struct bench_desc *bench, const struct point *point) {
  return bench->devices_axis > 0 && bench->devices_axis <= point->count ? point->values[bench->devices_axis - 1].i64
                                                                        : 1;
}
