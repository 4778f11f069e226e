/* gb.progress/1: work that takes long says that it goes on, and is not taken for a hang. */
#ifndef GPUBENCH_EXT_PROGRESS_H
#define GPUBENCH_EXT_PROGRESS_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_PROGRESS "gb.progress/1"

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_progress_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* So many of `total` steps of this callback are done. [case, in a bench's setup and fill, in a variant's prepare; on
   * the callback's thread] --timeout counts from the last call with a greater `done` than all before in this callback,
   * not above `total`, but no callback has more than 60 times --timeout, or half of what is left to its case; the time
   * of the whole run (--max-time) is as long as it was. Cheap. Elsewhere it records a failure on the case, which fails
   * the callback whatever it returns, and gives GB_EINVAL. */
  gb_status (*step)(gb_case *c, uint64_t done, uint64_t total);
} gb_progress_ext;

#ifdef __cplusplus
}
#endif
#endif
