/* gb.devices/1: the devices of a case that works on several of one backend, in one process. How many is the value
 * of its bench's `devices_axis`. Device 0 is the case's own: gb.device/1, gb.mem/1, gb.cuda/1 and gb.tensor/1 mean that
 * one, so that tensors lie there. What other devices work on a variant brings there in `prepare` and `refresh`
 * (GB_VARIANT_DERIVED) or in `run`, and brings home in `run` or `after`. Caches are emptied, clocks, power and memory
 * in use are looked at, and rests are taken by what is seen, on device 0 alone; joules of a case on several are not
 * measured. */
#ifndef GPUBENCH_EXT_DEVICES_H
#define GPUBENCH_EXT_DEVICES_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_DEVICES "gb.devices/1"

struct CUstream_st;

/* Host to plugin; frozen. `device` is from 0 to below `count`; another records a failure on the case and gives what
 * each slot says. Since 1.0. */
typedef struct gb_devices_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* How many the case has; 1 where its bench has no devices_axis. [plan, case] A case that asks for more than there are
   * is skipped before any callback sees it. The others are those that follow the case's own in the order of CUDA, and
   * after the last one the first; the run holds the lock of each. */
  uint32_t (*count)(gb_case *c);

  /* The facts of gb.device/1, of any of them: -1, and NULL, where one is not known. [plan, case] */
  int64_t (*i64)(gb_case *c, uint32_t device, const char *fact);
  const char *(*str)(gb_case *c, uint32_t device, const char *fact);

  /* A stream there, non-blocking; of device 0 the case's. [case] NULL where gb.cuda/1 gives none. The clock is the
   * case's stream: `run` makes the others wait for an event of it first, and it for an event of each of them at last.
   * Valid until `teardown` returns. Every callback leaves the case's own device current, as it found it: the host
   * looks, and fails a variant whose `run` does not. */
  struct CUstream_st *(*stream)(gb_case *c, uint32_t device);

  /* `bytes` of memory there, as gb.mem/1 `alloc` gives those of the case's own: each byte 0xFF, counted, freed by the
   * host or by gb.mem/1 `free`. [case, in setup and prepare] NULL, with a message, where there is not enough: return
   * GB_ENOMEM. */
  void *(*alloc)(gb_case *c, uint32_t device, uint64_t bytes);
} gb_devices_ext;

#ifdef __cplusplus
}
#endif
#endif
