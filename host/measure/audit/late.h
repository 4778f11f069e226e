/* Whether a turn's outputs were there when its last sample's clock was read. */
#ifndef MEASURE_AUDIT_LATE_H
#define MEASURE_AUDIT_LATE_H

#include "measure/turn.h"

/* Before a turn: draws what is looked at. */
void late_begin(const struct contestant *k, struct turn *turn);

/* Behind it, before anybody else reads the outputs, and again later: a thread may have been at it still. */
int late_look(const struct contestant *k, struct turn *turn, struct err *err);

/* Whether the clock of the turn's samples was changed, and the sentence for it; counts the samples that are in doubt.
 */
bool late_clock(struct contestant *k, const struct turn *turn, char *text, size_t size);

/* Whether so many samples are in doubt, though too few for that, that a median may rest on them. */
bool late_may_be_clock(const struct contestant *k);

/* What was late. */
void late_text(const struct turn *turn, char *text, size_t size);

#endif
