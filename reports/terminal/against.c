/* The terminal's part of --against. */
#include "terminal/against.h"

#include <stdlib.h>

#include "base/escape.h"
#include "base/memory.h"
#include "summary/summary.h"
#include "summary/verdict.h"

static size_t headed(struct grid *grid, enum grid_align align, int drop, const char *title) {
  size_t column = grid_column(grid, align, drop);
  grid_set(grid, column, GRID_FAINT, "%s", title);
  return column;
}

struct against_columns against_table_columns(struct grid *grid, const struct run_data *data) {
  char head[TEXT_SIZE];
  struct against_columns at;
  against_head(data, head, sizeof head);
  at.ratio = headed(grid, GRID_POINT, 0, head);
  at.interval = headed(grid, GRID_LEFT, 2, "[95%]");
  at.word = headed(grid, GRID_LEFT, 0, "");
  return at;
}

void against_table_cells(struct grid *grid, const struct against_columns *at, const struct run_data *data,
                         const struct record *record, bool utf8) {
  const struct against_row *row = against_row_of(data, record);
  char ratio[80], interval[160], word[80];
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
  against_ratio_text(row, ratio, sizeof ratio);
  against_interval_text(row, interval, sizeof interval);
  against_word_text(against_of(data, record), row, word, sizeof word);
  grid_set(grid, at->ratio, look.style, "%s", ratio);
  grid_set(grid, at->interval, GRID_PLAIN, "%s", interval);
  grid_set(grid, at->word, look.style, "%s%s", look.glyph, word);
}

/* ---- Lines --------------------------------------------------------------------------------------------------- */

struct lines {
  FILE *out;
  bool utf8;
};

/* Text of others, behind a label or below it. */
static void line(const struct lines *lines, const char *label, const char *text) {
  char *copy = xstrdup(text);
  escape_terminal(copy, lines->utf8);
  fprintf(lines->out, "%-11s %s\n", label, copy);
  free(copy);
}

static void print_unlike(const struct lines *lines, const struct against *against) {
  for (size_t i = 0; i < against->unlike_count; i++) {
    const struct compare_difference *difference = &against->differences[i];
    char text[MSG_SIZE];
    snprintf(text, sizeof text, "%s: %s -> %s", difference->what, difference->base, difference->other);
    line(lines, i == 0 ? "NOT ALIKE" : "", text);
  }
  if (against->unlike_count != 0 && !against_is_judged(against))
    line(lines, "", "so ratios are shown, words are withheld; --force judges all the same");
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
