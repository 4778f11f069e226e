/* From values to pixels: linear from zero, linear between two numbers, logarithmic; their ticks and the ticks' texts.
 */
#ifndef SVG_SCALE_H
#define SVG_SCALE_H

#include <stdbool.h>
#include <stddef.h>

enum { SVG_TICKS_MAX = 24 };

struct svg_scale {
  double lo, hi; /* of the data, rounded outward */
  bool log;
  double from, to; /* pixels */
  double ticks[SVG_TICKS_MAX];
  size_t tick_count;
};

/* Can it be drawn where only positive numbers can? */
bool svg_known(double value);
/* From 0, or logarithmic where the largest is over 25 times the smallest. `lo` and `hi` are made positive. */
void svg_scale_init(struct svg_scale *scale, double lo, double hi, double from, double to, bool allow_log);
/* Logarithmic, outward to 1, 2 or 5 times a power of ten. */
void svg_scale_log(struct svg_scale *scale, double lo, double hi, double from, double to);
/* Linear; may be negative. About `wanted` ticks. */
void svg_scale_span(struct svg_scale *scale, double lo, double hi, double from, double to, int wanted);
/* Values beyond the ends are put on them. */
double svg_scale_at(const struct svg_scale *scale, double value);
/* A tick in few characters: 4096, 128Ki, 5M; 8 MB where bytes are counted. */
void svg_number(char *to, size_t size, double value, bool bytes);
/* "+0.05%", "-12.3%", "+10000%". */
void svg_percent(char *to, size_t size, double value);

#endif
