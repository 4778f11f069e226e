/* Draws values of several series: as bars, as rows of marks, or as lines over a numeric axis. */
#include "svg/draw.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

/* Returns the index of a series among those that are not ceilings (limits drawn as plain lines). This index selects the
 * colour, dash and mark of the series. With `series` as the number of all series, returns how many are not ceilings. */
static size_t svg_place(const struct svg_chart *chart, size_t series) {
  size_t place = 0;
  for (size_t i = 0; i < series; i++)
    place += !chart->series[i].limit;
  return place;
}

static void widen_scale(double value, double *lo, double *hi) {
  if (!svg_known(value)) return;
  *lo = fmin(*lo, value);
  *hi = fmax(*hi, value);
}

void svg_range(const struct svg_chart *chart, double *lo, double *hi) {
  *lo = HUGE_VAL;
  *hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    for (size_t j = 0; j < chart->category_count; j++) {
      const struct svg_point *point = &chart->series[i].points[j];
      widen_scale(point->y, lo, hi);
      if (chart->series[i].limit) continue;
      if (svg_known(point->lo)) widen_scale(fmax(point->lo, point->y / 1.5), lo, hi);
      if (svg_known(point->hi)) widen_scale(fmin(point->hi, point->y * 1.5), lo, hi);
    }
}

static bool point_has_interval(const struct svg_point *point) {
  return svg_known(point->lo) && svg_known(point->hi);
}

static bool cut_low(const struct svg_scale *scale, const struct svg_point *point) {
  return point->lo < scale->lo * (1 - 1e-9);
}

static bool cut_high(const struct svg_scale *scale, const struct svg_point *point) {
  return point->hi > scale->hi * (1 + 1e-9);
}

/* Draws an arrowhead whose tip is at the edge of the plot. `way`, 1 or -1, is the direction along the scale. */
static void draw_arrowhead(FILE *out, double along, double across, double way, bool upright, const char *color) {
  if (upright)
    fprintf(out, "<path d=\"M%.1f %.1fl-4 %.1fh8z\" fill=\"%s\"/>\n", across, along, -6 * way, color);
  else
    fprintf(out, "<path d=\"M%.1f %.1fl%.1f -4v8z\" fill=\"%s\"/>\n", along, across, -6 * way, color);
}

/* Draws an interval along the scale, at the position `across`. An end beyond the plot is drawn as an arrowhead. Draws
 * nothing if the interval is not known. */
static void svg_interval(FILE *out, const struct svg_scale *scale, const struct svg_point *point, double across,
                         bool upright, const char *color) {
  if (!point_has_interval(point) || !svg_known(point->y)) return;
  const double from = svg_scale_at(scale, point->lo), to = svg_scale_at(scale, point->hi);
  const double way = scale->to > scale->from ? 1 : -1;
  if (upright)
    fprintf(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", across, from, to, color);
  else
    fprintf(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"%s\" stroke-width=\"2\"/>\n", from, across, to, color);
  if (cut_low(scale, point)) draw_arrowhead(out, from, across, -way, upright, color);
  if (cut_high(scale, point)) draw_arrowhead(out, to, across, way, upright, color);
}

/* Returns true if the chart has intervals, but this value has none. */
static bool svg_unsure(const struct svg_chart *chart, const struct svg_point *point) {
  return chart->intervals && svg_known(point->y) && !point_has_interval(point);
}

/* Returns a note on the arrowheads and hollow marks that the chart has; "" if it has neither. */
static const char *svg_interval_note(const struct svg_chart *chart, const struct svg_scale *scale) {
  static const char *const notes[] = {"", "Hollow: its interval is not known.",
                                      "An arrow: the interval goes on beyond the plot.",
                                      "An arrow: the interval goes on. Hollow: it is not known."};
  bool unsure = false, cut = false;
  for (size_t i = 0; i < chart->series_count; i++)
    for (size_t j = 0; j < chart->category_count && !chart->series[i].limit; j++) {
      const struct svg_point *point = &chart->series[i].points[j];
      unsure = unsure || svg_unsure(chart, point);
      cut = cut ||
            (svg_known(point->y) && point_has_interval(point) && (cut_low(scale, point) || cut_high(scale, point)));
    }
  return notes[unsure + 2 * cut];
}

/* ---- Bars: one for each series, if there is a single category ---- */

/* Sizes in pixels; LIMIT is the height of the line of text that names a ceiling. */
enum { BAR_NAME_MOST = 24, HEAD = 30, LIMIT = 14, ROW = 34, BAR = 18 };

/* Returns the first x, from `from` on, where a text of this width crosses no line of a ceiling. */
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

static void draw_category_bar(FILE *out, const struct svg_chart *chart, const struct svg_scale *x, size_t series,
                              double y) {
  const struct svg_point *point = &chart->series[series].points[0];
  size_t place = svg_place(chart, series);
  double top = y + ROW * (double)place, middle = top + BAR / 2.0;
  svg_text(out, x->from - 18, middle + 4, "end", SVG_BOLD, chart->series[series].name, BAR_NAME_MOST);
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

/* Draws the line of a ceiling, which is a limit of the values. Each name has a separate line of text, because ceilings
 * may be close together. */
static void draw_bar_limit(FILE *out, const struct svg_chart *chart, const struct svg_scale *x, size_t series,
                           size_t number, double bottom) {
  double y = chart->series[series].points[0].y;
  if (!svg_known(y)) return;
  double at = svg_scale_at(x, y);
  fprintf(out, "<path d=\"M%.1f %dV%.1f\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\"0.8\"/>\n", at,
          HEAD + LIMIT * (int)number, bottom);
  const bool room = at - 8 > svg_text_width(chart->series[series].name, BAR_NAME_MOST) * 1.1;
  svg_text(out, room ? at - 4 : at + 4, HEAD + 6 + LIMIT * (double)number, room ? "end" : "start", SVG_SOFT,
           chart->series[series].name, BAR_NAME_MOST);
}

static void svg_bars(FILE *out, const struct svg_chart *chart) {
  struct svg_scale x;
  const size_t rows = svg_place(chart, chart->series_count);
  const double top = HEAD + 6 + LIMIT * (double)(chart->series_count - rows), bottom = top + ROW * (double)rows;
  double names = 0, lo = 0, hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) names = fmax(names, svg_text_width(chart->series[i].name, BAR_NAME_MOST));
  svg_range(chart, &lo, &hi);
  svg_scale_init(&x, lo, hi, names * SVG_BOLD_WIDTH + 26, SVG_WIDTH - 64, false);
  const char *note = svg_interval_note(chart, &x);
  svg_open(out, &chart->head, (int)bottom + 26 + (note[0] != '\0' ? 18 : 0));
  svg_text(out, 4, 14, "start", "", chart->unit, 60);
  svg_rule(out, x.from, top - 8, x.from, bottom, 0.5);
  svg_columns(out, &x, top - 8, bottom, chart->bytes);
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) draw_category_bar(out, chart, &x, i, top);
  for (size_t i = 0; i < chart->series_count; i++)
    if (chart->series[i].limit) draw_bar_limit(out, chart, &x, i, i - svg_place(chart, i), bottom);
  if (note[0] != '\0') svg_text(out, 4, bottom + 36, "start", SVG_SOFT, note, 90);
  fputs("</svg>\n", out);
}

/* Rows of marks, for categories without an order: no line joins the marks, and each category's name is on its row. */

enum { DOT_NAME_MOST = 26, RIGHT = SVG_WIDTH - 16 };

struct row_plot {
  const struct svg_chart *chart;
  struct svg_scale x;
  double top, bottom, row, step; /* row: height of a row; step: distance between the marks in it */
};

/* Draws the legend. Returns the y of its last row. */
static double draw_chart_legend(FILE *out, const struct svg_chart *chart) {
  struct svg_legend legend = svg_legend_begin(out, RIGHT);
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) svg_legend_add(&legend, svg_place(chart, i), chart->series[i].name);
  size_t limits = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    if (chart->series[i].limit) svg_legend_line(&legend, limits++, chart->series[i].name);
  return legend.y;
}

static void lay_out_rows(struct row_plot *plot, const struct svg_chart *chart) {
  const size_t marks = svg_place(chart, chart->series_count);
  double names = 0, lo = 0, hi = 0;
  for (size_t i = 0; i < chart->category_count; i++)
    names = fmax(names, svg_text_width(chart->categories[i], DOT_NAME_MOST));
  plot->chart = chart;
  plot->row = marks <= 1 ? 20 : marks <= 3 ? 25 : 32;
  plot->step = marks > 1 ? fmin(7, (plot->row - 10) / (double)(marks - 1)) : 0;
  plot->top = draw_chart_legend(NULL, chart) + (chart->x_name != NULL ? 28 : 14);
  plot->bottom = plot->top + plot->row * (double)chart->category_count;
  svg_range(chart, &lo, &hi);
  svg_scale_init(&plot->x, lo, hi, fmax(1.1 * names + 14, 24), RIGHT, true);
}

static double middle_of(const struct row_plot *plot, size_t category) {
  return plot->top + plot->row * ((double)category + 0.5);
}

static void draw_rows(FILE *out, const struct row_plot *plot) {
  for (size_t i = 0; i < plot->chart->category_count; i++) {
    const double y = middle_of(plot, i);
    if (i > 0) svg_rule(out, 4, y - plot->row / 2, plot->x.to, y - plot->row / 2, 0.13);
    svg_text(out, plot->x.from - 8, y + 4, "end", "", plot->chart->categories[i], DOT_NAME_MOST);
  }
}

static void draw_dot_limit(FILE *out, const struct row_plot *plot, size_t series, size_t number) {
  const struct svg_series *limit = &plot->chart->series[series];
  for (size_t i = 0; i < plot->chart->category_count; i++) {
    if (!svg_known(limit->points[i].y)) continue;
    fprintf(out, "<path d=\"M%.1f %.1fv%.1f\" " SVG_LIMIT " stroke-dasharray=\"%s\"/>\n",
            svg_scale_at(&plot->x, limit->points[i].y), plot->top + plot->row * (double)i, plot->row, svg_dash(number));
  }
}

static void draw_row_marks(FILE *out, const struct row_plot *plot, size_t series) {
  const struct svg_chart *chart = plot->chart;
  const size_t place = svg_place(chart, series), marks = svg_place(chart, chart->series_count);
  for (size_t i = 0; i < chart->category_count; i++) {
    const struct svg_point *point = &chart->series[series].points[i];
    const double y = middle_of(plot, i) + plot->step * ((double)place - (double)(marks - 1) / 2);
    if (!svg_known(point->y)) continue;
    svg_interval(out, &plot->x, point, y, false, svg_color(place));
    (svg_unsure(chart, point) ? svg_mark_hollow : svg_mark)(out, place, svg_scale_at(&plot->x, point->y), y,
                                                            point->tip);
  }
}

static void svg_dots(FILE *out, const struct svg_chart *chart) {
  struct row_plot plot;
  char unit[160];
  size_t limits = 0;
  lay_out_rows(&plot, chart);
  const char *note = svg_interval_note(chart, &plot.x);
  svg_open(out, &chart->head, (int)plot.bottom + 26 + (note[0] != '\0' ? 18 : 0));
  snprintf(unit, sizeof unit, "%.120s%s", chart->unit, plot.x.log ? ", log scale" : "");
  svg_text(out, 4, 14, "start", "", unit, 70);
  draw_chart_legend(out, chart);
  if (chart->x_name != NULL) svg_text(out, 4, plot.top - 6, "start", SVG_SOFT, chart->x_name, 2 * DOT_NAME_MOST);
  svg_columns(out, &plot.x, plot.top, plot.bottom, chart->bytes);
  draw_rows(out, &plot);
  for (size_t i = 0; i < chart->series_count; i++)
    if (chart->series[i].limit) draw_dot_limit(out, &plot, i, limits++);
  for (size_t i = 0; i < chart->series_count; i++)
    if (!chart->series[i].limit) draw_row_marks(out, &plot, i);
  if (note[0] != '\0') svg_text(out, 4, plot.bottom + 36, "start", SVG_SOFT, note, 90);
  fputs("</svg>\n", out);
}

/* ---- Lines over a numeric axis, with the series' names at their right end ---- */

enum { LINE_NAME_MOST = 24, PLOT_HEIGHT = 264, LABEL_GAP = 15, MARK_ROOM = 8 };

struct plot {
  const struct svg_chart *chart;
  struct svg_scale y;
  double *x;                       /* for each category, its x in pixels */
  double left, right, top, bottom; /* bounds of the plot, in pixels */
  double slot;                     /* width of the space that each category has, in pixels */
  bool log;                        /* true if the x axis is logarithmic */
  const char *note;                /* a note that is written below the chart; may be empty */
};

/* Places the categories on the x axis, with some space at both ends. The axis is logarithmic if the last number is at
 * least 8 times the first. */
static void place_numbers(struct plot *plot) {
  const double *x = plot->chart->x;
  size_t count = plot->chart->category_count;
  double first = x[0], last = x[count - 1];
  plot->log = first > 0 && last >= 8 * first;
  for (size_t i = 0; i < count; i++) {
    double share = plot->log ? log(x[i] / first) / log(last / first) : (x[i] - first) / (last - first);
    plot->x[i] = plot->left + 14 + (plot->right - plot->left - 28) * (isfinite(share) ? share : 0);
  }
}

static int lay_out_axes(struct plot *plot, const struct svg_chart *chart) {
  double names = 0, lo = 0, hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    names = fmax(names, svg_text_width(chart->series[i].name, LINE_NAME_MOST));
  plot->chart = chart;
  plot->left = chart->bytes ? 56 : 48;
  plot->right = SVG_WIDTH - names * SVG_BOLD_WIDTH - 26;
  plot->top = 30;
  plot->bottom = plot->top + PLOT_HEIGHT;
  plot->x = xcalloc(chart->category_count, sizeof *plot->x);
  plot->slot = (plot->right - plot->left) / (double)(chart->category_count ? chart->category_count : 1);
  place_numbers(plot);
  svg_range(chart, &lo, &hi);
  svg_scale_init(&plot->y, lo, hi, plot->bottom, plot->top, true);
  plot->note = svg_interval_note(chart, &plot->y);
  return (int)(plot->bottom + 26 + (chart->x_name != NULL ? 16 : 0) + (plot->note[0] != '\0' ? 18 : 0));
}

static void draw_axes(FILE *out, const struct plot *plot) {
  char unit[160];
  svg_rule(out, plot->left, plot->bottom, plot->right, plot->bottom, 0.5);
  svg_levels(out, &plot->y, plot->left, plot->right, plot->chart->bytes);
  snprintf(unit, sizeof unit, "%.120s%s", plot->chart->unit, plot->y.log ? ", log scale" : "");
  svg_text(out, 4, 14, "start", "", unit, 70);
}

/* Writes the number of each category that has room for it. The last number is always written. */
static void draw_numbers(FILE *out, const struct plot *plot) {
  const struct svg_chart *chart = plot->chart;
  size_t count = chart->category_count;
  char last[64], text[64];
  svg_number(last, sizeof last, chart->x[count - 1], false);
  double reserved = plot->x[count - 1] - svg_text_width(last, 12) / 2, used = -HUGE_VAL;
  for (size_t i = 0; i < count; i++) {
    svg_number(text, sizeof text, chart->x[i], false);
    double x = plot->x[i], half = svg_text_width(text, 12) / 2;
    if (i + 1 < count && (x - half < used + 6 || x + half > reserved - 6)) continue;
    used = x + half;
    svg_rule(out, x, plot->top, x, plot->bottom + 4, 0.13);
    svg_text(out, x, plot->bottom + 18, "middle", SVG_SOFT, text, 12);
  }
}

/* Draws the line of a series from its first to its last value, with gaps where values are not known. A ceiling's line
 * runs from edge to edge of the plot. */
static void draw_path(FILE *out, const struct plot *plot, size_t series) {
  const struct svg_series *line = &plot->chart->series[series];
  size_t count = plot->chart->category_count, place = svg_place(plot->chart, series);
  bool pen = false;
  double y = 0;
  fputs("<path fill=\"none\" d=\"", out);
  for (size_t i = 0; i < count; i++) {
    if (!svg_known(line->points[i].y)) {
      pen = pen && line->limit;
      continue;
    }
    y = svg_scale_at(&plot->y, line->points[i].y);
    if (line->limit && !pen) fprintf(out, "M%.1f %.1f", plot->left, y);
    fprintf(out, "%c%.1f %.1f", pen || line->limit ? 'L' : 'M', plot->x[i], y);
    pen = true;
  }
  if (line->limit)
    fprintf(out, "%s%.1f\" stroke=\"currentColor\" stroke-width=\"1.5\" stroke-opacity=\"0.8\"/>\n", pen ? "H" : "M0 ",
            pen ? plot->right : 0);
  else
    fprintf(out, "\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" stroke-linejoin=\"round\"/>\n",
            svg_color(place), svg_dash(place));
}

/* Draws the intervals and marks of a series. If categories are too close, leaves out the marks; the line, the intervals
 * and the mark next to the series' name remain. */
static void draw_line_marks(FILE *out, const struct plot *plot, size_t series) {
  const struct svg_series *line = &plot->chart->series[series];
  size_t place = svg_place(plot->chart, series);
  for (size_t i = 0; i < plot->chart->category_count && !line->limit; i++) {
    const struct svg_point *point = &line->points[i];
    if (!svg_known(point->y)) continue;
    double x = plot->x[i];
    svg_interval(out, &plot->y, point, x, true, svg_color(place));
    if (plot->slot < MARK_ROOM) continue;
    (svg_unsure(plot->chart, point) ? svg_mark_hollow : svg_mark)(out, place, x, svg_scale_at(&plot->y, point->y),
                                                                  point->tip);
  }
}

struct end_label {
  double y;
  size_t series;
};

static int by_height(const void *a, const void *b) {
  const struct end_label *x = a, *y = b;
  if (x->y != y->y) return x->y < y->y ? -1 : 1;
  return (x->series > y->series) - (x->series < y->series);
}

static size_t find_ends(const struct plot *plot, struct end_label *labels) {
  size_t count = 0;
  for (size_t i = 0; i < plot->chart->series_count; i++)
    for (size_t j = plot->chart->category_count; j-- > 0;) {
      double y = plot->chart->series[i].points[j].y;
      if (!svg_known(y)) continue;
      labels[count++] = (struct end_label){svg_scale_at(&plot->y, y), i};
      break;
    }
  qsort(labels, count, sizeof *labels, by_height);
  return count;
}

/* Moves labels so that they do not overlap: first down, then up if the last ones have left the plot. */
static void spread(struct end_label *labels, size_t count, double bottom) {
  for (size_t i = 1; i < count; i++)
    labels[i].y = fmax(labels[i].y, labels[i - 1].y + LABEL_GAP);
  for (size_t i = count; i-- > 0;) {
    labels[i].y = fmin(labels[i].y, bottom);
    bottom = labels[i].y - LABEL_GAP;
  }
}

static void draw_labels(FILE *out, const struct plot *plot) {
  const struct svg_chart *chart = plot->chart;
  SCOPED struct end_label *labels = xcalloc(chart->series_count, sizeof *labels);
  size_t count = find_ends(plot, labels);
  spread(labels, count, plot->bottom + 4);
  for (size_t i = 0; i < count; i++) {
    size_t series = labels[i].series;
    bool limit = chart->series[series].limit;
    if (!limit) svg_mark(out, svg_place(chart, series), plot->right + 12, labels[i].y, NULL);
    svg_text(out, plot->right + (limit ? 6 : 22), labels[i].y + 4, "start", limit ? SVG_SOFT : SVG_BOLD,
             chart->series[series].name, LINE_NAME_MOST);
  }
}

static void svg_lines(FILE *out, const struct svg_chart *chart) {
  struct plot plot;
  const int height = lay_out_axes(&plot, chart);
  svg_open(out, &chart->head, height);
  draw_axes(out, &plot);
  draw_numbers(out, &plot);
  if (chart->x_name != NULL) {
    char name[160];
    snprintf(name, sizeof name, "%.120s%s", chart->x_name, plot.log ? ", log scale" : "");
    svg_text(out, (plot.left + plot.right) / 2, plot.bottom + 36, "middle", "", name, 2 * LINE_NAME_MOST);
  }
  if (plot.note[0] != '\0') svg_text(out, 4, height - 6, "start", SVG_SOFT, plot.note, 90);
  for (size_t i = 0; i < chart->series_count; i++)
    draw_path(out, &plot, i);
  for (size_t i = 0; i < chart->series_count; i++)
    draw_line_marks(out, &plot, i);
  draw_labels(out, &plot);
  fputs("</svg>\n", out);
  free(plot.x);
}

void svg_chart(FILE *out, const struct svg_chart *chart) {
  if (chart->category_count == 1)
    svg_bars(out, chart);
  else if (chart->x != NULL)
    svg_lines(out, chart);
  else
    svg_dots(out, chart);
}
