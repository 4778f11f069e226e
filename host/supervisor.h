/* The parent's side of worker processes: started, asked, watched, buried. Knows nothing of what is asked. */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H

#include "err.h"
#include "phase.h"
#include "wire.h"

struct supervised; /* one worker process */

enum ending_kind {
  ENDING_DONE,        /* answered; the worker lives */
  ENDING_FAILED,      /* answered that it could not; the worker lives; `err` says why */
  ENDING_DIED,        /* crashed or exited */
  ENDING_TIMEOUT,     /* a callback outlasted the limit; killed */
  ENDING_INTERRUPTED, /* the user asked twice to stop; killed */
};

struct ending {
  enum ending_kind kind;
  enum phase phase; /* where it was when it ended */
  int variant;
  char how[TEXT_SIZE];  /* "SIGSEGV", "exited with status 0", "no return within 2 s" */
  char tail[TEXT_SIZE]; /* last line it printed, or empty */
  struct err err;
};

struct listener {
  void *user;
  void (*message)(void *user, const struct message *message);
  void (*tick)(void *user); /* while nothing arrives, many times a second; may be NULL */
};

int supervised_start(struct supervised **worker, struct err *err);
void supervised_stop(struct supervised *worker); /* asks it to leave, then makes it */

/* Sends one request and hands every message of the answer to the listener. After anything but DONE and FAILED the
 * process is gone and the handle is only good for supervised_stop(). */
void supervised_ask(struct supervised *worker, enum message_type type, const void *payload, size_t size,
                    const struct listener *listener, double timeout_s, struct ending *ending);

/* Signals: the first SIGINT or SIGTERM asks workers to finish their round; the second kills them. */
void supervisor_catch_signals(void);
int supervisor_signal(void); /* the signal received, or 0 */

#endif
