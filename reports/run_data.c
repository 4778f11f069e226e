/* Loading a run directory: which files, and what their absence means. run_files.c reads each of them. */
#include "reports/run_data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "reports/run_files.h"

void run_pairs_add(struct run_pairs *pairs, const char *name, const char *value) {
  pairs->items = xrealloc(pairs->items, pairs->count + 1, sizeof *pairs->items);
  pairs->items[pairs->count++] = (struct run_pair){xstrdup(name), xstrdup(value)};
}

const char *run_pairs_get(const struct run_pairs *pairs, const char *name) {
  for (size_t i = 0; i < pairs->count; i++)
    if (strcmp(pairs->items[i].name, name) == 0) return pairs->items[i].value;
  return NULL;
}

void run_pairs_free(struct run_pairs *pairs) {
  for (size_t i = 0; i < pairs->count; i++) {
    free(pairs->items[i].name);
    free(pairs->items[i].value);
  }
  free(pairs->items);
  *pairs = (struct run_pairs){0};
}

const char *run_data_get(const struct run_data *data, const char *name) {
  return run_pairs_get(&data->environment, name);
}

const struct run_samples *run_data_samples(const struct run_data *data, const char *case_key, const char *variant,
                                           const char *mode) {
  for (size_t i = 0; i < data->sample_count; i++) {
    const struct run_samples *samples = &data->samples[i];
    if (strcmp(samples->case_key, case_key) == 0 && strcmp(samples->variant, variant) == 0 &&
        strcmp(samples->mode, mode) == 0)
      return samples;
  }
  return NULL;
}

/* The path of a file of the run, or NULL where there is none. */
static char *existing(const char *dir, const char *file) {
  size_t size = strlen(dir) + strlen(file) + 2;
  char *path = xcalloc(size, 1);
  struct stat info;
  snprintf(path, size, "%s/%s", dir, file);
  if (stat(path, &info) == 0) return path;
  free(path);
  return NULL;
}

static int load_dir(const char *dir, struct run_data *data, struct err *err) {
  char *results = existing(dir, "results.csv"), *ini = existing(dir, "run.ini"), *raw = existing(dir, "samples.csv");
  char *slots = existing(dir, "slots.csv");
  int result = -1;
  data->dir = xstrdup(dir);
  if (results == NULL) {
    err_set(err, EXIT_USAGE, "%s is not a run directory: it has no results.csv", dir);
    goto out;
  }
  if (run_file_results(results, data, err) != 0) goto out;
  if (ini == NULL) strings_add(&data->notes, "run.ini is missing: the environment and the command are not known.");
  if (ini != NULL && run_file_ini(ini, data, err) != 0) goto out;
  if (raw != NULL && run_file_samples(raw, data, err) != 0) goto out;
  if (slots != NULL && run_file_slots(slots, data, err) != 0) goto out;
  result = 0;
out:
  free(results);
  free(ini);
  free(raw);
  free(slots);
  return result;
}

int run_data_load(const char *path, struct run_data *data, struct err *err) {
  struct stat info;
  *data = (struct run_data){0};
  if (stat(path, &info) != 0) return err_set(err, EXIT_USAGE, "cannot open %s: %s", path, strerror(errno));
  int result = S_ISDIR(info.st_mode) ? load_dir(path, data, err) : run_file_results(path, data, err);
  if (result == 0 && data->dir == NULL)
    strings_add(&data->notes,
                "Made from results.csv alone: without run.ini and samples.csv the environment, the command and the raw "
                "samples are not known.");
  if (result != 0) run_data_free(data);
  return result;
}

static void free_samples(struct run_samples *samples) {
  free(samples->case_key);
  free(samples->variant);
  free(samples->slots);
  free(samples->mode);
  free(samples->ns);
}

void run_data_free(struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    record_free(&data->records[i]);
  for (size_t i = 0; i < data->sample_count; i++)
    free_samples(&data->samples[i]);
  free(data->dir);
  free(data->records);
  free(data->samples);
  run_pairs_free(&data->environment);
  run_pairs_free(&data->tags);
  strings_free(&data->notes);
  *data = (struct run_data){0};
}
