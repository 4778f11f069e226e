/* The table of a comparison's page, and how its sentences are made safe. */
#include <string.h>

#include "base/escape.h"
#include "base/number.h"
#include "html/compare.h"
#include "html/page.h"
#include "summary/summary.h"
#include "summary/verdict.h"

static void say_name(const struct compare_voice *voice, const char *text) {
  escape_xml(voice->out, text);
}

struct compare_voice compare_html_voice(FILE *out) {
  return (struct compare_voice){.out = out, .name = say_name, .utf8 = true};
}

static void write_columns(const struct compare *compare, FILE *out) {
  html_head(out, "case");
  if (compare->many_benches) html_head(out, "bench");
  html_head(out, "variant");
  if (compare->many_modes) html_head(out, "mode");
  if (compare->many_devices) html_head(out, "device");
  if (compare->run_count > 1) html_head(out, "base");
  for (size_t i = 0; i < compare->run_count; i++)
    html_head(out, compare->run_count == 1 ? "speedup" : compare->runs[i].label);
  if (compare->run_count == 1 && compare_restarts_vary(&compare->runs[0])) html_head(out, "restarts");
  html_table_rows(out);
}

/* On a narrow screen each cell is a line that begins with its label. */
static void open_cell(FILE *out, const char *label) {
  html_put(out, "<td data-label=\"", label, "\">");
}

static void write_text(FILE *out, const char *label, const char *text) {
  open_cell(out, label);
  escape_xml(out, text);
  fputs("</td>", out);
}

/* "[0.904, 0.920] . 143.2 us -> 157.1 us"; the base's time has a column where there are several runs. */
static void write_figures(const struct compare *compare, FILE *out, const struct compare_row *row,
                          const struct compare_cell *cell) {
  const struct number interval = number_interval(cell->ratio.lo95, cell->ratio.hi95, cell->ratio.speedup);
  fputs("<br><span class=\"minor line\">", out);
  if (interval.text[0] != '\0') fprintf(out, "%s \xC2\xB7 ", interval.text);
  if (compare->run_count == 1) fprintf(out, "%s \xE2\x86\x92 ", number_time(row->base->median_raw_ns).text);
  fprintf(out, "%s</span>", number_time(cell->row->median_raw_ns).text);
}

static void write_base(FILE *out, const struct record *base) {
  write_text(out, "base", row_timed(base) ? number_time(base->median_raw_ns).text : "");
}

static void write_status(FILE *out, const struct compare_row *row, const struct compare_cell *cell) {
  struct compare_voice voice = compare_html_voice(out);
  bool lost = cell->fate == AGAINST_LOST;
  fprintf(out, "<span class=\"%s reason\">", lost ? "bad" : "soft");
  if (lost) fputs("<span aria-hidden=\"true\">\xE2\x9C\x97 </span>", out);
  compare_status(&voice, row->base, cell);
  fputs("</span>", out);
}

static void write_ratio(const struct compare *compare, FILE *out, const struct compare_row *row,
                        const struct compare_cell *cell) {
  struct compare_voice voice = compare_html_voice(out);
  struct verdict_look look = verdict_look(stats_verdict_name(cell->word), true);
  fprintf(out, "<span class=\"line\"><span class=\"main\">%sx</span>",
          number_ratio(cell->ratio.speedup, cell->ratio.speedup).text);
  if (look.word[0] != '\0')
    fprintf(out, " <span class=\"%s\"><span aria-hidden=\"true\">%s</span>%s", look.word, look.glyph, look.word);
  if (look.word[0] == '\0' && cell->gap != GAP_UNLIKE)
    fprintf(out, " <span class=\"soft\">%s</span>", gap_name(cell->gap));
  if (cell->beyond) fprintf(out, ", over %g%%", 100 * compare->options.threshold);
  fputs(look.word[0] != '\0' ? "</span></span>" : "</span>", out);
  write_figures(compare, out, row, cell);
  if (!compare_marks(NULL, row->base, cell)) return;
  fputs("<br><span class=\"minor mark reason\">", out);
  compare_marks(&voice, row->base, cell);
  fputs("</span>", out);
}

static void write_cell(const struct compare *compare, FILE *out, size_t run, const struct compare_row *row) {
  const struct compare_cell *cell = &row->cells[run];
  open_cell(out, compare->run_count == 1 ? "speedup" : compare->runs[run].label);
  if (cell->fate == AGAINST_BOTH)
    write_ratio(compare, out, row, cell);
  else
    write_status(out, row, cell);
  fputs("</td>", out);
}

static void write_row(const struct compare *compare, FILE *out, const struct compare_row *row) {
  const struct compare_cell *cell = &row->cells[0];
  html_put(out, "<tr><th scope=\"row\" title=\"", row->base->case_key, "\">");
  escape_xml(out, row->label);
  fputs("</th>", out);
  if (compare->many_benches) write_text(out, "bench", row->base->bench);
  write_text(out, "variant", row->base->variant);
  if (compare->many_modes) write_text(out, "mode", row->base->mode);
  if (compare->many_devices) write_text(out, "device", row->base->devices);
  if (compare->run_count > 1) write_base(out, row->base);
  for (size_t i = 0; i < compare->run_count; i++)
    write_cell(compare, out, i, row);
  if (compare->run_count == 1 && compare_restarts_vary(&compare->runs[0])) {
    open_cell(out, "restarts");
    if (cell->fate == AGAINST_BOTH) fprintf(out, "%zu, %zu", cell->ratio.base_restarts, cell->ratio.other_restarts);
    fputs("</td>", out);
  }
  fputs("</tr>\n", out);
}

static void write_table(const struct compare *compare, size_t shown, FILE *out) {
  char rest[160];
  fputs("<div class=\"view\">\n", out);
  html_table_begin(out, "matrix", "Table of speedups",
                   "Speedup over the base, [95% interval] \xC2\xB7 time before and after; what needs attention first");
  write_columns(compare, out);
  for (size_t i = 0; i < shown; i++)
    write_row(compare, out, &compare->rows[i]);
  html_table_close(out);
  if (shown != compare->row_count) {
    compare_rest(compare, shown, rest, sizeof rest);
    fprintf(out, "<p class=\"fold\">and %zu more rows (%s)</p>\n", compare->row_count - shown, rest);
  }
  fputs("</div>\n", out);
}

void compare_html_table(const struct compare *compare, FILE *out) {
  size_t shown = compare->row_count < COMPARE_HTML_ROWS ? compare->row_count : COMPARE_HTML_ROWS;
  bool one = compare->run_count == 1;
  if (shown == 0) return;
  fputs("<section aria-labelledby=\"rows\">\n<h2 id=\"rows\">Rows in both</h2>\n", out);
  fputs(one ? "<div class=\"pair\">\n" : "<div class=\"charts\">\n", out);
  if (one) write_table(compare, shown, out);
  for (size_t i = 0; i < compare->run_count; i++)
    compare_html_chart(compare, i, out);
  fputs("</div>\n", out);
  if (!one) write_table(compare, shown, out);
  fputs("</section>\n", out);
}
