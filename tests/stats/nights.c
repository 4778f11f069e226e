/* nights [SEEDS]: how often the rule for nightly runs (stats/nights.h) raises a false alarm, and how soon it finds a
 * step in the times. For comparison, the same series go through asv's step detection and through two rules that compare
 * with the previous night by a threshold. Seeds are fixed. A confirmation (a second measurement) is simulated as
 * gpubench makes it: several processes in which old and new code alternate, each with a random offset, judged by
 * stats_ratio_restarts() and stats_verdict().
 * Exits with 1 if a bound is broken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asv.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "stats/nights.h"
#include "stats/restarts.h"

enum { SERIES = 10, NIGHTS = 60, PLANT = 40, ROUNDS = 12, SAMPLES = 3 };

struct world {
  const char *name;
  double sd, gap, shift, outliers;
};

/* The random numbers of one seed. They belong to a thread, because each seed is simulated on one thread. */
static _Thread_local uint64_t key, drawn;

static double uniform(void) {
  return rng_share(key, drawn++) + 1e-17;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Draws from Student's t distribution with 5 degrees of freedom, scaled to a standard deviation of 1. */
static double t5(void) {
  double squares = 0;
  for (int i = 0; i < 5; i++) {
    const double x = normal();
    squares += x * x;
  }
  return normal() / sqrt(squares / 5) / sqrt(5.0 / 3);
}

static _Thread_local struct night nights[SERIES][NIGHTS];
static _Thread_local struct nights_series series[SERIES];
static _Thread_local struct night_judgement out[SERIES * NIGHTS];

/* Makes the times of all series for all nights. Half of the variance of a series is common to all processes of a night,
 * the other half is drawn anew for each process. */
static void make(const struct world *world, uint64_t seed, double step) {
  key = rng_key(seed, 23);
  drawn = 0;
  const size_t shifted = 15 + (size_t)(30 * uniform());
  double walk[SERIES] = {0}, common;
  bool high[SERIES] = {false};
  for (size_t t = 0; t < NIGHTS; t++) {
    common = 0.003 * normal() + (world->shift > 0 && t >= shifted ? world->shift : 0);
    for (size_t s = 0; s < SERIES; s++) {
      series[s] = (struct nights_series){.nights = nights[s], .yardstick = s == 0};
      walk[s] += 0.0002 * normal();
      if (uniform() < 0.15) high[s] = !high[s];
      double value = common + walk[s] + world->sd * t5() + (high[s] ? world->gap : 0);
      if (uniform() < world->outliers) value += -0.04 * log(uniform());
      if (s == 1 && t >= PLANT) value += step;
      nights[s][t] = (struct night){.ns = 1e5 * exp(value), .sd = NAN, .again_ns = NAN, .confirmed_step = NAN};
    }
  }
}

static _Thread_local double samples[2][NIGHTS_CONFIRM_MORE * ROUNDS][SAMPLES];
static _Thread_local struct slot slots[2][NIGHTS_CONFIRM_MORE * ROUNDS];

static enum verdict confirm(double sd, double step, uint32_t processes, double *found) {
  struct ratio ratio;
  for (uint32_t p = 0, i = 0; p < processes; p++) {
    const double offset[2] = {sd * sqrt(0.5) * t5(), sd * sqrt(0.5) * t5() + step};
    for (uint32_t r = 0; r < ROUNDS; r++, i++)
      for (int v = 0; v < 2; v++) {
        for (int k = 0; k < SAMPLES; k++)
          samples[v][i][k] = 1e5 * exp(offset[v] + 0.002 * normal());
        slots[v][i] = (struct slot){.epoch = p + 1, .round = r, .count = SAMPLES, .ns = samples[v][i]};
      }
  }
  stats_ratio_restarts(slots[0], processes * ROUNDS, slots[1], processes * ROUNDS, 1, drawn, &ratio);
  *found = expm1(ratio.theta);
  return stats_verdict(&ratio);
}

static void ask(const struct world *world, double step, size_t s, size_t t) {
  struct night *night = &nights[s][t];
  const double truth = s == 1 && t >= PLANT && out[s * NIGHTS + t].reference < PLANT ? step : 0;
  night->confirmed = confirm(world->sd, truth, NIGHTS_CONFIRM, &night->confirmed_step);
  if (night->confirmed == VERDICT_UNDECIDED)
    night->confirmed = confirm(world->sd, truth, NIGHTS_CONFIRM_MORE, &night->confirmed_step);
}

/* Judges the nights of all series as gpubench does after each night. A judgement depends on no later night, so
 * nights_judge() judges all nights at once. When a night asks for a confirmation (a measurement of old and new binaries
 * in turns), it gets one, and all nights are judged again. */
static size_t play(const struct world *world, double step) {
  size_t asked = 0;
  for (size_t t = 0; t < NIGHTS;) {
    size_t asks = 0;
    nights_judge(series, SERIES, NIGHTS, out);
    for (; t < NIGHTS && asks == 0; t += asks == 0)
      for (size_t s = 0; s < SERIES; s++)
        if (out[s * NIGHTS + t].asks) asks++, ask(world, step, s, t);
    asked += asks;
  }
  return asked;
}

/* ---- The alarms of each rule, compared with the truth ---- */

enum rule { RULE, ASV_5, ASV_1, TEN, TWO_HUNDRED, RULES };

/* For each night with an alarm, sets first_bad to the night that the alarm blames; all others get SIZE_MAX. */
static void alarms_of(enum rule rule, size_t s, size_t *first_bad) {
  double ns[NIGHTS];
  for (size_t t = 0; t < NIGHTS; t++)
    ns[t] = nights[s][t].ns;
  if (rule == ASV_5 || rule == ASV_1) {
    asv_regressions(ns, NIGHTS, rule == ASV_5 ? 0.05 : NIGHTS_LEAST, first_bad);
    return;
  }
  for (size_t t = 0; t < NIGHTS; t++) {
    const double threshold = rule == TEN ? 0.1 : 2;
    const bool above = t > 0 && ns[t] > (1 + threshold) * ns[t - 1];
    const struct night_judgement *judged = &out[s * NIGHTS + t];
    first_bad[t] = rule == RULE ? (judged->alarms ? judged->first_bad : SIZE_MAX) : above ? t : SIZE_MAX;
  }
}

struct score {
  size_t wrong, soon, right;
  /* after[d]: in how many seeds the step was found d nights after it happened; last element: in how many it was not
   * found */
  size_t after[NIGHTS - PLANT + 1];
};

/* Scores one seed. If a step was planted in series 1, the first alarm for that series counts as found. Later alarms for
 * it, and all alarms for other series, are false. */
static void add_score(enum rule rule, bool planted, struct score *score) {
  size_t first_bad[NIGHTS], found = SIZE_MAX;
  for (size_t s = 1; s < SERIES; s++) {
    alarms_of(rule, s, first_bad);
    for (size_t t = 0; t < NIGHTS; t++) {
      if (first_bad[t] == SIZE_MAX) continue;
      if (planted && s == 1 && t >= PLANT && found == SIZE_MAX) {
        found = t;
        score->soon += t <= PLANT + 1;
        score->after[t - PLANT]++;
        score->right += first_bad[t] == PLANT;
      } else if (!planted) {
        score->wrong++;
      }
    }
  }
  score->after[NIGHTS - PLANT] += found == SIZE_MAX;
}

struct played {
  const struct world *world;
  double step;
  struct seed {
    size_t asked;
    struct score scores[RULES];
  } * seeds;
};

static void play_seed(void *context, size_t seed) {
  struct played *played = context;
  struct seed *to = &played->seeds[seed];
  make(played->world, seed, played->step);
  to->asked = play(played->world, played->step);
  for (enum rule rule = 0; rule < RULES; rule++)
    add_score(rule, played->step > 0, &to->scores[rule]);
}

/* Simulates all seeds of a world (a kind of noise) and sums up their scores. */
static struct seed play_all(const struct world *world, uint64_t seeds, double step) {
  struct seed sum = {0};
  struct played played = {.world = world, .step = step, .seeds = xcalloc(seeds, sizeof *played.seeds)};
  parallel_each(seeds, play_seed, &played);
  for (uint64_t seed = 0; seed < seeds; seed++) {
    sum.asked += played.seeds[seed].asked;
    for (enum rule rule = 0; rule < RULES; rule++) {
      sum.scores[rule].wrong += played.seeds[seed].scores[rule].wrong;
      sum.scores[rule].soon += played.seeds[seed].scores[rule].soon;
      sum.scores[rule].right += played.seeds[seed].scores[rule].right;
      for (size_t i = 0; i <= NIGHTS - PLANT; i++)
        sum.scores[rule].after[i] += played.seeds[seed].scores[rule].after[i];
    }
  }
  free(played.seeds);
  return sum;
}

/* ---- Tables ---- */

static const struct world worlds[] = {{"sd 0.3%", 0.003, 0, 0, 0.01},
                                      {"sd 0.5%", 0.005, 0, 0, 0.01},
                                      {"sd 0.7%", 0.007, 0, 0, 0.01},
                                      {"sd 1.0%", 0.010, 0, 0, 0.01},
                                      {"bimodal, 4% apart", 0.003, 0.04, 0, 0.01},
                                      {"machine shift of 3%", 0.005, 0, 0.03, 0.01}};
enum { WORLDS = sizeof worlds / sizeof worlds[0] };

static bool print_false_alarms(uint64_t seeds) {
  bool broken = false;
  const double per = 3000.0 / ((double)seeds * (SERIES - 1) * NIGHTS);
  printf(
      "\n| false alarms per 3000 series-nights | the rule | asv, 5%% | asv, 1%% | 10%% | 200%% | the rule asks |\n"
      "|---|---|---|---|---|---|---|\n");
  for (size_t w = 0; w < WORLDS; w++) {
    const struct seed sum = play_all(&worlds[w], seeds, 0);
    printf("| %s |", worlds[w].name);
    for (enum rule rule = 0; rule < RULES; rule++)
      printf(" %.2f |", (double)sum.scores[rule].wrong * per);
    printf(" %.0f |\n", (double)sum.asked * per);
    broken |= (double)sum.scores[RULE].wrong * per > 0.5;
  }
  return broken;
}

/* Prints the median delay in nights, or "-" if less than half of the steps were found. */
static void print_delay(const struct score *score, uint64_t seeds) {
  size_t found = 0, delay = 0;
  while (delay < NIGHTS - PLANT && 2 * (found += score->after[delay]) < seeds)
    delay++;
  if (delay < NIGHTS - PLANT)
    printf(" %zu |", delay);
  else
    fputs(" - |", stdout);
}

static bool print_found(uint64_t seeds, double step) {
  bool broken = false;
  const double percent = 100.0 / (double)seeds;
  printf(
      "\n| a step of %.0f%%: found within two nights; first night named; median delay | the rule | asv, 5%% | "
      "asv, 1%% | 10%% | 200%% |\n|---|---|---|---|---|---|\n",
      100 * step);
  for (size_t w = 0; w < WORLDS; w++) {
    const struct seed sum = play_all(&worlds[w], seeds, log1p(step));
    printf("| %s |", worlds[w].name);
    for (enum rule rule = 0; rule < RULES; rule++) {
      const struct score *score = &sum.scores[rule];
      printf(" %.1f; %.1f;", (double)score->soon * percent, (double)score->right * percent);
      print_delay(score, seeds);
    }
    puts("");
    if (w == 1 && step < 0.05)
      broken |= (double)sum.scores[RULE].soon * percent < 95 || (double)sum.scores[RULE].right * percent < 90;
  }
  return broken;
}

int main(int argc, char **argv) {
  const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
  if (seeds == 0) return 2;
  printf("%llu seeds of %d series, one of them a yardstick, and %d nights; a step in night %d of one series.\n",
         (unsigned long long)seeds, SERIES, NIGHTS, PLANT + 1);
  bool broken = print_false_alarms(seeds);
  broken |= print_found(seeds, 0.03);
  broken |= print_found(seeds, 0.12);
  if (broken) printf("BROKEN\n");
  return broken;
}
