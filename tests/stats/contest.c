#include "contest.h"

#include "stats/fastest.h"

#define PRECISION 0.005

static bool median_is_known(const struct machine *machine, uint32_t v, uint32_t rounds, uint64_t seed) {
  double median;
  struct interval ci95;
  stats_median_interval(machine->rounds[v], rounds, machine->noise->tick_ns, seed, &median, &ci95);
  return (ci95.hi - ci95.lo) / 2 <= PRECISION * median;
}

static double choice_of(const struct machine *machine, uint32_t v, uint32_t rounds, uint64_t seed) {
  return choice_median(machine->rounds[v], rounds, machine->noise->tick_ns, seed);
}

static bool ratio_is_known(const struct machine *machine, uint32_t v, uint32_t rounds, uint64_t seed, bool list) {
  struct ratio ratio;
  const bool second = list && choice_of(machine, 1, rounds, seed) < choice_of(machine, 0, rounds, seed);
  if (v == second) return true;
  (list ? choice_ratio : stats_ratio)(machine->rounds[second], rounds, machine->rounds[v], rounds,
                                      machine->noise->tick_ns, seed, &ratio);
  return ratio.half_width95 <= 0.7 * PRECISION;
}

static bool all_are_known(const struct machine *machine, uint32_t rounds, uint64_t seed, bool list) {
  for (uint32_t v = 0; v < machine->noise->variants; v++)
    if (!median_is_known(machine, v, rounds, seed) || !ratio_is_known(machine, v, rounds, seed, list)) return false;
  return true;
}

static uint32_t run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed, bool list) {
  for (uint32_t rounds = 1; rounds <= rounds_most; rounds++) {
    noise_round(machine, epoch, rounds - 1, seed);
    if (stats_is_interim(rounds) && all_are_known(machine, rounds, seed, list)) return rounds;
  }
  return rounds_most;
}

uint32_t contest_run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed) {
  return run(machine, epoch, rounds_most, seed, false);
}

uint32_t contest_run_list(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed) {
  return run(machine, epoch, rounds_most, seed, true);
}

bool contest_is_word(enum verdict word) {
  return word == VERDICT_FASTER || word == VERDICT_SLOWER;
}
