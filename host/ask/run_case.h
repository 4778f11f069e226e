/* RUN, parent side: measures one case in a worker and, if something dies, in another one without the culprit. */
#pragma once

#include "ask/epoch.h"

/* Runs the case; every variant ends with a status. -1: there is no worker; open variants are ROW_NOT_RUN. */
int ask_run_case(struct pool *pool, const struct plan_case *plan_case, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err);

/* The same in steps, for cases that may get more processes than their settings say. Settings and result must stay in
 * place until ask_end(). */
void ask_begin(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
               struct case_result *result);
/* Runs the first process in the present worker, the other `restarts` in fresh ones. -1: as above. Afterwards the result
 * may be read. */
int ask_first_processes(struct pool *pool, struct epoch *e, struct err *err);
/* Runs one more process in the present worker, which must not have run this case before. `until_ns`: when it should
 * end; 0: no limit. */
int ask_next_process(struct pool *pool, struct epoch *e, int64_t until_ns, struct err *err);
/* `rc`, `err`: of the last process. */
void ask_end(struct epoch *e, int rc, const struct err *err);
