/* The work of this process outside the host's own thread: that of other threads and of children. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct others {
  int64_t at_ns;
  double threads_ns, children_ns; /* processor time so far; of children only those that have ended */
};

struct others others_now(void);

/* Returns the processor time since then of all threads except the calling one, which is the host's between callbacks,
 * and the host's helper threads. */
double others_threads_ns(const struct others *since);

/* Returns true if another thread runs on a processor or waits for one. */
bool others_want_processor(void);

/* Waits until other threads are idle, at most 0.25 s. Returns the time it took, in seconds. */
double others_wait_until_idle(void);

/* Returns true if there is a child, or was one since. The time of a child is not known before it has been waited for.
 */
bool others_have_child(const struct others *since);
