/* Formats numbers for people and parses numbers that people write, always with a decimal point. NaN is never printed:
 * it becomes an empty text. No I/O. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct number {
  char text[64];
};

/* Formats a number with the fewest digits that read back as the same value. */
struct number number_shortest(double value);

/* Parses a whole number from 0 to `most`. Also accepts the spellings that tables of other programs have: 600.0, 1e+16,
 * True. */
bool number_whole(const char *text, uint64_t most, uint64_t *to);

/* Formats a number in fixed notation with this many significant digits: 0.1125, 18.33, 18330. Below 1e-6 and from 1e15
 * on the notation is scientific. */
struct number number_significant(double value, int digits);

/* Formats a ratio with as many decimals as suit the number `like`: 1.097, 12.34, 0.0423. A value and the ends of its
 * interval are formatted with the same `like`, so that they get equally many decimals. If `value` differs from `like`
 * more than a thousandfold, the form is 4e+21. */
struct number number_ratio(double value, double like);

/* Formats an interval of two ratios: "[0.907, 0.917]"; empty if either is not known. */
struct number number_interval(double lo, double hi, double like);

/* Formats a share as a percentage without the percent sign: 71, 4.1. */
struct number number_percent(double share);

/* Formats half the width of an interval in percent of the value: "0.3". The text is "<0.1" if that rounds to zero, and
 * "too noisy" if half the width is more than half of the value. */
struct number number_half_width(double value, double lo, double hi);
/* Formats half the width of an interval as number_half_width() does, with a percent sign and with `sign` in front:
 * "+-0.3%". `sign` is "+-" or the UTF-8 character for it. */
struct number number_plus_minus(const char *sign, double value, double lo, double hi);

/* Formats a ratio with its interval: "0.912x [0.907, 0.917]"; without the interval if that is not known. */
struct number number_ratio_within(double ratio, double lo, double hi);
/* Formats a time with half the width of its interval, as number_plus_minus() does: "3.524 ms +-0.3%". */
struct number number_time_within(const char *sign, double ns, double lo, double hi);

/* Formats a relative error with two digits: 2.1e-3. */
struct number number_error(double value);

struct number_unit {
  const char *name;
  double ns;
};

/* Returns the unit (ns, us, ms or s) for a table whose times are about `typical_ns`. */
struct number_unit number_time_unit(double typical_ns);

/* Formats a time with four digits, in the unit that suits it: "3.524 ms". */
struct number number_time(double ns);

/* Parses a finite decimal number at the start of `text`. Returns how many bytes of `text` the number takes, 0 if there
 * is none. */
size_t quantity_number(const char *text, double *value);

/* Parses "30", "30s", "2m", "1h" or "500ms" to seconds, from 1 ms to a week. */
int quantity_time(const char *what, const char *text, double *seconds, struct err *err);

/* Parses "0.5%" or "0.005", a share from 0.001% to 20%. */
int quantity_share(const char *what, const char *text, double *share, struct err *err);

/* Parses a precision: a share as quantity_share() does, or "0", a precision that is never reached. */
int quantity_precision(const char *what, const char *text, double *share, struct err *err);

/* Parses "10MB", "1GiB" or "4096" to bytes, up to 2^60; prefixes are decimal and binary. */
int quantity_bytes(const char *what, const char *text, double *bytes, struct err *err);

/* Parses a whole number from 1 to `most`. */
int quantity_count(const char *what, const char *text, uint32_t most, uint32_t *count, struct err *err);

/* Parses two whole numbers such as "2/4". The first must be from 1 to the second, and the second must be at most
 * `most`. */
int quantity_part(const char *what, const char *text, uint32_t most, uint32_t *number, uint32_t *of, struct err *err);

/* Parses a whole number from 0 to 2^64 - 1. */
int quantity_seed(const char *what, const char *text, uint64_t *seed, struct err *err);
