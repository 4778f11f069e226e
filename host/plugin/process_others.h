/* Measures the processor time that this process uses outside the host's own thread: in other threads and in child
 * processes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct others {
  int64_t at_ns;
  double threads_ns, children_ns; /* processor time used so far: by threads of this process, and by those of its
                                     children that have ended */
};

struct others others_now(void);

/* Returns the processor time that the other threads of this process have used since `since` was read. Leaves out the
 * host's helper threads and the calling thread, which runs the host's own code between callbacks. */
double others_threads_ns(const struct others *since);

/* Returns true if another thread runs on a processor or waits for one. */
bool others_want_processor(void);

/* Waits until other threads are idle, at most 0.25 s. Returns the time it took, in seconds. */
double others_wait_until_idle(void);

/* Returns true if there is a child process, or was one since `since` was read. The time of a child is not known before
 * it has been waited for. */
bool others_have_child(const struct others *since);
