/* Computes the ratio of two rows, the differences between two runs, labels, and the verdict of a comparison. */
#include "compare/compare.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "options/device_list.h"
#include "stats/restarts.h"
#include "summary/row.h"

/* ---- The ratio of two rows, from their samples if both have some (statistics: host/stats/restarts.h) ---- */

/* Collects the samples of a row. All devices of a run store their samples in one series, so only those slots (series of
 * samples) are used that the row's own processes measured. */
static int side_of_samples(const struct run_data *data, const struct record *row, struct restart_side *side) {
  const struct run_samples *samples = run_data_samples_of(data, row);
  if (samples == NULL || samples->count == 0) return -1;
  SCOPED struct slot *own = xcalloc(samples->count, sizeof *own);
  size_t count = 0;
  for (size_t i = 0; i < samples->count; i++)
    if (record_has_epoch(row, samples->slots[i].epoch)) own[count++] = samples->slots[i];
  return stats_side(own, count, isnan(row->tick_ns) ? 0 : row->tick_ns, (uint64_t)row->seed, side);
}

static struct restart_side side_of_row(const struct record *row) {
  size_t restarts = row->restarts > 1 ? (size_t)row->restarts : 1;
  bool known = restarts > 1 && row->restart_sd >= 0;
  return stats_side_of_row(row->median_raw_ns, row->ci95_lo_ns, row->ci95_hi_ns, known ? restarts : 1,
                           known ? row->restart_sd : (double)NAN);
}

/* Returns true if the row was measured on CPUs. Other programs and virtual machines share the CPUs, and their load
 * changes over minutes. So the processes of one run may all see the same load, and differ less than two runs do. A GPU
 * runs one program at a time. */
static bool is_shared(const struct record *row) {
  return devices_are(text_or_empty(row->backend), DEVICE_HOST_PROCESSORS);
}

/* Returns true for a scripted device, whose times come from a file and not from a machine. */
static bool is_scripted(const struct run_data *data, const struct record *row) {
  return devices_are(text_or_empty(pairs_get(run_data_environment(data, row), "device")), DEVICE_SCRIPTED);
}

/* Returns the launch overhead of a row as a share of its time. It counts once for each of the row's kernels, because a
 * kernel that follows another adds as much as the first. */
static double launches_of(const struct record *row) {
  const double each_ns = record_overhead(row).ns, kernels = row->kernels > 1 ? (double)row->kernels : 1;
  return each_ns > 0 ? kernels * each_ns / row->median_raw_ns : 0;
}

/* Returns true if the row's time without the launch overhead is known. Computes it from the overhead, because files of
 * older versions lack the column. */
static bool has_left(const struct record *row) {
  const struct launch_overhead overhead = record_overhead(row);
  struct interval left;
  return overhead_left(&overhead, row->median_raw_ns, (struct interval){row->ci95_lo_ns, row->ci95_hi_ns}, &left);
}

static void find_less(const struct restart_side *a, const struct restart_side *b, const struct record *base,
                      const struct record *other, struct compare_ratio *ratio) {
  const struct launch_overhead base_overhead = record_overhead(base), other_overhead = record_overhead(other);
  ratio->launch_limited = row_launch_limited(base) || row_launch_limited(other);
  ratio->less = RATIO_NONE;
  if (ratio->launch_limited && has_left(base) && has_left(other))
    stats_across_overhead(a, b, &base_overhead, &other_overhead, &ratio->less);
}

void compare_ratio_find(const struct run_data *base_data, const struct record *base, const struct run_data *other_data,
                        const struct record *other, struct compare_ratio *ratio) {
  struct restart_side a, b;
  struct ratio found;
  *ratio = (struct compare_ratio){NAN, NAN, NAN, NAN, NAN, .p = NAN, .assumed_sd = NAN};
  if (side_of_samples(base_data, base, &a) != 0 || side_of_samples(other_data, other, &b) != 0) {
    ratio->from_rows = true;
    a = side_of_row(base);
    b = side_of_row(other);
  }
  a.launches = launches_of(base);
  b.launches = launches_of(other);
  a.drifts = b.drifts = is_shared(base) || is_shared(other);
  ratio->base_restarts = a.restarts;
  ratio->other_restarts = b.restarts;
  const bool few = a.restarts < STATS_PROCESSES || b.restarts < STATS_PROCESSES;
  if (few) ratio->assumed_sd = stats_lent(&a, &b).sd;
  ratio->alone = few && a.drifts && !is_scripted(base_data, base) && !is_scripted(other_data, other);
  if (stats_across(&a, &b, &found) != 0) return;
  find_less(&a, &b, base, other, ratio);
  ratio->speedup = found.speedup;
  ratio->lo95 = found.lo95;
  ratio->hi95 = found.hi95;
  ratio->lo99 = found.lo99;
  ratio->hi99 = found.hi99;
  ratio->p = stats_ratio_p(&found, 0);
}

static enum verdict word_of(double speedup, double lo95, double hi95, double lo99, double hi99, double threshold) {
  const double least = 1.005, limit = 1 + threshold;
  if (!(lo95 > 0) || !isfinite(hi95)) return VERDICT_NONE;
  if (lo99 > 1 && speedup >= least) return VERDICT_FASTER;
  if (hi99 < 1 && speedup <= 1 / least) return VERDICT_SLOWER;
  return lo95 > 1 / limit && hi95 < limit ? VERDICT_SAME : VERDICT_UNDECIDED;
}

enum verdict compare_ratio_word(const struct compare_ratio *ratio, double threshold) {
  return word_of(ratio->speedup, ratio->lo95, ratio->hi95, ratio->lo99, ratio->hi99, threshold);
}

bool compare_overhead_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold) {
  const struct ratio *less = &ratio->less;
  if (!ratio->launch_limited) return true;
  if (word == VERDICT_UNDECIDED) return !gap_is_noisy(less->lo95, less->hi95, threshold);
  return word_of(less->speedup, less->lo95, less->hi95, less->lo99, less->hi99, threshold) == word;
}

/* ---- The conditions that make runs unlike if they differ, and their values in both runs ---- */

enum { PROVIDERS_MAX = 32, TAGS_MAX = 64, HASH_SHOWN = 12 };

enum weight {
  ALWAYS,  /* a difference makes the runs unlike */
  ON_GPUS, /* a difference makes the runs unlike if the device is a GPU; otherwise it is only shown */
  ON_CPUS, /* a difference makes the runs unlike if the device is no GPU; otherwise it is only shown */
  SHOWN,   /* a difference is only shown */
};

/* The keys of [environment] in run.ini that are compared, each with its name for readers, its unit, its weight, and the
 * column that has the value if there is no run.ini. The number of restarts is not among them, because the interval of a
 * ratio accounts for it. */
static const struct {
  const char *key, *what, *unit;
  enum weight weight;
  const char *column;
} keys[] = {
    /* the machine */
    {"device_name", "device", "", ALWAYS, "device_name"},
    {"memory_bytes", "device memory", " B", ON_GPUS, NULL},
    {"sm_count", "SMs", "", ALWAYS, NULL},
    {"ecc", "ECC", "", ALWAYS, NULL},
    {"mig", "MIG", "", ALWAYS, NULL},
    {"mps", "MPS", "", ALWAYS, NULL},
    {"threads", "threads", "", ON_CPUS, NULL},
    {"cpu_quota", "CPU quota", "", ON_CPUS, NULL},
    {"smt", "SMT", "", ON_CPUS, NULL},
    {"hypervisor", "virtual machine", "", ON_CPUS, NULL},
    {"driver", "driver", "", ALWAYS, "driver"},
    /* settings of the clocks */
    {"power_limit_w", "power limit", " W", ALWAYS, NULL},
    {"max_sm_clock_mhz", "highest clock", " MHz", ALWAYS, NULL},
    {"application_clock_mhz", "application clock", " MHz", ALWAYS, NULL},
    {"locked_clocks", "locked clocks", "", ALWAYS, NULL},
    {"governor", "CPU governor", "", ON_CPUS, NULL},
    {"cpu_boost", "CPU boost", "", ON_CPUS, NULL},
    {"cpu_mhz_max", "highest CPU clock", " MHz", ON_CPUS, NULL},
    /* options and data; the mode is not compared, because it is part of the key by which rows are joined */
    {"precision", "precision", "", ALWAYS, NULL},
    {"quick", "quick", "", ALWAYS, "quick"},
    {"option.trajectory", "trajectory", "", ALWAYS, NULL},
    {"option.in-process", "in-process", "", ALWAYS, NULL},
    {"option.isolate", "isolated", "", ALWAYS, NULL},
    {"seed", "seed of the data", "", ALWAYS, "seed"},
    /* other facts */
    {"host", "host", "", SHOWN, "host"},
    {"device_uuid", "device UUID", "", SHOWN, NULL},
    {"cuda_runtime", "CUDA runtime", "", SHOWN, NULL},
    {"persistence", "persistence mode", "", SHOWN, NULL},
    {"cpu", "CPU", "", SHOWN, NULL},
    {"affinity", "CPUs that it may use", "", SHOWN, NULL},
    {"kernel", "kernel", "", SHOWN, NULL},
    {"compiler", "gpubench's compiler", "", SHOWN, NULL},
    {"gpubench_version", "gpubench", "", SHOWN, NULL},
    {"gpubench_build", "gpubench's build", "", SHOWN, NULL},
};

/* Returns the run's value of a fact, or NULL if it is not known. A value from a column is taken from the first row,
 * because these columns are the same in all rows of a run. If run.ini does not name an option, the option was not
 * given. */
static const char *run_value(const struct run_data *data, const char *key, const char *column, char *buffer,
                             size_t size) {
  const char *value = run_data_get(data, key);
  for (size_t i = 0; value == NULL && data->run_count > 1 && i < data->run_count; i++)
    if (pairs_get(&data->runs[i].environment, key) != NULL) return "several values";
  if (value == NULL && column != NULL && data->count != 0)
    value = record_text(&data->records[0], record_field(column), buffer, size);
  if (value == NULL && strncmp(key, "option.", 7) == 0 && data->environment.count != 0) return "default";
  return value == NULL || value[0] == '\0' || strcmp(value, "unknown") == 0 ? NULL : value;
}

static bool on_gpu(const struct run_data *data) {
  for (size_t i = 0; i < data->count; i++)
    if (data->records[i].backend != NULL) return !devices_are(data->records[i].backend, DEVICE_HOST_PROCESSORS);
  return false;
}

static void add_difference(struct against *against, const char *what, const char *base, const char *other,
                           const char *unit, bool counts) {
  SCOPED char *base_text = memory_print("%s%s", base, unit);
  SCOPED char *other_text = memory_print("%s%s", other, unit);
  against_add_difference(against, what, base_text, other_text, counts);
}

static void add_keys(const struct run_data *base, struct compare_run *run, bool counts) {
  const struct run_data *other = run->data;
  bool gpu = on_gpu(base) || on_gpu(other);
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    char a_text[64], b_text[64];
    enum weight weight = keys[i].weight;
    const char *a = run_value(base, keys[i].key, keys[i].column, a_text, sizeof a_text);
    const char *b = run_value(other, keys[i].key, keys[i].column, b_text, sizeof b_text);
    bool matters = weight == ALWAYS || weight == (gpu ? ON_GPUS : ON_CPUS);
    if (matters != counts || (a == NULL && b == NULL)) continue;
    if (a != NULL && b != NULL && strcmp(a, b) != 0)
      add_difference(run->against, keys[i].what, a, b, keys[i].unit, counts);
    if (counts && (a == NULL || b == NULL)) strings_add(&run->unknown, keys[i].what);
  }
}

/* Compares the options of plugins ("setting.PLUGIN.NAME"). Ignores an option that only one run knows, because it
 * belongs to another version of the plugin. */
static void add_settings(const struct run_data *base, const struct run_data *other, struct against *against) {
  static const char prefix[] = "setting.";
  for (size_t i = 0; i < base->environment.count; i++) {
    const struct pair *pair = &base->environment.items[i];
    if (strncmp(pair->name, prefix, strlen(prefix)) != 0) continue;
    const char *value = pairs_get(&other->environment, pair->name);
    if (value == NULL || strcmp(value, pair->value) == 0) continue;
    SCOPED char *what = memory_print("option %s", pair->name + strlen(prefix));
    against_add_difference(against, what, pair->value[0] != '\0' ? pair->value : "empty",
                           value[0] != '\0' ? value : "empty", true);
  }
}

/* ---- Differences between the plugins ---- */

struct provider {
  const char *name, *label, *version, *hash; /* label: "@new" for a labelled build, or empty */
};

struct providers {
  struct provider items[PROVIDERS_MAX];
  size_t count;
};

static const struct provider *provider_find(const struct providers *providers, const char *name, const char *label) {
  for (size_t i = providers->count; i-- > 0;)
    if (strcmp(providers->items[i].name, name) == 0 && strcmp(providers->items[i].label, label) == 0)
      return &providers->items[i];
  return NULL;
}

static void providers_of(const struct run_data *data, struct providers *providers) {
  providers->count = 0;
  for (size_t i = 0; i < data->count && providers->count < PROVIDERS_MAX; i++) {
    const struct record *record = &data->records[i];
    const char *name = record->provider, *label = record_label(record);
    /* skips a provider that is in the list already; the list is searched from its end */
    if (name == NULL || provider_find(providers, name, label) != NULL) continue;
    providers->items[providers->count++] =
        (struct provider){name, label, text_or_empty(record->plugin_version), text_or_empty(record->plugin_sha256)};
  }
}

static void provider_text(const struct provider *provider, char *to, size_t size) {
  const char *hash = provider->hash;
  snprintf(to, size, "%.64s%s%.*s%s", provider->version, hash[0] ? " (" : "", HASH_SHOWN, hash, hash[0] ? ")" : "");
}

/* Adds the plugins whose files or versions differ between the runs. Such a difference does not make runs unlike,
 * because most comparisons are made to judge a new version of a plugin. */
static void add_plugins(const struct run_data *base, struct compare_run *run) {
  struct providers a, b;
  providers_of(base, &a);
  providers_of(run->data, &b);
  run->same_files = a.count != 0 && a.count == b.count;
  for (size_t i = 0; i < a.count; i++) {
    const struct provider *one = &a.items[i], *two = provider_find(&b, one->name, one->label);
    char what[2 * ID_SIZE + 16], before[128], after[128];
    bool same_file = two != NULL && one->hash[0] != '\0' && strcmp(one->hash, two->hash) == 0;
    run->same_files = run->same_files && same_file;
    if (two == NULL || (strcmp(one->hash, two->hash) == 0 && strcmp(one->version, two->version) == 0)) continue;
    snprintf(what, sizeof what, "plugin %.64s%.64s", one->name, one->label);
    provider_text(one, before, sizeof before);
    provider_text(two, after, sizeof after);
    against_add_difference(run->against, what, before, after, false);
  }
}

/* Compares tags, such as commits and jobs. */
static void add_tags(const struct pairs *base, const struct pairs *other, struct against *against) {
  for (size_t i = 0; i < base->count && i < TAGS_MAX; i++) {
    const char *value = pairs_get(other, base->items[i].name);
    if (value == NULL || strcmp(value, base->items[i].value) == 0) continue;
    SCOPED char *what = memory_print("tag %s", base->items[i].name);
    against_add_difference(against, what, base->items[i].value, value, false);
  }
}

void compare_differences_find(const struct run_data *base, struct compare_run *run) {
  add_keys(base, run, true);
  add_settings(base, run->data, run->against);
  add_plugins(base, run);
  add_tags(&base->tags, &run->data->tags, run->against);
  add_keys(base, run, false);
}

/* ---- Labels. One sort groups the rows by bench, so that the time is not quadratic in the number of rows. ---- */

enum { LABEL_AXES = 64 };

/* ---- Labels of runs ---- */

static const char *candidate(const struct compare_input *input, int kind) {
  const char *text = NULL;
  if (kind == 0) text = run_data_get(input->data, "name");
  if (kind == 1) text = run_data_get(input->data, "run_id");
  if (kind == 1 && text == NULL && input->data->count != 0) text = input->data->records[0].run_id;
  return kind == 2 ? input->argument : text_or_empty(text);
}

static bool are_labels_distinct(const struct compare_input *const *inputs, size_t count, int kind) {
  for (size_t i = 0; i < count; i++) {
    const char *one = candidate(inputs[i], kind);
    if (one[0] == '\0') return false;
    for (size_t j = 0; j < i; j++)
      if (strcmp(one, candidate(inputs[j], kind)) == 0) return false;
  }
  return true;
}

void compare_label_runs(const struct compare_input *base, const struct compare_input *others, struct compare *compare) {
  size_t count = compare->run_count + 1;
  SCOPED const struct compare_input **inputs = xcalloc(count, sizeof *inputs);
  int kind = 0;
  inputs[0] = base;
  for (size_t i = 1; i < count; i++)
    inputs[i] = &others[i - 1];
  while (kind < 2 && !are_labels_distinct(inputs, count, kind))
    kind++;
  compare->base_label = xstrdup(candidate(base, kind));
  for (size_t i = 1; i < count; i++)
    compare->runs[i - 1].label = xstrdup(candidate(inputs[i], kind));
}

/* ---- Labels of rows ---- */

static int by_bench(const void *a, const void *b) {
  const struct record *x = (*(struct compare_row *const *)a)->base, *y = (*(struct compare_row *const *)b)->base;
  int order = strcmp(text_or_empty(x->bench), text_or_empty(y->bench));
  if (order == 0) order = strcmp(text_or_empty(x->preset), text_or_empty(y->preset));
  return order != 0 ? order : strcmp(text_or_empty(x->case_key), text_or_empty(y->case_key));
}

/* Finds the axes of the first row that have another value in some other row. */
static void find_varying(struct compare_row **rows, size_t count, const struct pairs *first, bool *varies) {
  const char *last = rows[0]->base->axes;
  for (size_t i = 1; i < count; i++) {
    struct pairs axes;
    const char *text = rows[i]->base->axes;
    /* the variants of a case are adjacent and have the same axes */
    if (strcmp(text_or_empty(text), text_or_empty(last)) == 0) continue;
    last = text;
    row_axes(rows[i]->base, &axes);
    for (size_t j = 0; j < first->count && j < LABEL_AXES; j++)
      if (strcmp(first->items[j].value, text_or_empty(pairs_get(&axes, first->items[j].name))) != 0) varies[j] = true;
    pairs_free(&axes);
  }
}

/* Returns a row's label, "gpt2-1k S=1024 D=64": the preset and the axes that vary, or the key if there are none. */
static char *axes_label(const struct compare_row *row, const struct pairs *first, const bool *varies) {
  char label[KEY_SIZE];
  struct pairs axes;
  text_copy(label, sizeof label, row->base->preset);
  row_axes(row->base, &axes);
  for (size_t i = 0; i < first->count && i < LABEL_AXES; i++) {
    const char *name = first->items[i].name;
    if (varies[i]) phrase_add(label, sizeof label, " ", "%s=%s", name, text_or_empty(pairs_get(&axes, name)));
  }
  pairs_free(&axes);
  if (label[0] != '\0') return xstrdup(label);
  const char *all = strchr(text_or_empty(row->base->case_key), '[');
  return xstrdup(all != NULL ? all : "all");
}

/* Labels the rows of one bench and preset, by the axes that vary among them. */
static void label_preset(struct compare_row **rows, size_t count) {
  struct pairs first;
  bool varies[LABEL_AXES] = {false};
  row_axes(rows[0]->base, &first);
  find_varying(rows, count, &first, varies);
  for (size_t i = 0; i < count; i++)
    rows[i]->label = axes_label(rows[i], &first, varies);
  pairs_free(&first);
}

static size_t group_end(struct compare_row **rows, size_t from, size_t count) {
  const struct record *first = rows[from]->base;
  size_t to = from + 1;
  while (to < count && strcmp(text_or_empty(rows[to]->base->bench), text_or_empty(first->bench)) == 0 &&
         strcmp(text_or_empty(rows[to]->base->preset), text_or_empty(first->preset)) == 0)
    to++;
  return to;
}

void compare_label_rows(struct compare_row *rows, size_t count) {
  SCOPED struct compare_row **sorted = xcalloc(count, sizeof *sorted);
  for (size_t i = 0; i < count; i++)
    sorted[i] = &rows[i];
  qsort(sorted, count, sizeof *sorted, by_bench);
  for (size_t from = 0; from < count;) {
    size_t to = group_end(sorted, from, count);
    label_preset(sorted + from, to - from);
    from = to;
  }
}

static void free_rows(struct compare_row *rows, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(rows[i].cells);
    free(rows[i].label);
  }
  free(rows);
}

void compare_free(struct compare *compare) {
  free_rows(compare->rows, compare->row_count);
  free_rows(compare->yardsticks, compare->yardstick_count);
  for (size_t i = 0; i < compare->run_count; i++) {
    struct compare_run *run = &compare->runs[i];
    against_free(run->against);
    strings_free(&run->unknown);
    free(run->label);
    free(run->only_base);
    free(run->only_new);
  }
  free(compare->runs);
  free(compare->base_label);
  *compare = (struct compare){0};
}

bool compare_asks(const struct record *base) {
  return row_timed(base) || row_status_of(base) == ROW_UNKNOWN;
}

enum against_verdict compare_verdict(const struct compare *compare) {
  enum against_verdict worst = AGAINST_CLEAR;
  for (size_t i = 0; i < compare->run_count; i++)
    if (compare->runs[i].verdict > worst) worst = compare->runs[i].verdict;
  return worst;
}

size_t compare_unjudged(const struct compare_run *run) {
  size_t count = 0;
  for (enum gap gap = GAP_NONE; gap < GAPS; gap++)
    count += run->gaps[gap];
  return count;
}

bool compare_unlike(const struct compare *compare) {
  for (size_t i = 0; i < compare->run_count; i++)
    if (compare->runs[i].against->unlike_count != 0) return true;
  return false;
}

bool compare_judged(const struct compare *compare) {
  for (size_t i = 0; i < compare->run_count; i++)
    if (!compare->runs[i].judged) return false;
  return true;
}
