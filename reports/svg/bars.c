/* Bars: one per series, for a single category. */
#include "svg/bars.h"

#include <math.h>

#include "base/number.h"
#include "base/text.h"
#include "svg/draw.h"
#include "svg/grid.h"
#include "svg/interval.h"
#include "svg/scale.h"
#include "svg/series.h"

enum { NAME_MOST = 24, HEAD = 30, LIMIT = 14 /* its name's line */, ROW = 34, BAR = 18 };

static size_t row_count(const struct svg_chart *chart) {
  size_t rows = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    rows += !chart->series[i].limit;
  return rows;
}

/* Where a text that begins at `from` stands clear of the ceilings' lines: it may have to begin beyond them. */
static double clear_of_limits(const struct svg_chart *chart, const struct svg_scale *x, double from, double width) {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t i = 0; i < chart->series_count; i++) {
      if (!chart->series[i].limit || !svg_known(chart->series[i].points[0].y)) continue;
      const double at = svg_scale_at(x, chart->series[i].points[0].y);
      if (at < from - 3 || at > from + width + 3) continue;
      from = at + 4;
      moved = true;
    }
  }
  return from;
}

static void draw_value(FILE *out, const struct svg_chart *chart, const struct svg_scale *x, double from, double y,
                       double value) {
  struct number text = number_significant(value, 3);
  if (chart->bytes) text_bytes(text.text, sizeof text.text, value);
  svg_text(out, clear_of_limits(chart, x, from, svg_text_width(text.text, 20) * 1.1), y, "start", "", text.text, 20);
}

static void draw_bar(FILE *out, const struct svg_chart *chart, const struct svg_scale *x, size_t series, double y) {
  const struct svg_point *point = &chart->series[series].points[0];
  size_t place = svg_place(chart, series);
  double top = y + ROW * (double)place, middle = top + BAR / 2.0;
  svg_text(out, x->from - 18, middle + 4, "end", SVG_BOLD, chart->series[series].name, NAME_MOST);
  (svg_unsure(chart, point) ? svg_mark_hollow : svg_mark)(out, place, x->from - 9, middle, point->tip);
  if (!svg_known(point->y)) {
    svg_text(out, x->from + 6, middle + 4, "start", SVG_SOFT, "not measured", 40);
    return;
  }
  double end = svg_scale_at(x, point->y), far = svg_known(point->hi) ? svg_scale_at(x, point->hi) : end;
  fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n", x->from, top,
          fmax(end - x->from, 1), BAR, svg_color(place));
  svg_interval(out, x, point, middle, false, "currentColor");
  draw_value(out, chart, x, fmax(end, far) + 6, middle + 4, point->y);
}

/* Each name on a line of its own: ceilings may lie close together. */
static void draw_limit(FILE *out, const struct svg_chart *chart, const struct svg_scale *x, size_t series,
                       size_t number, double bottom) {
  double y = chart->series[series].points[0].y;
  if (!svg_known(y)) return;
  double at = svg_scale_at(x, y);
  fprintf(out, "<path d=\"M%.1f %dV%.1f\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\"0.8\"/>\n", at,
          HEAD + LIMIT * (int)number, bottom);
  const bool room = at - 8 > svg_text_width(chart->series[series].name, NAME_MOST) * 1.1;
  svg_text(out, room ? at - 4 : at + 4, HEAD + 6 + LIMIT * (double)number, room ? "end" : "start", SVG_SOFT,
           chart->series[series].name, NAME_MOST);
}

static void draw_ticks(FILE *out, const struct svg_chart *chart, const struct svg_scale *x, double top, double bottom) {
  svg_rule(out, x->from, top, x->from, bottom, 0.5);
  svg_columns(out, x, top, bottom, chart->bytes);
}

void svg_bars(FILE *out, const struct svg_chart *chart) {
  struct svg_scale x;
  const size_t rows = row_count(chart);
  const double top = HEAD + 6 + LIMIT * (double)(chart->series_count - rows), bottom = top + ROW * (double)rows;
  double names = 0, lo = 0, hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) names = fmax(names, svg_text_width(chart->series[i].name, NAME_MOST));
  svg_range(chart, &lo, &hi);
  svg_scale_init(&x, lo, hi, names * SVG_BOLD_WIDTH + 26, SVG_WIDTH - 64, false);
  const char *note = svg_interval_note(chart, &x);
  svg_open(out, &chart->head, (int)bottom + 26 + (note[0] != '\0' ? 18 : 0));
  svg_text(out, 4, 14, "start", "", chart->unit, 60);
  draw_ticks(out, chart, &x, top - 8, bottom);
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) draw_bar(out, chart, &x, i, top);
  for (size_t i = 0; i < chart->series_count; i++)
    if (chart->series[i].limit) draw_limit(out, chart, &x, i, i - svg_place(chart, i), bottom);
  if (note[0] != '\0') svg_text(out, 4, bottom + 36, "start", SVG_SOFT, note, 90);
  fputs("</svg>\n", out);
}
