/* Draws a timeline: a row for each lane, a bar for each span. Lanes can be told apart by position and name alone,
 * without their colours and borders. */
#include <math.h>

#include "svg/draw.h"

enum { RIGHT = SVG_WIDTH - 8, TOP = 6, ROW = 30, BAR = 20, NAME_MOST = 18, NAMES_WIDEST = 150, BARS_MOST = 2000 };

static double left_of(const struct svg_timeline *t) {
  double widest = 30;
  for (size_t i = 0; i < t->lane_count; i++)
    widest = fmax(widest, svg_text_width(t->lanes[i].name, NAME_MOST) * SVG_BOLD_WIDTH);
  return 20 + fmin(widest, NAMES_WIDEST);
}

static double row_top(size_t lane) {
  return TOP + ROW * (double)lane;
}

/* ---- Drawing bars ---- */

static void draw_span_bar(FILE *out, const struct svg_timeline *t, const struct svg_bar *bar, double from, double to,
                          size_t number) {
  double height = BAR / (double)(t->lanes[bar->lane].levels > 0 ? t->lanes[bar->lane].levels : 1);
  double y = row_top(bar->lane) + 2 + height * (double)bar->level, width = fmax(to - from, 0.8);
  fprintf(out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%s\" stroke=\"%s\" "
          "stroke-width=\"0.8\"",
          from, y, width, height, svg_color(bar->lane), number % 2 == 0 ? "0.4" : "0.2", svg_color(bar->lane));
  fputs(bar->tip != NULL ? ">" : "/>\n", out);
  svg_title(out, bar->tip);
  if (bar->tip != NULL) fputs("</rect>\n", out);
  if (bar->label != NULL && height >= 14 && svg_text_width(bar->label, 24) + 6 < width)
    svg_text(out, from + width / 2, y + height / 2 + 4, "middle", "", bar->label, 24);
}

/* Draws the bars and returns their number. A bar is merged with the one before it if both its width and the gap between
 * them are less than `gap` pixels. If `out` is NULL, only counts. */
static size_t draw_span_bars(FILE *out, const struct svg_timeline *t, const struct svg_scale *x, double gap) {
  size_t number = 0;
  for (size_t i = 0; i < t->bar_count;) {
    struct svg_bar bar = t->bars[i++];
    double from = svg_scale_at(x, bar.from), to = svg_scale_at(x, bar.to);
    bool joined = false;
    for (; i < t->bar_count && t->bars[i].lane == bar.lane && t->bars[i].level == bar.level; i++) {
      double next = svg_scale_at(x, t->bars[i].from), end = svg_scale_at(x, t->bars[i].to);
      if (next - to >= gap || end - next >= gap) break;
      to = fmax(to, end);
      joined = true;
    }
    /* tip and label are those of the first merged bar only and would mislead, so a merged bar has neither */
    if (joined) bar.tip = bar.label = NULL;
    if (out != NULL) draw_span_bar(out, t, &bar, from, to, number);
    number++;
  }
  return number;
}

/* ---- Drawing the frame ---- */

static void draw_name(FILE *out, const struct svg_timeline *t, size_t lane) {
  const struct svg_lane *row = &t->lanes[lane];
  double middle = row_top(lane) + 2 + BAR / 2.0;
  svg_mark(out, lane, 8, middle, NULL);
  svg_text(out, 18, middle + 4, "start", row->strong ? SVG_BOLD : "", row->name, NAME_MOST);
}

static void draw_time_axis(FILE *out, const struct svg_timeline *t, const struct svg_scale *x, double bottom) {
  char text[32];
  for (size_t i = 0; i < x->tick_count; i++) {
    snprintf(text, sizeof text, "%.6g", x->ticks[i]);
    svg_rule(out, svg_scale_at(x, x->ticks[i]), TOP, svg_scale_at(x, x->ticks[i]), bottom, 0.15);
    svg_text(out, svg_scale_at(x, x->ticks[i]), bottom + 14, i + 1 == x->tick_count ? "end" : "middle", SVG_SOFT, text,
             12);
  }
  svg_text(out, (x->from + x->to) / 2, bottom + 30, "middle", "", t->unit, 24);
}

void svg_timeline(FILE *out, const struct svg_timeline *t) {
  struct svg_scale x;
  double bottom = row_top(t->lane_count), gap = 0.75;
  svg_scale_span(&x, t->from, t->to, left_of(t), RIGHT, 5);
  svg_open(out, &t->head, (int)bottom + 36);
  draw_time_axis(out, t, &x, bottom);
  while (draw_span_bars(NULL, t, &x, gap) > BARS_MOST && gap < SVG_WIDTH)
    gap *= 2;
  draw_span_bars(out, t, &x, gap);
  for (size_t i = 0; i < t->lane_count; i++)
    draw_name(out, t, i);
  fputs("</svg>\n", out);
}
