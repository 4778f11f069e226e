/* Allocates memory on the case's device for the bench and the variants, writes guards around it, and counts it. */
#include "case/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/fence.h"

/* ---- Patterns around allocations ---- */

static void pattern_of(const struct gb_case *c, const struct allocation *a, unsigned char *pattern) {
  const uint64_t key = rng_key(c->secret, (uintptr_t)a->memory);
  for (size_t i = 0; i < 2 * GUARD_BYTES / sizeof key; i++) {
    const uint64_t bits = rng_bits(key, i);
    memcpy(pattern + i * sizeof bits, &bits, sizeof bits);
  }
}

int guards_write(struct gb_case *c, const struct allocation *a, struct err *err) {
  unsigned char pattern[2 * GUARD_BYTES];
  const struct device_ops *ops = c->device->ops;
  pattern_of(c, a, pattern);
  if (ops->copy(c->device, (char *)a->memory - GUARD_BYTES, pattern, GUARD_BYTES, err) != 0) return -1;
  return ops->copy(c->device, (char *)a->memory + a->bytes, pattern + GUARD_BYTES, GUARD_BYTES, err);
}

static bool is_host_readable(const struct gb_case *c, const struct allocation *a) {
  return a->kind != MEMORY_DEVICE || device_is(c->device, DEVICE_HOST_MEMORY);
}

static int read_guards(struct gb_case *c, const struct allocation *a, unsigned char *found, struct err *err) {
  const char *before = (const char *)a->memory - GUARD_BYTES, *behind = (const char *)a->memory + a->bytes;
  const struct device_ops *ops = c->device->ops;
  if (is_host_readable(c, a)) {
    memcpy(found, before, GUARD_BYTES);
    memcpy(found + GUARD_BYTES, behind, GUARD_BYTES);
    return 0;
  }
  if (ops->copy(c->device, found, before, GUARD_BYTES, err) != 0) return -1;
  return ops->copy(c->device, found + GUARD_BYTES, behind, GUARD_BYTES, err);
}

static void compare_guards(const struct allocation *a, const unsigned char *found, const unsigned char *pattern,
                           struct overrun *overrun) {
  *overrun = (struct overrun){.bytes = a->bytes, .owner = a->owner};
  for (int i = 0; i < 2 * GUARD_BYTES; i++) {
    if (found[i] == pattern[i] || overrun->changed++ > 0) continue;
    overrun->first = i < GUARD_BYTES ? i - GUARD_BYTES : (int64_t)a->bytes + i - GUARD_BYTES;
  }
}

int guards_look(struct gb_case *c, enum guards_reach reach, struct overrun *overrun, struct err *err) {
  unsigned char found[2 * GUARD_BYTES], pattern[2 * GUARD_BYTES];
  *overrun = (struct overrun){0};
  for (size_t i = 0; i < c->allocation_count; i++) {
    const struct allocation *a = &c->allocations[i];
    if (!a->guarded || (reach == GUARDS_NEAR && !is_host_readable(c, a))) continue;
    pattern_of(c, a, pattern);
    if (read_guards(c, a, found, err) != 0) return -1;
    if (memcmp(found, pattern, sizeof found) == 0) continue;
    compare_guards(a, found, pattern, overrun);
    return guards_write(c, a, err);
  }
  return 0;
}

static void no_memory(struct gb_case *c, uint64_t bytes) {
  char needs[32], has[32], text[128];
  text_bytes(needs, sizeof needs, (double)bytes);
  int64_t available = c->device->ops->memory_free(c->device);
  text_bytes(has, sizeof has, (double)available);
  if (available < 0)
    snprintf(text, sizeof text, "needs %s, more than the device has", needs);
  else
    snprintf(text, sizeof text, "needs %s, %s free", needs, has);
  case_message(c, text);
}

static void no_memory_on(struct gb_case *c, uint32_t device, uint64_t bytes) {
  char needs[32], text[128 + TEXT_SIZE];
  text_bytes(needs, sizeof needs, (double)bytes);
  snprintf(text, sizeof text, "needs %s, more than %s has", needs, c->device->others[device - 1].spec);
  case_message(c, text);
}

static bool over_limit(struct gb_case *c, uint64_t bytes, int owner) {
  char needs[32], allows[32], text[128];
  uint64_t holds = case_owned_bytes(c, OWNER_BENCH) + (owner == OWNER_BENCH ? 0 : case_owned_bytes(c, owner));
  if (c->memory_limit == 0 || (bytes <= c->memory_limit && holds <= c->memory_limit - bytes)) return false;
  text_bytes(needs, sizeof needs, (double)holds + (double)bytes);
  text_bytes(allows, sizeof allows, (double)c->memory_limit);
  snprintf(text, sizeof text, "needs %s, --memory-limit allows %s", needs, allows);
  case_message(c, text);
  return true;
}

bool case_has_room(struct gb_case *c, uint64_t bytes, uint64_t device_bytes) {
  /* a device without queues shares the host's memory */
  const uint64_t here = device_is(c->device, DEVICE_QUEUES) ? device_bytes : bytes;
  const int64_t left = c->device->ops->memory_free(c->device);
  if (over_limit(c, bytes, OWNER_BENCH)) return false;
  if (left < 0 || here <= (uint64_t)left) return true;
  no_memory(c, here);
  return false;
}

static void remember(struct gb_case *c, struct allocation allocation) {
  c->allocations = xrealloc(c->allocations, c->allocation_count + 1, sizeof *c->allocations);
  c->allocations[c->allocation_count++] = allocation;
}

static bool has_free_memory(const struct gb_case *c, uint64_t bytes) {
  const int64_t left = c->device->ops->memory_free(c->device);
  return left < 0 || bytes <= (uint64_t)left;
}

/* Allocates memory with each byte 0xFF; NULL: not enough. With `fenced`, it lies between fences if the case has them
 * and there is address space; `allocation` is told. */
static void *take_memory(struct gb_case *c, bool fenced, uint64_t bytes, struct allocation *allocation) {
  const struct device_ops *ops = c->device->ops;
  struct err err = {0};
  if (bytes >> 50) return NULL;
  if (fenced && c->fence != FENCE_NONE && has_free_memory(c, bytes))
    allocation->pages = fence_map(bytes, &allocation->page_bytes);
  void *memory = allocation->pages != NULL ? allocation->pages : ops->alloc(c->device, allocation->kind, (size_t)bytes);
  if (memory == NULL) return NULL;
  if (ops->set(c->device, memory, 0xFF, (size_t)bytes, &err) != 0 || ops->sync(c->device, &err) != 0)
    case_misuse(c, "%s", err.text);
  return memory;
}

static void *alloc_plain(struct gb_case *c, bool fenced, enum memory_kind kind, uint64_t bytes, int owner) {
  struct allocation allocation = {.kind = kind, .bytes = bytes, .owner = owner};
  if (over_limit(c, bytes, owner)) return NULL;
  allocation.memory = take_memory(c, fenced, bytes, &allocation);
  if (allocation.memory != NULL)
    remember(c, allocation);
  else
    no_memory(c, bytes);
  return allocation.memory;
}

void *case_alloc(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  return alloc_plain(c, false, kind, bytes, owner);
}

void *case_alloc_fenced(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner, uint64_t *page_bytes) {
  void *memory = alloc_plain(c, true, kind, bytes, owner);
  *page_bytes = memory != NULL ? c->allocations[c->allocation_count - 1].page_bytes : 0;
  return memory;
}

/* Records an allocation that has room for guards, and writes them; returns the address between them. */
static void *guard_allocation(struct gb_case *c, char *whole, struct allocation allocation) {
  struct err err = {0};
  allocation.memory = whole + GUARD_LEAD;
  allocation.guarded = true;
  remember(c, allocation);
  if (guards_write(c, &c->allocations[c->allocation_count - 1], &err) != 0) case_misuse(c, "%s", err.text);
  return whole + GUARD_LEAD;
}

void *case_alloc_guarded(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  struct allocation allocation = {.kind = kind, .bytes = bytes, .owner = owner};
  if (over_limit(c, bytes, owner)) return NULL;
  char *whole = bytes >> 50 ? NULL : take_memory(c, true, bytes + GUARD_LEAD + GUARD_BYTES, &allocation);
  if (whole != NULL) return guard_allocation(c, whole, allocation);
  no_memory(c, bytes);
  return NULL;
}

void *case_alloc_on(struct gb_case *c, uint32_t device, uint64_t bytes, int owner) {
  if (device == 0) return case_alloc_guarded(c, MEMORY_DEVICE, bytes, owner);
  if (over_limit(c, bytes, owner)) return NULL;
  const uint64_t whole_bytes = bytes + GUARD_LEAD + GUARD_BYTES;
  char *whole = bytes >> 50 ? NULL : c->device->ops->other_alloc(c->device, device - 1, (size_t)whole_bytes);
  const struct allocation allocation = {.kind = MEMORY_DEVICE, .bytes = bytes, .owner = owner};
  if (whole != NULL) return guard_allocation(c, whole, allocation);
  no_memory_on(c, device, bytes);
  return NULL;
}

static void free_at(struct gb_case *c, size_t index) {
  const struct allocation *allocation = &c->allocations[index];
  const size_t lead = allocation->guarded ? GUARD_LEAD : 0;
  if (allocation->pages != NULL)
    fence_unmap(allocation->pages, allocation->page_bytes);
  else if (allocation->memory != NULL)
    c->device->ops->free(c->device, allocation->kind, (char *)allocation->memory - lead);
  c->allocations[index] = c->allocations[--c->allocation_count];
}

bool case_claim(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  for (size_t i = c->allocation_count; i-- > 0;) {
    const struct allocation *old = &c->allocations[i];
    if (old->memory == NULL && old->kind == kind && old->owner == owner) free_at(c, i);
  }
  if (bytes >> 50) return no_memory(c, bytes), false;
  if (over_limit(c, bytes, owner)) return false;
  if (bytes > 0) remember(c, (struct allocation){.kind = kind, .bytes = bytes, .owner = owner});
  return true;
}

void case_free(struct gb_case *c, void *memory) {
  if (!case_is(c, "gb.mem/1 free")) return;
  if (c->phase == PHASE_RUN || c->phase == PHASE_BEFORE) {
    case_misuse(c, "gb.mem/1 free is not for %s", phase_name(c->phase));
    return;
  }
  for (size_t i = 0; memory != NULL && i < c->allocation_count; i++)
    if (c->allocations[i].memory == memory) {
      free_at(c, i);
      return;
    }
  if (memory != NULL) case_misuse(c, "gb.mem/1 free: %p was not allocated here", memory);
}

void case_free_owned(struct gb_case *c, int owner) {
  for (size_t i = c->allocation_count; i-- > 0;)
    if (c->allocations[i].owner == owner) free_at(c, i);
}

void case_free_all(struct gb_case *c) {
  while (c->allocation_count > 0)
    free_at(c, c->allocation_count - 1);
  free(c->allocations);
  c->allocations = NULL;
}

bool case_has_pinned(const struct gb_case *c) {
  for (size_t i = 0; i < c->allocation_count; i++)
    if (c->allocations[i].kind == MEMORY_PINNED) return true;
  return false;
}

uint64_t case_owned_bytes(const struct gb_case *c, int owner) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < c->allocation_count; i++)
    if (c->allocations[i].owner == owner) bytes += c->allocations[i].bytes;
  return bytes;
}

uint64_t case_fenced_bytes(const struct gb_case *c, int owner) {
  uint64_t bytes = 0;
  for (size_t i = 0; i < c->allocation_count; i++)
    if (c->allocations[i].owner == owner && c->allocations[i].pages != NULL) bytes += c->allocations[i].bytes;
  return bytes;
}
