/* Batches of a worker, timed by the clock of this process when it hears of their begin and end. */
#ifndef ASK_OUTSIDE_H
#define ASK_OUTSIDE_H

#include "ask/epoch.h"
#include "model/message.h"

/* A mark, as soon as it has come. */
void outside_take(struct epoch *e, const struct message *message);

#endif
