/* Limits how long a worker may take, by the parent's own clock, because a plugin could change the times on the status
 * page.
 *
 * A callback may take its limit, not counting the time that it waits for a processor on a busy machine. There is a
 * longer limit that counts this time: a variant that has started too many threads to make progress has hung as well. A
 * step of the host's own code, such as filling a tensor, ends with a message, a callback or a mark. It has the same
 * limit if the process does not run: it waits for a lock that a plugin's thread held when it ended, or it was stopped.
 * While it runs, it may take longer. A worker whose callbacks took long, but ended, gets several times as long as the
 * longest of them, at most --timeout: slots of several samples are one callback. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process_stat.h"
#include "model/phase.h"

struct call_limit {
  double most_s;
  int64_t ends_ns; /* when the time of its case is over; 0: not limited */
  bool wary;       /* its variant is suspected of a hang */
};

/* A limit of `most_s` alone, for requests outside of cases. */
static inline struct call_limit call_limit_of(double most_s) {
  return (struct call_limit){.most_s = most_s};
}

/* The limit of a callback, or of the host's own code between two that does not run; first without the time of waiting
 * for a processor, then with it. */
double call_limit_s(const struct call_limit *limit, int64_t entered_ns);
double call_limit_waiting_s(const struct call_limit *limit, int64_t entered_ns);

/* The limit of a callback that reports progress. */
double call_limit_progress_s(const struct call_limit *limit, int64_t entered_ns);

/* The limit of the host's own code while it runs. */
double call_limit_working_s(const struct call_limit *limit, int64_t entered_ns);

/* Writes "no return within 2 s", and the option that allows more. `idle`: the host's own code was running. */
void call_limit_text(const struct call_limit *limit, double given_s, bool idle, char *to, size_t size);

struct patience {
  struct phase_mark seen; /* the last valid mark */
  int64_t changed_ns;     /* when that mark was first seen */
  int64_t entered_ns;     /* when another callback, or one of another variant, was last seen to begin */
  double longest_s;       /* of the longest callback that has ended */
  int64_t moved_ns;       /* when the mark changed or a message came, whichever was last */
  int64_t looked_ns;      /* when thread times were read, and those of the first and of all threads then; 0: not since
                             moved_ns */
  struct thread_time then, all_then;
};

/* Call patience_begin() with each request, and patience_heard() when a message came. */
void patience_begin(struct patience *p);
void patience_heard(struct patience *p);

/* Reads the page. False: it holds no valid mark any more. */
bool patience_look(struct patience *p, const struct phase_page *page);

/* Returns true if the worker has exceeded its limit. `pid`: of the worker; `given_s`: the limit that applies. */
bool patience_is_over(struct patience *p, int pid, const struct call_limit *limit, double *given_s);
