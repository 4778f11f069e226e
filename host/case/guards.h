/* What plugins get of gb.mem lies between guards: a pattern that nobody is told. Writes next to an allocation change
 * it. */
#ifndef CASE_GUARDS_H
#define CASE_GUARDS_H

#include "case/case.h"

/* A guard is GUARD_BYTES long on each side. Before the first one lies what keeps the alignment of the device's own
 * allocations, 4096 bytes at most. */
enum { GUARD_BYTES = 256, GUARD_LEAD = 4096 };

/* A write beside an allocation. */
struct overrun {
  uint64_t changed; /* bytes of its guards; 0: none was found */
  int64_t first;    /* the first of them, from the allocation's first byte */
  uint64_t bytes;   /* that the allocation has */
  int owner;        /* whose it is: index of a variant, or OWNER_BENCH */
};

int guards_write(struct gb_case *c, const struct allocation *allocation, struct err *err);

/* Which guards are looked at: those that the host reads itself, or also those that take a copy from a device. */
enum guards_reach { GUARDS_NEAR, GUARDS_ALL };

/* Finds the first allocation whose guards have changed, and puts its pattern back. What is enqueued must be complete.
 */
int guards_look(struct gb_case *c, enum guards_reach reach, struct overrun *overrun, struct err *err);

#endif
