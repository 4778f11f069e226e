/* How a request to a worker ended. */
#pragma once

#include "base/err.h"
#include "model/model.h"
#include "model/phase.h"

enum ending_kind {
  ENDING_DONE,        /* answered; the worker lives */
  ENDING_FAILED,      /* answered with an error, which is in `err`; the worker lives */
  ENDING_WAITS,       /* not over: an ordered case is ready for its next order */
  ENDING_DIED,        /* crashed or exited */
  ENDING_TIMEOUT,     /* it took too long; killed */
  ENDING_INTERRUPTED, /* the run is to end, and it did not finish in time; killed */
};

struct ending {
  enum ending_kind kind;
  enum phase phase;     /* of the worker when it ended */
  int variant;          /* index in the request; -1: none */
  char how[TEXT_SIZE];  /* "SIGSEGV", "exited with status 0", "no return within 2 s" */
  char tail[TEXT_SIZE]; /* the last line that it printed, or empty */
  bool heard;           /* a message came before the end */
  bool killed;          /* killed from outside gpubench */
  struct err err;
};

/* Writes "SIGSEGV in run" and the last line that it printed. */
void ending_text(const struct ending *ending, char *to, size_t size);

/* Returns true if the worker died before it did anything for the request, which may be repeated then. */
bool ending_is_early(const struct ending *ending);

/* Returns true if the device is lost: no variant can be measured on it any more. */
bool ending_lost_device(const struct ending *ending);
