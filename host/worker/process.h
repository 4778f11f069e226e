/* The parent's side of worker processes: started, asked, stopped. Knows nothing of what is asked. */
#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include "worker/backend.h"

/* `python`: it is to run scripts. Exit 2 where there is no Python for that. */
int process_start(struct worker_process **worker, bool python, struct err *err);
void process_stop(struct worker_process *worker); /* asks it to leave, then makes it; nothing it started is left */

/* Sends one request and hands every message of the answer to the listener. After anything but DONE and FAILED the
 * process is gone and the handle is only good for process_stop(). */
void process_ask(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
                 const struct listener *listener, struct call_limit limit, struct ending *ending);

/* Stops it with all that it started, or lets it go on; frozen it must not be asked. False: something of it still runs,
 * or there is no process to be stopped. */
bool process_freeze(struct worker_process *worker, bool frozen);

/* From now on workers are no processes: requests are served in this one, for debuggers. No limit holds, a crash is our
 * own. */
void process_none(void);
bool process_are_none(void);

/* Processor time that it has had, with what it started and has waited for; 0: not known. */
int64_t process_time_ns(struct worker_process *worker);

/* A worker with more resident memory than this is ended; 0: no limit, as at first. */
void process_limit_memory(uint64_t bytes);

/* What a worker has printed so far, its last line. False: nothing. */
bool process_printed(struct worker_process *worker, char *to, size_t size);

/* From now on workers work in this folder, and what they print goes into a file; NULL: as at first. Kept, not copied.
 */
void process_folder(const char *folder);

/* From now on workers are isolated; kept, not copied. */
void process_isolate(const struct isolation *isolation);
bool process_are_isolated(void);

/* Where workers may make scratch directories; NULL: $TMPDIR or /tmp. Kept, not copied. */
void process_scratch(const char *base);

#endif
