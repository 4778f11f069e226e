/* results.csv and run.ini into memory. Everything in them is untrusted. */
#include "record/run_files.h"

#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"
#include "record/csv.h"
#include "record/csv_read.h"

struct results {
  struct run_data *data;
  const struct record_field **fields; /* per column of the file; NULL: unknown */
};

static struct run_info *last_run(struct run_data *data) {
  return &data->runs[data->run_count - 1];
}

static int missing_columns(char **names, size_t count, struct err *err) {
  static const char *const essential[] = {"bench", "case_key", "variant", "status", "median_raw_ns"};
  const char *missing[sizeof essential / sizeof essential[0]];
  size_t missing_count = 0;
  char list[200];
  for (size_t i = 0; i < sizeof essential / sizeof essential[0]; i++) {
    size_t j = 0;
    while (j < count && strcmp(names[j], essential[i]) != 0)
      j++;
    if (j == count) missing[missing_count++] = essential[i];
  }
  text_join(list, sizeof list, missing, missing_count);
  return missing_count == 0 ? 0 : err_set(err, EXIT_FAILED, "not a results.csv: columns missing: %s", list);
}

static int results_header(void *user, char **names, size_t count, struct err *err) {
  struct results *results = user;
  results->fields = xcalloc(count, sizeof *results->fields);
  for (size_t i = 0; i < count; i++) {
    results->fields[i] = record_field(names[i]);
    for (size_t j = 0; results->fields[i] != NULL && j < i; j++)
      if (results->fields[j] == results->fields[i])
        return err_set(err, EXIT_FAILED, "column '%s' appears twice", names[i]);
  }
  return missing_columns(names, count, err);
}

static struct record *new_record(struct run_data *data) {
  size_t at = data->count;
  data->records = xgrow(data->records, at, sizeof *data->records);
  record_init(&data->records[at]);
  data->count++;
  last_run(data)->count++;
  return &data->records[at];
}

static int results_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  struct results *results = user;
  struct record *record = new_record(results->data);
  last_run(results->data)->unended = !complete;
  for (size_t i = 0; i < count; i++) {
    const struct record_field *field = results->fields[i];
    if (field == NULL) continue;
    if (field->kind == RECORD_TEXT) csv_unguard(fields[i]);
    if (!record_parse(record, field, fields[i]))
      return err_set(err, EXIT_FAILED, "column %s: '%.100s' is not %s", field->name, fields[i],
                     field->kind == RECORD_REAL ? "a number" : "a whole number");
    if (record->schema > RECORD_SCHEMA)
      return err_set(err, EXIT_FAILED, "schema %lld is of a newer gpubench; this one reads up to %d",
                     (long long)record->schema, RECORD_SCHEMA);
  }
  return record_check(record, err);
}

int run_file_results(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct results results = {.data = data};
  struct csv_handler handler = {results_header, results_row, &results};
  bool torn = false;
  int result = csv_read_stream(in, name, &handler, &torn, err);
  free(results.fields);
  if (torn) strings_add(&last_run(data)->notes, "The last row of results.csv was cut off and is left out.");
  return result;
}

static int ini_pair(void *user, const char *section, const char *name, const char *value) {
  struct run_info *info = user;
  struct pairs *pairs = strcmp(section, "environment") == 0 ? &info->environment
                        : strcmp(section, "tags") == 0      ? &info->tags
                                                            : NULL;
  if (pairs == NULL) return 1;
  pairs_add_text(pairs, name, value != NULL ? value : "");
  text_percent_decode(pairs->items[pairs->count - 1].value);
  return 1;
}

#ifdef HAVE_INIH_GLOBALS
/* inih's limits are global variables there: set for this file, put back after. */
static int parse_ini(FILE *in, struct run_info *info) {
  int line = ini_max_line;
  bool stack = ini_use_stack, grow = ini_allow_realloc;
  bool multiline = ini_allow_multiline, comments = ini_allow_inline_comments;
  ini_use_stack = 0;
  ini_allow_realloc = 1;
  ini_max_line = 1 << 20;
  ini_allow_multiline = 0;
  ini_allow_inline_comments = 0; /* values are written by gpubench and may hold " ;" */
  int result = ini_parse_file(in, ini_pair, info);
  ini_use_stack = stack;
  ini_allow_realloc = grow;
  ini_max_line = line;
  ini_allow_multiline = multiline;
  ini_allow_inline_comments = comments;
  return result;
}
#else
static int parse_ini(FILE *in, struct run_info *info) {
  return ini_parse_file(in, ini_pair, info);
}
#endif

char *run_file_text(FILE *in, const char *name, size_t *length, struct err *err) {
  char *text = NULL;
  size_t size = 0;
  ssize_t got = getdelim(&text, &size, '\0', in);
  *length = got > 0 ? (size_t)got : 0;
  bool failed = ferror(in) != 0, ends = *length != 0 && text[*length - 1] == '\0';
  if (failed) err_set(err, EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
  if (!failed && ends) err_set(err, EXIT_FAILED, "%s: a NUL byte, which no text has", name);
  if (!failed && !ends && *length != 0) return text;
  free(text); /* of an empty file there is nothing in it, not even an end */
  return failed || ends ? NULL : xstrdup("");
}

int run_file_ini(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct run_info *info = last_run(data);
  size_t length = 0;
  info->ini = run_file_text(in, name, &length, err);
  if (info->ini == NULL) return -1;
  if (length == 0) return 0;
  FILE *memory = fmemopen(info->ini, length, "r");
  if (memory == NULL) return err_set(err, EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
  int line = parse_ini(memory, info);
  fclose(memory);
  if (line > 0) return err_set(err, EXIT_FAILED, "%s:%d: not a section, a comment or NAME=VALUE", name, line);
  return line == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot parse %s", name);
}
