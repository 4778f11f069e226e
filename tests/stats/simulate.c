/* simulate [TRIALS]: the estimators, the words and the stopping rule on noise of known kinds.
 *
 * Prints how often the words and the intervals are right, each rate with its 95% Clopper-Pearson interval, and exits
 * with 1 where a rate's whole interval lies on the wrong side of its bound. Seeds are fixed: the same number of trials
 * gives the same table. README.md beside this file has the table of a long run and what follows from it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "noise.h"
#include "stats/restarts.h"

/* A kernel of 50 us, 10 samples in a slot, and a clock whose step is nothing beside the noise: for a step the intervals
 * allow as if noise did not average it out, and they would hold more than they say. */
#define DESIGN .ns = 50000, .tick_ns = 1, .variants = 2, .sizes = {10, 10, 10}
/* As seen on an H200: 100 us, samples that scatter by 0.35%, the last of a slot 0.5% shorter. */
#define H200 .ns = 103000, .tick_ns = 32, .variants = 3, .sample_sd = 0.0035, .end = -0.005
#define STEADY .sample_sd = 0.004, .slot_sd = 0.001

/* Bounds of the coverage of ratio and median; 0 and 1: none. */
struct model {
  struct noise noise;
  double ratio_least, ratio_most, median_least;
  bool words; /* are bound as well */
  const char *remark;
};

static const struct model models[] = {
    {{"tail", DESIGN, STEADY, .tail_p = 0.03, .tail_scale = 0.2}, 0.93, 0.97, 0.93, true, ""},
    {{"states", DESIGN, STEADY, .state_gap = 0.038, .state_switch = 0.08}, 0.93, 0.97, 0.93, true, ""},
    {{"noisy", DESIGN, .sample_sd = 0.01, .slot_sd = 0.004}, 0.93, 0.97, 0.93, true, ""},
    {{"modes", DESIGN, .sample_sd = 0.003, .slot_sd = 0.0005, .mode_gap = 0.03, .mode_p = 0.5},
     0.93,
     0.97,
     0.93,
     true,
     ""},
    {{"ar1", DESIGN, .sample_sd = 0.004, .ar1_rho = 0.6, .ar1_sd = 0.002}, 0.88, 0.97, 0.88, true, ""},
    {{"ar1+states", DESIGN, .sample_sd = 0.004, .ar1_rho = 0.6, .ar1_sd = 0.002, .state_gap = 0.038,
      .state_switch = 0.04},
     0.88,
     0.97,
     0.88,
     true,
     "slow noise among wild rounds"},
    {{"throttle", DESIGN, STEADY, .throttle_factor = 1.1}, 0.93, 0.97, 0.93, true, ""},
    {{"ramp", DESIGN, STEADY, .ramp = 0.02, .ramp_slots = 8}, 0.93, 0.97, 0.93, true, ""},
    {{"drift", DESIGN, STEADY, .drift = 0.0005}, 0.93, 0.97, 0.93, true, ""},
    {{"clock", .ns = 50000, .tick_ns = 32, .variants = 2, .sizes = {10, 10, 10}, STEADY},
     0.93,
     1,
     0.93,
     true,
     "a clock of 32 ns, averaged out"},
    {{"lattice", .ns = 103000, .tick_ns = 32, .variants = 3, .sizes = {34, 34, 34}, .sample_sd = 0.00008,
      .slot_sd = 0.00005},
     0.93,
     1,
     0.93,
     true,
     "samples within a tick"},
    {{"turns", H200, .sizes = {34, 34, 34}, .slot_sd = 0.0004, .flip = 0.0013, .flip_slip = 0.05},
     0.93,
     1,
     0.93,
     true,
     "every other slot is longer"},
    {{"steps", .ns = 23000, .tick_ns = 32, .variants = 3, .sizes = {50, 50, 50}, .sample_sd = 0.003, .slot_sd = 0.0003,
      .step_ns = 150},
     0.93,
     1,
     0,
     true,
     "kernels end every 150 ns"},
    {{"sizes", H200, .sizes = {17, 34, 34}, .slot_sd = 0.0012}, 0, 1, 0.93, true, "not bound: slots of unequal size"},
    {{"offset", DESIGN, STEADY, .offset_sd = 0.001}, 0, 1, 0.93, false, "not bound: only restarts see it"},
};

/* ---- Rates --------------------------------------------------------------------------------------------------- */

struct rate {
  size_t count, of;
};

static void note(struct rate *rate, bool yes) {
  rate->count += yes;
  rate->of++;
}

/* The p at which a binomial has at most (or fewer than) `k` successes with this probability. */
static double solve(double k, double n, double probability) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (stats_binomial(k, n, middle) > probability)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Clopper and Pearson, Biometrika 26 (1934). */
static struct interval interval_of(const struct rate *rate) {
  double k = (double)rate->count, n = (double)rate->of;
  return (struct interval){rate->count == 0 ? 0 : solve(k - 1, n, 0.975),
                           rate->count == rate->of ? 1 : solve(k, n, 0.025)};
}

/* Prints the rate; true where it surely breaks its bounds. */
static bool show(const struct rate *rate, double least, double most) {
  struct interval ci = interval_of(rate);
  bool broken = ci.hi < least || ci.lo > most;
  printf("  %5.1f%s[%5.1f,%6.1f]", 100 * (double)rate->count / (double)rate->of, broken ? "!" : " ", 100 * ci.lo,
         100 * ci.hi);
  return broken;
}

/* ---- Contests ------------------------------------------------------------------------------------------------ */

enum { ROUNDS_MOST = 311 };

struct outcome {
  uint32_t rounds;
  struct ratio ratio;
  double median;
  struct interval ci95;
};

static bool narrow(const struct machine *machine, uint32_t v, uint32_t rounds, uint64_t seed, double *median,
                   struct interval *ci95) {
  stats_median_interval(machine->rounds[v], rounds, machine->noise->tick_ns, seed, median, ci95);
  return (ci95->hi - ci95->lo) / 2 <= 0.005 * *median;
}

/* Stops as the host does at its defaults; false when the rounds are used up. */
static bool measured(const struct machine *machine, uint32_t rounds, uint64_t seed, struct outcome *outcome) {
  double median;
  struct interval ci95;
  outcome->rounds = rounds;
  stats_ratio(machine->rounds[0], rounds, machine->rounds[1], rounds, machine->noise->tick_ns, seed, &outcome->ratio);
  bool enough = narrow(machine, 0, rounds, seed, &outcome->median, &outcome->ci95);
  return enough && outcome->ratio.half_width95 <= 0.0035 && narrow(machine, 1, rounds, seed, &median, &ci95);
}

static void contest(struct machine *machine, uint32_t epoch, uint64_t seed, struct outcome *outcome) {
  for (uint32_t rounds = 1; rounds <= ROUNDS_MOST; rounds++) {
    noise_round(machine, epoch, rounds - 1, seed);
    if (stats_is_look(rounds) && measured(machine, rounds, seed, outcome)) return;
  }
}

static bool holds(double lo, double truth, double hi) {
  return lo <= truth && truth <= hi;
}

static struct machine machines[10];

static bool run_model(const struct model *model, uint64_t trials) {
  struct rate false_words = {0}, same = {0}, found = {0}, ratio = {0}, median = {0};
  struct machine *machine = &machines[0];
  double rounds = 0;
  for (uint64_t t = 0; t < 2 * trials; t++) {
    struct outcome o;
    double effect = t % 2 == 0 ? 1 : 1.01;
    noise_start(machine, &model->noise, t);
    machine->effect[1] = effect;
    contest(machine, 1, t, &o);
    enum verdict word = stats_verdict(&o.ratio);
    if (t % 2 == 0) note(&false_words, word == VERDICT_FASTER || word == VERDICT_SLOWER);
    if (t % 2 == 0) note(&same, word == VERDICT_SAME);
    if (t % 2 == 1) note(&found, word == VERDICT_SLOWER);
    note(&ratio, holds(o.ratio.lo95, 1 / effect, o.ratio.hi95));
    note(&median, holds(o.ci95.lo, noise_quantile(machine, o.rounds, 0.5), o.ci95.hi));
    rounds += o.rounds;
  }
  printf("%-10s", model->noise.name);
  bool broken = show(&false_words, 0, model->words ? 0.02 : 1);
  broken |= show(&same, 0, 1);
  broken |= show(&found, model->words ? 0.97 : 0, 1);
  broken |= show(&ratio, model->ratio_least, model->ratio_most);
  broken |= show(&median, model->median_least, 1);
  printf("  %5.0f  %s\n", rounds / (double)(2 * trials), model->remark);
  return broken;
}

/* ---- Few rounds ---- */

/* Cases that take long are stopped by time. Prints how often the ratio's interval holds the truth after so many rounds,
 * and half its width in percent: the median, and what a tenth of them exceeds. */
static bool run_few(const struct noise *noise, uint32_t rounds, double least, uint64_t trials) {
  struct machine *machine = &machines[0];
  struct rate ratio = {0};
  double *widths = calloc(trials, sizeof *widths);
  if (widths == NULL) return true;
  for (uint64_t t = 0; t < trials; t++) {
    struct ratio r;
    noise_start(machine, noise, t);
    for (uint32_t round = 0; round < rounds; round++)
      noise_round(machine, 1, round, t);
    stats_ratio(machine->rounds[0], rounds, machine->rounds[1], rounds, noise->tick_ns, t, &r);
    note(&ratio, holds(r.lo95, 1, r.hi95));
    widths[t] = 100 * r.half_width95;
  }
  stats_sort(widths, trials);
  printf("%-10s  %6u", noise->name, rounds);
  bool broken = show(&ratio, least, 1);
  printf("  %6.2f  %6.2f\n", stats_quantile(widths, trials, 0.5), stats_quantile(widths, trials, 0.9));
  free(widths);
  return broken;
}

/* ---- Restarts ------------------------------------------------------------------------------------------------ */

enum { RESTARTS = 5 };

/* The slots of a variant over several processes. */
static size_t collect(const struct machine *first, const uint32_t *rounds, size_t count, uint32_t v,
                      struct slot *slots) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(slots + used, first[i].rounds[v], rounds[i] * sizeof *slots);
    used += rounds[i];
  }
  return used;
}

struct tally {
  struct rate pooled, within, within_words, across, across_words;
};

static bool word_of(const struct ratio *ratio) {
  enum verdict word = stats_verdict(ratio);
  return word == VERDICT_FASTER || word == VERDICT_SLOWER;
}

/* Equal code: both variants in the first k processes taking turns, and variant 0 of the first against the last k. */
static void compare(const uint32_t *rounds, size_t k, double tick_ns, uint64_t seed, struct tally *tally) {
  static struct slot a[RESTARTS * NOISE_ROUNDS], b[RESTARTS * NOISE_ROUNDS];
  struct ratio ratio;
  struct restart_side base, other;
  size_t a_count = collect(machines, rounds, k, 0, a), b_count = collect(machines, rounds, k, 1, b);
  stats_ratio(a, a_count, b, b_count, tick_ns, seed, &ratio);
  note(&tally->pooled, holds(ratio.lo95, 1, ratio.hi95));
  stats_ratio_restarts(a, a_count, b, b_count, tick_ns, seed, &ratio);
  note(&tally->within, holds(ratio.lo95, 1, ratio.hi95));
  note(&tally->within_words, word_of(&ratio));
  b_count = collect(machines + RESTARTS, rounds + RESTARTS, k, 0, b);
  stats_side(a, a_count, tick_ns, seed, &base);
  stats_side(b, b_count, tick_ns, seed + 1, &other);
  stats_across(&base, &other, STATS_RESTART_SD, &ratio);
  note(&tally->across, holds(ratio.lo95, 1, ratio.hi95));
  note(&tally->across_words, word_of(&ratio));
}

static bool run_restarts(double sd, uint64_t trials) {
  static const size_t counts[] = {1, 2, 3, 5};
  const struct noise noise = {"restarts", DESIGN, STEADY, .tail_p = 0.03, .tail_scale = 0.2, .offset_sd = sd};
  struct tally tallies[4] = {{{0}, {0}, {0}, {0}, {0}}};
  bool broken = false;
  for (uint64_t t = 0; t < trials; t++) {
    uint32_t rounds[2 * RESTARTS];
    for (uint32_t i = 0; i < 2 * RESTARTS; i++) {
      struct outcome o;
      noise_start(&machines[i], &noise, t * 2 * RESTARTS + i);
      contest(&machines[i], i + 1, t * 2 * RESTARTS + i, &o);
      rounds[i] = o.rounds;
    }
    for (size_t j = 0; j < 4; j++)
      compare(rounds, counts[j], noise.tick_ns, t, &tallies[j]);
  }
  for (size_t j = 0; j < 4; j++) {
    printf("%.2f%% %zu     ", 100 * sd, counts[j]);
    broken |= show(&tallies[j].pooled, 0, 1);
    broken |= show(&tallies[j].within, counts[j] >= 2 ? 0.93 : 0, 1);
    broken |= show(&tallies[j].within_words, 0, counts[j] >= 2 ? 0.02 : 1);
    broken |= show(&tallies[j].across, 0.93, 1);
    broken |= show(&tallies[j].across_words, 0, 0.02);
    printf("\n");
  }
  return broken;
}

int main(int argc, char **argv) {
  uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000;
  bool broken = false;
  if (trials == 0) return 2;
  printf("Stopping at the host's defaults; %% of %llu contests of equal code, as many of 1%% longer.\n",
         (unsigned long long)trials);
  printf("%-10s  %-20s  %-20s  %-20s  %-20s  %-20s %s\n", "noise", "false words", "same", "1% found", "ratio holds",
         "median holds", "rounds");
  for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
    broken |= run_model(&models[i], trials);
  printf("\nEqual code, stopped by time.\n%-10s  %6s  %-20s  half the width, %%: median, 9 of 10\n", "noise", "rounds",
         "ratio holds");
  for (size_t i = 0; i < 3; i++) {
    static const uint32_t rounds[] = {3, 5, 8};
    const struct noise few = {"few", DESIGN, STEADY},
                       slow = {"few+ar1", DESIGN, .sample_sd = 0.004, .ar1_rho = 0.6, .ar1_sd = 0.002};
    broken |= run_few(&few, rounds[i], 0.93, trials);
    broken |= run_few(&slow, rounds[i], 0.85, trials);
  }
  printf("\nEqual code restarted: standard deviation between restarts, restarts.\n");
  printf("%-10s  %-20s  %-20s  %-20s  %-20s  %s\n", "sd, k", "pooled rounds hold", "restarts hold", "false words",
         "across runs holds", "false words");
  for (size_t i = 0; i < 3; i++)
    broken |= run_restarts((const double[]){0, 0.0015, 0.003}[i], trials);
  if (broken) printf("BROKEN: see the rates marked with !\n");
  return broken;
}
