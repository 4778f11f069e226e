/* Numbers as people read them. C locale; nothing here prints NaN: it becomes an empty text. Pure. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The fewest digits that read back as the same value. */
void number_shortest(char *to, size_t size, double value);

/* Reads a whole number from 0 to `most`, also as tables of other programs write one back: 600.0, 1e+16, True. */
bool number_whole(const char *text, uint64_t most, uint64_t *to);

/* Fixed notation with that many significant digits: 0.1125, 18.33, 18330. Scientific beyond 1e-6 and 1e15. */
void number_significant(char *to, size_t size, double value, int digits);

/* Ratio with the decimals that suit `like`, so that a value and its interval line up: 1.097, 12.34, 0.0423; 4e+21
 * where they lie more than a thousandfold apart. */
void number_ratio(char *to, size_t size, double value, double like);

/* Two ratios as an interval: "[0.907, 0.917]"; empty where either is not known. */
void number_interval(char *to, size_t size, double lo, double hi, double like);

/* Share as a percentage without its sign: 71, 4.1. */
void number_percent(char *to, size_t size, double share);

/* Half an interval in percent of the value: 0.3; "<0.1" where it rounds to nothing, and "too noisy" where it is above
 * half of the value. */
void number_half_width(char *to, size_t size, double value, double lo, double hi);
/* The same behind a sign: "+-0.3%", or what the sign is in UTF-8. */
void number_plus_minus(char *to, size_t size, const char *sign, double value, double lo, double hi);

/* An error as 2.1e-3. */
void number_error(char *to, size_t size, double value);

/* A precision as run.ini has it, "0.005" or "0.5%", as a percentage; "the precision" for NULL and what is no number. */
void number_precision(char *to, size_t size, const char *precision);

struct number_unit {
  const char *name;
  double ns;
};

/* The unit in which a table with this typical time is read best: ns, us, ms, s. */
struct number_unit number_time_unit(double typical_ns);

/* A time in its own unit with four digits: "3.524 ms". */
void number_time(char *to, size_t size, double ns);

#endif
