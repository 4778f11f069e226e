/* RUN, parent side: one case through a worker, and through another one without the culprit when something dies. */
#ifndef ASK_RUN_CASE_H
#define ASK_RUN_CASE_H

#include "ask/request.h"
#include "model/result.h"

/* Runs the case; every variant ends with a status. -1: no worker could be had; what is not settled is ROW_NOT_RUN. */
int ask_run_case(struct pool *pool, const struct plan_case *plan_case, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err);

#endif
