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

/* Sets the cells of a row that both runs have timed. */
static void set_compared(struct grid *grid, const struct columns_ratio *at, const struct against *against,
                         const struct against_row *row, bool utf8) {
  const struct verdict_look look = verdict_look(stats_verdict_name(row->word), utf8);
  columns_set_ratio(grid, at, look.style, row->speedup, row->lo, row->hi);
  grid_set(grid, at->word, look.style, "%s%s", look.glyph, against_judgement(against, row).text);
}

void against_table_cells(struct grid *grid, const struct columns_ratio *at, const struct run_data *data,
                         const struct record *record, bool utf8) {
  const struct against_row *row = against_row_of(data, record);
  if (row == NULL) return;
  if (row->outcome == AGAINST_ONLY_HERE)
    grid_set(grid, at->ratio, GRID_FAINT, "new");
  else if (row->outcome == AGAINST_BOTH)
    set_compared(grid, at, against_of(data, record), row, utf8);
  else if (row->note[0] != '\0')
    grid_set(grid, at->ratio, GRID_FAINT, "\t%s", row->note);
}

/* ---- Lines about the comparison with a baseline run ------------------------------------------------------------- */

/* Prints in what two runs differ, below a label. If `counting` is true, prints the differences because of which times
 * of the runs are not comparable, otherwise the other ones. `run`: name of the compared run, printed before each; NULL:
 * not printed. */
static void print_differences(const struct against *against, bool counting, const char *run, FILE *out, bool utf8) {
  const size_t begin = counting ? 0 : against->unlike_count;
  const size_t end = counting ? against->unlike_count : against->difference_count;
  for (size_t i = begin; i < end; i++) {
    const struct against_difference *difference = &against->differences[i];
    table_label(out, utf8, i != begin ? "" : counting ? "NOT ALIKE" : "differs");
    if (run != NULL) table_say(out, utf8, "%s: ", run);
    table_say(out, utf8, "%s: %s -> %s\n", difference->what, difference->base, difference->other);
  }
}

static void print_against(const struct against *against, FILE *out, bool utf8) {
  const size_t *outcomes = against->outcomes;
  char text[MSG_SIZE];
  snprintf(text, sizeof text, "%s; not interleaved with this run", against_fact(against, "base"));
  table_line(out, utf8, "against", text);
  table_line(out, utf8, "", against_fact(against, "sentence"));
  print_differences(against, true, NULL, out, utf8);
  if (against->unlike_count != 0 && !against_is_judged(against))
    table_line(out, utf8, "", "so ratios are shown without verdicts; --force judges anyway");
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
    print_against(data->runs[i].against, out, utf8);
  }
}

struct columns { /* the number of each column in the grid; 0: the table lacks this column */
  size_t bench, label, mode, device, variant, base_time, other_time, restarts, mark;
  size_t first_run; /* number of the first column of the first run; each run has three: ratio, interval and verdict */
};

struct table {
  const struct compare *compare;
  const struct compare_look *look;
  FILE *out;
  struct grid grid;
  struct columns at;
};

/* ---- The rows ------------------------------------------------------------------------------------------------ */

static bool any_mark(const struct compare *compare, size_t shown) {
  for (size_t i = 0; i < shown; i++)
    if (compare->rows[i].cells[0].outcome == AGAINST_BOTH && compare->rows[i].cells[0].shown->note[0] != '\0')
      return true;
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

static void set_status(struct table *table, size_t column, const struct compare_cell *cell) {
  const bool lost = cell->outcome == AGAINST_BROKEN, one = table->compare->run_count == 1;
  const char *glyph = !lost ? "" : table->look->utf8 ? "\xE2\x9C\x97 " : "x ";
  const char *status = cell->row != NULL ? row_status_words(row_status_of(cell->row)) : "absent";
  /* with several runs there is only room for the status; the note of a single run may extend to the end of the line */
  grid_set(&table->grid, column, lost ? GRID_ORANGE : GRID_FAINT, "%s%s%s", one ? "\t" : "", glyph,
           one ? against_note(cell->shown) : status);
}

static void set_cell(struct table *table, size_t index, const struct compare_cell *cell) {
  const size_t column = table->at.first_run + 3 * index;
  const struct columns_ratio at = {column, column + 1, column + 2};
  if (cell->outcome != AGAINST_BOTH) {
    set_status(table, column, cell);
    return;
  }
  const struct against_row *row = cell->shown;
  set_compared(&table->grid, &at, table->compare->runs[index].against, row, table->look->utf8);
  set_text(table, table->at.other_time, number_time(row->ns).text);
  grid_set(&table->grid, table->at.restarts, GRID_FAINT, "%zu, %zu", cell->ratio.base_restarts,
           cell->ratio.other_restarts);
  /* notes with a figure widen the column; other notes may extend to the end of the line and be cut */
  if (row->note[0] != '\0')
    grid_set(&table->grid, table->at.mark, GRID_ORANGE, "%s%s", cell->ratio.launch_limited ? "" : "\t", row->note);
}

static void add_compared_row(struct table *table, const struct compare_row *row) {
  grid_row(&table->grid);
  set_text(table, table->at.bench, text_or_empty(row->base->bench));
  set_text(table, table->at.label, row->label);
  set_text(table, table->at.variant, text_or_empty(row->base->variant));
  set_text(table, table->at.mode, text_or_empty(row->base->mode));
  set_text(table, table->at.device, text_or_empty(row->base->devices));
  set_text(table, table->at.base_time, number_time(row->base_ns).text);
  for (size_t i = 0; i < table->compare->run_count; i++)
    set_cell(table, i, &row->cells[i]);
}

static void print_compared_rows(struct table *table) {
  const struct compare *compare = table->compare;
  size_t shown = compare->row_count;
  char rest[160];
  if (!table->look->verbose && shown > COMPARE_ROWS_MAX) shown = COMPARE_ROWS_MAX;
  if (shown == 0) return;
  fputc('\n', table->out);
  add_compare_columns(table, shown);
  for (size_t i = 0; i < shown; i++)
    add_compared_row(table, &compare->rows[i]);
  grid_print(&table->grid, table->out, (size_t)table->look->width, table->look->color, table->look->utf8);
  if (shown == compare->row_count) return;
  compare_rest(compare, shown, rest, sizeof rest);
  fprintf(table->out, "and %zu more rows (%s); -v shows them\n", compare->row_count - shown, rest);
}

/* ---- Before and after the rows ---------------------------------------------------------------------------------- */

static void print_run(const struct table *table, const char *what, const char *name, const struct run_data *data,
                      const struct compare_range *restarts) {
  SCOPED char *line = compare_run_line(name, data, restarts);
  table_line(table->out, table->look->utf8, what, line);
}

static void print_run_differences(const struct table *table, const struct compare_run *run) {
  const bool utf8 = table->look->utf8;
  const char *label = table->compare->run_count > 1 ? run->label : NULL;
  print_differences(run->against, true, label, table->out, utf8);
  if (!run->judged)
    table_line(table->out, utf8, "",
               "so ratios are shown without verdicts, and a gate does not pass; --force judges anyway");
  print_differences(run->against, false, label, table->out, utf8);
}

static void list_only(const struct table *table, const char *where, enum against_outcome outcome,
                      const struct against *against) {
  for (size_t i = 0; i < against->count; i++) {
    const struct against_row *row = &against->rows[i];
    const bool mode = table->compare->many_modes;
    if (row->outcome != outcome) continue;
    table_label(table->out, table->look->utf8, where);
    table_say(table->out, table->look->utf8, "%s %s%s%s\n", row->case_key, row->variant, mode ? " " : "",
              mode ? row->mode : "");
    where = "";
  }
}

static void print_only(const struct table *table, const struct compare_run *run) {
  const size_t base = run->against->outcomes[AGAINST_ONLY_BASE], here = run->against->outcomes[AGAINST_ONLY_HERE];
  if (base + here == 0) return;
  if (table->look->verbose) {
    list_only(table, "only base", AGAINST_ONLY_BASE, run->against);
    list_only(table, "only new", AGAINST_ONLY_HERE, run->against);
    return;
  }
  table_label(table->out, table->look->utf8, "not common");
  if (table->compare->run_count > 1) table_say(table->out, table->look->utf8, "%s: ", run->label);
  fprintf(table->out, "%zu only in base, %zu only in new; -v lists them\n", base, here);
}

void compare_table_print(const struct compare *compare, FILE *out, const struct compare_look *look) {
  struct table table = {.compare = compare, .look = look, .out = out};
  SCOPED_STRINGS struct strings notes = {0};
  for (size_t i = 0; i < compare->run_count; i++)
    table_say(out, look->utf8, "%s\n", against_fact(compare->runs[i].against, "sentence"));
  if (look->quiet) return;
  fputc('\n', out);
  print_run(&table, "base", compare->base_label, compare->base, &compare->runs[0].base_restarts);
  for (size_t i = 0; i < compare->run_count; i++)
    print_run(&table, "new", compare->runs[i].label, compare->runs[i].data, &compare->runs[i].restarts);
  for (size_t i = 0; i < compare->run_count; i++)
    print_run_differences(&table, &compare->runs[i]);
  print_compared_rows(&table);
  fputc('\n', out);
  for (size_t i = 0; i < compare->run_count; i++)
    print_only(&table, &compare->runs[i]);
  compare_notes(compare, true, &notes);
  for (size_t i = 0; i < notes.count; i++)
    table_line(out, look->utf8, "note", notes.items[i]);
}
