/* Finds the fastest of several ways to do the same work, such as plans of a library, by measuring them on the case's
 * own data. The method is made so that all processes of a run choose the same way. For the bundled plugins, to be
 * called in `prepare`; built with CUDA only. */
#ifndef PLUGINS_FASTEST_H
#define PLUGINS_FASTEST_H

#include <stdint.h>

#define FASTEST_BYTES (UINT64_C(64) << 20) /* read between two samples: more than an L2 cache holds */

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
 * Takes about 2 s at most, or a few runs if those take longer. */
int fastest(const struct fastest_ways *w, struct fastest_time order[FASTEST_MOST]);

#endif
