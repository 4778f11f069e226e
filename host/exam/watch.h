/* What every callback may do by the way: what it prints, what it leaves changed of the process, and how a bench's own
 * callback ends. */
#ifndef EXAM_WATCH_H
#define EXAM_WATCH_H

#include "exam/state.h"

void watch_begin(struct exam *e); /* one at a time */
void watch_end(void);

/* Callbacks may fail for a while, as they are meant to; but not silently. */
void watch_expect_failure(bool expected);

#endif
