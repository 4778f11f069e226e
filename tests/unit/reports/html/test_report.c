#include "html/report.h"

#include "base/memory.h"
#include "base/text.h"
#include "capture.h"
#include "diagram/program.h"
#include "html/page.h"
#include "model/conditions.h"
#include "record/run_data.h"
#include "sample_rich.h"

static char *page_of(const struct run_data *data) {
  struct capture capture;
  struct err err = {0};
  diagram_program = "/nonexistent/gpubench-diagram"; /* diagrams are tested elsewhere */
  ASSERT_EQ_INT(html_write(data, capture_open(&capture), &err), 0);
  return capture_close(&capture);
}

/* Writes the page to DIR, for the browser test, if GPUBENCH_REPORTS=DIR is set. */
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
  char *script = strstr(text, "<script>");
  if (script != NULL) *script = '\0'; /* style sheet and script are not part of the golden file */
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
                                      "id=\"marks\"",
                                      "id=\"figures\"",
                                      "id=\"charts\"",
                                      "id=\"diagrams\"",
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

/* Wrong and skipped cells show the reason, never a number. */
static void failed_cells_have_no_number(void) {
  struct run_data data;
  sample_run(&data, true);
  record_set(&data.records[8].message, "the reason");
  data.records[8].median_raw_ns = 987654321; /* as a careless writer might leave it */
  data.records[8].speedup = 77.7;
  char *text = page_of(&data), *end = strstr(text, "id=\"results\"");
  if (end != NULL) *end = '\0';
  ASSERT_HAS(text, "the reason");
  ASSERT_TRUE(strstr(text, "77.7") == NULL);
  ASSERT_TRUE(strstr(text, "987.7") == NULL);
  free(text);
  run_data_free(&data);
}

static void assert_title(const struct run_data *data, const char *expected) {
  char *text = page_of(data);
  ASSERT_HAS(text, expected);
  free(text);
}

/* If the user gave the run no name, it is named after its first plugin; the page's title then lists all plugins. */
static void the_title_names_all_plugins(void) {
  struct run_data data;
  sample_run(&data, false);
  pairs_add_text(&data.environment, "name", "attention");
  assert_title(&data,
               "<title>passed - attention: All 14 results correct; mine is fastest in 4 of 5 cases, at 24% to 48% of "
               "the measured "
               "ceiling. 1 skipped. - gpubench</title>");
  record_set(&data.records[7].plugin, "softmax");
  record_set(&data.records[0].plugin, "calibrate"); /* its rows come first */
  record_set(&data.records[0].contract, "gpubench.org/calibrate/copy/1");
  assert_title(&data, " - attention, softmax: ");
  pairs_free(&data.environment);
  pairs_add_text(&data.environment, "name", "nightly");
  assert_title(&data, " - nightly: ");
  run_data_free(&data);
}

/* A long reason for several cells is written once, and each cell links to it. */
static void reasons_are_said_once(void) {
  static const char why[] = "of fp32 tensor cores would <round> every element";
  struct run_data data;
  sample_run(&data, false);
  for (size_t i = 0; i < 2; i++)
    for (size_t row = 3 * i; row < 3 * i + 3; row += 2) {
      record_set(&data.records[row].status, "skipped");
      record_set(&data.records[row].message, i == 0 ? why : "needs 2 GPUs");
    }
  char *text = page_of(&data), *end = strstr(text, "id=\"figures\"");
  keep("reasons", text);
  if (end != NULL) *end = '\0'; /* cuts off the other matrices */
  ASSERT_EQ_INT(count_of(text, "tensor cores would"), 1);
  ASSERT_HAS(text, "<li id=\"reason-0-1\">of fp32 tensor cores would &lt;round&gt; every element</li>");
  ASSERT_EQ_INT(count_of(text, "</span> skipped</span> <a class=\"minor\" href=\"#reason-0-1\">reason 1</a>"), 2);
  ASSERT_EQ_INT(count_of(text, "needs 2 GPUs"), 2);
  free(text);
  run_data_free(&data);
}

static void assert_inert(const char *text) {
  static const char *const never[] = {"<img",        " style=\"", "onclick=", "\x1b",
                                      "javascript:", "<b>\"",     "src=\"",   "http://www.w3.org/1999"};
  ASSERT_EQ_INT(count_of(text, "<script"), 1); /* the script of the page itself, at its end */
  ASSERT_EQ_INT(count_of(strstr(text, "<script>"), "</script>\n</body>\n</html>\n"), 1);
  ASSERT_EQ_INT(count_of(text, "</script"), 1);
  for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
    if (strstr(text, never[i]) != NULL) UNIT_FAIL("the page has %s: %.60s", never[i], strstr(text, never[i]));
  ASSERT_EQ_INT(count_of(text, "<svg"), count_of(text, "</svg>"));
  ASSERT_EQ_INT(count_of(text, "<table"), count_of(text, "</table>"));
  ASSERT_EQ_INT(count_of(text, "<section"), count_of(text, "</section>"));
  ASSERT_EQ_INT(count_of(text, "<div"), count_of(text, "</div>"));
  ASSERT_EQ_INT(count_of(text, "<span"), count_of(text, "</span>"));
  ASSERT_EQ_INT(count_of(text, "<details"), count_of(text, "</details>"));
  ASSERT_EQ_INT(count_of(text, "<figure>") + count_of(text, "<figure id="), count_of(text, "</figure>"));
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
  data.records[0].verified_slots = -1; /* as in a file of an older version */
  pairs_free(&data.environment);
  pairs_free(&data.tags);
  free(data.dir);
  data.dir = NULL;
  strings_add(&data.notes, "Made from results.csv alone.");
  char *text = page_of(&data);
  keep("lone", text);
  ASSERT_HAS(text, "on the same inputs, before timing, 13 of 14 in random timed slots too. The error is");
  ASSERT_HAS(text, "Made from results.csv alone.");
  ASSERT_TRUE(strstr(text, "conditions ok") == NULL);
  ASSERT_TRUE(strstr(text, "href=\"results.csv\"") == NULL); /* the location of the file is unknown */
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

/* Returns the text between two marks, or "". */
static char *between(const char *text, const char *from, const char *to) {
  const char *start = strstr(text, from), *end = start != NULL ? strstr(start + strlen(from), to) : NULL;
  return end != NULL ? strndup(start, (size_t)(end - start)) : strdup("");
}

/* The page does not say "conditions ok" if the clock was throttled during the run. It says how many results were
 * throttled. */
static void conditions_are_not_ok_beside_a_fault(void) {
  struct run_data data;
  sample_run(&data, false);
  char *text = page_of(&data);
  ASSERT_HAS(text, "conditions ok: 1980 MHz");
  free(text);
  for (size_t i = 0; i < 3; i++) {
    record_set(&data.records[i].conditions, "throttled in 20% of rounds: power cap; clocks differ");
    data.records[i].throttled_share = 0.2;
    data.records[i].sm_clock_mhz = 1900 - 40 * (double)i;
  }
  text = page_of(&data);
  ASSERT_TRUE(strstr(text, "conditions ok") == NULL);
  ASSERT_HAS(text, "<li>at the start: 1980 MHz, 41 C");
  ASSERT_HAS(text, "</span> throttled in 3 of 14 results, there in up to 20% of the rounds");
  ASSERT_HAS(text, "</span> clocks differ in 3 of 14 results");
  ASSERT_HAS(text, "All 14 results correct");
  ASSERT_EQ_INT(count_of(text,
                         "conditions: throttled in 20% of rounds: power cap; clocks differ: standard 1900, flash "
                         "1860, mine 1820 MHz"),
                1); /* written once for all three rows */
  free(text);
  run_data_free(&data);
}

/* The table has a row for each bench: the fastest variant, its lead, and its most serious mark (a note that limits what
 * may be concluded). */
static void several_benches_have_a_table(void) {
  struct run_data data;
  sample_rich(&data);
  char *text = page_of(&data), *table = between(text, "class=\"benches\"", "</table>");
  ASSERT_HAS(table, "<a href=\"#bench-0\">");
  ASSERT_HAS(table, "<a href=\"#bench-1\">");
  ASSERT_HAS(table, "quick");
  free(table);
  free(text);
  const char *const key = data.records[0].case_key, *const bench = data.records[0].bench;
  for (size_t i = 0; i < data.count; i++) /* one of many cases has another baseline */
    if (strcmp(data.records[i].bench, bench) == 0 && strcmp(data.records[i].case_key, key) == 0) {
      record_set(&data.records[i].baseline, "flash");
      data.records[i].speedup = strcmp(data.records[i].variant, "flash") == 0 ? 1 : 0.5;
    }
  text = page_of(&data), table = between(text, "class=\"benches\"", "</table>");
  ASSERT_HAS(table, "over naive</span> <span class=\"minor\">in 7 cases</span>");
  free(table);
  free(text);
  run_data_free(&data);
  sample_run(&data, false);
  text = page_of(&data);
  ASSERT_TRUE(strstr(text, "class=\"benches\"") == NULL);
  free(text);
  run_data_free(&data);
}

/* Variants that ran in few cases share a column that names them, and the reasons follow below. */
static void rare_variants_share_a_column(void) {
  struct run_data data;
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++)
    if (i >= 3 && i % 3 != 0) {
      record_set(&data.records[i].status, "skipped");
      record_set(&data.records[i].message, "it has <no> bf16");
    }
  char *text = page_of(&data), *bench = between(text, "id=\"bench-0\"", "</section>");
  ASSERT_HAS(bench, "standard <span class=\"minor\">baseline</span></th><th scope=\"col\">others</th>");
  ASSERT_TRUE(strstr(bench, "<th scope=\"col\">flash</th>") == NULL || strstr(bench, "<details") != NULL);
  ASSERT_HAS(bench, "<td data-label=\"others\"><div><b>flash</b> <span");
  ASSERT_HAS(bench, "2 variants skipped most cases");
  ASSERT_HAS(bench, "<b>flash</b> 4 of 5: it has &lt;no&gt; bf16");
  free(bench);
  free(text);
  run_data_free(&data);
}

/* The list of conditions recognizes the texts that gpubench writes about faults, and has a name for each. */
static void faults_of_the_host_have_their_names(void) {
  static const char *const names[] = {"clocks differ",
                                      "other processes used the CPUs",
                                      "steal",
                                      "interrupted by other tasks",
                                      "throttled by the CPU quota",
                                      "CPUs throttled by heat"};
  struct host_usage usage = {.seconds = 10,
                             .wanted_s = 10,
                             .own_s = 10,
                             .quota_share = 0.3,
                             .steal_share = 0.3,
                             .others_share = 0.9,
                             .involuntary = 1000000,
                             .hot = 3};
  struct run_data data;
  char text[512];
  sample_run(&data, false);
  host_usage_faults(&usage, false, text, sizeof text);
  phrase_add(text, sizeof text, "; ", "clocks differ");
  free(data.records[0].conditions);
  data.records[0].conditions = xstrdup(text);
  char *page = page_of(&data);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char item[96];
    snprintf(item, sizeof item, "</span> %s in 1 of ", names[i]);
    ASSERT_HAS(page, item);
  }
  free(page);
  run_data_free(&data);
}

/* Below its name each case has links to its samples and to its point in the roofline, and a command for a shell. */
static void cases_lead_on(void) {
  struct run_data data;
  sample_rich(&data);
  char *text = page_of(&data), *bench = between(text, "id=\"bench-0\"", "</section>");
  char *link = strstr(bench, "href=\"#samples-0-");
  ASSERT_TRUE(link != NULL);
  char id[40] = "";
  if (link != NULL) snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(link + 7, "\""), link + 7);
  ASSERT_HAS(text, id);
  ASSERT_HAS(bench, "<a href=\"#roofline-0\">roofline 1</a>");
  ASSERT_HAS(text, "<figure id=\"roofline-0\">");
  ASSERT_HAS(bench, " --case &#39;");
  free(bench);
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
    record->tflops = record->gb_per_s = record->ceiling_share = record->speedup = (double)NAN;
  }
  char *text = page_of(&data);
  keep("bare", text);
  assert_inert(text);
  ASSERT_HAS(text, "Median time in us");
  ASSERT_HAS(text, "us, lower is better");
  ASSERT_HAS(text, ">16 12 1024 64</text>"); /* a case on a chart without a numeric axis */
  ASSERT_HAS(text, ">b, h, s, d</text>");
  ASSERT_TRUE(strstr(text, "geometric mean") == NULL);
  ASSERT_TRUE(strstr(text, "Share of the measured ceiling</caption>") == NULL);
  free(text);
  run_data_free(&data);
}

/* Cells without a baseline are short and do not wrap, but the labels in front of them on a phone must wrap. */
static void foreign_rows_stand_beside(void) {
  struct run_data data;
  struct err err = {0};
  char rows[1024];
  sample_run(&data, false);
  for (size_t i = 0; i < data.count; i++)
    record_set(&data.records[i].baseline, NULL);
  snprintf(rows, sizeof rows,
           "case_key,variant,mode,median_ns,source\n\"%s\",torch,cold,250000,PyTorch\n"
           "\"%s\",a-kernel-with-a-longer-name,cold,260000,Triton\n",
           data.records[0].case_key, data.records[0].case_key);
  FILE *in = fmemopen(rows, strlen(rows), "r");
  ASSERT_EQ_INT(foreign_read(in, "foreign.csv", true, &data.foreign, &err), 0);
  fclose(in);
  foreign_match(&data);
  char *text = page_of(&data);
  keep("foreign", text);
  ASSERT_HAS(text, "data-label=\"torch, not interleaved\">250.0<");
  free(text);
  for (size_t i = 0; i < data.count; i++) { /* so little work that rates are in GFLOP/s */
    data.records[i].flops = 1000000;
    data.records[i].tflops = 0.004;
    data.records[i].gb_per_s = 1e-6;
  }
  text = page_of(&data);
  ASSERT_HAS(text, "GFLOP/s");
  ASSERT_HAS(text, "data-label=\"torch, not interleaved\">4.00<");
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

static void every_chart_has_its_figures_and_its_words(void) {
  struct run_data data;
  sample_rich(&data);
  char *text = page_of(&data);
  keep("rich", text);
  assert_inert(text);
  size_t charts = count_of(text, "<svg class=\"chart\"");
  ASSERT_TRUE(charts >= 20);
  ASSERT_EQ_INT(count_of(text, "<details class=\"figure\">"), charts);
  ASSERT_EQ_INT(count_of(text, "<desc id="), charts);
  ASSERT_HAS(text, "Median time by n, dtype=fp32");
  ASSERT_HAS(text, "Median time by n, dtype=bf16");
  ASSERT_HAS(text, "throttled in 3 of 24 rounds: power cap");
  ASSERT_HAS(text, ">copy, 4251 GB/s<");
  ASSERT_HAS(text, ">bf16, 758 TFLOP/s<");
  ASSERT_HAS(text, ">l2, 8100 GB/s<"); /* any key of this form is a ceiling */
  free(text);
  run_data_free(&data);
}

static void rows_carry_their_marks(void) {
  static const char *const words[] = {"not interleaved", "in groups", "mixed math", "launch-limited",
                                      "imprecise",       "throttled", "conditions"};
  struct run_data data;
  sample_rich(&data);
  char *text = page_of(&data), *matrix = between(text, "id=\"bench-0\"", "</section>");
  char *legend = between(text, "id=\"marks\"", "</section>"),
       *results = between(text, "id=\"results\"", "id=\"environment\"");
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    ASSERT_HAS(matrix, words[i]);
    ASSERT_HAS(legend, words[i]);
    ASSERT_HAS(results, words[i]);
  }
  ASSERT_HAS(text, ">In every row: launch-limited: up to ");
  ASSERT_HAS(results, "launch-limited, quick");
  free(matrix);
  free(legend);
  free(results);
  free(text);
  run_data_free(&data);
}

/* Charts and their tables use a unit without leading zeros. */
static void slow_rooflines_are_in_gflops(void) {
  struct run_data data;
  sample_run(&data, false);
  char *page = page_of(&data), *figure = between(page, "id=\"roofline-0\"", "</figure>");
  ASSERT_HAS(figure, ">TFLOP/s</th>");
  free(figure);
  free(page);
  for (size_t i = 0; i < data.count; i++)
    data.records[i].tflops *= 1e-4;
  page = page_of(&data);
  figure = between(page, "id=\"roofline-0\"", "</figure>");
  ASSERT_HAS(figure, ">GFLOP/s</th>");
  ASSERT_TRUE(strstr(figure, ">TFLOP/s</th>") == NULL);
  ASSERT_HAS(figure, "<td>18.42</td>");
  free(figure);
  free(page);
  run_data_free(&data);
}

static void latency_has_its_percentiles(void) {
  struct run_data data;
  sample_rich(&data);
  char *text = page_of(&data), *bench = between(text, "id=\"bench-1\"", "</section>");
  ASSERT_HAS(bench, "<th scope=\"col\">P99.9</th>");
  ASSERT_HAS(bench, "jitter (MAD)");
  ASSERT_HAS(bench, "too few samples");
  ASSERT_TRUE(strstr(bench, "GB/s") == NULL); /* single calls do not measure throughput */
  free(bench);
  bench = between(text, "id=\"bench-0\"", "</section>");
  ASSERT_TRUE(strstr(bench, "P99.9") == NULL);
  free(bench);
  free(text);
  run_data_free(&data);
}

static void details_show_overheads_and_tails(void) {
  static const char *const parts[] = {"less the launch overhead, us",
                                      "speedup less the launch overhead",
                                      "99.9%, us",
                                      "skew",
                                      "cv",
                                      "workspace",
                                      "kernels 1",
                                      "overhead",
                                      "restart std dev"};
  struct run_data data;
  sample_rich(&data);
  char *text = page_of(&data), *results = between(text, "id=\"results\"", "id=\"environment\"");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
    ASSERT_HAS(results, parts[i]);
  free(results);
  free(text);
  run_data_free(&data);
}

/* Every column has its place in html/detail.c; otherwise it would appear under "Other". */
static void no_column_is_forgotten(void) {
  struct run_data data;
  for (size_t i = 0; i < record_field_count; i++)
    if (!html_detail_has(record_fields[i].offset))
      UNIT_FAIL("%s has no place in reports/html/detail.c", record_fields[i].name);
  sample_rich(&data);
  char *text = page_of(&data);
  ASSERT_TRUE(strstr(text, "<caption>Other</caption>") == NULL);
  free(text);
  run_data_free(&data);
}

static struct run_data two_runs(const char *second_device) {
  struct run_data first, second;
  sample_run(&first, false);
  sample_run(&second, false);
  struct run_data *both[] = {&first, &second};
  for (size_t i = 0; i < 2; i++) {
    struct run_data *data = both[i];
    data->runs = xcalloc(1, sizeof *data->runs);
    data->run_count = 1;
    data->runs[0] = (struct run_info){.environment = data->environment, .tags = data->tags, .count = data->count};
    data->environment = data->tags = (struct pairs){0};
    pairs_add_text(&data->runs[0].environment, "node", i == 0 ? "left" : "right");
  }
  free(second.runs[0].environment.items[0].value);
  second.runs[0].environment.items[0].value = xstrdup("another-run");
  for (size_t i = 0; second_device != NULL && i < second.count; i++) {
    record_set(&second.records[i].devices, second_device);
    record_set(&second.records[i].device_name, second_device);
  }
  run_data_share(&first);
  run_data_merge(&first, &second);
  return first;
}

static void runs_stand_side_by_side(void) {
  struct run_data data = two_runs("NVIDIA B200");
  char *text = page_of(&data);
  keep("runs", text);
  assert_inert(text);
  ASSERT_HAS(text, "attention/forward, NVIDIA H200");
  ASSERT_HAS(text, "attention/forward, NVIDIA B200");
  ASSERT_HAS(text, "What differs between the runs");
  ASSERT_HAS(text, "<td>left</td><td>right</td>");
  ASSERT_HAS(text, "What they have in common");
  ASSERT_HAS(text, "All 28 results correct");
  free(text);
  run_data_free(&data);
  data = two_runs(NULL); /* both runs have the same rows, and both are shown */
  text = page_of(&data);
  ASSERT_HAS(text, "attention/forward, another-run");
  ASSERT_HAS(text, "All 28 results correct");
  free(text);
  run_data_free(&data);
}

/* 200 cases x 5 variants are all shown, in less than 3.6 MB. */
static void large_runs_fit(void) {
  struct run_data data;
  sample_big(&data, 1, 200, 5);
  char *text = page_of(&data);
  keep("large", text);
  assert_inert(text);
  ASSERT_TRUE(strlen(text) < 3600000);
  ASSERT_TRUE(strstr(text, "Showing") == NULL);
  char *matrix = between(text, "id=\"bench-0\"", "</section>");
  ASSERT_EQ_INT(count_of(matrix, "<tr>"), 201);
  ASSERT_HAS(text, "Of 200 cases those that varied most are here");
  free(matrix);
  free(text);
  run_data_free(&data);
}

/* Ten variants have a column each; the browser test prints this page. */
static void many_variants_have_a_column_each(void) {
  struct run_data data;
  sample_big(&data, 1, 6, 10);
  char *text = page_of(&data);
  keep("wide", text);
  char *matrix = between(text, "id=\"bench-0\"", "</thead>");
  ASSERT_EQ_INT(count_of(matrix, "<th scope=\"col\""), 11);
  free(matrix);
  free(text);
  run_data_free(&data);
}

/* Only part of 100,000 rows is shown and the page tells so; counts include all. */
static void larger_ones_are_folded(void) {
  struct run_data data;
  sample_big(&data, 1, 20000, 5);
  record_set(&data.records[5 * 777 + 2].status, "wrong");
  char *text = page_of(&data);
  ASSERT_TRUE(strlen(text) < 3600000);
  ASSERT_HAS(text, "Showing 240 of 20000 cases: first those with failures");
  ASSERT_HAS(text, "1 of 100000 results is wrong");
  char *matrix = between(text, "id=\"bench-0\"", "</section>");
  ASSERT_HAS(matrix, "</span> wrong"); /* the wrong row is in one of the cases that are shown */
  ASSERT_HAS(text, "The 100000 rows have no room here");
  free(matrix);
  free(text);
  run_data_free(&data);
  sample_big(&data, 3, 300, 2);
  text = page_of(&data);
  ASSERT_HAS(text, "Showing 200 of 300 cases");
  free(text);
  run_data_free(&data);
}

static void assets_may_lie_beside_it(void) {
  struct run_data data;
  struct capture capture;
  struct err err = {0};
  sample_run(&data, false);
  ASSERT_EQ_INT(html_write_split(&data, capture_open(&capture), &err), 0);
  char *text = capture_close(&capture);
  keep("split", text);
  ASSERT_HAS(text, "<link rel=\"stylesheet\" href=\"report.css\">");
  ASSERT_HAS(text, "<script src=\"report.js\"></script>");
  ASSERT_TRUE(strstr(text, "<style") == NULL && strstr(text, "<script>") == NULL);
  free(text);
  ASSERT_EQ_INT(html_write_css(&data, capture_open(&capture), &err), 0);
  char *css = capture_close(&capture);
  ASSERT_EQ_INT(html_write_js(&data, capture_open(&capture), &err), 0);
  char *js = capture_close(&capture), *page = page_of(&data);
  ASSERT_HAS(page, css); /* identical to the text inside the page */
  ASSERT_HAS(page, js);
  ASSERT_TRUE(count_of(js, "\n") < 200);
  ASSERT_TRUE(strstr(js, "eval(") == NULL && strstr(js, "innerHTML") == NULL && strstr(js, "http") == NULL);
  if (getenv("GPUBENCH_REPORTS") != NULL) {
    char path[512];
    snprintf(path, sizeof path, "%s/report.css", getenv("GPUBENCH_REPORTS"));
    write_file(path, css);
    snprintf(path, sizeof path, "%s/report.js", getenv("GPUBENCH_REPORTS"));
    write_file(path, js);
  }
  free(css);
  free(js);
  free(page);
  run_data_free(&data);
}

static void the_same_run_gives_the_same_bytes(void) {
  struct run_data data;
  sample_rich(&data);
  char *first = page_of(&data), *second = page_of(&data);
  ASSERT_TRUE(strcmp(first, second) == 0);
  free(first);
  free(second);
  run_data_free(&data);
}

UNIT_MAIN("html", UNIT_TEST(looks_as_it_should), UNIT_TEST(the_first_screen_has_its_order),
          UNIT_TEST(failed_cells_have_no_number), UNIT_TEST(reasons_are_said_once),
          UNIT_TEST(the_title_names_all_plugins), UNIT_TEST(hostile_text_is_inert), UNIT_TEST(loads_nothing),
          UNIT_TEST(says_what_is_missing), UNIT_TEST(warns_of_conditions_and_quick_runs),
          UNIT_TEST(conditions_are_not_ok_beside_a_fault), UNIT_TEST(several_benches_have_a_table),
          UNIT_TEST(rare_variants_share_a_column), UNIT_TEST(faults_of_the_host_have_their_names),
          UNIT_TEST(cases_lead_on), UNIT_TEST(works_without_baseline_or_work), UNIT_TEST(foreign_rows_stand_beside),
          UNIT_TEST(empty_runs_have_a_page), UNIT_TEST(full_disks_are_noticed),
          UNIT_TEST(every_chart_has_its_figures_and_its_words), UNIT_TEST(rows_carry_their_marks),
          UNIT_TEST(slow_rooflines_are_in_gflops), UNIT_TEST(latency_has_its_percentiles),
          UNIT_TEST(details_show_overheads_and_tails), UNIT_TEST(no_column_is_forgotten),
          UNIT_TEST(runs_stand_side_by_side), UNIT_TEST(large_runs_fit), UNIT_TEST(many_variants_have_a_column_each),
          UNIT_TEST(larger_ones_are_folded), UNIT_TEST(assets_may_lie_beside_it),
          UNIT_TEST(the_same_run_gives_the_same_bytes))
