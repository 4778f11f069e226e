/* The memory of a case. Each allocation has an owner: a variant, or the bench. */
#pragma once

#include "case/case.h"

/* The guard around an allocation has GUARD_BYTES on each side. GUARD_LEAD bytes are allocated before the plugin's part,
 * so that it has the alignment of the device's own allocations, which is at most 4096 bytes. */
enum { GUARD_BYTES = 256, GUARD_LEAD = 4096 };

/* A write outside an allocation. */
struct overrun {
  uint64_t changed; /* bytes of the allocation's guards that changed; 0: none was found */
  int64_t first;    /* the first changed byte, relative to the allocation's first byte */
  uint64_t bytes;   /* size of the allocation */
  int owner;        /* index of a variant, or OWNER_BENCH */
};

int guards_write(struct gb_case *c, const struct allocation *allocation, struct err *err);

/* Which guards are checked: only those that the host can read directly, or also those that are copied from a device. */
enum guards_reach { GUARDS_NEAR, GUARDS_ALL };

/* Finds the first allocation whose guards have changed, and writes these guards again. Enqueued work must be
 * complete. */
int guards_look(struct gb_case *c, enum guards_reach reach, struct overrun *overrun, struct err *err);

/* Returns true if `bytes` are available for the bench, `device_bytes` of them on the device. Otherwise records the
 * message "needs X, Y free" and returns false. Call it once with the sum of all memory that will be allocated, because
 * each part alone might fit although the sum does not. */
bool case_has_room(struct gb_case *c, uint64_t bytes, uint64_t device_bytes);

/* Returns memory for `owner`, in which each byte is 0xFF. If there is too little, records the message "needs X, Y free"
 * and returns NULL. */
void *case_alloc(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);

/* Returns memory as case_alloc() does. If the case has fences, the memory lies between two of them, at the beginning of
 * `*page_bytes` bytes that can be accessed; 0: there are no fences. */
void *case_alloc_fenced(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner, uint64_t *page_bytes);

/* Returns memory as case_alloc() does, but with guards around it, and between fences if the case has them. Plugins get
 * such memory. */
void *case_alloc_guarded(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);

/* Returns guarded memory on one of the case's devices; device 0 is the case's own. */
void *case_alloc_on(struct gb_case *c, uint32_t device, uint64_t bytes, int owner);

/* Counts `bytes` that `owner` says it has allocated without the host. Replaces the figure that the owner gave before
 * for this kind of memory. If that is more than the limit allows, records a message and returns false. */
bool case_claim(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner);

void case_free(struct gb_case *c, void *memory);
void case_free_owned(struct gb_case *c, int owner);
void case_free_all(struct gb_case *c);
bool case_has_pinned(const struct gb_case *c); /* true if some memory is pinned host memory */
uint64_t case_owned_bytes(const struct gb_case *c, int owner);
uint64_t case_fenced_bytes(const struct gb_case *c, int owner); /* the part of them that lies between fences */
