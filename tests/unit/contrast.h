/* Contrast of "#rrggbb" colours as WCAG 2 defines it. */
#ifndef CONTRAST_H
#define CONTRAST_H

#include <math.h>
#include <stdlib.h>

struct rgb {
  double part[3]; /* red, green and blue, from 0 to 255 */
};

static inline struct rgb rgb_parse(const char *color) {
  struct rgb rgb;
  size_t digits = strspn(color + 1, "0123456789abcdefABCDEF") >= 6 ? 2 : 1;
  for (size_t i = 0; i < 3; i++) {
    char hex[3] = {color[1 + digits * i], color[digits + digits * i], '\0'};
    rgb.part[i] = (double)strtol(hex, NULL, 16);
  }
  return rgb;
}

/* Returns the colour of `over` painted on `ground` with this opacity. */
static inline struct rgb rgb_blend(struct rgb over, struct rgb ground, double opacity) {
  struct rgb rgb;
  for (size_t i = 0; i < 3; i++)
    rgb.part[i] = over.part[i] * opacity + ground.part[i] * (1 - opacity);
  return rgb;
}

static inline double rgb_luminance(struct rgb rgb) {
  static const double weights[] = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (size_t i = 0; i < 3; i++) {
    double value = rgb.part[i] / 255;
    sum += weights[i] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static inline double rgb_contrast(struct rgb a, struct rgb b) {
  double x = rgb_luminance(a) + 0.05, y = rgb_luminance(b) + 0.05;
  return x > y ? x / y : y / x;
}

#endif
