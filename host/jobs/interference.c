/* Finds out whether GPUs disturb each other. Each GPU runs the bundled plugin calibrate twice, for a few seconds: once
 * alone, and once together with all other GPUs. The processes of the second run do not begin at the same moment.
 * Therefore only a part of its slots (groups of consecutive samples) is used: those during which all other GPUs
 * measured, too. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/tree.h"
#include "jobs/state.h"
#include "model/row_status.h"
#include "options/device_list.h"
#include "record/run_data.h"
#include "stats/gap.h"
#include "stats/stats.h"
#include "worker/signals.h"

/* GPUs disturb each other if one of them is slower by more than `apart` when all measure together. That is the default
 * of --threshold. The slowdown must be certain, that is, even the nearest ends of the 95% intervals of both times
 * differ that much, and LOOKS tests in a row must find it. */
static const double apart = 0.02;
enum { LOOKS = 2 };

/* How long each case of the test is measured, in seconds. The first test takes case_s. It may yield too few slots
 * (groups of consecutive samples) that were measured while all other GPUs measured as well. Then the test is repeated
 * with case_longer times as much time, but at most case_most_s, and at most case_most_share of the user's time limit.
 */
static const double case_s = 0.5, case_longer = 4, case_most_s = 16, case_most_share = 0.05;

/* The row that was slowed down most when the GPUs ran together. */
struct worst {
  size_t job;
  char what[KEY_SIZE + ID_SIZE]; /* key and variant: "calibrate/copy[bytes=1073741824] pack" */
  double alone_ns, together_ns;
  double loss; /* the slowdown that is certain: 0.1 means 10%; NaN: nothing was measured in both runs */
  /* true if too little was measured while all other GPUs measured as well */
  bool not_beside;
};

/* The time during which a job measured, by the host's clock. */
struct span {
  double from_s, to_s;
};

/* ---- Measuring alone and together ---- */

static char *calibration_path(const struct jobs *jobs, const char *how, size_t job) {
  return memory_print("%s/%s-%zu", jobs->folder, how, job + 1);
}

/* Prepares a child process that measures one GPU. `seconds` is the time for each case; 0: a quick measurement. */
static void prepare_calibration(const struct jobs *jobs, const char *how, size_t job, double seconds,
                                struct child *child) {
  const char *const fixed[] = {"run",     "--plugin=calibrate", "--bench=copy", "--bench=fma", "--quick",
                               "--quiet", "--max-time=120"};
  struct err ignored = {0};
  const bool scripted = devices_are(jobs->items[job].device, DEVICE_HOST_MEMORY);
  *child = (struct child){.label = jobs->items[job].device, .log = memory_print("%s/interference.log", jobs->folder)};
  child->quiet = true;
  for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++)
    strings_add(&child->words, fixed[i]);
  if (seconds > 0) {
    /* a scripted device (for tests; its times come from a file) gets half the time: its processes start faster, so that
     * the measurements overlap sooner */
    char *time = memory_print("--case-time=%.3gs", scripted ? seconds / 2 : seconds);
    strings_add(&child->words, time);
    strings_add(&child->words, "--precision=0");
    free(time);
  }
  if (scripted) { /* small arrays, because a scripted device's memory is the host's */
    strings_add(&child->words, "--axis=copy.bytes=64k");
    strings_add(&child->words, "--axis=fma.steps=64");
  }
  SCOPED char *out = calibration_path(jobs, how, job);
  tree_remove(out, &ignored); /* removes what an interrupted run may have left there */
  char *words[] = {memory_print("--device=%s", jobs->items[job].device), memory_print("--out=%s", out),
                   memory_print("--lock=%s", jobs->options->run.lock != NULL ? jobs->options->run.lock : "wait")};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    strings_add(&child->words, words[i]);
    free(words[i]);
  }
}

static void measure_interference(const struct jobs *jobs, bool together, double seconds) {
  SCOPED struct child *children = xcalloc(jobs->count, sizeof *children);
  for (size_t i = 0; i < jobs->count; i++)
    prepare_calibration(jobs, together ? "together" : "alone", i, seconds, &children[i]);
  if (together) children_run(children, jobs->count);
  for (size_t i = 0; i < jobs->count && !together && signals_last() == 0; i++)
    children_run(&children[i], 1);
  for (size_t i = 0; i < jobs->count; i++)
    child_free(&children[i]);
}

/* ---- Comparing alone and together ---- */

static bool load_calibration(const struct jobs *jobs, const char *how, size_t job, struct run_data *data) {
  struct err ignored = {0};
  SCOPED char *path = calibration_path(jobs, how, job);
  *data = (struct run_data){0};
  return access(path, F_OK) == 0 && run_data_load(path, data, &ignored) == 0;
}

static bool row_is_timed(const struct record *row) {
  return row_status_parse(row->status) == ROW_OK && row->median_raw_ns > 0 && row->ci95_lo_ns > 0 &&
         row->ci95_hi_ns > 0;
}

static const struct record *find_timed_row(const struct run_data *data, const struct record *like) {
  for (size_t i = 0; i < data->count; i++) {
    const struct record *row = &data->records[i];
    if (row_is_timed(row) && text_same(row->case_key, like->case_key) && text_same(row->variant, like->variant))
      return row;
  }
  return NULL;
}

static struct span slots_span(const struct run_data *data) {
  struct span span = {INFINITY, -INFINITY};
  for (size_t i = 0; i < data->sample_count; i++)
    for (size_t s = 0; s < data->samples[i].count; s++) {
      span.from_s = fmin(span.from_s, data->samples[i].slots[s].state.unix_s);
      span.to_s = fmax(span.to_s, data->samples[i].slots[s].state.unix_s);
    }
  return span;
}

/* Returns the span of each job; an empty span for a job that did not measure. */
static struct span *find_spans(const struct jobs *jobs) {
  struct span *spans = xcalloc(jobs->count, sizeof *spans);
  for (size_t i = 0; i < jobs->count; i++) {
    struct run_data data;
    spans[i] = load_calibration(jobs, "together", i, &data) ? slots_span(&data) : (struct span){INFINITY, -INFINITY};
    run_data_free(&data);
  }
  return spans;
}

/* Returns the span during which all other jobs measured. */
static struct span span_of_others(const struct span *spans, size_t count, size_t job) {
  struct span common = {-INFINITY, INFINITY};
  for (size_t i = 0; i < count; i++) {
    if (i == job) continue;
    common.from_s = fmax(common.from_s, spans[i].from_s);
    common.to_s = fmin(common.to_s, spans[i].to_s);
  }
  return common;
}

/* Computes the median over the slots in the span `others`, during which all other jobs measured. Returns false if there
 * are too few slots. */
static bool find_median(const struct run_data *data, const struct record *row, const struct span *others,
                        double *median_ns, struct interval *ci95) {
  const struct run_samples *samples = run_data_samples(data, row->case_key, row->variant, row->mode);
  const size_t all = samples != NULL ? samples->count : 0;
  SCOPED struct slot *inside = xcalloc(all + 1, sizeof *inside);
  size_t count = 0;
  for (size_t s = 0; s < all; s++) {
    const double at_s = samples->slots[s].state.unix_s;
    if (at_s >= others->from_s && at_s <= others->to_s) inside[count++] = samples->slots[s];
  }
  return count >= WORD_ROUNDS && stats_median_interval(inside, count, 0, 1, median_ns, ci95) == 0;
}

static void compare_alone(const struct run_data *alone, const struct run_data *together, const struct span *others,
                          struct worst *worst) {
  for (size_t i = 0; i < alone->count; i++) {
    const struct record *one = &alone->records[i], *other = row_is_timed(one) ? find_timed_row(together, one) : NULL;
    double median_ns;
    struct interval ci95;
    if (other == NULL) continue;
    if (!find_median(together, other, others, &median_ns, &ci95)) {
      worst->not_beside = true;
      continue;
    }
    const double loss = ci95.lo / one->ci95_hi_ns - 1;
    if (loss <= worst->loss) continue; /* false if worst->loss is NaN, so that any known loss replaces it */
    worst->loss = loss;
    worst->alone_ns = one->median_raw_ns;
    worst->together_ns = median_ns;
    snprintf(worst->what, sizeof worst->what, "%s %s", one->case_key, one->variant);
  }
}

static struct worst find_worst_of_job(struct jobs *jobs, size_t job, const struct span *others) {
  struct worst worst = {.job = job, .loss = NAN};
  struct run_data alone, together;
  const bool loaded = load_calibration(jobs, "alone", job, &alone);
  if (load_calibration(jobs, "together", job, &together) && loaded) compare_alone(&alone, &together, others, &worst);
  if (loaded && alone.count > 0) {
    free(jobs->items[job].uuid);
    jobs->items[job].uuid = xstrdup(text_or_empty(alone.records[0].devices));
  }
  run_data_free(&alone);
  run_data_free(&together);
  text_sanitize(worst.what);
  return worst;
}

/* Returns the worst slowdown over all jobs. A slowdown that could not be measured counts as the worst. `not_beside` is
 * true in the result if the test should be repeated with more time: some job measured too little while all others
 * measured, and no slowdown above `apart` was found. */
static struct worst find_worst(struct jobs *jobs) {
  struct worst most = {.loss = -INFINITY};
  SCOPED struct span *spans = find_spans(jobs);
  bool not_beside = false;
  for (size_t i = 0; i < jobs->count; i++) {
    const struct span others = span_of_others(spans, jobs->count, i);
    const struct worst one = find_worst_of_job(jobs, i, &others);
    const bool failed = isnan(one.loss) && !one.not_beside;
    if (!isnan(most.loss) && (failed || one.loss > most.loss)) most = one;
    not_beside = not_beside || one.not_beside;
  }
  most.not_beside = not_beside && most.loss <= apart;
  return most;
}

static struct worst measure_together(struct jobs *jobs) {
  /* fmin() ignores NaN, which stands for no time limit */
  const double most_s = fmin(case_most_s, case_most_share * jobs->options->cli.max_time_s);
  struct worst worst;
  double seconds = case_s;
  do {
    measure_interference(jobs, true, seconds);
    worst = find_worst(jobs);
    seconds *= case_longer;
  } while (worst.not_beside && seconds <= most_s && signals_last() == 0);
  return worst;
}

static void say_interference(struct jobs *jobs, const struct worst *worst) {
  const char *device = jobs->items[worst->job].device;
  if (worst->not_beside)
    pairs_add(&jobs->said, "interference",
              "not known: not all of them could be measured at the same time, so one after the other");
  else if (isnan(worst->loss))
    pairs_add(&jobs->said, "interference",
              "not known: %s could not be measured alone and beside the others (%s/interference.log), so one after the "
              "other",
              device, jobs->folder);
  else
    pairs_add(&jobs->said, "interference", "%s: %s: %s takes %s alone and %s beside the others%s",
              jobs->apart ? "they disturb each other" : "not disturbed", device, worst->what,
              number_time(worst->alone_ns).text, number_time(worst->together_ns).text,
              jobs->apart ? ", so one after the other" : ", the most that any lost");
}

void interference_look(struct jobs *jobs) {
  struct worst worst = {.loss = NAN};
  for (int i = 0; i < LOOKS && signals_last() == 0; i++) {
    measure_interference(jobs, false, 0);
    worst = measure_together(jobs);
    if (worst.loss <= apart || isnan(worst.loss)) break;
  }
  jobs->apart = worst.not_beside || !(worst.loss <= apart);
  if (signals_last() == 0) say_interference(jobs, &worst);
}
