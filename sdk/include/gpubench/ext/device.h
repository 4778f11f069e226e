/* gb.device/1: facts about the device that a case runs on. */
#ifndef GPUBENCH_EXT_DEVICE_H
#define GPUBENCH_EXT_DEVICE_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_DEVICE "gb.device/1"

/* The host gives this table to plugins. It is frozen; new facts get new names. Since 1.0. */
typedef struct gb_device_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns an integer fact; -1 if it is not known here or this host does not know the name. May be called while cases
   * are chosen or run [plan-thread, case-thread].
   *   all   "memory_bytes"   memory of the device (cpu: of the machine)
   *   cuda  "ordinal"        for cudaSetDevice in this process
   *         "compute_capability"            10 * major + minor: 90 on Hopper
   *         "sm_count", "l2_bytes", "shared_memory_per_block_bytes" (opt-in maximum)
   *   cpu   "threads"        threads to use: the processors of the affinity mask */
  int64_t (*i64)(gb_case *c, const char *fact);

  /* Returns a text fact, or NULL. May be called while cases are chosen or run [plan-thread, case-thread]. The facts are
   * "backend" ("cuda" or "cpu"), "name" and "uuid". Valid until `teardown` returns. */
  const char *(*str)(gb_case *c, const char *fact);
} gb_device_ext;

#ifdef __cplusplus
}
#endif
#endif
