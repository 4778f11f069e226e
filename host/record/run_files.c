/* results.csv, samples.csv and run.ini into memory. Everything in them is untrusted. */
#include "record/run_files.h"

#include <errno.h>
#include <ini.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"
#include "record/csv.h"
#include "record/csv_read.h"

#define SAMPLE_COLUMNS_LIST "case_key, variant, mode, epoch, round, index, ns"
#define SLOT_COLUMNS_LIST \
  "case_key, variant, mode, epoch, round, position, samples, sm_clock_mhz, temperature_c, power_w, throttle"

struct columns {
  struct run_data *data;
  const struct record_field **fields; /* per column of the file; NULL: unknown */
};

static struct run_info *last_run(struct run_data *data) {
  return &data->runs[data->run_count - 1];
}

static const struct record_field *find_field(const char *name) {
  for (size_t i = 0; i < record_field_count; i++)
    if (strcmp(record_fields[i].name, name) == 0) return &record_fields[i];
  return NULL;
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
  struct columns *columns = user;
  columns->fields = xcalloc(count, sizeof *columns->fields);
  for (size_t i = 0; i < count; i++) {
    columns->fields[i] = find_field(names[i]);
    for (size_t j = 0; columns->fields[i] != NULL && j < i; j++)
      if (columns->fields[j] == columns->fields[i])
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
  (void)complete;
  struct columns *columns = user;
  struct record *record = new_record(columns->data);
  for (size_t i = 0; i < count; i++) {
    const struct record_field *field = columns->fields[i];
    if (field == NULL) continue;
    if (field->kind == RECORD_TEXT) csv_unguard(fields[i]);
    if (!record_parse(record, field, fields[i]))
      return err_set(err, EXIT_FAILED, "column %s: '%.100s' is not %s", field->name, fields[i],
                     field->kind == RECORD_REAL ? "a number" : "a whole number");
  }
  return 0;
}

int run_file_results(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct columns columns = {.data = data};
  struct csv_handler handler = {results_header, results_row, &columns};
  bool torn = false;
  int result = csv_read_stream(in, name, &handler, &torn, err);
  free(columns.fields);
  if (torn) strings_add(&last_run(data)->notes, "The last row of results.csv was cut off and is left out.");
  return result;
}

static int samples_header(void *user, char **names, size_t count, struct err *err) {
  (void)user;
  char list[256];
  text_join(list, sizeof list, (const char *const *)names, count);
  if (strcmp(list, SAMPLE_COLUMNS_LIST) == 0) return 0;
  return err_set(err, EXIT_FAILED, "the columns are '%s', not " CSV_SAMPLE_COLUMNS, list);
}

static void new_slot(struct run_samples *samples, uint32_t epoch, uint32_t round) {
  if (samples->slots == NULL || samples->count == samples->capacity) {
    samples->capacity = samples->capacity ? samples->capacity * 2 : 8;
    samples->slots = xrealloc(samples->slots, samples->capacity, sizeof *samples->slots);
  }
  samples->slots[samples->count++] = (struct slot){.epoch = epoch, .round = round, .state = SLOT_STATE_UNKNOWN};
}

static void add_sample(struct run_samples *samples, uint32_t epoch, uint32_t round, double ns) {
  const struct slot *last = samples->count > 0 ? &samples->slots[samples->count - 1] : NULL;
  if (last == NULL || last->epoch != epoch || last->round != round) new_slot(samples, epoch, round);
  if (samples->ns_count == samples->ns_capacity) {
    samples->ns_capacity = samples->ns_capacity ? samples->ns_capacity * 2 : 32;
    samples->ns = xrealloc(samples->ns, samples->ns_capacity, sizeof *samples->ns);
  }
  samples->ns[samples->ns_count++] = ns;
  samples->slots[samples->count - 1].count++;
}

static int parse_u32(const char *text, uint32_t *value) {
  char *end = NULL;
  errno = 0;
  unsigned long long parsed = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || parsed > UINT32_MAX) return -1;
  *value = (uint32_t)parsed;
  return 0;
}

static void unguard_names(char **fields) {
  for (size_t i = 0; i < 3; i++)
    csv_unguard(fields[i]);
}

static int samples_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count;
  if (!complete) return 0; /* a cut number would read as another one */
  uint32_t epoch = 0, round = 0, index = 0;
  char *end = NULL;
  double ns = strtod(fields[6], &end);
  if (parse_u32(fields[3], &epoch) != 0 || parse_u32(fields[4], &round) != 0 || parse_u32(fields[5], &index) != 0)
    return err_set(err, EXIT_FAILED, "epoch, round and index are '%.20s', '%.20s', '%.20s', not three whole numbers",
                   fields[3], fields[4], fields[5]);
  if (end == fields[6] || *end != '\0' || !isfinite(ns))
    return err_set(err, EXIT_FAILED, "ns is '%.40s', not a number", fields[6]);
  struct run_data *data = user;
  unguard_names(fields);
  add_sample(run_data_add_samples(data, data->run_count - 1, fields[0], fields[1], fields[2]), epoch, round, ns);
  return 0;
}

/* The samples stay put from now on, in no more memory than they need: there may be 100,000 series. */
static void point_slots(struct run_samples *samples) {
  size_t used = 0;
  samples->ns = xrealloc(samples->ns, samples->ns_capacity = samples->ns_count, sizeof *samples->ns);
  samples->slots = xrealloc(samples->slots, samples->capacity = samples->count, sizeof *samples->slots);
  for (size_t i = 0; i < samples->count; i++) {
    samples->slots[i].ns = samples->ns + used;
    used += samples->slots[i].count;
  }
}

int run_file_samples(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct csv_handler handler = {samples_header, samples_row, data};
  bool torn = false;
  int result = csv_read_stream(in, name, &handler, &torn, err);
  for (size_t i = 0; i < data->sample_count; i++)
    point_slots(&data->samples[i]);
  return result;
}

static int slots_header(void *user, char **names, size_t count, struct err *err) {
  (void)user;
  char list[256];
  text_join(list, sizeof list, (const char *const *)names, count);
  if (strcmp(list, SLOT_COLUMNS_LIST) == 0) return 0;
  return err_set(err, EXIT_FAILED, "the columns are '%s', not " CSV_SLOT_COLUMNS, list);
}

/* An empty field is "not known". */
static int parse_real(const char *text, double *value) {
  char *end = NULL;
  *value = NAN;
  if (text[0] == '\0') return 0;
  *value = strtod(text, &end);
  return *end == '\0' && isfinite(*value) ? 0 : -1;
}

static struct slot *find_slot(struct run_samples *samples, uint32_t epoch, uint32_t round) {
  for (size_t i = 0; i < samples->count; i++) { /* both files have them in one order: the next is the first looked at */
    struct slot *slot = &samples->slots[(samples->next + i) % samples->count];
    if (slot->epoch != epoch || slot->round != round) continue;
    samples->next = (samples->next + i + 1) % samples->count;
    return slot;
  }
  return NULL;
}

static int slots_row(void *user, char **fields, size_t count, bool complete, struct err *err) {
  (void)count;
  if (!complete) return 0;
  uint32_t epoch = 0, round = 0;
  struct slot_state state;
  if (parse_u32(fields[3], &epoch) != 0 || parse_u32(fields[4], &round) != 0 ||
      parse_u32(fields[5], &state.position) != 0 || parse_real(fields[7], &state.sm_clock_mhz) != 0 ||
      parse_real(fields[8], &state.temperature_c) != 0 || parse_real(fields[9], &state.power_w) != 0)
    return err_set(err, EXIT_FAILED, "epoch, round, position, clock, temperature or power is not a number: %.100s",
                   fields[3]);
  unguard_names(fields);
  state.throttle = throttle_parse(fields[10]);
  struct run_data *data = user;
  const struct run_samples *samples = run_data_samples(data, fields[0], fields[1], fields[2]);
  struct slot *slot = samples != NULL ? find_slot(&data->samples[samples - data->samples], epoch, round) : NULL;
  if (slot != NULL) slot->state = state; /* a slot without samples was thinned out or cut off */
  return 0;
}

int run_file_slots(FILE *in, const char *name, struct run_data *data, struct err *err) {
  struct csv_handler handler = {slots_header, slots_row, data};
  bool torn = false;
  return csv_read_stream(in, name, &handler, &torn, err);
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
