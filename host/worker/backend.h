/* What the ways of having a worker have in common: a process of its own (worker/child.h), or none, within this one
 * (worker/process.h). */
#ifndef WORKER_BACKEND_H
#define WORKER_BACKEND_H

#include "machine/scratch.h"
#include "worker/ending.h"
#include "worker/isolation.h"
#include "worker/patience.h"
#include "worker/wire.h"

struct listener {
  void *user;
  void (*message)(void *user, const struct message *message);
  void (*tick)(void *user); /* while nothing arrives, many times a second; may be NULL */
  bool ordered;             /* MSG_READY, which is heard as well, leads to ENDING_WAITS; else it is nonsense */
};

/* What each worker is started with. */
struct worker_terms {
  const char *scratch;               /* where it may make scratch directories; NULL: $TMPDIR or /tmp */
  uint64_t memory;                   /* resident bytes that it may have; 0: any */
  const char *python;                /* the interpreter that is its process; NULL: none */
  const struct isolation *isolation; /* NULL: it has all rights of this process */
  const char *folder; /* where it works, with what it prints going into a file that it may look into; NULL: where this
                         process does, and into a pipe */
};

/* One worker: the first member of what its backend has of it. */
struct worker_process {
  const struct backend *backend;
};

/* As process_start() and so on in worker/process.h. */
struct backend {
  struct worker_process *(*start)(const struct worker_terms *terms, struct err *err);
  void (*ask)(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct call_limit limit, struct ending *ending);
  void (*stop)(struct worker_process *worker);
  /* Stops it with all that it started, or lets it go on; it must not be asked while it is stopped. False: something of
   * it still runs. NULL: it has no process. */
  bool (*freeze)(struct worker_process *worker, bool frozen);
  /* Processor time that it has had. NULL: it has no process. */
  int64_t (*time_ns)(struct worker_process *worker);
  /* The last line of what it has printed so far, into a text; false: nothing. */
  bool (*printed)(struct worker_process *worker, char *to, size_t size);
};

/* Is it of the messages that a worker sends, now? */
bool backend_may_send(const struct message *message, const struct listener *listener);

/* Hands one message of an answer on. True when the answer is complete. */
bool backend_hear(const struct message *message, const struct listener *listener, struct ending *ending);

/* What a worker has left of its scratch directory. */
void backend_remove_scratch(const struct scratch *scratch);

#endif
