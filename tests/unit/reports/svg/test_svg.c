#include "svg/svg.h"

#include <math.h>

#include "capture.h"
#include "svg/draw.h"

static char hostile[] = "</text><script>\"&'\x01";

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
  *f = (struct fixture){
      .chart = {.head = {"chart-0", "attention/forward: throughput by case", "One line for each variant."},
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

static const double places[] = {1024, 2048, 4096, 8192};

static void looks_as_it_should(void) {
  struct fixture f;
  set_up(&f, CATEGORIES);
  f.points[0][2] = (struct svg_point){(double)NAN, (double)NAN, (double)NAN, NULL}; /* a gap */
  char *text = drawn(&f.chart);
  assert_golden("chart_dots.svg", text);
  free(text);
  f.chart.x = places;
  f.chart.x_name = "S";
  text = drawn(&f.chart);
  assert_golden("chart_lines.svg", text);
  free(text);
  set_up(&f, 1);
  text = drawn(&f.chart);
  assert_golden("chart_bars.svg", text);
  free(text);
}

static void many_series_have_a_colour_each(void) {
  for (size_t i = 0; i < 16; i++)
    for (size_t j = 0; j < i; j++)
      ASSERT_TRUE(strcmp(svg_color(i), svg_color(j)) != 0);
}

/* Points without a numeric axis are not connected. */
static void cases_are_not_joined(void) {
  struct fixture f;
  set_up(&f, CATEGORIES);
  char *text = drawn(&f.chart);
  ASSERT_EQ_INT(count_of(text, "stroke-linejoin"), 0);
  for (size_t i = 0; i < CATEGORIES; i++)
    ASSERT_HAS(text, f.categories[i]);
  free(text);
}

/* An interval is drawn whole, or ends in an arrowhead where the plot cuts it; a value without an interval is drawn
 * hollow. */
static void intervals_are_shown(void) {
  struct fixture f;
  for (size_t kind = 0; kind < 3; kind++) { /* bars, rows and lines */
    set_up(&f, kind == 0 ? 1 : CATEGORIES);
    f.chart.x = kind == 2 ? places : NULL;
    f.chart.intervals = true;
    char *text = drawn(&f.chart);
    ASSERT_TRUE(strstr(text, "Hollow") == NULL && strstr(text, "An arrow") == NULL);
    free(text);
    f.points[0][0].lo = f.points[0][0].hi = (double)NAN;
    text = drawn(&f.chart);
    ASSERT_HAS(text, "Hollow: its interval is not known.");
    ASSERT_HAS(text, "fill=\"none\" stroke=\"#0072b2\"");
    free(text);
    f.points[1][0].hi = 1e6;
    text = drawn(&f.chart);
    ASSERT_HAS(text, "An arrow: the interval goes on. Hollow: it is not known.");
    free(text);
  }
}

static void gaps_are_not_bridged(void) {
  struct fixture f;
  set_up(&f, CATEGORIES);
  f.chart.x = places;
  f.points[1][1].y = (double)NAN;
  char *text = drawn(&f.chart);
  const char *line = strstr(text, svg_colors[1]); /* the stroke comes after its path */
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
  f.chart.head.title = f.chart.head.description = f.chart.unit = hostile;
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

/* Whatever the values are, no coordinate is NaN or infinite. */
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
  double lo = 0, hi = 0;
  set_up(&f, CATEGORIES);
  svg_range(&f.chart, &lo, &hi);
  svg_scale_init(&scale, lo, hi, 300, 0, true);
  ASSERT_TRUE(scale.log);
  ASSERT_NEAR(scale.lo, 20, 1e-9);
  ASSERT_NEAR(scale.hi, 1000, 1e-9);
  ASSERT_EQ_INT(scale.tick_count, 6); /* ticks at 20 50 100 200 500 1000 */
  ASSERT_NEAR(svg_scale_at(&scale, 20), 300, 1e-9);
  ASSERT_NEAR(svg_scale_at(&scale, 1000), 0, 1e-9);
  f.points[0][0].hi = 1e6; /* an extremely wide interval */
  svg_range(&f.chart, &lo, &hi);
  ASSERT_TRUE(hi < 1000);
  f.points[1][3].y = 800;
  /* the interval is unknown, so the value itself is the highest mark in the chart */
  f.points[1][3].lo = f.points[1][3].hi = (double)NAN;
  svg_range(&f.chart, &lo, &hi);
  ASSERT_NEAR(hi, 800, 1e-9);
  svg_scale_init(&scale, 30, 62, 0, 100, true);
  ASSERT_TRUE(!scale.log);
  ASSERT_NEAR(scale.lo, 0, 0); /* scales of bars, and of lines with similar values, start at zero */
  ASSERT_NEAR(scale.hi, 80, 1e-9);
  svg_scale_span(&scale, -1.3, 2.7, 0, 100, 5);
  ASSERT_NEAR(scale.lo, -2, 1e-9);
  ASSERT_NEAR(scale.hi, 3, 1e-9);
  ASSERT_EQ_INT(scale.tick_count, 6);
  ASSERT_NEAR(scale.ticks[2], 0, 0); /* the tick is 0, not -0 */
}

static void assert_number(double value, bool bytes, const char *expected) {
  char text[64];
  svg_number(text, sizeof text, value, bytes);
  ASSERT_EQ_STR(text, expected);
}

static void ticks_are_short(void) {
  assert_number(4096, false, "4096");
  assert_number(65536, false, "65536");
  assert_number(131072, false, "128Ki");
  assert_number(1048576, false, "1Mi");
  assert_number(50257, false, "50257");
  assert_number(2500000, false, "2.5M");
  assert_number(0.05, false, "0.05");
  assert_number(2e9, true, "2.0 GB");
}

/* On a numeric axis, points stand at their values; over decades, equal ratios have equal distances. */
static void numbers_have_their_places(void) {
  static const double decades[] = {3000, 30000, 300000, 3000000}, near[] = {11, 13, 15, 21};
  double at[CATEGORIES];
  struct fixture f;
  set_up(&f, CATEGORIES);
  f.chart.x_name = "n";
  for (int turn = 0; turn < 2; turn++) {
    f.chart.x = turn == 0 ? decades : near;
    char *text = drawn(&f.chart);
    const char *labels[] = {turn == 0 ? ">3000<" : ">11<", turn == 0 ? ">30000<" : ">13<",
                            turn == 0 ? ">300k<" : ">15<", turn == 0 ? ">3M<" : ">21<"};
    for (size_t i = 0; i < CATEGORIES; i++) {
      const char *label = strstr(text, labels[i]);
      ASSERT_TRUE(label != NULL);
      while (label != NULL && strncmp(label, "x=\"", 3) != 0)
        label--;
      at[i] = label != NULL ? strtod(label + 3, NULL) : 0;
    }
    double step = at[1] - at[0];
    ASSERT_NEAR(at[2] - at[1], step, 0.2);
    ASSERT_NEAR(at[3] - at[2], turn == 0 ? step : 3 * step, 0.4);
    free(text);
  }
}

enum { SAMPLES = 400, ROUNDS = 20 };

struct rows_fixture {
  double percent[2][SAMPLES], x[2][ROUNDS], y[2][ROUNDS], throttled[2], breaks[1], clock_x[ROUNDS], clock_y[ROUNDS];
  struct svg_spread_row rows[2];
  struct svg_track tracks[2];
  struct svg_spread spread;
  struct svg_rounds rounds;
};

/* Makes two variants: a smooth one with a far outlier, and one that shows the clock's ticks. */
static void set_up_rows(struct rows_fixture *f) {
  static const char *const names[] = {"standard", "flash"};
  *f = (struct rows_fixture){.throttled = {7.5, 8.5}, .breaks = {10}};
  for (size_t i = 0; i < SAMPLES; i++) {
    double share = ((double)i + 0.5) / SAMPLES - 0.5;
    f->percent[0][i] = 1.2 * share + 2 * share * share * share;
    f->percent[1][i] = 0.3 * round(share * 8);
  }
  f->percent[0][SAMPLES - 1] = 40;
  f->percent[0][SAMPLES - 2] = 1.9;
  for (size_t v = 0; v < 2; v++) {
    f->rows[v] = (struct svg_spread_row){names[v], "median 1 ms", v, f->percent[v], SAMPLES, v == 1 ? 0.3 : 0};
    f->tracks[v] = (struct svg_track){names[v], "drift", v, f->x[v], f->y[v], ROUNDS};
    for (size_t i = 0; i < ROUNDS; i++) {
      f->x[v][i] = (double)i + 0.5;
      f->y[v][i] = 0.1 * ((double)((i * 7 + v) % 5) - 2);
      f->clock_x[i] = (double)i + 0.5;
      f->clock_y[i] = i == 7 || i == 8 ? 1785 : 1980;
    }
  }
  f->spread = (struct svg_spread){{"spread-0", "distribution", "Histograms."}, f->rows, 2};
  f->rounds = (struct svg_rounds){.head = {"rounds-0", "by round", "Strips."},
                                  .tracks = f->tracks,
                                  .track_count = 2,
                                  .clock = {"", "clock, MHz", 0, f->clock_x, f->clock_y, ROUNDS},
                                  .throttled = f->throttled,
                                  .throttled_count = 2,
                                  .throttled_note = "throttled in 2 of 20 rounds: power cap",
                                  .breaks = f->breaks,
                                  .break_count = 1,
                                  .rounds = ROUNDS,
                                  .step = 1};
}

static char *spread_drawn(const struct svg_spread *spread) {
  struct capture capture;
  svg_spread(capture_open(&capture), spread);
  return capture_close(&capture);
}

static char *rounds_drawn(const struct svg_rounds *rounds) {
  struct capture capture;
  svg_rounds(capture_open(&capture), rounds);
  return capture_close(&capture);
}

static void distributions_look_as_they_should(void) {
  struct rows_fixture f;
  set_up_rows(&f);
  char *text = spread_drawn(&f.spread);
  assert_golden("chart_spread.svg", text);
  ASSERT_HAS(text, "1 more, to +40%"); /* the outlier does not compress the rest */
  free(text);
}

/* If the clock is coarse, the histogram has no empty bins between full ones. (Otherwise each bin would be outlined
 * separately.) */
static void ticks_of_the_clock_make_no_comb(void) {
  struct rows_fixture f;
  set_up_rows(&f);
  f.spread.rows = f.rows + 1;
  f.spread.count = 1;
  char *text = spread_drawn(&f.spread), *bars = strstr(text, "<path fill=\"#");
  bars = strndup(bars, strcspn(bars, "\n"));
  ASSERT_EQ_INT(count_of(bars, "M"), 1);
  free(bars);
  free(text);
  f.rows[1].tick = 0;
  text = spread_drawn(&f.spread);
  bars = strstr(text, "<path fill=\"#");
  bars = strndup(bars, strcspn(bars, "\n"));
  ASSERT_TRUE(count_of(bars, "M") > 4); /* shows that the test can fail */
  free(bars);
  free(text);
}

static void rounds_look_as_they_should(void) {
  struct rows_fixture f;
  set_up_rows(&f);
  char *text = rounds_drawn(&f.rounds);
  assert_golden("chart_rounds.svg", text);
  ASSERT_EQ_INT(count_of(text, "l3 7h-6z"), 2); /* as many triangles as throttled rounds */
  free(text);
  f.rounds.clock.count = 0;
  f.rounds.throttled_count = 0;
  f.rounds.clock.note = "The clock was not recorded.";
  text = rounds_drawn(&f.rounds);
  ASSERT_HAS(text, "The clock was not recorded.");
  ASSERT_TRUE(strstr(text, "1980") == NULL);
  free(text);
}

static void few_rounds_have_a_number_each(void) {
  struct rows_fixture f;
  set_up_rows(&f);
  f.rounds.rounds = 4;
  char *text = rounds_drawn(&f.rounds);
  ASSERT_EQ_INT(count_of(text, ">1</text>"), 1);
  ASSERT_EQ_INT(count_of(text, ">2</text>"), 1);
  ASSERT_EQ_INT(count_of(text, ">4</text>"), 1);
  free(text);
}

static void percents_are_plain_numbers(void) {
  char text[32];
  svg_percent(text, sizeof text, 0.05);
  ASSERT_EQ_STR(text, "+0.05%");
  svg_percent(text, sizeof text, -12.34);
  ASSERT_EQ_STR(text, "-12.3%");
  svg_percent(text, sizeof text, 10000);
  ASSERT_EQ_STR(text, "+10000%");
}

static void assert_pieces(const struct svg_rounds *rounds, size_t pieces, size_t dots) {
  char *text = rounds_drawn(rounds), *line = strstr(text, "<path fill=\"none\" stroke=\"#");
  line = strndup(line, strcspn(line, "\n"));
  ASSERT_EQ_INT(count_of(strstr(line, " d="), "M"), pieces);
  ASSERT_EQ_INT(count_of(strstr(line, " d="), "h0"), dots);
  free(line);
  free(text);
}

/* The line through a variant's rounds has a gap where another process begins. */
static void processes_are_not_joined(void) {
  struct rows_fixture f;
  set_up_rows(&f);
  f.rounds.track_count = 1;
  f.rounds.clock.count = 0;
  assert_pieces(&f.rounds, 2, 0);
}

/* The line does not cross rounds in which the variant has no slot; a slot without neighbours is a dot. */
static void rounds_without_a_turn_are_not_crossed(void) {
  struct rows_fixture f;
  set_up_rows(&f);
  f.rounds.track_count = 1;
  f.rounds.clock.count = 0;
  f.rounds.break_count = 0;
  assert_pieces(&f.rounds, 1, 0);
  f.tracks[0].count = 4;
  f.tracks[0].x[3] = f.tracks[0].x[ROUNDS - 1];
  assert_pieces(&f.rounds, 2, 1);
}

static const struct svg_ceiling ceilings[] = {{"read, copy", 4250, (double)NAN, 4000},
                                              {"fp32", (double)NAN, 62, (double)NAN},
                                              {"bf16", (double)NAN, 920, (double)NAN}};

static char *roofline_drawn(const struct svg_roofline *roofline) {
  struct capture capture;
  svg_roofline(capture_open(&capture), roofline);
  return capture_close(&capture);
}

static void rooflines_look_as_they_should(void) {
  static const char *const names[] = {"standard", "flash"};
  char tip[] = "a tip";
  const struct svg_ceiling_point points[] = {
      {250, 40, 0, 1, tip}, {250, 240, 1, 1, NULL}, {1000, 330, 1, 2, NULL}, {-1, 3, 0, 3, NULL}};
  const struct svg_roofline chart = {
      {"roofline-0", "roofline", "Marks below ceilings."}, ceilings, 3, points, 4, names, 2};
  char *text = roofline_drawn(&chart);
  assert_golden("chart_roofline.svg", text);
  ASSERT_EQ_INT(count_of(text, "<title"), 2); /* the chart's title and one tooltip; the odd point is left out */
  free(text);
  struct svg_roofline bare = chart;
  bare.ceiling_count = bare.point_count = 0;
  free(roofline_drawn(&bare));
}

static char *pareto_drawn(const struct svg_pareto *pareto) {
  struct capture capture;
  svg_pareto(capture_open(&capture), pareto);
  return capture_close(&capture);
}

static void fronts_look_as_they_should(void) {
  char tip[] = "a tip";
  const struct svg_pareto_point points[] = {{600, 0.313, 0, true, "all", tip},
                                            {720, 0.279, 1, true, "half", NULL},
                                            {900, 0.541, 2, false, "quarter", NULL},
                                            {-1, 3, 3, false, "broken", NULL}};
  struct svg_pareto chart = {{"energy-0-0", "joules", "Marks and a front."}, "us", points, 4};
  char *text = pareto_drawn(&chart);
  assert_golden("chart_pareto.svg", text);
  ASSERT_EQ_INT(count_of(text, "<circle"), 2); /* rings only around points of the front */
  ASSERT_EQ_INT(count_of(text, "<title"), 2);
  free(text);
  const struct svg_pareto_point wide[] = {{1, 0.01, 0, true, "a", NULL}, {10000, 0.001, 1, true, "b", NULL}};
  chart.points = wide;
  chart.point_count = 2;
  text = pareto_drawn(&chart);
  ASSERT_HAS(text, ">1000<"); /* an axis over decades has labels at decades */
  ASSERT_HAS(text, ">100<");
  free(text);
  chart.point_count = 0;
  free(pareto_drawn(&chart));
}

static char *power_drawn(const struct svg_power *power) {
  struct capture capture;
  svg_power(capture_open(&capture), power);
  return capture_close(&capture);
}

static void power_looks_as_it_should(void) {
  double x[] = {0.05, 0.15, 0.25, 0.35}, y[] = {650, 648.5, (double)NAN, 651}, idle[] = {80, 80, 81, 80};
  const struct svg_track tracks[] = {
      {"bf16", NULL, 0, x, y, 4}, {"sleep", "a tip", 1, x, idle, 4}, {"none", NULL, 2, x, y, 0}};
  const struct svg_power chart = {{"power-0-0", "power", "Lines."}, tracks, 3};
  char *text = power_drawn(&chart);
  assert_golden("chart_power.svg", text);
  ASSERT_EQ_INT(count_of(text, "fill=\"none\" stroke=\"#"), 2);
  free(text);
}

/* Draws the charts that are not tested above with odd values and hostile text: no value breaks the markup, and no text
 * leaves its element. */
static void other_charts_stand_odd_input(void) {
  static const double odd[] = {0, -1, (double)NAN, (double)INFINITY, -1e300, 1e-300, 1e300};
  const char *names[] = {hostile};
  struct rows_fixture f;
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
    set_up_rows(&f);
    f.rows[0].name = f.rows[0].note = f.tracks[0].name = f.tracks[0].note = hostile;
    f.spread.head.title = f.rounds.head.description = f.rounds.throttled_note = hostile;
    if (isfinite(odd[i])) f.percent[0][SAMPLES - 1] = fmax(odd[i], f.percent[0][SAMPLES - 2]);
    f.rows[1].count = 1;
    if (isfinite(odd[i])) f.y[0][3] = odd[i];
    f.tracks[1].count = i % 2;
    const struct svg_ceiling odd_ceilings[] = {{hostile, odd[i], (double)NAN, odd[i]},
                                               {hostile, (double)NAN, odd[i], odd[i]}};
    const struct svg_ceiling_point point = {odd[i], 5, 0, 1, hostile}, other = {3, odd[i], 0, 2, hostile};
    const struct svg_ceiling_point points[] = {point, other, {10, 10, 0, 3, hostile}};
    const struct svg_roofline roofline = {{"r", hostile, hostile}, odd_ceilings, 2, points, 3, names, 1};
    const struct svg_pareto_point joules[] = {{odd[i], 5, 0, true, hostile, hostile}, {7, odd[i], 1, true, "b", NULL}};
    const struct svg_pareto pareto = {{"p", hostile, hostile}, hostile, joules, 2};
    double odd_x[] = {odd[i], 2}, odd_y[] = {600, odd[i]};
    const struct svg_track track = {hostile, hostile, 0, odd_x, odd_y, 2};
    const struct svg_power power = {{"w", hostile, hostile}, &track, 1};
    char *texts[] = {spread_drawn(&f.spread), rounds_drawn(&f.rounds), roofline_drawn(&roofline), pareto_drawn(&pareto),
                     power_drawn(&power)};
    for (size_t j = 0; j < 5; j++) {
      ASSERT_TRUE(strstr(texts[j], "nan") == NULL && strstr(texts[j], "inf") == NULL);
      ASSERT_TRUE(strstr(texts[j], "<script") == NULL && strchr(texts[j], '\x01') == NULL);
      ASSERT_EQ_INT(count_of(texts[j], "<text "), count_of(texts[j], "</text>"));
      ASSERT_EQ_INT(count_of(texts[j], "<title"), count_of(texts[j], "</title>"));
      free(texts[j]);
    }
  }
}

UNIT_MAIN("svg", UNIT_TEST(looks_as_it_should), UNIT_TEST(many_series_have_a_colour_each),
          UNIT_TEST(gaps_are_not_bridged), UNIT_TEST(cases_are_not_joined), UNIT_TEST(intervals_are_shown),
          UNIT_TEST(hostile_names_are_text), UNIT_TEST(odd_figures_stay_drawable), UNIT_TEST(scales),
          UNIT_TEST(ticks_are_short), UNIT_TEST(numbers_have_their_places),
          UNIT_TEST(distributions_look_as_they_should), UNIT_TEST(ticks_of_the_clock_make_no_comb),
          UNIT_TEST(rounds_look_as_they_should), UNIT_TEST(few_rounds_have_a_number_each),
          UNIT_TEST(percents_are_plain_numbers), UNIT_TEST(processes_are_not_joined),
          UNIT_TEST(rounds_without_a_turn_are_not_crossed), UNIT_TEST(rooflines_look_as_they_should),
          UNIT_TEST(fronts_look_as_they_should), UNIT_TEST(power_looks_as_it_should),
          UNIT_TEST(other_charts_stand_odd_input))
