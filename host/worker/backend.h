/* The interface of the two kinds of workers. A worker loads plugins and runs their code. It is a separate process
 * (worker/child.h), or runs within this process (worker/process.c). */
#pragma once

#include "machine/scratch.h"
#include "worker/ending.h"
#include "worker/isolation.h"
#include "worker/patience.h"
#include "worker/wire.h"

struct listener {
  void *user;
  void (*message)(void *user, const struct message *message);
  void (*tick)(void *user); /* called many times a second while no message arrives; may be NULL */
  /* true if the parent tells the worker during the request which variant to measure next; the worker may then send
   * MSG_READY, and process_ask() returns with ENDING_WAITS */
  bool ordered;
};

/* Settings for starting workers: paths, limits and rights. */
struct worker_terms {
  const char *scratch; /* folder in which the worker may make its scratch directory; NULL: $TMPDIR or /tmp */
  uint64_t memory;     /* limit of the worker's resident memory in bytes; 0: none */
  /* path of the Python interpreter that the worker process executes; NULL: the process executes gpubench itself */
  const char *python;
  const struct isolation *isolation; /* NULL: the worker has all rights of this process */
  /* working directory of the worker, whose output then goes into a file that the worker can read; NULL: the worker runs
   * in the directory of this process, and its output goes into a pipe */
  const char *folder;
};

/* One worker. Each backend has a larger struct for its workers, which begins with this one. */
struct worker_process {
  const struct backend *backend;
};

/* The functions that each kind of worker implements; worker/process.h calls them. */
struct backend {
  struct worker_process *(*start)(const struct worker_terms *terms, struct err *err);
  void (*ask)(struct worker_process *worker, enum message_type type, const void *payload, size_t size,
              const struct listener *listener, struct call_limit limit, struct ending *ending);
  void (*stop)(struct worker_process *worker);
  /* Stops the worker and all processes that it started (`frozen`), or lets them continue. A stopped worker must not be
   * sent a request. Returns false if one of the processes still runs. NULL for a worker within this process. */
  bool (*freeze)(struct worker_process *worker, bool frozen);
  /* Returns the processor time that the worker has used. NULL for a worker within this process. */
  int64_t (*time_ns)(struct worker_process *worker);
  /* Copies the last line that the worker has printed so far; returns false if there is none. */
  bool (*printed)(struct worker_process *worker, char *to, size_t size);
  /* Returns the number of the worker's process. NULL for a worker within this process. */
  pid_t (*pid)(const struct worker_process *worker);
};

/* Returns true if a worker may send this message while it answers a request. MSG_READY is only allowed if the listener
 * is `ordered`. */
bool backend_may_send(const struct message *message, const struct listener *listener);

/* Passes one message of an answer to the listener. Returns true if the message completes the answer. */
bool backend_hear(const struct message *message, const struct listener *listener, struct ending *ending);

/* Removes what a worker has left of its scratch directory. */
void backend_remove_scratch(const struct scratch *scratch);
