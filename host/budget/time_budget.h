/* How long a run may take, from when it began: --max-time; or what is planned, which is what the run announces where
 * the user gave none. Waiting for other runs is not its time. Each device has its share. */
#ifndef BUDGET_TIME_BUDGET_H
#define BUDGET_TIME_BUDGET_H

#include "budget/budget.h"
#include "record/record.h"

/* NaN: none. */
void time_budget_by_user(struct time_budget *budget, double seconds);
void time_budget_by_plan(struct time_budget *budget);
/* A device has its turn, of so many that can be used and `left` from it on. */
void time_budget_turn(struct time_budget *budget, size_t usable, size_t left);
void time_budget_shift(struct time_budget *budget, int64_t ns);
/* When a case is over: what it left and those after it are not promised is no longer announced, but for the reserve. */
void time_budget_restate(struct time_budget *budget, const struct plan_case *done);
bool time_budget_is_over(const struct time_budget *budget);
/* Is there only time for cases that were asked for, and this is a ceiling's? */
bool time_budget_is_short(const struct time_budget *budget, const struct plan_case *plan_case);
/* Is there time for a case more than was planned, when the others are over? Then it is announced. */
bool time_budget_admits(struct time_budget *budget, const struct plan_case *plan_case);
/* When a case is to end that begins now; 0: whenever it does. */
int64_t time_budget_until(const struct time_budget *budget, const struct plan_case *plan_case);
/* By when it has to have ended, whatever its rows lack, for those after it to have time; 0: whenever it does. */
int64_t time_budget_last(const struct time_budget *budget, const struct plan_case *plan_case, bool *others_wait);
/* When looking at a case's variants alone is to end, which begins now; 0: whenever it does. */
int64_t time_budget_alone_until(const struct time_budget *budget, const struct plan_case *plan_case);
/* Why a case is not run for which there is no time; and a limit that should have room for all. */
void time_budget_why(const struct time_budget *budget, const struct plan_case *plan_case, char *to, size_t size);
double time_budget_enough_s(const struct time_budget *budget);
/* What a row says whose rounds are too few for words, for want of time. */
void time_budget_few(const struct time_budget *budget, struct record *row);
/* What the rows of a case could not do without. */
void time_budget_needed(struct time_budget *budget, const struct plan_case *plan_case, double seconds);
/* What a case has taken, without processes that were added. */
void time_budget_took(struct time_budget *budget, const struct plan_case *plan_case, double seconds);
/* What processes of a case have taken. */
void time_budget_note(struct time_budget *budget, double seconds, uint32_t processes);
/* Seconds that a case may take on top, of whose processes one took so long: nobody who comes after it needs them. */
double time_budget_spare_s(const struct time_budget *budget, const struct plan_case *plan_case, double process_s);
/* When variants of the case, which has time until then, are no longer tried apart; 0: never. */
int64_t time_budget_trials_until(const struct time_budget *budget, const struct plan_case *p, int64_t until_ns);

#endif
