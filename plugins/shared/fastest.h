/* Which of several ways to do the same work is the fastest on the case's own data: told alike in every process. For the
 * bundled plugins, in `prepare`; built with CUDA only. */
#ifndef PLUGINS_FASTEST_H
#define PLUGINS_FASTEST_H

#include <stdint.h>

#define FASTEST_BYTES (UINT64_C(64) << 20) /* what is read between two samples: more than an L2 cache */

struct fastest_ways {
  int (*run)(const void *self, int way); /* enqueues the work once; 0 where it could */
  const void *self;
  int count; /* at most FASTEST_MOST; the first is what is taken of equals */
  struct CUstream_st *stream;
  void *memory; /* the device's, FASTEST_BYTES */
};

#define FASTEST_MOST 32

struct fastest_time {
  int way;
  float ms;
};

/* Fills `order`, the fastest first, with those that run here, and says how many; 0 where time cannot be taken. Takes at
 * most about 2 s, or a few runs where they are slower. */
int fastest(const struct fastest_ways *w, struct fastest_time order[FASTEST_MOST]);

#endif
