/* Which row of a run belongs to which row of the base. Pure. */
#ifndef COMPARE_JOIN_H
#define COMPARE_JOIN_H

#include "compare/compare.h"

/* Fills rows, yardsticks and what is only on one side. The rows are in the base's order; nothing is judged yet. */
void compare_join(struct compare *compare);

#endif
