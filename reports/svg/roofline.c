/* Draws a roofline: rate against operations per byte, both logarithmic, below the highest rates that were measured (the
 * ceilings). */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "svg/draw.h"

enum { LEFT = 52, RIGHT = SVG_WIDTH - 10, HEIGHT = 280 };

struct plot {
  const struct svg_roofline *line;
  struct svg_scale x, y;
  double top, per; /* per: factor from TFLOP/s to the unit shown: 1000 for GFLOP/s, otherwise 1 */
};

static bool is_known(const struct svg_ceiling *ceiling) {
  return svg_known(ceiling->tflops) || svg_known(ceiling->gb_per_s);
}

static double slope_of(const struct svg_ceiling *ceiling) {
  return ceiling->gb_per_s * 1e-3;
}

/* Returns the highest ceiling of arithmetic (a flat line) in TFLOP/s if `flat`, otherwise the slope of the highest
 * memory ceiling; 0: none is known. */
static double highest(const struct svg_roofline *line, bool flat) {
  double best = 0;
  for (size_t i = 0; i < line->ceiling_count; i++) {
    double value = flat ? line->ceilings[i].tflops : slope_of(&line->ceilings[i]);
    if (svg_known(value)) best = fmax(best, value);
  }
  return best;
}

static void include_ridges(const struct svg_roofline *line, double *lo, double *hi) {
  for (size_t i = 0; i < line->ceiling_count; i++)
    for (size_t j = 0; j < line->ceiling_count; j++) {
      double ridge = line->ceilings[i].tflops / slope_of(&line->ceilings[j]);
      if (!svg_known(ridge)) continue;
      *lo = fmin(*lo, ridge);
      *hi = fmax(*hi, ridge);
    }
}

static bool is_ceiling_point_drawn(const struct svg_ceiling_point *point) {
  return svg_known(point->intensity) && svg_known(point->tflops);
}

static void find_roofline_scales(struct plot *plot) {
  const struct svg_roofline *line = plot->line;
  double x_lo = HUGE_VAL, x_hi = 0, y_lo = HUGE_VAL, y_hi = highest(line, true);
  for (size_t i = 0; i < line->point_count; i++) {
    const struct svg_ceiling_point *point = &line->points[i];
    if (!is_ceiling_point_drawn(point)) continue;
    x_lo = fmin(x_lo, point->intensity);
    x_hi = fmax(x_hi, point->intensity);
    y_lo = fmin(y_lo, point->tflops);
    y_hi = fmax(y_hi, point->tflops);
  }
  include_ridges(line, &x_lo, &x_hi);
  plot->per = y_hi < 1 ? 1e3 : 1;
  svg_scale_log(&plot->x, x_lo / 2, x_hi * 2, LEFT, RIGHT);
  svg_scale_log(&plot->y, y_lo / 1.5 * plot->per, y_hi * 1.08 * plot->per, plot->top + HEIGHT, plot->top);
}

/* Draws a ceiling. Memory ceilings rise until they meet the highest arithmetic ceiling; arithmetic ceilings begin where
 * they meet the steepest memory ceiling. */
static void draw_ceiling(FILE *out, const struct plot *plot, size_t number) {
  const struct svg_ceiling *ceiling = &plot->line->ceilings[number];
  const bool flat = svg_known(ceiling->tflops);
  const double most = highest(plot->line, true), slope = highest(plot->line, false);
  double from = plot->x.lo, to = plot->x.hi;
  if (flat && slope > 0) from = fmax(from, ceiling->tflops / slope);
  if (!flat && most > 0) to = fmin(to, most / slope_of(ceiling));
  if (!flat) from = fmax(from, plot->y.lo / plot->per / slope_of(ceiling));
  if (!flat) to = fmin(to, plot->y.hi / plot->per / slope_of(ceiling));
  if (!is_known(ceiling) || !(from < to)) return;
  const double y1 = (flat ? ceiling->tflops : slope_of(ceiling) * from) * plot->per;
  const double y2 = (flat ? ceiling->tflops : slope_of(ceiling) * to) * plot->per;
  fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" " SVG_LIMIT " stroke-dasharray=\"%s\"/>\n",
          svg_scale_at(&plot->x, from), svg_scale_at(&plot->y, y1), svg_scale_at(&plot->x, to),
          svg_scale_at(&plot->y, y2), svg_dash(number));
}

/* Writes a ceiling's name and value: "bf16, 923 TFLOP/s"; for several memory ceilings on one line "read, copy, 4292 to
 * 4562 GB/s". */
static void ceiling_text(const struct plot *plot, const struct svg_ceiling *ceiling, char *to, size_t size) {
  const bool flat = svg_known(ceiling->tflops);
  const bool known = svg_known(ceiling->least_gb_per_s);
  const struct number least = known ? number_significant(ceiling->least_gb_per_s, 3) : (struct number){""};
  snprintf(to, size, "%.80s, %s%s%s %s", ceiling->name, least.text, least.text[0] != '\0' ? " to " : "",
           number_significant(flat ? ceiling->tflops * plot->per : ceiling->gb_per_s, 3).text,
           !flat           ? "GB/s"
           : plot->per > 1 ? "GFLOP/s"
                           : "TFLOP/s");
}

/* Draws the legend. Returns the y of its last row. */
static double draw_roofline_legend(FILE *out, const struct plot *plot) {
  const struct svg_roofline *line = plot->line;
  struct svg_legend legend = svg_legend_begin(out, RIGHT);
  char text[256];
  for (size_t i = 0; i < line->name_count; i++)
    svg_legend_add(&legend, i, line->names[i]);
  for (size_t i = 0; i < line->ceiling_count; i++) {
    if (!is_known(&line->ceilings[i])) continue;
    ceiling_text(plot, &line->ceilings[i], text, sizeof text);
    svg_legend_line(&legend, i, text);
  }
  return legend.y;
}

/* ---- The numbers of cases next to their points, if there is room ---- */

struct box {
  double left, top, right, bottom;
};

struct labels {
  struct box *boxes; /* areas that marks and numbers occupy */
  size_t count;
  struct box inside;
};

static bool is_free(const struct labels *labels, const struct box *box) {
  if (box->left < labels->inside.left || box->right > labels->inside.right || box->top < labels->inside.top ||
      box->bottom > labels->inside.bottom)
    return false;
  for (size_t i = 0; i < labels->count; i++) {
    const struct box *other = &labels->boxes[i];
    if (box->left < other->right && other->left < box->right && box->top < other->bottom && other->top < box->bottom)
      return false;
  }
  return true;
}

static struct box around(double x, double y, double half_width, double half_height) {
  return (struct box){x - half_width, y - half_height, x + half_width, y + half_height};
}

static void draw_number(FILE *out, struct labels *labels, double x, double y, size_t number) {
  static const double ways[][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}};
  enum { HALF_HEIGHT = 7, GAP = 6 };
  char text[24];
  snprintf(text, sizeof text, "%zu", number);
  const double half = svg_text_width(text, 8) / 2 + 1.5;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
    const double at_x = x + ways[i][0] * (half + GAP), at_y = y + ways[i][1] * (HALF_HEIGHT + GAP);
    const struct box box = around(at_x, at_y, half, HALF_HEIGHT);
    if (!is_free(labels, &box)) continue;
    labels->boxes[labels->count++] = box;
    svg_text(out, at_x, at_y + 4, "middle", SVG_SOFT, text, 8);
    return;
  }
}

static void draw_points(FILE *out, const struct plot *plot) {
  enum { NUMBERED_MOST = 80 };
  const struct svg_roofline *line = plot->line;
  struct labels labels = {xcalloc(2 * line->point_count, sizeof *labels.boxes),
                          0,
                          {plot->x.from + 2, plot->y.to, plot->x.to, plot->y.from - 2}};
  for (size_t pass = 0; pass < 2; pass++)
    for (size_t i = 0; i < line->point_count; i++) {
      const struct svg_ceiling_point *point = &line->points[i];
      if (!is_ceiling_point_drawn(point)) continue;
      const double x = svg_scale_at(&plot->x, point->intensity), y = svg_scale_at(&plot->y, point->tflops * plot->per);
      if (pass == 0) labels.boxes[labels.count++] = around(x, y, 4.5, 4.5);
      if (pass == 0) svg_mark(out, point->place, x, y, point->tip);
      if (pass == 1 && point->number != 0 && line->point_count <= NUMBERED_MOST)
        draw_number(out, &labels, x, y, point->number);
    }
  free(labels.boxes);
}

void svg_roofline(FILE *out, const struct svg_roofline *line) {
  struct plot plot = {.line = line, .per = 1};
  plot.top = draw_roofline_legend(NULL, &plot) + 18;
  find_roofline_scales(&plot);
  /* measures the legend again with the final unit, because it may then have more rows */
  plot.top = draw_roofline_legend(NULL, &plot) + 18;
  find_roofline_scales(&plot);
  svg_open(out, &line->head, (int)plot.top + HEIGHT + 42);
  svg_text(out, 4, 14, "start", "",
           plot.per > 1 ? "GFLOP/s, higher is better, log scale" : "TFLOP/s, higher is better, log scale", 60);
  draw_roofline_legend(out, &plot);
  svg_grid(out, &plot.x, &plot.y, "operations per byte moved (FLOP/B), log scale");
  for (size_t i = 0; i < line->ceiling_count; i++)
    draw_ceiling(out, &plot, i);
  draw_points(out, &plot);
  fputs("</svg>\n", out);
}
