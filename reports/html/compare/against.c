/* Writes how a run compares with a baseline run (an earlier run) into the HTML report: a line on the first screen, a
 * line in each cell of the first table of results of a bench, a table for each bench, and a part about the baseline
 * run. */

#include "base/escape.h"
#include "compare/compare.h"
#include "html/page.h"
#include "summary/bench.h"

enum { UNMATCHED_MAX = 500 };

/* ---- The first screen ---------------------------------------------------------------------------------------- */

void html_differences(FILE *out, const char *region, const char *caption, const char *other,
                      const struct against *against, bool counting) {
  const size_t from = counting ? 0 : against->unlike_count;
  const size_t to = counting ? against->unlike_count : against->difference_count;
  if (from == to) return;
  html_table_begin(out, "pairs", region, caption);
  html_head(out, "what");
  html_head(out, "base");
  html_head(out, other);
  html_table_rows(out);
  for (size_t i = from; i < to; i++) {
    html_row(out, against->differences[i].what);
    html_cell(out, against->differences[i].base);
    html_cell(out, against->differences[i].other);
    fputs("</tr>\n", out);
  }
  html_table_close(out);
}

void html_unlike(FILE *out, bool judged, const char *also) {
  if (judged) fputs("<p>They are judged anyway, as <code class=\"line\">--force</code> asks.</p>\n", out);
  if (!judged)
    fprintf(out, "<p>Ratios are shown without verdicts%s. <code class=\"line\">--force</code> judges anyway.</p>\n",
            also);
}

void html_unmatched(FILE *out, const char *heading, const struct against *against, enum against_outcome outcome) {
  size_t shown = 0;
  if (against->outcomes[outcome] == 0) return;
  fprintf(out, "%s<ul>\n", heading);
  for (size_t i = 0; i < against->count && shown < UNMATCHED_MAX; i++) {
    const struct against_row *row = &against->rows[i];
    if (row->outcome != outcome) continue;
    shown++;
    html_key(out, row->case_key, row->variant, row->mode);
  }
  fputs("</ul>\n", out);
  if (shown < against->outcomes[outcome]) fprintf(out, "<p>and %zu more</p>\n", against->outcomes[outcome] - shown);
}

/* Writes a caption, with the run's name if there are several runs, because the regions of a page need different
 * names. */
static void caption_of(const struct page *page, size_t run, const char *what, char *to, size_t size) {
  bool several = page->data->run_count > 1;
  snprintf(to, size, "%s%s%.120s", what, several ? ": " : "", several ? run_data_run_name(page->data, run).text : "");
}

static void write_unlike_baseline(const struct page *page, size_t run) {
  const struct against *against = page->data->runs[run].against;
  FILE *out = page->out;
  char caption[TEXT_SIZE];
  if (against->unlike_count == 0) return;
  xml_print(out,
            "<section class=\"failures\" aria-label=\"Not alike: %.80s\">\n<h2>This run and %.200s are not "
            "alike</h2>\n",
            against_fact(against, "run_id"), against_fact(against, "run_id"));
  html_unlike(out, against_is_judged(against), "");
  caption_of(page, run, "Not alike", caption, sizeof caption);
  html_differences(out, caption, caption, "here", against, true);
  fputs("</section>\n", out);
}

void html_against_badge(FILE *out, enum against_verdict verdict) {
  const char *glyph = verdict == AGAINST_CLEAR       ? "\xE2\x9C\x93"
                      : verdict == AGAINST_SLOWER    ? "\xE2\x96\xBC"
                      : verdict == AGAINST_INCORRECT ? "\xE2\x9C\x97"
                                                     : "\xE2\x80\x93";
  fprintf(out, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> %s</span>",
          verdict == AGAINST_CLEAR ? "good" : "bad", glyph, against_verdict_name(verdict));
}

static void write_outcome(const struct page *page, size_t run) {
  const struct against *against = page->data->runs[run].against;
  FILE *out = page->out;
  fputs("<p class=\"trust\"><b>Against</b> ", out);
  html_against_badge(out, against_verdict(against));
  fputc(' ', out);
  if (page->data->run_count > 1) xml_print(out, "%s against ", run_data_run_name(page->data, run).text);
  xml_print(out, "%s (not interleaved with this run): %s <a href=\"#against\">Details</a></p>\n",
            against_fact(against, "run_id"), against_fact(against, "sentence"));
}

void html_against_first(const struct page *page) {
  for (size_t i = 0; i < page->data->run_count; i++) {
    if (page->data->runs[i].against == NULL) continue;
    write_outcome(page, i);
    write_unlike_baseline(page, i);
  }
}

/* ---- In the cells ----------------------------------------------------------------------------------------------- */

static void write_verdict_word(FILE *out, const struct against *against, const struct against_row *row) {
  struct verdict_look look = verdict_look(stats_verdict_name(row->word), true);
  if (look.word[0] == '\0' && row->gap != GAP_UNLIKE)
    html_put(out, " <span class=\"soft\">", gap_name(row->gap), "</span>");
  if (look.word[0] == '\0') return;
  xml_print(out, " <span class=\"%s line\"><span aria-hidden=\"true\">%s</span>%s</span>", look.word, look.glyph,
            against_word(against, row).text);
}

/* Returns a text for a row that has no ratio, besides the row's status and message. */
static const char *words_without_ratio(const struct against_row *row, const struct record *record) {
  switch (row->outcome) {
    case AGAINST_ONLY_HERE:
      return "new";
    case AGAINST_BROKEN:
      return "was correct";
    case AGAINST_FIXED:
    case AGAINST_UNTIMED:
      return row_status_of(record) == ROW_OK ? row->note : "";
    default:
      return "";
  }
}

/* Writes the comparison, "vs last 1.013x faster [1.010, 1.016]", below the row's own figures. */
void html_against_cell(const struct page *page, const struct record *record) {
  const struct against_row *row = against_row_of(page->data, record);
  FILE *out = page->out;
  if (row == NULL || (row->outcome != AGAINST_BOTH && words_without_ratio(row, record)[0] == '\0')) return;
  xml_print(out, "<br><span class=\"minor against\">%s", against_head(page->data).text);
  if (row->outcome == AGAINST_BOTH) {
    fprintf(out, " %s", against_ratio(row).text);
    write_verdict_word(out, against_of(page->data, record), row);
    fprintf(out, " <span class=\"line\">%s</span></span>", against_interval(row).text);
  } else {
    xml_print(out, ": %.160s</span>", words_without_ratio(row, record));
  }
}

/* ---- A table of each bench ----------------------------------------------------------------------------------- */

static void write_baseline_row(const struct page *page, size_t index, const struct run_case *point,
                               const struct record *record, const struct against_row *row) {
  FILE *out = page->out;
  const struct page_bench *of = &page->benches[index];
  html_row(out, bench_case_label(&of->bench, point, false).text);
  html_words(out, record->variant);
  html_number(out, row->base_ns / of->unit.ns, 4);
  html_number(out, row->ns / of->unit.ns, 4);
  html_cell(out, against_ratio(row).text);
  html_cell(out, against_interval(row).text);
  fputs("<td class=\"t\">", out);
  write_verdict_word(out, against_of(page->data, record), row);
  fputs("</td>", out);
  fputs("<td>", out);
  if (row->base_restarts != 0 || row->restarts != 0)
    fprintf(out, "%llu, %llu", (unsigned long long)row->base_restarts, (unsigned long long)row->restarts);
  fputs("</td>", out);
  html_words(out, against_note(row));
  fputs("</tr>\n", out);
}

static size_t answers(const struct page *page, const struct run_bench *bench) {
  size_t count = 0;
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    count += against_row_of(page->data, at.row) != NULL;
  return count;
}

static void write_baseline_heads(FILE *out, const char *unit) {
  html_head(out, "case");
  html_head_words(out, "variant");
  fprintf(out, "<th scope=\"col\">base, %s</th><th scope=\"col\">here, %s</th>", unit, unit);
  html_head(out, "speedup");
  html_head(out, "[95%]");
  html_head_words(out, "verdict");
  fputs("<th scope=\"col\" title=\"processes in the base, and here\">restarts</th>", out);
  html_head_words(out, "to be known");
  html_table_rows(out);
}

void html_against_table(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  FILE *out = page->out;
  char caption[TEXT_SIZE + 64], region[KEY_SIZE + TEXT_SIZE + 80];
  if (answers(page, bench) == 0) return;
  snprintf(caption, sizeof caption, "%s, not interleaved", against_head(page->data).text);
  snprintf(region, sizeof region, "%s: %s", html_bench_name(page, index).text, caption);
  html_table_begin(out, "all", region, caption);
  write_baseline_heads(out, page->benches[index].unit.name);
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);) {
    const struct against_row *row = against_row_of(page->data, at.row);
    if (row != NULL) write_baseline_row(page, index, at.point, at.row, row);
  }
  html_table_close(out);
}

/* ---- About the baseline run ------------------------------------------------------------------------------------- */

static void write_baseline_run(const struct page *page, size_t run) {
  const struct against *against = page->data->runs[run].against;
  FILE *out = page->out;
  char caption[TEXT_SIZE];
  const size_t *outcomes = against->outcomes;
  const size_t both = against->count - outcomes[AGAINST_ONLY_BASE] - outcomes[AGAINST_ONLY_HERE];
  xml_print(out, "<p>%s. %zu row%s in both, %zu only in the base, %zu only here.</p>\n", against_fact(against, "base"),
            both, both == 1 ? "" : "s", outcomes[AGAINST_ONLY_BASE], outcomes[AGAINST_ONLY_HERE]);
  html_list(out, &against->notes);
  caption_of(page, run, "What else differs", caption, sizeof caption);
  html_differences(out, caption, caption, "here", against, false);
  if (outcomes[AGAINST_ONLY_BASE] == 0) return;
  fprintf(out, "<details><summary>%zu only in the base</summary>\n", outcomes[AGAINST_ONLY_BASE]);
  html_unmatched(out, "", against, AGAINST_ONLY_BASE);
  fputs("</details>\n", out);
}

void html_against(const struct page *page) {
  FILE *out = page->out;
  if (!against_any(page->data)) return;
  html_part_open(out, "against", "Compared with a stored run");
  for (size_t i = 0; i < page->data->run_count; i++) {
    if (page->data->runs[i].against == NULL) continue;
    if (page->data->run_count > 1) html_put(out, "<h3>", run_data_run_name(page->data, i).text, "</h3>\n");
    write_baseline_run(page, i);
  }
  fputs(
      "<p class=\"minor\">Not interleaved: the two runs were measured at different times, so the restart is the unit, "
      "as in <code class=\"line\">gpubench compare</code>: each process counts once, and noise between processes "
      "is measured from 3 of them on, else assumed. Speedup is the base's time divided by the time here. A verdict "
      "with "
      "a percentage: the change is surely beyond it.</p>\n",
      out);
  html_part_close(out);
}
