/* A model of an energy counter, for the scripted device and for tests: the counter advances in steps, reports late,
 * wraps around at a limit, and may sample power only during a part of the time. No input or output. */
#pragma once

#include <stdint.h>

enum { ENERGY_MODEL_LATE_MAX = 16 };

struct energy_model {
  double step_ns; /* interval between new values of the counter; > 0 */
  double lag_ns;  /* how much later a value is reported than it is true; at most ENERGY_MODEL_LATE_MAX steps */
  double seen; /* share of each step, at its beginning, in which power is sampled; the power in the rest of the step is
                  assumed to be the same */
  double resolution; /* smallest difference between two values, in joules; 0: exact */
  double range;      /* value in joules at which the counter wraps around; 0: never */
  double phase_ns;   /* time at which the first step ends */
  /* internal */
  double now_ns, step_end_ns, seen_joules, total;
  double told[ENERGY_MODEL_LATE_MAX + 1]; /* the counted energy at the end of each of the last steps */
  uint64_t steps;
};

/* Advances the model's time by `ns`, during which the load draws `watts`. */
void energy_model_advance(struct energy_model *model, double ns, double watts);

/* Returns the counter's present value in joules. */
double energy_model_read(const struct energy_model *model);
