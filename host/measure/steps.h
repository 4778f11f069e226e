/* The steps in which a worker process measures a case (a bench with given parameters). measure/measure.c calls them in
 * this order. A step returns -1 only if the device failed or the process cannot go on. If a variant (one implementation
 * of the bench) fails, the step drops only that variant from the case and returns 0. */
#pragma once

#include "measure/measurement.h"

/* measure/set_up.c: measure_set_up() calls the bench's `setup`, allocates and fills its tensors, and prepares all
 * variants. measure_prepare() calls the `prepare` of one variant. */
int measure_set_up(struct measurement *m, struct err *err);
int measure_prepare(struct measurement *m, struct contestant *k, struct err *err);

/* measure/leave_out.c: before anything is timed, drops variants so slow that there would be no time for the rows of the
 * others or of later cases. */
int leave_out_slow(struct measurement *m, struct err *err);
/* Called before each round, in which one slot (consecutive samples) of each variant is timed. Drops variants that turn
 * out to be too slow for ROUNDS_LEAST rounds. `rounds`: number of complete rounds so far. */
void leave_out_late(struct measurement *m, uint32_t rounds);

/* Limits the time of a slot (consecutive samples of one variant) with `calls` calls: the slot ends early if its calls
 * are so slow that ROUNDS_LEAST rounds of the variant do not fit into the time left. */
void leave_out_limit(const struct measurement *m, uint32_t calls, struct slot_task *task);

/* measure/rounds.c: times the variants in rounds, one slot (consecutive samples) of each per round, until the times are
 * precise or the case's time is used up. Verifies the outputs of some slots. */
int rounds_sample(struct measurement *m, struct err *err);

/* measure/launch_overhead.c: measures the launch overhead (the time of a launch that does nothing) in this mode. */
int overhead_measure(struct measurement *m, struct err *err);
/* Called before a single call is timed for the reuse test (are calls slower on new inputs?). Times an empty launch and
 * notes the longest time so far in wake_ns of struct measurement. Does so only on devices whose queued work is done by
 * threads on the host's processors. */
int overhead_after_pause(struct measurement *m, struct err *err);

/* measure/outside.c: finds false times. Runs batches of iterations, each of which the parent process times by its own
 * clock, because plugins in this process cannot change that. The batches of a variant have no pauses between their
 * iterations and take about 20 ms in all. In modes that replay a graph, a batch is one replay. Does nothing on a
 * scripted device. */
int outside_measure(struct measurement *m, struct err *err);

/* measure/energy.c: measures the energy of each variant, or notes the reason why that is not possible. */
int measure_energy(struct measurement *m, struct err *err);
