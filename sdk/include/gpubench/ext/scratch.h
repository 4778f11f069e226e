/* gb.scratch/1: a directory for files that a case needs while it is alive. */
#ifndef GPUBENCH_EXT_SCRATCH_H
#define GPUBENCH_EXT_SCRATCH_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_SCRATCH "gb.scratch/1"

/* Host to plugin; frozen. Since 1.0. */
typedef struct gb_scratch_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Absolute path of a directory that belongs to this case, whichever of its callbacks asks: empty when first asked
   * for, mode 0700, the same for every later call of the case. [case; not in supports, run, release and teardown; the
   * last two are given what was asked for before] It lies in a directory of the process that runs the case, below
   * `--scratch DIR` (default: $TMPDIR, else /tmp). Everything in it is removed after `teardown`, or when that process
   * is gone, however it went; links are removed, not followed. The plugin removes nothing, and a `prepare` that is
   * entered again finds what it left. NULL when it could not be made: a failure with the reason is recorded on the
   * case; return GB_EFAIL. Valid until `teardown` returns. */
  const char *(*directory)(gb_case *c);

  /* Bytes that this user may still write there; 0 when that is not known. [as above] Quotas are not looked at. Leave
   * room: others write too. */
  uint64_t (*free_bytes)(gb_case *c);
} gb_scratch_ext;

#ifdef __cplusplus
}
#endif
#endif
