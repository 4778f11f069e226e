/* Simulated noise of known kinds, as slots for the statistics: the machine that the simulations measure. */
#ifndef TEST_STATS_NOISE_H
#define TEST_STATS_NOISE_H

#include "stats/stats.h"

enum { NOISE_VARIANTS = 3, NOISE_ROUNDS = 320, NOISE_SAMPLES = 50 };

/* Parameters of the noise. Standard deviations, gaps and scales are relative; a kind with its members 0 is off. */
struct noise {
  const char *name;
  double ns, tick_ns;
  uint32_t variants, sizes[NOISE_VARIANTS]; /* samples in a slot */
  double sample_sd, slot_sd;                /* lognormal, of each sample and of each slot */
  double tail_p, tail_scale;  /* with this probability a sample is longer, by an exponentially distributed share */
  double ar1_rho, ar1_sd;     /* slow noise from slot to slot, independent for each variant */
  double round_rho, round_sd; /* slow noise that all variants of a round share */
  double heavy_sd;            /* of each slot: Student's t with 3 degrees of freedom, times this */
  double spike_p, spike;      /* with this probability a slot is longer by this share */
  double speed_p, speed_gap; /* two speeds of a slot, independent for each variant: probability and gap of the slower */
  double state_gap, state_switch; /* two clock states of the device; probability of switching at a slot */
  double mode_gap, mode_p;        /* two speeds of the kernel; probability of the slower one */
  double drift;                   /* added in each round */
  double throttle_factor;         /* factor of the time, from a random round on */
  double ramp, ramp_slots;        /* longer at the start, decaying from slot to slot */
  double flip, flip_slip; /* slots alternate between longer and shorter by this; how often one breaks the alternation */
  double end;             /* the last 6 samples of a slot differ by this */
  double step_ns;         /* samples are multiples of this, rounded up or down at random */
  double carry;           /* a slot is longer by this right after one of another variant */
  double uneven;          /* scatter of variant 1's samples and slots, as a multiple of the others'; 0: the same */
  double offset_sd;       /* of each variant, for the lifetime of the process */
};

struct machine {
  const struct noise *noise;
  uint64_t key, drawn, slots;
  bool slow, turn;
  uint32_t last; /* variant of the previous slot */
  double round, ar1[NOISE_VARIANTS], offset[NOISE_VARIANTS], effect[NOISE_VARIANTS];
  uint32_t throttle_from;
  double ns[NOISE_VARIANTS][NOISE_ROUNDS][NOISE_SAMPLES];
  struct slot rounds[NOISE_VARIANTS][NOISE_ROUNDS];
  double conditions[NOISE_ROUNDS]; /* of variant 0: the factor by which the device's state lengthened the slot */
};

double noise_uniform(struct machine *machine);
double noise_normal(struct machine *machine);

/* Starts the process number `trial` with this noise. */
void noise_start(struct machine *machine, const struct noise *noise, uint64_t trial);

/* Measures each variant once, in the host's order for `seed`. */
void noise_round(struct machine *machine, uint32_t epoch, uint32_t round, uint64_t seed);

/* Returns the p-quantile that variant 0's samples would have if the conditions of these rounds lasted. */
double noise_quantile(const struct machine *machine, uint32_t rounds, double p);

#endif
