/* All that is known of each row of a bench, in tables narrow enough for a page: time, speedup, distribution and so on.
 * Columns of the schema that are in none of them follow in one more. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/columns.h"
#include "html/page.h"
#include "summary/bound.h"
#include "summary/marks.h"

enum {
  SAME_MIN = 4,  /* rows: fewer are not worth a sentence */
  LONG_MIN = 40, /* characters: texts that take lines of their own */
};

struct detail {
  const struct page *page;
  size_t index;
  const struct run_bench *bench;
  struct number_unit unit;
  const struct column_table *table;
  bool marks;  /* of the first table: has any row a mark, or another status than ok? */
  bool status; /* of the others: has any row in them another status? */
};

/* What was not run has nothing but its reason. */
static bool is_shown(const struct column_table *table, const struct record *row) {
  const enum row_status status = row_status_of(row);
  return table->skips || (status != ROW_SKIPPED && status != ROW_NOT_RUN);
}

enum column_use { USE_EMPTY, USE_SAME, USE_VARIES };

/* What limits it is more than the row itself says. */
static void text_of(const struct detail *detail, const struct column *column, const struct record *row, char *to,
                    size_t size) {
  if (column->at == offsetof(struct record, bound))
    snprintf(to, size, "%s", bound_words(detail->page->data, row));
  else
    column_text(column, row, &detail->unit, to, size);
}

/* What a column has to say: the same text in all rows that are ok is said once. */
static enum column_use use_of(const struct detail *detail, const struct column *column, char *same, size_t size) {
  char text[MSG_SIZE];
  size_t ok = 0;
  enum column_use use = USE_EMPTY;
  same[0] = '\0';
  for (struct bench_walk at = {.bench = detail->bench}; use != USE_VARIES && bench_walk(&at);) {
    bool counts = row_status_of(at.row) == ROW_OK;
    if (!is_shown(detail->table, at.row)) continue;
    text_of(detail, column, at.row, text, sizeof text);
    if (counts && ok++ == 0)
      snprintf(same, size, "%s", text);
    else if (text[0] != '\0' || counts)
      use = strcmp(text, same) == 0 ? use : USE_VARIES;
  }
  if (use == USE_VARIES) return use;
  return same[0] == '\0' ? USE_EMPTY : ok >= SAME_MIN ? USE_SAME : USE_VARIES;
}

/* The schema's own name and words, shown on hover. */
static void write_head(const struct detail *detail, const struct column *column) {
  FILE *out = detail->page->out;
  fputs(column->kind == COLUMN_WORDS ? "<th scope=\"col\" class=\"t\" title=\"" : "<th scope=\"col\" title=\"", out);
  for (size_t i = 0; i < record_field_count; i++)
    if (record_fields[i].offset == column->at) html_text(out, "%s: %s", record_fields[i].name, record_fields[i].doc);
  fputs("\">", out);
  html_text(out, "%s%s%s", column->head, column_is_time(column) ? ", " : "",
            column_is_time(column) ? detail->unit.name : "");
  fputs("</th>", out);
}

static void write_marks(const struct detail *detail, const struct run_case *point, const struct record *row) {
  FILE *out = detail->page->out;
  char text[TEXT_SIZE] = "";
  fputs("<td class=\"t\">", out);
  if (detail->marks) marks_text(marks_of(detail->page->data, point, row), text, sizeof text);
  if (row_status_of(row) == ROW_OK)
    fputs(text, out);
  else
    html_status(out, row_status_of(row));
  fputs("</td>", out);
}

static bool any_marks(const struct page *page, const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_status_of(at.row) != ROW_OK || marks_of(page->data, at.point, at.row) != 0) return true;
  return false;
}

static bool any_status(const struct column_table *table, const struct run_bench *bench) {
  for (struct bench_walk at = {.bench = bench}; bench_walk(&at);)
    if (row_status_of(at.row) != ROW_OK && is_shown(table, at.row)) return true;
  return false;
}

/* Texts and intervals may wrap, numbers not. */
static void write_cell(FILE *out, const struct column *column, const char *text) {
  if (column->kind == COLUMN_WORDS && strlen(text) < LONG_MIN)
    html_words(out, text);
  else if (column->kind == COLUMN_WORDS)
    html_put(out, "<td class=\"t long\">", text, "</td>");
  else if (strchr(text, '[') != NULL)
    html_put(out, "<td class=\"w\">", text, "</td>");
  else
    html_cell(out, text);
}

static void write_row(const struct detail *detail, const struct run_case *point, const struct record *row,
                      const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char text[MSG_SIZE];
  bool any = !detail->table->skips;
  if (!is_shown(detail->table, row)) return;
  for (size_t i = 0; i < count && !any; i++) {
    text_of(detail, columns[i], row, text, sizeof text);
    any = text[0] != '\0';
  }
  if (!any) return;
  html_row(out, bench_case_label(detail->bench, point, false).text);
  html_cell(out, row->variant);
  if (detail->marks || detail->status) write_marks(detail, point, row);
  for (size_t i = 0; i < count; i++) {
    text_of(detail, columns[i], row, text, sizeof text);
    write_cell(out, columns[i], text);
  }
  fputs("</tr>\n", out);
}

static void write_table(const struct detail *detail, const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char region[KEY_SIZE + 64];
  snprintf(region, sizeof region, "%s: %s", html_bench_name(detail->page, detail->index).text, detail->table->title);
  html_table_begin(out, "all", region, detail->table->title);
  html_head(out, "case");
  html_head_words(out, "variant");
  if (detail->marks || detail->status) html_head_words(out, detail->marks ? "marks" : "status");
  for (size_t i = 0; i < count; i++)
    write_head(detail, columns[i]);
  html_table_rows(out);
  for (struct bench_walk at = {.bench = detail->bench}; bench_walk(&at);)
    write_row(detail, at.point, at.row, columns, count);
  html_table_close(out);
}

static void write_same(const struct detail *detail, const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char text[MSG_SIZE];
  if (count == 0) return;
  fputs("<p class=\"minor\">The same in every row: ", out);
  for (size_t i = 0; i < count; i++) {
    use_of(detail, columns[i], text, sizeof text);
    html_text(out, "%s%s %s%s%s", i != 0 ? "; " : "", columns[i]->head, text, column_is_time(columns[i]) ? " " : "",
              column_is_time(columns[i]) ? detail->unit.name : "");
  }
  fputs(".</p>\n", out);
}

static void write_columns(const struct page *page, size_t index, const struct column_table *table) {
  const struct run_bench *bench = &page->benches[index].bench;
  const bool first = table == column_tables;
  const struct detail detail = {.page = page,
                                .index = index,
                                .bench = bench,
                                .unit = page->benches[index].unit,
                                .table = table,
                                .marks = first && any_marks(page, bench),
                                .status = !first && any_status(table, bench)};
  char text[MSG_SIZE];
  const struct column **varying = xcalloc(table->count, sizeof *varying), **same = xcalloc(table->count, sizeof *same);
  size_t varying_count = 0, same_count = 0;
  for (size_t i = 0; i < table->count; i++) {
    enum column_use use = use_of(&detail, &table->columns[i], text, sizeof text);
    if (use == USE_VARIES) varying[varying_count++] = &table->columns[i];
    if (use == USE_SAME) same[same_count++] = &table->columns[i];
  }
  if (varying_count != 0) write_table(&detail, varying, varying_count);
  write_same(&detail, same, same_count);
  free(varying);
  free(same);
}

static void write_others(const struct page *page, size_t index) {
  static const enum column_kind kinds[] = {
      [RECORD_TEXT] = COLUMN_WORDS, [RECORD_REAL] = COLUMN_NUMBER, [RECORD_WHOLE] = COLUMN_COUNT};
  SCOPED struct column *others = xcalloc(record_field_count, sizeof *others);
  size_t count = 0;
  for (size_t i = 0; i < record_field_count; i++)
    if (!column_is_placed(record_fields[i].offset))
      others[count++] =
          (struct column){record_fields[i].name, kinds[record_fields[i].kind], record_fields[i].offset, 0, 0};
  write_columns(page, index, &(struct column_table){"Other", others, count, true});
}

void html_detail(const struct page *page, size_t index) {
  for (size_t i = 0; i < COLUMN_TABLES; i++) {
    write_columns(page, index, &column_tables[i]);
    if (i == COLUMN_ENERGY) html_energy_trust(page, index);
  }
  write_others(page, index);
}
