/* simulate [TRIALS [NOISE...]]: the estimators, the words and the stopping rule on noise of known kinds.
 *
 * Prints how often the words and the intervals are right, with their 95% Clopper-Pearson intervals, and exits with 1
 * where a rate's whole interval lies on the wrong side of its bound. Seeds are fixed: the same number of trials gives
 * the same table. README.md beside this file has the table of a long run and what follows from it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "rate.h"
#include "stats/fastest.h"
#include "stats/restarts.h"

enum { RESTARTS = 5 };

static struct machine machines[2 * RESTARTS];

static bool holds(double lo, double truth, double hi) {
  return lo <= truth && truth <= hi;
}

/* ---- Two variants -------------------------------------------------------------------------------------------- */

static const double effects[] = {1, 1.005, 1.01, 1.02};
enum { EFFECTS = sizeof effects / sizeof effects[0] };

struct tally {
  struct rate words[EFFECTS], same, ratio, median, star, listed;
  double rounds, bias;
};

static uint32_t rounds_most(const struct model *model) {
  return model->rounds_most > 0 ? model->rounds_most : ROUNDS_MOST;
}

/* Variant 1 takes `effects[e]` times as long. */
static void contest(const struct model *model, size_t e, uint64_t trial, struct tally *tally) {
  struct machine *machine = &machines[0];
  struct ratio ratio;
  double median, tick_ns = model->noise.tick_ns;
  noise_start(machine, &model->noise, trial);
  machine->effect[1] = effects[e];
  uint32_t rounds = contest_run(machine, 1, rounds_most(model), trial);
  stats_ratio(machine->rounds[0], rounds, machine->rounds[1], rounds, tick_ns, trial, &ratio);
  enum verdict word = stats_verdict(&ratio);
  rate_note(&tally->words[e], e == 0 ? contest_is_word(word) : word == VERDICT_SLOWER);
  rate_note(&tally->ratio, holds(ratio.lo95, 1 / effects[e], ratio.hi95));
  if (e > 0) return;
  struct interval ci95;
  stats_median_interval(machine->rounds[0], rounds, tick_ns, trial, &median, &ci95);
  rate_note(&tally->same, word == VERDICT_SAME);
  rate_note(&tally->median, model->median_least > 0 && holds(ci95.lo, noise_quantile(machine, rounds, 0.5), ci95.hi));
  tally->rounds += rounds;
}

static bool has_star(const struct machine *machine, uint32_t rounds, uint64_t seed) {
  struct entrant entrants[NOISE_VARIANTS];
  struct interval ci95;
  for (uint32_t v = 0; v < NOISE_VARIANTS; v++) {
    entrants[v] = (struct entrant){.slots = machine->rounds[v], .count = rounds};
    stats_median_interval(machine->rounds[v], rounds, machine->noise->tick_ns, seed, &entrants[v].median_ns, &ci95);
  }
  return stats_fastest(entrants, NOISE_VARIANTS, machine->noise->tick_ns, seed) != SIZE_MAX;
}

/* Two equal variants beside a baseline that takes 10% longer: does one of them get the star? */
static void star_contest(const struct model *model, uint64_t trial, struct tally *tally) {
  struct machine *machine = &machines[0];
  struct noise noise = model->noise;
  noise.variants = 3;
  noise_start(machine, &noise, trial);
  machine->effect[0] = 1.1;
  uint32_t rounds = contest_run(machine, 1, rounds_most(model), trial);
  rate_note(&tally->star, has_star(machine, rounds, trial));
}

/* Three equal variants, the last over the faster one of the others: how often is there a word, how long does it seem?
 */
static void list_contest(const struct model *model, uint64_t trial, struct tally *tally) {
  struct machine *machine = &machines[0];
  struct noise noise = model->noise;
  struct ratio ratio;
  double median[2];
  struct interval ci95;
  noise.variants = 3;
  noise_start(machine, &noise, trial);
  uint32_t rounds = contest_run(machine, 1, rounds_most(model), trial);
  for (int i = 0; i < 2; i++)
    stats_median_interval(machine->rounds[i], rounds, noise.tick_ns, trial, &median[i], &ci95);
  stats_ratio(machine->rounds[median[1] < median[0]], rounds, machine->rounds[2], rounds, noise.tick_ns, trial, &ratio);
  rate_note(&tally->listed, contest_is_word(stats_verdict(&ratio)));
  tally->bias += ratio.theta;
}

static bool run_model(const struct model *model, uint64_t trials) {
  struct tally tally = {0};
  for (uint64_t t = 0; t < trials; t++) {
    for (size_t e = 0; e < EFFECTS; e++)
      contest(model, e, t * EFFECTS + e, &tally);
    star_contest(model, t, &tally);
    list_contest(model, t, &tally);
  }
  printf("%-10s", model->noise.name);
  bool broken = rate_show(&tally.words[0], 0, model->false_most, false);
  broken |= rate_show(&tally.star, 0, model->false_most, false);
  broken |= rate_show(&tally.listed, 0, 1, true);
  printf(" %+6.3f", 100 * tally.bias / (double)trials);
  broken |= rate_show(&tally.same, 0, 1, true);
  broken |= rate_show(&tally.words[1], 0, 1, true);
  broken |= rate_show(&tally.words[2], model->found_least, 1, true);
  broken |= rate_show(&tally.words[3], model->found_least, 1, true);
  broken |= rate_show(&tally.ratio, model->ratio_least, 1, false);
  if (model->median_least > 0)
    broken |= rate_show(&tally.median, model->median_least, 1, true);
  else
    printf("      -");
  printf("  %5.1f  %s\n", tally.rounds / (double)trials, model->remark);
  fflush(stdout);
  return broken;
}

/* ---- Few rounds ---------------------------------------------------------------------------------------------- */

#define DESIGN .ns = 50000, .tick_ns = 1, .variants = 2, .sizes = {10, 10, 10}, .sample_sd = 0.004

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
    rate_note(&ratio, holds(r.lo95, 1, r.hi95));
    widths[t] = 100 * r.half_width95;
  }
  stats_sort(widths, trials);
  printf("%-10s  %6u", noise->name, rounds);
  bool broken = rate_show(&ratio, least, 1, false);
  printf("  %6.2f  %6.2f\n", stats_quantile(widths, trials, 0.5), stats_quantile(widths, trials, 0.9));
  free(widths);
  return broken;
}

static bool run_fews(uint64_t trials) {
  static const uint32_t rounds[] = {3, 5, 8};
  const struct noise steady = {"few", DESIGN, .slot_sd = 0.001},
                     slow = {"few+own", DESIGN, .ar1_rho = 0.6, .ar1_sd = 0.002};
  bool broken = false;
  printf("\nEqual code, stopped by time.\n%-10s  %6s  %-20s half the width, %%: median, 9 of 10\n", "noise", "rounds",
         "ratio holds");
  for (size_t i = 0; i < 3; i++) {
    broken |= run_few(&steady, rounds[i], 0.93, trials);
    broken |= run_few(&slow, rounds[i], 0.88, trials);
  }
  return broken;
}

/* ---- Restarts ------------------------------------------------------------------------------------------------ */

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

/* Restarts of the base and of the other; within one run they are `base`. */
static const struct { size_t base, other; } sides[] = {{1, 1}, {2, 2}, {3, 1}, {3, 3}, {5, 1}, {5, 5}};
enum { SIDES = sizeof sides / sizeof sides[0] };

struct restart_tally {
  struct rate within, within_words, across, across99, across_words;
};

/* Equal code: both variants in the first processes taking turns, and variant 0 of the first against the last ones. */
static void compare(const uint32_t *rounds, size_t at, double tick_ns, uint64_t seed, struct restart_tally *tally) {
  static struct slot a[RESTARTS * NOISE_ROUNDS], b[RESTARTS * NOISE_ROUNDS];
  struct ratio ratio;
  struct restart_side base, other;
  size_t a_count = collect(machines, rounds, sides[at].base, 0, a);
  size_t b_count = collect(machines, rounds, sides[at].base, 1, b);
  stats_ratio_restarts(a, a_count, b, b_count, tick_ns, seed, &ratio);
  rate_note(&tally->within, holds(ratio.lo95, 1, ratio.hi95));
  rate_note(&tally->within_words, contest_is_word(stats_verdict(&ratio)));
  b_count = collect(machines + RESTARTS, rounds + RESTARTS, sides[at].other, 0, b);
  stats_side(a, a_count, tick_ns, seed, &base);
  stats_side(b, b_count, tick_ns, seed + 1, &other);
  stats_across(&base, &other, &ratio);
  rate_note(&tally->across, holds(ratio.lo95, 1, ratio.hi95));
  rate_note(&tally->across99, !holds(ratio.lo99, 1, ratio.hi99));
  rate_note(&tally->across_words, contest_is_word(stats_verdict(&ratio)));
}

static bool run_restarts(double sd, uint64_t trials) {
  const struct noise noise = {"restarts", DESIGN, .slot_sd = 0.001, .offset_sd = sd};
  struct restart_tally tallies[SIDES] = {0};
  bool broken = false;
  for (uint64_t t = 0; t < trials; t++) {
    uint32_t rounds[2 * RESTARTS];
    for (uint32_t i = 0; i < 2 * RESTARTS; i++) {
      noise_start(&machines[i], &noise, t * 2 * RESTARTS + i);
      rounds[i] = contest_run(&machines[i], i + 1, ROUNDS_MOST, t * 2 * RESTARTS + i);
    }
    for (size_t j = 0; j < SIDES; j++)
      compare(rounds, j, noise.tick_ns, t, &tallies[j]);
  }
  for (size_t j = 0; j < SIDES; j++) {
    bool many = sides[j].base >= 2;
    printf("%.2f%% %zu:%zu ", 100 * sd, sides[j].base, sides[j].other);
    broken |= rate_show(&tallies[j].within, many ? 0.93 : 0, 1, false);
    broken |= rate_show(&tallies[j].within_words, 0, many ? 0.01 : 1, false);
    broken |= rate_show(&tallies[j].across, sd <= STATS_RESTART_SD ? 0.94 : 0.88, 1, false);
    broken |= rate_show(&tallies[j].across99, 0, 0.015, false);
    broken |= rate_show(&tallies[j].across_words, 0, 0.015, false);
    printf("\n");
  }
  fflush(stdout);
  return broken;
}

static bool run_all_restarts(uint64_t trials) {
  static const double sds[] = {0, 0.0015, 0.003, 0.005};
  bool broken = false;
  printf("\nEqual code restarted: standard deviation between restarts, restarts of both sides.\n");
  printf("%-10s  %-20s %-20s %-20s %-20s %s\n", "sd, k", "together holds", "false words", "apart holds", "99% misses",
         "false words");
  for (size_t i = 0; i < sizeof sds / sizeof sds[0]; i++)
    broken |= run_restarts(sds[i], trials);
  return broken;
}

/* ---- The whole ----------------------------------------------------------------------------------------------- */

static bool asked(char **names, int count, const char *name) {
  bool found = count == 0;
  for (int i = 0; i < count; i++)
    found |= strcmp(names[i], name) == 0;
  return found;
}

int main(int argc, char **argv) {
  uint64_t trials = argc > 1 ? strtoull(argv[1], NULL, 10) : 4000;
  int count = argc > 2 ? argc - 2 : 0;
  bool broken = false;
  if (trials == 0) return 2;
  printf("Stopping at the host's defaults; %% of %llu contests of equal code, as many of 0.5, 1 and 2%% longer.\n",
         (unsigned long long)trials);
  printf("%-10s %-20s %-20s %-13s %-6s %-6s %-6s %-6s %-20s %-6s %s\n", "noise", "false words", "false stars",
         "of a list", "same", "0.5%", "1%", "2%", "ratio holds", "median", "rounds");
  for (size_t i = 0; i < model_count; i++)
    if (asked(argv + 2, count, models[i].noise.name)) broken |= run_model(&models[i], trials);
  if (asked(argv + 2, count, "few-rounds")) broken |= run_fews(trials);
  if (asked(argv + 2, count, "restarts")) broken |= run_all_restarts(trials);
  if (broken) printf("BROKEN: see the rates marked with !\n");
  return broken;
}
