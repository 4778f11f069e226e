/* How much memory a process occupies. */
#ifndef RESIDENT_H
#define RESIDENT_H

#include <stdint.h>

/* Resident bytes of a process, 0 for this one; -1: not known. */
int64_t resident_bytes(int pid);

#endif
