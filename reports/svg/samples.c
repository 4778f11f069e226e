/* Draws the samples of a case: their distribution, and their course over the rounds. */
#include <math.h>

#include "stats/stats.h"
#include "svg/draw.h"

/* Distributions of samples around their medians: for each variant a histogram, the middle half, and the outliers. */

enum {
  SPREAD_LEFT = 8,
  SPREAD_RIGHT = SVG_WIDTH - 8,
  TOP = 4,
  SPREAD_ROW = 66,
  SPREAD_TITLE = 14,
  BARS = 32,
  BINS = 72,
  BINS_MAX = 200,
  TICKS = 40
};

/* Quartiles and Tukey's inner fences. */
struct fences {
  double q1, q3, lo, hi;
};

static struct fences fences_of(const struct svg_spread_row *row) {
  struct fences f = {.q1 = stats_quantile(row->percent, row->count, 0.25),
                     .q3 = stats_quantile(row->percent, row->count, 0.75)};
  double iqr = fmax(f.q3 - f.q1, row->tick);
  f.lo = f.q1 - 1.5 * iqr;
  f.hi = f.q3 + 1.5 * iqr;
  return f;
}

/* Finds the range of the x axis. It covers the samples of every row up to the row's outer fences; outliers beyond these
 * would compress the rest. */
static void find_range(const struct svg_spread *spread, double *lo, double *hi) {
  *lo = -0.05;
  *hi = 0.05;
  for (size_t i = 0; i < spread->count; i++) {
    const struct svg_spread_row *row = &spread->rows[i];
    if (row->count == 0) continue;
    struct fences f = fences_of(row);
    double more = 1.5 * fmax(f.q3 - f.q1, row->tick);
    *lo = fmin(*lo, fmax(f.lo - more, row->percent[0]));
    *hi = fmax(*hi, fmin(f.hi + more, row->percent[row->count - 1]));
  }
}

/* Returns the width of a bin in percent. If the resolution of the clock is coarse, the width is a multiple of it,
 * because otherwise empty bins would alternate with full ones. */
static double bin_width(const struct svg_spread_row *row, const struct svg_scale *x) {
  double width = (x->hi - x->lo) / BINS;
  return row->tick > width / 4 ? row->tick * ceil(width / row->tick) : width;
}

struct bins {
  double first, width; /* first: left edge of the first bin, in percent */
  size_t count, counts[BINS_MAX], most;
};

static void fill_bins(struct bins *bins, const struct svg_spread_row *row, const struct svg_scale *x) {
  *bins = (struct bins){.width = bin_width(row, x)};
  double index = floor(x->lo / bins->width + 0.5);
  bins->first = (index - 0.5) * bins->width;
  bins->count = (size_t)fmin(ceil((x->hi - bins->first) / bins->width) + 1, BINS_MAX);
  for (size_t i = 0; i < row->count; i++) {
    double at = (row->percent[i] - bins->first) / bins->width;
    if (!(at >= 0) || at >= (double)bins->count) continue;
    size_t count = ++bins->counts[(size_t)at];
    if (count > bins->most) bins->most = count;
  }
}

/* Draws the histogram: one outline for each group of adjacent bins that are not empty. */
static void draw_histogram(FILE *out, const struct svg_spread_row *row, const struct svg_scale *x, double bottom) {
  struct bins bins;
  fill_bins(&bins, row, x);
  if (bins.most == 0) return;
  fprintf(out, "<path fill=\"%s\" d=\"", svg_color(row->place));
  for (size_t i = 0; i < bins.count; i++) {
    bool open = i > 0 && bins.counts[i - 1] != 0;
    double left = svg_scale_at(x, bins.first + bins.width * (double)i);
    double right = svg_scale_at(x, bins.first + bins.width * (double)(i + 1));
    double height = bins.counts[i] ? fmax(BARS * (double)bins.counts[i] / (double)bins.most, 0.8) : 0;
    if (bins.counts[i] == 0) {
      if (open) fprintf(out, "V%.1fz", bottom);
      continue;
    }
    if (!open) fprintf(out, "M%.1f %.1f", left, bottom);
    fprintf(out, "V%.1fH%.1f", bottom - height, right);
  }
  if (bins.counts[bins.count - 1] != 0) fprintf(out, "V%.1fz", bottom);
  fputs("\"/>\n", out);
}

/* Draws the middle half of the samples as a bar, and the median as a line through the row. */
static void draw_middle(FILE *out, const struct svg_spread_row *row, const struct svg_scale *x, double bottom) {
  struct fences f = fences_of(row);
  double left = svg_scale_at(x, f.q1), right = svg_scale_at(x, f.q3), middle = svg_scale_at(x, 0);
  fprintf(out,
          "<path d=\"M%.1f %.1fH%.1f\" stroke=\"currentColor\" stroke-width=\"3\"/>\n"
          "<path d=\"M%.1f %.1fV%.1f\" stroke=\"currentColor\" stroke-width=\"1.5\"/>\n",
          left, bottom + 4, fmax(right, left + 1), middle, bottom - BARS, bottom + 8);
}

static bool is_outlier(const struct fences *f, double value) {
  return value < f->lo || value > f->hi;
}

/* Draws at most TICKS of the outliers in range, evenly selected. Writes at each end how many are beyond it. */
static void draw_outliers(FILE *out, const struct svg_spread_row *row, const struct svg_scale *x, double bottom) {
  struct fences f = fences_of(row);
  size_t below = 0, above = 0, inside = 0, seen = 0;
  for (size_t i = 0; i < row->count; i++) {
    below += row->percent[i] < x->lo;
    above += row->percent[i] > x->hi;
    inside += is_outlier(&f, row->percent[i]) && row->percent[i] >= x->lo && row->percent[i] <= x->hi;
  }
  size_t every = inside > TICKS ? (inside + TICKS - 1) / TICKS : 1;
  if (inside != 0) fprintf(out, "<path stroke=\"%s\" stroke-width=\"1.5\" d=\"", svg_color(row->place));
  for (size_t i = 0; i < row->count; i++) {
    double value = row->percent[i];
    if (!is_outlier(&f, value) || value < x->lo || value > x->hi || seen++ % every != 0) continue;
    fprintf(out, "M%.1f %.1fv7", svg_scale_at(x, value), bottom + 1);
  }
  if (inside != 0) fputs("\"/>\n", out);
  char text[96], far[32];
  svg_percent(far, sizeof far, row->count ? row->percent[0] : 0);
  snprintf(text, sizeof text, "\xE2\x97\x82 %zu more, to %s", below, far);
  if (below != 0) svg_text(out, SPREAD_LEFT, bottom - 6, "start", SVG_SOFT, text, 40);
  svg_percent(far, sizeof far, row->count ? row->percent[row->count - 1] : 0);
  snprintf(text, sizeof text, "%zu more, to %s \xE2\x96\xB8", above, far);
  if (above != 0) svg_text(out, SPREAD_RIGHT, bottom - 6, "end", SVG_SOFT, text, 40);
}

static void draw_spread_row(FILE *out, const struct svg_spread_row *row, const struct svg_scale *x, double top) {
  double bottom = top + SPREAD_TITLE + BARS + 4;
  svg_row_title(out, top + 11, row->place, row->name, row->note);
  svg_rule(out, SPREAD_LEFT, bottom, SPREAD_RIGHT, bottom, 0.3);
  if (row->count == 0) return;
  draw_histogram(out, row, x, bottom);
  draw_middle(out, row, x, bottom);
  draw_outliers(out, row, x, bottom);
}

void svg_spread(FILE *out, const struct svg_spread *spread) {
  struct svg_scale x;
  double lo = 0, hi = 0, bottom = TOP + SPREAD_ROW * (double)spread->count;
  char text[64];
  find_range(spread, &lo, &hi);
  svg_scale_span(&x, lo, hi, SPREAD_LEFT + 4, SPREAD_RIGHT - 4, 6);
  svg_open(out, &spread->head, (int)bottom + 34);
  for (size_t i = 0; i < x.tick_count; i++) {
    double at = svg_scale_at(&x, x.ticks[i]);
    svg_rule(out, at, TOP + SPREAD_TITLE, at, bottom, 0.13);
    snprintf(text, sizeof text, x.ticks[i] == 0 ? "median" : "%+.4g%%", x.ticks[i]);
    svg_text(out, at, bottom + 13, i == 0 ? "start" : i + 1 == x.tick_count ? "end" : "middle", SVG_SOFT, text, 12);
  }
  for (size_t i = 0; i < spread->count; i++)
    draw_spread_row(out, &spread->rows[i], &x, TOP + SPREAD_ROW * (double)i);
  svg_text(out, SVG_WIDTH / 2.0, bottom + 30, "middle", "", "a sample's distance from its variant's median", 60);
  fputs("</svg>\n", out);
}

/* ---- A case over its rounds: a strip for each variant, then the clock, and the rounds with throttling ---- */

enum { LEFT = 70, RIGHT = SVG_WIDTH - 8, ROW = 70, TITLE = 21, STRIP = 42, CLOCK = 34 };

/* Returns the range of y that all strips share. Far outliers do not widen the range; they are drawn at its edges. */
static double common_span(const struct svg_rounds *rounds) {
  double span = 0.05;
  for (size_t i = 0; i < rounds->track_count; i++) {
    const struct svg_track *track = &rounds->tracks[i];
    double sum = 0, most = 0;
    for (size_t j = 0; j < track->count; j++) {
      sum += fabs(track->y[j]);
      most = fmax(most, fabs(track->y[j]));
    }
    if (track->count != 0) span = fmax(span, fmin(most, 8 * sum / (double)track->count));
  }
  return isfinite(span) ? span : 0.05;
}

static void draw_breaks(FILE *out, const struct svg_rounds *rounds, const struct svg_scale *x, double top,
                        double bottom) {
  for (size_t i = 0; i < rounds->break_count; i++) {
    double at = svg_scale_at(x, rounds->breaks[i]);
    fprintf(out,
            "<path d=\"M%.1f %.1fV%.1f\" stroke=\"currentColor\" stroke-opacity=\"0.5\" stroke-dasharray=\"2 3\"/>\n",
            at, top, bottom);
  }
}

static bool crosses(const struct svg_rounds *rounds, double from, double to) {
  for (size_t i = 0; i < rounds->break_count; i++)
    if (from < rounds->breaks[i] && to >= rounds->breaks[i]) return true;
  return false;
}

/* Returns true if a line joins this point with the one before. No line crosses the start of another worker process, or
 * rounds in which the variant took no samples. */
static bool joined(const struct svg_rounds *rounds, const struct svg_track *track, size_t at) {
  if (at == 0 || at >= track->count || crosses(rounds, track->x[at - 1], track->x[at])) return false;
  return track->x[at] - track->x[at - 1] < 1.5 * rounds->step;
}

/* Draws the line through a track's points. A point that is joined to no other is drawn as a dot. */
static void draw_line(FILE *out, const struct svg_rounds *rounds, const struct svg_track *track,
                      const struct svg_scale *x, const struct svg_scale *y, const char *color) {
  double width = track->count > 150 ? 1 : 1.5;
  fprintf(
      out,
      "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%.3g\" stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"",
      color, width);
  for (size_t i = 0; i < track->count; i++) {
    const bool here = joined(rounds, track, i), alone = !here && !joined(rounds, track, i + 1);
    fprintf(out, "%c%.1f %.1f%s", here ? 'L' : 'M', svg_scale_at(x, track->x[i]), svg_scale_at(y, track->y[i]),
            alone ? "h0" : "");
  }
  fputs(track->count != 0 ? "\"/>\n" : "M0 0\"/>\n", out);
}

static void draw_extreme(FILE *out, const struct svg_track *track, size_t at, const struct svg_scale *x,
                         const struct svg_scale *y) {
  fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.8\" fill=\"%s\"><title>round %.0f: %+.3g%%</title></circle>\n",
          svg_scale_at(x, track->x[at]), svg_scale_at(y, track->y[at]), svg_color(track->place),
          floor(track->x[at]) + 1, track->y[at]);
}

/* Draws each point as a small dot (a stroke of no length). If there are too many points to distinguish, draws only the
 * lowest and the highest. */
static void draw_dots(FILE *out, const struct svg_track *track, const struct svg_scale *x, const struct svg_scale *y) {
  size_t low = 0, high = 0;
  for (size_t i = 0; i < track->count; i++) {
    if (track->y[i] < track->y[low]) low = i;
    if (track->y[i] > track->y[high]) high = i;
  }
  if (track->count == 0) return;
  if (track->count <= 60) {
    fprintf(out, "<path stroke=\"%s\" stroke-width=\"3.4\" stroke-linecap=\"round\" d=\"", svg_color(track->place));
    for (size_t i = 0; i < track->count; i++)
      fprintf(out, "M%.1f %.1fh0", svg_scale_at(x, track->x[i]), svg_scale_at(y, track->y[i]));
    fputs("\"/>\n", out);
  }
  draw_extreme(out, track, low, x, y);
  draw_extreme(out, track, high, x, y);
}

static void draw_percent(FILE *out, const struct svg_scale *y, double value) {
  char text[32] = "0";
  if (value != 0) svg_percent(text, sizeof text, value);
  svg_rule(out, LEFT, svg_scale_at(y, value), RIGHT, svg_scale_at(y, value), value == 0 ? 0.4 : 0.13);
  svg_text(out, LEFT - 6, svg_scale_at(y, value) + 4, "end", SVG_SOFT, text, 10);
}

static void draw_strip(FILE *out, const struct svg_rounds *rounds, const struct svg_track *track,
                       const struct svg_scale *x, double span, double top) {
  struct svg_scale y;
  svg_scale_span(&y, -span, span, top + TITLE + STRIP, top + TITLE, 2);
  svg_row_title(out, top + 11, track->place, track->name, track->note);
  draw_percent(out, &y, y.lo);
  draw_percent(out, &y, 0);
  draw_percent(out, &y, y.hi);
  draw_breaks(out, rounds, x, top + TITLE, top + TITLE + STRIP);
  draw_line(out, rounds, track, x, &y, svg_color(track->place));
  draw_dots(out, track, x, &y);
}

static void draw_throttled(FILE *out, const struct svg_rounds *rounds, const struct svg_scale *x, double y) {
  if (rounds->throttled_count == 0) return;
  fputs("<g fill=\"currentColor\">\n", out);
  svg_title(out, rounds->throttled_note);
  for (size_t i = 0; i < rounds->throttled_count; i++)
    fprintf(out, "<path d=\"M%.1f %.1fl3 7h-6z\"/>\n", svg_scale_at(x, rounds->throttled[i]), y);
  fputs("</g>\n", out);
  svg_text(out, LEFT, y + 20, "start", "", rounds->throttled_note, 80);
}

static void draw_mhz(FILE *out, const struct svg_scale *y, double value) {
  char text[32];
  snprintf(text, sizeof text, "%.5g", value);
  svg_rule(out, LEFT, svg_scale_at(y, value), RIGHT, svg_scale_at(y, value), 0.13);
  svg_text(out, LEFT - 6, svg_scale_at(y, value) + 4, "end", SVG_SOFT, text, 10);
}

static void draw_clock(FILE *out, const struct svg_rounds *rounds, const struct svg_scale *x, double top) {
  const struct svg_track *clock = &rounds->clock;
  struct svg_scale y;
  double lo = HUGE_VAL, hi = -HUGE_VAL;
  svg_text(out, 4, top + 11, "start", "", clock->note, 80);
  if (clock->count == 0) return;
  for (size_t i = 0; i < clock->count; i++) {
    lo = fmin(lo, clock->y[i]);
    hi = fmax(hi, clock->y[i]);
  }
  if (hi - lo < 20) hi = (lo = fmax(lo - 10, 0)) + 20;
  svg_scale_span(&y, lo, hi, top + TITLE + CLOCK, top + TITLE, 2);
  draw_mhz(out, &y, y.lo);
  draw_mhz(out, &y, y.hi);
  draw_line(out, rounds, clock, x, &y, "currentColor");
}

static void draw_percent_axis(FILE *out, const struct svg_scale *x, double bottom) {
  char text[32];
  for (size_t i = 0; i < x->tick_count; i++) {
    snprintf(text, sizeof text, "%.0f", x->ticks[i]);
    svg_text(out, svg_scale_at(x, x->ticks[i]), bottom + 14, i + 1 == x->tick_count ? "end" : "middle", SVG_SOFT, text,
             12);
  }
  svg_text(out, (LEFT + RIGHT) / 2.0, bottom + 30, "middle", "", "round", 12);
}

void svg_rounds(FILE *out, const struct svg_rounds *rounds) {
  struct svg_scale x;
  double strips = ROW * (double)rounds->track_count + 4, span = common_span(rounds);
  double bottom = strips + TITLE + (rounds->clock.count != 0 ? CLOCK + 6 : 0);
  double below = bottom + (rounds->throttled_count != 0 ? 26 : 0);
  svg_scale_span(&x, 0, fmax(rounds->rounds, 1), LEFT, RIGHT, (int)fmin(fmax(rounds->rounds, 1), 8));
  x.hi = fmax(rounds->rounds, 1); /* no space after the last round */
  while (x.tick_count > 0 && x.ticks[x.tick_count - 1] > x.hi)
    x.tick_count--;
  svg_open(out, &rounds->head, (int)below + 36);
  for (size_t i = 0; i < rounds->track_count; i++)
    draw_strip(out, rounds, &rounds->tracks[i], &x, span, 4 + ROW * (double)i);
  draw_clock(out, rounds, &x, strips);
  draw_throttled(out, rounds, &x, bottom + 2);
  draw_percent_axis(out, &x, below);
  fputs("</svg>\n", out);
}
