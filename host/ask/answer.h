/* Turns a worker's messages about a case into the case's result. Checks all their contents, because a worker runs
 * plugin code, which may change its messages. */
#pragma once

#include "ask/epoch.h"
#include "model/message.h"

/* Takes a message of a worker. For use in a struct listener whose `user` is the epoch. */
void answer_take(void *epoch, const struct message *message);

/* Passes the last slot (series of samples of one variant) to the callback `slot` of the settings. Call it when no more
 * samples of that slot can arrive. */
void answer_end_slot(struct epoch *e);
