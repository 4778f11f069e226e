/* How long callbacks take in which work may be done that no sample holds: what `prepare` or `refresh` derives from
 * inputs, and what `after` does with outputs. Both ends are said to the parent, which has a clock of its own. */
#ifndef MEASURE_AUDIT_UNTIMED_H
#define MEASURE_AUDIT_UNTIMED_H

#include "measure/turn.h"

/* Its `prepare` or `refresh` begins, and is done. */
void untimed_derives(struct contestant *k);
void untimed_derived(struct contestant *k);

/* A slot is about to begin, of so many iterations a sample: what was derived is there. */
void untimed_slot_begins(struct contestant *k, const struct turn *turn, uint32_t replicas);

/* Its first call is about to be entered. */
void untimed_called(struct contestant *k);

/* A slot's last sample has been taken: from here on what it does is in no sample. The first call of a slot counts. */
void untimed_slot_ended(struct contestant *k, const struct turn *turn);

/* Its `after` begins, and is done, the device idle. */
void untimed_delivers(struct contestant *k);
void untimed_delivered(struct contestant *k);

/* Work ahead of a call: other threads may have new inputs before they are used, and processors that nobody times, for
 * as long as the host takes to write inputs and to empty the caches. Before the inputs of a call that is watched
 * (sampling_watches()) are written the host waits until other threads are idle: libraries of threads spin for some
 * milliseconds behind a call. What these have of processors from there to the call, they have had for what has come
 * with the inputs; where they do not become idle nothing shows that they did not work, and all of it counts. */
void untimed_ahead_begins(struct contestant *k);
void untimed_ahead_ends(struct contestant *k);

#endif
