/* Compares runs with a baseline run (by compare/build.c) and stores the results. */
#include "commands/against.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "compare/compare.h"
#include "record/csv/files.h"

#define DEFAULT_THRESHOLD 0.02

/* Returns one run of the several runs in a report, as data of its own. It has no samples, because such a report has
 * none. */
static struct run_data lineup_of(const struct run_data *data, size_t run) {
  struct run_info *info = &data->runs[run];
  struct run_data lineup = *data;
  if (data->run_count == 1) return lineup;
  lineup.dir = info->dir;
  lineup.environment = info->environment;
  lineup.tags = info->tags;
  lineup.notes = info->notes;
  lineup.records = data->records + info->first;
  lineup.count = info->count;
  lineup.samples = NULL;
  lineup.sample_count = 0;
  lineup.series = (struct map){0};
  lineup.runs = info;
  lineup.run_count = 1;
  return lineup;
}

static int write_against_csv(const void *what, FILE *out, struct err *err) {
  return against_csv_write(what, out, err);
}

static int keep_against(const struct run_info *info, struct err *err) {
  if (info->dir == NULL) return 0;
  SCOPED char *path = memory_print("%s/" AGAINST_FILE, info->dir);
  return output_write(path, write_against_csv, info->against, err);
}

static int add_comparison(struct run_data *data, size_t run, const char *path, const struct base_run *base,
                          const struct options *options, struct gate *gate, struct err *err) {
  const struct compare_options how = compare_options_of(options);
  const struct run_data lineup = lineup_of(data, run);
  const struct compare_input from = {base->path, &base->data}, to = {path, &lineup};
  struct compare compare;
  compare_build(&how, &from, &to, 1, &compare);
  against_free(data->runs[run].against);
  data->runs[run].against = against_make(&compare, 0, base->asked);
  int result = keep_against(&data->runs[run], err);
  gate_add(gate, &compare);
  compare_free(&compare);
  return result;
}

struct compare_options compare_options_of(const struct options *options) {
  return (struct compare_options){
      .threshold = isnan(options->compare.threshold) ? DEFAULT_THRESHOLD : options->compare.threshold,
      .force = options->compare.force,
      .allow_unjudged = options->compare.allow_unjudged};
}

int against_add(struct run_data *data, const char *path, const struct base_run *base, const struct options *options,
                struct gate *gate, struct err *err) {
  for (size_t i = 0; base->loaded && i < data->run_count; i++)
    if (add_comparison(data, i, path, base, options, gate, err) != 0) return -1;
  return 0;
}
