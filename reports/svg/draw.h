/* What all charts are drawn with: the frame, text, marks and lines. */
#ifndef SVG_DRAW_H
#define SVG_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "svg/svg.h"

/* Text of less weight, and lines of the grid, in the text's own colour. */
#define SVG_SOFT_OPACITY 0.78
#define SVG_SOFT "fill-opacity=\"0.78\""
#define SVG_BOLD "font-weight=\"600\""
#define SVG_BOLD_WIDTH 1.25 /* against svg_text_width() */
#define SVG_LIMIT "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\"0.8\""

void svg_open(FILE *out, const struct svg_head *head, int height);
/* Escaped text, cut after `most` characters. `extra` is our own markup of attributes. */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *extra, const char *text, size_t most);
double svg_text_width(const char *text, size_t most);
/* The sign of series `index` around a point. */
void svg_mark(FILE *out, size_t index, double x, double y, const char *tip);
void svg_mark_hollow(FILE *out, size_t index, double x, double y, const char *tip);
void svg_title(FILE *out, const char *tip); /* nothing for NULL */
const char *svg_dash(size_t index);
const char *svg_color(size_t index);
/* A straight line in the text's colour. */
void svg_rule(FILE *out, double x1, double y1, double x2, double y2, double opacity);
/* Mark, name and note at the left of `y`. */
void svg_row_title(FILE *out, double y, size_t place, const char *name, const char *note);

/* Marks and names in rows above a plot; `y` is that of the last row. */
struct svg_legend {
  FILE *out; /* NULL: it is measured, not drawn */
  double right, x, y;
};
struct svg_legend svg_legend_begin(FILE *out, double right);
void svg_legend_add(struct svg_legend *legend, size_t place, const char *name);
void svg_legend_line(struct svg_legend *legend, size_t dash, const char *name); /* of a limit */

/* From values to pixels: linear from zero, linear between two numbers, logarithmic; their ticks and the ticks' texts.
 */

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

/* The frame of a plot between two scales. */

/* The uprights of x, and their numbers below them where there is room. */
void svg_columns(FILE *out, const struct svg_scale *x, double top, double bottom, bool bytes);
/* Both axes, a line and a number at each tick that has room for it; `below` is what x counts. */
void svg_grid(FILE *out, const struct svg_scale *x, const struct svg_scale *y, const char *below);

/* What the two drawings of a chart, lines and bars, know of its series. */

/* The range of all that the chart shows; a wide interval does not flatten the rest. */
void svg_range(const struct svg_chart *chart, double *lo, double *hi);

#endif
