/* What a worker says about a case, into its result. Checks all of it, for a worker runs foreign code. */
#ifndef ASK_ANSWER_H
#define ASK_ANSWER_H

#include "ask/epoch.h"
#include "model/message.h"

void answer_take(struct epoch *e, const struct message *message);

/* Hands on the slot that came last, once nothing more of it can come. */
void answer_end_slot(struct epoch *e);

#endif
