/* What this process has done beside the host's own thread: that of its other threads, and of its children. */
#ifndef PLUGIN_PROCESS_OTHERS_H
#define PLUGIN_PROCESS_OTHERS_H

#include <stdbool.h>
#include <stdint.h>

struct others {
  int64_t at_ns;
  double threads_ns, children_ns; /* processors' time until then, of children those that have ended */
};

struct others others_now(void);

/* Processors' time of all threads but this one, which is the host's between callbacks, and the host's others. */
double others_threads_ns(const struct others *since);

/* Is one of the other threads on a processor, or waiting for one? */
bool others_want_processor(void);

/* Waits until other threads are idle, a quarter of a second at most. Returns how long that took, in seconds. */
double others_wait_until_idle(void);

/* Is there a child, or was there one since? What it has done is not known before somebody waits for it. */
bool others_have_child(const struct others *since);

#endif
