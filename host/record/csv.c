/* Writing CSV. Quoting is libcsv's; what a field is comes from the record's schema. */
#include "record/csv.h"

#include <csv.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"

/* Apostrophes before the sign count as part of the guard, so that a text which begins with one comes back as it was. */
static bool is_formula(const char *text) {
  text += strspn(text, "'");
  return *text != '\0' && strchr("=+-@\t\r\n", *text) != NULL;
}

void csv_unguard(char *text) {
  if (text[0] == '\'' && is_formula(text)) memmove(text, text + 1, strlen(text));
}

/* Errors stay in the stream's error flag; csv_finish() looks at it. */
void csv_write_text(FILE *out, const char *text) {
  if (text == NULL || text[0] == '\0') return;
  size_t length = strlen(text);
  if (!is_formula(text)) {
    csv_fwrite(out, text, length);
    return;
  }
  SCOPED char *guarded = xcalloc(length + 2, 1);
  guarded[0] = '\'';
  memcpy(guarded + 1, text, length);
  csv_fwrite(out, guarded, length + 1);
}

int csv_finish(FILE *out, const char *what, struct err *err) {
  return output_end(out, what, err);
}

int csv_write_header(FILE *out, struct err *err) {
  for (size_t i = 0; i < record_field_count; i++)
    fprintf(out, "%s%s", i ? "," : "", record_fields[i].name);
  fputs("\r\n", out);
  return csv_finish(out, "results", err);
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
  return csv_finish(out, "results", err);
}

void csv_print_columns(FILE *out) {
  static const char *const kinds[] = {[RECORD_TEXT] = "text", [RECORD_REAL] = "number", [RECORD_WHOLE] = "integer"};
  fputs("| column | kind | unit | what it is |\n|---|---|---|---|\n", out);
  for (size_t i = 0; i < record_field_count; i++) {
    const struct record_field *field = &record_fields[i];
    fprintf(out, "| `%s` | %s | %s | %s |\n", field->name, kinds[field->kind], field->unit, field->doc);
  }
}
