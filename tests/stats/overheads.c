/* overheads [TRIALS]: tests ratios of times from which the launch overhead was subtracted. The overhead is 5 to 80% of
 * the shorter time, and known with an uncertainty of 0 to 10%.
 *
 * A contest is a simulated comparison of two variants, as in simulate.c. The true overhead is the measured one, or off
 * by its uncertainty in either direction.
 * Prints how often the interval contains the true ratio, how often equal code gets a verdict, and how often a
 * difference is found. Exits with 1 if a rate's whole 95% interval lies on the wrong side of its bound. Seeds are
 * fixed. README.md has a long run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "rate.h"
#include "stats/fastest.h"

static const double shares[] = {0.05, 0.1, 0.2, 0.4, 0.6, 0.8}, uncertainties[] = {0, 0.05, 0.1};
static const double longer[] = {1, 1.02, 1.4};
enum { SMALL = 5000 /* ns: launch overhead dominates such a kernel */, SHARES = 6, UNCERTAINTIES = 3, EFFECTS = 3 };

/* The models of models.c that are simulated here. The others are left out, because an interval from one process is too
 * narrow for strong slow noise of single variants (own0.9 and above) and for slots of unequal size. */
static const struct {
  const char *name;
  double least; /* smallest share of intervals at 95% that must contain the true ratio */
} kinds[] = {{"quiet", 0.94},  {"tail", 0.94},      {"heavy", 0.94},  {"noisy", 0.94},
             {"states", 0.94}, {"shared0.9", 0.94}, {"own0.6", 0.94}, {"clock", 0.94}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct tally {
  struct rate holds, misses99, words, known;
  double width;
};

static struct machine machine;
static struct tally tallies[SHARES][UNCERTAINTIES];

static bool is_within(double lo, double value, double hi) {
  return lo <= value && value <= hi;
}

static struct entrant entrant_of(uint32_t v, uint32_t rounds, const struct launch_overhead *overhead, uint64_t seed) {
  struct entrant entrant = {.slots = machine.rounds[v], .count = rounds};
  struct interval ci95, left;
  stats_median_interval(entrant.slots, rounds, machine.noise->tick_ns, seed, &entrant.median_ns, &ci95);
  entrant.lost = !overhead_left(overhead, entrant.median_ns, ci95, &left);
  return entrant;
}

/* Returns the mean factor by which the device's state (its clock and the like) lengthened the first `rounds` rounds. */
static double state_of(uint32_t rounds) {
  double mean = 0;
  for (uint32_t i = 0; i < rounds; i++)
    mean += machine.conditions[i] / rounds;
  return mean;
}

/* Notes whether the interval contains the true ratio for each of three true overheads: the measured one, and the
 * measured one less and plus its uncertainty. */
static void judge_ratio(const struct ratio *less, double ns, double other_ns, const struct launch_overhead *overhead,
                        struct tally *tally) {
  bool holds = true, misses = false;
  for (int i = -1; i <= 1; i++) {
    const double true_overhead = overhead->ns + i * overhead->unc_ns,
                 truth = (ns - true_overhead) / (other_ns - true_overhead);
    holds = holds && is_within(less->lo95, truth, less->hi95);
    misses = misses || !is_within(less->lo99, truth, less->hi99);
  }
  rate_note(&tally->holds, holds);
  rate_note(&tally->misses99, misses);
  tally->width += less->half_width95;
}

/* Judges one contest. Variant 1 takes `effect` times as long as variant 0 if the overhead is included. The true ratio
 * is that of the times without the overhead. */
static void judge(uint32_t rounds, double effect, double share, double unsure, uint64_t trial, struct tally *tally) {
  const double ns = machine.noise->ns * state_of(rounds), launch_overhead_ns = share * machine.noise->ns;
  const struct launch_overhead overhead = {launch_overhead_ns, unsure * launch_overhead_ns};
  const struct entrant base = entrant_of(0, rounds, &overhead, trial), other = entrant_of(1, rounds, &overhead, trial);
  struct duel duel;
  stats_duel(&base, &other, &overhead, machine.noise->tick_ns, trial, &duel);
  const char *word = stats_duel_word(&duel, false);
  const bool faster = strcmp(word, stats_verdict_name(VERDICT_FASTER)) == 0;
  const bool slower = strcmp(word, stats_verdict_name(VERDICT_SLOWER)) == 0;
  const bool known = duel.less.speedup > 0;
  rate_note(&tally->words, effect > 1 ? slower : faster || slower);
  rate_note(&tally->known, known);
  if (known) judge_ratio(&duel.less, ns, effect * ns, &overhead, tally);
}

static bool show(const char *name, double least, double effect) {
  bool broken = false;
  for (size_t s = 0; s < SHARES; s++)
    for (size_t u = 0; u < UNCERTAINTIES; u++) {
      const struct tally *t = &tallies[s][u];
      printf("%-10s %4.2f %4.0f%% %4.0f%%", name, effect, 100 * shares[s], 100 * uncertainties[u]);
      broken |= rate_show(&t->holds, least, 1, false);
      broken |= rate_show(&t->misses99, 0, 0.02, false);
      broken |= rate_show(&t->words, effect > 1.1 ? 0.97 : 0, effect > 1 ? 1 : 0.01, false);
      broken |= rate_show(&t->known, 0, 1, true);
      printf("  %6.2f\n", 100 * t->width / (double)t->known.count);
    }
  fflush(stdout);
  return broken;
}

static bool run(const struct model *model, double least, double effect, uint64_t trials) {
  struct noise noise = model->noise;
  noise.ns = SMALL;
  memset(tallies, 0, sizeof tallies);
  for (uint64_t t = 0; t < trials; t++) {
    noise_start(&machine, &noise, t);
    machine.effect[0] = 1;
    machine.effect[1] = effect;
    const uint32_t rounds = contest_run(&machine, 1, ROUNDS_MOST, t);
    for (size_t s = 0; s < SHARES; s++)
      for (size_t u = 0; u < UNCERTAINTIES; u++)
        judge(rounds, effect, shares[s], uncertainties[u], t, &tallies[s][u]);
  }
  return show(model->noise.name, least, effect);
}

int main(int argc, char **argv) {
  const uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
  bool broken = false;
  if (trials == 0) return 2;
  printf("%-10s %4s %5s %5s %-20s %-20s %-20s %-6s %s\n", "noise", "by", "overhead", "+-", "ratio holds", "99% misses",
         "words", "known", "half the width, %");
  for (size_t k = 0; k < KINDS; k++)
    for (size_t i = 0; i < model_count; i++)
      for (size_t e = 0; e < EFFECTS && strcmp(models[i].noise.name, kinds[k].name) == 0; e++)
        broken |= run(&models[i], kinds[k].least, longer[e], trials);
  if (broken) printf("BROKEN: see the rates marked with !\n");
  return broken;
}
