/* The rows of a case beside each other. Pure. */
#ifndef ANALYSE_SPEEDUP_H
#define ANALYSE_SPEEDUP_H

#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Takes the words that do not hold any more, as more of what is not timed has been seen of some rows. */
void speedup_judge_again(const struct plan_case *plan_case, struct record *records);

/* Takes the star back where words that have been taken since do not agree with it. */
void speedup_check_star(const struct plan_case *plan_case, struct record *records);

/* Speedups, words and the fastest, in records that have everything else. Returns whether there would be a
 * word more with more processes; who is the fastest is not worth them. */
bool speedup_case(const struct plan_case *plan_case, const struct case_result *result, double tick_ns, uint64_t seed,
                  struct record *records);

#endif
