/* How a request to a worker ended. */
#ifndef WORKER_ENDING_H
#define WORKER_ENDING_H

#include "base/err.h"
#include "model/model.h"
#include "model/phase.h"

enum ending_kind {
  ENDING_DONE,        /* answered; the worker lives */
  ENDING_FAILED,      /* answered that it could not; the worker lives; `err` says why */
  ENDING_WAITS,       /* no end: a case that is ordered is ready for its next order */
  ENDING_DIED,        /* crashed or exited */
  ENDING_TIMEOUT,     /* it took longer than it may; killed */
  ENDING_INTERRUPTED, /* the run is to end, and it did not in time; killed */
};

struct ending {
  enum ending_kind kind;
  enum phase phase; /* where it was when it ended */
  int variant;
  char how[TEXT_SIZE];  /* "SIGSEGV", "exited with status 0", "no return within 2 s" */
  char tail[TEXT_SIZE]; /* last line it printed, or empty */
  bool heard;           /* something came before the end */
  bool killed;          /* by somebody else than us */
  struct err err;
};

/* "SIGSEGV in run" and what it printed last. */
void ending_text(const struct ending *ending, char *to, size_t size);

/* A request that ended so may be made again: the worker died before anything was done for it. */
bool ending_is_early(const struct ending *ending);

/* No variant can be measured on its device, now or later. */
bool ending_lost_device(const struct ending *ending);

#endif
