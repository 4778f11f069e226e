/* Points as text: case keys and the axes column. Pure. */
#ifndef PLAN_CASE_KEY_H
#define PLAN_CASE_KEY_H

#include "model/model.h"

/* "attention/forward[b=2,h=32]"; the bare id where the bench has no axes. False if it does not fit. */
bool case_key(const char *id, const struct point *point, char *to, size_t size);

/* "k=v;k=v" with percent-encoding, as results.csv has it. */
void point_text(const struct point *point, char *to, size_t size);

#endif
