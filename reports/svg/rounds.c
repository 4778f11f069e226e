/* A case over its rounds: a strip for each variant, the clock, and when the device was slowed down. */
#include <math.h>

#include "svg/draw.h"
#include "svg/scale.h"

enum { LEFT = 70, RIGHT = SVG_WIDTH - 8, ROW = 70, TITLE = 21, STRIP = 42, CLOCK = 34 };

/* A robust span of all strips: far points are put on the edges. */
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

/* Not where another process begins, nor over rounds that it had no turn in. */
static bool joined(const struct svg_rounds *rounds, const struct svg_track *track, size_t at) {
  if (at == 0 || at >= track->count || crosses(rounds, track->x[at - 1], track->x[at])) return false;
  return track->x[at] - track->x[at - 1] < 1.5 * rounds->step;
}

/* A point that is joined to none is a dot. */
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

/* Small dots, as strokes of no length, while they can be told apart; the extremes always. */
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

static void draw_axis(FILE *out, const struct svg_scale *x, double bottom) {
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
  x.hi = fmax(rounds->rounds, 1); /* no room after the last round */
  while (x.tick_count > 0 && x.ticks[x.tick_count - 1] > x.hi)
    x.tick_count--;
  svg_open(out, &rounds->head, (int)below + 36);
  for (size_t i = 0; i < rounds->track_count; i++)
    draw_strip(out, rounds, &rounds->tracks[i], &x, span, 4 + ROW * (double)i);
  draw_clock(out, rounds, &x, strips);
  draw_throttled(out, rounds, &x, bottom + 2);
  draw_axis(out, &x, below);
  fputs("</svg>\n", out);
}
