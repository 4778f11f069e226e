/* Lines over an axis of numbers, labelled at their right end. */
#include "svg/lines.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/text.h"
#include "svg/draw.h"
#include "svg/interval.h"
#include "svg/scale.h"
#include "svg/series.h"

enum { NAME_MOST = 24, PLOT_HEIGHT = 264, LABEL_GAP = 15, MARK_ROOM = 8 };

struct plot {
  const struct svg_chart *chart;
  struct svg_scale y;
  double *x;                       /* of the categories, in pixels */
  double left, right, top, bottom; /* of the plot, in pixels */
  double slot;                     /* the room of a category */
  bool log;                        /* x */
  const char *note;                /* below; may be empty */
};

/* Logarithmic where the numbers span a decade; some room at both ends. */
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

static int lay_out(struct plot *plot, const struct svg_chart *chart) {
  double names = 0, lo = 0, hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    names = fmax(names, svg_text_width(chart->series[i].name, NAME_MOST));
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
  char text[64], unit[160];
  svg_rule(out, plot->left, plot->bottom, plot->right, plot->bottom, 0.5);
  for (size_t i = 0; i < plot->y.tick_count; i++) {
    double y = svg_scale_at(&plot->y, plot->y.ticks[i]);
    svg_rule(out, plot->left, y, plot->right, y, 0.13);
    svg_number(text, sizeof text, plot->y.ticks[i], plot->chart->bytes);
    svg_text(out, plot->left - 7, y + 4, "end", SVG_SOFT, text, 12);
  }
  snprintf(unit, sizeof unit, "%.120s%s", plot->chart->unit, plot->y.log ? ", log scale" : "");
  svg_text(out, 4, 14, "start", "", unit, 70);
}

/* A number stands below each place that has room for it; the last one always has. */
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

/* A limit runs from edge to edge; a series from its first to its last mark, with gaps where there is none. */
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

/* Where cases stand too close for marks, the lines, intervals and the marks at their ends must do. */
static void draw_marks(FILE *out, const struct plot *plot, size_t series) {
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

/* Pushes labels apart: down where they touch, then up where they left the plot. */
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
             chart->series[series].name, NAME_MOST);
  }
}

void svg_lines(FILE *out, const struct svg_chart *chart) {
  struct plot plot;
  const int height = lay_out(&plot, chart);
  svg_open(out, &chart->head, height);
  draw_axes(out, &plot);
  draw_numbers(out, &plot);
  if (chart->x_name != NULL) {
    char name[160];
    snprintf(name, sizeof name, "%.120s%s", chart->x_name, plot.log ? ", log scale" : "");
    svg_text(out, (plot.left + plot.right) / 2, plot.bottom + 36, "middle", "", name, 2 * NAME_MOST);
  }
  if (plot.note[0] != '\0') svg_text(out, 4, height - 6, "start", SVG_SOFT, plot.note, 90);
  for (size_t i = 0; i < chart->series_count; i++)
    draw_path(out, &plot, i);
  for (size_t i = 0; i < chart->series_count; i++)
    draw_marks(out, &plot, i);
  draw_labels(out, &plot);
  fputs("</svg>\n", out);
  free(plot.x);
}
