/* Tests the data embedded in a report: it can be read again, and damage is reported. */
#include "record/embed.h"

#include <unistd.h>

#include "capture.h"
#include "sample_run.h"

static char path[] = "/tmp/test_embed.XXXXXX";

static const char ini[] =
    "; a <run>\n[environment]\nrun_id = 20261121T071503Z-attention\nname = \"a\" & 'b'%0Ac\n"
    "[tags]\nbranch = main\n[case-1]\nplugin = x\n";

/* Makes a page that contains the same run `runs` times, as html_write() would. */
static char *page_of(const struct run_data *data, size_t runs) {
  struct capture capture;
  struct err err = {0};
  FILE *out = capture_open(&capture);
  fputs("<!DOCTYPE html>\n<title>x</title>\n", out);
  for (size_t i = 0; i < runs; i++) {
    fputs("<details><summary>data</summary>", out);
    ASSERT_EQ_INT(embed_results(out, i, data->records, data->count, &err), 0);
    fputs("</details><details>", out);
    embed_ini(out, i, ini);
    fputs("</details>\n", out);
  }
  return capture_close(&capture);
}

static int load(const char *text, struct run_data *data, struct err *err) {
  *err = (struct err){0};
  write_file(path, text);
  return run_data_load(path, data, err);
}

static void assert_same_rows(const struct run_data *a, const struct run_data *b, size_t first) {
  for (size_t i = 0; i < a->count && first + i < b->count; i++)
    for (size_t f = 0; f < record_field_count; f++) {
      char x[64], y[64];
      ASSERT_EQ_STR(record_text(&b->records[first + i], &record_fields[f], y, sizeof y),
                    record_text(&a->records[i], &record_fields[f], x, sizeof x));
    }
}

static void comes_back(void) {
  struct run_data data, read;
  struct err err;
  sample_run(&data, true);
  char *text = page_of(&data, 1);
  ASSERT_TRUE(strstr(text, "<pre id=\"results-csv\">schema,") != NULL);
  ASSERT_EQ_INT(load(text, &read, &err), 0);
  ASSERT_EQ_STR(err.text, "");
  ASSERT_EQ_INT(read.count, data.count);
  assert_same_rows(&data, &read, 0);
  ASSERT_EQ_INT(read.run_count, 1);
  ASSERT_EQ_STR(read.runs[0].ini, ini);
  ASSERT_EQ_STR(run_data_get(&read, "name"), "\"a\" & 'b'\nc");
  ASSERT_EQ_STR(pairs_get(&read.tags, "branch"), "main");
  ASSERT_TRUE(read.dir == NULL);
  ASSERT_HAS(read.notes.items[0], "the raw samples are not in it");
  run_data_free(&read);
  run_data_free(&data);
  free(text);
}

static void several_runs_come_back(void) {
  struct run_data data, read;
  struct err err;
  sample_run(&data, false);
  char *text = page_of(&data, 3);
  ASSERT_EQ_INT(load(text, &read, &err), 0);
  ASSERT_EQ_INT(read.run_count, 3);
  ASSERT_EQ_INT(read.count, 45);
  ASSERT_EQ_INT(read.runs[2].first, 30);
  ASSERT_EQ_INT(run_data_run_of(&read, &read.records[29]), 1);
  ASSERT_EQ_INT(run_data_run_of(&read, &read.records[30]), 2);
  assert_same_rows(&data, &read, 30);
  run_data_free(&read);
  run_data_free(&data);
  free(text);
}

/* The embedded data may contain text that looks like the marks by which a page separates its parts. */
static void marks_in_the_data_are_data(void) {
  struct run_data data, read;
  struct err err;
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++)
    record_set(&data.records[i].message,
               "</pre><pre id=\"results-csv-2\">x<pre id=\"run-ini\">[environment]\nrun_id=evil");
  char *text = page_of(&data, 1);
  ASSERT_EQ_INT(load(text, &read, &err), 0);
  ASSERT_EQ_INT(read.run_count, 1);
  assert_same_rows(&data, &read, 0);
  ASSERT_EQ_STR(run_data_get(&read, "run_id"), "20261121T071503Z-attention");
  run_data_free(&read);
  run_data_free(&data);
  free(text);
}

/* Characters that a page cannot hold are replaced; rows stay intact. */
static void hostile_rows_stay_rows(void) {
  struct run_data data, read;
  struct err err;
  sample_hostile(&data);
  char *text = page_of(&data, 1);
  ASSERT_EQ_INT(load(text, &read, &err), 0);
  ASSERT_EQ_INT(read.count, data.count);
  ASSERT_EQ_STR(read.records[0].case_key, data.records[0].case_key);
  ASSERT_HAS(read.records[0].message, "<script>alert(1)</script>\"'&,\n=1+1 \xEF\xBF\xBD[31m");
  run_data_free(&read);
  run_data_free(&data);
  free(text);
}

static void refused(const char *text, const char *message) {
  struct run_data read;
  struct err err;
  ASSERT_EQ_INT(load(text, &read, &err), -1);
  ASSERT_HAS(err.text, message);
  ASSERT_HAS(err.text, path);
}

static void damage_is_named(void) {
  struct run_data data;
  sample_run(&data, false);
  char *text = page_of(&data, 1), *at = strstr(text, "results-csv");
  refused("<!DOCTYPE html>\n<p>another page</p>", "has no <pre id=\"results-csv\">");
  refused("<!DOCTYPE html><pre id=\"results-csv\"></pre>", "is empty");
  refused("<!DOCTYPE html><pre id=\"results-csv\">a,b\n1,2\n</pre>", "columns missing: bench");
  at[900] = '\0';
  refused(text, "cut off: its data do not end with </pre>");
  at[900] = '<';
  refused(text, "instead of </pre>");
  memcpy(at + 900, "&eacute;", 8);
  refused(text, "'&eacute;");
  free(text);
  run_data_free(&data);
}

int main(void) {
  static const struct unit_test tests[] = {UNIT_TEST(comes_back), UNIT_TEST(several_runs_come_back),
                                           UNIT_TEST(marks_in_the_data_are_data), UNIT_TEST(hostile_rows_stay_rows),
                                           UNIT_TEST(damage_is_named)};
  int fd = mkstemp(path);
  if (fd < 0) return 1;
  close(fd);
  int failed = unit_run("embed", tests, sizeof tests / sizeof tests[0]);
  unlink(path);
  return failed;
}
