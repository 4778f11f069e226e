/* Tests the stored comparison of a run with an earlier one: made, written, read again and shown. */
#include "base/grid.h"
#include "base/memory.h"
#include "capture.h"
#include "compare/compare.h"
#include "export/export.h"
#include "fixture_compare.h"
#include "html/report.h"
#include "record/csv/files.h"
#include "terminal/terminal.h"

static struct two_runs pair;

/* Adds a struct run_info, which holds the comparison; the fixture's data consists of rows only. */
static void give_run(struct run_data *data) {
  data->runs = xcalloc(1, sizeof *data->runs);
  data->runs[0] = (struct run_info){.count = data->count};
  data->run_count = 1;
}

static void open_pair(void) {
  pair_open(&pair);
  pair_set(&pair.base, "run_id", "20261120T071503Z-attention");
  give_run(&pair.other);
}

static const struct against *compare(const char *asked) {
  pair_compare_asked(&pair, asked);
  against_free(pair.other.runs[0].against);
  pair.other.runs[0].against = pair.compare.runs[0].against;
  pair.compare.runs[0].against = NULL;
  return pair.other.runs[0].against;
}

static char *csv(const struct against *against) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(against_csv_write(against, capture_open(&capture), &err), 0);
  return capture_close(&capture);
}

static int read_text(char *text, struct run_data *data, struct err *err) {
  FILE *in = fmemopen(text, strlen(text), "r");
  *data = (struct run_data){0};
  give_run(data);
  int result = against_csv_read(in, "against.csv", data, err);
  fclose(in);
  return result;
}

static char *table(int width) {
  struct capture capture;
  table_print(&pair.other, capture_open(&capture), width, false, true);
  return capture_close(&capture);
}

static char *page(void) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(html_write(&pair.other, capture_open(&capture), &err), 0);
  return capture_close(&capture);
}

static char *markdown(void) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(export_markdown(&pair.other, capture_open(&capture), &err), 0);
  return capture_close(&capture);
}

static void keep(const char *name, const char *text) {
  const char *dir = getenv("GPUBENCH_REPORTS");
  char path[512];
  if (dir == NULL) return;
  snprintf(path, sizeof path, "%s/%s.html", dir, name);
  write_file(path, text);
}

/* Changes rows of the newer run: one becomes slower, one faster, one is broken, one repaired, one exists only in the
 * base, one only in the newer run. */
static void change(void) {
  pair_scale(&pair.other.records[1], 1.097);
  pair_scale(&pair.other.records[8], 1 / 1.43);
  sample_unusual(&pair.other.records[11], "wrong", "out[1032, 7]: 0.173 where float64 has 0.161");
  sample_unusual(&pair.base.records[13], "crashed", "SIGSEGV in 'run'");
  record_set(&pair.base.records[14].variant, "old");
}

/* ---- Contents ------------------------------------------------------------------------------------------------- */

static void it_says_what_compare_says(void) {
  open_pair();
  change();
  const struct against *against = compare("last");
  ASSERT_EQ_INT(against->outcomes[AGAINST_BROKEN], 1);
  ASSERT_EQ_INT(against->outcomes[AGAINST_FIXED], 1);
  ASSERT_EQ_INT(against->outcomes[AGAINST_ONLY_BASE], 1);
  ASSERT_EQ_INT(against->outcomes[AGAINST_ONLY_HERE], 1);
  ASSERT_EQ_STR(against_fact(against, "head"), "last");
  ASSERT_EQ_STR(against_fact(against, "run_id"), "20261120T071503Z-attention");
  ASSERT_TRUE(against_is_judged(against));
  size_t seen = 0;
  for (size_t i = 0; i < pair.compare.row_count; i++) {
    const struct compare_cell *cell = &pair.compare.rows[i].cells[0];
    if (cell->row == NULL) continue;
    const struct against_row *row = against_row_of(&pair.other, cell->row);
    ASSERT_TRUE(row != NULL);
    if (row == NULL || cell->outcome != AGAINST_BOTH) continue;
    ASSERT_TRUE(row->speedup == cell->ratio.speedup && row->lo == cell->ratio.lo95 && row->hi == cell->ratio.hi95);
    ASSERT_TRUE(row->word == cell->word && row->beyond == cell->beyond);
    seen++;
  }
  ASSERT_TRUE(seen > 8);
  ASSERT_TRUE(against_row_of(&pair.other, &pair.other.records[1])->word == VERDICT_SLOWER);
  ASSERT_TRUE(against_row_of(&pair.other, &pair.other.records[14])->outcome == AGAINST_ONLY_HERE);
  pair_close(&pair);
}

static void a_path_does_not_head_a_column(void) {
  open_pair();
  compare("/home/me/runs/20261120T071503Z-attention/results.csv");
  ASSERT_EQ_STR(against_head(&pair.other).text, "vs 20261120T071503Z-attenti...");
  pair_set(&pair.base, "name", "nightly");
  compare("../runs/x");
  ASSERT_EQ_STR(against_head(&pair.other).text, "vs nightly");
  pair_close(&pair);
}

static void runs_that_are_not_alike_get_no_word(void) {
  open_pair();
  change();
  pair_set(&pair.other, "driver", "590.10");
  const struct against *against = compare("last");
  ASSERT_TRUE(!against_is_judged(against));
  ASSERT_EQ_INT(against->unlike_count, 1);
  ASSERT_EQ_STR(against->differences[0].base, "580.65.06");
  ASSERT_EQ_STR(against->differences[0].other, "590.10");
  for (size_t i = 0; i < against->count; i++)
    ASSERT_TRUE(against->rows[i].word == VERDICT_NONE && !against->rows[i].beyond);
  ASSERT_NEAR(against_row_of(&pair.other, &pair.other.records[1])->speedup, 1 / 1.097, 1e-9);
  pair_close(&pair);
}

/* ---- The file ------------------------------------------------------------------------------------------------ */

static void a_file_is_read_back_to_the_same(void) {
  struct run_data data;
  struct err err = {0};
  open_pair();
  change();
  pair_set(&pair.other, "driver", "590.10");
  char *text = csv(compare("last"));
  assert_golden("against.csv", text);
  ASSERT_EQ_INT(read_text(text, &data, &err), 0);
  char *again = csv(data.runs[0].against);
  ASSERT_EQ_STR(again, text);
  free(again);
  free(text);
  run_data_free(&data);
  pair_close(&pair);
}

static void damage_is_named(void) {
  static const struct {
    const char *from, *to, *says;
  } damages[] = {
      {"part,name", "port,name", "the columns are"},
      {"\"both\"", "\"bath\"", "outcome is 'bath'"},
      {"\"row\"", "\"raw\"", "part is 'raw'"},
      {",1,1,", ",1,x,", "'x' is not a whole number"},
  };
  open_pair();
  char *text = csv(compare("last"));
  for (size_t i = 0; i < sizeof damages / sizeof damages[0]; i++) {
    struct run_data data;
    struct err err = {0};
    char *copy = xstrdup(text), *at = strstr(copy, damages[i].from);
    ASSERT_TRUE(at != NULL);
    if (at != NULL) memcpy(at, damages[i].to, strlen(damages[i].to));
    ASSERT_EQ_INT(read_text(copy, &data, &err), -1);
    ASSERT_HAS(err.text, damages[i].says);
    ASSERT_HAS(err.text, "against.csv");
    ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
    run_data_free(&data);
    free(copy);
  }
  free(text);
  pair_close(&pair);
}

static void a_torn_file_loses_its_last_row(void) {
  struct run_data data;
  struct err err = {0};
  open_pair();
  const struct against *against = compare("last");
  char *text = csv(against);
  text[strlen(text) - 30] = '\0';
  ASSERT_EQ_INT(read_text(text, &data, &err), 0);
  ASSERT_EQ_INT(data.runs[0].against->count, against->count - 1);
  ASSERT_HAS(data.runs[0].notes.items[0], "cut off");
  run_data_free(&data);
  free(text);
  pair_close(&pair);
}

/* ---- Appearance ----------------------------------------------------------------------------------------------- */

static void it_looks_as_it_should(void) {
  open_pair();
  change();
  compare("last");
  char *text = table(120), *md = markdown(), *html = page();
  assert_golden("against.txt", text);
  assert_golden("against.md", strstr(md, "### against"));
  keep("against", html);
  ASSERT_HAS(text, "vs last");
  ASSERT_HAS(text, "not interleaved with this run");
  ASSERT_HAS(html, "(not interleaved with this run): 1 of");
  ASSERT_HAS(html, "vs last 0.912x <span class=\"slower line\">");
  ASSERT_HAS(html, "<caption>vs last, not interleaved</caption>");
  ASSERT_HAS(html, "<details><summary>1 only in the base</summary>");
  free(text);
  free(md);
  free(html);
  text = table(80);
  assert_golden("against_80.txt", text);
  free(text);
  pair_close(&pair);
}

static void a_banner_names_both_values(void) {
  open_pair();
  change();
  pair_set(&pair.other, "driver", "590.10");
  pair_set(&pair.other, "power_limit_w", "500");
  compare("last");
  char *text = table(120), *md = markdown(), *html = page();
  ASSERT_HAS(text, "NOT ALIKE   driver: 580.65.06 -> 590.10\n            power limit: 700 W -> 500 W\n");
  ASSERT_HAS(md, "> **Not alike: ratios are shown without verdicts (`--force` judges anyway)**");
  ASSERT_HAS(html, "20261120T071503Z-attention are not alike</h2>");
  ASSERT_HAS(html, "<td>580.65.06</td><td>590.10</td>");
  ASSERT_HAS(html, "<td>700 W</td><td>500 W</td>");
  ASSERT_TRUE(strstr(strstr(html, "vs last"), "\xE2\x96\xBC</span>slower &gt;2%") == NULL);
  keep("against_unlike", html);
  free(text);
  free(md);
  free(html);
  pair_close(&pair);
}

static void without_a_comparison_there_is_nothing(void) {
  open_pair();
  char *text = table(120), *md = markdown(), *html = page();
  ASSERT_TRUE(strstr(text, "vs ") == strstr(text, "vs standard"));
  ASSERT_TRUE(strstr(md, "against ") == NULL);
  ASSERT_TRUE(strstr(html, "against") == strstr(html, "against float64") || strstr(html, "id=\"against\"") == NULL);
  free(text);
  free(md);
  free(html);
  pair_close(&pair);
}

/* ---- Hostile text -------------------------------------------------------------------------------------------- */

static void hostile_text_stays_text(void) {
  pair = (struct two_runs){.options = {.threshold = 0.02}};
  sample_hostile(&pair.base);
  sample_hostile(&pair.other);
  give_run(&pair.other);
  record_set(&pair.base.records[3].case_key, SAMPLE_HOSTILE "only");
  const struct against *against = compare(SAMPLE_HOSTILE);
  char *text = table(120), *md = markdown(), *html = page(), *file = csv(against);
  keep("against_hostile", html);
  ASSERT_TRUE(strstr(html, "<script>alert") == NULL);
  ASSERT_TRUE(strstr(html, "<img src=x") == NULL);
  ASSERT_TRUE(strstr(md, "<script>") == NULL);
  for (const char *c = text; *c != '\0'; c++)
    ASSERT_TRUE(((unsigned char)*c >= 0x20 && *c != 0x7f) || *c == '\n');
  struct run_data data;
  struct err err = {0};
  ASSERT_EQ_INT(read_text(file, &data, &err), 0);
  ASSERT_EQ_STR(against_fact(data.runs[0].against, "run_id"), against_fact(against, "run_id"));
  run_data_free(&data);
  free(text);
  free(md);
  free(html);
  free(file);
  pair_close(&pair);
}

UNIT_MAIN("against", UNIT_TEST(it_says_what_compare_says), UNIT_TEST(a_path_does_not_head_a_column),
          UNIT_TEST(runs_that_are_not_alike_get_no_word), UNIT_TEST(a_file_is_read_back_to_the_same),
          UNIT_TEST(damage_is_named), UNIT_TEST(a_torn_file_loses_its_last_row), UNIT_TEST(it_looks_as_it_should),
          UNIT_TEST(a_banner_names_both_values), UNIT_TEST(without_a_comparison_there_is_nothing),
          UNIT_TEST(hostile_text_stays_text))
