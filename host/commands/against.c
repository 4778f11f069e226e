/* Compares runs with a baseline run (by compare/build.c) and stores the results. */
#include "commands/against.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "compare/compare.h"
#include "record/csv/files.h"

/* ---- Counts the results of comparisons and decides about the exit code ---- */

void gate_add(struct gate *gate, const struct compare *compare) {
  gate->threshold = compare->options.threshold;
  for (size_t i = 0; i < compare->run_count; i++) {
    const struct compare_run *run = &compare->runs[i];
    if (run->common == 0 && gate->apart[0] == '\0')
      snprintf(gate->apart, sizeof gate->apart, "'%.60s' and '%.60s'", compare->base_label, run->label);
    gate->slower += run->slower;
    gate->lost += run->outcomes[AGAINST_BROKEN];
    gate->runs++;
    gate->untimed_runs += run->outcomes[AGAINST_BOTH] == 0;
    gate->unchecked_runs += run->checked == 0;
    gate->unchecked += run->unchecked;
    for (enum gap gap = GAP_NONE; gap < GAPS; gap++)
      gate->gaps[gap] += run->gaps[gap];
  }
}

void gate_add_alone(struct gate *gate) {
  gate->runs++;
  gate->untimed_runs++;
  gate->unchecked_runs++;
}

static int fail_unjudged(const struct gate *gate, struct err *err) {
  char text[TEXT_SIZE] = "";
  size_t count = 0;
  for (enum gap gap = GAP_NONE; gap < GAPS; gap++) {
    count += gate->gaps[gap];
    if (gate->gaps[gap] != 0) phrase_add(text, sizeof text, ", ", "%zu %s", gate->gaps[gap], gap_name(gap));
  }
  if (count == 0) return 0;
  return err_set(err, EXIT_UNJUDGED, "%zu row%s could not be judged: %s; --allow-unjudged lets them pass", count,
                 count == 1 ? "" : "s", text);
}

static int fail_unchecked(const struct gate *gate, struct err *err) {
  if (gate->unchecked == 0) return 0;
  return err_set(err, EXIT_UNJUDGED,
                 "%zu row%s correct in the base but not checked now; --allow-unjudged lets them pass", gate->unchecked,
                 gate->unchecked == 1 ? " was" : "s were");
}

int gate_judge(const struct gate *gate, const struct options *options, struct err *err) {
  if (gate->apart[0] != '\0')
    return err_set(err, EXIT_USAGE, "%s have no case, variant and mode in common", gate->apart);
  if (options->compare.fail_on == NULL || strcmp(options->compare.fail_on, "none") == 0) return 0;
  const bool times = strcmp(options->compare.fail_on, "slower") == 0;
  if (gate->lost != 0)
    return err_set(err, EXIT_REGRESSION, "%zu result%s no longer correct", gate->lost,
                   gate->lost == 1 ? " is" : "s are");
  if (times && gate->slower != 0)
    return err_set(err, EXIT_REGRESSION, "%zu confident regression%s beyond %g%%", gate->slower,
                   gate->slower == 1 ? "" : "s", 100 * gate->threshold);
  const size_t empty = times ? gate->untimed_runs : gate->unchecked_runs;
  if (gate->runs == 0 || empty != 0)
    return err_set(err, EXIT_UNJUDGED, "--fail-on %s has nothing to compare%s, so it does not pass",
                   options->compare.fail_on, empty < gate->runs ? " in one of the runs" : "");
  if (options->compare.allow_unjudged) return 0;
  return times ? fail_unjudged(gate, err) : fail_unchecked(gate, err);
}

#define DEFAULT_THRESHOLD 0.02

/* Returns the data of one of the runs in `data`. If there are several runs, the result has no samples, because those
 * are only loaded for a single run. */
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
  const struct compare_input from = {base->path, &base->data, base->asked}, to = {path, &lineup, NULL};
  struct compare compare;
  compare_build(&how, &from, &to, 1, &compare);
  against_free(data->runs[run].against);
  data->runs[run].against = compare.runs[0].against;
  compare.runs[0].against = NULL;
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
