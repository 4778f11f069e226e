/* The terminal's part of --against. */
#include "terminal/against.h"

#include "summary/summary.h"
#include "summary/verdict.h"
#include "terminal/lines.h"

struct columns_ratio against_table_columns(struct grid *grid, const struct run_data *data) {
  char head[TEXT_SIZE];
  against_head(data, head, sizeof head);
  return columns_add_ratio(grid, head, 1);
}

void against_table_cells(struct grid *grid, const struct columns_ratio *at, const struct run_data *data,
                         const struct record *record, bool utf8) {
  const struct against_row *row = against_row_of(data, record);
  char word[80];
  if (row == NULL) return;
  if (row->fate == AGAINST_ONLY_HERE) {
    grid_set(grid, at->ratio, GRID_FAINT, "new");
    return;
  }
  if (row->fate != AGAINST_BOTH) {
    if (row->note[0] != '\0') grid_set(grid, at->ratio, GRID_FAINT, "\t%s", row->note);
    return;
  }
  struct verdict_look look = verdict_look(stats_verdict_name(row->word), utf8);
  against_word_text(against_of(data, record), row, word, sizeof word);
  if (word[0] == '\0' && row->gap != GAP_UNLIKE) snprintf(word, sizeof word, "%s", gap_name(row->gap));
  columns_set_ratio(grid, at, look.style, row->speedup, row->lo, row->hi);
  grid_set(grid, at->word, look.style, "%s%s", look.glyph, word);
}

/* ---- Lines --------------------------------------------------------------------------------------------------- */

struct lines {
  FILE *out;
  bool utf8;
};

static void line(const struct lines *lines, const char *label, const char *text) {
  table_line(lines->out, lines->utf8, label, text);
}

static void print_unlike(const struct lines *lines, const struct against *against) {
  for (size_t i = 0; i < against->unlike_count; i++) {
    const struct against_difference *difference = &against->differences[i];
    char text[MSG_SIZE];
    snprintf(text, sizeof text, "%s: %s -> %s", difference->what, difference->base, difference->other);
    line(lines, i == 0 ? "NOT ALIKE" : "", text);
  }
  if (against->unlike_count != 0 && !against_is_judged(against))
    line(lines, "", "so ratios are shown without verdicts; --force judges anyway");
}

static void print_run(const struct lines *lines, const struct against *against) {
  const size_t *fates = against->fates;
  char text[MSG_SIZE];
  snprintf(text, sizeof text, "%s; not interleaved with this run", against_fact(against, "base"));
  line(lines, "against", text);
  line(lines, "", against_fact(against, "sentence"));
  print_unlike(lines, against);
  snprintf(text, sizeof text, "%zu only in the base, %zu only here", fates[AGAINST_ONLY_BASE],
           fates[AGAINST_ONLY_HERE]);
  if (fates[AGAINST_ONLY_BASE] + fates[AGAINST_ONLY_HERE] != 0) line(lines, "not common", text);
  for (size_t i = 0; i < against->notes.count; i++)
    line(lines, "note", against->notes.items[i]);
}

void against_sentences(const struct run_data *data, FILE *out, bool utf8) {
  for (size_t i = 0; i < data->run_count; i++) {
    const struct against *against = data->runs[i].against;
    if (against == NULL) continue;
    table_text(out, GRID_PLAIN, false, utf8, against_fact(against, "sentence"));
    fputc('\n', out);
  }
}

void against_table_lines(const struct run_data *data, FILE *out, bool utf8) {
  const struct lines lines = {out, utf8};
  char name[TEXT_SIZE];
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    run_data_run_name(data, i, name, sizeof name);
    if (data->run_count > 1) line(&lines, "run", name);
    print_run(&lines, data->runs[i].against);
  }
}
