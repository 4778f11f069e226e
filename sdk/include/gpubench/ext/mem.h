/* gb.mem/1: workspace. The host counts and reports what a variant allocates here, and frees it. */
#ifndef GPUBENCH_EXT_MEM_H
#define GPUBENCH_EXT_MEM_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_MEM "gb.mem/1"

#define GB_MEM_DEVICE 1u /* the device's own memory; on the cpu the same as GB_MEM_HOST */
#define GB_MEM_HOST 2u   /* pageable host memory */
#define GB_MEM_PINNED 3u /* page-locked host memory; on the cpu the same as GB_MEM_HOST */

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_mem_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Allocates `bytes` of memory aligned to 256 bytes, every byte 0xFF (NaN in every float format). May be called in
   * `setup` and `prepare` [case-thread].
   * The case (in `setup`) or the variant being prepared owns the memory; the host frees it after `teardown` or
   * `release`.
   * If there is not enough, the result is NULL with the recorded message "needs X, Y free": return GB_ENOMEM.
   * A pattern fills 256 bytes on each side; a variant that writes there is reported as wrong ("wrote outside the ...
   * bytes"). */
  void *(*alloc)(gb_case *c, uint32_t kind, uint64_t bytes);

  /* States that the bench (in `setup`) or the variant being prepared holds `bytes` of memory of this kind that a
   * library or the plugin's own allocator has allocated, and not gb.mem/1. May be called in `setup` and `prepare`
   * [case-thread].
   * The host counts, reports and limits (--memory-limit) these bytes as if they came from `alloc`.
   * `gpubench check` fails a variant whose `prepare` takes more than 16 MiB of the heap that it neither allocated here
   * nor claimed.
   * The last call for a kind of memory replaces earlier ones, and `release` or `teardown` ends the claim.
   * Returns GB_ENOMEM with a recorded message if that exceeds the limit: free the memory and return GB_ENOMEM. */
  gb_status (*claim)(gb_case *c, uint32_t kind, uint64_t bytes);

  /* Frees memory before the host would. May be called while a case runs, but not in `before` and `run` [case-thread].
   * NULL is ignored. */
  void (*free)(gb_case *c, void *memory);
} gb_mem_ext;

#ifdef __cplusplus
}
#endif
#endif
