/* Times over nights as SVG: colours and geometry are attributes, text takes the page's colour. */
#include <math.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/page.h"
#include "site/site.h"

/* At least 3:1 against the light and the dark page. */
#define BLUE "#2f7fc1"
#define ORANGE "#c2570c"
#define RED "#d1361b"

/* ---- The strip ---- */

void site_strip(const struct trend *trend, FILE *out) {
  enum { STEP = 12, HIGH = 36 };
  static const char *const colors[] = {BLUE, ORANGE, ORANGE, RED, RED};
  static const int heights[] = {14, 24, 24, 34, 34};
  const size_t nights = trend->data->night_count, from = nights > TREND_WINDOW ? nights - TREND_WINDOW : 0;
  size_t bad = 0;
  for (size_t i = from; i < nights; i++)
    bad += trend_verdict(trend, i) == TREND_OK ? 0 : 1;
  fprintf(out,
          "<figure>\n<figcaption>The last %zu nights, oldest first: the higher, the worse</figcaption>\n"
          "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%zu nights, %zu of them not ok; the "
          "table of nights below says which\">\n",
          nights - from, TREND_WINDOW * STEP, HIGH, nights - from, bad);
  for (size_t i = from; i < nights; i++) {
    const enum trend_verdict verdict = trend_verdict(trend, i);
    fprintf(out, "<rect x=\"%zu\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"%s\"><title>",
            (i - from) * STEP + 1, HIGH - heights[verdict], STEP - 2, heights[verdict], colors[verdict]);
    html_text(out, "%.10s %s", trend->data->nights[i].started, trend_verdict_word(verdict));
    fputs("</title></rect>\n", out);
  }
  fputs("</svg>\n</figure>\n", out);
}

/* ---- Lines ---- */

struct scale {
  size_t from, nights;
  double least, most; /* ns */
  int left, top, width, height;
};

static struct scale scale_of(const struct trend_row *row, size_t from, size_t nights) {
  struct scale s = {.from = from, .nights = nights, .least = INFINITY, .most = 0};
  for (size_t i = from; i < nights; i++) {
    const double ns = row->series->points[i].ns;
    if (isnan(ns)) continue;
    s.least = fmin(s.least, ns);
    s.most = fmax(s.most, ns);
  }
  const double middle = (s.least + s.most) / 2, span = fmax(s.most - s.least, 0.02 * s.most);
  s.least = middle - span / 2;
  s.most = middle + span / 2;
  return s;
}

static int at_x(const struct scale *s, size_t night) {
  const size_t steps = s->nights - s->from > 1 ? s->nights - s->from - 1 : 1;
  return s->left + (int)((double)s->width * (double)(night - s->from) / (double)steps);
}

static int at_y(const struct scale *s, double ns) {
  return s->top + (int)((double)s->height * (s->most - ns) / (s->most - s->least));
}

/* One path, in steps; a night without a time leaves a gap, and one alone a point. */
static void draw(const struct trend_row *row, const struct scale *s, const char *more, FILE *out) {
  bool pen = false;
  int x = 0, y = 0;
  fputs("<path d=\"", out);
  for (size_t i = s->from; i < s->nights; i++) {
    const double ns = row->series->points[i].ns;
    if (isnan(ns)) {
      pen = false;
      continue;
    }
    const int to_x = at_x(s, i), to_y = at_y(s, ns);
    if (pen)
      fprintf(out, "l%d%s%d", to_x - x, to_y < y ? "" : " ", to_y - y);
    else
      fprintf(out, "M%d %dh0", to_x, to_y);
    pen = true;
    x = to_x;
    y = to_y;
  }
  fprintf(out, "\" fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\"%s/>\n", more);
}

void site_spark(const struct trend_row *row, size_t nights, FILE *out) {
  enum { WIDE = 120, HIGH = 24 };
  struct scale s = scale_of(row, nights > TREND_WINDOW ? nights - TREND_WINDOW : 0, nights);
  s.left = s.top = 2;
  s.width = WIDE - 4;
  s.height = HIGH - 4;
  if (!isfinite(s.least)) return;
  fprintf(out, "<svg width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">", WIDE, HIGH, WIDE, HIGH);
  draw(row, &s, " stroke=\"" BLUE "\" stroke-width=\"1.5\"", out);
  fputs("</svg>", out);
}

/* ---- A chart ---- */

static void tick(const struct scale *s, double ns, FILE *out) {
  fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"26\" text-anchor=\"end\" fill=\"currentColor\">%s</text>\n",
          s->left - 14, at_y(s, ns) + 9, number_time(ns).text);
}

static void day(const struct trend *trend, const struct scale *s, size_t night, const char *anchor, FILE *out) {
  fprintf(out, "<text x=\"%d\" y=\"%d\" font-size=\"26\" text-anchor=\"%s\" fill=\"currentColor\">", at_x(s, night),
          s->top + s->height + 40, anchor);
  html_text(out, "%.10s", trend->data->nights[night].started);
  fputs("</text>\n", out);
}

static void levels(const struct trend_row *row, const struct scale *s, FILE *out) {
  for (size_t i = 0; i < row->segment_count; i++) {
    const struct nights_segment *level = &row->segments[i];
    if (i > 0)
      fprintf(out, "<path d=\"M%d %dv%d\" stroke=\"%s\" stroke-width=\"3\" stroke-dasharray=\"8 6\"/>\n",
              at_x(s, level->first), s->top, s->height, level->step > 0 ? ORANGE : BLUE);
    fprintf(out, "<path d=\"M%d %dH%d\" stroke=\"%s\" stroke-width=\"5\"/>\n", at_x(s, level->first),
            at_y(s, level->level_ns), at_x(s, level->last), level->step > 0 ? ORANGE : BLUE);
  }
}

/* Where the machine changed: a mark on the axis. */
static void marks(const struct trend *trend, const struct scale *s, FILE *out) {
  char text[2 * TEXT_SIZE];
  for (size_t i = s->from + 1; i < s->nights; i++) {
    trend_marks(trend, i, text, sizeof text);
    if (text[0] == '\0') continue;
    fprintf(out, "<path d=\"M%d %dl9 16h-18z\" fill=\"currentColor\"><title>", at_x(s, i), s->top + s->height);
    html_text(out, "%.10s: %s", trend->data->nights[i].started, text);
    fputs("</title></path>\n", out);
  }
}

void site_chart(const struct trend *trend, const struct trend_row *row, FILE *out) {
  enum { WIDE = 1600, HIGH = 340 };
  const size_t nights = trend->data->night_count;
  struct scale s = scale_of(row, 0, nights);
  if (!isfinite(s.least)) {
    fputs("<p class=\"soft\">Not timed in any night.</p>\n", out);
    return;
  }
  s.left = 190;
  s.top = 20;
  s.width = WIDE - s.left - 30;
  s.height = HIGH - s.top - 60;
  fprintf(out, "<svg class=\"chart\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"time over %zu nights, ", WIDE,
          HIGH, nights);
  fprintf(out, "%zu level%s\">\n<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/>\n",
          row->segment_count, row->segment_count == 1 ? "" : "s", s.left - 6, s.top, s.top + s.height,
          s.left + s.width);
  tick(&s, s.most, out);
  tick(&s, s.least, out);
  day(trend, &s, 0, "start", out);
  if (nights > 1) day(trend, &s, nights - 1, "end", out);
  draw(row, &s, " stroke=\"currentColor\" stroke-width=\"3\" stroke-opacity=\".55\"", out);
  levels(row, &s, out);
  marks(trend, &s, out);
  fputs("</svg>\n", out);
}
