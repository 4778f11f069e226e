/* Where ticks lie and what they say. */
#include "svg/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool svg_known(double value) {
  return isfinite(value) && value > 0;
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
  *hi = fmin(fmax(*hi, 1e-290), 1e290); /* rounding outward stays finite */
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

/* Multiples of large powers of two are sizes: 131072 is 128Ki. */
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
