/* Compares the rows of a case with each other. The functions do no I/O and use no global state. */
#pragma once

#include "model/result.h"
#include "plan/plan.h"
#include "record/record.h"

/* Withdraws verdicts that no longer hold because more untimed work (work outside the timed calls) of some variants was
 * observed. */
void speedup_judge_again(const struct plan_case *plan_case, struct record *records);

/* Withdraws the star that marks the fastest variant if it contradicts verdicts that have changed since it was given. */
void speedup_check_star(const struct plan_case *plan_case, struct record *records);

/* Sets speedups, verdicts and the fastest variant in records that have everything else. Returns true if measuring in
 * more processes would give a further verdict on a speedup. Whether more processes would show which variant is the
 * fastest does not count. */
bool speedup_case(const struct plan_case *plan_case, const struct case_result *result, double tick_ns, uint64_t seed,
                  struct record *records);
