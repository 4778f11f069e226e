/* Functions that glibc before 2.34 lacks, under the names that they have in later versions. Packages are built with an
 * old glibc, so that they run with any. */
#pragma once

#include <features.h>
#include <signal.h>
#include <unistd.h>

#if !__GLIBC_PREREQ(2, 34)
/* Closes all descriptors from `first` on. closefrom() may be called after fork(), because it takes no memory and no
 * locks. */
void closefrom(int first);
#endif

#if !__GLIBC_PREREQ(2, 32)
/* Returns the signal's name without SIG: "SEGV", ...; NULL if it has none. */
const char *sigabbrev_np(int number);
#endif
