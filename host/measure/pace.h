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

/* `cooldown`: the length of cooldowns (struct pace) that another process had reached when it ended the same case; 0:
 * none. */
void pace_begin(struct pace *pace, bool on, double limit_w, double cooldown);

/* Before a slot: waits as long as the work before it demands, less the time for which the device has been idle since.
 * Returns true if cooldowns begin with this slot, because the power has reached the limit and `may` is true: then all
 * samples so far must be repeated. */
bool pace_rest(struct pace *pace, bool may);

/* Returns the seconds that this much work takes with its cooldown. */
double pace_rested_s(double work_s);

/* Counts `ns` of work towards the next cooldown, and notes the latest power reading (NaN: not known). */
void pace_worked(struct pace *pace, int64_t ns, double power_w);
