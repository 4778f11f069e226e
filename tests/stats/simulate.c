/* simulate [TRIALS [NOISE...]]: tests the estimators, the verdicts and the stopping rule on simulated noise of known
 * kinds.
 *
 * Prints how often the verdicts and the intervals are right, with 95% Clopper-Pearson intervals. Exits with 1 if a
 * rate's whole interval lies on the wrong side of its bound. Seeds are fixed: the same number of trials gives the same
 * table. README.md in this folder has the table of a long run and what follows from it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contest.h"
#include "many.h"
#include "rate.h"
#include "stats/fastest.h"
#include "stats/gap.h"
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
  struct rate words[EFFECTS], same, ratio, median, star;
  double rounds, rounds_found;
};

static uint32_t rounds_most(const struct model *model) {
  return model->rounds_most > 0 ? model->rounds_most : ROUNDS_MOST;
}

/* All slots of one variant from the machines of the first `processes` processes. */
struct pile {
  struct slot slots[STATS_PROCESSES * NOISE_ROUNDS];
  size_t count;
};

static struct pile piles[NOISE_VARIANTS];
static bool listed; /* true if ratios are to the faster of variants 0 and 1, as when the user names two baselines;
                       false: to variant 0 */

/* Measures the variants of the contest in one more process, with new noise. Returns the number of rounds. */
static uint32_t measure(const struct model *model, const struct noise *noise, const double *longer, uint32_t process,
                        uint64_t trial) {
  struct machine *machine = &machines[process];
  noise_start(machine, noise, trial * STATS_PROCESSES + process);
  memcpy(machine->effect, longer, sizeof machine->effect);
  uint32_t rounds = (listed ? contest_run_list : contest_run)(machine, process + 1, rounds_most(model),
                                                              trial * STATS_PROCESSES + process);
  for (uint32_t v = 0; v < noise->variants; v++) {
    if (process == 0) piles[v].count = 0;
    memcpy(piles[v].slots + piles[v].count, machine->rounds[v], rounds * sizeof(struct slot));
    piles[v].count += rounds;
  }
  return rounds;
}

static void ratio_of(uint32_t base, uint32_t other, double tick_ns, uint64_t seed, struct ratio *ratio) {
  stats_ratio_restarts(piles[base].slots, piles[base].count, piles[other].slots, piles[other].count, tick_ns, seed,
                       ratio);
}

static bool says(const struct ratio *ratio, enum verdict word) {
  return strcmp(gap_or_word(ratio, NULL, false), stats_verdict_name(word)) == 0;
}

static bool is_word(const struct ratio *ratio) {
  return says(ratio, VERDICT_FASTER) || says(ratio, VERDICT_SLOWER);
}

/* Simulates a contest in which variant 1 takes `effects[e]` times as long as variant 0. If the verdict needs more
 * processes, simulates these too. */
static void contest(const struct model *model, size_t e, uint64_t trial, struct tally *tally) {
  const double longer[NOISE_VARIANTS] = {1, effects[e], 1}, tick_ns = model->noise.tick_ns;
  struct machine *machine = &machines[0];
  struct ratio ratio;
  struct interval ci95;
  double median;
  uint32_t rounds = measure(model, &model->noise, longer, 0, trial);
  if (e == 0) {
    stats_median_interval(machine->rounds[0], rounds, tick_ns, trial, &median, &ci95);
    rate_note(&tally->median, model->median_least > 0 && holds(ci95.lo, noise_quantile(machine, rounds, 0.5), ci95.hi));
  }
  ratio_of(0, 1, tick_ns, trial, &ratio);
  if (stats_needs_processes(&ratio)) {
    for (uint32_t process = 1; process < STATS_PROCESSES; process++)
      rounds += measure(model, &model->noise, longer, process, trial);
    ratio_of(0, 1, tick_ns, trial, &ratio);
  }
  rate_note(&tally->words[e], e == 0 ? is_word(&ratio) : says(&ratio, VERDICT_SLOWER));
  rate_note(&tally->ratio, holds(ratio.lo95, 1 / effects[e], ratio.hi95));
  if (e == 0) rate_note(&tally->same, says(&ratio, VERDICT_SAME));
  if (e == 0) tally->rounds += rounds;
  if (e == 2) tally->rounds_found += rounds;
}

static bool has_star(double tick_ns, uint64_t seed, bool *lacks) {
  struct entrant entrants[NOISE_VARIANTS];
  struct interval ci95;
  for (uint32_t v = 0; v < NOISE_VARIANTS; v++) {
    entrants[v] = (struct entrant){.slots = piles[v].slots, .count = piles[v].count};
    stats_median_interval(piles[v].slots, piles[v].count, tick_ns, seed, &entrants[v].median_ns, &ci95);
  }
  const struct launch_overhead none = {NAN, NAN};
  return stats_fastest(entrants, NOISE_VARIANTS, &none, tick_ns, seed, false, lacks) != SIZE_MAX;
}

/* Simulates a contest of two equal variants and a baseline that takes 10% longer, and counts whether one of the two is
 * marked as the fastest, which would be wrong. */
static void star_contest(const struct model *model, uint64_t trial, struct tally *tally) {
  const double longer[NOISE_VARIANTS] = {1.1, 1, 1};
  struct noise noise = model->noise;
  bool lacks, star;
  noise.variants = 3;
  measure(model, &noise, longer, 0, trial);
  star = has_star(noise.tick_ns, trial, &lacks);
  if (lacks) {
    for (uint32_t process = 1; process < STATS_PROCESSES; process++)
      measure(model, &noise, longer, process, trial);
    star = has_star(noise.tick_ns, trial, &lacks);
  }
  rate_note(&tally->star, star);
}

/* Results of contests of three variants in which the faster one of the first two is the baseline. The last variant is
 * as fast as that baseline. So each verdict about it is false, and the mean of ln(ratio) is the bias of choosing a
 * baseline. */
struct list_tally {
  struct rate words;
  double bias;
};

static void list_contest(const struct model *model, const double *longer, uint64_t trial, struct list_tally *tally) {
  struct noise noise = model->noise;
  struct ratio ratio;
  double median[2];
  noise.variants = 3;
  listed = true;
  bool lacks = true;
  for (uint32_t process = 0; process < STATS_PROCESSES && lacks; process++) {
    measure(model, &noise, longer, process, trial);
    if (process == 1) continue;
    for (int i = 0; i < 2; i++)
      median[i] = choice_median(piles[i].slots, piles[i].count, noise.tick_ns, trial);
    const struct pile *base = &piles[median[1] < median[0]];
    choice_ratio(base->slots, base->count, piles[2].slots, piles[2].count, noise.tick_ns, trial, &ratio);
    lacks = stats_needs_processes(&ratio);
  }
  listed = false;
  rate_note(&tally->words, is_word(&ratio));
  if (!isnan(ratio.theta)) tally->bias += ratio.theta;
}

static bool run_model(const struct model *model, uint64_t trials) {
  static const double equal[] = {1, 1, 1}, better[] = {1, 0.997, 0.997};
  struct tally tally = {0};
  struct list_tally of_equal = {0}, of_better = {0};
  for (uint64_t t = 0; t < trials; t++) {
    for (size_t e = 0; e < EFFECTS; e++)
      contest(model, e, t * EFFECTS + e, &tally);
    star_contest(model, t, &tally);
    list_contest(model, equal, t, &of_equal);
    list_contest(model, better, t, &of_better);
  }
  printf("%-10s", model->noise.name);
  bool broken = rate_show(&tally.words[0], 0, model->false_most, false);
  broken |= rate_show(&tally.star, 0, model->false_most, false);
  broken |= rate_show(&of_equal.words, 0, model->false_most, true);
  printf(" %+6.3f", 100 * of_equal.bias / (double)trials);
  broken |= rate_show(&of_better.words, 0, model->false_most, true);
  printf(" %+6.3f", 100 * of_better.bias / (double)trials);
  broken |= rate_show(&tally.same, 0, 1, true);
  broken |= rate_show(&tally.words[1], 0, 1, true);
  broken |= rate_show(&tally.words[2], model->found_least, 1, true);
  broken |= rate_show(&tally.words[3], model->found_least > 0 ? 0.97 : 0, 1, true);
  broken |= rate_show(&tally.ratio, model->ratio_least, 1, false);
  if (model->median_least > 0)
    broken |= rate_show(&tally.median, model->median_least, 1, true);
  else
    printf("      -");
  printf("  %5.1f %5.1f  %s\n", tally.rounds / (double)trials, tally.rounds_found / (double)trials, model->remark);
  fflush(stdout);
  return broken;
}

/* ---- Few rounds ---------------------------------------------------------------------------------------------- */

#define DESIGN .ns = 50000, .tick_ns = 1, .variants = 2, .sizes = {10, 10, 10}, .sample_sd = 0.004

/* Simulates contests of few rounds, as for cases that take so long that their time is over soon. Prints how often the
 * ratio's interval contains the true ratio, and the median and the 90th percentile of half its width in percent. */
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

/* Joins the slots of one variant from several processes. Returns their number. */
static size_t collect(const struct machine *first, const uint32_t *rounds, size_t count, uint32_t v,
                      struct slot *slots) {
  size_t used = 0;
  for (size_t i = 0; i < count; i++) {
    memcpy(slots + used, first[i].rounds[v], rounds[i] * sizeof *slots);
    used += rounds[i];
  }
  return used;
}

/* The tested numbers of processes: `base` measure the baseline run, and `other` the run that is compared with it. For
 * ratios within one run, `base` processes measure both variants. */
static const struct { size_t base, other; } sides[] = {{1, 1}, {2, 2}, {3, 1}, {3, 3}, {5, 1}, {5, 5}};
enum { SIDES = sizeof sides / sizeof sides[0] };

struct restart_tally {
  struct rate within, within_words, across, across99, across_words;
};

/* Compares equal code in two ways: variant 0 with variant 1 of the same processes, and variant 0 in the first processes
 * with variant 0 in the last ones, as if these were another run. */
static void compare(const uint32_t *rounds, size_t at, double tick_ns, uint64_t seed, struct restart_tally *tally) {
  static struct slot a[RESTARTS * NOISE_ROUNDS], b[RESTARTS * NOISE_ROUNDS];
  struct ratio ratio;
  struct restart_side base, other;
  size_t a_count = collect(machines, rounds, sides[at].base, 0, a);
  size_t b_count = collect(machines, rounds, sides[at].base, 1, b);
  stats_ratio_restarts(a, a_count, b, b_count, tick_ns, seed, &ratio);
  rate_note(&tally->within, holds(ratio.lo95, 1, ratio.hi95));
  rate_note(&tally->within_words, is_word(&ratio));
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
    broken |= rate_show(&tallies[j].within_words, 0, 0.01, false);
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

/* ---- The program --------------------------------------------------------------------------------------------- */

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
  printf("%-10s %-20s %-20s %-13s %-13s %-6s %-6s %-6s %-6s %-20s %-6s %s\n", "noise", "false words", "false stars",
         "of a list", "one better", "same", "0.5%", "1%", "2%", "ratio holds", "median", "rounds, of 1%");
  for (size_t i = 0; i < model_count; i++)
    if (asked(argv + 2, count, models[i].noise.name)) broken |= run_model(&models[i], trials);
  if (asked(argv + 2, count, "few-rounds")) broken |= run_fews(trials);
  if (asked(argv + 2, count, "restarts")) broken |= run_all_restarts(trials);
  if (asked(argv + 2, count, "many")) broken |= many_run(trials / 10 + 1);
  if (broken) printf("BROKEN: see the rates marked with !\n");
  return broken;
}
