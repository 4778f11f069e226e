/* Computes the ratio of two variants from the rounds in which both were measured, and gives verdicts. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "stats/slot.h"
#include "stats/stats.h"

static double half_width(const struct ratio *r, double level) {
  double half = stats_student(level, r->df) * r->error;
  return r->least_error > 0 ? fmax(half, stats_student(level, r->least_df) * r->least_error) : half;
}

void stats_ratio_widths(struct ratio *r) {
  double half95 = half_width(r, 0.95), half99 = half_width(r, 0.99);
  r->speedup = exp(-r->theta);
  r->lo95 = exp(-r->theta - half95);
  r->hi95 = exp(-r->theta + half95);
  r->lo99 = exp(-r->theta - half99);
  r->hi99 = exp(-r->theta + half99);
  r->half_width95 = half95;
}

static double p_of(double theta, double error, double df, double beyond) {
  if (error <= 0) return theta > beyond ? 0 : 1;
  double near = (theta - beyond) / error, far = (theta + beyond) / error;
  double tail = stats_student_tail(fabs(near), df) / 2;
  return fmin((near < 0 ? 1 - tail : tail) + stats_student_tail(far, df) / 2, 1);
}

double stats_ratio_p(const struct ratio *r, double beyond) {
  double theta = fabs(r->theta), p = p_of(theta, r->error, r->df, beyond);
  return r->least_error > 0 ? fmax(p, p_of(theta, r->least_error, r->least_df, beyond)) : p;
}

double stats_ratio_nearest(const struct unit *pairs, size_t count) {
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < count; i++) {
    least = fmin(least, pairs[i].value);
    most = fmax(most, pairs[i].value);
  }
  return count == 0 ? 0 : least > 0 ? least : most < 0 ? most : 0;
}

int stats_ratio_of(const struct unit *pairs, size_t count, double tick_error, struct ratio *ratio) {
  *ratio = RATIO_NONE;
  ratio->rounds = count;
  if (count < 3) return -1;
  struct centre centre = units_centre(pairs, count);
  ratio->restarts = 1;
  ratio->theta = centre.value;
  ratio->nearest = stats_ratio_nearest(pairs, count);
  ratio->error = hypot(centre.error, tick_error);
  ratio->df = centre.df;
  stats_ratio_widths(ratio);
  return 0;
}

int stats_ratio(const struct slot *base, size_t base_count, const struct slot *other, size_t other_count,
                double tick_ns, uint64_t seed, struct ratio *ratio) {
  size_t count;
  double tick_error;
  SCOPED struct unit *pairs = units_paired(base, base_count, other, other_count, tick_ns, seed, 0, &count, &tick_error);
  return stats_ratio_of(pairs, count, tick_error, ratio);
}

enum verdict stats_verdict(const struct ratio *ratio) {
  const double least = 1.005; /* a smaller difference gets no verdict */
  if (!(ratio->speedup > 0)) return VERDICT_NONE;
  if (ratio->lo95 > 1 / least && ratio->hi95 < least) return VERDICT_SAME;
  if (ratio->lo99 > 1 && ratio->speedup >= least) return VERDICT_FASTER;
  if (ratio->hi99 < 1 && ratio->speedup <= 1 / least) return VERDICT_SLOWER;
  return VERDICT_UNDECIDED;
}

const char *stats_verdict_name(enum verdict verdict) {
  static const char *const names[] = {"", "same", "faster", "slower", "undecided"};
  return names[verdict];
}

enum verdict stats_verdict_parse(const char *name) {
  for (enum verdict verdict = VERDICT_SAME; verdict <= VERDICT_UNDECIDED; verdict++)
    if (name != NULL && strcmp(name, stats_verdict_name(verdict)) == 0) return verdict;
  return VERDICT_NONE;
}

double stats_alone(double ns, double launches_ns) {
  return log1p(fmax(STATS_ONE_PROCESS, STATS_ONE_PROCESS_LAUNCHES * launches_ns / ns));
}

static double least_alone(const struct ratio *ratio) {
  return fmax(log1p(STATS_ONE_PROCESS), ratio->alone);
}

bool stats_needs_processes(const struct ratio *ratio) {
  const enum verdict word = stats_verdict(ratio);
  const double least = exp(least_alone(ratio));
  if (ratio->restarts > 1) return false; /* the interval already covers differences between processes */
  return (word == VERDICT_FASTER && ratio->lo99 < least) || (word == VERDICT_SLOWER && ratio->hi99 > 1 / least);
}

double stats_word_p(const struct ratio *ratio) {
  return stats_ratio_p(ratio, ratio->restarts > 1 ? 0 : least_alone(ratio));
}

/* Returns the smallest difference that this number of processes can show, as a multiple of the standard deviation
 * between processes. */
static double smallest_difference(double level, uint32_t processes) {
  return stats_student(level, processes - 1) / sqrt(processes);
}

uint32_t stats_processes_for(size_t words) {
  const double least = smallest_difference(0.99, STATS_PROCESSES), level = 1 - STATS_FAMILY_ERROR / (double)words;
  uint32_t processes = STATS_PROCESSES;
  while (level > 0.99 && smallest_difference(level, processes) > least)
    processes++;
  return processes;
}

bool stats_is_interim(size_t rounds) {
  static const size_t interim[] = {12, 18, 27, 41, 61, 92, 138};
  for (size_t i = 0; i < sizeof interim / sizeof interim[0]; i++)
    if (rounds == interim[i]) return true;
  size_t next = 138;
  while (next < rounds)
    next += (next + 1) / 2;
  return next == rounds;
}
