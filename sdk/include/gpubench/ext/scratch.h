/* gb.scratch/1: a directory for files that a case needs while it exists. */
#ifndef GPUBENCH_EXT_SCRATCH_H
#define GPUBENCH_EXT_SCRATCH_H

#include "../gpubench.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GB_EXT_SCRATCH "gb.scratch/1"

/* The host gives this table to plugins; it is frozen. Since 1.0. */
typedef struct gb_scratch_ext {
  uint32_t struct_size;
  uint32_t reserved;

  /* Returns the absolute path of the case's directory: empty at first, mode 0700, the same for all callbacks of the
   * case. May be called while a case runs [case-thread], but not in `supports` and `run`, and in `release` and
   * `teardown` only if the directory was asked for before.
   * It lies in a directory of the process that runs the case, below `--scratch DIR` (default: $TMPDIR, else /tmp).
   * The host removes everything in it after `teardown`, or when the process has ended in any way; it removes links and
   * does not follow them.
   * The plugin need not remove anything; a later `prepare` finds what an earlier one left.
   * NULL if the directory could not be made: the reason is recorded on the case; return GB_EFAIL.
   * Valid until `teardown` returns. */
  const char *(*directory)(gb_case *c);

  /* Returns how many bytes this user may still write in the case's directory; 0 if that is not known. May be called
   * where `directory` may be called [case-thread].
   * Quotas are not checked.
   * Leave some of the space free, because other programs write to the same file system, too. */
  uint64_t (*free_bytes)(gb_case *c);
} gb_scratch_ext;

#ifdef __cplusplus
}
#endif
#endif
