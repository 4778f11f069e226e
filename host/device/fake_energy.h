/* The fake device's energy: a scripted counter in scripted time. */
#ifndef DEVICE_FAKE_ENERGY_H
#define DEVICE_FAKE_ENERGY_H

#include "device/energy_source.h"
#include "device/fake_counter.h"

/* What is drawn while something runs: steadily, or in pulses between which it is idle_w. */
struct fake_load {
  double watts;
  double pulse_ns, pulse_duty, pulse_phase; /* pulse_ns 0: steadily; the others are shares of it */
};

struct fake_energy {
  struct energy_model counter; /* step_ns 0: there is none */
  double idle_w;
  struct fake_load load; /* now */
  double query_ns;       /* what a question takes, in which the load goes on */
  double range;          /* of the counter; 0: it never begins anew */
};

/* So long this was drawn. */
void fake_energy_spend(struct fake_energy *energy, double ns, const struct fake_load *load);

/* NULL with the reason in `why` where the script has no counter. `energy` must outlive it. */
struct energy_source *fake_energy_open(struct fake_energy *energy, char *why, size_t size);

#endif
