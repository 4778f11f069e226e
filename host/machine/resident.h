/* How much memory a process occupies. */
#ifndef MACHINE_RESIDENT_H
#define MACHINE_RESIDENT_H

#include <stdint.h>

/* Resident bytes of a process, 0 for this one; -1: not known. */
int64_t resident_bytes(int pid);

/* What malloc() has given out in this process and not been given back. Where a malloc of another kind is in its place,
 * as a sanitizer's, always the same. */
int64_t resident_heap(void);

#endif
