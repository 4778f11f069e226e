/* How a request to a worker ended. */
#pragma once

#include "base/err.h"
#include "model/model.h"
#include "model/phase.h"

enum ending_kind {
  ENDING_DONE,        /* the request was answered; the worker lives */
  ENDING_FAILED,      /* the request was answered with an error, which is in `err`; the worker lives */
  ENDING_WAITS,       /* the request goes on: the worker waits for a MSG_ORDER, which tells it what to measure next */
  ENDING_DIED,        /* the worker crashed or exited */
  ENDING_TIMEOUT,     /* the worker took too long and was killed */
  ENDING_INTERRUPTED, /* the run is to end, and the worker did not finish in time and was killed */
};

struct ending {
  enum ending_kind kind;
  enum phase phase;     /* phase of the worker when the request ended */
  int variant;          /* index in the request of the variant that was running when the request ended; -1: none */
  char how[TEXT_SIZE];  /* "SIGSEGV", "exited with status 0", "no return within 2 s" */
  char tail[TEXT_SIZE]; /* the last line that the worker printed, or empty */
  bool heard;           /* true if a message of the worker came before the request ended */
  bool killed;          /* true if something outside gpubench killed the worker */
  struct err err;
};

/* Writes how the worker ended and the last line that it printed: "SIGSEGV in run". */
void ending_text(const struct ending *ending, char *to, size_t size);

/* Returns true if the worker died before it did anything for the request, so that the request may be repeated. */
bool ending_is_early(const struct ending *ending);

/* Returns true if the device failed, so that no variant can be measured on it any more. */
bool ending_lost_device(const struct ending *ending);
