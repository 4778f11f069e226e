/* Starts and stops workers, which load plugins and run their code, and sends them requests. Does not depend on what the
 * requests mean. */
#pragma once

#include "worker/backend.h"

/* Starts a worker. `python`: the worker is to run scripts. Returns -1 with exit code 2 if there is no suitable
 * Python. */
int process_start(struct worker_process **worker, bool python, struct err *err);
void process_stop(struct worker_process *worker); /* asks the worker to end, then kills it and all processes that it
                                                     started */

/* Sends one request and passes every message of the answer to the listener. After any ending except ENDING_DONE,
 * ENDING_FAILED and ENDING_WAITS the worker process is gone, and the handle is only valid for process_stop(). */
void process_ask(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
                 const struct listener *listener, struct call_limit limit, struct ending *ending);

/* Stops the worker and all processes that it started (`frozen`), or lets them continue. A frozen worker must not be
 * sent a request. Returns false if one of the processes still runs, or if the worker runs within this process. */
bool process_freeze(struct worker_process *worker, bool frozen);

/* Serves requests within this process from now on, for debuggers: no limits apply, and a crash ends this process. */
void process_none(void);
bool process_are_none(void);

/* Returns the processor time of the worker and of its children that have ended; 0: not known. */
int64_t process_time_ns(struct worker_process *worker);

/* Returns the number of the worker's process; 0: it runs within this process. */
pid_t process_pid(const struct worker_process *worker);

/* Makes this process kill workers that use more resident memory than this; 0: no limit, the default. */
void process_limit_memory(uint64_t bytes);

/* Copies the last line that the worker has printed so far. Returns false if it has printed nothing. */
bool process_printed(struct worker_process *worker, char *to, size_t size);

/* Makes workers run in this directory and write their output into a file. NULL, the default: they run in the directory
 * of this process and write into a pipe. The text is kept, not copied. */
void process_folder(const char *folder);

/* Isolates the workers that are started from now on. The struct is kept, not copied. */
void process_isolate(const struct isolation *isolation);
bool process_are_isolated(void);

/* Sets where workers may make scratch directories; NULL: $TMPDIR or /tmp. The text is kept, not copied. */
void process_scratch(const char *base);
