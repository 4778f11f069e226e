/* How long a worker may take, by the parent's own clock: what the page says of times is the plugin's to change. A
 * callback may take its limit (worker/patience.h), without what it waits for a processor on a busy machine, and
 * somewhat more with it: who has started so many threads that none goes on has hung as well. So may a step of the
 * host's own code, such as filling a tensor, which ends with a message, a callback or a mark: more where it works, for
 * it may have much to do. What does not run has hung: it waits for a lock that a plugin's thread held when it ended, or
 * it was stopped. Who has had callbacks that take long and end is given several times as long as these, unless
 * --timeout is less: slots of several samples are entered once. */
#ifndef WORKER_PATIENCE_H
#define WORKER_PATIENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process_stat.h"
#include "model/phase.h"

struct call_limit {
  double most_s;
  int64_t ends_ns; /* when what is left to its case is over; 0: no end is known */
  bool wary;       /* its variant is suspected of having hung */
};

/* Where no end is known. */
static inline struct call_limit call_limit_of(double most_s) {
  return (struct call_limit){.most_s = most_s};
}

/* Of a callback, and of the host's own code between two that does nothing, without what it waits for a processor; and
 * with that. */
double call_limit_s(const struct call_limit *limit, int64_t entered_ns);
double call_limit_waiting_s(const struct call_limit *limit, int64_t entered_ns);

/* Of one that says that it goes on. */
double call_limit_progress_s(const struct call_limit *limit, int64_t entered_ns);

/* Of the host's own code where it works. */
double call_limit_working_s(const struct call_limit *limit, int64_t entered_ns);

/* "no return within 2 s", and what allows more; `idle`: in the host's own code. */
void call_limit_text(const struct call_limit *limit, double given_s, bool idle, char *to, size_t size);

struct patience {
  struct phase_mark seen; /* the last that was one */
  int64_t changed_ns;     /* when it became so */
  int64_t entered_ns;     /* when another callback, or another variant's, was seen before it */
  double longest_s;       /* that a callback has taken, of those that have ended */
  int64_t moved_ns;       /* when it became so, or something was heard */
  int64_t looked_ns; /* when its threads were looked at, and how the first and all stood then; 0: not since it moved */
  struct thread_time then, all_then;
};

/* With each request. */
void patience_begin(struct patience *p);
void patience_heard(struct patience *p);

/* Looks at the page. False: nothing in it is a mark of ours any more. */
bool patience_look(struct patience *p, const struct phase_page *page);

/* Has it been too long? `pid`: the worker's; `given_s`: how long it was given then. */
bool patience_is_over(struct patience *p, int pid, const struct call_limit *limit, double *given_s);

#endif
