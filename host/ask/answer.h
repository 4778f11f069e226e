/* Turns a worker's messages about a case into its result. Checks everything, because a worker runs foreign code. */
#pragma once

#include "ask/epoch.h"
#include "model/message.h"

void answer_take(struct epoch *e, const struct message *message);

/* Passes on the last slot, once no more samples of it can arrive. */
void answer_end_slot(struct epoch *e);
