/* One writer and one reader for all files whose columns are fixed. */
#include "record/csv_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"
#include "record/csv.h"
#include "record/csv_read.h"

/* ---- Writing ---- */

static void write_names(FILE *out, const struct csv_table *table) {
  for (size_t i = 0; i < table->count; i++)
    fprintf(out, "%s%s", i > 0 ? "," : "", table->items[i].name);
}

int csv_table_write_header(FILE *out, const struct csv_table *table, struct err *err) {
  write_names(out, table);
  fputs("\r\n", out);
  return csv_finish(out, table->what, err);
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

/* ---- A field ---- */

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

static bool parse_real(const char *text, double *to) {
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
  return !column->needed && (column->kind > COLUMN_REAL || column->kind == COLUMN_COUNT); /* which is 0 already */
}

static bool parse_field(const struct csv_column *column, char *text, void *to) {
  if (column->kind == COLUMN_TEXT) return parse_text(column, text, to);
  if (text[0] == '\0') return parse_empty(column, to);
  if (column->kind == COLUMN_SIGNED) return parse_signed(text, to);
  if (column->kind >= COLUMN_REAL) {
    if (column->kind == COLUMN_DECIMAL && !is_decimal(text)) return false;
    return parse_real(text, to) && (column->kind != COLUMN_ABOVE || *(double *)to > 0) &&
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

/* ---- A file ---- */

enum { COLUMNS_MOST = 32 }; /* as COLUMN_BIT() has */

struct reader {
  const struct csv_table *table;
  int (*take)(void *user, char **fields, struct err *err);
  void *user;
};

static bool is_header(const struct csv_table *table, char **names, size_t count) {
  for (size_t i = 0; i < count && i < table->count; i++)
    if (strcmp(names[i], table->items[i].name) != 0) return false;
  return count <= table->count && count >= table->count - table->added;
}

static int read_header(void *user, char **names, size_t count, struct err *err) {
  const struct csv_table *table = ((const struct reader *)user)->table;
  char list[256];
  struct memory_text wanted;
  if (is_header(table, names, count)) return 0;
  text_join(list, sizeof list, (const char *const *)names, count);
  write_names(memory_text_begin(&wanted), table);
  SCOPED char *text = memory_text_end(&wanted);
  err_set(err, EXIT_FAILED, "the columns are '%s', not %s", list, text);
  return -1;
}

static int read_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  const struct reader *reader = user;
  static char none[] = "";
  char *all[COLUMNS_MOST];
  for (size_t i = 0; i < reader->table->count; i++)
    all[i] = i < count ? fields[i] : none;
  return complete ? reader->take(reader->user, all, err) : 0;
}

int csv_table_read(FILE *in, const char *name, const struct csv_table *table,
                   int (*take)(void *user, char **fields, struct err *err), void *user, bool *torn, struct err *err) {
  struct reader reader = {table, take, user};
  const struct csv_handler handler = {read_header, read_row, &reader};
  bool ignored = false;
  return csv_read_stream(in, name, &handler, torn != NULL ? torn : &ignored, err);
}
