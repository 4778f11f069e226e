/* What the kinds of charts share. */
#ifndef REPORTS_SVG_PARTS_H
#define REPORTS_SVG_PARTS_H

#include "reports/svg.h"

enum { SVG_WIDTH = 600, SVG_TICKS_MAX = 24 };

struct svg_scale {
  double lo, hi; /* of the data, rounded outward */
  bool log;
  double from, to; /* pixels */
  double ticks[SVG_TICKS_MAX];
  size_t tick_count;
};

/* A scale for all values of the chart: from 0, or logarithmic where the largest is over 25 times the smallest. */
void svg_scale_init(struct svg_scale *scale, const struct svg_chart *chart, double from, double to, bool allow_log);
/* Can it be drawn? */
bool svg_known(double value);
double svg_scale_at(const struct svg_scale *scale, double value);

void svg_open(FILE *out, const struct svg_chart *chart, int height);
/* Escaped text, cut after `most` characters. `extra` is our own markup of attributes. */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *extra, const char *text, size_t most);
double svg_text_width(const char *text, size_t most);
/* The sign of series `index` around a point. */
void svg_mark(FILE *out, size_t index, double x, double y, const char *tip);
const char *svg_dash(size_t index);
/* Place among the series that are no limits; colours, dashes and marks go by it. */
size_t svg_place(const struct svg_chart *chart, size_t series);

void svg_lines(FILE *out, const struct svg_chart *chart);
void svg_bars(FILE *out, const struct svg_chart *chart);

#endif
