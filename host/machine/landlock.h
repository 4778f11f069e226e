/* Landlock: what a process and all that it starts may do with files and with other processes, from then on. The
 * kernel's numbers stand in landlock.c, so that the headers of an older system do. */
#ifndef MACHINE_LANDLOCK_H
#define MACHINE_LANDLOCK_H

#include "base/err.h"

/* From this version on, other processes cannot be signalled. */
enum { LANDLOCK_SIGNALS = 6 };

/* The kernel's version; 0: it has none, or it is switched off. */
int landlock_version(void);

struct landlock_bounds {
  const char *own;    /* the only folder that can be written to; absolute, without links */
  const char *hidden; /* nothing within is readable, whether it exists yet or not; likewise; NULL: nothing is hidden */
  const char *proc;   /* "/proc", where the user is nobody else's, or the process's own folder there: CUDA cannot start
                         where   it cannot write what /proc has of its threads */
  const char *prefix; /* siblings of `own` whose names begin so are hidden too; NULL: none are */
};

/* For the calling thread and what it starts. Device files of GPUs, null and the like remain writable. No process
 * outside can be traced, or its memory read. What appears beside the hidden later is not readable either. */
int landlock_enter(const struct landlock_bounds *bounds, struct err *err);

#endif
