/* Numbers as people read them. C locale; nothing here prints NaN: it becomes an empty text. Pure. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct number {
  char text[64];
};

/* The fewest digits that read back as the same value. */
struct number number_shortest(double value);

/* Reads a whole number from 0 to `most`, also as tables of other programs write one back: 600.0, 1e+16, True. */
bool number_whole(const char *text, uint64_t most, uint64_t *to);

/* Fixed notation with that many significant digits: 0.1125, 18.33, 18330. Scientific beyond 1e-6 and 1e15. */
struct number number_significant(double value, int digits);

/* Ratio with the decimals that suit `like`, so that a value and its interval line up: 1.097, 12.34, 0.0423; 4e+21
 * where they lie more than a thousandfold apart. */
struct number number_ratio(double value, double like);

/* Two ratios as an interval: "[0.907, 0.917]"; empty where either is not known. */
struct number number_interval(double lo, double hi, double like);

/* Share as a percentage without its sign: 71, 4.1. */
struct number number_percent(double share);

/* Half an interval in percent of the value: 0.3; "<0.1" where it rounds to nothing, and "too noisy" where it is above
 * half of the value. */
struct number number_half_width(double value, double lo, double hi);
/* The same behind a sign: "+-0.3%", or what the sign is in UTF-8. */
struct number number_plus_minus(const char *sign, double value, double lo, double hi);

/* An error as 2.1e-3. */
struct number number_error(double value);

struct number_unit {
  const char *name;
  double ns;
};

/* The unit in which a table with this typical time is read best: ns, us, ms, s. */
struct number_unit number_time_unit(double typical_ns);

/* A time in its own unit with four digits: "3.524 ms". */
struct number number_time(double ns);

/* Reads a finite decimal number at the start of `text`. Returns how many bytes it has, 0 if there is none. */
size_t quantity_number(const char *text, double *value);

/* "30", "30s", "2m", "1h", "500ms": seconds, from 1 ms to a week. */
int quantity_time(const char *what, const char *text, double *seconds, struct err *err);

/* "0.5%" or "0.005": a share, from 0.001% to 20%. */
int quantity_share(const char *what, const char *text, double *share, struct err *err);

/* A share, or "0": none is precise enough. */
int quantity_precision(const char *what, const char *text, double *share, struct err *err);

/* "10MB", "1GiB", "4096": bytes, decimal and binary prefixes, up to 2^60. */
int quantity_bytes(const char *what, const char *text, double *bytes, struct err *err);

/* A whole number from 1 to `most`. */
int quantity_count(const char *what, const char *text, uint32_t most, uint32_t *count, struct err *err);

/* "2/4": a whole number from 1 to the one behind it, which is at most `most`. */
int quantity_part(const char *what, const char *text, uint32_t most, uint32_t *number, uint32_t *of, struct err *err);

/* A whole number from 0 to 2^64 - 1. */
int quantity_seed(const char *what, const char *text, uint64_t *seed, struct err *err);

#endif
