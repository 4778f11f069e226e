/* Tests foreign rows (results that other programs measured): which are read and refused, which cases they belong to,
 * and how outputs show them. */
#include "record/foreign.h"

#include <math.h>

#include "base/memory.h"
#include "capture.h"
#include "export/export.h"
#include "html/report.h"
#include "record/run_data.h"
#include "sample_run.h"
#include "summary/foreign.h"
#include "summary/geomean.h"
#include "summary/sentence.h"
#include "terminal/terminal.h"

#define HEADER "case_key,variant,mode,median_ns,source\n"
#define KEY(b, h, s, d) "attention/forward[b=" b ",h=" h ",s=" s ",d=" d ",dtype=bf16,causal=yes]"
#define GPT KEY("16", "12", "1024", "64")
#define LONGEST KEY("1", "32", "32768", "128")

static int read_rows(const char *text, bool strict, struct foreign_rows *rows, struct err *err) {
  FILE *in = fmemopen((char *)text, strlen(text), "r");
  *err = (struct err){0};
  int result = foreign_read(in, "f.csv", strict, rows, err);
  fclose(in);
  return result;
}

static void assert_reads(const char *text, size_t count, struct foreign_rows *rows) {
  struct err err;
  ASSERT_EQ_INT(read_rows(text, true, rows, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_INT(rows->count, count);
}

static void reads_the_minimum(void) {
  struct foreign_rows rows;
  assert_reads(HEADER "k[a=1],sdpa,cold,1234.5,PyTorch 2.11\n", 1, &rows);
  ASSERT_EQ_STR(rows.items[0].case_key, "k[a=1]");
  ASSERT_EQ_STR(rows.items[0].variant, "sdpa");
  ASSERT_EQ_STR(rows.items[0].mode, "cold");
  ASSERT_EQ_STR(rows.items[0].source, "PyTorch 2.11");
  ASSERT_EQ_STR(rows.items[0].note, "");
  ASSERT_NEAR(rows.items[0].median_ns, 1234.5, 0);
  ASSERT_TRUE(isnan(rows.items[0].lo_ns) && isnan(rows.items[0].verify_error));
  ASSERT_EQ_INT(rows.items[0].samples, 0);
  foreign_free(&rows);
}

static void reads_all_columns_in_any_order(void) {
  struct foreign_rows rows;
  assert_reads(
      "note,hi_ns,lo_ns,source,median_ns,mode,variant,case_key,samples,math,device,verify_error\r\n"
      "\"a, \"\"b\"\"\",11,9,torch,10,cold,v,\"k[a=1,b=2]\",200,bf16,H200,1.5e-3\r\n",
      1, &rows);
  ASSERT_EQ_STR(rows.items[0].note, "a, \"b\"");
  ASSERT_EQ_STR(rows.items[0].case_key, "k[a=1,b=2]");
  ASSERT_EQ_STR(rows.items[0].device, "H200");
  ASSERT_NEAR(rows.items[0].lo_ns, 9, 0);
  ASSERT_NEAR(rows.items[0].hi_ns, 11, 0);
  ASSERT_NEAR(rows.items[0].verify_error, 1.5e-3, 0);
  ASSERT_EQ_INT(rows.items[0].samples, 200);
  foreign_free(&rows);
}

/* Reads files as people make them: with a byte order mark, without a final line end, with spaces around unquoted
 * values. */
static void reads_what_people_write(void) {
  struct foreign_rows rows;
  assert_reads("\xEF\xBB\xBF" HEADER "k,v,cold,10,s", 1, &rows);
  foreign_free(&rows);
  assert_reads("case_key, variant, mode, median_ns, source\nk, v, cold, 10, s\n", 1, &rows);
  ASSERT_EQ_STR(rows.items[0].variant, "v");
  foreign_free(&rows);
  assert_reads(HEADER, 0, &rows);
  foreign_free(&rows);
}

static void refused(const char *text, const char *part) {
  struct foreign_rows rows;
  struct err err;
  ASSERT_EQ_INT(read_rows(text, true, &rows, &err), -1);
  ASSERT_HAS(err.text, part);
  ASSERT_HAS(err.text, "f.csv");
  ASSERT_EQ_INT(rows.count, 0);
}

static void refuses_bad_headers(void) {
  refused("", "empty");
  refused("case_key,variant\n", "columns missing: mode, median_ns, source");
  refused("case_key,variant,mode,median,source\n", "did you mean median_ns?");
  refused("case_key,variant,mode,median_ns,source,zzzzzzzzzzzzzzzzz\n", "known are case_key");
  refused("case_key,variant,mode,median_ns,source,mode\n", "appears twice");
}

static void refuses_bad_numbers(void) {
  static const char *const numbers[] = {"nan",   "inf",  "-inf", "-1",  "0",    "1e999",   "0x10",
                                        " ",     "1,5",  "1.5s", "1e",  "\"\"", "1e-9",    "1e30",
                                        "1 000", "+nan", "--1",  "NaN", "(1)",  "\xD9\xA1"};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    char text[256];
    struct foreign_rows rows;
    struct err err;
    snprintf(text, sizeof text, HEADER "k,v,cold,%s,s\n", numbers[i]);
    ASSERT_EQ_INT(read_rows(text, true, &rows, &err), -1);
    ASSERT_HAS(err.text, "f.csv:2: ");
  }
  refused("case_key,variant,mode,median_ns,source,samples\nk,v,cold,1,s,0\n", "not a whole number above 0");
  refused("case_key,variant,mode,median_ns,source,samples\nk,v,cold,1,s,99999999999999999999\n", "whole number");
  refused("case_key,variant,mode,median_ns,source,lo_ns,hi_ns\nk,v,cold,10,s,11,12\n", "not an interval");
  refused("case_key,variant,mode,median_ns,source,lo_ns,hi_ns\nk,v,cold,10,s,9,\n", "not an interval");
  refused("case_key,variant,mode,median_ns,source,verify_error\nk,v,cold,10,s,-1\n", "verify_error is '-1'");
}

static void refuses_bad_rows(void) {
  char text[4096], variant[FOREIGN_TEXT_MAX + 2];
  refused(HEADER "k,v,cold,1\n", "4 fields, but the header has 5");
  refused(HEADER "k,v,cold,1,s,x\n", "6 fields, but the header has 5");
  refused(HEADER "k,v,cold,1", "cut off");
  refused(HEADER "k,v,cold,1,\"s", "cut off");
  refused(HEADER "k,,cold,1,s\n", "variant is empty");
  refused(HEADER "k,v,cold,1,s\nk,v,cold,2,s\n", "f.csv:3: 'v' by 's', mode cold, of case 'k' is there twice");
  memset(variant, 'v', sizeof variant);
  variant[sizeof variant - 1] = '\0';
  snprintf(text, sizeof text, HEADER "k,%s,cold,1,s\n", variant);
  refused(text, "variant: more than 128 bytes");
}

/* In a run directory, unknown columns of a newer version are ignored; in a file that people write they are errors. */
static void unknown_columns_only_in_run_directories(void) {
  static const char text[] = "case_key,variant,mode,median_ns,source,colour\nk,v,cold,1,s,red\n";
  struct foreign_rows rows;
  struct err err;
  refused(text, "unknown column 'colour'");
  ASSERT_EQ_INT(read_rows(text, false, &rows, &err), 0);
  ASSERT_EQ_INT(rows.count, 1);
  foreign_free(&rows);
}

static char *written(const struct foreign_rows *rows) {
  struct capture capture;
  struct err err = {0};
  FILE *out = capture_open(&capture);
  ASSERT_EQ_INT(foreign_write_header(out, &err), 0);
  for (size_t i = 0; i < rows->count; i++)
    ASSERT_EQ_INT(foreign_write_row(out, &rows->items[i], &err), 0);
  return capture_close(&capture);
}

static void formulas_are_guarded_and_come_back(void) {
  struct foreign_rows rows, again;
  assert_reads(HEADER "k,=cmd|' /C calc'!A0,cold,1,@SUM(A1)\n", 1, &rows);
  char *text = written(&rows);
  ASSERT_HAS(text, "\"'=cmd|' /C calc'!A0\"");
  ASSERT_HAS(text, "\"'@SUM(A1)\"");
  assert_reads(text, 1, &again);
  ASSERT_EQ_STR(again.items[0].variant, "=cmd|' /C calc'!A0");
  foreign_free(&rows);
  foreign_free(&again);
  free(text);
}

static void the_later_file_counts(void) {
  struct foreign_rows rows, more;
  assert_reads(HEADER "k,v,cold,1,s\nk,w,cold,2,s\n", 2, &rows);
  assert_reads(HEADER "k,w,cold,3,s\nk,w,cold,4,other\n", 2, &more);
  foreign_merge(&rows, &more, FOREIGN_ANY_RUN);
  ASSERT_EQ_INT(rows.count, 3);
  ASSERT_NEAR(rows.items[1].median_ns, 3, 0);
  ASSERT_EQ_STR(rows.items[2].source, "other");
  ASSERT_EQ_INT(more.count, 0);
  foreign_free(&rows);
}

static void many_rows_are_bounded(void) {
  struct foreign_rows rows;
  struct err err;
  struct capture capture;
  FILE *out = capture_open(&capture);
  fputs(HEADER, out);
  for (int i = 0; i <= FOREIGN_ROWS_MAX; i++)
    fprintf(out, "k[n=%d],v,cold,%d,s\n", i, i + 1);
  char *text = capture_close(&capture);
  ASSERT_EQ_INT(read_rows(text, true, &rows, &err), -1);
  ASSERT_HAS(err.text, "more than 200000 rows");
  strstr(text, "k[n=100000]")[0] = '\0';
  ASSERT_EQ_INT(read_rows(text, true, &rows, &err), 0);
  ASSERT_EQ_INT(rows.count, 100000);
  foreign_free(&rows);
  free(text);
}

/* ---- In the cases of a run ---- */

#define ALL "case_key,variant,mode,median_ns,source,lo_ns,hi_ns,samples,math,device,verify_error,note\n"

static const char sample_rows[] = ALL
    "\"" GPT "\",sdpa-flash,cold,150000,PyTorch 2.11,149000,151000,300,bf16,NVIDIA H200,1.1e-3,\n"
    "\"" GPT "\",sdpa-math,cold,2000000,PyTorch 2.11,,,,fp8,,,eager\n"
    "\"" LONGEST "\",sdpa-flash,cold,27000000,PyTorch 2.11,26900000,27100000,300,bf16,,,\n"
    "\"" GPT "\",sdpa-flash,hot,140000,PyTorch 2.11,,,,,,,\n"
    "\"" GPT "\",sdpa-old,cold,300000,PyTorch 1.0,,,,,NVIDIA A100,,\n"
    "\"" KEY("16", "12", "1025", "64") "\",sdpa-flash,cold,150000,PyTorch 2.11,,,,,,,\n"
    "other/bench[n=1],x,cold,1,me,,,,,,,\n";

static void sample_with(struct run_data *data, const char *text) {
  struct foreign_rows rows;
  struct err err;
  sample_run(data, true);
  ASSERT_EQ_INT(read_rows(text, true, &rows, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  foreign_merge(&data->foreign, &rows, 0);
  foreign_match(data);
}

static void rows_find_their_cases(void) {
  static const enum foreign_place places[] = {FOREIGN_MATCHED,    FOREIGN_MATCHED,      FOREIGN_MATCHED,
                                              FOREIGN_OTHER_MODE, FOREIGN_OTHER_DEVICE, FOREIGN_NO_CASE,
                                              FOREIGN_NO_CASE};
  struct run_data data;
  struct run_summary summary;
  sample_with(&data, sample_rows);
  for (size_t i = 0; i < 7; i++)
    ASSERT_EQ_INT(data.foreign.items[i].place, places[i]);
  ASSERT_EQ_INT(data.notes.count, 1);
  ASSERT_HAS(data.notes.items[0], "2 of 7 are of no case here");
  ASSERT_HAS(data.notes.items[0], "(nearest: '" GPT "')");
  ASSERT_HAS(data.notes.items[0], "'other/bench[n=1]' x; ");
  ASSERT_HAS(data.notes.items[0], "1 of 7 are of a case that was not timed in their mode here");
  ASSERT_HAS(data.notes.items[0], "on their device here: '" GPT "' sdpa-old, device NVIDIA A100.");
  summary_build(&data, &summary);
  const struct run_bench *bench = &summary.benches[0];
  ASSERT_EQ_INT(bench->foreign_count, 2);
  ASSERT_EQ_STR(bench->foreign[0].variant, "sdpa-flash");
  ASSERT_TRUE(foreign_at(&bench->cases[0], 0) == &data.foreign.items[0]);
  ASSERT_TRUE(foreign_at(&bench->cases[0], 1) == &data.foreign.items[1]);
  ASSERT_TRUE(foreign_at(&bench->cases[1], 0) == NULL);
  ASSERT_TRUE(foreign_at(&bench->cases[4], 0) == &data.foreign.items[2]);
  summary_free(&summary);
  run_data_free(&data);
}

static void figures_are_the_medians(void) {
  struct run_data data;
  struct run_summary summary;
  sample_with(&data, sample_rows);
  summary_build(&data, &summary);
  const struct run_bench *bench = &summary.benches[0];
  const struct run_case *first = &bench->cases[0], *last = &bench->cases[4];
  ASSERT_NEAR(foreign_ratio(first, foreign_at(first, 0)), 831300.0 / 150000, 1e-12);
  ASSERT_TRUE(isnan(foreign_ratio(last, foreign_at(last, 0)))); /* the baseline was skipped */
  double tflops = foreign_rate(RATE_TFLOPS, bench, first, foreign_at(first, 0));
  ASSERT_NEAR(tflops, first->rows[0]->tflops * 831300 / 150000, 1e-9);
  ASSERT_TRUE(foreign_rate(RATE_TFLOPS, bench, last, foreign_at(last, 0)) > 0); /* uses the row that ran */
  ASSERT_TRUE(!foreign_is_mixed(first, foreign_at(first, 0)));
  ASSERT_TRUE(foreign_is_mixed(first, foreign_at(first, 1)));
  summary_free(&summary);
  run_data_free(&data);
}

/* However fast foreign rows are, everything that is said about the run's own rows stays the same. */
static void nothing_else_changes(void) {
  struct run_data data, plain;
  struct run_summary summary, without;
  char text[MSG_SIZE], expected[MSG_SIZE];
  sample_with(&data, ALL "\"" GPT "\",standard,cold,1,me,,,,,,,\n\"" GPT "\",flash,cold,2,me,,,,,,,\n");
  sample_run(&plain, true);
  summary_build(&data, &summary);
  summary_build(&plain, &without);
  ASSERT_EQ_INT(data.notes.count, 0);
  summary_sentence(&data, &summary, text, sizeof text);
  summary_sentence(&plain, &without, expected, sizeof expected);
  ASSERT_EQ_STR(text, expected);
  ASSERT_EQ_INT(summary.rows, without.rows);
  ASSERT_EQ_INT(summary.timed, without.timed);
  ASSERT_EQ_STR(summary.benches[0].cases[0].winner->variant, "mine");
  for (size_t i = 0; i < 3; i++) {
    const struct geomean mean = geomean_base(&summary.benches[0], i);
    const struct geomean expected_mean = geomean_base(&without.benches[0], i);
    ASSERT_TRUE(mean.ratio == expected_mean.ratio || (isnan(mean.ratio) && isnan(expected_mean.ratio)));
    ASSERT_EQ_INT(mean.count, expected_mean.count);
    ASSERT_EQ_STR(mean.word, expected_mean.word);
    ASSERT_EQ_INT(bench_wins(&summary.benches[0], i), bench_wins(&without.benches[0], i));
  }
  summary_free(&summary);
  summary_free(&without);
  run_data_free(&data);
  run_data_free(&plain);
}

static void columns_are_bounded(void) {
  struct capture capture;
  struct run_data data;
  struct run_summary summary;
  char left[MSG_SIZE];
  FILE *out = capture_open(&capture);
  fputs(HEADER, out);
  for (int i = 0; i < 20; i++)
    fprintf(out, "\"" GPT "\",v%d,cold,100,me\n", i);
  char *text = capture_close(&capture);
  sample_with(&data, text);
  summary_build(&data, &summary);
  ASSERT_EQ_INT(summary.benches[0].foreign_count, FOREIGN_COLUMNS_MAX);
  foreign_left_out(&summary.benches[0], left, sizeof left);
  ASSERT_HAS(left, "4 more foreign rows of attention/forward");
  summary_free(&summary);
  run_data_free(&data);
  free(text);
}

/* Merges two runs. Foreign rows that one of the runs brought are shown with its cases only, those given for all runs
 * with the cases of both. */
static void runs_keep_their_own(void) {
  struct run_data first, second;
  struct run_summary summary;
  struct foreign_rows rows;
  struct err err;
  sample_with(&first, HEADER "\"" GPT "\",mine-only,cold,100,me\n");
  sample_run(&second, true);
  for (struct run_data *data = &first;; data = &second) {
    data->runs = xcalloc(1, sizeof *data->runs);
    data->runs[0].count = data->count;
    pairs_add_text(&data->runs[0].environment, "run_id", data == &first ? "one" : "two");
    data->run_count = 1;
    if (data == &second) break;
  }
  run_data_merge(&first, &second);
  ASSERT_EQ_INT(read_rows(HEADER "\"" GPT "\",of-both,cold,200,me\n", true, &rows, &err), 0);
  foreign_merge(&first.foreign, &rows, FOREIGN_ANY_RUN);
  run_data_share(&first);
  summary_build(&first, &summary);
  ASSERT_EQ_INT(summary.bench_count, 2);
  ASSERT_EQ_INT(summary.benches[0].foreign_count, 2);
  ASSERT_EQ_INT(summary.benches[1].foreign_count, 1);
  ASSERT_EQ_STR(summary.benches[1].foreign[0].variant, "of-both");
  ASSERT_TRUE(foreign_match_is_of(&first, &first.foreign.items[0], 0));
  ASSERT_TRUE(!foreign_match_is_of(&first, &first.foreign.items[0], 1));
  ASSERT_TRUE(foreign_match_is_of(&first, &first.foreign.items[1], 1));
  summary_free(&summary);
  run_data_free(&first);
}

/* ---- In the outputs ---- */

static char *output(const struct run_data *data, export_fn write) {
  struct capture capture;
  struct err err = {0};
  FILE *out = capture_open(&capture);
  ASSERT_EQ_INT(write(data, out, &err), 0);
  return capture_close(&capture);
}

static void the_table_marks_them(void) {
  struct run_data data;
  struct capture capture;
  sample_with(&data, sample_rows);
  FILE *out = capture_open(&capture);
  table_print(&data, out, 160, false, true);
  char *text = capture_close(&capture);
  ASSERT_EQ_INT(count_of(text, "not interleaved, timed by PyTorch 2.11"), 2);
  ASSERT_HAS(text, "5.542x");
  ASSERT_HAS(text, "x, not interleaved, mixed math, timed by PyTorch 2.11");
  ASSERT_HAS(text, "3 rows timed by PyTorch 2.11, not interleaved: in no count, mean or verdict");
  ASSERT_HAS(text, "note        Foreign rows: 2 of 7 are of no case here");
  free(text);
  run_data_free(&data);
}

static void the_page_marks_them(void) {
  struct run_data data;
  sample_with(&data, sample_rows);
  char *text = output(&data, html_write);
  ASSERT_HAS(text, "sdpa-flash <span class=\"minor\">timed by PyTorch 2.11, not interleaved</span>");
  ASSERT_HAS(text, "not in the mean");
  ASSERT_HAS(text, "<caption>Timed by others, not interleaved</caption>");
  ASSERT_HAS(text, "<pre id=\"foreign-csv\">case_key,");
  ASSERT_TRUE(strstr(text, "other/bench[n=1]&quot;,") == NULL); /* rows without a case are not in the page */
  free(text);
  run_data_free(&data);
}

static void other_outputs(void) {
  struct run_data data, plain;
  sample_with(&data, sample_rows);
  sample_run(&plain, true);
  char *json = output(&data, export_json), *markdown = output(&data, export_markdown);
  ASSERT_HAS(json, "\"foreign\": [");
  ASSERT_HAS(json, "\"match\": \"other_mode\"");
  ASSERT_HAS(json, "\"ratio\": 5.542");
  ASSERT_HAS(markdown, "sdpa-flash \\(timed by PyTorch 2.11, not interleaved\\) |");
  ASSERT_HAS(markdown, "5.542x");
  free(json);
  free(markdown);
  static const export_fn silent[] = {export_csv, export_csv_wide,   export_junit,      export_gbench,
                                     export_bmf, export_gh_smaller, export_openmetrics};
  for (size_t i = 0; i < sizeof silent / sizeof silent[0]; i++) {
    char *with = output(&data, silent[i]), *without = output(&plain, silent[i]);
    ASSERT_TRUE(strcmp(with, without) == 0);
    free(with);
    free(without);
  }
  run_data_free(&data);
  run_data_free(&plain);
}

static void hostile_text_stays_text(void) {
  struct run_data data;
  struct capture capture;
  sample_with(&data, HEADER "\"" GPT "\",<script>alert(1)</script>|x,cold,100,\"\x1b[31m=1+1\xff </pre>\"\n");
  char *page = output(&data, html_write), *markdown = output(&data, export_markdown);
  ASSERT_TRUE(strstr(page, "<script>alert(1)") == NULL);
  ASSERT_TRUE(strchr(page, '\x1b') == NULL);
  ASSERT_TRUE(strstr(markdown, "<script>") == NULL);
  ASSERT_TRUE(strstr(markdown, "</script>|x") == NULL);
  FILE *out = capture_open(&capture);
  table_print(&data, out, 100, false, true);
  char *table = capture_close(&capture);
  ASSERT_TRUE(strchr(table, '\x1b') == NULL);
  free(page);
  free(markdown);
  free(table);
  run_data_free(&data);
}

UNIT_MAIN("foreign", UNIT_TEST(reads_the_minimum), UNIT_TEST(reads_all_columns_in_any_order),
          UNIT_TEST(reads_what_people_write), UNIT_TEST(refuses_bad_headers), UNIT_TEST(refuses_bad_numbers),
          UNIT_TEST(refuses_bad_rows), UNIT_TEST(unknown_columns_only_in_run_directories),
          UNIT_TEST(formulas_are_guarded_and_come_back), UNIT_TEST(the_later_file_counts),
          UNIT_TEST(many_rows_are_bounded), UNIT_TEST(rows_find_their_cases), UNIT_TEST(figures_are_the_medians),
          UNIT_TEST(nothing_else_changes), UNIT_TEST(columns_are_bounded), UNIT_TEST(runs_keep_their_own),
          UNIT_TEST(the_table_marks_them), UNIT_TEST(the_page_marks_them), UNIT_TEST(other_outputs),
          UNIT_TEST(hostile_text_stays_text))
