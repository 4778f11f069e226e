/* How an energy counter behaves, for devices that are scripted and for tests: it moves in steps, tells late, begins
 * anew at a limit, and may look only a part of the time. Pure. */
#ifndef DEVICE_FAKE_COUNTER_H
#define DEVICE_FAKE_COUNTER_H

#include <stdint.h>

enum { ENERGY_MODEL_LATE_MAX = 16 };

struct energy_model {
  double step_ns;    /* a new value so often; > 0 */
  double lag_ns;     /* that long after the moment it stands for; at most ENERGY_MODEL_LATE_MAX steps */
  double seen;       /* share of each step, its beginning, in which power is looked at: the rest is taken to be alike */
  double resolution; /* joules; 0: none */
  double range;      /* joules at which it begins anew; 0: never */
  double phase_ns;   /* of the first step's end */
  /* its own */
  double now_ns, step_end_ns, seen_joules, total;
  double told[ENERGY_MODEL_LATE_MAX + 1]; /* the last totals, by step */
  uint64_t steps;
};

/* Time passes under this load. */
void energy_model_advance(struct energy_model *model, double ns, double watts);

/* What the counter says now, in joules. */
double energy_model_read(const struct energy_model *model);

#endif
