/* The rows of a case beside each other. Pure. */
#ifndef RUN_SPEEDUP_H
#define RUN_SPEEDUP_H

#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Speedups, words and the fastest, in records that have everything else. Returns whether there would be a
 * word more with more processes; who is the fastest is not worth them. */
bool speedup_case(const struct plan_case *plan_case, const struct case_result *result, double tick_ns, uint64_t seed,
                  struct record *records);

#endif
