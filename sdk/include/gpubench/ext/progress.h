/* gb.progress/1: a long callback reports how far it is, so that the host does not consider it hung. */
#ifndef GPUBENCH_EXT_PROGRESS_H
#define GPUBENCH_EXT_PROGRESS_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_PROGRESS "gb.progress/1"

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_progress_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Reports that `done` of `total` steps of this callback are done. May be called in a bench's `setup` and `fill` and
   * in a variant's `prepare` [case-thread].
   * If `done` is greater than in all earlier calls in this callback, and not above `total`, the callback's time limit
   * (--timeout) starts again.
   * No callback gets more than 60 times --timeout, or more than half of the time left to its case.
   * The limit of the whole run (--max-time) does not move.
   * `step` takes little time, so a callback may call it often.
   * In any other callback it records a failure on the case, which fails the callback whatever it returns, and gives
   * GB_EINVAL. */
  gb_status (*step)(gb_case *c, uint64_t done, uint64_t total);
} gb_progress_ext;

#ifdef __cplusplus
}
#endif
#endif
