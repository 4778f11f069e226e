/* Measures one case, from the parent process. Asks a worker process to measure it and, if that process dies, asks
 * another one, without the variant that caused the death. */
#pragma once

#include "ask/epoch.h"

/* Measures the case; every variant then has a status. Returns -1 if there is no worker; variants without a result are
 * then ROW_NOT_RUN. */
int ask_run_case(struct pool *pool, const struct plan_case *plan_case, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err);

/* ask_begin() to ask_end() do the same as ask_run_case() in steps, for cases that may get more processes than their
 * settings say. Settings and result must stay in place until ask_end(). */
void ask_begin(struct epoch *e, const struct plan_case *plan_case, const struct run_case_settings *settings,
               struct case_result *result);
/* Measures the case in as many processes as `restarts` of its settings says: first in the present worker, then in fresh
 * ones. Returns -1 if there is no worker. Afterwards the result may be read. */
int ask_first_processes(struct pool *pool, struct epoch *e, struct err *err);
/* Measures the case in one more process, the present worker, which must not have measured this case before. `until_ns`:
 * when it should end; 0: no limit. */
int ask_next_process(struct pool *pool, struct epoch *e, int64_t until_ns, struct err *err);
/* Ends the case. `rc` and `err` are the result of the last of the steps above. */
void ask_end(struct epoch *e, int rc, const struct err *err);
