/* gb.mem/1: workspace. What a variant takes here is counted, reported, and freed by the host. */
#ifndef GPUBENCH_EXT_MEM_H
#define GPUBENCH_EXT_MEM_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_MEM "gb.mem/1"

#define GB_MEM_DEVICE 1u /* the device's own; on the cpu the same as GB_MEM_HOST */
#define GB_MEM_HOST 2u   /* pageable host memory */
#define GB_MEM_PINNED 3u /* page-locked host memory; on the cpu the same as GB_MEM_HOST */

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_mem_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* `bytes` of memory aligned to 256 bytes, every byte 0xFF (NaN in every float format). [case, in setup and prepare]
   * Owned by the case (from setup) or by the variant being prepared, and freed by the host after `teardown` or
   * `release`. NULL when there is not enough: a message "needs X, Y free" is recorded; return GB_ENOMEM.
   * 256 bytes on each side hold a pattern: who writes there is told wrong ("wrote outside the ... bytes"). */
  void *(*alloc)(gb_case *c, uint32_t kind, uint64_t bytes);

  /* States that the bench (in setup) or the variant being prepared holds `bytes` of a kind elsewhere: in a library, or
   * in a pool of its own. [case, in setup and prepare] Counted, reported and held against --memory-limit as if it came
   * from `alloc`; the last statement about a kind wins, and `release` or `teardown` ends it. GB_ENOMEM with a recorded
   * message where it is more than the limit allows: free it and return that. */
  gb_status (*claim)(gb_case *c, uint32_t kind, uint64_t bytes);

  /* Gives memory back early. [case, not in before and run] NULL is ignored. */
  void (*free)(gb_case *c, void *memory);
} gb_mem_ext;

#ifdef __cplusplus
}
#endif
#endif
