/* Reads and checks runs: results.csv and run.ini, whose contents are not trusted, and the other files of a run. A
 * missing file becomes a note. The files in csv/ parse the formats. */
#include "record/run_load.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/gz.h"
#include "base/memory.h"
#include "base/number.h"
#include "record/csv/csv.h"
#include "record/csv/files.h"
#include "record/embed.h"
#include "record/renamed.h"
#include "record/run_data.h"
#include "stats/fastest.h"
#include "stats/gap.h"

struct results {
  struct run_data *data;
  const struct record_field **fields; /* for each column of the file, the field of struct record; NULL: unknown */
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
    results->fields[i] = record_field(renamed_name(RENAMED_COLUMN, names[i]));
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

static double real_field_value(const struct record *record, const struct record_field *field) {
  return *(const double *)((const char *)record + field->offset);
}

/* Returns true if the field is an end of an interval. An interval that is computed from few rounds is so wide that an
 * end may be negative, although no time is. */
static bool is_end(const struct record_field *field) {
  return strstr(field->name, "_lo") != NULL || strstr(field->name, "_hi") != NULL;
}

static int check_value(const struct record *record, const struct record_field *field, struct err *err) {
  char text[64];
  bool ratio = strncmp(field->name, "speedup", 7) == 0;
  if (field->kind != RECORD_REAL || (strcmp(field->unit, "ns") != 0 && !ratio)) return 0;
  double value = real_field_value(record, field);
  if (isnan(value) || (isfinite(value) && (value >= 0 || is_end(field)))) return 0;
  return err_set(err, EXIT_FAILED, "column %s: '%s' is %s", field->name, record_text(record, field, text, sizeof text),
                 value < 0 ? "negative" : "infinite");
}

static int check_order(const struct record *record, const char *const *names, struct err *err) {
  const struct record_field *low = NULL;
  char a[64], b[64];
  for (; *names != NULL; names++) {
    const struct record_field *high = record_field(*names);
    if (isnan(real_field_value(record, high))) continue;
    if (low != NULL && real_field_value(record, low) > real_field_value(record, high))
      return err_set(err, EXIT_FAILED, "column %s: '%s' is above %s, '%s'", low->name,
                     record_text(record, low, a, sizeof a), high->name, record_text(record, high, b, sizeof b));
    low = high;
  }
  return 0;
}

int record_check(const struct record *record, struct err *err) {
  static const char *const orders[][11] = {
      {"min_ns", "p05_ns", "p25_ns", "median_raw_ns", "p75_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns"},
      {"p95_lo_ns", "p95_hi_ns"},
      {"p99_lo_ns", "p99_hi_ns"},
      {"p999_lo_ns", "p999_hi_ns"},
      {"ci95_lo_ns", "ci95_hi_ns"},
      {"speedup_lo99", "speedup_lo", "speedup_hi", "speedup_hi99"},
      {"median_lo_ns", "median_hi_ns"},
      {"speedup_corrected_lo99", "speedup_corrected_lo", "speedup_corrected_hi", "speedup_corrected_hi99"},
  };
  for (size_t i = 0; i < record_field_count; i++)
    if (check_value(record, &record_fields[i], err) != 0) return -1;
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
    if (check_order(record, orders[i], err) != 0) return -1;
  return 0;
}

/* Converts a row of an earlier schema to the present one. The schemas differ only in names of columns, verdicts and
 * contracts. */
static void update_row(struct record *record) {
  if (record->schema >= 0) record->schema = RECORD_SCHEMA;
  const char *verdict = renamed_name(RENAMED_VERDICT, text_or_empty(record->verdict));
  if (verdict != record->verdict) record_set(&record->verdict, verdict);
  if (record->contract == NULL) return;
  const char *contract = renamed_name(RENAMED_CONTRACT, record->contract);
  if (contract != record->contract) record_set(&record->contract, contract);
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
  update_row(record);
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
  SCOPED char *key = renamed_key(name);
  pairs_add_text(pairs, pairs == &info->environment ? key : name, value != NULL ? value : "");
  text_percent_decode(pairs->items[pairs->count - 1].value);
  return 1;
}

#ifdef HAVE_INIH_GLOBALS
/* Parses run.ini. This version of the inih library has its settings in global variables; they are set for this file and
 * restored. */
static int parse_ini(FILE *in, struct run_info *info) {
  int line = ini_max_line;
  bool stack = ini_use_stack, grow = ini_allow_realloc;
  bool multiline = ini_allow_multiline, comments = ini_allow_inline_comments;
  ini_use_stack = 0;
  ini_allow_realloc = 1;
  ini_max_line = 1 << 20;
  ini_allow_multiline = 0;
  ini_allow_inline_comments = 0; /* values are written by gpubench and may contain " ;" */
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

/* Returns the whole text of the file, which the caller frees. NULL if the file cannot be read or contains a NUL
 * byte. */
static char *run_file_text(FILE *in, const char *name, size_t *length, struct err *err) {
  char *text = NULL;
  size_t size = 0;
  ssize_t got = getdelim(&text, &size, '\0', in);
  *length = got > 0 ? (size_t)got : 0;
  bool failed = ferror(in) != 0, ends = *length != 0 && text[*length - 1] == '\0';
  if (failed) err_set(err, EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
  if (!failed && ends) err_set(err, EXIT_FAILED, "%s: a NUL byte, which no text has", name);
  if (!failed && !ends && *length != 0) return text;
  free(text); /* the text of an empty file is made below, because getdelim() writes no NUL then */
  return failed || ends ? NULL : xstrdup("");
}

int run_file_ini(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct run_info *info = last_run(data);
  size_t length = 0;
  info->ini = run_file_text(in, name, &length, err);
  if (info->ini == NULL) return -1;
  if (length == 0) return 0;
  SCOPED_FILE FILE *memory = fmemopen(info->ini, length, "r");
  if (memory == NULL) return err_set(err, EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
  int line = parse_ini(memory, info);
  if (line > 0) return err_set(err, EXIT_FAILED, "%s:%d: not a section, a comment or NAME=VALUE", name, line);
  return line == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot parse %s", name);
}

/* ---- Checking rows against their samples ---- */

/* Returns true if two results are equal up to rounding. Numbers in files are exact, but another build of gpubench may
 * have added up the samples in another order. */
static bool is_nearly_equal(double a, double b) {
  static const double relative = 1e-9;
  return (isnan(a) && isnan(b)) || fabs(a - b) <= relative * fmax(fabs(a), fabs(b));
}

static int refuse_column(const struct record *r, const char *column, const char *states, const char *follows,
                         struct err *err) {
  return err_set(
      err, EXIT_FAILED,
      "results.csv: %.500s %.130s %.40s: column %s is '%.60s', and from samples.csv follows '%.60s': the row "
      "is not believed",
      text_or_empty(r->case_key), text_or_empty(r->variant), text_or_empty(r->mode), column, states, follows);
}

static int check_number(const struct record *r, const char *column, double follows, struct err *err) {
  char states[64];
  const struct record_field *field = record_field(column);
  const bool whole = field->kind == RECORD_WHOLE;
  const int64_t number = whole ? *(const int64_t *)(const void *)((const char *)r + field->offset) : 0;
  if (is_nearly_equal(whole ? (double)number : real_field_value(r, field), follows)) return 0;
  return refuse_column(r, column, record_text(r, field, states, sizeof states), number_shortest(follows).text, err);
}

static int check_times(const struct record *r, const struct run_samples *samples, struct err *err) {
  struct distribution d;
  if (samples == NULL || stats_summary(samples->slots, samples->count, r->tick_ns, (uint64_t)r->seed, &d) != 0)
    return refuse_column(r, "median_raw_ns", "a time", "none", err);
  const struct {
    const char *column;
    double follows;
  } columns[] = {{"samples", (double)d.samples},
                 {"rounds", (double)d.rounds},
                 {"median_raw_ns", d.median},
                 {"min_ns", d.min},
                 {"p95_ns", d.p95},
                 {"max_ns", d.max}};
  for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
    if (check_number(r, columns[i].column, columns[i].follows, err) != 0) return -1;
  return 0;
}

/* Returns the row that the speedup of `r` is relative to; NULL if that row is missing. */
static const struct record *denominator(const struct run_data *data, const struct record *r) {
  const struct run_info *run = &data->runs[run_data_run_of(data, r)];
  for (const struct record *base = data->records + run->first; base < data->records + run->first + run->count; base++)
    if (text_same(base->case_key, r->case_key) && text_same(base->mode, r->mode) &&
        text_same(base->devices, r->devices) && text_same(base->variant, r->baseline))
      return base;
  return NULL;
}

static struct entrant entrant_of(const struct record *r, const struct run_samples *samples) {
  return (struct entrant){samples->slots, samples->count, r->median_raw_ns, isnan(r->median_ns),
                          fmax(0, (double)r->kernels)};
}

/* Checks that the speedup and the verdict of `r` follow from the samples. A run may choose the baseline among several
 * variants by their times in the first rounds. It then computes the ratio only from the later rounds. The row does not
 * say whether its baseline was chosen in this way. Therefore the check accepts the ratio from all rounds, and also the
 * ratio from the later rounds only. */
static int check_word(const struct run_data *data, const struct record *r, const struct record *base, struct err *err) {
  const struct run_samples *own = run_data_samples_of(data, r), *others = run_data_samples_of(data, base);
  if (others == NULL) return refuse_column(r, "speedup", "a ratio", "none", err);
  const struct entrant other = entrant_of(r, own), against = entrant_of(base, others);
  const struct launch_overhead overhead = {r->launch_overhead_ns, r->launch_overhead_unc_ns};
  struct duel all, rest;
  const bool of_all = stats_duel(&against, &other, &overhead, r->tick_ns, (uint64_t)r->seed, &all) == 0;
  const bool of_rest = choice_duel(&against, &other, &overhead, r->tick_ns, (uint64_t)r->seed, &rest) == 0;
  if (!of_all && !of_rest) return refuse_column(r, "speedup", "a ratio", "none", err);
  const bool chosen = of_rest && (!of_all || !is_nearly_equal(r->speedup, all.raw.speedup)) &&
                      is_nearly_equal(r->speedup, rest.raw.speedup);
  const struct duel *duel = chosen || !of_all ? &rest : &all;
  if (check_number(r, "speedup", duel->raw.speedup, err) != 0) return -1;
  const bool contended = r->contended > 0 || base->contended > 0;
  const char *word = stats_duel_word(duel, contended), *states = text_or_empty(r->verdict);
  const enum gap gap = gap_parse(states); /* the reason that the row gives for having no verdict, or GAP_NONE */
  const bool held_back =                  /* older versions withheld verdicts for such reasons */
      gap != GAP_NONE && gap == gap_of_row(contended, (int64_t)duel->raw.rounds);
  if (text_same(states, word) || gap == GAP_UNPROVEN || gap == GAP_ALONE || held_back) return 0;
  return refuse_column(r, "verdict", states, word, err);
}

static bool is_compared(const struct record *r) {
  return !isnan(r->speedup) && !text_same(r->baseline, r->variant);
}

/* Checks that the times of `r` (one of `data->records`) follow from its samples. With `words` also checks its speedup
 * and its verdict. If a value does not follow, returns -1 with a message that names the row and both values. */
static int record_check_samples(const struct run_data *data, const struct record *r, bool words, struct err *err) {
  if (isnan(r->median_raw_ns)) return 0;
  if (check_times(r, run_data_samples_of(data, r), err) != 0) return -1;
  const struct record *base = words && is_compared(r) ? denominator(data, r) : NULL;
  return base != NULL ? check_word(data, r, base, err) : 0;
}

typedef int (*read_fn)(FILE *in, const char *name, struct run_data *data, struct err *err);

/* Adds the foreign rows (timed by other programs) in the file to the last run. */
static int read_foreign(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct foreign_rows rows;
  if (foreign_read(in, name, false, &rows, err) != 0) return -1;
  foreign_merge(&data->foreign, &rows, data->run_count - 1);
  return 0;
}

static struct run_info *begin_run(struct run_data *data) {
  data->runs = xrealloc(data->runs, data->run_count + 1, sizeof *data->runs);
  struct run_info *info = &data->runs[data->run_count++];
  *info = (struct run_info){.first = data->count};
  return info;
}

static bool run_path_exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

static int read_path(const char *path, read_fn read, struct run_data *data, struct err *err) {
  SCOPED_FILE FILE *in = gz_open(path);
  if (in == NULL) return err_set(err, EXIT_FAILED, "cannot open %s: %s", path, strerror(errno));
  int result = read(in, path, data, err);
  return result;
}

/* ---- Reading a run directory ---- */

/* Reads a file of the directory, or its compressed form. Does nothing if neither exists. */
static int read_file_of(const char *dir, const char *file, read_fn read, struct run_data *data, struct err *err) {
  SCOPED char *path = memory_print("%s/%s", dir, file), *packed = memory_print("%s.gz", path);
  int result = 0;
  if (run_path_exists(path) || run_path_exists(packed)) {
    strings_add(&data->runs[0].files, file);
    result = read_path(path, read, data, err);
  }
  return result;
}

/* Marks the slots that were measured by one of the processes that `record` lists. The unmarked slots are dropped later:
 * samples.csv also has samples of processes that did not finish, and no row uses these. */
static void name_slots(struct run_samples *samples, const struct record *record) {
  if (samples->named == NULL) samples->named = xcalloc(samples->count, sizeof *samples->named);
  for (size_t i = 0; i < samples->count; i++)
    samples->named[i] = samples->named[i] || record_has_epoch(record, samples->slots[i].epoch);
}

static void drop_unnamed(struct run_samples *samples) {
  size_t kept = 0;
  for (size_t i = 0; samples->named != NULL && i < samples->count; i++)
    if (samples->named[i]) samples->slots[kept++] = samples->slots[i];
  if (samples->named != NULL) samples->count = kept;
  free(samples->named);
  samples->named = NULL;
}

/* Drops the samples that no row uses, and the samples that the run itself replaced: if a device turns out to need a
 * longer pause between slots (cooldown), the run measures the slots with shorter pauses again. */
static void drop_uncounted(struct run_data *data) {
  size_t discarded;
  for (size_t i = 0; i < data->count; i++) {
    const struct run_samples *samples = run_data_samples_of(data, &data->records[i]);
    if (samples != NULL) name_slots(&data->samples[samples - data->samples], &data->records[i]);
  }
  for (size_t i = 0; i < data->sample_count; i++) {
    struct run_samples *samples = &data->samples[i];
    drop_unnamed(samples);
    samples->count = slots_rested(samples->slots, samples->count, &discarded);
  }
}

static int load_dir(const char *dir, struct run_data *data, struct err *err) {
  begin_run(data)->dir = xstrdup(dir);
  if (read_file_of(dir, "results.csv", run_file_results, data, err) != 0) return -1;
  if (data->runs[0].files.count == 0)
    return err_set(err, EXIT_USAGE, "%s is not a run directory: it has no results.csv", dir);
  if (read_file_of(dir, "run.ini", run_file_ini, data, err) != 0) return -1;
  if (data->runs[0].ini == NULL)
    strings_add(&data->runs[0].notes, "run.ini is missing: the environment and the command are unknown.");
  if (read_file_of(dir, "samples.csv", samples_csv_read, data, err) != 0) return -1;
  if (read_file_of(dir, "slots.csv", slots_csv_read, data, err) != 0) return -1;
  drop_uncounted(data);
  if (read_file_of(dir, AGAINST_FILE, against_csv_read, data, err) != 0) return -1;
  if (read_file_of(dir, FOREIGN_FILE, read_foreign, data, err) != 0) return -1;
  if (read_file_of(dir, METRICS_FILE, metrics_csv_read, data, err) != 0) return -1;
  if (read_file_of(dir, SPANS_FILE, spans_csv_read, data, err) != 0) return -1;
  return read_file_of(dir, "graph.csv", graph_csv_read, data, err);
}

/* ---- Reading a report ---- */

static int read_embedded(char *text, const char *name, read_fn read, struct run_data *data, struct err *err) {
  size_t length = 0;
  if (embed_decode(text, &length, err) != 0) return err_context(err, "%s", name);
  if (length == 0) return err_set(err, EXIT_FAILED, "%s is empty", name);
  SCOPED_FILE FILE *in = fmemopen(text, length, "r");
  if (in == NULL) return err_set(err, EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
  int result = read(in, name, data, err);
  return result;
}

static int load_embedded_run(const struct embed_files *files, const char *path, struct run_data *data,
                             struct err *err) {
  const struct {
    char *text;
    const char *file;
    read_fn read;
  } parts[] = {{files->results, "results.csv", run_file_results},
               {files->ini, "run.ini", run_file_ini},
               {files->foreign, FOREIGN_FILE, read_foreign},
               {files->against, AGAINST_FILE, against_csv_read}};
  struct strings *notes = &begin_run(data)->notes;
  int result = 0;
  strings_add(notes, "Read from a report: the raw samples are not in it.");
  if (files->ini == NULL) strings_add(notes, "The report has no run.ini: the environment and the command are unknown.");
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && result == 0; i++) {
    if (parts[i].text == NULL) continue;
    SCOPED char *name = memory_print("%s (%s in it)", path, parts[i].file);
    result = read_embedded(parts[i].text, name, parts[i].read, data, err);
  }
  return result;
}

static int load_page(FILE *in, const char *path, struct run_data *data, struct err *err) {
  size_t length = 0, count = 0;
  SCOPED char *page = run_file_text(in, path, &length, err);
  if (page == NULL) return -1;
  SCOPED struct embed_files *files = embed_locate(page, &count);
  int result = 0;
  if (count == 0)
    result =
        err_set(err, EXIT_USAGE,
                "%s has no <pre id=\"results-csv\">: no report of gpubench, one of an older version, or cut off", path);
  for (size_t i = 0; i < count && result == 0; i++)
    result = load_embedded_run(&files[i], path, data, err);
  return result;
}

/* ---- Reading results.csv without a directory ---- */

static int load_lone_results(FILE *in, const char *path, struct run_data *data, struct err *err) {
  strings_add(&begin_run(data)->notes,
              "Made from results.csv alone: without run.ini and samples.csv the environment, the command and the raw "
              "samples are unknown.");
  return run_file_results(in, path, data, err);
}

/* Tells a report from a results.csv by the first character: an HTML page begins with '<', a CSV header does not. */
static int load_file(FILE *in, const char *path, struct run_data *data, struct err *err) {
  int first = ungetc(getc(in), in);
  return first == '<' ? load_page(in, path, data, err) : load_lone_results(in, path, data, err);
}

/* Adds a note if the run measured only a part of a plan (a shard), or was merged from several runs. */
static void note_shards(struct run_info *info) {
  const char *merged = pairs_get(&info->environment, "merged"), *shard = pairs_get(&info->environment, "shard");
  if (merged != NULL) strings_print(&info->notes, "Put together from %.200s: no ratio is between devices.", merged);
  if (shard != NULL)
    strings_print(&info->notes, "Shard %.*s of %.40s of a plan of %.40s cases: the others are in the other shards.",
                  (int)strcspn(shard, "/"), shard, shard + strcspn(shard, "/") + (strchr(shard, '/') != NULL),
                  text_or_empty(pairs_get(&info->environment, "plan_cases")));
}

/* Adds a note for each plugin that was refused, or of which nothing ran. */
static void note_missing(struct run_info *info) {
  for (size_t i = 0; i < info->environment.count; i++) {
    const struct pair *pair = &info->environment.items[i];
    const bool refused = strcmp(pair->name, "refused") == 0;
    if (!refused && strcmp(pair->name, "unsupported") != 0) continue;
    strings_print(&info->notes, "%s: %.800s", refused ? "A plugin was refused" : "Nothing of a plugin ran",
                  pair->value);
  }
}

int run_data_load(const char *path, struct run_data *data, struct err *err) {
  struct stat info;
  *data = (struct run_data){0};
  if (stat(path, &info) != 0) return err_set(err, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
  int result = S_ISDIR(info.st_mode) ? load_dir(path, data, err) : read_path(path, load_file, data, err);
  if (result != 0) {
    text_sanitize(err->text); /* the message may quote the file */
    run_data_free(data);
    return -1;
  }
  /* Releases the spare memory of the array: rows are most of the memory when two runs are compared. */
  data->records = xrealloc(data->records, data->count, sizeof *data->records);
  devices_take(data);
  for (size_t i = 0; i < data->run_count; i++)
    note_missing(&data->runs[i]);
  for (size_t i = 0; i < data->run_count; i++)
    note_shards(&data->runs[i]);
  run_data_share(data);
  return 0;
}

static const char stated[] = "Its samples are not there: words and times are as its rows state them.";
static const char stated_words[] =
    "Of another version of gpubench: times follow from its samples, words are as its rows state them.";

/* Returns true if any row has a time that samples could confirm. A run that only checks the outputs of variants
 * measures no times. */
static bool has_times(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].median_raw_ns > 0) return true;
  return false;
}

int run_data_load_proven(const char *path, struct run_data *data, struct err *err) {
  if (run_data_load(path, data, err) != 0) return -1;
  const bool ours = text_same(run_data_get(data, "gpubench_version"), GPUBENCH_VERSION);
  const bool proven = data->dir != NULL && data->sample_count > 0;
  int rc = 0;
  for (size_t i = 0; i < data->count && proven && rc == 0; i++)
    rc = record_check_samples(data, &data->records[i], ours, err);
  if (rc != 0) {
    err_context(err, "%.300s", path);
    text_sanitize(err->text);
    run_data_free(data);
    return -1;
  }
  for (size_t i = 0; i < data->run_count && (!proven || !ours) && has_times(data); i++)
    strings_add(&data->runs[i].notes, proven ? stated_words : stated);
  run_data_share(data);
  return 0;
}

int run_data_load_ini(const char *dir, struct run_data *data, struct err *err) {
  *data = (struct run_data){0};
  begin_run(data);
  if (read_file_of(dir, "run.ini", run_file_ini, data, err) == 0) return run_data_share(data), 0;
  text_sanitize(err->text);
  run_data_free(data);
  return -1;
}

/* ---- Several runs ---- */

int run_data_check_different(const char *const *paths, size_t count, struct err *err) {
  struct stat a, b;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (stat(paths[i], &a) == 0 && stat(paths[j], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return err_set(err, EXIT_USAGE, "%s and %s are the same run", paths[j], paths[i]);
  return 0;
}
