#include "model/conditions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "stats/math.h"

static const struct {
  uint32_t bit;
  const char *text;
} causes[] = {
    {THROTTLE_POWER_CAP, "power cap"},
    {THROTTLE_HARDWARE, "hardware slowdown"},
    {THROTTLE_THERMAL, "thermal slowdown"},
    {THROTTLE_POWER_BRAKE, "power brake"},
    {THROTTLE_HARDWARE_THERMAL, "hardware thermal slowdown"},
    {THROTTLE_SYNC_BOOST, "sync boost"},
    {THROTTLE_BOARD_LIMIT, "board limit"},
    {THROTTLE_RELIABILITY, "reliability limit"},
    {THROTTLE_NONE, "none"},
};
enum { CAUSES = sizeof causes / sizeof causes[0] };

/* Limits above which a case is reported to have bad conditions. clocks_apart: highest / lowest clock within a round
 * (one series of samples of each variant); differing_most: share of the rounds whose clocks lie further apart than
 * that. */
static const double clocks_apart = 1.01, differing_most = 0.25;
/* Stolen time shorter than steal_least_s is ignored: that is three ticks, because the kernel counts stolen time in
 * ticks of 10 ms. */
static const double steal_most = 0.01, steal_least_s = 0.03;
static const double others_most = 0.10, others_most_gpu = 0.50;
static const double switches_per_s = 50;

static void join_causes(uint32_t bits, const char *between, char *to, size_t size) {
  to[0] = '\0';
  for (size_t i = 0; i < CAUSES; i++)
    if (bits & causes[i].bit) phrase_add(to, size, between, "%s", causes[i].text);
}

struct text throttle_text(uint32_t bits) {
  struct text result;
  join_causes(throttle_slowed(bits) ? bits & ~THROTTLE_NONE : bits, "; ", result.text, sizeof result.text);
  return result;
}

uint32_t throttle_parse(const char *text) {
  uint32_t bits = 0;
  while (*text != '\0') {
    text += strspn(text, "; ");
    size_t length = strcspn(text, ";");
    for (size_t i = 0; i < CAUSES; i++)
      if (strlen(causes[i].text) == length && memcmp(text, causes[i].text, length) == 0) bits |= causes[i].bit;
    text += length;
  }
  return bits;
}

/* ---- The host ---- */

static double plus_known(double a, double b) {
  return isnan(a) ? b : isnan(b) ? a : a + b;
}

/* Returns the mean of two shares, `a` of the total `a_weight` and `b` of the total `b_weight`, weighted by these
 * totals. If only one share is known, returns that one. */
static double mean_share(double a, double a_weight, double b, double b_weight) {
  if (isnan(a) || !(a_weight > 0)) return isnan(b) ? a : b;
  if (isnan(b) || !(b_weight > 0)) return a;
  return (a * a_weight + b * b_weight) / (a_weight + b_weight);
}

static int64_t plus_count(int64_t a, int64_t b) {
  int64_t sum;
  if (a < 0 || b < 0) return a < 0 ? b : a;
  /* the sum may overflow, because the counts come from a worker, which is not trusted */
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void host_usage_add(struct host_usage *sum, const struct host_usage *more) {
  sum->steal_share = mean_share(sum->steal_share, sum->wanted_s, more->steal_share, more->wanted_s);
  sum->others_share = mean_share(sum->others_share, sum->seconds, more->others_share, more->seconds);
  sum->quota_share = mean_share(sum->quota_share, sum->seconds, more->quota_share, more->seconds);
  sum->wanted_s = plus_known(sum->wanted_s, more->wanted_s);
  sum->own_s = plus_known(sum->own_s, more->own_s);
  sum->seconds += more->seconds;
  sum->involuntary = plus_count(sum->involuntary, more->involuntary);
  sum->hot = plus_count(sum->hot, more->hot);
}

/* Writes a share as "12%" or "0.4%" to `to` and returns `to`. */
static const char *percent(char to[static 32], double share) {
  snprintf(to, 32, share >= 0.0995 ? "%.0f%%" : "%.2g%%", 100 * share);
  return to;
}

bool host_usage_faults(const struct host_usage *usage, bool on_gpu, char *to, size_t size) {
  char text[32];
  bool quota = usage->quota_share > 0, others = usage->others_share > (on_gpu ? others_most_gpu : others_most);
  bool steal = usage->steal_share > steal_most && usage->steal_share * usage->wanted_s >= steal_least_s;
  bool switches = !on_gpu && usage->own_s > 0.05 && (double)usage->involuntary > switches_per_s * usage->own_s;
  if (quota)
    phrase_add(to, size, "; ", "throttled by the CPU quota in %s of its periods", percent(text, usage->quota_share));
  if (steal) phrase_add(to, size, "; ", "steal %s", percent(text, usage->steal_share));
  if (others) phrase_add(to, size, "; ", "other processes used %s of the CPUs", percent(text, usage->others_share));
  if (usage->hot > 0) phrase_add(to, size, "; ", "the CPUs were throttled by heat");
  if (switches) phrase_add(to, size, "; ", "interrupted %lld times by other tasks", (long long)usage->involuntary);
  /* interruptions by other tasks are no reason to return true: their effect is part of the samples and their spread */
  return quota || steal || others;
}

/* ---- A case ---- */

static bool is_clock(double mhz) {
  return isfinite(mhz) && mhz > 0;
}

static size_t take_clocks(const struct slot *slots, size_t count, double *to) {
  size_t taken = 0;
  for (size_t i = 0; i < count; i++)
    if (is_clock(slots[i].state.sm_clock_mhz)) to[taken++] = slots[i].state.sm_clock_mhz;
  return taken;
}

double conditions_clock(const struct slot *slots, size_t count) {
  SCOPED double *clocks = xcalloc(count, sizeof *clocks);
  return stats_median(clocks, take_clocks(slots, count, clocks));
}

static double median_clock(const struct slot_series *variants, size_t count, size_t slots) {
  SCOPED double *clocks = xcalloc(slots, sizeof *clocks);
  size_t taken = 0;
  for (size_t v = 0; v < count; v++)
    taken += take_clocks(variants[v].slots, variants[v].count, clocks + taken);
  return stats_median(clocks, taken);
}

static int slots_by_round(const void *a, const void *b) {
  const struct slot *x = *(const struct slot *const *)a, *y = *(const struct slot *const *)b;
  if (x->epoch != y->epoch) return x->epoch < y->epoch ? -1 : 1;
  return (x->round > y->round) - (x->round < y->round);
}

struct tally {
  /* number of rounds in which the device was asked whether it is throttled, and of those in which it was */
  size_t asked, slowed;
  size_t compared, differing; /* number of rounds with several clock readings, and of those in which they differ */
};

/* Adds the slots (consecutive samples of one variant) of one round to `tally`. They are the first ones of the list.
 * Returns how many they are. */
static size_t tally_round(const struct slot *const *slots, size_t count, struct tally *tally, uint32_t *throttle) {
  double least = NAN, most = NAN;
  uint32_t bits = 0;
  size_t clocks = 0, taken = 0;
  for (; taken < count && slots_by_round(&slots[0], &slots[taken]) == 0; taken++) {
    const struct slot_state *state = &slots[taken]->state;
    bits |= state->throttle;
    if (!is_clock(state->sm_clock_mhz)) continue;
    least = fmin(least, state->sm_clock_mhz); /* fmin() and fmax() ignore NaN */
    most = fmax(most, state->sm_clock_mhz);
    clocks++;
  }
  tally->asked += bits != 0;
  tally->slowed += throttle_slowed(bits);
  tally->compared += clocks > 1;
  tally->differing += clocks > 1 && most > clocks_apart * least;
  *throttle |= bits;
  return taken;
}

static double tally_share(size_t part, size_t whole) {
  return whole > 0 ? (double)part / (double)whole : NAN;
}

static void take_rounds(const struct slot_series *variants, size_t count, size_t slots,
                        struct case_conditions *conditions) {
  SCOPED const struct slot **all = xcalloc(slots, sizeof *all);
  struct tally tally = {0};
  size_t used = 0;
  for (size_t v = 0; v < count; v++)
    for (size_t i = 0; i < variants[v].count; i++)
      all[used++] = &variants[v].slots[i];
  qsort(all, used, sizeof *all, slots_by_round);
  for (size_t i = 0; i < used;)
    i += tally_round(&all[i], used - i, &tally, &conditions->throttle);
  for (size_t i = 0; i < used; i++) {
    conditions->temperature_c = fmax(conditions->temperature_c, all[i]->state.temperature_c);
    conditions->power_w = fmax(conditions->power_w, all[i]->state.power_w);
  }
  conditions->throttled_share = tally_share(tally.slowed, tally.asked);
  conditions->differing_share = tally_share(tally.differing, tally.compared);
}

/* Adds the state of the device after the last round to `conditions`. Its clock and its throttle bits count only if no
 * slot (series of samples) has a reading of them. Its temperature and power count if they are higher than those of the
 * slots. */
static void take_end(const struct device_conditions *end, struct case_conditions *conditions) {
  if (isnan(conditions->sm_clock_mhz)) conditions->sm_clock_mhz = end->sm_clock_mhz;
  conditions->temperature_c = fmax(conditions->temperature_c, end->temperature_c);
  conditions->power_w = fmax(conditions->power_w, end->power_w);
  if (conditions->throttle == 0) conditions->throttle = end->throttle;
}

static void write_note(const struct device_conditions *end, const struct host_usage *host, bool on_gpu,
                       struct case_conditions *c) {
  char words[TEXT_SIZE], share[32];
  char *to = c->note;
  size_t size = sizeof c->note;
  join_causes(c->throttle & ~THROTTLE_NONE, ", ", words, sizeof words);
  if (c->throttled_share > 0)
    phrase_add(to, size, "; ", "throttled in %s of rounds: %s", percent(share, c->throttled_share), words);
  else if (isnan(c->throttled_share) && throttle_slowed(c->throttle))
    phrase_add(to, size, "; ", "throttled at the end: %s", words);
  if (c->differing_share > differing_most) phrase_add(to, size, "; ", "clocks differ");
  if (end != NULL && end->note[0] != '\0') phrase_add(to, size, "; ", "%s", end->note);
  bool shared = host != NULL && host_usage_faults(host, on_gpu, to, size);
  c->contended = (shared && !on_gpu) || (end != NULL && end->others > 0);
}

void conditions_of_case(const struct slot_series *variants, size_t count, const struct device_conditions *end,
                        const struct host_usage *host, bool on_gpu, struct case_conditions *conditions) {
  size_t slots = 0;
  for (size_t v = 0; v < count; v++)
    slots += variants[v].count;
  *conditions = (struct case_conditions){NAN, NAN, NAN, NAN, NAN, 0, 0, ""};
  conditions->sm_clock_mhz = median_clock(variants, count, slots);
  take_rounds(variants, count, slots, conditions);
  if (end != NULL) take_end(end, conditions);
  write_note(end, host, on_gpu, conditions);
}
