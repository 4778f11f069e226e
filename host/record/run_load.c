/* Reading runs: which files there are, and what their absence means. run_files.c and the files called after them, as
 * samples_csv.c, read each of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/gz.h"
#include "base/memory.h"
#include "record/against_csv.h"
#include "record/devices.h"
#include "record/embed.h"
#include "record/graph_csv.h"
#include "record/metrics_csv.h"
#include "record/run_data.h"
#include "record/run_files.h"
#include "record/samples_csv.h"
#include "record/slots_csv.h"
#include "record/spans_csv.h"

typedef int (*read_fn)(FILE *in, const char *name, struct run_data *data, struct err *err);

/* Of the last run. */
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

static bool exists(const char *path) {
  struct stat info;
  return stat(path, &info) == 0;
}

static int read_path(const char *path, read_fn read, struct run_data *data, struct err *err) {
  FILE *in = gz_open(path);
  if (in == NULL) return err_set(err, EXIT_FAILED, "cannot open %s: %s", path, strerror(errno));
  int result = read(in, path, data, err);
  fclose(in);
  return result;
}

/* ---- A directory ---- */

/* Reads the file where there is one, or one that is kept compressed. */
static int read_file_of(const char *dir, const char *file, read_fn read, struct run_data *data, struct err *err) {
  SCOPED char *path = memory_print("%s/%s", dir, file), *packed = memory_print("%s.gz", path);
  int result = 0;
  if (exists(path) || exists(packed)) {
    strings_add(&data->runs[0].files, file);
    result = read_path(path, read, data, err);
  }
  return result;
}

/* Samples of processes that did not come to their end are in the file too: they count for no row. */
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

/* Nor does what was repeated with more rest. */
static void drop_uncounted(struct run_data *data) {
  size_t aside;
  for (size_t i = 0; i < data->count; i++) {
    const struct run_samples *samples = run_data_samples_of(data, &data->records[i]);
    if (samples != NULL) name_slots(&data->samples[samples - data->samples], &data->records[i]);
  }
  for (size_t i = 0; i < data->sample_count; i++) {
    struct run_samples *samples = &data->samples[i];
    drop_unnamed(samples);
    samples->count = slots_rested(samples->slots, samples->count, &aside);
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

/* ---- A report ---- */

static int read_embedded(char *text, const char *name, read_fn read, struct run_data *data, struct err *err) {
  size_t length = 0;
  if (embed_decode(text, &length, err) != 0) return err_context(err, "%s", name);
  if (length == 0) return err_set(err, EXIT_FAILED, "%s is empty", name);
  FILE *in = fmemopen(text, length, "r");
  if (in == NULL) return err_set(err, EXIT_FAILED, "cannot read %s: %s", name, strerror(errno));
  int result = read(in, name, data, err);
  fclose(in);
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

/* ---- A file ---- */

static int load_lone_results(FILE *in, const char *path, struct run_data *data, struct err *err) {
  strings_add(&begin_run(data)->notes,
              "Made from results.csv alone: without run.ini and samples.csv the environment, the command and the raw "
              "samples are unknown.");
  return run_file_results(in, path, data, err);
}

/* No header of a CSV begins like a page. */
static int load_file(FILE *in, const char *path, struct run_data *data, struct err *err) {
  int first = ungetc(getc(in), in);
  return first == '<' ? load_page(in, path, data, err) : load_lone_results(in, path, data, err);
}

/* What growing left over: two loaded runs are compared, and the rows are most of what is in memory. */
static void trim(struct run_data *data) {
  data->records = xrealloc(data->records, data->count, sizeof *data->records);
}

/* Of a shard, and of several that were put together. */
static void note_shards(struct run_info *info) {
  char note[MSG_SIZE];
  const char *merged = pairs_get(&info->environment, "merged"), *shard = pairs_get(&info->environment, "shard");
  if (merged != NULL) {
    snprintf(note, sizeof note, "Put together from %.200s: no ratio is between devices.", merged);
    strings_add(&info->notes, note);
  }
  if (shard != NULL) {
    snprintf(note, sizeof note, "Shard %.*s of %.40s of a plan of %.40s cases: the others are in the other shards.",
             (int)strcspn(shard, "/"), shard, shard + strcspn(shard, "/") + (strchr(shard, '/') != NULL),
             text_or_empty(pairs_get(&info->environment, "plan_cases")));
    strings_add(&info->notes, note);
  }
}

/* Plugins that were asked for and are not among the rows. */
static void note_missing(struct run_info *info) {
  char note[MSG_SIZE];
  for (size_t i = 0; i < info->environment.count; i++) {
    const struct pair *pair = &info->environment.items[i];
    const bool refused = strcmp(pair->name, "refused") == 0;
    if (!refused && strcmp(pair->name, "elsewhere") != 0) continue;
    snprintf(note, sizeof note, "%s: %.800s", refused ? "A plugin was refused" : "Nothing of a plugin ran",
             pair->value);
    strings_add(&info->notes, note);
  }
}

int run_data_load(const char *path, struct run_data *data, struct err *err) {
  struct stat info;
  *data = (struct run_data){0};
  if (stat(path, &info) != 0) return err_set(err, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
  int result = S_ISDIR(info.st_mode) ? load_dir(path, data, err) : read_path(path, load_file, data, err);
  if (result != 0) {
    text_sanitize(err->text); /* it may quote the file */
    run_data_free(data);
    return -1;
  }
  trim(data);
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

/* Whether a row states anything that samples could bear out: a run that only verifies has none. */
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

/* ---- Several ---- */

int run_data_check_different(const char *const *paths, size_t count, struct err *err) {
  struct stat a, b;
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < i; j++)
      if (stat(paths[i], &a) == 0 && stat(paths[j], &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
        return err_set(err, EXIT_USAGE, "%s and %s are the same run", paths[j], paths[i]);
  return 0;
}
