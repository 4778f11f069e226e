/* Number formats. */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static struct number print(const char *format, ...) __attribute__((format(printf, 1, 2)));
static struct number print(const char *format, ...) {
  struct number number;
  va_list args;
  va_start(args, format);
  vsnprintf(number.text, sizeof number.text, format, args);
  va_end(args);
  return number;
}

/* NaN and infinities have no digits. */
static struct number special(double value) {
  return print("%s", isnan(value) ? "" : value > 0 ? "inf" : "-inf");
}

/* Decimal exponent after rounding to so many digits: 9.9996 with four digits is 10.00, exponent 1. */
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
  if (*end != '\0' || value != floor(value) || value >= 0x1p64) return false; /* which no uint64_t is */
  *to = (uint64_t)value;
  return *to <= most;
}

struct number number_significant(double value, int digits) {
  if (!isfinite(value)) return special(value);
  if (value == 0) return print("0");
  const int power = exponent(value, digits);
  if (power >= 15 || power < -6) return print("%.*e", digits - 1, value);
  return print("%.*f", power < digits ? digits - 1 - power : 0, value);
}

struct number number_ratio(double value, double like) {
  if (!isfinite(value)) return special(value);
  const int power = isfinite(like) && like != 0 ? exponent(like, 4) : 0;
  const int decimals = power < -1 ? 2 - power : power < 0 ? 3 : 3 - power;
  const bool far =
      isfinite(like) && like > 0 && value > 0 && fabs(log10(value / like)) > 3; /* an interval that says little */
  if (far) return print("%.0e", value);
  return print("%.*f", decimals < 0 ? 0 : decimals > 12 ? 12 : decimals, value);
}

struct number number_interval(double lo, double hi, double like) {
  if (isnan(lo) || isnan(hi)) return print("%s", "");
  return print("[%.29s, %.29s]", number_ratio(lo, like).text, number_ratio(hi, like).text);
}

struct number number_percent(double share) {
  if (!isfinite(share)) return special(share);
  return print(share < 0.0995 ? "%.1f" : "%.0f", 100 * share);
}

struct number number_half_width(double value, double lo, double hi) {
  const double percent = 100 * (hi - lo) / 2 / value;
  if (!isfinite(percent)) return special(percent);
  if (percent < 0.05) return print("<0.1");
  if (percent > 50) return print("too noisy");
  return print("%.1f", percent);
}

struct number number_plus_minus(const char *sign, double value, double lo, double hi) {
  const struct number half = number_half_width(value, lo, hi);
  const bool figure = half.text[0] != '\0' && strchr(half.text, ' ') == NULL;
  return print("%s%s%s", figure ? sign : "", half.text, figure ? "%" : "");
}

struct number number_error(double value) {
  if (!isfinite(value)) return special(value);
  if (value == 0) return print("0");
  struct number number = print("%.1e", value);
  char *e = strchr(number.text, 'e');
  const int power = atoi(e + 1);
  *e = '\0';
  return print("%se%d", number.text, power);
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
  return digits.text[0] != '\0' ? print("%s %s", digits.text, unit.name) : digits;
}
