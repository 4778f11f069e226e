/* Foreign rows (timed by other programs): their columns and limits, and how they are read, stored and written. */
#include "record/foreign.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/csv/csv.h"

enum { NAME_PARTS = 6 };

/* Limits of a plausible time in ns. A time outside of them was probably given in another unit. */
#define TIME_BOUNDS 1e-3, 1e18

#define TEXT(name, needed, most) \
  { #name, COLUMN_TEXT, offsetof(struct foreign_row, name), needed, 0, most }
#define REAL(name, needed, bounds) \
  { #name, COLUMN_DECIMAL, offsetof(struct foreign_row, name), needed, bounds }

static const struct csv_column columns[] = {
    TEXT(case_key, true, KEY_SIZE - 1),
    TEXT(variant, true, FOREIGN_TEXT_MAX),
    TEXT(mode, true, FOREIGN_TEXT_MAX),
    REAL(median_ns, true, TIME_BOUNDS),
    TEXT(source, true, FOREIGN_TEXT_MAX),
    REAL(lo_ns, false, TIME_BOUNDS),
    REAL(hi_ns, false, TIME_BOUNDS),
    {"samples", COLUMN_COUNT, offsetof(struct foreign_row, samples), false, 1, 1e15 - 1},
    TEXT(math, false, FOREIGN_TEXT_MAX),
    TEXT(device, false, FOREIGN_TEXT_MAX),
    {"verify_error", COLUMN_DECIMAL, offsetof(struct foreign_row, verify_error), false, 0, 1e300},
    TEXT(note, false, FOREIGN_NOTE_MAX),
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };
static const struct csv_table table = {columns, COLUMNS, "foreign rows", .added = 0};

/* Returns the address of the row's text for this column; NULL if the column is a number. */
static char **text_of(struct foreign_row *row, size_t column) {
  return columns[column].kind == COLUMN_TEXT ? (char **)(void *)((char *)row + columns[column].at) : NULL;
}

static void free_row(struct foreign_row *row) {
  for (size_t i = 0; i < COLUMNS; i++)
    if (text_of(row, i) != NULL) free(*text_of(row, i));
}

void foreign_free(struct foreign_rows *rows) {
  for (size_t i = 0; i < rows->count; i++)
    free_row(&rows->items[i]);
  free(rows->items);
  map_free(&rows->places);
  *rows = (struct foreign_rows){0};
}

/* ---- Storing ---- */

/* Returns the index of the row that has the same run, case, variant, mode, source and device. If there is none, enters
 * these names in the index and returns rows->count, the place for a new row. */
static size_t foreign_row_place(struct foreign_rows *rows, const struct foreign_row *row) {
  char run[24];
  snprintf(run, sizeof run, "%zu", row->run);
  const char *const key[NAME_PARTS] = {run, row->case_key, row->variant, row->mode, row->source, row->device};
  return map_put(&rows->places, key, NAME_PARTS, rows->count);
}

/* Stores the row. If there already is a row with the same names, replaces it. Takes ownership of the texts. */
static void put_foreign_row(struct foreign_rows *rows, struct foreign_row *row) {
  size_t at = foreign_row_place(rows, row);
  if (at < rows->count)
    free_row(&rows->items[at]);
  else
    rows->items = xgrow(rows->items, rows->count++, sizeof *rows->items);
  rows->items[at] = *row;
}

static void take_all(struct foreign_rows *into, struct foreign_rows *from, size_t run, size_t first_run) {
  for (size_t i = 0; i < from->count; i++) {
    struct foreign_row *row = &from->items[i];
    row->run = run != FOREIGN_ANY_RUN ? run : row->run != FOREIGN_ANY_RUN ? row->run + first_run : FOREIGN_ANY_RUN;
    put_foreign_row(into, row);
  }
  from->count = 0;
  foreign_free(from);
}

void foreign_merge(struct foreign_rows *into, struct foreign_rows *from, size_t run) {
  take_all(into, from, run, 0);
}

void foreign_merge_runs(struct foreign_rows *into, struct foreign_rows *from, size_t first_run) {
  take_all(into, from, FOREIGN_ANY_RUN, first_run);
}

/* ---- Reading ---- */

struct reader {
  struct foreign_rows *rows;
  bool strict;
  size_t column[COLUMNS]; /* for each of our columns, the index of that column in the file; SIZE_MAX: missing */
};

static size_t find_column(const char *name) {
  size_t at = 0;
  while (at < COLUMNS && strcmp(columns[at].name, name) != 0)
    at++;
  return at;
}

static int unknown_column(const char *name, struct err *err) {
  const char *names[COLUMNS];
  char all[256];
  for (size_t i = 0; i < COLUMNS; i++)
    names[i] = columns[i].name;
  const char *near = text_nearest(name, names, COLUMNS);
  if (near != NULL) return err_set(err, EXIT_FAILED, "unknown column '%.80s'; did you mean %s?", name, near);
  text_join(all, sizeof all, names, COLUMNS);
  return err_set(err, EXIT_FAILED, "unknown column '%.80s'; known are %s", name, all);
}

static int check_needed_columns(const struct reader *reader, struct err *err) {
  const char *missing[COLUMNS];
  size_t count = 0;
  char list[128];
  for (size_t i = 0; i < COLUMNS; i++)
    if (columns[i].needed && reader->column[i] == SIZE_MAX) missing[count++] = columns[i].name;
  text_join(list, sizeof list, missing, count);
  return count == 0 ? 0 : err_set(err, EXIT_FAILED, "not a file of foreign rows: columns missing: %s", list);
}

static int read_foreign_header(void *user, char **fields, size_t count, struct err *err) {
  struct reader *reader = user;
  for (size_t i = 0; i < count; i++) {
    size_t at = find_column(fields[i]);
    if (at == COLUMNS && !reader->strict) continue;
    if (at == COLUMNS) return unknown_column(fields[i], err);
    if (reader->column[at] != SIZE_MAX) return err_set(err, EXIT_FAILED, "column '%s' appears twice", fields[i]);
    reader->column[at] = i;
  }
  return check_needed_columns(reader, err);
}

static int refuse_foreign_field(const struct csv_column *column, const char *field, struct err *err) {
  if (column->kind == COLUMN_TEXT && field[0] == '\0') return err_set(err, EXIT_FAILED, "%s is empty", column->name);
  if (column->kind == COLUMN_TEXT)
    return err_set(err, EXIT_FAILED, "%s: more than %.0f bytes: '%.80s...'", column->name, column->most, field);
  if (column->kind == COLUMN_COUNT)
    return err_set(err, EXIT_FAILED, "%s is '%.40s', not a whole number above 0", column->name, field);
  return err_set(err, EXIT_FAILED, "%s is '%.40s', not a number from %g to %g", column->name, field, column->least,
                 column->most);
}

static int check_interval(const struct foreign_row *row, struct err *err) {
  if (isnan(row->lo_ns) && isnan(row->hi_ns)) return 0;
  if (row->lo_ns <= row->median_ns && row->median_ns <= row->hi_ns) return 0;
  return err_set(err, EXIT_FAILED, "lo_ns, median_ns and hi_ns are %g, %g and %g: not an interval around the median",
                 row->lo_ns, row->median_ns, row->hi_ns);
}

/* Converts the fields of a line to a row, whose texts point to the fields. */
static int parse_foreign_row(const struct reader *reader, char **fields, struct foreign_row *row, struct err *err) {
  static char nothing[] = ""; /* the text of missing columns; static, because the row points to it */
  char *own[COLUMNS];
  for (size_t i = 0; i < COLUMNS; i++)
    own[i] = reader->column[i] != SIZE_MAX ? fields[reader->column[i]] : nothing;
  uint32_t wrong = csv_table_parse(&table, own, row);
  for (size_t i = 0; i < COLUMNS; i++)
    if ((wrong & COLUMN_BIT(i)) != 0) return refuse_foreign_field(&columns[i], own[i], err);
  return check_interval(row, err);
}

static int read_foreign_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count, (void)complete;
  struct reader *reader = user;
  struct foreign_row row = {.run = FOREIGN_ANY_RUN};
  if (reader->rows->count == FOREIGN_ROWS_MAX) return err_set(err, EXIT_FAILED, "more than %d rows", FOREIGN_ROWS_MAX);
  size_t before = reader->rows->count;
  if (parse_foreign_row(reader, fields, &row, err) != 0) return -1;
  for (size_t i = 0; i < COLUMNS; i++)
    if (text_of(&row, i) != NULL) *text_of(&row, i) = xstrdup(*text_of(&row, i));
  put_foreign_row(reader->rows, &row);
  if (reader->rows->count > before) return 0;
  return err_set(err, EXIT_FAILED, "'%.80s' by '%.80s', mode %.40s, of case '%.200s' is there twice", row.variant,
                 row.source, row.mode, row.case_key);
}

int foreign_read(FILE *in, const char *name, bool strict, struct foreign_rows *rows, struct err *err) {
  struct reader reader = {.rows = rows, .strict = strict};
  const struct csv_handler handler = {read_foreign_header, read_foreign_row, &reader};
  bool torn = false;
  *rows = (struct foreign_rows){0};
  for (size_t i = 0; i < COLUMNS; i++)
    reader.column[i] = SIZE_MAX;
  int result = csv_read_stream(in, name, &handler, &torn, err);
  if (result == 0 && torn) result = err_set(err, EXIT_FAILED, "%s: its last row is cut off", name);
  if (result != 0) foreign_free(rows);
  return result;
}

/* Reads a file that --foreign names. Errors in the file are exit code 2 (usage), because the user wrote it. */
static int foreign_load(const char *path, struct foreign_rows *rows, struct err *err) {
  *rows = (struct foreign_rows){0};
  FILE *in = fopen(path, "re");
  if (in == NULL) return err_set(err, EXIT_USAGE, "--foreign %.3000s: %s", path, strerror(errno));
  int result = foreign_read(in, path, true, rows, err);
  fclose(in);
  if (result == 0) return 0;
  text_sanitize(err->text); /* the message quotes the file */
  err->exit_code = EXIT_USAGE;
  return err_context(err, "--foreign");
}

int foreign_load_all(const struct strings *files, struct foreign_rows *rows, struct err *err) {
  *rows = (struct foreign_rows){0};
  for (size_t i = 0; i < files->count; i++) {
    struct foreign_rows next;
    if (foreign_load(files->items[i], &next, err) != 0) {
      foreign_free(rows);
      return -1;
    }
    foreign_merge(rows, &next, FOREIGN_ANY_RUN);
  }
  return 0;
}

/* ---- Writing ---- */

int foreign_write_header(FILE *out, struct err *err) {
  return csv_table_write_header(out, &table, err);
}

int foreign_write_row(FILE *out, const struct foreign_row *row, struct err *err) {
  csv_table_write(out, &table, row);
  return output_end(out, table.what, err);
}

int foreign_write(const void *what, FILE *out, struct err *err) {
  const struct foreign_rows *rows = what;
  int result = foreign_write_header(out, err);
  for (size_t i = 0; i < rows->count && result == 0; i++)
    result = foreign_write_row(out, &rows->items[i], err);
  return result;
}

int foreign_text(const struct foreign_rows *rows, char **text, size_t *size, struct err *err) {
  struct memory_text made;
  const int result = foreign_write(rows, memory_text_begin(&made), err);
  *text = memory_text_end(&made);
  *size = made.size;
  return result;
}
