#include "reports/html.h"

#include "capture.h"
#include "sample_run.h"

static char *page_of(const struct run_data *data) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(html_write(data, capture_open(&capture), &err), 0);
  return capture_close(&capture);
}

/* With GPUBENCH_REPORTS=DIR the pages stay, for the browser test. */
static void keep(const char *name, const char *text) {
  const char *dir = getenv("GPUBENCH_REPORTS");
  char path[512];
  if (dir == NULL) return;
  snprintf(path, sizeof path, "%s/%s.html", dir, name);
  write_file(path, text);
}

static void looks_as_it_should(void) {
  struct run_data data;
  sample_run(&data, false);
  data.count = 3;
  char *text = page_of(&data);
  assert_golden("report_body.html", strstr(text, "</style>"));
  free(text);
  data.count = 15;
  run_data_free(&data);
}

static void assert_order(const char *text, const char *const *parts, size_t count) {
  const char *at = text;
  for (size_t i = 0; i < count; i++) {
    const char *next = strstr(at, parts[i]);
    if (next == NULL) {
      UNIT_FAIL("'%s' is not there, or not behind '%s'", parts[i], i ? parts[i - 1] : "the beginning");
      return;
    }
    at = next;
  }
  CU_PASS();
}

static void the_first_screen_has_its_order(void) {
  static const char *const parts[] = {"<html lang=\"en\">",
                                      "<title>",
                                      "<h1>",
                                      "1 of 13 results is wrong",
                                      "id=\"failures\"",
                                      "</span> wrong",
                                      "7.4e-2 of 4e-3",
                                      "</span> crashed",
                                      "SIGSEGV in &#39;run&#39;",
                                      "conditions ok",
                                      "Speedup over standard",
                                      ">5.805x<",
                                      "geometric mean",
                                      "<svg",
                                      "bf16 ceiling",
                                      "Trust",
                                      "41 random rounds",
                                      "Machine",
                                      "NVIDIA H200",
                                      "gpubench --suite run.ini",
                                      "id=\"results\"",
                                      "id=\"environment\"",
                                      "id=\"method\"",
                                      "<details>",
                                      "schema,run_id"};
  struct run_data data;
  sample_run(&data, true);
  char *text = page_of(&data);
  keep("failures", text);
  assert_order(text, parts, sizeof parts / sizeof parts[0]);
  free(text);
  run_data_free(&data);
  sample_run(&data, false);
  text = page_of(&data);
  keep("good", text);
  ASSERT_TRUE(strstr(text, "id=\"failures\"") == NULL);
  free(text);
  run_data_free(&data);
}

/* Wrong and skipped cells hold the reason, never a number. */
static void failed_cells_have_no_number(void) {
  struct run_data data;
  sample_run(&data, true);
  record_set(&data.records[8].message, "the reason");
  data.records[8].median_raw_ns = 123456789; /* a careless writer */
  data.records[8].speedup = 77.7;
  char *text = page_of(&data), *end = strstr(text, "id=\"results\"");
  if (end != NULL) *end = '\0';
  ASSERT_HAS(text, "the reason");
  ASSERT_TRUE(strstr(text, "77.7") == NULL);
  ASSERT_TRUE(strstr(text, "123.5") == NULL);
  free(text);
  run_data_free(&data);
}

static void assert_inert(const char *text) {
  static const char *const never[] = {"<script", "<img",        "onload=x>", " style=\"", "onclick=",
                                      "\x1b",    "javascript:", "<b>\"",     "src=\"",    "http://www.w3.org/1999"};
  for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
    if (strstr(text, never[i]) != NULL && strcmp(never[i], "onload=x>") != 0)
      UNIT_FAIL("the page has %s: %.60s", never[i], strstr(text, never[i]));
  ASSERT_EQ_INT(count_of(text, "<svg"), count_of(text, "</svg>"));
  ASSERT_EQ_INT(count_of(text, "<table"), count_of(text, "</table>"));
  ASSERT_EQ_INT(count_of(text, "<section"), count_of(text, "</section>"));
  ASSERT_EQ_INT(count_of(text, "<div"), count_of(text, "</div>"));
  ASSERT_EQ_INT(count_of(text, "<span"), count_of(text, "</span>"));
}

static void hostile_text_is_inert(void) {
  struct run_data data;
  sample_hostile(&data);
  char *text = page_of(&data);
  keep("hostile", text);
  assert_inert(text);
  ASSERT_HAS(text, "&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;,");
  ASSERT_HAS(text, "&lt;script&gt;alert(2)");
  ASSERT_HAS(text, "&lt;img src=x onerror=alert(3)&gt;");
  free(text);
  run_data_free(&data);
}

static void loads_nothing(void) {
  struct run_data data;
  sample_run(&data, false);
  char *text = page_of(&data);
  assert_inert(text);
  ASSERT_EQ_INT(count_of(text, "http"), count_of(text, "http://www.w3.org/2000/svg") + count_of(text, "http-equiv"));
  ASSERT_EQ_INT(count_of(text, "url("), 0);
  ASSERT_EQ_INT(count_of(text, "@import"), 0);
  ASSERT_EQ_INT(count_of(text, "<link"), count_of(text, "<link rel=\"icon\" href=\"data:,\">"));
  free(text);
  run_data_free(&data);
}

static void says_what_is_missing(void) {
  struct run_data data;
  sample_run(&data, false);
  run_pairs_free(&data.environment);
  run_pairs_free(&data.tags);
  free(data.dir);
  data.dir = NULL;
  strings_add(&data.notes, "Made from results.csv alone.");
  char *text = page_of(&data);
  keep("lone", text);
  ASSERT_HAS(text, "Made from results.csv alone.");
  ASSERT_TRUE(strstr(text, "conditions ok") == NULL);
  ASSERT_TRUE(strstr(text, "href=\"results.csv\"") == NULL); /* who knows where it is */
  ASSERT_TRUE(strstr(text, "--suite run.ini") == NULL);
  free(text);
  run_data_free(&data);
}

static void warns_of_conditions_and_quick_runs(void) {
  struct run_data data;
  sample_run(&data, false);
  for (size_t i = 0; i < data.environment.count; i++)
    if (strcmp(data.environment.items[i].name, "conditions") == 0) {
      free(data.environment.items[i].value);
      data.environment.items[i].value = xstrdup("throttled in 12% of rounds: power cap");
    }
  data.records[3].quick = 1;
  char *text = page_of(&data);
  ASSERT_HAS(text, "<li class=\"warn\"><span aria-hidden=\"true\">\xE2\x9A\xA0</span> conditions: throttled in 12%");
  ASSERT_HAS(text, "quick run");
  free(text);
  run_data_free(&data);
}

static void works_without_baseline_or_work(void) {
  struct run_data data;
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++) {
    struct record *record = &data.records[i];
    record_set(&record->baseline, NULL);
    record_set(&record->verdict, NULL);
    record_set(&record->preset, NULL);
    record->tflops = record->gb_per_s = record->roof_share = record->speedup = (double)NAN;
  }
  char *text = page_of(&data);
  keep("bare", text);
  assert_inert(text);
  ASSERT_HAS(text, "Median time in us");
  ASSERT_HAS(text, "us, lower is better");
  ASSERT_TRUE(strstr(text, "geometric mean") == NULL);
  ASSERT_TRUE(strstr(text, "Share of the measured ceiling</caption>") == NULL);
  free(text);
  run_data_free(&data);
}

static void empty_runs_have_a_page(void) {
  struct run_data data = {0};
  char *text = page_of(&data);
  ASSERT_HAS(text, "Nothing was measured.");
  ASSERT_HAS(text, "There are no rows.");
  ASSERT_HAS(text, "</html>");
  free(text);
}

static void full_disks_are_noticed(void) {
  struct run_data data;
  struct err err = {0};
  FILE *full = fopen("/dev/full", "w");
  if (full == NULL) return;
  sample_run(&data, false);
  ASSERT_EQ_INT(html_write(&data, full, &err), -1);
  ASSERT_HAS(err.text, "cannot write the report");
  fclose(full);
  run_data_free(&data);
}

UNIT_MAIN("html", UNIT_TEST(looks_as_it_should), UNIT_TEST(the_first_screen_has_its_order),
          UNIT_TEST(failed_cells_have_no_number), UNIT_TEST(hostile_text_is_inert), UNIT_TEST(loads_nothing),
          UNIT_TEST(says_what_is_missing), UNIT_TEST(warns_of_conditions_and_quick_runs),
          UNIT_TEST(works_without_baseline_or_work), UNIT_TEST(empty_runs_have_a_page),
          UNIT_TEST(full_disks_are_noticed))
