/* All that is known of each row, in three tables of one bench: time, distribution, work and machine. Columns of the
 * schema that are in none of them follow in a fourth. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "html/columns.h"
#include "html/page.h"
#include "summary/bound.h"
#include "summary/marks.h"

enum { SAME_MIN = 4 /* rows: fewer are not worth a sentence */ };

struct detail {
  const struct page *page;
  size_t index;
  const struct run_bench *bench;
  struct number_unit unit;
  bool marks; /* has any row a mark, or another status than ok? */
};

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
  char text[TEXT_SIZE];
  fputs("<td class=\"t\">", out);
  marks_text(marks_of(detail->page->data, point, row), text, sizeof text);
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

static void write_row(const struct detail *detail, const struct run_case *point, const struct record *row,
                      const struct column *const *columns, size_t count) {
  FILE *out = detail->page->out;
  char text[MSG_SIZE];
  bench_case_label(detail->bench, point, false, text, sizeof text);
  html_row(out, text);
  html_words(out, row->variant);
  if (detail->marks) write_marks(detail, point, row);
  for (size_t i = 0; i < count; i++) {
    text_of(detail, columns[i], row, text, sizeof text);
    (columns[i]->kind == COLUMN_WORDS ? html_words : html_cell)(out, text);
  }
  fputs("</tr>\n", out);
}

static void write_table(const struct detail *detail, const char *title, const struct column *const *columns,
                        size_t count) {
  FILE *out = detail->page->out;
  char name[KEY_SIZE], region[KEY_SIZE + 64];
  html_bench_name(detail->page, detail->index, name, sizeof name);
  snprintf(region, sizeof region, "%s: %s", name, title);
  html_table_begin(out, "all", region, title);
  html_head(out, "case");
  html_head_words(out, "variant");
  if (detail->marks) html_head_words(out, "marks");
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

static void write_columns(const struct detail *detail, const char *title, const struct column *columns, size_t count) {
  char text[MSG_SIZE];
  const struct column **varying = xcalloc(count, sizeof *varying), **same = xcalloc(count, sizeof *same);
  size_t varying_count = 0, same_count = 0;
  for (size_t i = 0; i < count; i++) {
    enum column_use use = use_of(detail, &columns[i], text, sizeof text);
    if (use == USE_VARIES) varying[varying_count++] = &columns[i];
    if (use == USE_SAME) same[same_count++] = &columns[i];
  }
  if (varying_count != 0) write_table(detail, title, varying, varying_count);
  write_same(detail, same, same_count);
  free(varying);
  free(same);
}

static void write_others(const struct detail *detail) {
  static const enum column_kind kinds[] = {
      [RECORD_TEXT] = COLUMN_WORDS, [RECORD_REAL] = COLUMN_NUMBER, [RECORD_WHOLE] = COLUMN_COUNT};
  struct column *others = xcalloc(record_field_count, sizeof *others);
  size_t count = 0;
  for (size_t i = 0; i < record_field_count; i++)
    if (!column_is_placed(record_fields[i].offset))
      others[count++] =
          (struct column){record_fields[i].name, kinds[record_fields[i].kind], record_fields[i].offset, 0, 0};
  write_columns(detail, "Other", others, count);
  free(others);
}

void html_detail(const struct page *page, size_t index) {
  const struct run_bench *bench = &page->benches[index].bench;
  const struct detail detail = {page, index, bench, page->benches[index].unit, any_marks(page, bench)};
  for (size_t i = 0; i < COLUMN_TABLES; i++) {
    write_columns(&detail, column_tables[i].title, column_tables[i].columns, column_tables[i].count);
    if (i == COLUMN_ENERGY) html_energy_trust(page, index);
  }
  write_others(&detail);
}
