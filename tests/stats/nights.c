/* nights [SEEDS]: how often the rule for nights alarms falsely, and how soon it finds a step; beside it two threshold
 * rules on the same series. Seeds are fixed. A confirmation is what the product makes: so many processes in which old
 * and new take turns, each with an offset of its own for either of them, judged by stats_ratio_restarts() and
 * stats_verdict(). Exit 1 where a bound is broken. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "stats/nights.h"
#include "stats/restarts.h"

enum { SERIES = 10, NIGHTS = 60, PLANT = 40, ROUNDS = 12, SAMPLES = 3 };

struct world {
  const char *name;
  double sd, gap, shift, outliers;
};

static uint64_t key, drawn;

static double uniform(void) {
  return rng_share(key, drawn++) + 1e-17;
}

static double normal(void) {
  return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* Student's with 5 degrees of freedom, of deviation 1. */
static double t5(void) {
  double squares = 0;
  for (int i = 0; i < 5; i++) {
    const double x = normal();
    squares += x * x;
  }
  return normal() / sqrt(squares / 5) / sqrt(5.0 / 3);
}

static struct night nights[SERIES][NIGHTS];
static struct nights_series series[SERIES];
static struct night_judgement out[SERIES * NIGHTS];

/* Half of the variance is the night's, half is drawn anew by each process. */
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

static double samples[2][NIGHTS_CONFIRM_MORE * ROUNDS][SAMPLES];
static struct slot slots[2][NIGHTS_CONFIRM_MORE * ROUNDS];

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

/* Night after night, as the product does. */
static size_t play(const struct world *world, double step, size_t *false_alarms, size_t *alarm, size_t *first_bad) {
  size_t asked = 0;
  *false_alarms = 0;
  *alarm = *first_bad = SIZE_MAX;
  for (size_t count = 1; count <= NIGHTS; count++) {
    bool asks = false;
    nights_judge(series, SERIES, count, out);
    for (size_t s = 0; s < SERIES; s++) {
      const struct night_judgement *now = &out[s * count + count - 1];
      if (!now->asks) continue;
      struct night *night = &nights[s][count - 1];
      const double truth = s == 1 && count > PLANT && now->reference < PLANT ? step : 0;
      night->confirmed = confirm(world->sd, truth, NIGHTS_CONFIRM, &night->confirmed_step);
      if (night->confirmed == VERDICT_UNDECIDED)
        night->confirmed = confirm(world->sd, truth, NIGHTS_CONFIRM_MORE, &night->confirmed_step);
      asks = true;
      asked++;
    }
    if (asks) count--; /* judged anew */
  }
  for (size_t s = 0; s < SERIES; s++)
    for (size_t t = 0; t < NIGHTS; t++) {
      const struct night_judgement *j = &out[s * NIGHTS + t];
      if (!j->alarms) continue;
      if (step > 0 && s == 1 && t >= PLANT && *alarm == SIZE_MAX)
        *alarm = t, *first_bad = j->first_bad;
      else
        ++*false_alarms;
    }
  return asked;
}

/* A value above the one of the night before by more than a threshold. */
static size_t by_threshold(double threshold) {
  size_t found = 0;
  for (size_t s = 1; s < SERIES; s++)
    for (size_t t = 1; t < NIGHTS; t++)
      found += nights[s][t].ns > (1 + threshold) * nights[s][t - 1].ns;
  return found;
}

int main(int argc, char **argv) {
  static const struct world worlds[] = {{"sd 0.3%", 0.003, 0, 0, 0.01},
                                        {"sd 0.5%", 0.005, 0, 0, 0.01},
                                        {"sd 0.7%", 0.007, 0, 0, 0.01},
                                        {"sd 1.0%", 0.010, 0, 0, 0.01},
                                        {"bimodal, 4% apart", 0.003, 0.04, 0, 0.01},
                                        {"machine shift of 3%", 0.005, 0, 0.03, 0.01}};
  const uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
  bool broken = false;
  if (seeds == 0) return 2;
  printf("%llu seeds of %d series and %d nights. False alarms per 3000 series-nights; a step of 3%% in night %d.\n",
         (unsigned long long)seeds, SERIES, NIGHTS, PLANT);
  printf("%-20s %8s %8s %8s %8s %14s %12s\n", "noise", "rule", "asks", "10%", "200%", "in two nights", "right night");
  for (size_t w = 0; w < sizeof worlds / sizeof worlds[0]; w++) {
    size_t wrong = 0, asked = 0, ten = 0, two_hundred = 0, soon = 0, right = 0;
    for (uint64_t seed = 0; seed < seeds; seed++) {
      size_t false_alarms, alarm, first_bad;
      make(&worlds[w], seed, 0);
      ten += by_threshold(0.1);
      two_hundred += by_threshold(2);
      asked += play(&worlds[w], 0, &false_alarms, &alarm, &first_bad);
      wrong += false_alarms;
      make(&worlds[w], seed, 0.03);
      play(&worlds[w], 0.03, &false_alarms, &alarm, &first_bad);
      soon += alarm <= PLANT + 1;
      right += first_bad == PLANT;
    }
    const double per = 3000.0 / ((double)seeds * (SERIES - 1) * NIGHTS), percent = 100.0 / (double)seeds;
    printf("%-20s %8.2f %8.1f %8.1f %8.1f %13.1f%% %11.1f%%\n", worlds[w].name, (double)wrong * per,
           (double)asked * per, (double)ten * per, (double)two_hundred * per, (double)soon * percent,
           (double)right * percent);
    broken |= (double)wrong * per > 0.5;
    if (w == 1) broken |= (double)soon * percent < 95 || (double)right * percent < 90;
  }
  if (broken) printf("BROKEN\n");
  return broken;
}
