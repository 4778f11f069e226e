/* Draws joules against time for the variants of a case. A ring marks the variants on the Pareto front: no other variant
 * is at least as good in both and better in one. A stepped line joins them. Also draws power over time. */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "svg/draw.h"

enum { LEFT = 58, RIGHT = SVG_WIDTH - 14, HEIGHT = 240 };

struct plot {
  struct svg_scale x, y;
  double top;
};

static bool is_energy_point_drawn(const struct svg_pareto_point *point) {
  return svg_known(point->x) && svg_known(point->y);
}

/* Makes the scales. They begin at zero, so that distances are in proportion to the values, unless the largest value is
 * over 25 times the smallest; then they are logarithmic. */
static void find_energy_scales(struct plot *plot, const struct svg_pareto *pareto) {
  double x_lo = HUGE_VAL, x_hi = 0, y_lo = HUGE_VAL, y_hi = 0;
  for (size_t i = 0; i < pareto->point_count; i++) {
    const struct svg_pareto_point *point = &pareto->points[i];
    if (!is_energy_point_drawn(point)) continue;
    x_lo = fmin(x_lo, point->x);
    x_hi = fmax(x_hi, point->x);
    y_lo = fmin(y_lo, point->y);
    y_hi = fmax(y_hi, point->y);
  }
  svg_scale_init(&plot->x, x_lo, x_hi, LEFT, RIGHT, true);
  svg_scale_init(&plot->y, y_lo, y_hi, plot->top + HEIGHT, plot->top, true);
}

static int by_time(const void *a, const void *b) {
  const struct svg_pareto_point *x = *(const struct svg_pareto_point *const *)a;
  const struct svg_pareto_point *y = *(const struct svg_pareto_point *const *)b;
  return x->x != y->x ? (x->x > y->x) - (x->x < y->x) : (x->y < y->y) - (x->y > y->y);
}

/* Draws the Pareto front as a stepped line: from the top down to the fastest variant, then right and down to each next
 * variant, and on to the right edge. */
static void draw_front(FILE *out, const struct plot *plot, const struct svg_pareto *pareto) {
  SCOPED const struct svg_pareto_point **front = xcalloc(pareto->point_count, sizeof *front);
  size_t count = 0;
  for (size_t i = 0; i < pareto->point_count; i++)
    if (pareto->points[i].front && is_energy_point_drawn(&pareto->points[i])) front[count++] = &pareto->points[i];
  if (count != 0) {
    qsort(front, count, sizeof *front, by_time);
    fprintf(out, "<path fill=\"none\" stroke=\"currentColor\" stroke-dasharray=\"5 3\" d=\"M%.1f %.1f",
            svg_scale_at(&plot->x, front[0]->x), plot->top);
    for (size_t i = 0; i < count; i++)
      fprintf(out, "V%.1fH%.1f", svg_scale_at(&plot->y, front[i]->y),
              i + 1 < count ? svg_scale_at(&plot->x, front[i + 1]->x) : (double)RIGHT);
    fputs("\"/>\n", out);
  }
}

static void draw_point(FILE *out, const struct plot *plot, const struct svg_pareto_point *point) {
  double x = svg_scale_at(&plot->x, point->x), y = svg_scale_at(&plot->y, point->y);
  if (point->front)
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"9\" fill=\"none\" stroke=\"currentColor\"/>\n", x, y);
  svg_mark(out, point->place, x, y, point->tip);
}

/* Draws the legend. Returns the y of its last row. */
static double draw_energy_legend(FILE *out, const struct svg_pareto *pareto) {
  struct svg_legend legend = svg_legend_begin(out, RIGHT);
  for (size_t i = 0; i < pareto->point_count; i++)
    svg_legend_add(&legend, pareto->points[i].place, pareto->points[i].name);
  return legend.y;
}

void svg_pareto(FILE *out, const struct svg_pareto *pareto) {
  struct plot plot = {.top = draw_energy_legend(NULL, pareto) + 16};
  char below[64], unit[96];
  find_energy_scales(&plot, pareto);
  snprintf(below, sizeof below, "time per iteration, %.16s%s", pareto->unit, plot.x.log ? ", log scale" : "");
  snprintf(unit, sizeof unit, "J per iteration, lower is better%s; ring: none is better in both",
           plot.y.log ? ", log scale" : "");
  svg_open(out, &pareto->head, (int)plot.top + HEIGHT + 42);
  svg_text(out, 4, 14, "start", "", unit, 90);
  draw_energy_legend(out, pareto);
  svg_grid(out, &plot.x, &plot.y, below);
  draw_front(out, &plot, pareto);
  for (size_t i = 0; i < pareto->point_count; i++)
    if (is_energy_point_drawn(&pareto->points[i])) draw_point(out, &plot, &pareto->points[i]);
  fputs("</svg>\n", out);
}

/* ---- Power over time ---- */

static double draw_tracks_legend(FILE *out, const struct svg_power *power) {
  struct svg_legend legend = svg_legend_begin(out, RIGHT);
  for (size_t i = 0; i < power->track_count; i++)
    svg_legend_add(&legend, power->tracks[i].place, power->tracks[i].name);
  return legend.y;
}

/* Draws a line, and the variant's mark at its end. */
static void draw_track(FILE *out, const struct plot *plot, const struct svg_track *track) {
  double x = 0, y = 0;
  size_t drawn = 0;
  for (size_t i = 0; i < track->count; i++) {
    if (!isfinite(track->x[i]) || !isfinite(track->y[i])) continue;
    x = svg_scale_at(&plot->x, track->x[i]);
    y = svg_scale_at(&plot->y, track->y[i]);
    if (drawn == 0)
      fprintf(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" d=\"", svg_color(track->place));
    fprintf(out, "%c%.1f %.1f", drawn++ == 0 ? 'M' : 'L', x, y);
  }
  if (drawn == 0) return;
  fputs("\"/>\n", out);
  svg_mark(out, track->place, x, y, track->note);
}

void svg_power(FILE *out, const struct svg_power *power) {
  struct plot plot = {.top = draw_tracks_legend(NULL, power) + 16};
  double x_hi = 0, y_hi = 0;
  for (size_t i = 0; i < power->track_count; i++)
    for (size_t j = 0; j < power->tracks[i].count; j++) {
      if (isfinite(power->tracks[i].x[j])) x_hi = fmax(x_hi, power->tracks[i].x[j]);
      if (isfinite(power->tracks[i].y[j])) y_hi = fmax(y_hi, power->tracks[i].y[j]);
    }
  svg_scale_init(&plot.x, x_hi, x_hi, LEFT, RIGHT, false);
  svg_scale_init(&plot.y, y_hi, y_hi, plot.top + HEIGHT, plot.top, false);
  svg_open(out, &power->head, (int)plot.top + HEIGHT + 42);
  svg_text(out, 4, 14, "start", "", "power, W", 80);
  draw_tracks_legend(out, power);
  svg_grid(out, &plot.x, &plot.y, "time since the window began, s");
  for (size_t i = 0; i < power->track_count; i++)
    draw_track(out, &plot, &power->tracks[i]);
  fputs("</svg>\n", out);
}
