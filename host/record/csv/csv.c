/* Writes and reads CSV. libcsv does the quoting; the types of fields come from the columns of struct record, or from a
 * struct csv_table. */
#include "record/csv/csv.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "record/renamed.h"

/* Returns true if a spreadsheet would take the text for a formula. Such a text is written with an apostrophe before it,
 * and reading removes one apostrophe. Apostrophes at the beginning of the text are skipped here, so that "'=1" also
 * gets one more and is read back unchanged. */
static bool is_formula(const char *text) {
  text += strspn(text, "'");
  return *text != '\0' && strchr("=+-@\t\r\n", *text) != NULL;
}

void csv_unguard(char *text) {
  if (text[0] == '\'' && is_formula(text)) memmove(text, text + 1, strlen(text));
}

/* Writes a text. Errors are not reported here: they remain in the stream's error flag, which output_end() checks. */
void csv_write_text(FILE *out, const char *text) {
  if (text == NULL || text[0] == '\0') return;
  if (!is_formula(text)) {
    csv_fwrite(out, text, strlen(text));
    return;
  }
  SCOPED char *guarded = memory_print("'%s", text);
  csv_fwrite(out, guarded, strlen(guarded));
}

int csv_write_header(FILE *out, struct err *err) {
  for (size_t i = 0; i < record_field_count; i++)
    fprintf(out, "%s%s", i ? "," : "", record_fields[i].name);
  fputs("\r\n", out);
  return output_end(out, "results", err);
}

void csv_write_field(FILE *out, const struct record *record, const struct record_field *field) {
  char number[64];
  const char *text = record_text(record, field, number, sizeof number);
  if (field->kind == RECORD_TEXT)
    csv_write_text(out, text);
  else
    fputs(text, out);
}

int csv_write_record(FILE *out, const struct record *record, struct err *err) {
  for (size_t i = 0; i < record_field_count; i++) {
    if (i) fputc(',', out);
    csv_write_field(out, record, &record_fields[i]);
  }
  fputs("\r\n", out);
  return output_end(out, "results", err);
}

/* ---- Reading: libcsv splits fields; this code counts lines and fields, which libcsv does not ---- */

struct reader {
  const char *path;
  const struct csv_handler *handler;
  struct err *err;
  char *text; /* the row's fields, each with its NUL; the buffer may move when it grows */
  size_t used, size;
  size_t *starts; /* offsets of the fields in the text */
  /* pointers to the fields, set when the row is complete */
  char **fields;
  size_t count, capacity;
  size_t columns; /* number of columns in the header; 0 before the header is read */
  /* number of the current line, and number of the line at which the row began */
  size_t line, row_line;
  bool failed, ended, at_end, torn;
};

static void fail_reader(struct reader *reader, const char *what) {
  if (reader->failed) return;
  reader->failed = true;
  if (reader->err->exit_code == 0) err_set(reader->err, EXIT_FAILED, "%s", what);
  err_context(reader->err, "%s:%zu", reader->path, reader->row_line);
}

static void make_room(struct reader *reader, size_t length) {
  if (reader->used + length > reader->size) {
    reader->size = 2 * (reader->used + length);
    reader->text = xrealloc(reader->text, reader->size, 1);
  }
  if (reader->count < reader->capacity) return;
  reader->capacity = reader->capacity ? reader->capacity * 2 : 64;
  reader->starts = xrealloc(reader->starts, reader->capacity, sizeof *reader->starts);
  reader->fields = xrealloc(reader->fields, reader->capacity, sizeof *reader->fields);
}

static void on_field(void *text, size_t length, void *user) {
  struct reader *reader = user;
  make_room(reader, length + 1);
  if (length != 0) memcpy(reader->text + reader->used, text, length);
  reader->text[reader->used + length] = '\0';
  reader->starts[reader->count++] = reader->used;
  reader->used += length + 1;
  reader->ended = false;
}

static void take_csv_row(struct reader *reader) {
  const struct csv_handler *handler = reader->handler;
  char text[128];
  for (size_t i = 0; i < reader->count; i++)
    reader->fields[i] = reader->text + reader->starts[i];
  if (reader->columns == 0) {
    reader->columns = reader->count;
    if (handler->header(handler->user, reader->fields, reader->count, reader->err) != 0)
      fail_reader(reader, "bad header");
  } else if (reader->count != reader->columns) {
    snprintf(text, sizeof text, "%zu fields, but the header has %zu", reader->count, reader->columns);
    if (reader->at_end && reader->count < reader->columns)
      reader->torn = true;
    else
      fail_reader(reader, text);
  } else if (handler->row(handler->user, reader->fields, reader->count, !reader->at_end, reader->err) != 0) {
    fail_reader(reader, "bad row");
  }
}

static void on_row(int terminator, void *user) {
  (void)terminator;
  struct reader *reader = user;
  if (!reader->failed) take_csv_row(reader);
  reader->count = reader->used = 0;
  reader->row_line = reader->line + 1;
  reader->ended = true;
}

static void feed_line(struct reader *reader, struct csv_parser *parser, const char *line, size_t length) {
  static const char bom[] = "\xEF\xBB\xBF";
  reader->line++;
  if (reader->line == 1 && length >= 3 && memcmp(line, bom, 3) == 0) {
    line += 3;
    length -= 3;
  }
  if (memchr(line, '\0', length) != NULL) {
    fail_reader(reader, "a NUL byte in a field");
    return;
  }
  bool blank = strspn(line, "\r\n") == length;
  if (blank && reader->ended && reader->row_line == reader->line) reader->row_line++;
  if (csv_parse(parser, line, length, on_field, on_row, reader) != length || csv_error(parser) != 0)
    fail_reader(reader, "a quotation mark where none may be");
}

static void finish(struct reader *reader, struct csv_parser *parser) {
  reader->at_end = true;
  if (csv_fini(parser, on_field, on_row, reader) == 0) return;
  if (reader->columns != 0)
    reader->torn = true;
  else
    fail_reader(reader, "the header ends inside a quoted field");
}

static int read_csv_lines(struct reader *reader, FILE *in, struct csv_parser *parser) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length = 0;
  while (!reader->failed && (length = getline(&line, &size, in)) > 0)
    feed_line(reader, parser, line, (size_t)length);
  free(line);
  if (!reader->failed && ferror(in))
    return err_set(reader->err, EXIT_FAILED, "cannot read %s: %s", reader->path, strerror(errno));
  if (!reader->failed) finish(reader, parser);
  if (!reader->failed && reader->columns == 0) fail_reader(reader, "no header: the file is empty");
  return reader->failed ? -1 : 0;
}

int csv_read_stream(FILE *in, const char *name, const struct csv_handler *handler, bool *torn, struct err *err) {
  struct reader reader = {.path = name, .handler = handler, .err = err, .row_line = 1, .ended = true};
  struct csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL);
  int result = read_csv_lines(&reader, in, &parser);
  csv_free(&parser);
  free(reader.text);
  free(reader.starts);
  free(reader.fields);
  *torn = reader.torn;
  return result;
}

/* ---- Tables: files with fixed columns ---- */

/* ---- Writing rows of a table ---- */

static void write_names(FILE *out, const struct csv_table *table) {
  for (size_t i = 0; i < table->count; i++)
    fprintf(out, "%s%s", i > 0 ? "," : "", table->items[i].name);
}

int csv_table_write_header(FILE *out, const struct csv_table *table, struct err *err) {
  write_names(out, table);
  fputs("\r\n", out);
  return output_end(out, table->what, err);
}

static void write_real(FILE *out, double value) {
  if (isfinite(value)) fputs(number_shortest(value).text, out);
}

static void write_field(FILE *out, enum column_kind kind, const void *member) {
  if (kind == COLUMN_TEXT)
    csv_write_text(out, *(const char *const *)member);
  else if (kind == COLUMN_SIGNED)
    fprintf(out, "%" PRId64, *(const int64_t *)member);
  else if (kind >= COLUMN_REAL)
    write_real(out, *(const double *)member);
  else if (kind != COLUMN_COUNT || *(const uint64_t *)member != 0)
    fprintf(out, "%" PRIu64, *(const uint64_t *)member);
}

void csv_table_write(FILE *out, const struct csv_table *table, const void *row) {
  for (size_t i = 0; i < table->count; i++) {
    if (i > 0) fputc(',', out);
    write_field(out, table->items[i].kind, (const char *)row + table->items[i].at);
  }
  fputs("\r\n", out);
}

/* ---- Converting one field of a table ---- */

static bool parse_text(const struct csv_column *column, char *text, const char **to) {
  csv_unguard(text);
  *to = text;
  return !(column->needed && text[0] == '\0') && (column->most == 0 || (double)strlen(text) <= column->most);
}

static bool parse_signed(const char *text, int64_t *to) {
  char *end = NULL;
  errno = 0;
  *to = strtoll(text, &end, 10);
  return strchr("-0123456789", text[0]) != NULL && end != text && *end == '\0' && errno == 0;
}

static bool parse_finite_real(const char *text, double *to) {
  char *end = NULL;
  *to = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*to);
}

static bool is_decimal(const char *text) {
  return strspn(text, "0123456789.eE+-") == strlen(text);
}

static bool is_within(const struct csv_column *column, double value) {
  return column->most == 0 || (value >= column->least && value <= column->most);
}

static bool parse_empty(const struct csv_column *column, void *to) {
  if (column->kind > COLUMN_REAL) *(double *)to = (double)NAN;
  /* an empty field of kind COLUMN_COUNT means 0, which the zeroed row already has */
  return !column->needed && (column->kind > COLUMN_REAL || column->kind == COLUMN_COUNT);
}

static bool parse_field(const struct csv_column *column, char *text, void *to) {
  if (column->kind == COLUMN_TEXT) return parse_text(column, text, to);
  if (text[0] == '\0') return parse_empty(column, to);
  if (column->kind == COLUMN_SIGNED) return parse_signed(text, to);
  if (column->kind >= COLUMN_REAL) {
    if (column->kind == COLUMN_DECIMAL && !is_decimal(text)) return false;
    return parse_finite_real(text, to) && (column->kind != COLUMN_ABOVE || *(double *)to > 0) &&
           is_within(column, *(double *)to);
  }
  static const uint64_t most[] = {
      [COLUMN_NUMBER] = UINT32_MAX, [COLUMN_WHOLE] = INT64_MAX, [COLUMN_COUNT] = UINT64_MAX};
  return number_whole(text, most[column->kind], to) && is_within(column, (double)*(uint64_t *)to);
}

uint32_t csv_table_parse(const struct csv_table *table, char **fields, void *row) {
  uint32_t wrong = 0;
  for (size_t i = 0; i < table->count; i++)
    if (!parse_field(&table->items[i], fields[i], (char *)row + table->items[i].at)) wrong |= COLUMN_BIT(i);
  return wrong;
}

int csv_table_check(const struct csv_table *table, uint32_t wrong, char **fields, struct err *err) {
  size_t at = 0;
  if (wrong == 0) return 0;
  while ((wrong & COLUMN_BIT(at)) == 0)
    at++;
  enum column_kind kind = table->items[at].kind;
  return err_set(err, EXIT_FAILED, "'%.40s' is not %s", fields[at],
                 kind == COLUMN_ABOVE                          ? "a number above 0"
                 : kind == COLUMN_REAL || kind == COLUMN_KNOWN ? "a number"
                                                               : "a whole number");
}

/* ---- Reading a file with the columns of a table ---- */

/* largest number of columns of a table, because csv_table_parse() returns a mask with a bit for each column */
enum { COLUMNS_MOST = 32 };

struct table_reader {
  const struct csv_table *table;
  int (*take)(void *user, char **fields, struct err *err);
  void *user;
};

static bool is_header(const struct csv_table *table, char **names, size_t count) {
  for (size_t i = 0; i < count && i < table->count; i++)
    if (strcmp(renamed_name(RENAMED_COLUMN, names[i]), table->items[i].name) != 0) return false;
  return count <= table->count && count >= table->count - table->added;
}

static int read_table_header(void *user, char **names, size_t count, struct err *err) {
  const struct csv_table *table = ((const struct table_reader *)user)->table;
  char list[256];
  struct memory_text wanted;
  if (is_header(table, names, count)) return 0;
  text_join(list, sizeof list, (const char *const *)names, count);
  write_names(memory_text_begin(&wanted), table);
  SCOPED char *text = memory_text_end(&wanted);
  err_set(err, EXIT_FAILED, "the columns are '%s', not %s", list, text);
  return -1;
}

static int read_table_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  const struct table_reader *table_reader = user;
  static char none[] = "";
  char *all[COLUMNS_MOST];
  for (size_t i = 0; i < table_reader->table->count; i++)
    all[i] = i < count ? fields[i] : none;
  return complete ? table_reader->take(table_reader->user, all, err) : 0;
}

int csv_table_read(FILE *in, const char *name, const struct csv_table *table,
                   int (*take)(void *user, char **fields, struct err *err), void *user, bool *torn, struct err *err) {
  struct table_reader table_reader = {table, take, user};
  const struct csv_handler handler = {read_table_header, read_table_row, &table_reader};
  bool ignored = false;
  return csv_read_stream(in, name, &handler, torn != NULL ? torn : &ignored, err);
}
