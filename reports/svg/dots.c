/* Marks in rows: nothing joins what no axis orders, and each name stands level beside its row. */
#include "svg/dots.h"

#include <math.h>
#include <stdlib.h>

#include "svg/draw.h"
#include "svg/grid.h"
#include "svg/interval.h"
#include "svg/scale.h"
#include "svg/series.h"

enum { NAME_MOST = 26, RIGHT = SVG_WIDTH - 16 };

struct plot {
  const struct svg_chart *chart;
  struct svg_scale x;
  double top, bottom, row, step; /* the height of a row; how far the marks in it are apart */
};

static size_t mark_count(const struct svg_chart *chart) {
  size_t count = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    count += !chart->series[i].limit;
  return count;
}

/* Returns the y below it. */
static double draw_legend(FILE *out, const struct svg_chart *chart) {
  struct svg_legend legend = svg_legend_begin(out, RIGHT);
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) svg_legend_add(&legend, svg_place(chart, i), chart->series[i].name);
  size_t limits = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    if (chart->series[i].limit) svg_legend_line(&legend, limits++, chart->series[i].name);
  return legend.y;
}

static void lay_out(struct plot *plot, const struct svg_chart *chart) {
  const size_t marks = mark_count(chart);
  double names = 0, lo = 0, hi = 0;
  for (size_t i = 0; i < chart->category_count; i++)
    names = fmax(names, svg_text_width(chart->categories[i], NAME_MOST));
  plot->chart = chart;
  plot->row = marks <= 1 ? 20 : marks <= 3 ? 25 : 32;
  plot->step = marks > 1 ? fmin(7, (plot->row - 10) / (double)(marks - 1)) : 0;
  plot->top = draw_legend(NULL, chart) + (chart->x_name != NULL ? 28 : 14);
  plot->bottom = plot->top + plot->row * (double)chart->category_count;
  svg_range(chart, &lo, &hi);
  svg_scale_init(&plot->x, lo, hi, fmax(1.1 * names + 14, 24), RIGHT, true);
}

static double middle_of(const struct plot *plot, size_t category) {
  return plot->top + plot->row * ((double)category + 0.5);
}

static void draw_rows(FILE *out, const struct plot *plot) {
  for (size_t i = 0; i < plot->chart->category_count; i++) {
    const double y = middle_of(plot, i);
    if (i > 0) svg_rule(out, 4, y - plot->row / 2, plot->x.to, y - plot->row / 2, 0.13);
    svg_text(out, plot->x.from - 8, y + 4, "end", "", plot->chart->categories[i], NAME_MOST);
  }
}

static void draw_limit(FILE *out, const struct plot *plot, size_t series, size_t number) {
  const struct svg_series *limit = &plot->chart->series[series];
  for (size_t i = 0; i < plot->chart->category_count; i++) {
    if (!svg_known(limit->points[i].y)) continue;
    fprintf(out, "<path d=\"M%.1f %.1fv%.1f\" " SVG_LIMIT " stroke-dasharray=\"%s\"/>\n",
            svg_scale_at(&plot->x, limit->points[i].y), plot->top + plot->row * (double)i, plot->row, svg_dash(number));
  }
}

static void draw_marks(FILE *out, const struct plot *plot, size_t series) {
  const struct svg_chart *chart = plot->chart;
  const size_t place = svg_place(chart, series), marks = mark_count(chart);
  for (size_t i = 0; i < chart->category_count; i++) {
    const struct svg_point *point = &chart->series[series].points[i];
    const double y = middle_of(plot, i) + plot->step * ((double)place - (double)(marks - 1) / 2);
    if (!svg_known(point->y)) continue;
    svg_interval(out, &plot->x, point, y, false, svg_color(place));
    (svg_unsure(chart, point) ? svg_mark_hollow : svg_mark)(out, place, svg_scale_at(&plot->x, point->y), y,
                                                            point->tip);
  }
}

void svg_dots(FILE *out, const struct svg_chart *chart) {
  struct plot plot;
  char unit[160];
  size_t limits = 0;
  lay_out(&plot, chart);
  const char *note = svg_interval_note(chart, &plot.x);
  svg_open(out, &chart->head, (int)plot.bottom + 26 + (note[0] != '\0' ? 18 : 0));
  snprintf(unit, sizeof unit, "%.120s%s", chart->unit, plot.x.log ? ", log scale" : "");
  svg_text(out, 4, 14, "start", "", unit, 70);
  draw_legend(out, chart);
  if (chart->x_name != NULL) svg_text(out, 4, plot.top - 6, "start", SVG_SOFT, chart->x_name, 2 * NAME_MOST);
  svg_columns(out, &plot.x, plot.top, plot.bottom, chart->bytes);
  draw_rows(out, &plot);
  for (size_t i = 0; i < chart->series_count; i++)
    if (chart->series[i].limit) draw_limit(out, &plot, i, limits++);
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) draw_marks(out, &plot, i);
  if (note[0] != '\0') svg_text(out, 4, plot.bottom + 36, "start", SVG_SOFT, note, 90);
  fputs("</svg>\n", out);
}
