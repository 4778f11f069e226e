/* Functions that a glibc before 2.34 lacks, under their later names: packages are built with an old glibc, to run with
 * all. */
#pragma once

#include <features.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#if !__GLIBC_PREREQ(2, 34)
/* May be called after fork(): takes no memory and no locks. */
void closefrom(int first);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);
#endif

#if !__GLIBC_PREREQ(2, 32)
/* Returns "SEGV", ...; NULL if the signal has no name. */
const char *sigabbrev_np(int number);
#endif
