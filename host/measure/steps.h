/* The steps of one measurement, in the order in which measure/measure.c takes them. Each returns -1 when the device
 * failed, and then alone; what goes wrong with a variant drops it. */
#ifndef MEASURE_STEPS_H
#define MEASURE_STEPS_H

#include "measure/measurement.h"

/* measure/set_up.c: from a case to variants that can run: the bench's setup, tensors and their inputs, each variant's
 * prepare. */
int measure_set_up(struct measurement *m, struct err *err);
int measure_prepare(struct measurement *m, struct contestant *k, struct err *err);

/* measure/leave_out.c: before anything is timed, drops variants whose calls take so long that the others, or later
 * cases, would lose their rows. */
int leave_out_slow(struct measurement *m, struct err *err);
/* Before a round, of which so many are over: those that turn out to take too long for the fewest rounds. */
void leave_out_late(struct measurement *m, uint32_t rounds);

/* Limits a slot of so many calls: where the time that there is is too short for this one's own fewest rounds, it ends.
 */
void leave_out_limit(const struct measurement *m, uint32_t calls, struct turn *turn);

/* measure/rounds.c: slots and rounds, until times are precise, or the time is over; and some of it is verified. */
int rounds_sample(struct measurement *m, struct err *err);

/* measure/floor.c: what a launch costs that does nothing, in this mode. */
int floor_measure(struct measurement *m, struct err *err);

/* measure/outside.c: batches of iterations whose begin and end the parent sees by its own clock, which nothing in this
 * process can change: claimed times may not be below what passed there. For each variant some batches of 20 ms
 * together, back to back as in hot mode; of a graph as many as it holds. Not on a scripted device. */
int outside_measure(struct measurement *m, struct err *err);

/* measure/energy.c: joules of each variant; what cannot be had says why. */
int measure_energy(struct measurement *m, struct err *err);

#endif
