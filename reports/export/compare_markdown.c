/* Writes comparisons of runs as Markdown: the output of `gpubench compare`, and the section of a run's Markdown about
 * its comparison with an earlier run (--against). */

#include "base/escape.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "compare/words.h"
#include "export/export.h"
#include "summary/bench.h"

enum { ONLY_MAX = 20 };

/* ---- What both outputs contain ---- */

/* Writes differences between two runs: if `counting`, those that make the runs too unlike for verdicts, otherwise the
 * rest. `label`: the compared run, or NULL. */
static void list_differences(const char *before, const char *label, const struct against *against, bool counting,
                             FILE *out) {
  const size_t end = counting ? against->unlike_count : against->difference_count;
  for (size_t i = counting ? 0 : against->unlike_count; i < end; i++) {
    const struct against_difference *difference = &against->differences[i];
    fputs(before, out);
    if (label != NULL) markdown_print(out, "%s, ", label);
    markdown_print(out, "%s: %s \xE2\x86\x92 %s\n", difference->what, difference->base, difference->other);
  }
}

/* Begins the list of differences that make the runs too unlike for verdicts. If `judged`, says that
 * there are verdicts anyway; otherwise says that there are none, and adds `also`. */
static void warn_of_unlike(bool judged, const char *also, FILE *out) {
  fputs("> **Not alike", out);
  if (judged) fputs("; judged anyway, because of `--force`", out);
  if (!judged) fprintf(out, ": ratios are shown without verdicts%s (`--force` judges anyway)", also);
  fputs("**\n>\n", out);
}

/* Writes the beginning of a row: its names (NULL for a column that the table lacks), and its time in the base. */
static void begin_compared_row(FILE *out, const char *const *names, size_t count, double base_ns) {
  fputc('|', out);
  for (size_t i = 0; i < count; i++)
    if (names[i] != NULL) markdown_print(out, " %s |", names[i]);
  fprintf(out, " %s |", number_time(base_ns).text);
}

/* Writes the cells of ratio and verdict. `row` NULL: the run has no such row. `brief`: the verdict names the threshold,
 * "slower >2%", as in the other tables of a run. */
static void write_compared_cell(const struct against *against, const struct against_row *row, bool brief, FILE *out) {
  const char *note = against_note(row);
  if (row == NULL || row->outcome != AGAINST_BOTH) {
    const bool broken = row != NULL && row->outcome == AGAINST_BROKEN;
    markdown_print(out, broken ? " | \xE2\x9C\x97 **%s** |" : " | %s |", note);
    return;
  }
  const struct verdict_look look = verdict_look(stats_verdict_name(row->word), true);
  const struct text judgement = against_judgement(against, row);
  const char *word = brief || look.word[0] == '\0' ? judgement.text : look.word, *bold = row->beyond ? "**" : "";
  fprintf(out, " %s | %s%s", number_ratio_within(row->speedup, row->lo, row->hi).text, look.glyph, bold);
  markdown_print(out, "%s", word);
  fputs(bold, out);
  if (row->beyond && !brief) fprintf(out, ", over %s%%", against_fact(against, "threshold"));
  markdown_print(out, "%s%s |", word[0] != '\0' && note[0] != '\0' ? "; " : "", note);
}

/* ---- --against ---- */

static void write_against_rows(const struct against *against, FILE *out) {
  size_t here = against->count - against->outcomes[AGAINST_ONLY_BASE], shown = 0;
  if (here == 0) return;
  fputs("| case | variant | mode | base | here | speedup [95%] | |\n|---|---|---|---:|---:|---|---|\n", out);
  for (size_t i = 0; i < against->count && shown < COMPARE_MARKDOWN_ROWS; i++) {
    const struct against_row *row = &against->rows[i];
    if (row->outcome == AGAINST_ONLY_BASE) continue;
    begin_compared_row(out, (const char *const[]){row->case_key, row->variant, row->mode}, 3, row->base_ns);
    fprintf(out, " %s |", number_time(row->ns).text);
    write_compared_cell(against, row, true, out);
    fputc('\n', out);
    shown++;
  }
  fputc('\n', out);
  if (shown < here) fprintf(out, "and %zu more rows\n\n", here - shown);
}

void against_markdown(const struct run_data *data, size_t run, FILE *out) {
  const struct against *against = data->runs[run].against;
  if (against == NULL) return;
  markdown_print(out, "### %s%sagainst %s, not interleaved\n\n%s\n\n",
                 data->run_count > 1 ? run_data_run_name(data, run).text : "", data->run_count > 1 ? " " : "",
                 against_fact(against, "run_id"), against_fact(against, "sentence"));
  if (against->unlike_count != 0) {
    warn_of_unlike(against_is_judged(against), "", out);
    list_differences("> - ", NULL, against, true, out);
    fputc('\n', out);
  }
  write_against_rows(against, out);
  if (against->outcomes[AGAINST_ONLY_BASE] + against->outcomes[AGAINST_ONLY_HERE] != 0)
    fprintf(out, "%zu only in the base, %zu only here.\n\n", against->outcomes[AGAINST_ONLY_BASE],
            against->outcomes[AGAINST_ONLY_HERE]);
}

/* ---- The table of `gpubench compare` ---- */

static void write_heading(const struct compare *compare, FILE *out) {
  bool one = compare->run_count == 1;
  fprintf(out, "\n|%s case | variant |%s%s base |%s", compare->many_benches ? " bench |" : "",
          compare->many_modes ? " mode |" : "", compare->many_devices ? " device |" : "", one ? " new |" : "");
  if (one) fputs(" speedup [95%] | |", out);
  for (size_t i = 0; i < compare->run_count && !one; i++)
    markdown_print(out, " %s | |", compare->runs[i].label);
  fprintf(out, "\n|%s---|---|%s%s---:|%s", compare->many_benches ? "---|" : "", compare->many_modes ? "---|" : "",
          compare->many_devices ? "---|" : "", one ? "---:|" : "");
  for (size_t i = 0; i < compare->run_count; i++)
    fputs("---|---|", out);
  fputc('\n', out);
}

static void write_compared_row(const struct compare *compare, const struct compare_row *row, FILE *out) {
  const struct record *base = row->base;
  const char *const names[] = {compare->many_benches ? text_or_empty(base->bench) : NULL, row->label,
                               text_or_empty(base->variant), compare->many_modes ? text_or_empty(base->mode) : NULL,
                               compare->many_devices ? text_or_empty(base->devices) : NULL};
  begin_compared_row(out, names, sizeof names / sizeof names[0], row->base_ns);
  if (compare->run_count == 1) fprintf(out, " %s |", number_time(row->cells[0].shown->ns).text);
  for (size_t i = 0; i < compare->run_count; i++)
    write_compared_cell(compare->runs[i].against, row->cells[i].shown, false, out);
  fputc('\n', out);
}

static void write_compared_rows(const struct compare *compare, FILE *out) {
  size_t shown = compare->row_count < COMPARE_MARKDOWN_ROWS ? compare->row_count : COMPARE_MARKDOWN_ROWS;
  char rest[160];
  if (shown == 0) return;
  write_heading(compare, out);
  for (size_t i = 0; i < shown; i++)
    write_compared_row(compare, &compare->rows[i], out);
  if (shown == compare->row_count) return;
  compare_rest(compare, shown, rest, sizeof rest);
  fprintf(out, "\nand %zu more rows (%s)\n", compare->row_count - shown, rest);
}

/* ---- Before and after that table ---- */

static void list_unmatched_rows(const struct compare *compare, const struct against *against,
                                enum against_outcome outcome, const char *where, FILE *out) {
  size_t count = 0;
  for (size_t i = 0; i < against->count; i++) {
    const struct against_row *row = &against->rows[i];
    if (row->outcome != outcome || count++ >= ONLY_MAX) continue;
    markdown_print(out, "- only in %s: %s %s%s%s\n", where, row->case_key, row->variant, compare->many_modes ? " " : "",
                   compare->many_modes ? row->mode : "");
  }
  if (count > ONLY_MAX) fprintf(out, "- and %zu more only in %s\n", count - ONLY_MAX, where);
}

static void write_unmatched_rows(const struct compare *compare, const struct compare_run *run, FILE *out) {
  const size_t *outcomes = run->against->outcomes;
  if (outcomes[AGAINST_ONLY_BASE] + outcomes[AGAINST_ONLY_HERE] == 0) return;
  fprintf(out, "\n<details><summary>%zu only in base, %zu only in new</summary>\n\n", outcomes[AGAINST_ONLY_BASE],
          outcomes[AGAINST_ONLY_HERE]);
  if (compare->run_count > 1) markdown_print(out, "%s\n\n", run->label);
  list_unmatched_rows(compare, run->against, AGAINST_ONLY_BASE, "base", out);
  list_unmatched_rows(compare, run->against, AGAINST_ONLY_HERE, "new", out);
  fputs("\n</details>\n", out);
}

static void list_all_differences(const struct compare *compare, bool counting, FILE *out) {
  for (size_t i = 0; i < compare->run_count; i++)
    list_differences(counting ? "> - " : "- ", compare->run_count > 1 ? compare->runs[i].label : NULL,
                     compare->runs[i].against, counting, out);
}

static void write_run_line(const char *what, const char *label, const struct run_data *data,
                           const struct compare_range *restarts, FILE *out) {
  SCOPED char *line = compare_run_line(label, data, restarts);
  markdown_print(out, "- %s: %s\n", what, line);
}

int compare_markdown_write(const struct compare *compare, FILE *out, struct err *err) {
  SCOPED_STRINGS struct strings notes = {0};
  for (size_t i = 0; i < compare->run_count; i++) {
    fputs(i == 0 ? "### gpubench: " : "\n### ", out);
    markdown_print(out, "%s\n", against_fact(compare->runs[i].against, "sentence"));
  }
  if (compare_unlike(compare)) {
    fputc('\n', out);
    warn_of_unlike(compare_judged(compare), ", and a gate does not pass", out);
    list_all_differences(compare, true, out);
  }
  write_compared_rows(compare, out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_unmatched_rows(compare, &compare->runs[i], out);
  fputs("\nSpeedup is base time / new time: above 1 is faster.\n\n", out);
  write_run_line("base", compare->base_label, compare->base, &compare->runs[0].base_restarts, out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_run_line("new", compare->runs[i].label, compare->runs[i].data, &compare->runs[i].restarts, out);
  list_all_differences(compare, false, out);
  compare_notes(compare, true, &notes);
  for (size_t i = 0; i < notes.count; i++)
    markdown_print(out, "- %s\n", notes.items[i]);
  return output_end(out, "the comparison", err);
}
