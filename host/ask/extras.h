/* What the draft services of a variant hand to the parent, beside its times: notes, metrics, a timeline. Checks all of
 * it. */
#ifndef ASK_EXTRAS_H
#define ASK_EXTRAS_H

#include "model/result.h"
#include "worker/wire.h"

/* Is it one of theirs? Then `*variant` is the place it is for, still to be checked. */
bool extras_is(const struct message *message, uint32_t *variant);
void extras_take(struct variant_extras *extras, const struct message *message, uint32_t epoch);

#endif
