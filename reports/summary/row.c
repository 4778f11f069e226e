/* Functions about a single row (the result of one variant in one case), and about what limits its speed. */
#include "summary/row.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

const enum row_status row_statuses[ROW_STATUS_COUNT] = {ROW_OK,    ROW_WRONG,   ROW_CRASHED, ROW_TIMEOUT,
                                                        ROW_ERROR, ROW_NOT_RUN, ROW_SKIPPED, ROW_UNKNOWN};

enum row_status row_status_of(const struct record *record) {
  return row_status_parse(record->status);
}

bool row_timed(const struct record *record) {
  return record != NULL && row_status_of(record) == ROW_OK && record->median_raw_ns > 0;
}

double row_intensity(const struct record *row) {
  if (row->intensity > 0) return row->intensity;
  return row->flops > 0 && row->bytes > 0 ? (double)row->flops / (double)row->bytes : (double)NAN;
}

bool row_cut(const struct record *record) {
  return strcmp(text_or_empty(record->stop_reason), "interrupted") == 0;
}

bool row_left_out(const struct record *record) {
  const char *reason = text_or_empty(record->stop_reason);
  return row_status_of(record) == ROW_NOT_RUN && (strcmp(reason, "max_time") == 0 || strcmp(reason, "budget") == 0);
}

void row_axes(const struct record *record, struct pairs *axes) {
  char *copy = xstrdup(text_or_empty(record->axes)), *rest = copy, *name = NULL;
  *axes = (struct pairs){0};
  while ((name = strsep(&rest, ";")) != NULL) {
    char *value = strchr(name, '=');
    if (value == NULL) continue;
    *value++ = '\0';
    text_percent_decode(name);
    text_percent_decode(value);
    pairs_add_text(axes, name, value);
  }
  free(copy);
}

bool row_is_yardstick(const struct record *record) {
  return record != NULL && record->yardstick == 1;
}

bool row_contends(const struct record *record) {
  return row_timed(record) && !row_is_yardstick(record);
}

/* Returns true if the ratio between the row and its baseline is so far from 1 that chance cannot explain it even after
 * few rounds. The limit is meant for the ratio within each round (one series of samples of every variant), but files
 * record only the ratio over all rounds. */
static bool may_be_of_each_round(const struct record *record) {
  const enum verdict word = stats_verdict_parse(record->verdict);
  return (word == VERDICT_FASTER && record->speedup > GAP_EACH_ROUND) ||
         (word == VERDICT_SLOWER && record->speedup < 1 / GAP_EACH_ROUND);
}

enum gap row_gap(const struct record *record) {
  if (gap_is_beyond(record->speedup_lo99, record->speedup_hi99) || may_be_of_each_round(record)) return GAP_NONE;
  return gap_of_row(record->contended > 0, record->rounds >= 0 ? record->rounds : WORD_ROUNDS);
}

double row_asked(const struct record *record, const struct pairs *environment) {
  const char *text = pairs_get(environment, "precision");
  if (record->precision >= 0) return record->precision;
  if (text == NULL) return (double)NAN;
  const double asked = strtod(text, NULL);
  return asked >= 0 ? asked / (strchr(text, '%') != NULL ? 100 : 1) : (double)NAN;
}

bool row_reached(const struct record *record, double asked) {
  const double half = (record->ci95_hi_ns - record->ci95_lo_ns) / 2, slack = 1 + 1e-9;
  return half <= asked * record->median_raw_ns * slack;
}

bool row_launch_limited(const struct record *record) {
  const struct launch_overhead overhead = record_overhead(record);
  return row_timed(record) && overhead_counts(&overhead, record->median_raw_ns);
}

static const struct number not_known = {"not known"};

struct number row_left(const struct record *record, const char *sign) {
  if (!isnan(record->median_ns))
    return number_time_within(sign, record->median_ns, record->median_lo_ns, record->median_hi_ns);
  return row_launch_limited(record) ? not_known : (struct number){""};
}

struct number row_left_ratio(const struct record *record) {
  const double ratio = record->speedup_corrected;
  return ratio > 0 ? number_ratio_within(ratio, record->speedup_corrected_lo, record->speedup_corrected_hi) : not_known;
}

struct interval row_working(const struct record *record, double *ns) {
  const bool less = row_launch_limited(record) && !isnan(record->median_lo_ns);
  *ns = less ? record->median_ns : record->median_raw_ns;
  return less ? (struct interval){record->median_lo_ns, record->median_hi_ns}
              : (struct interval){record->ci95_lo_ns, record->ci95_hi_ns};
}

/* Returns true if the verdict is from an older version, which compared only raw times, although the launch overhead is
 * a large part of them. */
static bool is_of_raw_times(const struct record *record, const char *verdict) {
  bool word = false;
  for (enum verdict v = VERDICT_SAME; v < VERDICT_UNDECIDED; v++)
    word = word || strcmp(verdict, stats_verdict_name(v)) == 0;
  return word && row_launch_limited(record) && isnan(record->speedup_corrected_lo);
}

double row_alone(const struct record *record) {
  const double ns = record->median_raw_ns * fmin(1, record->speedup);
  return stats_alone(ns, record_overhead(record).ns * fmax(1, (double)record->kernels));
}

/* Returns true if the row was measured in one process only, and its difference from the baseline is so small that it
 * may be an effect of that process. Tests the 95% interval, because older files have no other. A row for which this
 * interval reaches the limit would reach it with the wider 99% interval too. */
static bool is_of_one_process(const struct record *record, const char *verdict) {
  const double most = exp(row_alone(record));
  if (record->restarts < 0 || record->restarts > 1) return false;
  return (strcmp(verdict, stats_verdict_name(VERDICT_FASTER)) == 0 && record->speedup_lo < most) ||
         (strcmp(verdict, stats_verdict_name(VERDICT_SLOWER)) == 0 && record->speedup_hi > 1 / most);
}

const char *row_verdict(const struct record *record) {
  const char *verdict = text_or_empty(record->verdict);
  enum gap gap = row_gap(record);
  bool undecided = strcmp(verdict, stats_verdict_name(VERDICT_UNDECIDED)) == 0;
  if (gap == GAP_NONE && undecided && gap_is_noisy(record->speedup_lo, record->speedup_hi, GAP_NOISY_HALF))
    gap = GAP_NOISY;
  if (gap == GAP_NONE && is_of_one_process(record, verdict)) gap = GAP_PROCESSES;
  if (gap == GAP_NONE && is_of_raw_times(record, verdict)) gap = GAP_LAUNCH;
  return verdict[0] != '\0' && gap != GAP_NONE ? gap_name(gap) : verdict;
}

bool row_is_calibration(const struct record *record) {
  static const char prefix[] = "gpubench.org/calibrate/";
  return strncmp(text_or_empty(record->contract), prefix, sizeof prefix - 1) == 0;
}

const char *row_guest(const struct record *record) {
  if (record == NULL || record->provider == NULL || strcmp(record->provider, text_or_empty(record->plugin)) == 0)
    return NULL;
  const char *variant = text_or_empty(record->variant), *at = strrchr(variant, '@');
  return strcmp(at != NULL ? at + 1 : variant, record->provider) == 0 ? NULL : record->provider;
}

bool row_is_twin(const struct record *record) {
  const char *variant = text_or_empty(record->variant), *baseline = text_or_empty(record->baseline);
  const char *a = record_label(record), *b = record_label_of(baseline);
  return a[0] != '\0' && b[0] != '\0' && a - variant == b - baseline &&
         strncmp(variant, baseline, (size_t)(a - variant)) == 0;
}

double row_rate(enum rate rate, const struct record *record) {
  if (!row_timed(record)) return (double)NAN;
  return rate == RATE_TFLOPS ? record->tflops : rate == RATE_GB ? record->gb_per_s : (double)NAN;
}

const char *row_rate_unit(enum rate rate) {
  return rate == RATE_TFLOPS ? "TFLOP/s" : rate == RATE_GB ? "GB/s" : "";
}

static const char neither[] = "neither: far from both ceilings";

uint64_t bound_traffic(const struct run_graph *graph) {
  uint64_t sum = 0;
  for (size_t i = 0; i < graph->edge_count; i++)
    sum = graph->edges[i].bytes > UINT64_MAX - sum ? UINT64_MAX : sum + graph->edges[i].bytes;
  return sum;
}

/* Returns the bytes that the variant's dataflow graph says are moved; 0 if there is no graph. */
static double stated_bytes(const struct run_data *data, const struct record *row) {
  const size_t place = (size_t)(row - data->records);
  for (size_t i = 0; i < data->graph_count; i++) {
    const struct run_graph *graph = &data->graphs[i];
    const struct run_info *run = graph->run < data->run_count ? &data->runs[graph->run] : NULL;
    const bool own = run == NULL || (place >= run->first && place - run->first < run->count);
    if (own && text_same(graph->case_key, row->case_key) && text_same(graph->variant, row->variant))
      return (double)bound_traffic(graph);
  }
  return 0;
}

static double ceiling(const struct run_data *data, const struct record *row, const char *name) {
  const char *text = pairs_get(run_data_environment(data, row), name);
  const double value = text != NULL ? strtod(text, NULL) : 0;
  return value > 0 ? value : (double)NAN;
}

/* Returns "memory" or "compute": the resource whose ceiling (highest rate) explains the larger part of the row's time.
 * Returns `neither` if that part is less than a third of the time, and NULL if a ceiling is not known. The column
 * `bound` follows the same rule. */
static const char *by_stated(const struct run_data *data, const struct record *row, double bytes) {
  char name[TEXT_SIZE];
  /* fp16 and bf16 have the same ceiling */
  const char *math = text_same(row->math, "fp16") ? "bf16" : text_or_empty(row->math);
  snprintf(name, sizeof name, "flop_ceiling_%.32s_tflops", math);
  const double ns = (double)row->flops / row->tflops * 1e-3; /* the time that the row's TFLOP/s were computed from */
  const double compute = (double)row->flops / ceiling(data, row, name) * 1e-3 / ns;
  const double memory = bytes / ceiling(data, row, "copy_ceiling_gb_per_s") / ns;
  if (!isfinite(compute) || !isfinite(memory)) return NULL;
  if (fmax(compute, memory) < 1.0 / 3) return neither;
  return memory >= compute ? "memory" : "compute";
}

const char *bound_words(const struct run_data *data, const struct record *row) {
  const double bytes = row_timed(row) && row->flops > 0 && row->tflops > 0 ? stated_bytes(data, row) : 0;
  const char *stated = bytes > 0 ? by_stated(data, row, bytes) : NULL;
  if (stated != NULL) return stated;
  return text_same(row->bound, "latency") ? neither : text_or_empty(row->bound);
}
