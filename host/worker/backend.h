/* The interface of the two ways to have a worker: as a process (worker/child.h), or within this one (worker/process.c).
 */
#pragma once

#include "machine/scratch.h"
#include "worker/ending.h"
#include "worker/isolation.h"
#include "worker/patience.h"
#include "worker/wire.h"

struct listener {
  void *user;
  void (*message)(void *user, const struct message *message);
  void (*tick)(void *user); /* called many times a second while nothing arrives; may be NULL */
  bool ordered; /* the case is ordered: the worker may send MSG_READY, which ends the request with ENDING_WAITS */
};

/* The terms on which workers are started. */
struct worker_terms {
  const char *scratch;               /* where it may make its scratch directory; NULL: $TMPDIR or /tmp */
  uint64_t memory;                   /* limit of its resident memory in bytes; 0: none */
  const char *python;                /* the interpreter that becomes its process; NULL: none */
  const struct isolation *isolation; /* NULL: it has all rights of this process */
  const char *folder; /* its working directory, with its output in a file that it can read; NULL: this process's, with
                         its output in a pipe */
};

/* One worker: the first member of the backend's own struct. */
struct worker_process {
  const struct backend *backend;
};

/* The functions behind those of worker/process.h. */
struct backend {
  struct worker_process *(*start)(const struct worker_terms *terms, struct err *err);
  void (*ask)(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct call_limit limit, struct ending *ending);
  void (*stop)(struct worker_process *worker);
  /* Stops the worker with all processes that it started, or lets them continue. A stopped worker must not be asked.
   * False: one of the processes still runs. NULL: it has no process. */
  bool (*freeze)(struct worker_process *worker, bool frozen);
  /* Processor time that the worker has used. NULL: it has no process. */
  int64_t (*time_ns)(struct worker_process *worker);
  /* Copies the last line of its output so far; false: there is none. */
  bool (*printed)(struct worker_process *worker, char *to, size_t size);
};

/* Returns true if a worker may send this message at this point. */
bool backend_may_send(const struct message *message, const struct listener *listener);

/* Passes a message of an answer to the listener. True: the answer is complete. */
bool backend_hear(const struct message *message, const struct listener *listener, struct ending *ending);

/* Removes the rest of a worker's scratch directory. */
void backend_remove_scratch(const struct scratch *scratch);
