/* against.csv: what is known of the whole, of each difference, of each row, one row each. */
#include "record/against_csv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "record/csv.h"
#include "record/csv_read.h"

enum {
  PART,
  NAME,
  BASE,
  HERE,
  CASE_KEY,
  VARIANT,
  MODE,
  DEVICES,
  FATE,
  BASE_NS,
  NS,
  SPEEDUP,
  LO,
  HI,
  WORD,
  BEYOND,
  BASE_RESTARTS,
  RESTARTS,
  NOTE,
  COLUMNS
};

#define COLUMNS_LIST                                                                                                \
  "part, name, base, here, case_key, variant, mode, devices, fate, base_ns, ns, speedup, lo, hi, verdict, beyond, " \
  "base_restarts, restarts, note"

static const char *const fate_names[AGAINST_FATES] = {"both", "lost", "mended", "untimed", "only_base", "only_here"};

/* ---- Writing ---- */

/* Numbers are bare, all else is quoted; empty is empty. */
static void write_fields(FILE *out, const char *const fields[COLUMNS]) {
  for (size_t i = 0; i < COLUMNS; i++) {
    bool number = (i >= BASE_NS && i <= HI) || (i >= BEYOND && i <= RESTARTS);
    if (i > 0) fputc(',', out);
    if (fields[i] == NULL || fields[i][0] == '\0') continue;
    if (number)
      fputs(fields[i], out);
    else
      csv_write_text(out, fields[i]);
  }
  fputs("\r\n", out);
}

static void write_fact(FILE *out, const char *part, const char *name, const char *base, const char *here) {
  const char *fields[COLUMNS] = {[PART] = part, [NAME] = name, [BASE] = base, [HERE] = here};
  write_fields(out, fields);
}

static void count_text(char *to, size_t size, uint64_t count) {
  to[0] = '\0';
  if (count != 0) snprintf(to, size, "%" PRIu64, count);
}

static void write_row(FILE *out, const struct against_row *row) {
  const double numbers[] = {row->base_ns, row->ns, row->speedup, row->lo, row->hi};
  char texts[sizeof numbers / sizeof numbers[0]][40], base_restarts[24], restarts[24];
  const char *fields[COLUMNS] = {[PART] = "row",
                                 [CASE_KEY] = row->case_key,
                                 [VARIANT] = row->variant,
                                 [MODE] = row->mode,
                                 [DEVICES] = row->devices,
                                 [FATE] = fate_names[row->fate],
                                 [NOTE] = row->note,
                                 [WORD] = stats_verdict_name(row->word),
                                 [BEYOND] = row->beyond ? "1" : NULL};
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    texts[i][0] = '\0';
    if (isfinite(numbers[i])) number_shortest(texts[i], sizeof texts[i], numbers[i]);
    fields[BASE_NS + i] = texts[i];
  }
  count_text(base_restarts, sizeof base_restarts, row->base_restarts);
  count_text(restarts, sizeof restarts, row->restarts);
  fields[BASE_RESTARTS] = base_restarts;
  fields[RESTARTS] = restarts;
  write_fields(out, fields);
}

int against_csv_write(const struct against *against, FILE *out, struct err *err) {
  fputs(AGAINST_CSV_COLUMNS "\r\n", out);
  for (size_t i = 0; i < against->facts.count; i++)
    write_fact(out, "run", against->facts.items[i].name, against->facts.items[i].value, NULL);
  for (size_t i = 0; i < against->difference_count; i++) {
    const struct against_difference *difference = &against->differences[i];
    write_fact(out, difference->counts ? "unlike" : "differs", difference->what, difference->base, difference->other);
  }
  for (size_t i = 0; i < against->notes.count; i++) {
    const char *fields[COLUMNS] = {[PART] = "note", [NOTE] = against->notes.items[i]};
    write_fields(out, fields);
  }
  for (size_t i = 0; i < against->count; i++)
    write_row(out, &against->rows[i]);
  return csv_finish(out, "the comparison", err);
}

/* ---- Reading ---- */

static int read_header(void *user, char **names, size_t count, struct err *err) {
  (void)user;
  char list[512];
  text_join(list, sizeof list, (const char *const *)names, count);
  if (strcmp(list, COLUMNS_LIST) == 0) return 0;
  return err_set(err, EXIT_FAILED, "the columns are '%s', not " AGAINST_CSV_COLUMNS, list);
}

/* An empty field is "not known". */
static int parse_number(const char *text, double *number, struct err *err) {
  char *end = NULL;
  *number = NAN;
  if (text[0] == '\0') return 0;
  *number = strtod(text, &end);
  if (*end == '\0' && *number > 0 && isfinite(*number)) return 0;
  return err_set(err, EXIT_FAILED, "'%.40s' is not a number above 0", text);
}

static int parse_count(const char *text, uint64_t *number, struct err *err) {
  char *end = NULL;
  *number = 0;
  if (text[0] == '\0') return 0;
  errno = 0;
  *number = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0) return 0;
  return err_set(err, EXIT_FAILED, "'%.40s' is not a whole number", text);
}

static int parse_fate(const char *text, enum against_fate *fate, struct err *err) {
  for (*fate = AGAINST_BOTH; *fate < AGAINST_FATES; ++*fate)
    if (strcmp(text, fate_names[*fate]) == 0) return 0;
  return err_set(err, EXIT_FAILED, "fate is '%.40s', known are both, lost, mended, untimed, only_base, only_here",
                 text);
}

static enum verdict parse_word(const char *text) {
  for (enum verdict word = VERDICT_SAME; word <= VERDICT_UNDECIDED; word++)
    if (strcmp(text, stats_verdict_name(word)) == 0) return word;
  return VERDICT_NONE;
}

static int read_row_part(struct against *against, char **fields, struct err *err) {
  struct against_row row = {.case_key = fields[CASE_KEY],
                            .variant = fields[VARIANT],
                            .mode = fields[MODE],
                            .devices = fields[DEVICES],
                            .word = parse_word(fields[WORD]),
                            .beyond = strcmp(fields[BEYOND], "1") == 0,
                            .note = fields[NOTE]};
  double *const numbers[] = {&row.base_ns, &row.ns, &row.speedup, &row.lo, &row.hi};
  if (parse_fate(fields[FATE], &row.fate, err) != 0) return -1;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    if (parse_number(fields[BASE_NS + i], numbers[i], err) != 0) return -1;
  if (parse_count(fields[BASE_RESTARTS], &row.base_restarts, err) != 0) return -1;
  if (parse_count(fields[RESTARTS], &row.restarts, err) != 0) return -1;
  against_add_row(against, &row);
  return 0;
}

static int read_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count;
  if (!complete) return 0; /* a cut number would read as another one */
  struct against *against = user;
  const char *part = fields[PART];
  for (size_t i = 0; i < COLUMNS; i++)
    csv_unguard(fields[i]);
  if (strcmp(part, "row") == 0) return read_row_part(against, fields, err);
  bool unlike = strcmp(part, "unlike") == 0;
  const struct against_difference difference = {fields[NAME], fields[BASE], fields[HERE], unlike};
  if (strcmp(part, "run") == 0)
    pairs_add_text(&against->facts, fields[NAME], fields[BASE]);
  else if (unlike || strcmp(part, "differs") == 0)
    against_add_difference(against, &difference);
  else if (strcmp(part, "note") == 0)
    strings_add(&against->notes, fields[NOTE]);
  else
    return err_set(err, EXIT_FAILED, "part is '%.40s', known are run, unlike, differs, note, row", part);
  return 0;
}

int against_csv_read(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct run_info *info = &data->runs[data->run_count - 1];
  against_free(info->against);
  info->against = xcalloc(1, sizeof *info->against);
  struct csv_handler handler = {read_header, read_row, info->against};
  bool torn = false;
  int result = csv_read_stream(in, name, &handler, &torn, err);
  if (torn) strings_add(&info->notes, "The last row of against.csv was cut off and is left out.");
  return result;
}
