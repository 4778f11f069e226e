/* Cooldowns between slots, so that work is timed at the clock of a rested device, not at the lower clock to which the
 * power limit reduces a device under continuous load. Only devices with a power limit need them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pace {
  bool on;
  double limit_w;    /* power limit of the device; NaN: not known */
  double cooldown;   /* length of a cooldown as a multiple of the work before it; 0: no cooldowns */
  double most_w;     /* highest power reading during the case's own work */
  int64_t begun_ns;  /* when the case's own work began */
  double worked_s;   /* seconds of work since the last cooldown */
  int64_t rested_ns; /* when the last cooldown ended */
};

/* Begins the measurement of a case. `cooldown`: the length of cooldowns, as in struct pace, that another process used
 * when it ended its measurement of this case; 0: it used none. */
void pace_begin(struct pace *pace, bool on, double limit_w, double cooldown);

/* Called before a slot: waits for a cooldown, whose length follows from the work since the last cooldown. The time for
 * which the device was idle after the last cooldown is subtracted. Returns true if cooldowns begin with this slot,
 * because the power has reached the limit and `may` is true: then all samples so far must be repeated. */
bool pace_rest(struct pace *pace, bool may);

/* Returns the seconds that `work_s` seconds of work take together with the cooldown that they require. */
double pace_rested_s(double work_s);

/* Counts `ns` of work towards the next cooldown, and notes the latest power reading (NaN: not known). */
void pace_worked(struct pace *pace, int64_t ns, double power_w);
