/* Tests comparisons as text, Markdown and HTML: golden files, and hostile text. */
#include "base/grid.h"
#include "base/memory.h"
#include "capture.h"
#include "export/export.h"
#include "fixture_compare.h"
#include "html/report.h"
#include "terminal/terminal.h"

static struct two_runs pair;

static char *text_of(int width, bool verbose, bool quiet) {
  struct capture capture;
  const struct compare_look look = {.width = width, .utf8 = true, .quiet = quiet, .verbose = verbose};
  compare_table_print(&pair.compare, capture_open(&capture), &look);
  return capture_close(&capture);
}

static char *markdown(void) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(compare_markdown_write(&pair.compare, capture_open(&capture), &err), 0);
  return capture_close(&capture);
}

static char *page(void) {
  struct capture capture;
  struct err err = {0};
  ASSERT_EQ_INT(compare_html_write(&pair.compare, capture_open(&capture), &err), 0);
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

/* Makes a typical pull request: one kernel slower, one faster, one broken, one repaired, one gone, one new. */
static void open_pull_request(void) {
  pair_open(&pair);
  pair_set(&pair.base, "run_id", "20261120T071503Z-attention");
  for (size_t i = 0; i < 15; i++) {
    record_set(&pair.base.records[i].plugin_sha256, "3f2c1a9b8d7e6f50");
    record_set(&pair.other.records[i].plugin_sha256, "9d1e77aa00c4b2f1");
    record_set(&pair.other.records[i].plugin_version, "0.1.1");
  }
  pair_scale(&pair.other.records[1], 1.097);
  pair_scale(&pair.other.records[8], 1 / 1.43);
  pair_scale(&pair.other.records[4], 1.012);
  record_set(&pair.other.records[4].conditions, "throttled in 12% of rounds: power cap");
  record_set(&pair.other.records[2].math, "fp8");
  sample_unusual(&pair.other.records[11], "wrong", "out[1032, 7]: 0.173 where float64 has 0.161");
  sample_unusual(&pair.base.records[13], "crashed", "SIGSEGV in 'run'");
  record_set(&pair.base.records[14].variant, "old");
  pairs_add_text(&pair.base.tags, "commit", "1a2b3c4");
  pairs_add_text(&pair.other.tags, "commit", "5d6e7f8");
  pair_compare(&pair);
}

static void a_mode_is_a_word_of_its_own(void) {
  open_pull_request();
  record_set(&pair.base.records[0].mode, "hot");
  record_set(&pair.other.records[0].mode, "hot");
  pair_compare(&pair);
  char *md = markdown();
  ASSERT_HAS(md, "] old cold\n");
  free(md);
  pair_close(&pair);
}

static void looks_as_it_should(void) {
  open_pull_request();
  char *text = text_of(120, false, false), *md = markdown(), *html = page();
  assert_golden("compare.txt", text);
  assert_golden("compare.md", md);
  assert_golden("compare_body.html", strstr(html, "</style>"));
  keep("compare", html);
  free(text);
  free(md);
  free(html);
  text = text_of(80, true, false);
  assert_golden("compare_verbose_80.txt", text);
  free(text);
  text = text_of(80, false, true);
  ASSERT_EQ_INT(count_of(text, "\n"), 1);
  free(text);
  pair_close(&pair);
}

static void runs_that_are_not_alike_have_a_banner(void) {
  open_pull_request();
  pair_set(&pair.other, "driver", "590.10");
  pair_set(&pair.other, "power_limit_w", "500");
  pair_compare(&pair);
  char *text = text_of(120, false, false), *md = markdown(), *html = page();
  assert_golden("compare_unlike.txt", text);
  assert_golden("compare_unlike.md", md);
  keep("compare_unlike", html);
  ASSERT_HAS(html, "The runs are not alike");
  ASSERT_HAS(html, "<td>580.65.06</td><td>590.10</td>");
  ASSERT_HAS(html, "<td>700 W</td><td>500 W</td>");
  ASSERT_EQ_INT(count_of(strstr(html, "<tbody>"), "class=\"slower\""), 0);
  ASSERT_EQ_INT(count_of(text, "slower"), 0);
  ASSERT_EQ_INT(count_of(md, "slower"), 0);
  free(text);
  free(md);
  free(html);
  pair_close(&pair);
}

/* A ratio that is not judged never looks like a verdict. */
static void what_is_not_judged_looks_so(void) {
  pair_open(&pair);
  pair_scale(&pair.other.records[1], 1.3);
  pair.other.records[1].contended = 1;
  pair_compare(&pair);
  char *text = text_of(120, false, false), *md = markdown(), *html = page();
  keep("compare_unjudged", html);
  ASSERT_HAS(text, "]  busy machine\n");
  ASSERT_HAS(md, "] | busy machine |");
  ASSERT_HAS(html, "<span class=\"badge bad\"><span aria-hidden=\"true\">\xE2\x80\x93</span> not all judged</span>");
  ASSERT_HAS(html, " <span class=\"soft\">busy machine</span>");
  ASSERT_HAS(html, "] busy machine</title>");
  ASSERT_HAS(html, "hollow marks are not judged");
  ASSERT_EQ_INT(count_of(html, "fill=\"none\" stroke-width=\"2\""), 1);
  free(text);
  free(md);
  free(html);
  pair_close(&pair);
}

/* ---- Hostile text -------------------------------------------------------------------------------------------- */

static void open_hostile(void) {
  pair = (struct two_runs){.options = {.threshold = 0.02}};
  sample_hostile(&pair.base);
  sample_hostile(&pair.other);
  for (size_t i = 0; i < 15; i++) {
    record_set(&pair.base.records[i].provider, SAMPLE_HOSTILE);
    record_set(&pair.other.records[i].provider, SAMPLE_HOSTILE);
    record_set(&pair.other.records[i].plugin_version, "`|` " SAMPLE_HOSTILE);
    record_set(&pair.other.records[i].conditions, SAMPLE_HOSTILE);
    if (i % 3 == 2)
      record_set(&pair.base.records[i].case_key, "a|b`c``d\n\n# heading\n| x | y |\n@someone www.example.com");
    if (i % 3 == 2) record_set(&pair.other.records[i].case_key, pair.base.records[i].case_key);
    if (i % 3 == 0) record_set(&pair.base.records[i].mode, "a`|`b\\");
    if (i % 3 == 0) record_set(&pair.other.records[i].mode, "a`|`b\\");
  }
  record_set(&pair.base.records[3].case_key, SAMPLE_HOSTILE "only");
  pair_set(&pair.other, "driver", "`|`<b>" SAMPLE_HOSTILE);
  pair_set(&pair.other, "kernel", "`|`<b>" SAMPLE_HOSTILE);
  pair_compare(&pair);
}

static void hostile_text_is_inert_on_a_terminal(void) {
  open_hostile();
  for (int width = 40; width <= 160; width += 40) {
    char *text = text_of(width, true, false);
    for (const char *s = text; *s != '\0'; s++)
      if ((unsigned char)*s < 0x20 && *s != '\n') UNIT_FAIL("control character %d in %s", *s, text);
    ASSERT_TRUE(strstr(text, "\xE2\x80\xAE") == NULL);
    ASSERT_TRUE(strstr(text, "\n# heading") == NULL);
    free(text);
  }
  pair_close(&pair);
}

static void hostile_text_is_inert_in_html(void) {
  open_hostile();
  char *html = page();
  const char *body = strstr(html, "</style>");
  static const char *const never[] = {"<script", "<svg onload", "<img", "<b>\"", "\xE2\x80\xAE", "\x1b", "\xff"};
  for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
    if (strstr(body, never[i]) != NULL) UNIT_FAIL("'%s' is in the page", never[i]);
  ASSERT_HAS(body, "&lt;script&gt;");
  keep("compare_hostile", html);
  free(html);
  pair_close(&pair);
}

/* Returns the number of '|' in a line of a table at which GitHub splits it into cells. A '|' in a code span counts,
 * too. */
static size_t bars(const char *line, size_t length) {
  size_t count = 0;
  for (size_t i = 0; i < length; i++)
    count += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
  return count;
}

/* Checks that none of the texts in `never` occurs outside of code spans, which here always begin and end with one
 * backtick. */
static void assert_outside_code(const char *text, const char *const *never, size_t count) {
  char *outside = xcalloc(strlen(text) + 1, 1), *to = outside;
  bool inside = false;
  for (const char *s = text; *s != '\0'; s++) {
    if (*s == '\n' && inside) UNIT_FAIL("a code span runs into the next line: %.80s", s - 40);
    if (*s == '`') inside = !inside;
    if (!inside) *to++ = *s;
  }
  for (size_t i = 0; i < count; i++)
    if (strstr(outside, never[i]) != NULL) UNIT_FAIL("'%s' is outside of code", never[i]);
  free(outside);
}

static void hostile_text_is_inert_in_markdown(void) {
  static const char *const never[] = {"<script",         "<svg",        "<b>",         "@someone",
                                      "www.example.com", "\n# heading", "javascript:", "\x1b"};
  open_hostile();
  char *md = markdown();
  size_t table = 0;
  for (const char *line = md; *line != '\0'; line += strcspn(line, "\n") + (line[strcspn(line, "\n")] != '\0')) {
    if (line[0] != '|') continue;
    size_t count = bars(line, strcspn(line, "\n"));
    if (table == 0) table = count;
    if (count != table) UNIT_FAIL("%zu bars instead of %zu: %.200s", count, table, line);
  }
  ASSERT_TRUE(table > 6);
  assert_outside_code(md, never, sizeof never / sizeof never[0]);
  free(md);
  pair_close(&pair);
}

/* ---- Sizes --------------------------------------------------------------------------------------------------- */

static size_t longest_line(const char *text) {
  size_t longest = 0;
  for (const char *line = text; *line != '\0';) {
    size_t length = strcspn(line, "\n");
    char *copy = strndup(line, length);
    if (grid_text_width(copy) > longest) longest = grid_text_width(copy);
    free(copy);
    line += length + (line[length] != '\0');
  }
  return longest;
}

static void the_table_keeps_to_the_width(void) {
  open_pull_request();
  for (int width = 60; width <= 120; width += 20) {
    char *text = text_of(width, false, false), *table = strstr(text, "\ncase");
    if (table == NULL) UNIT_FAIL("no table:\n%s", text);
    if (table == NULL) continue;
    *strstr(table, "\n\n") = '\0';
    if (longest_line(table) > (size_t)width) UNIT_FAIL("wider than %d:\n%s", width, table);
    ASSERT_HAS(table, "0.912x");
    free(text);
  }
  pair_close(&pair);
}

/* Makes rows with different keys, of which a few differ between the runs. */
static void open_many(size_t count) {
  pair_open(&pair);
  struct run_data *sides[] = {&pair.base, &pair.other};
  for (size_t s = 0; s < 2; s++) {
    struct record *rows = xcalloc(count, sizeof *rows);
    for (size_t i = 0; i < count; i++) {
      char key[64];
      sample_row(&rows[i], 0, 0, false);
      snprintf(key, sizeof key, "attention/forward[b=%zu]", i);
      record_set(&rows[i].case_key, key);
      snprintf(key, sizeof key, "b=%zu", i);
      record_set(&rows[i].axes, key);
      record_set(&rows[i].preset, NULL);
      if (s == 1 && i % 1000 == 7) pair_scale(&rows[i], 1.2);
    }
    for (size_t i = 0; i < sides[s]->count; i++)
      record_free(&sides[s]->records[i]);
    free(sides[s]->records);
    sides[s]->records = rows;
    sides[s]->count = count;
  }
  pair_compare(&pair);
}

static void many_rows_are_folded(void) {
  open_many(5000);
  char *text = text_of(100, false, false), *md = markdown(), *html = page(), *all = text_of(100, true, false);
  ASSERT_HAS(text, "5 of 5000 slower by more than 2%: standard at b=7 by 20.0%");
  ASSERT_HAS(text, " and 2 more; 4995 same.");
  ASSERT_HAS(text, "and 4960 more rows (4960 same); -v shows them");
  ASSERT_TRUE(count_of(text, "\n") < 60);
  ASSERT_HAS(md, "and 4900 more rows (4900 same)");
  ASSERT_TRUE(strlen(md) < 65536);
  ASSERT_EQ_INT(count_of(html, "<tr><th scope=\"row\" title="), COMPARE_HTML_ROWS);
  ASSERT_HAS(html, "and 3000 more rows (3000 same)");
  ASSERT_TRUE(strlen(html) < 3000000);
  ASSERT_TRUE(count_of(all, "\n") > 5000);
  free(text);
  free(md);
  free(html);
  free(all);
  pair_close(&pair);
}

UNIT_MAIN("compare_output", UNIT_TEST(looks_as_it_should), UNIT_TEST(a_mode_is_a_word_of_its_own),
          UNIT_TEST(runs_that_are_not_alike_have_a_banner), UNIT_TEST(what_is_not_judged_looks_so),
          UNIT_TEST(hostile_text_is_inert_on_a_terminal), UNIT_TEST(hostile_text_is_inert_in_html),
          UNIT_TEST(hostile_text_is_inert_in_markdown), UNIT_TEST(the_table_keeps_to_the_width),
          UNIT_TEST(many_rows_are_folded))
