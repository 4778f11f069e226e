/* Rows of other programs: their columns, their bounds, the file. */
#include "record/foreign.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "record/csv.h"
#include "record/csv_read.h"

enum kind { KIND_TEXT, KIND_TIME, KIND_ERROR, KIND_COUNT };

static const struct column {
  const char *name;
  enum kind kind;
  size_t at;   /* in the row */
  size_t most; /* bytes of a text */
  bool needed; /* there is no row without it */
} columns[] = {
    {"case_key", KIND_TEXT, offsetof(struct foreign_row, case_key), KEY_SIZE - 1, true},
    {"variant", KIND_TEXT, offsetof(struct foreign_row, variant), FOREIGN_TEXT_MAX, true},
    {"mode", KIND_TEXT, offsetof(struct foreign_row, mode), FOREIGN_TEXT_MAX, true},
    {"median_ns", KIND_TIME, offsetof(struct foreign_row, median_ns), 0, true},
    {"source", KIND_TEXT, offsetof(struct foreign_row, source), FOREIGN_TEXT_MAX, true},
    {"lo_ns", KIND_TIME, offsetof(struct foreign_row, lo_ns), 0, false},
    {"hi_ns", KIND_TIME, offsetof(struct foreign_row, hi_ns), 0, false},
    {"samples", KIND_COUNT, offsetof(struct foreign_row, samples), 0, false},
    {"math", KIND_TEXT, offsetof(struct foreign_row, math), FOREIGN_TEXT_MAX, false},
    {"device", KIND_TEXT, offsetof(struct foreign_row, device), FOREIGN_TEXT_MAX, false},
    {"verify_error", KIND_ERROR, offsetof(struct foreign_row, verify_error), 0, false},
    {"note", KIND_TEXT, offsetof(struct foreign_row, note), FOREIGN_NOTE_MAX, false},
};
enum { COLUMNS = sizeof columns / sizeof columns[0], NAME_PARTS = 6 };

/* A time outside these is a slip of the unit at best. */
static const double time_least = 1e-3, time_most = 1e18, error_most = 1e300;

static void *member(struct foreign_row *row, size_t column) {
  return (char *)row + columns[column].at;
}

static const void *const_member(const struct foreign_row *row, size_t column) {
  return (const char *)row + columns[column].at;
}

static void free_row(struct foreign_row *row) {
  for (size_t i = 0; i < COLUMNS; i++)
    if (columns[i].kind == KIND_TEXT) free(*(char **)member(row, i));
}

void foreign_free(struct foreign_rows *rows) {
  for (size_t i = 0; i < rows->count; i++)
    free_row(&rows->items[i]);
  free(rows->items);
  map_free(&rows->places);
  *rows = (struct foreign_rows){0};
}

/* ---- Keeping ---- */

/* The place of the row of this name; rows->count where it is new. */
static size_t place_of(struct foreign_rows *rows, const struct foreign_row *row) {
  char run[24];
  snprintf(run, sizeof run, "%zu", row->run);
  const char *const key[NAME_PARTS] = {run, row->case_key, row->variant, row->mode, row->source, row->device};
  return map_put(&rows->places, key, NAME_PARTS, rows->count);
}

/* Takes the row. */
static void put(struct foreign_rows *rows, struct foreign_row *row) {
  size_t at = place_of(rows, row);
  if (at < rows->count) {
    free_row(&rows->items[at]);
  } else if (rows->count++ == rows->capacity) {
    rows->capacity = rows->capacity ? 2 * rows->capacity : 16;
    rows->items = xrealloc(rows->items, rows->capacity, sizeof *rows->items);
  }
  rows->items[at] = *row;
}

static void take_all(struct foreign_rows *into, struct foreign_rows *from, size_t run, size_t first_run) {
  for (size_t i = 0; i < from->count; i++) {
    struct foreign_row *row = &from->items[i];
    row->run = run != FOREIGN_ANY_RUN ? run : row->run != FOREIGN_ANY_RUN ? row->run + first_run : FOREIGN_ANY_RUN;
    put(into, row);
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
  size_t column[COLUMNS]; /* fields of the file by our columns; SIZE_MAX: not there */
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

static int check_needed(const struct reader *reader, struct err *err) {
  const char *missing[COLUMNS];
  size_t count = 0;
  char list[128];
  for (size_t i = 0; i < COLUMNS; i++)
    if (columns[i].needed && reader->column[i] == SIZE_MAX) missing[count++] = columns[i].name;
  text_join(list, sizeof list, missing, count);
  return count == 0 ? 0 : err_set(err, EXIT_FAILED, "no file of foreign rows: columns missing: %s", list);
}

static int read_header(void *user, char **fields, size_t count, struct err *err) {
  struct reader *reader = user;
  for (size_t i = 0; i < count; i++) {
    size_t at = find_column(fields[i]);
    if (at == COLUMNS && !reader->strict) continue;
    if (at == COLUMNS) return unknown_column(fields[i], err);
    if (reader->column[at] != SIZE_MAX) return err_set(err, EXIT_FAILED, "column '%s' appears twice", fields[i]);
    reader->column[at] = i;
  }
  return check_needed(reader, err);
}

static int take_text(char **to, const struct column *column, char *field, struct err *err) {
  csv_unguard(field);
  if (column->needed && field[0] == '\0') return err_set(err, EXIT_FAILED, "%s is empty", column->name);
  if (strlen(field) > column->most)
    return err_set(err, EXIT_FAILED, "%s: more than %zu bytes: '%.80s...'", column->name, column->most, field);
  *to = xstrdup(field);
  return 0;
}

/* Decimal and finite; what strtod() would also take (nan, inf, hexadecimal, leading space) is refused. */
static int take_real(double *to, const struct column *column, const char *field, double least, double most,
                     struct err *err) {
  char *end = NULL;
  if (field[0] == '\0' && !column->needed) return 0;
  *to = strtod(field, &end);
  bool decimal = field[0] != '\0' && strspn(field, "0123456789.eE+-") == strlen(field) && *end == '\0';
  if (decimal && *to >= least && *to <= most) return 0;
  return err_set(err, EXIT_FAILED, "%s is '%.40s', not a number from %g to %g", column->name, field, least, most);
}

static int take_count(int64_t *to, const struct column *column, const char *field, struct err *err) {
  size_t digits = strspn(field, "0123456789");
  if (field[0] == '\0') return 0;
  *to = digits > 0 && digits <= 15 && field[digits] == '\0' ? strtoll(field, NULL, 10) : 0;
  return *to > 0 ? 0 : err_set(err, EXIT_FAILED, "%s is '%.40s', not a whole number above 0", column->name, field);
}

static int take_field(struct foreign_row *row, size_t at, char *field, struct err *err) {
  const struct column *column = &columns[at];
  switch (column->kind) {
    case KIND_TEXT:
      return take_text(member(row, at), column, field, err);
    case KIND_TIME:
      return take_real(member(row, at), column, field, time_least, time_most, err);
    case KIND_ERROR:
      return take_real(member(row, at), column, field, 0, error_most, err);
    case KIND_COUNT:
      return take_count(member(row, at), column, field, err);
  }
  return -1;
}

static int check_interval(const struct foreign_row *row, struct err *err) {
  if (isnan(row->lo_ns) && isnan(row->hi_ns)) return 0;
  if (row->lo_ns <= row->median_ns && row->median_ns <= row->hi_ns) return 0;
  return err_set(err, EXIT_FAILED, "lo_ns, median_ns and hi_ns are %g, %g and %g: not an interval around the median",
                 row->lo_ns, row->median_ns, row->hi_ns);
}

static int take_fields(const struct reader *reader, char **fields, struct foreign_row *row, struct err *err) {
  char nothing[] = "";
  for (size_t i = 0; i < COLUMNS; i++)
    if (take_field(row, i, reader->column[i] != SIZE_MAX ? fields[reader->column[i]] : nothing, err) != 0) return -1;
  return check_interval(row, err);
}

static int read_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count, (void)complete;
  struct reader *reader = user;
  struct foreign_row row = {.lo_ns = NAN, .hi_ns = NAN, .verify_error = NAN, .samples = -1, .run = FOREIGN_ANY_RUN};
  if (reader->rows->count == FOREIGN_ROWS_MAX) return err_set(err, EXIT_FAILED, "more than %d rows", FOREIGN_ROWS_MAX);
  size_t before = reader->rows->count;
  if (take_fields(reader, fields, &row, err) != 0) {
    free_row(&row);
    return -1;
  }
  put(reader->rows, &row);
  if (reader->rows->count > before) return 0;
  return err_set(err, EXIT_FAILED, "'%.80s' by '%.80s', mode %.40s, of case '%.200s' is there twice", row.variant,
                 row.source, row.mode, row.case_key);
}

int foreign_read(FILE *in, const char *name, bool strict, struct foreign_rows *rows, struct err *err) {
  struct reader reader = {.rows = rows, .strict = strict};
  const struct csv_handler handler = {read_header, read_row, &reader};
  bool torn = false;
  *rows = (struct foreign_rows){0};
  for (size_t i = 0; i < COLUMNS; i++)
    reader.column[i] = SIZE_MAX;
  int result = csv_read_stream(in, name, &handler, &torn, err);
  if (result == 0 && torn) result = err_set(err, EXIT_FAILED, "%s: its last row is cut off", name);
  if (result != 0) foreign_free(rows);
  return result;
}

int foreign_load(const char *path, struct foreign_rows *rows, struct err *err) {
  *rows = (struct foreign_rows){0};
  FILE *in = fopen(path, "re");
  if (in == NULL) return err_set(err, EXIT_USAGE, "--foreign %.3000s: %s", path, strerror(errno));
  int result = foreign_read(in, path, true, rows, err);
  fclose(in);
  if (result == 0) return 0;
  text_sanitize(err->text); /* it quotes the file */
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
  for (size_t i = 0; i < COLUMNS; i++)
    fprintf(out, "%s%s", i != 0 ? "," : "", columns[i].name);
  fputs("\r\n", out);
  return csv_finish(out, "foreign rows", err);
}

static void write_number(FILE *out, double value) {
  char text[64];
  if (isnan(value)) return;
  text_shortest(text, sizeof text, value);
  fputs(text, out);
}

int foreign_write_row(FILE *out, const struct foreign_row *row, struct err *err) {
  for (size_t i = 0; i < COLUMNS; i++) {
    if (i != 0) fputc(',', out);
    if (columns[i].kind == KIND_TEXT)
      csv_write_text(out, *(char *const *)const_member(row, i));
    else if (columns[i].kind != KIND_COUNT)
      write_number(out, *(const double *)const_member(row, i));
    else if (row->samples > 0)
      fprintf(out, "%lld", (long long)row->samples);
  }
  fputs("\r\n", out);
  return csv_finish(out, "foreign rows", err);
}

int foreign_write(const void *what, FILE *out, struct err *err) {
  const struct foreign_rows *rows = what;
  int result = foreign_write_header(out, err);
  for (size_t i = 0; i < rows->count && result == 0; i++)
    result = foreign_write_row(out, &rows->items[i], err);
  return result;
}

int foreign_text(const struct foreign_rows *rows, char **text, size_t *size, struct err *err) {
  *text = NULL;
  FILE *out = open_memstream(text, size);
  if (out == NULL) return err_set(err, EXIT_FAILED, "out of memory for foreign rows");
  int result = foreign_write(rows, out, err);
  if (fclose(out) != 0 && result == 0) result = err_set(err, EXIT_FAILED, "out of memory for foreign rows");
  return result;
}
