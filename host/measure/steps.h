/* The steps of a measurement, in the order in which measure/measure.c takes them. They return -1 only if the device
 * failed or the process cannot go on. If a variant fails, only that variant is dropped from the case, and the step
 * returns 0. */
#pragma once

#include "measure/measurement.h"

/* measure/set_up.c: prepares a case until its variants can run: the bench's `setup`, tensors and their inputs, each
 * variant's `prepare`. */
int measure_set_up(struct measurement *m, struct err *err);
int measure_prepare(struct measurement *m, struct contestant *k, struct err *err);

/* measure/leave_out.c: before anything is timed, drops variants so slow that there would be no time for the rows of the
 * others or of later cases. */
int leave_out_slow(struct measurement *m, struct err *err);
/* Called before a round (one slot of each variant): drops variants that turn out to be too slow for ROUNDS_LEAST
 * rounds. `rounds`: number of complete rounds. */
void leave_out_late(struct measurement *m, uint32_t rounds);

/* Limits a slot of `calls` calls: the slot ends early if its calls are so slow that ROUNDS_LEAST rounds of the variant
 * do not fit into the time left. */
void leave_out_limit(const struct measurement *m, uint32_t calls, struct slot_task *task);

/* measure/rounds.c: takes slots in rounds until times are precise or the time is over, and verifies some of the
 * slots. */
int rounds_sample(struct measurement *m, struct err *err);

/* measure/launch_overhead.c: measures the launch overhead (the time of a launch that does nothing) in this mode. */
int overhead_measure(struct measurement *m, struct err *err);
/* Called before calls that are timed one by one for the reuse test: notes the longest time of an empty launch (wake_ns
 * of struct measurement), on devices whose work is queued and done by the host's processors. */
int overhead_after_pause(struct measurement *m, struct err *err);

/* measure/outside.c: runs batches of iterations whose start and end the parent process times by its own clock, which no
 * plugin in this process can change. If iterations take longer by that clock than this process reports for its samples,
 * the reported times are false. Each variant runs some batches, 20 ms in all, back to back as in hot mode; a batch of a
 * graph has as many iterations as the graph holds. Not done on a scripted device. */
int outside_measure(struct measurement *m, struct err *err);

/* measure/energy.c: measures the energy of each variant, or notes the reason why that is not possible. */
int measure_energy(struct measurement *m, struct err *err);
