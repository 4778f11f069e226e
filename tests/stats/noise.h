/* A simulated machine that returns slots (series of samples of one variant) with noise of known kinds, for tests of the
 * statistics. */
#ifndef TEST_STATS_NOISE_H
#define TEST_STATS_NOISE_H

#include "stats/stats.h"

enum { NOISE_VARIANTS = 3, NOISE_ROUNDS = 320, NOISE_SAMPLES = 50 };

/* Parameters of the noise. Standard deviations, gaps and scales are relative to the time. A kind of noise whose members
 * are 0 is off. */
struct noise {
  const char *name;
  double ns, tick_ns;
  uint32_t variants, sizes[NOISE_VARIANTS]; /* samples in a slot */
  double sample_sd, slot_sd;  /* standard deviations of the lognormal factors of each sample and of each slot */
  double tail_p, tail_scale;  /* with this probability a sample is longer, by an exponentially distributed share */
  double ar1_rho, ar1_sd;     /* slow noise from slot to slot, independent for each variant */
  double round_rho, round_sd; /* slow noise that all variants of a round share */
  double heavy_sd;            /* scale of a factor of each slot that follows Student's t with 3 degrees of freedom */
  double spike_p, spike;      /* with this probability a slot is longer by this share */
  double speed_p, speed_gap;  /* slots have two speeds, independently for each variant: probability of the slower one,
                                 and how much longer it takes */
  double state_gap, state_switch; /* the device has two clock states: how much longer slots take in the slower one, and
                                     the probability of switching at each slot */
  double mode_gap, mode_p; /* samples have two speeds: how much longer the slower one takes, and its probability */
  double drift;            /* share by which times grow in each round */
  double throttle_factor;  /* factor of all times from a random round on */
  /* times are longer by this share at the start; the excess falls to 1/e within ramp_slots slots */
  double ramp, ramp_slots;
  double flip, flip_slip; /* slots are alternately longer and shorter by this share; probability that a slot breaks the
                             alternation */
  double end;             /* the last 6 samples of a slot are longer by this share; negative: shorter */
  double step_ns;         /* samples are multiples of this, rounded up or down at random */
  double carry;           /* right after a slot of another variant, a slot is longer by this share */
  double uneven;          /* scatter of variant 1's samples and slots, as a multiple of the others'; 0: the same */
  double offset_sd;       /* standard deviation of a factor that each variant keeps for the lifetime of a process */
};

struct machine {
  const struct noise *noise;
  uint64_t key, drawn, slots;
  bool slow, turn;
  uint32_t last; /* number of the variant that the previous slot measured */
  double round, ar1[NOISE_VARIANTS], offset[NOISE_VARIANTS], effect[NOISE_VARIANTS];
  uint32_t throttle_from;
  double ns[NOISE_VARIANTS][NOISE_ROUNDS][NOISE_SAMPLES];
  struct slot rounds[NOISE_VARIANTS][NOISE_ROUNDS];
  /* for each slot of variant 0, the factor by which the device's state lengthened it */
  double conditions[NOISE_ROUNDS];
};

double noise_uniform(struct machine *machine);
double noise_normal(struct machine *machine);

/* Resets the machine to the start of a process with this noise; `trial` selects its random numbers. */
void noise_start(struct machine *machine, const struct noise *noise, uint64_t trial);

/* Measures a round: one slot of each variant, in the random order that gpubench would choose with `seed`. */
void noise_round(struct machine *machine, uint32_t epoch, uint32_t round, uint64_t seed);

/* Returns the p-quantile that variant 0's samples would have if the conditions of these rounds lasted. */
double noise_quantile(const struct machine *machine, uint32_t rounds, double p);

#endif
