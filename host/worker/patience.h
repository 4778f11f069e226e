/* Limits how long a worker may take, by the parent's own clock. host/docs/hangs.md tells what follows.
 *
 * Callbacks of plugins: the time in which a callback waits for a processor does not count towards its limit, but
 * towards a second, longer one. A callback may also take several times as long as the longest one before it, at most
 * --timeout, because several samples in a row count as one callback.
 *
 * Steps of the host's own code in the worker, such as filling a tensor: a step may take longer than a callback while
 * the process uses a processor. Otherwise the limit of a callback applies. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process_stat.h"
#include "model/phase.h"

struct call_limit {
  double most_s;
  int64_t ends_ns; /* when the time of the case to which the call belongs is over; 0: not limited */
  bool wary;       /* true if the variant is suspected of hanging */
};

/* Returns a limit that consists only of `most_s`, for requests that are not about a case. */
static inline struct call_limit call_limit_of(double most_s) {
  return (struct call_limit){.most_s = most_s};
}

/* Both return the time limit of a callback. call_limit_s() does not count the time in which the callback waits for a
 * processor, call_limit_waiting_s() counts it. call_limit_s() is also the limit of a step of the worker's own code
 * between callbacks, as long as the worker uses no processor. */
double call_limit_s(const struct call_limit *limit, int64_t entered_ns);
double call_limit_waiting_s(const struct call_limit *limit, int64_t entered_ns);

/* Returns the limit of a callback that reports progress. */
double call_limit_progress_s(const struct call_limit *limit, int64_t entered_ns);

/* Returns the limit of a step of the worker's own code between callbacks, as long as the worker uses a processor. */
double call_limit_working_s(const struct call_limit *limit, int64_t entered_ns);

/* Writes "no return within 2 s", and the option that allows more. `idle`: gpubench's own code was running, not a
 * callback. */
void call_limit_text(const struct call_limit *limit, double given_s, bool idle, char *to, size_t size);

struct patience {
  struct phase_mark seen; /* the last valid mark (phase and variant) that was read from the status page */
  int64_t changed_ns;     /* when that mark was first seen */
  int64_t entered_ns;     /* when the present callback began. A callback that reports progress changes the mark too;
                             entered_ns stays the same then */
  double longest_s;       /* duration of the longest callback that has ended */
  int64_t moved_ns;       /* when the mark changed or a message came, whichever was last */
  /* when the processor times of the worker were last read, into `then` for its first thread and into `all_then` for all
   * threads; 0: they were not read since moved_ns */
  int64_t looked_ns;
  struct thread_time then, all_then;
};

/* Note events of the worker. Call patience_begin() when a request is sent, and patience_heard() when a message has
 * come. */
void patience_begin(struct patience *p);
void patience_heard(struct patience *p);

/* Reads the status page. Returns false if a plugin has overwritten the page, so that it holds no valid mark. */
bool patience_look(struct patience *p, const struct phase_page *page);

/* Returns true if the worker has exceeded its limit. `pid` is the worker's process; `*given_s` becomes the limit that
 * applies. */
bool patience_is_over(struct patience *p, int pid, const struct call_limit *limit, double *given_s);
