/* How long a call may take, from when it is entered: what --timeout allows, and where a run has an end no more than a
 * share of what is left to its case then. A hang is seen twice, in company and alone, and the others are to be measured
 * between: a call has a third of what is left, and a sixth where its variant is tried for a hang; a half and a quarter
 * where it says that it goes on. But two seconds it always has: what takes longer than is left to the run is not called
 * a hang. */
#ifndef WORKER_CALL_LIMIT_H
#define WORKER_CALL_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
