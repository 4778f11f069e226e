/* Reads and writes against.csv. It has a row for each fact about the whole comparison, each difference between the
 * runs, and each compared row. */
#include "record/csv/files.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "record/renamed.h"

#define LIST(X)           \
  X(TEXT, part)           \
  X(TEXT, name)           \
  X(TEXT, base)           \
  X(TEXT, here)           \
  X(TEXT, case_key)       \
  X(TEXT, variant)        \
  X(TEXT, mode)           \
  X(TEXT, devices)        \
  X(TEXT, outcome)        \
  X(ABOVE, base_ns)       \
  X(ABOVE, ns)            \
  X(ABOVE, speedup)       \
  X(ABOVE, lo)            \
  X(ABOVE, hi)            \
  X(TEXT, verdict)        \
  X(TEXT, beyond)         \
  X(COUNT, base_restarts) \
  X(COUNT, restarts)      \
  X(TEXT, note)
CSV_TABLE(against_csv, LIST, "the comparison");

/* ---- Writing against.csv ---- */

/* Writes a fact or a difference: a row that has only texts, no numbers. */
static void write_part(FILE *out, const char *part, const char *name, const char *base, const char *here,
                       const char *note) {
  const struct row row = {part, name, base, here, NULL, NULL, NULL, NULL, NULL, NAN,
                          NAN,  NAN,  NAN,  NAN,  NULL, NULL, 0,    0,    note};
  csv_table_write(out, &against_csv, &row);
}

static void write_row(FILE *out, const struct against_row *row) {
  const struct row fields = {.part = "row",
                             .case_key = row->case_key,
                             .variant = row->variant,
                             .mode = row->mode,
                             .devices = row->devices,
                             .outcome = against_outcome_name(row->outcome),
                             .base_ns = row->base_ns,
                             .ns = row->ns,
                             .speedup = row->speedup,
                             .lo = row->lo,
                             .hi = row->hi,
                             .verdict = row->word != VERDICT_NONE ? stats_verdict_name(row->word) : gap_name(row->gap),
                             .beyond = row->beyond              ? "1"
                                       : row->gap == GAP_UNSURE ? "unsure"
                                                                : NULL,
                             .base_restarts = row->base_restarts,
                             .restarts = row->restarts,
                             .note = row->note};
  csv_table_write(out, &against_csv, &fields);
}

int against_csv_write(const struct against *against, FILE *out, struct err *err) {
  if (csv_table_write_header(out, &against_csv, err) != 0) return -1;
  for (size_t i = 0; i < against->facts.count; i++)
    write_part(out, "run", against->facts.items[i].name, against->facts.items[i].value, NULL, NULL);
  for (size_t i = 0; i < against->difference_count; i++) {
    const struct against_difference *difference = &against->differences[i];
    write_part(out, difference->counts ? "unlike" : "differs", difference->what, difference->base, difference->other,
               NULL);
  }
  for (size_t i = 0; i < against->notes.count; i++)
    write_part(out, "note", NULL, NULL, NULL, against->notes.items[i]);
  for (size_t i = 0; i < against->count; i++)
    write_row(out, &against->rows[i]);
  return output_end(out, against_csv.what, err);
}

/* ---- Reading against.csv ---- */

static int parse_outcome(const char *text, enum against_outcome *outcome, struct err *err) {
  text = renamed_name(RENAMED_OUTCOME, text);
  for (*outcome = AGAINST_BOTH; *outcome < AGAINST_OUTCOMES; ++*outcome)
    if (strcmp(text, against_outcome_name(*outcome)) == 0) return 0;
  return err_set(err, EXIT_FAILED, "outcome is '%.40s', known are both, broken, fixed, untimed, only_base, only_here",
                 text);
}

static int take_judged(struct against *against, const struct row *row, uint32_t wrong, char **fields, struct err *err) {
  const char *verdict = renamed_name(RENAMED_VERDICT, row->verdict);
  struct against_row judged = {.case_key = fields[AT_case_key],
                               .variant = fields[AT_variant],
                               .mode = fields[AT_mode],
                               .devices = fields[AT_devices],
                               .base_ns = row->base_ns,
                               .ns = row->ns,
                               .speedup = row->speedup,
                               .lo = row->lo,
                               .hi = row->hi,
                               .word = stats_verdict_parse(verdict),
                               .beyond = strcmp(row->beyond, "1") == 0,
                               .gap = strcmp(row->beyond, "unsure") == 0 ? GAP_UNSURE : gap_parse(verdict),
                               .base_restarts = row->base_restarts,
                               .restarts = row->restarts,
                               .note = fields[AT_note]};
  if (parse_outcome(row->outcome, &judged.outcome, err) != 0) return -1;
  if (csv_table_check(&against_csv, wrong, fields, err) != 0) return -1;
  against_add_row(against, &judged);
  return 0;
}

static int take_against_row(void *user, char **fields, struct err *err) {
  struct against *against = user;
  struct row row = {0};
  uint32_t wrong = csv_table_parse(&against_csv, fields, &row);
  if (strcmp(row.part, "row") == 0) return take_judged(against, &row, wrong, fields, err);
  bool unlike = strcmp(row.part, "unlike") == 0;
  if (strcmp(row.part, "run") == 0)
    pairs_add_text(&against->facts, row.name, row.base);
  else if (unlike || strcmp(row.part, "differs") == 0)
    against_add_difference(against, fields[AT_name], fields[AT_base], fields[AT_here], unlike);
  else if (strcmp(row.part, "note") == 0)
    strings_add(&against->notes, row.note);
  else
    return err_set(err, EXIT_FAILED, "part is '%.40s', known are run, unlike, differs, note, row", row.part);
  return 0;
}

int against_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct run_info *info = &data->runs[data->run_count - 1];
  against_free(info->against);
  info->against = xcalloc(1, sizeof *info->against);
  bool torn = false;
  int result = csv_table_read(in, name, &against_csv, take_against_row, info->against, &torn, err);
  if (torn) strings_add(&info->notes, "The last row of against.csv was cut off and is left out.");
  return result;
}
