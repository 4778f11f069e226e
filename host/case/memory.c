/* Allocations on the case's device, poisoned and counted. */
#include "case/memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "case/calls.h"
#include "case/guards.h"

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
  const uint64_t here =
      device_is(c->device, DEVICE_QUEUES) ? device_bytes : bytes; /* the CPU's own memory is the host's */
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

/* Each byte 0xFF; NULL where there is not so much. */
static void *take(struct gb_case *c, enum memory_kind kind, uint64_t bytes) {
  const struct device_ops *ops = c->device->ops;
  void *memory = bytes >> 50 ? NULL : ops->alloc(c->device, kind, (size_t)bytes);
  struct err err = {0};
  if (memory == NULL) return NULL;
  if (ops->set(c->device, memory, 0xFF, (size_t)bytes, &err) != 0 || ops->sync(c->device, &err) != 0)
    case_misuse(c, "%s", err.text);
  return memory;
}

void *case_alloc(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  if (over_limit(c, bytes, owner)) return NULL;
  void *memory = take(c, kind, bytes);
  if (memory != NULL)
    remember(c, (struct allocation){memory, kind, bytes, owner, false});
  else
    no_memory(c, bytes);
  return memory;
}

/* Takes over what was allocated with room for guards; returns what lies between them. */
static void *guard(struct gb_case *c, char *whole, enum memory_kind kind, uint64_t bytes, int owner) {
  struct err err = {0};
  remember(c, (struct allocation){whole + GUARD_LEAD, kind, bytes, owner, true});
  if (guards_write(c, &c->allocations[c->allocation_count - 1], &err) != 0) case_misuse(c, "%s", err.text);
  return whole + GUARD_LEAD;
}

void *case_alloc_guarded(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  if (over_limit(c, bytes, owner)) return NULL;
  char *whole = bytes >> 50 ? NULL : take(c, kind, bytes + GUARD_LEAD + GUARD_BYTES);
  if (whole != NULL) return guard(c, whole, kind, bytes, owner);
  no_memory(c, bytes);
  return NULL;
}

void *case_alloc_on(struct gb_case *c, uint32_t device, uint64_t bytes, int owner) {
  if (device == 0) return case_alloc_guarded(c, MEMORY_DEVICE, bytes, owner);
  if (over_limit(c, bytes, owner)) return NULL;
  const uint64_t whole_bytes = bytes + GUARD_LEAD + GUARD_BYTES;
  char *whole = bytes >> 50 ? NULL : c->device->ops->other_alloc(c->device, device - 1, (size_t)whole_bytes);
  if (whole != NULL) return guard(c, whole, MEMORY_DEVICE, bytes, owner);
  no_memory_on(c, device, bytes);
  return NULL;
}

static void free_at(struct gb_case *c, size_t index) {
  const struct allocation *allocation = &c->allocations[index];
  const size_t lead = allocation->guarded ? GUARD_LEAD : 0;
  if (allocation->memory != NULL) c->device->ops->free(c->device, allocation->kind, (char *)allocation->memory - lead);
  c->allocations[index] = c->allocations[--c->allocation_count];
}

bool case_claim(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  for (size_t i = c->allocation_count; i-- > 0;) {
    const struct allocation *old = &c->allocations[i];
    if (old->memory == NULL && old->kind == kind && old->owner == owner) free_at(c, i);
  }
  if (bytes >> 50) return no_memory(c, bytes), false;
  if (over_limit(c, bytes, owner)) return false;
  if (bytes > 0) remember(c, (struct allocation){NULL, kind, bytes, owner, false});
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
