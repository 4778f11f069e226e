/* gb.input/1: inputs that no random distribution describes, such as lattices, neighbour lists, trained weights and edge
 * cases. The bench gives the values. The host still owns the memory, its guards and its checksum, and variants of other
 * plugins (guests) see the same data. */
#ifndef GPUBENCH_EXT_INPUT_H
#define GPUBENCH_EXT_INPUT_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_INPUT "gb.input/1"

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_input_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Gives the values of `count` elements of a GB_FILL_BENCH tensor from logical index `first` on. May be called in a
   * bench's `fill` [case-thread]. The values are copied, and rounded to the tensor's type, to
   * nearest even. NaN and infinities are allowed. Elements that are not given are 0. A wrong argument records a failure
   * on the case, which fails the callback whatever it returns, and gives GB_EINVAL. */
  gb_status (*write)(gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values);
} gb_input_ext;

#ifdef __cplusplus
}
#endif
#endif
