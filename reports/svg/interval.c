#include "svg/interval.h"

static bool has_interval(const struct svg_point *point) {
  return svg_known(point->lo) && svg_known(point->hi);
}

static bool cut_low(const struct svg_scale *scale, const struct svg_point *point) {
  return point->lo < scale->lo * (1 - 1e-9);
}

static bool cut_high(const struct svg_scale *scale, const struct svg_point *point) {
  return point->hi > scale->hi * (1 + 1e-9);
}

/* Its tip at the edge, `way` is where it points to. */
static void arrow(FILE *out, double along, double across, double way, bool upright, const char *color) {
  if (upright)
    fprintf(out, "<path d=\"M%.1f %.1fl-4 %.1fh8z\" fill=\"%s\"/>\n", across, along, -6 * way, color);
  else
    fprintf(out, "<path d=\"M%.1f %.1fl%.1f -4v8z\" fill=\"%s\"/>\n", along, across, -6 * way, color);
}

void svg_interval(FILE *out, const struct svg_scale *scale, const struct svg_point *point, double across, bool upright,
                  const char *color) {
  if (!has_interval(point) || !svg_known(point->y)) return;
  const double from = svg_scale_at(scale, point->lo), to = svg_scale_at(scale, point->hi);
  const double way = scale->to > scale->from ? 1 : -1;
  if (upright)
    fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", across, from, to, color);
  else
    fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", from, across, to, color);
  if (cut_low(scale, point)) arrow(out, from, across, -way, upright, color);
  if (cut_high(scale, point)) arrow(out, to, across, way, upright, color);
}

bool svg_unsure(const struct svg_chart *chart, const struct svg_point *point) {
  return chart->intervals && svg_known(point->y) && !has_interval(point);
}

const char *svg_interval_note(const struct svg_chart *chart, const struct svg_scale *scale) {
  static const char *const notes[] = {"", "Hollow: its interval is not known.",
                                      "An arrow: the interval goes on beyond the plot.",
                                      "An arrow: the interval goes on. Hollow: it is not known."};
  bool unsure = false, cut = false;
  for (size_t i = 0; i < chart->series_count; i++)
    for (size_t j = 0; j < chart->category_count && !chart->series[i].limit; j++) {
      const struct svg_point *point = &chart->series[i].points[j];
      unsure = unsure || svg_unsure(chart, point);
      cut = cut || (svg_known(point->y) && has_interval(point) && (cut_low(scale, point) || cut_high(scale, point)));
    }
  return notes[unsure + 2 * cut];
}
