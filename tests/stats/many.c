#include "many.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contest.h"
#include "rate.h"
#include "stats/gap.h"
#include "stats/restarts.h"

enum { WORDS = 20, PROCESSES_MOST = 4 };

/* A simulated bench with WORDS comparisons of two variants. offset_sd: standard deviation of the offset that each
 * process adds to the times of a variant. shared: in a process, all comparisons have the same offsets. */
struct scene {
  double offset_sd, longer;
  int differ; /* comparisons in which one variant takes `longer` times as long; in the others both are equal */
  bool shared;
};

struct tally {
  struct rate alone, settled, any_alone, any, mean;
  double processes;
};

static struct machine machines[PROCESSES_MOST]; /* the slots below point into these machines */
static struct slot slots[2][PROCESSES_MOST * NOISE_ROUNDS];

/* Measures one more process of a case. Returns the number of slots that the case then has. */
static size_t measure(const struct scene *scene, double longer, uint32_t process, size_t count, uint64_t trial,
                      uint64_t row) {
  const struct noise noise = {.ns = 50000,
                              .tick_ns = 1,
                              .variants = 2,
                              .sizes = {10, 10, 10},
                              .sample_sd = 0.004,
                              .slot_sd = 0.001,
                              .offset_sd = scene->offset_sd};
  const double effect[] = {1, longer, 1};
  const uint64_t contest = (trial * WORDS + row) * PROCESSES_MOST + process;
  struct machine *machine = &machines[process];
  double offset[NOISE_VARIANTS];
  noise_start(machine, &noise, (trial * WORDS * PROCESSES_MOST) + process);
  memcpy(offset, machine->offset, sizeof offset); /* `shared`: the offsets are those of the first comparison */
  noise_start(machine, &noise, contest);
  if (scene->shared) memcpy(machine->offset, offset, sizeof offset);
  memcpy(machine->effect, effect, sizeof effect);
  const uint32_t rounds = contest_run(machine, process + 1, ROUNDS_MOST, contest);
  for (int v = 0; v < 2; v++)
    memcpy(slots[v] + count, machine->rounds[v], rounds * sizeof **slots);
  return count + rounds;
}

static bool is_word(const struct ratio *ratio) {
  const char *word = gap_or_word(ratio, NULL, false);
  return strcmp(word, stats_verdict_name(VERDICT_FASTER)) == 0 || strcmp(word, stats_verdict_name(VERDICT_SLOWER)) == 0;
}

/* Returns true if the verdict must be confirmed by more processes, by the rules of stats/gap.c and run/cases.c. */
static bool lacks(const struct ratio *ratio) {
  return stats_needs_processes(ratio) || (is_word(ratio) && stats_word_p(ratio) * WORDS > STATS_FAMILY_ERROR);
}

static double sample_row(const struct scene *scene, double longer, uint64_t trial, uint64_t row, struct ratio *alone,
                         struct ratio *ratio) {
  size_t count = 0;
  uint32_t processes = 0, wanted = 1;
  while (processes < wanted) {
    count = measure(scene, longer, processes++, count, trial, row);
    stats_ratio_restarts(slots[0], count, slots[1], count, 1, trial * WORDS + row, ratio);
    if (processes <= STATS_PROCESSES)
      *alone = *ratio; /* without the further processes that only the correction for many verdicts asks for */
    if (processes == 1 && lacks(ratio)) wanted = stats_processes_for(WORDS);
  }
  return processes;
}

/* Averages the ratios of all comparisons as summary/geomean.c does. */
static struct ratio mean_of(const struct ratio *rows) {
  struct ratio mean = {.rounds = WORD_ROUNDS, .restarts = PROCESSES_MOST};
  double *const ends[] = {&mean.speedup, &mean.lo95, &mean.hi95, &mean.lo99, &mean.hi99};
  for (int i = 0; i < WORDS; i++) {
    const double logs[] = {log(rows[i].speedup), log(rows[i].lo95), log(rows[i].hi95), log(rows[i].lo99),
                           log(rows[i].hi99)};
    for (int k = 0; k < 5; k++)
      *ends[k] += logs[k] / WORDS;
    if (rows[i].restarts < mean.restarts) mean.restarts = rows[i].restarts;
  }
  for (int k = 0; k < 5; k++)
    *ends[k] = exp(*ends[k]);
  return mean;
}

static void bench(const struct scene *scene, uint64_t trial, struct tally *tally) {
  struct ratio alone[WORDS], rows[WORDS];
  double p[WORDS];
  bool sure[WORDS], any = false, any_alone = false;
  for (uint64_t i = 0; i < WORDS; i++) {
    const bool differs = i < (uint64_t)scene->differ;
    tally->processes += sample_row(scene, differs ? scene->longer : 1, trial, i, &alone[i], &rows[i]) / WORDS;
    p[i] = stats_word_p(&rows[i]);
  }
  stats_holm(p, WORDS, STATS_FAMILY_ERROR, sure);
  for (int i = 0; i < WORDS; i++) {
    const bool word = sure[i] && is_word(&rows[i]), word_alone = is_word(&alone[i]), differs = i < scene->differ;
    if (differs) rate_note(&tally->alone, word_alone && alone[i].speedup < 1);
    if (differs) rate_note(&tally->settled, word && rows[i].speedup < 1);
    any_alone = any_alone || (word_alone && !differs);
    any = any || (word && !differs);
  }
  const struct ratio mean = mean_of(rows);
  rate_note(&tally->any_alone, any_alone);
  rate_note(&tally->any, any);
  if (scene->differ == 0) rate_note(&tally->mean, is_word(&mean));
}

static bool show(const struct rate *rate, double most) {
  if (rate->of != 0) return rate_show(rate, 0, most, false);
  printf(" %-20s", "     -");
  return false;
}

/* Simulates a scene and checks its rates. The bound for any false verdict in a bench, 8%, exceeds the 5% that Holm's
 * correction allows. A verdict from a single process, for a difference of more than 2%, may be caused by the offset of
 * that process, which no p-value takes into account. */
static bool run(const struct scene *scene, uint64_t trials) {
  struct tally tally = {0};
  for (uint64_t t = 0; t < trials; t++)
    bench(scene, t, &tally);
  printf("%.2f%% %-6s %2d of %.2f%%", 100 * scene->offset_sd, scene->shared ? "alike" : "apart", scene->differ,
         100 * (scene->longer - 1));
  bool broken = show(&tally.alone, 1);
  broken = show(&tally.settled, 1) || broken;
  broken = show(&tally.any_alone, 1) || broken;
  broken = show(&tally.any, 0.08) || broken;
  broken = show(&tally.mean, 0.01) || broken;
  printf(" %5.2f\n", tally.processes / (double)trials);
  fflush(stdout);
  return broken;
}

bool many_run(uint64_t trials) {
  static const double sds[] = {0, 0.0005, 0.001, 0.005}, longer[] = {1.01, 1.005};
  static const int differ[] = {1, 10, 20};
  bool broken = false;
  printf("\nBenches of %d words, quiet: standard deviation between processes, how many words are of longer code.\n",
         WORDS);
  printf("%-28s %-20s %-20s %-20s %-20s %-20s %s\n", "", "found alone", "found in a bench", "any false alone",
         "any false in a bench", "false means", "processes");
  for (size_t i = 0; i < sizeof sds / sizeof sds[0]; i++) {
    for (int shared = 0; shared < 2; shared++)
      broken |= run(&(struct scene){sds[i], 1, 0, shared}, trials);
    for (size_t j = 0; j < 2; j++)
      for (size_t k = 0; k < 3; k++)
        broken |= run(&(struct scene){sds[i], longer[j], differ[k], false}, trials);
  }
  return broken;
}
