/* Inputs whose values the bench gives. */
#ifndef CASE_BENCH_FILL_H
#define CASE_BENCH_FILL_H

#include "case/calls.h"

bool bench_fills(const struct gb_case *c); /* any */

/* Enters the bench's `fill` for this seed, unless its values are those already. What is not OUTCOME_OK leaves them
 * unknown: the bench failed, or gave other values than it once had for this seed. */
void bench_fill(struct gb_case *c, uint64_t seed, struct outcome *outcome);

/* In `fill`: elements from logical index `first` on. False: misuse recorded. */
bool bench_fill_write(struct gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values);

#endif
