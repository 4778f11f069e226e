/* Series of slots (a slot has the samples of one variant in one round) with a little noise. */
#ifndef FIXTURE_SERIES_H
#define FIXTURE_SERIES_H

#include <math.h>

#include "base/rng.h"
#include "stats/stats.h"

enum { ROUNDS = 320, SAMPLES = 10 };

struct series {
  double ns[ROUNDS * SAMPLES];
  struct slot slots[ROUNDS];
};

/* stream: the key of a reproducible sequence of random numbers; drawn: how many of them were drawn */
static uint64_t stream, drawn;

static inline double uniform(void) {
  return ((double)(rng_bits(stream, drawn++) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void) {
  double radius = sqrt(-2 * log(uniform()));
  return radius * cos(6.283185307179586 * uniform());
}

/* Fills a series with `rounds` slots around `ns`, with 1% noise in each sample. */
static inline void simple(struct series *series, size_t rounds, double ns) {
  for (size_t r = 0; r < rounds; r++) {
    for (size_t i = 0; i < SAMPLES; i++)
      series->ns[r * SAMPLES + i] = ns * exp(0.01 * normal());
    series->slots[r] = (struct slot){.round = (uint32_t)r, .count = SAMPLES, .ns = series->ns + r * SAMPLES};
  }
}

#endif
