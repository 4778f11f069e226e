/* Drawing primitives of all charts: frames, texts, marks, lines, scales. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "svg/svg.h"

/* Attributes for text and grid lines that are less prominent, but in the text's own colour. */
#define SVG_SOFT_OPACITY 0.78
#define SVG_SOFT "fill-opacity=\"0.78\""
#define SVG_BOLD "font-weight=\"600\""
#define SVG_BOLD_WIDTH 1.25 /* width of bold text, relative to svg_text_width() */
#define SVG_LIMIT "fill=\"none\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\"0.8\""

void svg_open(FILE *out, const struct svg_head *head, int height);
/* Writes the text escaped, cut after `most` code points. `extra` holds further attributes; it is trusted and not
 * escaped. */
void svg_text(FILE *out, double x, double y, const char *anchor, const char *extra, const char *text, size_t most);
double svg_text_width(const char *text, size_t most);
/* Draws the mark of series `index` (its shape and colour) around a point. `tip` is shown on hover and may be NULL. */
void svg_mark(FILE *out, size_t index, double x, double y, const char *tip);
void svg_mark_hollow(FILE *out, size_t index, double x, double y, const char *tip);
void svg_title(FILE *out, const char *tip); /* writes a tool tip; nothing for NULL */
const char *svg_dash(size_t index);
const char *svg_color(size_t index);
/* Draws a straight line in the text's colour. */
void svg_rule(FILE *out, double x1, double y1, double x2, double y2, double opacity);
/* Writes a row's title at the left: mark, name and note. `y` is the text's baseline. */
void svg_row_title(FILE *out, double y, size_t place, const char *name, const char *note);

/* A legend: marks and names in rows above a plot. `y` is the baseline of the last row. */
struct svg_legend {
  FILE *out; /* NULL: only measures the legend, draws nothing */
  double right, x, y;
};
struct svg_legend svg_legend_begin(FILE *out, double right);
void svg_legend_add(struct svg_legend *legend, size_t place, const char *name);
/* adds the line and the name of a ceiling */
void svg_legend_line(struct svg_legend *legend, size_t dash, const char *name);

/* Scales map values to pixels. A scale is linear from zero, linear between two numbers, or logarithmic; it has ticks,
 * for which svg_number() writes the texts. */

enum { SVG_TICKS_MAX = 24 };

struct svg_scale {
  double lo, hi; /* range of the data, rounded outward */
  bool log;
  double from, to; /* the pixels that `lo` and `hi` are mapped to */
  double ticks[SVG_TICKS_MAX];
  size_t tick_count;
};

/* Returns true if the value is finite and positive. */
bool svg_known(double value);
/* Makes a linear scale from 0, or a logarithmic one if `allow_log` is true and the largest value is over 25 times the
 * smallest. If `lo` or `hi` is not positive, it is replaced by a positive value. */
void svg_scale_init(struct svg_scale *scale, double lo, double hi, double from, double to, bool allow_log);
/* Makes a logarithmic scale, rounded outward to 1, 2 or 5 times a power of ten. */
void svg_scale_log(struct svg_scale *scale, double lo, double hi, double from, double to);
/* Makes a linear scale with about `wanted` ticks. Values may be negative. */
void svg_scale_span(struct svg_scale *scale, double lo, double hi, double from, double to, int wanted);
/* Returns the pixel of a value; values beyond an end are put on that end. */
double svg_scale_at(const struct svg_scale *scale, double value);
/* Writes the number of a tick in few characters: 4096, 128Ki, 5M; "8 MB" if `bytes`. */
void svg_number(char *to, size_t size, double value, bool bytes);
/* Writes a percentage with its sign: "+0.05%", "-12.3%", "+10000%". */
void svg_percent(char *to, size_t size, double value);

/* ---- The frame of a plot between two scales ---- */

/* Draw the vertical grid lines of x, and the horizontal ones of y, with a number at each that has room for it. */
void svg_columns(FILE *out, const struct svg_scale *x, double top, double bottom, bool bytes);
void svg_levels(FILE *out, const struct svg_scale *y, double left, double right, bool bytes);
/* Draws both axes, with a line at each tick and a number if there is room; `below` is the label of x. */
void svg_grid(FILE *out, const struct svg_scale *x, const struct svg_scale *y, const char *below);

/* ---- Helpers for all kinds of charts ---- */

/* Returns the range of the values that the chart shows. The end of an interval counts up to a factor of 1.5 from its
 * value, so that one wide interval does not compress the other values. */
void svg_range(const struct svg_chart *chart, double *lo, double *hi);
