#include "contest.h"

#define PRECISION 0.005

static bool median_is_known(const struct machine *machine, uint32_t v, uint32_t rounds, uint64_t seed) {
  double median;
  struct interval ci95;
  stats_median_interval(machine->rounds[v], rounds, machine->noise->tick_ns, seed, &median, &ci95);
  return (ci95.hi - ci95.lo) / 2 <= PRECISION * median;
}

static bool ratio_is_known(const struct machine *machine, uint32_t v, uint32_t rounds, uint64_t seed) {
  struct ratio ratio;
  stats_ratio(machine->rounds[0], rounds, machine->rounds[v], rounds, machine->noise->tick_ns, seed, &ratio);
  return ratio.half_width95 <= 0.7 * PRECISION;
}

static bool all_are_known(const struct machine *machine, uint32_t rounds, uint64_t seed) {
  for (uint32_t v = 0; v < machine->noise->variants; v++)
    if (!median_is_known(machine, v, rounds, seed) || (v > 0 && !ratio_is_known(machine, v, rounds, seed)))
      return false;
  return true;
}

uint32_t contest_run(struct machine *machine, uint32_t epoch, uint32_t rounds_most, uint64_t seed) {
  for (uint32_t rounds = 1; rounds <= rounds_most; rounds++) {
    noise_round(machine, epoch, rounds - 1, seed);
    if (stats_is_look(rounds) && all_are_known(machine, rounds, seed)) return rounds;
  }
  return rounds_most;
}

bool contest_is_word(enum verdict word) {
  return word == VERDICT_FASTER || word == VERDICT_SLOWER;
}
