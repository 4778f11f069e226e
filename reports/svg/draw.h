/* What all charts are drawn with: the frame, text, marks and lines. */
#ifndef SVG_DRAW_H
#define SVG_DRAW_H

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

#endif
