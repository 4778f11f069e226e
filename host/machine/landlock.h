/* Landlock: permanently restricts a process and all that it starts in its access to files and other processes. The
 * kernel's constants are in landlock.c, so that it compiles with the headers of older systems. */
#pragma once

#include "base/err.h"

/* The first version that can prevent signals to other processes. */
enum { LANDLOCK_SIGNALS = 6 };

/* Returns the kernel's version; 0: it has none, or it is disabled. */
int landlock_version(void);

struct landlock_bounds {
  const char *own;    /* the only writable folder; absolute, without links */
  const char *hidden; /* nothing in this folder is readable, whether it exists yet or not; NULL: nothing is hidden */
  const char *proc;   /* "/proc" if no other process has its user, else its own folder there: CUDA writes to it */
  const char *prefix; /* siblings of `own` with this prefix are hidden as well; NULL: none */
};

/* Restricts the calling thread and what it starts. GPU devices, /dev/null and the like remain writable. Processes
 * outside cannot be traced, and their memory cannot be read. Files that appear later next to hidden ones are not
 * readable either. */
int landlock_enter(const struct landlock_bounds *bounds, struct err *err);
