/* Distributions of samples around their medians: per variant a histogram, the middle half, and the outliers. */
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "stats/stats.h"
#include "svg/draw.h"
#include "svg/scale.h"

enum {
  LEFT = 8,
  RIGHT = SVG_WIDTH - 8,
  TOP = 4,
  ROW = 66,
  TITLE = 14,
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

/* Both outer fences of every row, but no more than its samples reach: far outliers do not flatten the rest. */
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

/* Width of a bin in percent: a whole number of the clock's steps, else bins stand empty between full ones. */
static double bin_width(const struct svg_spread_row *row, const struct svg_scale *x) {
  double width = (x->hi - x->lo) / BINS;
  return row->tick > width / 4 ? row->tick * ceil(width / row->tick) : width;
}

struct bins {
  double first, width; /* left edge of the first */
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

/* One outline: up and down at each change, nothing for empty bins. */
static void draw_bars(FILE *out, const struct svg_spread_row *row, const struct svg_scale *x, double bottom) {
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

/* The middle half as a bar, the median as a line through the row. */
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

/* At most TICKS of the outliers in view, evenly taken; how many lie beyond each end is written there. */
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
  if (below != 0) svg_text(out, LEFT, bottom - 6, "start", SVG_SOFT, text, 40);
  svg_percent(far, sizeof far, row->count ? row->percent[row->count - 1] : 0);
  snprintf(text, sizeof text, "%zu more, to %s \xE2\x96\xB8", above, far);
  if (above != 0) svg_text(out, RIGHT, bottom - 6, "end", SVG_SOFT, text, 40);
}

static void draw_row(FILE *out, const struct svg_spread_row *row, const struct svg_scale *x, double top) {
  double bottom = top + TITLE + BARS + 4;
  svg_row_title(out, top + 11, row->place, row->name, row->note);
  svg_rule(out, LEFT, bottom, RIGHT, bottom, 0.3);
  if (row->count == 0) return;
  draw_bars(out, row, x, bottom);
  draw_middle(out, row, x, bottom);
  draw_outliers(out, row, x, bottom);
}

void svg_spread(FILE *out, const struct svg_spread *spread) {
  struct svg_scale x;
  double lo = 0, hi = 0, bottom = TOP + ROW * (double)spread->count;
  char text[64];
  find_range(spread, &lo, &hi);
  svg_scale_span(&x, lo, hi, LEFT + 4, RIGHT - 4, 6);
  svg_open(out, &spread->head, (int)bottom + 34);
  for (size_t i = 0; i < x.tick_count; i++) {
    double at = svg_scale_at(&x, x.ticks[i]);
    svg_rule(out, at, TOP + TITLE, at, bottom, 0.13);
    snprintf(text, sizeof text, x.ticks[i] == 0 ? "median" : "%+.4g%%", x.ticks[i]);
    svg_text(out, at, bottom + 13, i == 0 ? "start" : i + 1 == x.tick_count ? "end" : "middle", SVG_SOFT, text, 12);
  }
  for (size_t i = 0; i < spread->count; i++)
    draw_row(out, &spread->rows[i], &x, TOP + ROW * (double)i);
  svg_text(out, SVG_WIDTH / 2.0, bottom + 30, "middle", "", "a sample's distance from its variant's median", 60);
  fputs("</svg>\n", out);
}
