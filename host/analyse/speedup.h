/* Compares the rows of a case with each other. The functions do no I/O and use no global state. */
#pragma once

#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Withdraws verdicts that do not hold any more, after more untimed work was observed of some rows. */
void speedup_judge_again(const struct plan_case *plan_case, struct record *records);

/* Withdraws the star that marks the fastest variant if it contradicts verdicts that have changed since it was given. */
void speedup_check_star(const struct plan_case *plan_case, struct record *records);

/* Sets speedups, verdicts and the fastest in records that have everything else. Returns true if more processes would
 * give a further verdict; it does not count that they might also tell which variant is the fastest. */
bool speedup_case(const struct plan_case *plan_case, const struct case_result *result, double tick_ns, uint64_t seed,
                  struct record *records);
