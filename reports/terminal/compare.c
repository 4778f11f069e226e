/* Prints a comparison on the terminal. */
#include "terminal/terminal.h"

#include "base/memory.h"
#include "base/number.h"
#include "compare/words.h"
#include "summary/bench.h"
#include "terminal/lines.h"

/* ---- The comparison with a baseline run in the tables of a run ---- */

struct columns_ratio against_table_columns(struct grid *grid, const struct run_data *data) {
  return columns_add_ratio(grid, against_head(data).text, 1);
}

void against_table_cells(struct grid *grid, const struct columns_ratio *at, const struct run_data *data,
                         const struct record *record, bool utf8) {
  const struct against_row *row = against_row_of(data, record);
  char word[80];
  if (row == NULL) return;
  if (row->outcome == AGAINST_ONLY_HERE) {
    grid_set(grid, at->ratio, GRID_FAINT, "new");
    return;
  }
  if (row->outcome != AGAINST_BOTH) {
    if (row->note[0] != '\0') grid_set(grid, at->ratio, GRID_FAINT, "\t%s", row->note);
    return;
  }
  struct verdict_look look = verdict_look(stats_verdict_name(row->word), utf8);
  against_word_text(against_of(data, record), row, word, sizeof word);
  if (word[0] == '\0' && row->gap != GAP_UNLIKE) snprintf(word, sizeof word, "%s", gap_name(row->gap));
  columns_set_ratio(grid, at, look.style, row->speedup, row->lo, row->hi);
  grid_set(grid, at->word, look.style, "%s%s", look.glyph, word);
}

/* ---- Lines about the comparison with a baseline run ------------------------------------------------------------- */

static void print_unlike(const struct against *against, FILE *out, bool utf8) {
  for (size_t i = 0; i < against->unlike_count; i++) {
    const struct against_difference *difference = &against->differences[i];
    char text[MSG_SIZE];
    snprintf(text, sizeof text, "%s: %s -> %s", difference->what, difference->base, difference->other);
    table_line(out, utf8, i == 0 ? "NOT ALIKE" : "", text);
  }
  if (against->unlike_count != 0 && !against_is_judged(against))
    table_line(out, utf8, "", "so ratios are shown without verdicts; --force judges anyway");
}

static void print_difference_note(const struct against *against, FILE *out, bool utf8) {
  const size_t *outcomes = against->outcomes;
  char text[MSG_SIZE];
  snprintf(text, sizeof text, "%s; not interleaved with this run", against_fact(against, "base"));
  table_line(out, utf8, "against", text);
  table_line(out, utf8, "", against_fact(against, "sentence"));
  print_unlike(against, out, utf8);
  snprintf(text, sizeof text, "%zu only in the base, %zu only here", outcomes[AGAINST_ONLY_BASE],
           outcomes[AGAINST_ONLY_HERE]);
  if (outcomes[AGAINST_ONLY_BASE] + outcomes[AGAINST_ONLY_HERE] != 0) table_line(out, utf8, "not common", text);
  for (size_t i = 0; i < against->notes.count; i++)
    table_line(out, utf8, "note", against->notes.items[i]);
}

void against_sentences(const struct run_data *data, FILE *out, bool utf8) {
  for (size_t i = 0; i < data->run_count; i++) {
    const struct against *against = data->runs[i].against;
    if (against == NULL) continue;
    table_say(out, utf8, "%s\n", against_fact(against, "sentence"));
  }
}

void against_table_lines(const struct run_data *data, FILE *out, bool utf8) {
  for (size_t i = 0; i < data->run_count; i++) {
    if (data->runs[i].against == NULL) continue;
    if (data->run_count > 1) table_line(out, utf8, "run", run_data_run_name(data, i).text);
    print_difference_note(data->runs[i].against, out, utf8);
  }
}

struct columns { /* the number of each column in the grid; 0: the table lacks this column */
  size_t bench, label, mode, device, variant, base_time, other_time, restarts, mark;
  size_t first_run; /* number of the first column of the first run; each run has three: ratio, interval and verdict */
};

struct table {
  const struct compare *compare;
  const struct compare_look *look;
  struct compare_voice voice;
  struct grid grid;
  struct columns at;
};

/* ---- The rows ------------------------------------------------------------------------------------------------ */

static bool any_mark(const struct compare *compare, size_t shown) {
  for (size_t i = 0; i < shown; i++)
    if (compare_marks(NULL, compare->rows[i].base, &compare->rows[i].cells[0])) return true;
  return false;
}

static void add_compare_columns(struct table *table, size_t shown) {
  const struct compare *compare = table->compare;
  struct grid *grid = &table->grid;
  bool one = compare->run_count == 1;
  grid_row(grid);
  if (compare->many_benches) table->at.bench = columns_add(grid, GRID_LEFT, 0, "bench");
  table->at.label = columns_add(grid, GRID_LEFT, 0, "case");
  table->at.variant = columns_add(grid, GRID_LEFT, 0, "variant");
  if (compare->many_modes) table->at.mode = columns_add(grid, GRID_LEFT, 0, "mode");
  if (compare->many_devices) table->at.device = columns_add(grid, GRID_LEFT, 0, "device");
  table->at.base_time = columns_add(grid, GRID_POINT, 3, "base");
  if (one) table->at.other_time = columns_add(grid, GRID_POINT, 3, "new");
  if (one && compare_restarts_vary(&compare->runs[0])) table->at.restarts = columns_add(grid, GRID_LEFT, 5, "restarts");
  for (size_t i = 0; i < compare->run_count; i++) {
    struct columns_ratio at = columns_add_ratio(grid, one ? "speedup" : compare->runs[i].label, one ? 2 : 4);
    if (i == 0) table->at.first_run = at.ratio;
  }
  if (one && any_mark(compare, shown)) table->at.mark = columns_add(grid, GRID_LEFT, 0, "note");
}

static void set_text(struct table *table, size_t column, const char *text) {
  grid_set(&table->grid, column, GRID_PLAIN, "%s", text);
}

static void set_time(struct table *table, size_t column, const struct record *row) {
  if (!row_timed(row)) return;
  set_text(table, column, number_time(row->median_raw_ns).text);
}

/* Sets a cell to the status or the marks of a row in words. `prefix` is trusted text; a '\t' in it lets the cell extend
 * to the end of the line. */
static void set_said(struct table *table, size_t column, enum grid_style style, const char *prefix,
                     const struct record *base, const struct compare_cell *cell, bool status) {
  struct memory_text memory;
  struct compare_voice voice = {memory_text_begin(&memory), table->voice.escape};
  if (status)
    compare_status(&voice, base, cell);
  else
    compare_marks(&voice, base, cell);
  SCOPED char *text = memory_text_end(&memory);
  grid_set(&table->grid, column, style, "%s%s", prefix, text);
}

static void set_status(struct table *table, size_t column, const struct record *base, const struct compare_cell *cell) {
  bool lost = cell->outcome == AGAINST_BROKEN, one = table->compare->run_count == 1;
  const char *glyph = table->look->utf8 ? "\t\xE2\x9C\x97 " : "\tx ";
  if (one)
    set_said(table, column, lost ? GRID_ORANGE : GRID_FAINT, lost ? glyph : "\t", base, cell, true);
  else if (cell->outcome == AGAINST_ONLY_BASE)
    grid_set(&table->grid, column, GRID_FAINT, "absent");
  else
    grid_set(&table->grid, column, lost ? GRID_ORANGE : GRID_FAINT, "%s%s", lost ? glyph + 1 : "",
             row_status_words(row_status_of(cell->row)));
}

static void set_ratio(struct table *table, size_t column, const struct compare_cell *cell) {
  const struct compare_ratio *ratio = &cell->ratio;
  const struct columns_ratio at = {column, column + 1, column + 2};
  struct verdict_look look = verdict_look(stats_verdict_name(cell->word), table->look->utf8);
  char over[32] = "";
  if (cell->beyond) snprintf(over, sizeof over, " >%g%%", 100 * table->compare->options.threshold);
  columns_set_ratio(&table->grid, &at, look.style, ratio->speedup, ratio->lo95, ratio->hi95);
  const char *word = look.word[0] != '\0' || cell->gap == GAP_UNLIKE ? look.word : gap_name(cell->gap);
  grid_set(&table->grid, at.word, look.style, "%s%s%s", look.glyph, word, over);
}

static void set_cell(struct table *table, size_t index, const struct record *base, const struct compare_cell *cell) {
  size_t column = table->at.first_run + 3 * index;
  if (cell->outcome != AGAINST_BOTH) {
    set_status(table, column, base, cell);
    return;
  }
  set_ratio(table, column, cell);
  set_time(table, table->at.other_time, cell->row);
  grid_set(&table->grid, table->at.restarts, GRID_FAINT, "%zu, %zu", cell->ratio.base_restarts,
           cell->ratio.other_restarts);
  /* notes with a figure widen the column; other notes may extend to the end of the line and be cut */
  const char *prefix = cell->ratio.launch_limited ? "" : "\t";
  if (compare_marks(NULL, base, cell)) set_said(table, table->at.mark, GRID_ORANGE, prefix, base, cell, false);
}

static void add_compared_row(struct table *table, const struct compare_row *row) {
  grid_row(&table->grid);
  set_text(table, table->at.bench, text_or_empty(row->base->bench));
  set_text(table, table->at.label, row->label);
  set_text(table, table->at.variant, text_or_empty(row->base->variant));
  set_text(table, table->at.mode, text_or_empty(row->base->mode));
  set_text(table, table->at.device, text_or_empty(row->base->devices));
  set_time(table, table->at.base_time, row->base);
  for (size_t i = 0; i < table->compare->run_count; i++)
    set_cell(table, i, row->base, &row->cells[i]);
}

static void print_compared_rows(struct table *table) {
  const struct compare *compare = table->compare;
  size_t shown = compare->row_count;
  char rest[160];
  if (!table->look->verbose && shown > COMPARE_ROWS_MAX) shown = COMPARE_ROWS_MAX;
  if (shown == 0) return;
  fputc('\n', table->voice.out);
  add_compare_columns(table, shown);
  for (size_t i = 0; i < shown; i++)
    add_compared_row(table, &compare->rows[i]);
  grid_print(&table->grid, table->voice.out, (size_t)table->look->width, table->look->color, table->look->utf8);
  if (shown == compare->row_count) return;
  compare_rest(compare, shown, rest, sizeof rest);
  fprintf(table->voice.out, "and %zu more rows (%s); -v shows them\n", compare->row_count - shown, rest);
}

/* ---- Before and after the rows ---------------------------------------------------------------------------------- */

static void print_run(const struct table *table, const char *what, const char *name, const struct run_data *data,
                      const struct compare_range *restarts) {
  table_label(table->voice.out, table->look->utf8, what);
  compare_run_line(&table->voice, name, data, restarts);
  fputc('\n', table->voice.out);
}

static void print_differences(const struct table *table, const struct compare_run *run) {
  for (size_t i = 0; i < run->differences.count; i++) {
    const struct against_difference *difference = &run->differences.items[i];
    if (i == 0 || i == run->differences.counting)
      table_label(table->voice.out, table->look->utf8, difference->counts ? "NOT ALIKE" : "differs");
    else
      table_label(table->voice.out, table->look->utf8, "");
    if (table->compare->run_count > 1) compare_say(&table->voice, "%s: ", run->label);
    compare_say(&table->voice, "%s: %s -> %s\n", difference->what, difference->base, difference->other);
    if (run->judged || i + 1 != run->differences.counting) continue;
    table_label(table->voice.out, table->look->utf8, "");
    fputs("so ratios are shown without verdicts, and a gate does not pass; --force judges anyway\n", table->voice.out);
  }
}

static void list_only(const struct table *table, const char *where, const struct record *const *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    table_label(table->voice.out, table->look->utf8, i == 0 ? where : "");
    compare_say(&table->voice, "%s %s", text_or_empty(rows[i]->case_key), text_or_empty(rows[i]->variant));
    if (table->compare->many_modes) compare_say(&table->voice, " %s", text_or_empty(rows[i]->mode));
    fputc('\n', table->voice.out);
  }
}

static void print_only(const struct table *table, const struct compare_run *run) {
  if (run->only_base_count == 0 && run->only_new_count == 0) return;
  if (table->look->verbose) {
    list_only(table, "only base", run->only_base, run->only_base_count);
    list_only(table, "only new", run->only_new, run->only_new_count);
    return;
  }
  table_label(table->voice.out, table->look->utf8, "not common");
  if (table->compare->run_count > 1) compare_say(&table->voice, "%s: ", run->label);
  fprintf(table->voice.out, "%zu only in base, %zu only in new; -v lists them\n", run->only_base_count,
          run->only_new_count);
}

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look) {
  struct table table = {.compare = compare, .look = look, .voice = {out, escape_for_terminal(look->utf8)}};
  for (size_t i = 0; i < compare->run_count; i++) {
    compare_sentence(&table.voice, compare, i);
    fputc('\n', out);
  }
  if (look->quiet) return;
  fputc('\n', out);
  print_run(&table, "base", compare->base_label, compare->base, &compare->runs[0].base_restarts);
  for (size_t i = 0; i < compare->run_count; i++)
    print_run(&table, "new", compare->runs[i].label, compare->runs[i].data, &compare->runs[i].restarts);
  for (size_t i = 0; i < compare->run_count; i++)
    print_differences(&table, &compare->runs[i]);
  print_compared_rows(&table);
  fputc('\n', out);
  for (size_t i = 0; i < compare->run_count; i++)
    print_only(&table, &compare->runs[i]);
  compare_notes(&table.voice, compare, "note        ", "\n");
}
