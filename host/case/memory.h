/* Memory of a case, by owner. */
#ifndef CASE_MEMORY_H
#define CASE_MEMORY_H

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

/* Is there so much for the bench, of which `device_bytes` on the device? False with "needs X, Y free" recorded. What
 * lies in one memory is asked for as a sum: each of its parts might fit alone. */
bool case_has_room(struct gb_case *c, uint64_t bytes, uint64_t device_bytes);

/* Memory for `owner`, poisoned; NULL with "needs X, Y free" recorded. */
void *case_alloc(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);

/* The same between guards: what plugins get. */
void *case_alloc_guarded(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);

/* The same of the case's devices: 0 is its own. */
void *case_alloc_on(struct gb_case *c, uint32_t device, uint64_t bytes, int owner);

/* What `owner` holds of a kind elsewhere, instead of what it said before; false with a message recorded where that is
 * more than the limit allows. */
bool case_claim(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);

void case_free(struct gb_case *c, void *memory);
void case_free_owned(struct gb_case *c, int owner);
void case_free_all(struct gb_case *c);
bool case_has_pinned(const struct gb_case *c); /* a device may reach for memory of the host's */
uint64_t case_owned_bytes(const struct gb_case *c, int owner);

#endif
