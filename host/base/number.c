/* Formats and parses numbers. */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

static struct number print_number(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct number print_number(const char *format, ...) {
  struct number number;
  va_list args;
  va_start(args, format);
  vsnprintf(number.text, sizeof number.text, format, args);
  va_end(args);
  return number;
}

/* Formats NaN and infinities, which have no digits. */
static struct number special(double value) {
  return print_number("%s", isnan(value) ? "" : value > 0 ? "inf" : "-inf");
}

/* Returns the decimal exponent that the value has after rounding to this many digits. For 9.9996 and four digits that
 * is 1, because the rounded value is 10.00. */
static int exponent(double value, int digits) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return atoi(strchr(text, 'e') + 1);
}

struct number number_shortest(double value) {
  struct number number = special(value);
  if (isfinite(value)) text_shortest(number.text, sizeof number.text, value);
  return number;
}

bool number_whole(const char *text, uint64_t most, uint64_t *to) {
  char *end = NULL;
  const bool yes = strcmp(text, "True") == 0;
  errno = 0;
  *to = yes;
  if (yes || strcmp(text, "False") == 0) return most > 0;
  if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.eE+-") != strlen(text)) return false;
  *to = strtoull(text, &end, 10);
  if (*end == '\0') return errno == 0 && *to <= most;
  const double value = strtod(text, &end);
  /* rejects a number that a uint64_t cannot hold */
  if (*end != '\0' || value != floor(value) || value >= 0x1p64) return false;
  *to = (uint64_t)value;
  return *to <= most;
}

struct number number_significant(double value, int digits) {
  if (!isfinite(value)) return special(value);
  if (value == 0) return print_number("0");
  const int power = exponent(value, digits);
  if (power >= 15 || power < -6) return print_number("%.*e", digits - 1, value);
  return print_number("%.*f", power < digits ? digits - 1 - power : 0, value);
}

struct number number_ratio(double value, double like) {
  if (!isfinite(value)) return special(value);
  const int power = isfinite(like) && like != 0 ? exponent(like, 4) : 0;
  const int decimals = power < -1 ? 2 - power : power < 0 ? 3 : 3 - power;
  /* `value` differs from `like` more than a thousandfold: one digit says enough, as for the end of a wide interval */
  const bool far = isfinite(like) && like > 0 && value > 0 && fabs(log10(value / like)) > 3;
  if (far) return print_number("%.0e", value);
  return print_number("%.*f", decimals < 0 ? 0 : decimals > 12 ? 12 : decimals, value);
}

struct number number_interval(double lo, double hi, double like) {
  if (isnan(lo) || isnan(hi)) return print_number("%s", "");
  return print_number("[%.29s, %.29s]", number_ratio(lo, like).text, number_ratio(hi, like).text);
}

struct number number_percent(double share) {
  if (!isfinite(share)) return special(share);
  return print_number(share < 0.0995 ? "%.1f" : "%.0f", 100 * share);
}

struct number number_half_width(double value, double lo, double hi) {
  const double percent = 100 * (hi - lo) / 2 / value;
  if (!isfinite(percent)) return special(percent);
  if (percent < 0.05) return print_number("<0.1");
  if (percent > 50) return print_number("too noisy");
  return print_number("%.1f", percent);
}

struct number number_plus_minus(const char *sign, double value, double lo, double hi) {
  const struct number half = number_half_width(value, lo, hi);
  const bool figure = half.text[0] != '\0' && strchr(half.text, ' ') == NULL;
  return print_number("%s%s%s", figure ? sign : "", half.text, figure ? "%" : "");
}

struct number number_ratio_within(double ratio, double lo, double hi) {
  const struct number text = number_ratio(ratio, ratio), interval = number_interval(lo, hi, ratio);
  if (text.text[0] == '\0') return text;
  return print_number("%.15sx%s%.40s", text.text, interval.text[0] != '\0' ? " " : "", interval.text);
}

struct number number_time_within(const char *sign, double ns, double lo, double hi) {
  const struct number time = number_time(ns), half = number_plus_minus(sign, ns, lo, hi);
  return print_number("%.30s%s%.30s", time.text, half.text[0] != '\0' ? " " : "", half.text);
}

struct number number_error(double value) {
  if (!isfinite(value)) return special(value);
  if (value == 0) return print_number("0");
  struct number number = print_number("%.1e", value);
  char *e = strchr(number.text, 'e');
  const int power = atoi(e + 1);
  *e = '\0';
  return print_number("%se%d", number.text, power);
}

struct number_unit number_time_unit(double typical_ns) {
  static const struct number_unit units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  size_t unit = 0;
  while (unit < 3 && typical_ns >= 999.95 * units[unit].ns)
    unit++;
  return units[unit];
}

struct number number_time(double ns) {
  const struct number_unit unit = number_time_unit(ns);
  const struct number digits = number_significant(ns / unit.ns, 4);
  return digits.text[0] != '\0' ? print_number("%s %s", digits.text, unit.name) : digits;
}

/* ---- Parsing numbers as people write them ---- */

size_t quantity_number(const char *text, double *value) {
  /* strtod() would also accept "inf", "nan", hexadecimal and leading white space. */
  if (text[0] == '\0' || strchr("0123456789+-.", text[0]) == NULL) return 0;
  if (strspn(text, "+-") > 1 || strspn(text + strspn(text, "+-"), "0123456789.") == 0) return 0;
  if (strncasecmp(text + strspn(text, "+-"), "0x", 2) == 0) return 0;
  char *end = NULL;
  double number = strtod(text, &end);
  if (!isfinite(number)) return 0;
  *value = number;
  return (size_t)(end - text);
}

int quantity_time(const char *what, const char *text, double *seconds, struct err *err) {
  static const struct {
    const char *unit;
    double seconds;
  } units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
  double number = 0;
  size_t length = quantity_number(text, &number);
  for (size_t i = 0; length > 0 && i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(text + length, units[i].unit) != 0) continue;
    *seconds = number * units[i].seconds;
    if (*seconds >= 1e-3 && *seconds <= 7 * 24 * 3600.0) return 0;
    return err_set(err, EXIT_USAGE, "%s '%.64s' is out of range: 1ms to 168h", what, text);
  }
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not a time; write 30, 30s, 2m or 500ms", what, text);
}

int quantity_share(const char *what, const char *text, double *share, struct err *err) {
  double number = 0;
  size_t length = quantity_number(text, &number);
  bool percent = length > 0 && strcmp(text + length, "%") == 0;
  if (length == 0 || (text[length] != '\0' && !percent))
    return err_set(err, EXIT_USAGE, "%s '%.64s' is not a share; write 0.5%% or 0.005", what, text);
  *share = percent ? number / 100 : number;
  if (*share >= 1e-5 && *share <= 0.2) return 0;
  return err_set(err, EXIT_USAGE, "%s '%.64s' is %g%%, out of range: 0.001%% to 20%%", what, text, *share * 100);
}

int quantity_precision(const char *what, const char *text, double *share, struct err *err) {
  double number = 1;
  if (quantity_number(text, &number) != strlen(text) || number != 0) return quantity_share(what, text, share, err);
  *share = 0;
  return 0;
}

int quantity_seed(const char *what, const char *text, uint64_t *seed, struct err *err) {
  char *end = NULL;
  errno = 0;
  unsigned long long number = strtoull(text, &end, 10);
  if (strspn(text, "0123456789") != strlen(text) || text[0] == '\0')
    return err_set(err, EXIT_USAGE, "%s '%.64s' is not a whole number", what, text);
  if (errno == ERANGE) return err_set(err, EXIT_USAGE, "%s '%.64s' is out of range: 0 to 2^64 - 1", what, text);
  *seed = number;
  return 0;
}

int quantity_bytes(const char *what, const char *text, double *bytes, struct err *err) {
  static const struct {
    const char *name;
    double factor;
  } units[] = {{"", 1},     {"B", 1},     {"kB", 1e3},    {"KB", 1e3},      {"MB", 1e6},
               {"GB", 1e9}, {"TB", 1e12}, {"KiB", 1024},  {"MiB", 1048576}, {"GiB", 1073741824},
               {"k", 1024}, {"K", 1024},  {"M", 1048576}, {"G", 1073741824}};
  double number = 0;
  size_t length = quantity_number(text, &number);
  for (size_t i = 0; length > 0 && i < sizeof units / sizeof units[0]; i++) {
    if (strcmp(text + length, units[i].name) != 0) continue;
    *bytes = number * units[i].factor;
    if (*bytes >= 0 && *bytes <= 1152921504606846976.0) return 0;
  }
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not a size like 10MB, 1GiB or 4096, at most 1024 PiB", what, text);
}

int quantity_count(const char *what, const char *text, uint32_t most, uint32_t *count, struct err *err) {
  uint64_t value = 0;
  struct err ignored = {0};
  if (quantity_seed(what, text, &value, &ignored) != 0 || value < 1 || value > most)
    return err_set(err, EXIT_USAGE, "%s '%.64s' is not a whole number from 1 to %u", what, text, most);
  *count = (uint32_t)value;
  return 0;
}

int quantity_part(const char *what, const char *text, uint32_t most, uint32_t *number, uint32_t *of, struct err *err) {
  char first[16] = "";
  const size_t length = strcspn(text, "/");
  struct err ignored = {0};
  if (length < sizeof first) text_copy(first, length + 1, text);
  if (text[length] == '/' && quantity_count(what, text + length + 1, most, of, &ignored) == 0 &&
      quantity_count(what, first, *of, number, &ignored) == 0)
    return 0;
  return err_set(err, EXIT_USAGE, "%s '%.64s' is not I/N, with N from 1 to %u and I from 1 to N, such as 2/4", what,
                 text, most);
}
