/* How long a run may take from its start: --max-time, or a time that is computed from the plan and announced to the
 * user. Waiting for other runs does not count. The time is divided among the devices. */
#pragma once

#include "budget/budget.h"
#include "record/record.h"

/* Limits the run to `seconds`, as the user asked; NaN: no limit. */
void time_budget_by_user(struct time_budget *budget, double seconds);
/* Computes the run's time from the plan and announces it, unless the user has limited it. */
void time_budget_by_plan(struct time_budget *budget);
/* Begins measuring on a device: `usable` devices can be used, `left` of them from this one on. */
void time_budget_begin_device(struct time_budget *budget, size_t usable, size_t left);
/* Postpones all ends of measuring by the time spent waiting for other runs. */
void time_budget_shift(struct time_budget *budget, int64_t ns);
/* Called after a case: lowers the announced length of the run by the time that was planned for the case and not used,
 * unless later cases or the reserve need that time. */
void time_budget_restate(struct time_budget *budget, const struct plan_case *done);
bool time_budget_is_over(const struct time_budget *budget);
/* Returns true if the case measures a ceiling (a highest rate of the device) and must be left out, because the cases
 * that the user asked for need its time. */
bool time_budget_is_short(const struct time_budget *budget, const struct plan_case *plan_case);
/* Called for a case of another job (a process that measures another part of the plan), which this job could measure
 * after its own cases. Returns true if there is time for it; then the announced length of the run includes it. */
bool time_budget_admits(struct time_budget *budget, const struct plan_case *plan_case);
/* Returns when a case that begins now should end; 0: no limit. */
int64_t time_budget_until(const struct time_budget *budget, const struct plan_case *plan_case);
/* Returns when the case must have ended, even if its rows are incomplete, so that later cases have time; 0: no limit.
 * `*others_wait` becomes true if there are later cases. */
int64_t time_budget_last(const struct time_budget *budget, const struct plan_case *plan_case, bool *others_wait);
/* The verdicts of a case are checked by measuring its variants alone. Returns when a check that begins now must end; 0:
 * no limit. */
int64_t time_budget_alone_until(const struct time_budget *budget, const struct plan_case *plan_case);
/* time_budget_why() writes why there is no time for a case; time_budget_enough_s() returns a limit in seconds that
 * should be enough for all cases. */
void time_budget_why(const struct time_budget *budget, const struct plan_case *plan_case, char *to, size_t size);
double time_budget_enough_s(const struct time_budget *budget);
/* Adds a message to a row that has too few rounds of samples for a verdict because there was no more time. */
void time_budget_few(const struct time_budget *budget, struct record *row);
/* Notes how many seconds a case took, without the samples that only improve the precision of its rows. */
void time_budget_needed(struct time_budget *budget, const struct plan_case *plan_case, double seconds);
/* Notes the seconds that a case took, without the processes that its verdicts needed in addition. */
void time_budget_took(struct time_budget *budget, const struct plan_case *plan_case, double seconds);
/* Notes how many seconds the `processes` processes of a case took. */
void time_budget_note(struct time_budget *budget, double seconds, uint32_t processes);
/* Returns the seconds that the case may take in addition, because no later case needs them. `process_s`: duration of
 * one of its processes. */
double time_budget_spare_s(const struct time_budget *budget, const struct plan_case *plan_case, double process_s);
/* A suspect is a variant that may have caused a failure and is measured again alone. Returns until when suspects of a
 * case may be measured, if the case itself may run until `until_ns`; 0: no limit. */
int64_t time_budget_suspects_until(const struct time_budget *budget, const struct plan_case *p, int64_t until_ns);
