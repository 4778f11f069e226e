#include "reports/svg.h"

#include <math.h>

#include "capture.h"
#include "reports/svg_parts.h"

static char hostile[] = "</text><script>\"&'\x01";

static double luminance(const char *color) {
  double sum = 0;
  static const double weights[] = {0.2126, 0.7152, 0.0722};
  for (size_t i = 0; i < 3; i++) {
    char hex[3] = {color[1 + 2 * i], color[2 + 2 * i], '\0'};
    double value = (double)strtol(hex, NULL, 16) / 255;
    sum += weights[i] * (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4));
  }
  return sum;
}

static double contrast(const char *a, const char *b) {
  double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
  return x > y ? x / y : y / x;
}

static void marks_stand_out_in_light_and_dark(void) {
  for (size_t i = 0; i < SVG_COLORS; i++) {
    if (contrast(svg_colors[i], "#ffffff") < 3) UNIT_FAIL("%s on white", svg_colors[i]);
    if (contrast(svg_colors[i], "#0e1217") < 3) UNIT_FAIL("%s on dark", svg_colors[i]);
  }
  ASSERT_NEAR(contrast("#000000", "#ffffff"), 21, 1e-9);
}

enum { SERIES = 3, CATEGORIES = 4 };

struct fixture {
  struct svg_point points[SERIES][CATEGORIES];
  struct svg_series series[SERIES];
  const char *categories[CATEGORIES];
  struct svg_chart chart;
};

static void set_up(struct fixture *f, size_t categories) {
  static const double values[SERIES][CATEGORIES] = {{31, 23.5, 54.8, 60}, {180, 135, 298, 312}, {758, 758, 758, 758}};
  static const char *const names[] = {"standard", "flash", "bf16 ceiling"};
  static const char *const labels[] = {"gpt2-1k", "bert-large-512", "llama3-8b-4k", "llama3-8b-8k"};
  *f = (struct fixture){.chart = {.id = "chart-0",
                                  .title = "attention/forward: throughput by case",
                                  .description = "One line for each variant.",
                                  .unit = "TFLOP/s, higher is better",
                                  .categories = f->categories,
                                  .category_count = categories,
                                  .series = f->series,
                                  .series_count = SERIES}};
  for (size_t s = 0; s < SERIES; s++) {
    f->series[s] = (struct svg_series){names[s], s == 2, f->points[s]};
    for (size_t c = 0; c < CATEGORIES; c++) {
      double y = values[s][c];
      f->categories[c] = labels[c];
      f->points[s][c] = (struct svg_point){y, y * 0.98, y * 1.02, s == 1 && c == 0 ? (char *)"a tip" : NULL};
    }
  }
}

static char *drawn(const struct svg_chart *chart) {
  struct capture capture;
  svg_chart(capture_open(&capture), chart);
  return capture_close(&capture);
}

static void looks_as_it_should(void) {
  struct fixture f;
  set_up(&f, CATEGORIES);
  f.points[0][2] = (struct svg_point){(double)NAN, (double)NAN, (double)NAN, NULL}; /* a gap */
  char *text = drawn(&f.chart);
  assert_golden("chart_lines.svg", text);
  free(text);
  set_up(&f, 1);
  text = drawn(&f.chart);
  assert_golden("chart_bars.svg", text);
  free(text);
}

static void gaps_are_not_bridged(void) {
  struct fixture f;
  set_up(&f, CATEGORIES);
  f.points[1][1].y = (double)NAN;
  char *text = drawn(&f.chart);
  const char *line = strstr(text, svg_colors[1]); /* the stroke follows its path */
  while (line > text && *line != '\n')
    line--;
  char *path = strndup(line, strcspn(line + 1, "\n") + 1);
  ASSERT_EQ_INT(count_of(path, "M"), 2);
  ASSERT_EQ_INT(count_of(path, "L"), 1);
  free(path);
  free(text);
}

static void hostile_names_are_text(void) {
  struct fixture f;
  set_up(&f, CATEGORIES);
  f.chart.title = f.chart.description = f.chart.unit = hostile;
  for (size_t i = 0; i < CATEGORIES; i++)
    f.categories[i] = hostile;
  for (size_t s = 0; s < SERIES; s++) {
    f.series[s].name = hostile;
    f.points[s][0].tip = hostile;
  }
  for (size_t categories = 1; categories <= CATEGORIES; categories += 3) {
    f.chart.category_count = categories;
    char *text = drawn(&f.chart);
    ASSERT_TRUE(strstr(text, "<script") == NULL);
    ASSERT_TRUE(strchr(text, '\x01') == NULL);
    ASSERT_EQ_INT(count_of(text, "<text "), count_of(text, "</text>"));
    free(text);
  }
}

/* No figure may put NaN or infinity into a coordinate. */
static void odd_figures_stay_drawable(void) {
  static const double odd[] = {0, -1, (double)NAN, (double)INFINITY, 1e-300, 1e300, 1};
  struct fixture f;
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
    for (size_t categories = 1; categories <= CATEGORIES; categories += 3) {
      set_up(&f, categories);
      f.points[0][0] = (struct svg_point){odd[i], odd[i], odd[i], NULL};
      f.points[1][0].hi = odd[i];
      char *text = drawn(&f.chart);
      ASSERT_TRUE(strstr(text, "nan") == NULL && strstr(text, "inf") == NULL);
      ASSERT_TRUE(strlen(text) < 60000);
      free(text);
    }
  set_up(&f, CATEGORIES);
  f.chart.series_count = 0;
  free(drawn(&f.chart));
}

static void scales(void) {
  struct fixture f;
  struct svg_scale scale;
  set_up(&f, CATEGORIES);
  svg_scale_init(&scale, &f.chart, 300, 0, true);
  ASSERT_TRUE(scale.log);
  ASSERT_NEAR(scale.lo, 20, 1e-9);
  ASSERT_NEAR(scale.hi, 1000, 1e-9);
  ASSERT_EQ_INT(scale.tick_count, 6); /* 20 50 100 200 500 1000 */
  ASSERT_NEAR(svg_scale_at(&scale, 20), 300, 1e-9);
  ASSERT_NEAR(svg_scale_at(&scale, 1000), 0, 1e-9);
  f.points[0][0].hi = 1e6; /* a hopeless interval */
  svg_scale_init(&scale, &f.chart, 300, 0, true);
  ASSERT_NEAR(scale.hi, 1000, 1e-9);
  f.points[0][0].hi = 32;
  f.chart.series_count = 1;
  svg_scale_init(&scale, &f.chart, 0, 100, true);
  ASSERT_TRUE(!scale.log);
  ASSERT_NEAR(scale.lo, 0, 0); /* bars and lines of like size begin at zero */
  ASSERT_NEAR(scale.hi, 80, 1e-9);
}

UNIT_MAIN("svg", UNIT_TEST(marks_stand_out_in_light_and_dark), UNIT_TEST(looks_as_it_should),
          UNIT_TEST(gaps_are_not_bridged), UNIT_TEST(hostile_names_are_text), UNIT_TEST(odd_figures_stay_drawable),
          UNIT_TEST(scales))
