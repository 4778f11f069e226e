/* Notes, metrics and timelines that a variant sends to the parent in addition to its times. All of them are checked. */
#pragma once

#include "model/result.h"
#include "worker/wire.h"

/* Returns true if the message is a note, a metric or a timeline. `*variant` becomes the index that the message gives
 * for its variant; it is not checked yet. */
bool extras_is(const struct message *message, uint32_t *variant);
void extras_take(struct variant_extras *extras, const struct message *message, uint32_t epoch);
