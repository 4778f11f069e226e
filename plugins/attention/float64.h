/* Declares what the float64 references share. A file that includes this is compiled so that a * b + c may become one
 * instruction, like files that include cpu.h. */
#ifndef ATTENTION_FLOAT64_H
#define ATTENTION_FLOAT64_H

#define HOT_AVX "fma"
#include "../shared/hot.h"

#if defined(__clang__)
#pragma STDC FP_CONTRACT ON
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=fast")
#endif

#define LANES 16 /* number of partial sums that a loop keeps, so that the compiler turns them into vectors */

/* Returns the dot product of `a` and `b`; `count` must be a multiple of 16. */
INLINE double dot_product(const double *a, const double *b, int count) {
  double lanes[LANES] = {0};
  for (int x = 0; x < count; x += LANES) {
    for (int i = 0; i < LANES; ++i)
      lanes[i] += a[x + i] * b[x + i];
  }
  for (int i = 1; i < LANES; ++i)
    lanes[0] += lanes[i];
  return lanes[0];
}

INLINE void add_scaled(double *to, const double *from, int count, double factor) {
  for (int x = 0; x < count; ++x)
    to[x] += factor * from[x];
}

#endif
