#include "terminal/terminal.h"

#include "base/grid.h"
#include "base/memory.h"
#include "capture.h"
#include "sample_rich.h"
#include "summary/summary.h"
#include "terminal/lines.h"

static char *printed(const struct run_data *data, int width, bool color, bool utf8) {
  struct capture capture;
  table_print(data, capture_open(&capture), width, color, utf8);
  return capture_close(&capture);
}

static size_t longest_table_line(const char *text) {
  size_t longest = 0;
  const char *end = strstr(text, "\n\n"), *line = strchr(text, '\n') + 1; /* after the heading */
  while (line < end) {
    size_t length = strcspn(line, "\n");
    char *copy = strndup(line, length);
    size_t width = grid_text_width(copy);
    if (width > longest) longest = width;
    free(copy);
    line += length + 1;
  }
  return longest;
}

static void looks_as_it_should(void) {
  struct run_data data;
  sample_run(&data, false);
  char *text = printed(&data, 120, false, true);
  assert_golden("table.txt", text);
  free(text);
  run_data_free(&data);
  sample_run(&data, true);
  text = printed(&data, 100, false, false);
  assert_golden("table_failures_ascii.txt", text);
  free(text);
  run_data_free(&data);
}

static void keeps_to_the_width(void) {
  static const int widths[] = {60, 72, 80, 90, 100, 120, 200};
  struct run_data data;
  for (int hostile = 0; hostile < 2; hostile++) {
    if (hostile)
      sample_hostile(&data);
    else
      sample_run(&data, true);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
      char *text = printed(&data, widths[i], false, true);
      if (longest_table_line(text) > (size_t)widths[i]) UNIT_FAIL("a line wider than %d:\n%s", widths[i], text);
      ASSERT_HAS(text, "speedup");
      free(text);
    }
    run_data_free(&data);
  }
}

/* If no row reaches a TFLOP/s the unit is GFLOP/s, without leading zeros. */
static void small_rates_have_a_smaller_unit(void) {
  struct run_data data;
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++)
    data.records[i].tflops *= 2e-3, data.records[i].gb_per_s *= 2e-3; /* 23.5 to 366 TFLOP/s before scaling */
  char *text = printed(&data, 120, false, true);
  ASSERT_HAS(text, "GFLOP/s");
  ASSERT_HAS(text, " 47.1 ");
  ASSERT_TRUE(strstr(text, "TFLOP/s") == NULL);
  free(text);
  run_data_free(&data);
}

/* On a narrow terminal, interval and half width are kept longer than memory, axes, throughput and the share of a
 * ceiling. */
static void drops_the_least_important(void) {
  struct run_data data;
  sample_run(&data, false);
  char *text = printed(&data, 72, false, false);
  ASSERT_HAS(text, "[5.788, 5.823]");
  ASSERT_HAS(text, "+-%");
  ASSERT_TRUE(strstr(text, "ceil%") == NULL);
  ASSERT_TRUE(strstr(text, "extra") == NULL);
  ASSERT_TRUE(strstr(text, "TFLOP/s") == NULL);
  free(text);
  run_data_free(&data);
}

/* On a narrow terminal, columns of axes are kept if cases cannot be told apart without them. */
static void axes_stay_where_labels_repeat(void) {
  struct run_data data;
  for (int alike = 0; alike < 2; alike++) {
    sample_run(&data, false);
    for (size_t i = 0; alike && i < data.count; i++)
      record_set(&data.records[i].preset, "all");
    char *text = printed(&data, 72, false, false);
    ASSERT_EQ_INT(strstr(text, "  s  ") != NULL, alike);
    ASSERT_TRUE(longest_table_line(text) <= 72);
    free(text);
    run_data_free(&data);
  }
}

/* A variant that was not timed is not shown as the fastest when each case has one line. */
static void only_the_timed_are_fastest(void) {
  struct run_data data;
  sample_run(&data, true);
  for (size_t i = 0; i < data.count; i++)
    data.records[i].median_raw_ns = (double)NAN;
  struct run_summary summary;
  struct capture capture;
  summary_build(&data, &summary);
  table_rows(&data, &summary.benches[0], &(struct table_look){100, false, false, true}, capture_open(&capture));
  char *text = capture_close(&capture);
  ASSERT_HAS(text, "  128           x mine wrong: "); /* the column "fastest" is empty */
  ASSERT_HAS(text, "   64           correct, not timed");
  free(text);
  summary_free(&summary);
  run_data_free(&data);
}

static void half_widths_stay(void) {
  static const int widths[] = {40, 60, 72, 80, 100, 200};
  struct run_data data;
  for (int rich = 0; rich < 2; rich++) {
    if (rich)
      sample_rich(&data);
    else
      sample_run(&data, true);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
      char *text = printed(&data, widths[i], false, true);
      ASSERT_HAS(text, " +-%");
      free(text);
    }
    run_data_free(&data);
  }
}

static void cuts(size_t width, const char *expected) {
  struct grid grid = {0};
  struct capture capture;
  grid_row(&grid);
  const size_t word = grid_column(&grid, GRID_LEFT, 0);
  grid_set(&grid, word, GRID_PLAIN, "too few rounds");
  grid_print(&grid, capture_open(&capture), width, false, false);
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text, expected);
  free(text);
}

static void no_word_is_broken(void) {
  cuts(14, "too few rounds\n");
  cuts(13, "too few...\n");
  cuts(10, "too few...\n");
  cuts(9, "too...\n");
  cuts(5, "to...\n"); /* the text cannot be made shorter than this */
}

static void long_texts_leave_room(void) {
  struct grid grid = {0};
  struct capture capture;
  grid_row(&grid);
  grid_set(&grid, grid_column(&grid, GRID_POINT, 0), GRID_PLAIN, "1.0");
  grid_set(&grid, grid_column(&grid, GRID_LEFT, 0), GRID_PLAIN, "no time less the launch overhead is known");
  grid_set(&grid, grid_column(&grid, GRID_POINT, 0), GRID_PLAIN, "2.0x");
  grid_print(&grid, capture_open(&capture), 30, false, false);
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text, "1.0 no time less the...   2.0x\n");
  free(text);
}

/* A narrow column was left out together with a wider one. It is shown again if there is room for it alone. */
static void what_has_room_is_there(void) {
  struct grid grid = {0};
  struct capture capture;
  grid_row(&grid);
  grid_set(&grid, grid_column(&grid, GRID_LEFT, 0), GRID_PLAIN, "one");
  grid_set(&grid, grid_column(&grid, GRID_LEFT, 2), GRID_PLAIN, "two");
  grid_set(&grid, grid_column(&grid, GRID_LEFT, 1), GRID_PLAIN, "a long one");
  grid_print(&grid, capture_open(&capture), 9, false, false);
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text, "one two\n");
  free(text);
}

static void colour_is_only_an_extra(void) {
  struct run_data data;
  sample_run(&data, true);
  char *plain = printed(&data, 120, false, true), *coloured = printed(&data, 120, true, true);
  ASSERT_TRUE(strchr(plain, '\033') == NULL);
  ASSERT_TRUE(strchr(coloured, '\033') != NULL);
  char *to = coloured;
  for (const char *s = coloured; *s != '\0'; s++) {
    if (*s == '\033')
      s += strcspn(s, "m");
    else
      *to++ = *s;
  }
  *to = '\0';
  ASSERT_EQ_STR(coloured, plain);
  free(plain);
  free(coloured);
  run_data_free(&data);
}

static void add_hostile_metric(struct run_data *data, struct record *row) {
  record_set(&row->variant, "v\033[31m\xe2\x80\xae");
  struct extras_series *series = extras_add(&data->extras, 0, row->case_key, row->variant, row->mode);
  series->metrics = xcalloc(1, sizeof *series->metrics);
  series->metrics[series->metric_count++] = (struct extras_metric){
      1, {{BETTER_MORE, AGGREGATE_MEDIAN, "odd\033[31m", "\033]0;x\a\xe2\x80\xae", ""}, 1, 0, 3.5, 0.5, 1, 9}};
}

static void hostile_text_is_inert(void) {
  struct run_data data;
  sample_hostile(&data);
  add_hostile_metric(&data, &data.records[0]);
  char *text = printed(&data, 100, false, true);
  ASSERT_HAS(text, "metrics\n");
  for (const char *s = text; *s != '\0'; s++)
    if ((unsigned char)*s < 0x20 && *s != '\n') UNIT_FAIL("control character %d", *s);
  ASSERT_TRUE(strstr(text, "\xe2\x80\xae") == NULL);
  free(text);
  text = printed(&data, 100, false, false);
  for (const char *s = text; *s != '\0'; s++)
    if ((unsigned char)*s >= 0x7F) UNIT_FAIL("not ASCII: %d", *s);
  free(text);
  run_data_free(&data);
}

static void many_rows_become_one_line_per_case(void) {
  struct run_data data;
  char key[64];
  sample_run(&data, true);
  data.records = xrealloc(data.records, 45, sizeof *data.records);
  for (size_t i = 15; i < 45; i++) {
    sample_row(&data.records[i], i / 3 % 5, i % 3, true);
    snprintf(key, sizeof key, "again[%zu]", i / 15 * 100 + i / 3);
    record_set(&data.records[i].case_key, key);
  }
  data.count = 45;
  char *text = printed(&data, 120, false, false);
  ASSERT_EQ_INT(count_of(text, "gpt2-1k"), 3);
  ASSERT_EQ_INT(count_of(text, "llama3-8b-4k"), 3);
  ASSERT_EQ_INT(count_of(text, "mine wrong"), 3);
  ASSERT_EQ_INT(count_of(text, "mine crashed"), 3);
  ASSERT_TRUE(strstr(text, "831.3") == NULL); /* the baseline is not the fastest */
  free(text);
  run_data_free(&data);
}

static void empty_runs_print(void) {
  struct run_data data = {0};
  char *text = printed(&data, 100, false, true);
  ASSERT_HAS(text, "0 ok, 0 wrong");
  free(text);
}

static void points_are_aligned(void) {
  struct grid grid = {0};
  struct capture capture;
  grid_row(&grid);
  size_t number = grid_column(&grid, GRID_POINT, 0), word = grid_column(&grid, GRID_LEFT, 0);
  static const char *const values[] = {"0.1125", "18.33", "18330", "5.8x"};
  grid_set(&grid, number, GRID_PLAIN, "ms");
  for (size_t i = 0; i < 4; i++) {
    grid_row(&grid);
    grid_set(&grid, number, GRID_PLAIN, "%s", values[i]);
    grid_set(&grid, word, GRID_PLAIN, "w");
  }
  grid_print(&grid, capture_open(&capture), 80, false, true);
  char *text = capture_close(&capture);
  ASSERT_EQ_STR(text, "        ms\n    0.1125  w\n   18.33    w\n18330       w\n    5.8x    w\n");
  free(text);
}

/* For small kernels the table has both ratios (with and without launch overhead), the verdict and the rate, even at 80
 * columns. Unknown values are marked. */
static void overheads_are_shown_both_ways(void) {
  struct run_data data;
  sample_rich(&data);
  for (size_t i = 0; i < data.count; i++)
    if (strcmp(data.records[i].variant, "fused") == 0) record_set(&data.records[i].verdict, "undecided (launch)");
  data.records[2].median_ns = data.records[2].speedup_corrected = (double)NAN;
  char *text = printed(&data, 80, false, true);
  /* the time without launch overhead is dropped before the rate computed from it */
  ASSERT_HAS(text, "us +-%  GB/s speedup -launch\n");
  /* 18.98 / 13.66 us, and the same after 3.2 us of launch overhead are subtracted from both */
  ASSERT_HAS(text, "1.389x  1.508x");
  ASSERT_HAS(text, "2.439x  ?");
  ASSERT_HAS(text, "undecided (launch)\n");
  ASSERT_HAS(text, "\n-launch     less what an empty launch takes, 3.20 +-0.090 us: where it is above\n");
  free(text);
  text = printed(&data, 120, false, true);
  ASSERT_HAS(text, "us +-%  -launch");
  ASSERT_HAS(text, " GB/s ");
  free(text);
  run_data_free(&data);
}

static void latency_shows_its_tail(void) {
  struct run_data data;
  sample_rich(&data);
  char *text = printed(&data, 160, false, true), *call = strstr(text, "rich/call");
  ASSERT_TRUE(call != NULL);
  if (call == NULL) return;
  ASSERT_HAS(call, "P99.9");
  ASSERT_HAS(call, "7.446"); /* the 99th percentile of the first row */
  ASSERT_TRUE(strstr(call, "GB/s") == NULL);
  *call = '\0';
  ASSERT_TRUE(strstr(text, "P99.9") == NULL);
  ASSERT_HAS(text, "GB/s");
  free(text);
  run_data_free(&data);
}

static void what_was_not_seen_stands_below(void) {
  struct run_data data;
  sample_rich(&data);
  for (size_t i = 0; i < data.count; i++) {
    struct record *row = &data.records[i];
    row->reuse_limit = 0.02;
    if (strcmp(row->variant, "fused") != 0) continue;
    record_set(&row->verdict, "faster");
    record_set(&row->backend, "cpu");
    row->verified_slots = 9;
    row->speedup = row->speedup_lo = 2;
    row->reuse_limit = 0.64;
  }
  char *text = printed(&data, 80, false, true);
  ASSERT_HAS(text, "\nunproven    may reuse results: 64% of the time (fused in 8 of 8 cases)\n");
  free(text);
  for (size_t i = 0; i < data.count; i++)
    data.records[i].reuse_limit = 0.02;
  text = printed(&data, 80, false, true);
  ASSERT_TRUE(strstr(text, "unproven") == NULL);
  free(text);
  record_set(&data.records[0].unproven, "few");
  text = printed(&data, 80, false, true);
  ASSERT_HAS(text, "\nunproven    too few of its results were compared with the reference (naive in 1 of 8 cases");
  free(text);
  run_data_free(&data);
}

UNIT_MAIN("table", UNIT_TEST(what_was_not_seen_stands_below), UNIT_TEST(small_rates_have_a_smaller_unit),
          UNIT_TEST(overheads_are_shown_both_ways), UNIT_TEST(latency_shows_its_tail), UNIT_TEST(looks_as_it_should),
          UNIT_TEST(keeps_to_the_width), UNIT_TEST(drops_the_least_important), UNIT_TEST(axes_stay_where_labels_repeat),
          UNIT_TEST(only_the_timed_are_fastest), UNIT_TEST(half_widths_stay), UNIT_TEST(no_word_is_broken),
          UNIT_TEST(long_texts_leave_room), UNIT_TEST(what_has_room_is_there), UNIT_TEST(colour_is_only_an_extra),
          UNIT_TEST(hostile_text_is_inert), UNIT_TEST(many_rows_become_one_line_per_case), UNIT_TEST(empty_runs_print),
          UNIT_TEST(points_are_aligned))
