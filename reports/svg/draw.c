/* Draws frames, texts, marks, lines, scales and grids of charts. */
#include "svg/draw.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/text.h"

const char *const svg_colors[SVG_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#b65c92", "#b07500", "#2e8fc4",
                                            "#7a7f87", "#a05a3c", "#643efa", "#8d963c", "#f2616f", "#3e7043",
                                            "#e73efa", "#0c6d78", "#5e6ceb", "#e35bc8"};

const char *svg_color(size_t index) {
  return svg_colors[index % SVG_COLORS];
}

const char *svg_dash(size_t index) {
  static const char *const dashes[] = {"none", "7 4", "2 3", "9 3 2 3", "4 4"};
  return dashes[index % (sizeof dashes / sizeof dashes[0])];
}

void svg_open(FILE *out, const struct svg_head *head, int height) {
  xml_print(
      out,
      "<svg class=\"chart\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
      "role=\"img\" aria-labelledby=\"%s-title %s-desc\" font-family=\"system-ui, sans-serif\" font-size=\"12\" "
      "fill=\"currentColor\">\n<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n",
      SVG_WIDTH, height, SVG_WIDTH, height, head->id, head->id, head->id, head->title, head->id, head->description);
}

/* Returns how many bytes the first `most` code points of the text take. */
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
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"", x, y);
  if (strcmp(anchor, "start") != 0) fprintf(out, " text-anchor=\"%s\"", anchor);
  fprintf(out, "%s%s>", extra[0] ? " " : "", extra);
  xml_print(out, "%s</text>\n", cut);
}

/* Returns the width of a letter, in widths of an average letter. */
static double width_of(char letter) {
  if (((unsigned char)letter & 0xC0) == 0x80) return 0; /* a continuation byte of UTF-8 */
  return letter == '@' ? 2 : strchr("mwMW", letter) != NULL ? 1.6 : 1;
}

double svg_text_width(const char *text, size_t most) {
  double width = 0;
  const size_t bytes = prefix(text, most);
  for (size_t i = 0; i < bytes; i++)
    width += width_of(text[i]);
  return 6.7 * (width + (text[bytes] != '\0'));
}

void svg_title(FILE *out, const char *tip) {
  if (tip != NULL) xml_print(out, "<title>%s</title>", tip);
}

static void draw_series_mark(FILE *out, size_t index, double x, double y, const char *tip, bool hollow) {
  static const struct {
    double dx, dy;
    const char *rest;
  } shapes[] = {
      {-4.5, 0, "a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"},      /* circle */
      {-4, -4, "h8v8h-8z"},                                     /* square */
      {0, -5.2, "l5 9h-10z"},                                   /* triangle */
      {0, -5.5, "l5.5 5.5l-5.5 5.5l-5.5 -5.5z"},                /* diamond */
      {0, 5.2, "l5 -9h-10z"},                                   /* triangle, pointing down */
      {-1.5, -5, "h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5v-3h3.5z"}, /* cross */
  };
  size_t shape = index % (sizeof shapes / sizeof shapes[0]);
  fprintf(out, "<path d=\"M%.1f %.1f%s\" ", x + shapes[shape].dx, y + shapes[shape].dy, shapes[shape].rest);
  fprintf(out, hollow ? "fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" pointer-events=\"all\"" : "fill=\"%s\"",
          svg_color(index));
  fputs(tip != NULL ? ">" : "/>\n", out);
  svg_title(out, tip);
  if (tip != NULL) fputs("</path>\n", out);
}

void svg_mark(FILE *out, size_t index, double x, double y, const char *tip) {
  draw_series_mark(out, index, x, y, tip, false);
}

void svg_mark_hollow(FILE *out, size_t index, double x, double y, const char *tip) {
  draw_series_mark(out, index, x, y, tip, true);
}

void svg_rule(FILE *out, double x1, double y1, double x2, double y2, double opacity) {
  fprintf(out, "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"currentColor\" stroke-opacity=\"%.3g\"/>\n", x1, y1, x2, y2,
          opacity);
}

void svg_row_title(FILE *out, double y, size_t place, const char *name, const char *note) {
  enum { NAME_MOST = 32 };
  char cut[NAME_MOST * 4 + 4];
  size_t bytes = prefix(name, NAME_MOST);
  if (bytes >= sizeof cut) bytes = 0;
  memcpy(cut, name, bytes);
  cut[bytes] = '\0';
  svg_mark(out, place, 8, y - 4, NULL);
  xml_print(out, "<text x=\"18\" y=\"%.1f\"><tspan " SVG_BOLD ">%s%s</tspan> <tspan " SVG_SOFT ">%s</tspan></text>\n",
            y, cut, name[bytes] != '\0' ? "\xE2\x80\xA6" : "", note);
}

struct svg_legend svg_legend_begin(FILE *out, double right) {
  return (struct svg_legend){out, right, 4, 34};
}

static void wrap_legend(struct svg_legend *legend, double width) {
  enum { ROW = 18 };
  if (legend->x <= 4 || legend->x + width <= legend->right) return;
  legend->x = 4;
  legend->y += ROW;
}

void svg_legend_add(struct svg_legend *legend, size_t place, const char *name) {
  enum { NAME_MOST = 24 };
  double width = svg_text_width(name, NAME_MOST) * SVG_BOLD_WIDTH + 30;
  wrap_legend(legend, width);
  if (legend->out != NULL) svg_mark(legend->out, place, legend->x + 5, legend->y - 4, NULL);
  if (legend->out != NULL) svg_text(legend->out, legend->x + 15, legend->y, "start", SVG_BOLD, name, NAME_MOST);
  legend->x += width;
}

void svg_legend_line(struct svg_legend *legend, size_t dash, const char *name) {
  enum { NAME_MOST = 60 };
  double width = svg_text_width(name, NAME_MOST) * 1.1 + 44;
  wrap_legend(legend, width);
  if (legend->out != NULL)
    fprintf(legend->out, "<path d=\"M%.1f %.1fh24\" " SVG_LIMIT " stroke-dasharray=\"%s\"/>\n", legend->x,
            legend->y - 4, svg_dash(dash));
  if (legend->out != NULL) svg_text(legend->out, legend->x + 30, legend->y, "start", SVG_SOFT, name, NAME_MOST);
  legend->x += width;
}

/* ---- Scales: positions and texts of ticks ---- */

bool svg_known(double value) {
  return isfinite(value) && value > 0;
}

/* Rounds the value up (or down) to 1, 2 or 5 times a power of ten. */
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

static void log_ticks(struct svg_scale *scale) {
  bool dense = scale->hi / scale->lo <= 1e3 * (1 + 1e-9), sparse = scale->hi / scale->lo > 1e8;
  double next = scale->lo;
  for (int i = 0; next <= scale->hi * (1 + 1e-9) && i < 4 * SVG_TICKS_MAX; i++) {
    bool decade = fabs(log10(next) - round(log10(next))) < 1e-9;
    if (dense || (decade && (!sparse || fmod(round(log10(next)), 3) == 0))) add_tick(scale, next);
    next = round_out(next * 1.5, true);
  }
}

static void make_positive(double *lo, double *hi) {
  if (!svg_known(*hi)) *lo = *hi = 1;
  if (!svg_known(*lo) || *lo > *hi) *lo = *hi;
  *hi = fmin(fmax(*hi, 1e-290), 1e290); /* limited so that rounding outward stays finite */
  *lo = fmin(fmax(*lo, 1e-290), *hi);
}

void svg_scale_log(struct svg_scale *scale, double lo, double hi, double from, double to) {
  make_positive(&lo, &hi);
  *scale = (struct svg_scale){round_out(lo, false), round_out(hi, true), true, from, to, {0}, 0};
  if (scale->hi <= scale->lo) scale->hi = round_out(scale->lo * 1.5, true);
  log_ticks(scale);
}

void svg_scale_span(struct svg_scale *scale, double lo, double hi, double from, double to, int wanted) {
  if (!isfinite(lo) || !isfinite(hi) || hi < lo) lo = hi = 0;
  if (hi - lo < 1e-9 * fmax(fabs(hi), 1)) hi = lo + fmax(1e-3 * fabs(lo), 1e-3);
  double step = round_out((hi - lo) / wanted, true);
  *scale = (struct svg_scale){floor(lo / step + 1e-9) * step, ceil(hi / step - 1e-9) * step, false, from, to, {0}, 0};
  int count = (int)lround((scale->hi - scale->lo) / step);
  for (int i = 0; i <= count; i++)
    add_tick(scale, fabs(scale->lo + i * step) < step * 1e-6 ? 0 : scale->lo + i * step);
}

void svg_scale_init(struct svg_scale *scale, double lo, double hi, double from, double to, bool allow_log) {
  make_positive(&lo, &hi);
  if (allow_log && hi > 25 * lo)
    svg_scale_log(scale, lo, hi, from, to);
  else
    svg_scale_span(scale, 0, hi, from, to, 6);
}

double svg_scale_at(const struct svg_scale *scale, double value) {
  double share = scale->log ? log(fmax(value, scale->lo) / scale->lo) / log(scale->hi / scale->lo)
                            : (value - scale->lo) / (scale->hi - scale->lo);
  return scale->from + (scale->to - scale->from) * fmin(fmax(share, 0), 1);
}

/* Writes a multiple of 1024 that is at least 100,000 as a size: "128Ki" for 131072. Returns false for other values. */
static bool binary_number(char *to, size_t size, double value) {
  static const char *const units[] = {"Ki", "Mi", "Gi", "Ti"};
  if (value < 1e5 || value > 1e15 || fmod(value, 1024) != 0) return false;
  size_t unit = 0;
  for (value /= 1024; unit < 3 && fmod(value, 1024) == 0; unit++)
    value /= 1024;
  if (value >= 1e5) return false;
  snprintf(to, size, "%.10g%s", value, units[unit]);
  return true;
}

void svg_number(char *to, size_t size, double value, bool bytes) {
  static const char *const units[] = {"k", "M", "G", "T"};
  size_t unit = 0;
  if (bytes) {
    text_bytes(to, size, value);
    return;
  }
  if (binary_number(to, size, value)) return;
  if (fabs(value) < 1e5 || fabs(value) >= 1e15) {
    snprintf(to, size, "%.6g", value);
    return;
  }
  for (value /= 1e3; unit < 3 && fabs(value) >= 1e3; unit++)
    value /= 1e3;
  snprintf(to, size, "%.5g%s", value, units[unit]);
}

void svg_percent(char *to, size_t size, double value) {
  snprintf(to, size, fabs(value) < 100 ? "%+.3g%%" : "%+.0f%%", value);
}

void svg_columns(FILE *out, const struct svg_scale *x, double top, double bottom, bool bytes) {
  char text[64];
  double used = -HUGE_VAL;
  for (size_t i = 0; i < x->tick_count; i++) {
    double at = svg_scale_at(x, x->ticks[i]);
    svg_rule(out, at, top, at, bottom, 0.13);
    svg_number(text, sizeof text, x->ticks[i], bytes);
    const bool last = i + 1 == x->tick_count; /* the last number is right-aligned, to stay within the chart */
    double width = svg_text_width(text, 12), left = last ? x->to + 8 - width : at - width / 2;
    if (left < used + 6) continue;
    svg_text(out, last ? x->to + 8 : at, bottom + 16, last ? "end" : "middle", SVG_SOFT, text, 12);
    used = left + width;
  }
}

void svg_levels(FILE *out, const struct svg_scale *y, double left, double right, bool bytes) {
  char text[64];
  double used = HUGE_VAL;
  for (size_t i = 0; i < y->tick_count; i++) {
    double at = svg_scale_at(y, y->ticks[i]);
    svg_rule(out, left, at, right, at, 0.13);
    if (at > used - 12) continue;
    svg_number(text, sizeof text, y->ticks[i], bytes);
    svg_text(out, left - 7, at + 4, "end", SVG_SOFT, text, 12);
    used = at;
  }
}

void svg_grid(FILE *out, const struct svg_scale *x, const struct svg_scale *y, const char *below) {
  const double left = x->from, right = x->to, bottom = y->from, top = y->to;
  svg_rule(out, left, top, left, bottom, 0.5);
  svg_rule(out, left, bottom, right, bottom, 0.5);
  svg_columns(out, x, top, bottom, false);
  svg_levels(out, y, left, right, false);
  svg_text(out, (left + right) / 2, bottom + 34, "middle", "", below, 60);
}
