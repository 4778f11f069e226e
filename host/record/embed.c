/* Writes and finds the <pre> elements with run data in a report, and decodes the entities that escape_xml() writes. */
#include "record/embed.h"

#include <string.h>

#include "base/escape.h"
#include "base/memory.h"
#include "record/csv/csv.h"
#include "record/csv/files.h"
#include "record/run_data.h"

enum { MARK_SIZE = 64 };

static const char results_id[] = "results-csv", ini_id[] = "run-ini", foreign_id[] = "foreign-csv",
                  against_id[] = "against-csv", end_mark[] = "</pre>";

static void start_mark(char to[MARK_SIZE], const char *id, size_t run) {
  if (run == 0)
    snprintf(to, MARK_SIZE, "<pre id=\"%s\">", id);
  else
    snprintf(to, MARK_SIZE, "<pre id=\"%s-%zu\">", id, run + 1);
}

static void write_start(FILE *out, const char *id, size_t run) {
  char mark[MARK_SIZE];
  start_mark(mark, id, run);
  fputs(mark, out);
}

/* Writes the text of one row with XML escapes. Rows are written one at a time, so that the text of all rows is never in
 * memory at once. */
static void end_escaped(FILE *out, struct memory_text *made) {
  SCOPED char *text = memory_text_end(made);
  escape_xml(out, text);
}

int embed_results(FILE *out, size_t run, const struct record *records, size_t count, struct err *err) {
  struct memory_text made;
  write_start(out, results_id, run);
  int result = csv_write_header(memory_text_begin(&made), err);
  end_escaped(out, &made);
  for (size_t i = 0; i < count && result == 0; i++) {
    result = csv_write_record(memory_text_begin(&made), &records[i], err);
    end_escaped(out, &made);
  }
  fputs(end_mark, out);
  return result;
}

void embed_ini(FILE *out, size_t run, const char *ini) {
  write_start(out, ini_id, run);
  escape_xml(out, ini);
  fputs(end_mark, out);
}

int embed_foreign(FILE *out, size_t run, const struct run_data *data, struct err *err) {
  struct memory_text made;
  int result = 0;
  bool any = false;
  for (size_t i = 0; i < data->foreign.count && result == 0; i++) {
    if (!foreign_match_is_of(data, &data->foreign.items[i], run)) continue;
    if (!any) write_start(out, foreign_id, run);
    FILE *row = memory_text_begin(&made);
    if (!any) result = foreign_write_header(row, err);
    if (result == 0) result = foreign_write_row(row, &data->foreign.items[i], err);
    end_escaped(out, &made);
    any = true;
  }
  if (any) fputs(end_mark, out);
  return result;
}

int embed_against(FILE *out, size_t run, const struct against *against, struct err *err) {
  struct memory_text made;
  write_start(out, against_id, run);
  int result = against_csv_write(against, memory_text_begin(&made), err);
  end_escaped(out, &made);
  fputs(end_mark, out);
  return result;
}

/* Returns the character that the entity at `text` stands for, and the entity's length; 0 if there is no known
 * entity. */
static char entity_at(const char *text, size_t *length) {
  static const struct {
    const char *entity;
    char character;
  } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    *length = strlen(known[i].entity);
    if (strncmp(text, known[i].entity, *length) == 0) return known[i].character;
  }
  return 0;
}

static char *find_text(char *page, const char *id, size_t run) {
  char mark[MARK_SIZE];
  start_mark(mark, id, run);
  char *at = strstr(page, mark);
  return at != NULL ? at + strlen(mark) : NULL;
}

struct embed_files *embed_locate(char *page, size_t *count) {
  struct embed_files *files = NULL;
  char *results = NULL;
  for (*count = 0; (results = find_text(page, results_id, *count)) != NULL; ++*count) {
    files = xrealloc(files, *count + 1, sizeof *files);
    files[*count] = (struct embed_files){results, find_text(page, ini_id, *count), find_text(page, foreign_id, *count),
                                         find_text(page, against_id, *count)};
  }
  return files;
}

int embed_decode(char *text, size_t *length, struct err *err) {
  char *to = text;
  size_t step = 1;
  const char *s = text;
  for (; *s != '\0' && *s != '<'; s += step) {
    char c = *s;
    step = 1;
    if (c == '&' && (c = entity_at(s, &step)) == 0)
      return err_set(err, EXIT_FAILED,
                     "the data in the report are damaged: '%.10s' is not an entity that gpubench writes", s);
    *to++ = c;
  }
  if (*s == '\0') return err_set(err, EXIT_FAILED, "the report is cut off: its data do not end with </pre>");
  if (strncmp(s, end_mark, sizeof end_mark - 1) != 0)
    return err_set(err, EXIT_FAILED, "the data in the report are damaged: markup '%.20s' instead of </pre>", s);
  *to = '\0';
  *length = (size_t)(to - text);
  return 0;
}
