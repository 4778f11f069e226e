/* Which of several ways to multiply is the fastest on the case's own data: told alike in every process. Built with CUDA
 * only. */
#ifndef MATMUL_FASTEST_H
#define MATMUL_FASTEST_H

#include <stdint.h>

#define MATMUL_FASTEST_BYTES (UINT64_C(64) << 20) /* what is copied between two samples: more than an L2 cache */

struct matmul_ways {
  int (*run)(const void *self, int way); /* enqueues one product; 0 where it could */
  const void *self;
  int count; /* at most MATMUL_MOST_WAYS; the first is what is taken of equals */
  struct CUstream_st *stream;
  void *memory; /* the device's, MATMUL_FASTEST_BYTES */
};

#define MATMUL_MOST_WAYS 32

struct matmul_timed {
  int way;
  float ms;
};

/* Fills `order`, the fastest first, with those that run here, and says how many; 0 where time cannot be taken. Takes at
 * most about 2 s, or a few products where they are slower. */
int matmul_fastest(const struct matmul_ways *w, struct matmul_timed order[MATMUL_MOST_WAYS]);

#endif
