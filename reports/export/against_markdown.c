/* The Markdown part of --against. */
#include "export/compare.h"

#include "base/escape.h"
#include "base/number.h"
#include "summary/verdict.h"

enum { ROWS_MAX = 100 };

static void write_heading(const struct run_data *data, size_t run, FILE *out) {
  const struct against *against = data->runs[run].against;
  char name[TEXT_SIZE];
  run_data_run_name(data, run, name, sizeof name);
  fputs("### ", out);
  if (data->run_count > 1) escape_markdown_printf(out, "%s ", name);
  escape_markdown_printf(out, "against %s", against_fact(against, "run_id"));
  fputs(", not interleaved\n\n", out);
  escape_markdown(out, against_fact(against, "sentence"));
  fputs("\n\n", out);
}

static void write_unlike(const struct against *against, FILE *out) {
  if (against->unlike_count == 0) return;
  fprintf(out, "> **Not alike%s**\n>\n",
          against_is_judged(against) ? "; judged anyway, because of `--force`"
                                     : ": ratios are shown without verdicts (`--force` judges anyway)");
  for (size_t i = 0; i < against->unlike_count; i++) {
    const struct against_difference *difference = &against->differences[i];
    fputs("> - ", out);
    escape_markdown_printf(out, "%s: %s", difference->what, difference->base);
    fputs(" \xE2\x86\x92 ", out);
    escape_markdown(out, difference->other);
    fputc('\n', out);
  }
  fputc('\n', out);
}

static void write_word(const struct against *against, const struct against_row *row, FILE *out) {
  struct verdict_look look = verdict_look(stats_verdict_name(row->word), true);
  const char *bold = row->beyond ? "**" : "", *note = row->fate == AGAINST_ONLY_HERE ? "only here" : row->note;
  char word[80];
  against_word_text(against, row, word, sizeof word);
  if (word[0] == '\0' && row->fate == AGAINST_BOTH && row->gap != GAP_UNLIKE)
    snprintf(word, sizeof word, "%s", gap_name(row->gap));
  fprintf(out, " %s%s", look.glyph, bold);
  escape_markdown(out, word);
  fputs(bold, out);
  if (note[0] != '\0') escape_markdown_printf(out, "%s%.400s", word[0] != '\0' ? "; " : "", note);
  fputs(" |\n", out);
}

static void write_row(const struct against *against, const struct against_row *row, FILE *out) {
  fputs("| ", out);
  escape_markdown(out, row->case_key);
  fputs(" | ", out);
  escape_markdown(out, row->variant);
  fputs(" | ", out);
  escape_markdown(out, row->mode);
  fputs(" |", out);
  fprintf(out, " %s | %s | %s %s |", number_time(row->base_ns).text, number_time(row->ns).text, against_ratio(row).text,
          against_interval(row).text);
  write_word(against, row, out);
}

static void write_rows(const struct against *against, FILE *out) {
  size_t here = against->count - against->fates[AGAINST_ONLY_BASE], shown = 0;
  if (here == 0) return;
  fputs("| case | variant | mode | base | here | speedup [95%] | |\n|---|---|---|---:|---:|---|---|\n", out);
  for (size_t i = 0; i < against->count && shown < ROWS_MAX; i++) {
    if (against->rows[i].fate == AGAINST_ONLY_BASE) continue;
    write_row(against, &against->rows[i], out);
    shown++;
  }
  fputc('\n', out);
  if (shown < here) fprintf(out, "and %zu more rows\n\n", here - shown);
}

void against_markdown(const struct run_data *data, size_t run, FILE *out) {
  const struct against *against = data->runs[run].against;
  if (against == NULL) return;
  write_heading(data, run, out);
  write_unlike(against, out);
  write_rows(against, out);
  if (against->fates[AGAINST_ONLY_BASE] + against->fates[AGAINST_ONLY_HERE] != 0)
    fprintf(out, "%zu only in the base, %zu only here.\n\n", against->fates[AGAINST_ONLY_BASE],
            against->fates[AGAINST_ONLY_HERE]);
}
