/* Reads and writes decided.csv. */
#include "history/decided.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/csv/csv.h"

#define LIST(X)      \
  X(TEXT, part)      \
  X(TEXT, case_key)  \
  X(TEXT, variant)   \
  X(TEXT, mode)      \
  X(TEXT, devices)   \
  X(TEXT, verdict)   \
  X(KNOWN, step)     \
  X(ABOVE, again_ns) \
  X(TEXT, accepted)  \
  X(TEXT, text)
CSV_TABLE(decided_csv, LIST, "decisions");

static const char *const night_verdicts[] = {"ok", "regression", "failed", "unjudged"};
static const char *const row_verdicts[] = {"", "faster", "slower", "same", "undecided"};

static bool is_verdict(const char *word, const char *const *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(words[i], word) == 0) return true;
  return false;
}

static int take_night_verdict(struct decided *decided, const struct row *row, struct err *err) {
  if (decided->verdict != NULL) return err_set(err, EXIT_FAILED, "the night has two verdicts");
  if (!is_verdict(row->verdict, night_verdicts, sizeof night_verdicts / sizeof night_verdicts[0]))
    return err_set(err, EXIT_FAILED, "a night's verdict is ok, regression, failed or unjudged, not '%.64s'",
                   row->verdict);
  decided->verdict = xstrdup(row->verdict);
  decided->text = memory_print("%.1000s", row->text);
  return 0;
}

static struct decided_row *add_decided_row(struct decided *decided, const struct row *row) {
  decided->rows = xgrow(decided->rows, decided->count, sizeof *decided->rows);
  struct decided_row *to = &decided->rows[decided->count++];
  *to = (struct decided_row){.case_key = xstrdup(row->case_key),
                             .variant = xstrdup(row->variant),
                             .mode = xstrdup(row->mode),
                             .devices = xstrdup(row->devices),
                             .verdict = xstrdup(row->verdict),
                             .step = row->step,
                             .again_ns = row->again_ns,
                             .accepted = strcmp(row->accepted, "1") == 0};
  return to;
}

static int take_verdict_row(struct decided *decided, const struct row *row, struct err *err) {
  if (!is_verdict(row->verdict, row_verdicts, sizeof row_verdicts / sizeof row_verdicts[0]))
    return err_set(err, EXIT_FAILED, "a row's verdict is faster, slower, same or undecided, not '%.64s'", row->verdict);
  add_decided_row(decided, row);
  return 0;
}

static int take_decided_line(void *user, char **fields, struct err *err) {
  struct decided *decided = user;
  struct row row = {0};
  const uint32_t wrong = csv_table_parse(&decided_csv, fields, &row);
  if (csv_table_check(&decided_csv, wrong, fields, err) != 0) return -1;
  if (strcmp(row.part, "night") == 0) return take_night_verdict(decided, &row, err);
  if (strcmp(row.part, "row") == 0) return take_verdict_row(decided, &row, err);
  return err_set(err, EXIT_FAILED, "part '%.64s' is neither night nor row", row.part);
}

int decided_read(const char *path, struct decided *decided, struct err *err) {
  *decided = (struct decided){0};
  SCOPED_FILE FILE *in = fopen(path, "re");
  if (in == NULL && errno == ENOENT) return 0;
  if (in == NULL) return err_set(err, EXIT_FAILED, "cannot open %s: %s", path, strerror(errno));
  const int rc = csv_table_read(in, path, &decided_csv, take_decided_line, decided, NULL, err);
  if (rc != 0) decided_free(decided);
  return rc;
}

struct decided_row *decided_at(struct decided *decided, const char *case_key, const char *variant, const char *mode,
                               const char *devices) {
  for (size_t i = 0; i < decided->count; i++) {
    struct decided_row *row = &decided->rows[i];
    if (strcmp(row->case_key, case_key) == 0 && strcmp(row->variant, variant) == 0 && strcmp(row->mode, mode) == 0 &&
        strcmp(row->devices, devices) == 0)
      return row;
  }
  return add_decided_row(decided, &(struct row){.case_key = case_key,
                                                .variant = variant,
                                                .mode = mode,
                                                .devices = devices,
                                                .verdict = "",
                                                .step = NAN,
                                                .again_ns = NAN,
                                                .accepted = ""});
}

char *decided_print(const struct decided *decided, size_t *size, struct err *err) {
  struct memory_text memory;
  FILE *out = memory_text_begin(&memory);
  int rc = csv_table_write_header(out, &decided_csv, err);
  if (decided->verdict != NULL) {
    const struct row night = {
        .part = "night", .verdict = decided->verdict, .step = NAN, .again_ns = NAN, .text = decided->text};
    csv_table_write(out, &decided_csv, &night);
  }
  for (size_t i = 0; i < decided->count; i++) {
    const struct decided_row *from = &decided->rows[i];
    const struct row row = {"row",      from->case_key, from->variant,
                            from->mode, from->devices,  from->verdict,
                            from->step, from->again_ns, from->accepted ? "1" : "",
                            ""};
    csv_table_write(out, &decided_csv, &row);
  }
  if (rc == 0) rc = output_end(out, "decisions", err);
  char *text = memory_text_end(&memory);
  *size = memory.size;
  if (rc == 0) return text;
  free(text);
  return NULL;
}

int decided_check(const char *path, struct err *err) {
  struct decided decided;
  SCOPED_FILE FILE *in = fopen(path, "re");
  if (in == NULL) return err_set(err, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
  if (decided_read(path, &decided, err) != 0) return -1;
  decided_free(&decided);
  return 0;
}

void decided_free(struct decided *decided) {
  for (size_t i = 0; i < decided->count; i++) {
    struct decided_row *row = &decided->rows[i];
    char *texts[] = {row->case_key, row->variant, row->mode, row->devices, row->verdict};
    for (size_t j = 0; j < sizeof texts / sizeof texts[0]; j++)
      free(texts[j]);
  }
  free(decided->rows);
  free(decided->verdict);
  free(decided->text);
  *decided = (struct decided){0};
}
