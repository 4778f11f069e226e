/* What all charts share: the frame, text, marks, and scales. */
#include "reports/svg.h"

#include <math.h>
#include <string.h>

#include "reports/escape.h"
#include "reports/svg_parts.h"

const char *const svg_colors[SVG_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#b65c92",
                                            "#b07500", "#2e8fc4", "#7a7f87", "#a05a3c"};

void svg_chart(FILE *out, const struct svg_chart *chart) {
  if (chart->category_count == 1)
    svg_bars(out, chart);
  else
    svg_lines(out, chart);
}

bool svg_known(double value) {
  return isfinite(value) && value > 0;
}

static void widen(double value, double *lo, double *hi) {
  if (!svg_known(value)) return;
  *lo = fmin(*lo, value);
  *hi = fmax(*hi, value);
}

/* The next of 1, 2, 5 times a power of ten at or above (or at or below) the value. */
static double round_out(double value, bool up) {
  static const double steps[] = {1, 2, 5, 10};
  double power = pow(10, floor(log10(value) + 1e-9));
  double best = up ? 10 * power : power;
  for (size_t i = 0; i < 4; i++) {
    double step = steps[i] * power;
    if (up && step >= value * (1 - 1e-9)) return step;
    if (!up && step <= value * (1 + 1e-9)) best = step;
  }
  return best;
}

static void add_tick(struct svg_scale *scale, double value) {
  if (scale->tick_count < SVG_TICKS_MAX) scale->ticks[scale->tick_count++] = value;
}

static void linear_ticks(struct svg_scale *scale) {
  double step = round_out(scale->hi / 5.5, true);
  scale->lo = 0;
  scale->hi = ceil(scale->hi / step - 1e-9) * step;
  for (int i = 0; i * step <= scale->hi * (1 + 1e-9); i++)
    add_tick(scale, i * step);
}

static void log_ticks(struct svg_scale *scale) {
  scale->lo = round_out(scale->lo, false);
  scale->hi = round_out(scale->hi, true);
  bool dense = scale->hi / scale->lo <= 1e3 * (1 + 1e-9), sparse = scale->hi / scale->lo > 1e8;
  double next = scale->lo;
  for (int i = 0; next <= scale->hi * (1 + 1e-9) && i < 4 * SVG_TICKS_MAX; i++) {
    bool decade = fabs(log10(next) - round(log10(next))) < 1e-9;
    if (dense || (decade && (!sparse || fmod(round(log10(next)), 3) == 0))) add_tick(scale, next);
    next = round_out(next * 1.5, true);
  }
}

void svg_scale_init(struct svg_scale *scale, const struct svg_chart *chart, double from, double to, bool allow_log) {
  double lo = HUGE_VAL, hi = 0;
  for (size_t i = 0; i < chart->series_count; i++)
    for (size_t j = 0; j < chart->category_count; j++) {
      const struct svg_point *point = &chart->series[i].points[j];
      widen(point->y, &lo, &hi);
      if (chart->series[i].limit) continue;
      /* a wide interval may leave the chart: it shall not flatten all the rest */
      widen(fmax(point->lo, point->y / 1.5), &lo, &hi);
      widen(fmin(point->hi, point->y * 1.5), &lo, &hi);
    }
  if (hi == 0) lo = hi = 1;
  *scale = (struct svg_scale){.lo = lo, .hi = hi, .from = from, .to = to, .log = allow_log && hi > 25 * lo};
  if (scale->log)
    log_ticks(scale);
  else
    linear_ticks(scale);
}

double svg_scale_at(const struct svg_scale *scale, double value) {
  double share = scale->log ? log(fmax(value, scale->lo) / scale->lo) / log(scale->hi / scale->lo)
                            : (value - scale->lo) / (scale->hi - scale->lo);
  return scale->from + (scale->to - scale->from) * fmin(fmax(share, 0), 1);
}

void svg_open(FILE *out, const struct svg_chart *chart, int height) {
  fprintf(out,
          "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
          "role=\"img\" aria-labelledby=\"%s-title %s-desc\" font-family=\"system-ui, sans-serif\" font-size=\"12\" "
          "fill=\"currentColor\">\n<title id=\"%s-title\">",
          SVG_WIDTH, height, SVG_WIDTH, height, chart->id, chart->id, chart->id);
  escape_xml(out, chart->title);
  fprintf(out, "</title>\n<desc id=\"%s-desc\">", chart->id);
  escape_xml(out, chart->description);
  fputs("</desc>\n", out);
}

/* Bytes of the first `most` code points. */
static size_t prefix(const char *text, size_t most) {
  size_t bytes = 0;
  for (size_t taken = 0; text[bytes] != '\0'; bytes++)
    if (((unsigned char)text[bytes] & 0xC0) != 0x80 && taken++ == most) break;
  return bytes;
}

void svg_text(FILE *out, double x, double y, const char *anchor, const char *extra, const char *text, size_t most) {
  char cut[256];
  size_t bytes = prefix(text, most);
  if (bytes >= sizeof cut - 4) bytes = prefix(text, 60);
  memcpy(cut, text, bytes);
  strcpy(cut + bytes, text[bytes] != '\0' ? "\xE2\x80\xA6" : "");
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s%s>", x, y, anchor, extra[0] ? " " : "", extra);
  escape_xml(out, cut);
  fputs("</text>\n", out);
}

double svg_text_width(const char *text, size_t most) {
  size_t count = 0, bytes = prefix(text, most);
  for (size_t i = 0; i < bytes; i++)
    count += ((unsigned char)text[i] & 0xC0) != 0x80;
  return 6.7 * (double)(count + (text[bytes] != '\0'));
}

void svg_mark(FILE *out, size_t index, double x, double y, const char *tip) {
  static const char *const shapes[] = {
      "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z",      /* circle */
      "M-4 -4h8v8h-8z",                                     /* square */
      "M0 -5.2L5 3.8H-5z",                                  /* triangle */
      "M0 -5.5L5.5 0L0 5.5L-5.5 0z",                        /* diamond */
      "M0 5.2L5 -3.8H-5z",                                  /* triangle, down */
      "M-1.5 -5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z", /* cross */
  };
  fprintf(out, "<path d=\"%s\" transform=\"translate(%.1f %.1f)\" fill=\"%s\">",
          shapes[index % (sizeof shapes / sizeof shapes[0])], x, y, svg_colors[index % SVG_COLORS]);
  if (tip != NULL) {
    fputs("<title>", out);
    escape_xml(out, tip);
    fputs("</title>", out);
  }
  fputs("</path>\n", out);
}

const char *svg_dash(size_t index) {
  static const char *const dashes[] = {"none", "7 4", "2 3", "9 3 2 3", "4 4"};
  return dashes[index % (sizeof dashes / sizeof dashes[0])];
}

size_t svg_place(const struct svg_chart *chart, size_t series) {
  size_t place = 0;
  for (size_t i = 0; i < series; i++)
    place += !chart->series[i].limit;
  return place;
}
