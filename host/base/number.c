/* Number formats. */
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* NaN and infinities have no digits. True if it wrote the text. */
static bool special(char *to, size_t size, double value) {
  if (isfinite(value)) return false;
  snprintf(to, size, "%s", isnan(value) ? "" : value > 0 ? "inf" : "-inf");
  return true;
}

/* Decimal exponent after rounding to so many digits: 9.9996 with four digits is 10.00, exponent 1. */
static int exponent(double value, int digits) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return atoi(strchr(text, 'e') + 1);
}

void number_shortest(char *to, size_t size, double value) {
  if (special(to, size, value)) return;
  text_shortest(to, size, value);
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

void number_significant(char *to, size_t size, double value, int digits) {
  if (special(to, size, value)) return;
  if (value == 0) {
    snprintf(to, size, "0");
    return;
  }
  int power = exponent(value, digits);
  if (power >= 15 || power < -6)
    snprintf(to, size, "%.*e", digits - 1, value);
  else
    snprintf(to, size, "%.*f", power < digits ? digits - 1 - power : 0, value);
}

void number_ratio(char *to, size_t size, double value, double like) {
  if (special(to, size, value)) return;
  int power = isfinite(like) && like != 0 ? exponent(like, 4) : 0;
  int decimals = power < -1 ? 2 - power : power < 0 ? 3 : 3 - power;
  if (decimals < 0) decimals = 0;
  bool far =
      isfinite(like) && like > 0 && value > 0 && fabs(log10(value / like)) > 3; /* an interval that says little */
  if (far)
    snprintf(to, size, "%.0e", value);
  else
    snprintf(to, size, "%.*f", decimals > 12 ? 12 : decimals, value);
}

void number_interval(char *to, size_t size, double lo, double hi, double like) {
  char from[64], up_to[64];
  number_ratio(from, sizeof from, lo, like);
  number_ratio(up_to, sizeof up_to, hi, like);
  to[0] = '\0';
  if (from[0] != '\0' && up_to[0] != '\0') snprintf(to, size, "[%s, %s]", from, up_to);
}

void number_percent(char *to, size_t size, double share) {
  if (special(to, size, share)) return;
  snprintf(to, size, share < 0.0995 ? "%.1f" : "%.0f", 100 * share);
}

void number_half_width(char *to, size_t size, double value, double lo, double hi) {
  double percent = 100 * (hi - lo) / 2 / value;
  if (special(to, size, percent)) return;
  if (percent < 0.05)
    snprintf(to, size, "<0.1");
  else if (percent > 50)
    snprintf(to, size, "too noisy");
  else
    snprintf(to, size, "%.1f", percent);
}

void number_plus_minus(char *to, size_t size, const char *sign, double value, double lo, double hi) {
  char half[32];
  number_half_width(half, sizeof half, value, lo, hi);
  const bool figure = half[0] != '\0' && strchr(half, ' ') == NULL;
  snprintf(to, size, "%s%s%s", figure ? sign : "", half, figure ? "%" : "");
}

void number_error(char *to, size_t size, double value) {
  char text[64];
  if (special(to, size, value)) return;
  snprintf(text, sizeof text, "%.1e", value);
  char *e = strchr(text, 'e');
  int power = atoi(e + 1);
  *e = '\0';
  if (value == 0)
    snprintf(to, size, "0");
  else
    snprintf(to, size, "%se%d", text, power);
}

void number_precision(char *to, size_t size, const char *precision) {
  double value = precision != NULL ? strtod(precision, NULL) : 0;
  if (!(value > 0) || !isfinite(value))
    snprintf(to, size, "the precision");
  else
    snprintf(to, size, "%g%%", precision != NULL && strchr(precision, '%') != NULL ? value : 100 * value);
}

struct number_unit number_time_unit(double typical_ns) {
  static const struct number_unit units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  size_t unit = 0;
  while (unit < 3 && typical_ns >= 999.95 * units[unit].ns)
    unit++;
  return units[unit];
}

void number_time(char *to, size_t size, double ns) {
  char digits[64];
  struct number_unit unit = number_time_unit(ns);
  number_significant(digits, sizeof digits, ns / unit.ns, 4);
  snprintf(to, size, digits[0] != '\0' ? "%s %s" : "%s", digits, unit.name);
}
