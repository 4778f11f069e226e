#include "svg/grid.h"

#include <math.h>

#include "svg/draw.h"

void svg_columns(FILE *out, const struct svg_scale *x, double top, double bottom, bool bytes) {
  char text[64];
  double used = -HUGE_VAL;
  for (size_t i = 0; i < x->tick_count; i++) {
    double at = svg_scale_at(x, x->ticks[i]);
    svg_rule(out, at, top, at, bottom, 0.13);
    svg_number(text, sizeof text, x->ticks[i], bytes);
    const bool last = i + 1 == x->tick_count; /* it must not leave the chart */
    double width = svg_text_width(text, 12), left = last ? x->to + 8 - width : at - width / 2;
    if (left < used + 6) continue;
    svg_text(out, last ? x->to + 8 : at, bottom + 16, last ? "end" : "middle", SVG_SOFT, text, 12);
    used = left + width;
  }
}

static void draw_lines(FILE *out, const struct svg_scale *y, double left, double right) {
  char text[64];
  double used = HUGE_VAL;
  for (size_t i = 0; i < y->tick_count; i++) {
    double at = svg_scale_at(y, y->ticks[i]);
    svg_rule(out, left, at, right, at, 0.13);
    if (at > used - 12) continue;
    svg_number(text, sizeof text, y->ticks[i], false);
    svg_text(out, left - 7, at + 4, "end", SVG_SOFT, text, 12);
    used = at;
  }
}

void svg_grid(FILE *out, const struct svg_scale *x, const struct svg_scale *y, const char *below) {
  const double left = x->from, right = x->to, bottom = y->from, top = y->to;
  svg_rule(out, left, top, left, bottom, 0.5);
  svg_rule(out, left, bottom, right, bottom, 0.5);
  svg_columns(out, x, top, bottom, false);
  draw_lines(out, y, left, right);
  svg_text(out, (left + right) / 2, bottom + 34, "middle", "", below, 60);
}
