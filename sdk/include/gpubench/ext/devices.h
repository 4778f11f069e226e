/* gb.devices/1: the devices of a case that works on several devices of one backend, in one process. The value of the
 * bench's `devices_axis` is their number. Device 0 is the case's own: gb.device/1, gb.mem/1, gb.cuda/1 and gb.tensor/1
 * refer to device 0, so that all tensors are in its memory. A variant copies what other devices need to them in
 * `prepare` and `refresh` (GB_VARIANT_DERIVED) or in `run`, and copies results back in `run` or `after`. On device 0
 * only, the host empties caches, watches clocks, power and memory use, and notices that a pause to cool down is due. It
 * does not measure the joules of a case on several devices. */
#ifndef GPUBENCH_EXT_DEVICES_H
#define GPUBENCH_EXT_DEVICES_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_DEVICES "gb.devices/1"

struct CUstream_st;

/* The host gives this table to plugins; it is frozen. The argument `device` is from 0 to `count` - 1; any other number
 * records a failure on the case and gives -1 or NULL. Since 1.0. */
typedef struct gb_devices_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns the number of devices of the case; 1 if its bench has no devices_axis. May be called while cases are chosen
   * or run [plan-thread, case-thread].
   * A case that asks for more devices than there are is skipped before any callback sees it.
   * Device 1 is the one after device 0 in CUDA's order, and so on; after CUDA's last device comes its first.
   * The run locks all of these devices, so that no other run of gpubench measures on them at the same time. */
  uint32_t (*count)(gb_case *c);

  /* Return a fact of gb.device/1 about any of the devices; -1 or NULL if it is not known. May be called while cases are
   * chosen or run [plan-thread, case-thread]. */
  int64_t (*i64)(gb_case *c, uint32_t device, const char *fact);
  const char *(*str)(gb_case *c, uint32_t device, const char *fact);

  /* Returns a non-blocking stream on a device; for device 0 the case's stream. May be called while a case runs
   * [case-thread].
   * NULL if gb.cuda/1 gives no stream. Valid until `teardown` returns.
   * The host times the work on the case's stream only.
   * Therefore `run` must first make every other stream wait for an event of the case's stream, and in the end make the
   * case's stream wait for an event of each other stream.
   * Every callback must return with the case's own device current: the host checks this, and fails a variant whose
   * `run` does not. */
  struct CUstream_st *(*stream)(gb_case *c, uint32_t device);

  /* Allocates `bytes` of memory on a device. May be called in `setup` and `prepare` [case-thread].
   * As with gb.mem/1 `alloc`, each byte is 0xFF, and the memory is counted and freed by the host, or earlier by
   * gb.mem/1 `free`.
   * If there is not enough, the result is NULL with a recorded message: return GB_ENOMEM. */
  void *(*alloc)(gb_case *c, uint32_t device, uint64_t bytes);
} gb_devices_ext;

#ifdef __cplusplus
}
#endif
#endif
