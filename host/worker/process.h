/* The parent's side of worker processes: started, asked, watched, buried. Knows nothing of what is asked. */
#ifndef WORKER_PROCESS_H
#define WORKER_PROCESS_H

#include "base/err.h"
#include "model/message.h"
#include "worker/ending.h"
#include "worker/wire.h"

struct worker_process; /* one worker process */

struct listener {
  void *user;
  void (*message)(void *user, const struct message *message);
  void (*tick)(void *user); /* while nothing arrives, many times a second; may be NULL */
};

int process_start(struct worker_process **worker, struct err *err);
void process_stop(struct worker_process *worker); /* asks it to leave, then makes it; nothing it started is left */

/* Sends one request and hands every message of the answer to the listener. After anything but DONE and FAILED the
 * process is gone and the handle is only good for process_stop(). */
void process_ask(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
                 const struct listener *listener, double timeout_s, struct ending *ending);

/* From now on workers are no processes: requests are served in this one, for debuggers. No limit holds, a crash is our
 * own. */
void process_none(void);

/* A worker with more resident memory than this is ended; 0: no limit, as at first. */
void process_limit_memory(uint64_t bytes);

/* Where workers may make scratch directories; NULL: $TMPDIR or /tmp. Kept, not copied. */
void process_scratch(const char *base);

/* Signals: the first SIGINT, SIGTERM or SIGHUP asks workers to finish their round; the second kills them; a third one
 * kills this process. Two within a fifth of a second are one: timeout(1) and some shells send to the process and to its
 * group. SIGHUP stays ignored where it was (nohup); SIGPIPE and SIGXFSZ become errors of the write. */
void signals_catch(void);
int signals_last(void);      /* the last signal received, or 0 */
bool signals_insisted(void); /* more than one */

/* After a signal the next one kills this process at once: nothing is left but reports. */
void signals_release(void);

/* Asks workers to finish their round, as the first signal does, for a reason of our own. */
void signals_ask_to_finish(void);

#endif
