/* Measures several ways to do the same work, such as the algorithms of a vendor's library, and finds the fastest.
 * gpubench measures a variant in several processes, and the method is made so that all of them choose the same way. The
 * bundled plugins call it in `prepare`, before anything is timed; built with CUDA only. */
#ifndef PLUGINS_FASTEST_H
#define PLUGINS_FASTEST_H

#include <stdint.h>

#define FASTEST_BYTES (UINT64_C(64) << 20) /* read between two timed runs: more than an L2 cache holds */

struct fastest_ways {
  int (*run)(const void *self, int way); /* enqueues the work once; returns 0 on success */
  const void *self;
  int count; /* number of ways, at most FASTEST_MOST; of equally fast ways the one with the lowest number is chosen */
  struct CUstream_st *stream;
  void *memory; /* device memory of FASTEST_BYTES */
};

#define FASTEST_MOST 32

struct fastest_time {
  int way;
  float ms;
};

/* Fills `order`, fastest first, with the ways that run here and returns their number; 0 if times cannot be measured.
 * Takes at most about 2 s, or the time of a few runs if that is longer. */
int fastest(const struct fastest_ways *w, struct fastest_time order[FASTEST_MOST]);

#endif
