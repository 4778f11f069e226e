/* Landlock: permanently restricts the access of a process, and of all that it starts, to files and other processes. The
 * kernel's constants are in landlock.c, so that it compiles with the headers of older systems. */
#pragma once

#include "base/err.h"

/* The first Landlock version that can prevent signals to other processes. */
enum { LANDLOCK_SIGNALS = 6 };

/* Returns the version of the kernel's Landlock; 0: the kernel has none, or it is disabled. */
int landlock_version(void);

struct landlock_bounds {
  const char *own; /* the only writable folder; absolute, without links */
  /* a folder in which nothing is readable, even if it is created later; NULL: nothing is hidden */
  const char *hidden;
  /* which part of /proc is accessible: "/proc" if no other process has the same user, otherwise only the process's own
   * folder, to which CUDA writes */
  const char *proc;
  /* folders next to `own` whose names begin with this are hidden as well; NULL: none */
  const char *prefix;
};

/* Restricts the calling thread and the processes that it starts. GPU devices, /dev/null and similar devices remain
 * writable. The thread cannot trace processes outside or read their memory. A file that is created later in a folder
 * that also holds hidden files is not readable either. */
int landlock_enter(const struct landlock_bounds *bounds, struct err *err);
