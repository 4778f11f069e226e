/* From two rows, and their samples where both have some, to a ratio. host/stats/restarts.h has the statistics. */
#include "compare/ratio.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "options/device_list.h"
#include "stats/restarts.h"
#include "summary/summary.h"

/* Where a run has several devices their processes share a series of samples: the row's own are picked out. */
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

/* A GPU is one program's at a time. Processors are shared, with programs and with other virtual machines, whose load
 * changes over minutes: the processes of one run see the same of it. */
static bool is_shared(const struct record *row) {
  return devices_are(text_or_empty(row->backend), DEVICE_HOST_PROCESSORS);
}

/* Its time is a script's, and no machine's. */
static bool is_scripted(const struct run_data *data, const struct record *row) {
  return devices_are(text_or_empty(pairs_get(run_data_environment(data, row), "device")), DEVICE_SCRIPTED);
}

/* A kernel that follows another takes longer by as much as the first. */
static double launches_of(const struct record *row) {
  const double each_ns = row_floor(row).ns, kernels = row->kernels > 1 ? (double)row->kernels : 1;
  return each_ns > 0 ? kernels * each_ns / row->median_raw_ns : 0;
}

/* Older files lack the column. */
static bool has_left(const struct record *row) {
  const struct floor_time floor = row_floor(row);
  struct interval left;
  return floor_left(&floor, row->median_raw_ns, (struct interval){row->ci95_lo_ns, row->ci95_hi_ns}, &left);
}

static void find_less(const struct restart_side *a, const struct restart_side *b, const struct record *base,
                      const struct record *other, struct compare_ratio *ratio) {
  const struct floor_time base_floor = row_floor(base), other_floor = row_floor(other);
  ratio->floored = row_floored(base) || row_floored(other);
  ratio->less = RATIO_NONE;
  if (ratio->floored && has_left(base) && has_left(other))
    stats_across_floor(a, b, &base_floor, &other_floor, &ratio->less);
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

bool compare_floor_agrees(const struct compare_ratio *ratio, enum verdict word, double threshold) {
  const struct ratio *less = &ratio->less;
  if (!ratio->floored) return true;
  if (word == VERDICT_UNDECIDED) return !gap_is_noisy(less->lo95, less->hi95, threshold);
  return word_of(less->speedup, less->lo95, less->hi95, less->lo99, less->hi99, threshold) == word;
}
