/* A few elements of each output, as they are right behind the last iteration in the order of the device: whoever is
 * still at work then, in a thread or on a stream that nobody waits for, does it in no time that is taken. */
#ifndef CASE_WITNESS_H
#define CASE_WITNESS_H

#include "case/case.h"

/* Makes room for them and draws which they are. Not of pageable memory where a stream is held back: it cannot be read
 * in the stream's order. False: there is no room. */
bool witness_open(struct gb_case *c);

/* Ordered on the stream; need not be complete when it returns. */
int witness_take(struct gb_case *c, struct err *err);

/* When all work is done: `*late` is an output that was not as it is now, or NULL, `*element` one of its elements. */
int witness_look(struct gb_case *c, const char **late, uint64_t *element, struct err *err);

#endif
