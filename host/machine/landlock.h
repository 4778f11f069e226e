/* Landlock: permanently restricts the access of a process, and of all that it starts, to files and other processes. The
 * kernel's constants are in landlock.c, so that it compiles with the headers of older systems. */
#pragma once

#include "base/err.h"

/* The first Landlock version that can prevent signals to other processes. */
enum { LANDLOCK_SIGNALS = 6 };

/* Returns the version of the kernel's Landlock; 0: the kernel has none, or it is disabled. */
int landlock_version(void);

struct landlock_bounds {
  const char *own;    /* the only writable folder; absolute, without links */
  const char *hidden; /* nothing in this folder is readable, whether it exists yet or not; NULL: nothing is hidden */
  /* the folder of /proc that is accessible: "/proc" if no other process has the same user, else the process's own
   * folder there. CUDA writes to the process's own folder */
  const char *proc;
  const char *prefix; /* siblings of `own` with this prefix are hidden as well; NULL: none */
};

/* Restricts the calling thread and what it starts. GPU devices, /dev/null and similar ones remain writable. The thread
 * cannot trace processes outside or read their memory. Files that appear later next to hidden ones are not readable
 * either. */
int landlock_enter(const struct landlock_bounds *bounds, struct err *err);
