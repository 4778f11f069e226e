/* How long callbacks take in which work may be done that no sample holds: what `prepare` or `refresh` derives from
 * inputs, and what `after` does with outputs. Both ends are said to the parent, which has a clock of its own. */
#ifndef MEASURE_UNTIMED_H
#define MEASURE_UNTIMED_H

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

#endif
