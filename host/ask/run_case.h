/* RUN, parent side: one case through a worker, and through another one without the culprit when something dies. */
#ifndef ASK_RUN_CASE_H
#define ASK_RUN_CASE_H

#include "ask/epoch.h"

/* Runs the case; every variant ends with a status. -1: no worker could be had; what is not settled is ROW_NOT_RUN. */
int ask_run_case(struct pool *pool, const struct plan_case *plan_case, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err);

/* The same in steps, for cases that may get more processes than their settings say. The settings and the result must
 * stay where they are until ask_end(). */
void ask_begin(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
               struct case_result *result);
/* In the worker that is there, and then in fresh ones. -1: as above. From here on the result may be looked at. */
int ask_first_processes(struct pool *pool, struct epoch *e, struct err *err);
/* In the worker that is there, which must not be one of the case's former ones, until then; 0: however long it takes.
 */
int ask_next_process(struct pool *pool, struct epoch *e, int64_t until_ns, struct err *err);
/* `rc`, `err`: of the last process that was asked for. */
void ask_end(struct epoch *e, int rc, const struct err *err);

#endif
