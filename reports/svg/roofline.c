/* The roofline: rate against operations per byte, both logarithmic, below the measured roofs. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "svg/draw.h"
#include "svg/grid.h"

enum { LEFT = 52, RIGHT = SVG_WIDTH - 10, HEIGHT = 280 };

struct plot {
  struct svg_scale x, y;
  double top;
};

static double roof_at(const struct svg_roof *roof, double intensity) {
  return svg_known(roof->tflops) ? roof->tflops : roof->gb_per_s * 1e-3 * intensity;
}

/* The highest roof of one kind; 0: there is none. */
static double highest(const struct svg_roofline *line, bool flat) {
  double best = 0;
  for (size_t i = 0; i < line->roof_count; i++) {
    double value = flat ? line->roofs[i].tflops : line->roofs[i].gb_per_s * 1e-3;
    if (svg_known(value)) best = fmax(best, value);
  }
  return best;
}

static void include_ridges(const struct svg_roofline *line, double *lo, double *hi) {
  for (size_t i = 0; i < line->roof_count; i++)
    for (size_t j = 0; j < line->roof_count; j++) {
      double ridge = line->roofs[i].tflops / (line->roofs[j].gb_per_s * 1e-3);
      if (!svg_known(ridge)) continue;
      *lo = fmin(*lo, ridge);
      *hi = fmax(*hi, ridge);
    }
}

static void find_scales(struct plot *plot, const struct svg_roofline *line) {
  double x_lo = HUGE_VAL, x_hi = 0, y_lo = HUGE_VAL, y_hi = highest(line, true);
  for (size_t i = 0; i < line->point_count; i++) {
    const struct svg_roof_point *point = &line->points[i];
    if (!svg_known(point->intensity) || !svg_known(point->tflops)) continue;
    x_lo = fmin(x_lo, point->intensity);
    x_hi = fmax(x_hi, point->intensity);
    y_lo = fmin(y_lo, point->tflops);
    y_hi = fmax(y_hi, point->tflops);
  }
  include_ridges(line, &x_lo, &x_hi);
  svg_scale_log(&plot->x, x_lo / 2, x_hi * 2, LEFT, RIGHT);
  svg_scale_log(&plot->y, y_lo / 1.5, y_hi * 1.08, plot->top + HEIGHT, plot->top);
}

/* Labels of memory roofs stand one behind the other along their lines. */
static double label_shift(const struct svg_roofline *line, const struct svg_roof *roof) {
  size_t before = 0;
  for (const struct svg_roof *other = line->roofs; other < roof; other++)
    before += !svg_known(other->tflops);
  return 10 + 118 * (double)(before % 3);
}

/* Memory roofs rise until they meet the highest arithmetic; that one begins where memory allows it. */
static void draw_roof(FILE *out, const struct plot *plot, const struct svg_roofline *line,
                      const struct svg_roof *roof) {
  bool flat = svg_known(roof->tflops);
  double most = highest(line, true), slope = highest(line, false), from = plot->x.lo, to = plot->x.hi;
  if (flat && slope > 0) from = fmax(from, roof->tflops / slope);
  if (!flat && most > 0) to = fmin(to, most / (roof->gb_per_s * 1e-3));
  if (!flat) from = fmax(from, plot->y.lo / (roof->gb_per_s * 1e-3));
  if (!flat) to = fmin(to, plot->y.hi / (roof->gb_per_s * 1e-3));
  if (!(from < to)) return;
  double x1 = svg_scale_at(&plot->x, from), y1 = svg_scale_at(&plot->y, roof_at(roof, from));
  double x2 = svg_scale_at(&plot->x, to), y2 = svg_scale_at(&plot->y, roof_at(roof, to));
  char text[160], rate[64], extra[96] = "";
  number_significant(rate, sizeof rate, flat ? roof->tflops : roof->gb_per_s, 3);
  snprintf(text, sizeof text, "%.80s, %s %s", roof->name, rate, flat ? "TFLOP/s" : "GB/s");
  fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"currentColor\" stroke-width=\"1.5\"%s/>\n", x1, y1, x2, y2,
          flat ? "" : " stroke-dasharray=\"8 3\"");
  double slope_angle = atan2(y2 - y1, x2 - x1), lift = flat ? 5 : 7, shift = label_shift(line, roof);
  double x = (flat ? x2 - 4 : x1 + shift * cos(slope_angle)) + lift * sin(slope_angle);
  double y = (flat ? y2 : y1 + shift * sin(slope_angle)) - lift * cos(slope_angle);
  if (!flat)
    snprintf(extra, sizeof extra, "transform=\"rotate(%.1f %.1f %.1f)\"", slope_angle * 57.29577951308232, x, y);
  svg_text(out, x, y, flat ? "end" : "start", extra, text, 60);
}

/* Returns the y below it. */
static double draw_legend(FILE *out, const struct svg_roofline *line) {
  struct svg_legend legend = svg_legend_begin(out, RIGHT);
  for (size_t i = 0; i < line->name_count; i++)
    svg_legend_add(&legend, i, line->names[i]);
  return legend.y;
}

void svg_roofline(FILE *out, const struct svg_roofline *line) {
  struct plot plot = {.top = draw_legend(NULL, line) + 14};
  find_scales(&plot, line);
  svg_open(out, &line->head, (int)plot.top + HEIGHT + 42);
  svg_text(out, 4, 14, "start", "", "TFLOP/s, higher is better", 60);
  draw_legend(out, line);
  svg_grid(out, &plot.x, &plot.y, "operations per byte moved (FLOP/B)");
  for (size_t i = 0; i < line->roof_count; i++)
    draw_roof(out, &plot, line, &line->roofs[i]);
  for (size_t i = 0; i < line->point_count; i++) {
    const struct svg_roof_point *point = &line->points[i];
    if (!svg_known(point->intensity) || !svg_known(point->tflops)) continue;
    svg_mark(out, point->place, svg_scale_at(&plot.x, point->intensity), svg_scale_at(&plot.y, point->tflops),
             point->tip);
  }
  fputs("</svg>\n", out);
}
