/* Writes comparisons as Markdown: the output of `gpubench compare`, and the section about --against in a run's
 * Markdown. */

#include "base/escape.h"
#include "base/number.h"
#include "base/output.h"
#include "compare/words.h"
#include "export/export.h"
#include "summary/bench.h"

enum { ROWS_MAX = 100 };

static void write_against_heading(const struct run_data *data, size_t run, FILE *out) {
  const struct against *against = data->runs[run].against;
  markdown_print(out, "### %s%sagainst %s, not interleaved\n\n%s\n\n",
                 data->run_count > 1 ? run_data_run_name(data, run).text : "", data->run_count > 1 ? " " : "",
                 against_fact(against, "run_id"), against_fact(against, "sentence"));
}

static void warn_of_unlike_base(const struct against *against, FILE *out) {
  if (against->unlike_count == 0) return;
  fprintf(out, "> **Not alike%s**\n>\n",
          against_is_judged(against) ? "; judged anyway, because of `--force`"
                                     : ": ratios are shown without verdicts (`--force` judges anyway)");
  for (size_t i = 0; i < against->unlike_count; i++) {
    const struct against_difference *difference = &against->differences[i];
    markdown_print(out, "> - %s: %s \xE2\x86\x92 %s\n", difference->what, difference->base, difference->other);
  }
  fputc('\n', out);
}

static void write_against_verdict(const struct against *against, const struct against_row *row, FILE *out) {
  struct verdict_look look = verdict_look(stats_verdict_name(row->word), true);
  const char *bold = row->beyond ? "**" : "", *note = row->outcome == AGAINST_ONLY_HERE ? "only here" : row->note;
  char word[80];
  against_word_text(against, row, word, sizeof word);
  if (word[0] == '\0' && row->outcome == AGAINST_BOTH && row->gap != GAP_UNLIKE)
    snprintf(word, sizeof word, "%s", gap_name(row->gap));
  fprintf(out, " %s%s", look.glyph, bold);
  markdown_print(out, "%s", word);
  fputs(bold, out);
  markdown_print(out, "%s%.400s |\n", word[0] != '\0' && note[0] != '\0' ? "; " : "", note);
}

static void write_against_rows(const struct against *against, FILE *out) {
  size_t here = against->count - against->outcomes[AGAINST_ONLY_BASE], shown = 0;
  if (here == 0) return;
  fputs("| case | variant | mode | base | here | speedup [95%] | |\n|---|---|---|---:|---:|---|---|\n", out);
  for (size_t i = 0; i < against->count && shown < ROWS_MAX; i++) {
    const struct against_row *row = &against->rows[i];
    if (row->outcome == AGAINST_ONLY_BASE) continue;
    markdown_print(out, "| %s | %s | %s |", row->case_key, row->variant, row->mode);
    fprintf(out, " %s | %s | %s %s |", number_time(row->base_ns).text, number_time(row->ns).text,
            against_ratio(row).text, against_interval(row).text);
    write_against_verdict(against, row, out);
    shown++;
  }
  fputc('\n', out);
  if (shown < here) fprintf(out, "and %zu more rows\n\n", here - shown);
}

void against_markdown(const struct run_data *data, size_t run, FILE *out) {
  const struct against *against = data->runs[run].against;
  if (against == NULL) return;
  write_against_heading(data, run, out);
  warn_of_unlike_base(against, out);
  write_against_rows(against, out);
  if (against->outcomes[AGAINST_ONLY_BASE] + against->outcomes[AGAINST_ONLY_HERE] != 0)
    fprintf(out, "%zu only in the base, %zu only here.\n\n", against->outcomes[AGAINST_ONLY_BASE],
            against->outcomes[AGAINST_ONLY_HERE]);
}

enum { ONLY_MAX = 20 };

static void write_escaped_name(FILE *out, const char *text) {
  escape_markdown(out, text[0] != '\0' ? text : "(empty)");
}

#define VOICE(out) (&(struct compare_voice){out, write_escaped_name})

/* ---- The table ---- */

static void write_heading(const struct compare *compare, FILE *out) {
  bool one = compare->run_count == 1;
  fprintf(out, "\n|%s case | variant |%s%s base |%s", compare->many_benches ? " bench |" : "",
          compare->many_modes ? " mode |" : "", compare->many_devices ? " device |" : "", one ? " new |" : "");
  for (size_t i = 0; i < compare->run_count; i++) {
    fputs(one ? " speedup [95%]" : " ", out);
    if (!one) compare_say(VOICE(out), "%s", compare->runs[i].label);
    fputs(" | |", out);
  }
  fprintf(out, "\n|%s---|---|%s%s---:|%s", compare->many_benches ? "---|" : "", compare->many_modes ? "---|" : "",
          compare->many_devices ? "---|" : "", one ? "---:|" : "");
  for (size_t i = 0; i < compare->run_count; i++)
    fputs("---|---|", out);
  fputc('\n', out);
}

static void write_compared_time(FILE *out, const struct record *row) {
  fprintf(out, " %s |", row != NULL && row_timed(row) ? number_time(row->median_raw_ns).text : "");
}

static void write_compared_cell(const struct compare *compare, const struct compare_row *row,
                                const struct compare_cell *cell, FILE *out) {
  char text[192];
  if (cell->outcome != AGAINST_BOTH) {
    fputs(cell->outcome == AGAINST_BROKEN ? " | \xE2\x9C\x97 **" : " | ", out);
    compare_status(VOICE(out), row->base, cell);
    fputs(cell->outcome == AGAINST_BROKEN ? "** |" : " |", out);
    return;
  }
  struct verdict_look look = verdict_look(stats_verdict_name(cell->word), true);
  compare_speedup(&cell->ratio, text, sizeof text);
  const char *word = look.word[0] != '\0' || cell->gap == GAP_UNLIKE ? look.word : gap_name(cell->gap);
  fprintf(out, " %s | %s%s%s%s", text, look.glyph, cell->beyond ? "**" : "", word, cell->beyond ? "**" : "");
  if (cell->beyond) fprintf(out, ", over %g%%", 100 * compare->options.threshold);
  if (compare_marks(NULL, row->base, cell)) {
    fputs(word[0] != '\0' ? "; " : "", out);
    compare_marks(VOICE(out), row->base, cell);
  }
  fputs(" |", out);
}

static void write_compared_row(const struct compare *compare, const struct compare_row *row, FILE *out) {
  const char *texts[] = {compare->many_benches ? text_or_empty(row->base->bench) : NULL, row->label,
                         text_or_empty(row->base->variant), compare->many_modes ? text_or_empty(row->base->mode) : NULL,
                         compare->many_devices ? text_or_empty(row->base->devices) : NULL};
  fputc('|', out);
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    if (texts[i] == NULL) continue;
    compare_say(VOICE(out), " %s |", texts[i]);
  }
  write_compared_time(out, row->base);
  if (compare->run_count == 1) write_compared_time(out, row->cells[0].row);
  for (size_t i = 0; i < compare->run_count; i++)
    write_compared_cell(compare, row, &row->cells[i], out);
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

/* ---- Before and after the table ---- */

static void list_run_differences(const struct compare *compare, bool counting, FILE *out) {
  for (size_t i = 0; i < compare->run_count; i++) {
    const struct compare_run *run = &compare->runs[i];
    for (size_t j = 0; j < run->differences.count; j++) {
      const struct against_difference *difference = &run->differences.items[j];
      if (difference->counts != counting) continue;
      fputs(counting ? "> - " : "- ", out);
      if (compare->run_count > 1) compare_say(VOICE(out), "%s, ", run->label);
      compare_say(VOICE(out), "%s: %s \xE2\x86\x92 %s\n", difference->what, difference->base, difference->other);
    }
  }
}

static void warn_of_unlike_runs(const struct compare *compare, FILE *out) {
  if (!compare_unlike(compare)) return;
  fprintf(out, "\n> **Not alike%s**\n>\n",
          compare_judged(compare)
              ? "; judged anyway, because of `--force`"
              : ": ratios are shown without verdicts, and a gate does not pass (`--force` judges anyway)");
  list_run_differences(compare, true, out);
}

static void list_unmatched_rows(const struct compare *compare, const char *where, const struct record *const *rows,
                                size_t count, FILE *out) {
  for (size_t i = 0; i < count && i < ONLY_MAX; i++) {
    compare_say(VOICE(out), "- only in %s: %s %s", where, text_or_empty(rows[i]->case_key),
                text_or_empty(rows[i]->variant));
    if (compare->many_modes) compare_say(VOICE(out), " %s", text_or_empty(rows[i]->mode));
    fputc('\n', out);
  }
  if (count > ONLY_MAX) fprintf(out, "- and %zu more only in %s\n", count - ONLY_MAX, where);
}

static void write_unmatched_rows(const struct compare *compare, const struct compare_run *run, FILE *out) {
  if (run->only_base_count == 0 && run->only_new_count == 0) return;
  fprintf(out, "\n<details><summary>%zu only in base, %zu only in new</summary>\n\n", run->only_base_count,
          run->only_new_count);
  if (compare->run_count > 1) compare_say(VOICE(out), "%s\n\n", run->label);
  list_unmatched_rows(compare, "base", run->only_base, run->only_base_count, out);
  list_unmatched_rows(compare, "new", run->only_new, run->only_new_count, out);
  fputs("\n</details>\n", out);
}

int compare_markdown_write(const struct compare *compare, FILE *out, struct err *err) {
  for (size_t i = 0; i < compare->run_count; i++) {
    fputs(i == 0 ? "### gpubench: " : "\n### ", out);
    compare_sentence(VOICE(out), compare, i);
    fputc('\n', out);
  }
  warn_of_unlike_runs(compare, out);
  write_compared_rows(compare, out);
  for (size_t i = 0; i < compare->run_count; i++)
    write_unmatched_rows(compare, &compare->runs[i], out);
  fputs("\nSpeedup is base time / new time: above 1 is faster.\n\n- base: ", out);
  compare_run_line(VOICE(out), compare->base_label, compare->base, &compare->runs[0].base_restarts);
  for (size_t i = 0; i < compare->run_count; i++) {
    fputs("\n- new: ", out);
    compare_run_line(VOICE(out), compare->runs[i].label, compare->runs[i].data, &compare->runs[i].restarts);
  }
  fputc('\n', out);
  list_run_differences(compare, false, out);
  compare_notes(VOICE(out), compare, "- ", "\n");
  return output_end(out, "the comparison", err);
}
