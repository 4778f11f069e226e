/* Reading CSV. libcsv splits fields; this counts lines and fields, which libcsv does not. */
#include "record/csv_read.h"

#include <csv.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"
#include "base/text.h"

struct reader {
  const char *path;
  const struct csv_handler *handler;
  struct err *err;
  char *text; /* the row's fields one after another, each with its NUL; they move while it grows */
  size_t used, size;
  size_t *starts; /* of the fields in the text */
  char **fields;  /* the same as pointers, when the row is whole */
  size_t count, capacity;
  size_t columns;        /* of the header; 0 before it */
  size_t line, row_line; /* line being read, line at which the row began */
  bool failed, ended, at_end, torn;
};

static void fail(struct reader *reader, const char *what) {
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

static void take_row(struct reader *reader) {
  const struct csv_handler *handler = reader->handler;
  char text[128];
  for (size_t i = 0; i < reader->count; i++)
    reader->fields[i] = reader->text + reader->starts[i];
  if (reader->columns == 0) {
    reader->columns = reader->count;
    if (handler->header(handler->user, reader->fields, reader->count, reader->err) != 0) fail(reader, "bad header");
  } else if (reader->count != reader->columns) {
    snprintf(text, sizeof text, "%zu fields, but the header has %zu", reader->count, reader->columns);
    if (reader->at_end && reader->count < reader->columns)
      reader->torn = true;
    else
      fail(reader, text);
  } else if (handler->row(handler->user, reader->fields, reader->count, !reader->at_end, reader->err) != 0) {
    fail(reader, "bad row");
  }
}

static void on_row(int terminator, void *user) {
  (void)terminator;
  struct reader *reader = user;
  if (!reader->failed) take_row(reader);
  reader->count = reader->used = 0;
  reader->row_line = reader->line + 1;
  reader->ended = true;
}

static void feed(struct reader *reader, struct csv_parser *parser, const char *line, size_t length) {
  static const char bom[] = "\xEF\xBB\xBF";
  reader->line++;
  if (reader->line == 1 && length >= 3 && memcmp(line, bom, 3) == 0) {
    line += 3;
    length -= 3;
  }
  if (memchr(line, '\0', length) != NULL) {
    fail(reader, "a NUL byte in a field");
    return;
  }
  bool blank = strspn(line, "\r\n") == length;
  if (blank && reader->ended && reader->row_line == reader->line) reader->row_line++;
  if (csv_parse(parser, line, length, on_field, on_row, reader) != length || csv_error(parser) != 0)
    fail(reader, "a quotation mark where none may be");
}

static void finish(struct reader *reader, struct csv_parser *parser) {
  reader->at_end = true;
  if (csv_fini(parser, on_field, on_row, reader) == 0) return;
  if (reader->columns != 0)
    reader->torn = true;
  else
    fail(reader, "the header ends inside a quoted field");
}

static int read_all(struct reader *reader, FILE *in, struct csv_parser *parser) {
  char *line = NULL;
  size_t size = 0;
  ssize_t length = 0;
  while (!reader->failed && (length = getline(&line, &size, in)) > 0)
    feed(reader, parser, line, (size_t)length);
  free(line);
  if (!reader->failed && ferror(in))
    return err_set(reader->err, EXIT_FAILED, "cannot read %s: %s", reader->path, strerror(errno));
  if (!reader->failed) finish(reader, parser);
  if (!reader->failed && reader->columns == 0) fail(reader, "no header: the file is empty");
  return reader->failed ? -1 : 0;
}

int csv_read_stream(FILE *in, const char *name, const struct csv_handler *handler, bool *torn, struct err *err) {
  struct reader reader = {.path = name, .handler = handler, .err = err, .row_line = 1, .ended = true};
  struct csv_parser parser;
  csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI | CSV_APPEND_NULL | CSV_EMPTY_IS_NULL);
  int result = read_all(&reader, in, &parser);
  csv_free(&parser);
  free(reader.text);
  free(reader.starts);
  free(reader.fields);
  *torn = reader.torn;
  return result;
}

int csv_read(const char *path, const struct csv_handler *handler, bool *torn, struct err *err) {
  FILE *in = fopen(path, "r");
  if (in == NULL) return err_set(err, EXIT_FAILED, "cannot open %s: %s", path, strerror(errno));
  int result = csv_read_stream(in, path, handler, torn, err);
  fclose(in);
  return result;
}
