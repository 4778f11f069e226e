/* Notes, metrics and timelines that a variant's draft services send to the parent in addition to times. All of it is
 * checked. */
#pragma once

#include "model/result.h"
#include "worker/wire.h"

/* Returns true if the message is one of these. `*variant`: the place it names, not checked yet. */
bool extras_is(const struct message *message, uint32_t *variant);
void extras_take(struct variant_extras *extras, const struct message *message, uint32_t epoch);
