/* gb.input/1: inputs that no distribution describes: lattices, neighbour lists, trained weights, edge cases. The bench
 * gives the values; the host still owns the memory, its guards and its checksum, and guests see the same data. */
#ifndef GPUBENCH_EXT_INPUT_H
#define GPUBENCH_EXT_INPUT_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_INPUT "gb.input/1"

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_input_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* States what `count` elements of a GB_FILL_BENCH tensor hold from logical index `first` on; copied, and rounded to
   * the tensor's type as `expect` does; NaN and infinities may be among them. [case, in a bench's fill; on the
   * callback's thread] Elements that are not stated are 0. What is wrong records a failure on the case, which fails the
   * callback whatever it returns, and gives GB_EINVAL. */
  gb_status (*write)(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values);
} gb_input_ext;

#ifdef __cplusplus
}
#endif
#endif
