/* Allocations on the case's device, poisoned and counted. */
#include "case/memory.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "case/calls.h"

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

static void remember(struct gb_case *c, struct allocation allocation) {
  c->allocations = xrealloc(c->allocations, c->allocation_count + 1, sizeof *c->allocations);
  c->allocations[c->allocation_count++] = allocation;
}

void *case_alloc(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  if (over_limit(c, bytes, owner)) return NULL;
  void *memory = bytes >> 50 ? NULL : c->device->ops->alloc(c->device, kind, (size_t)bytes);
  struct err err = {0};
  if (memory == NULL) {
    no_memory(c, bytes);
    return NULL;
  }
  const struct device_ops *ops = c->device->ops;
  if (ops->set(c->device, memory, 0xFF, (size_t)bytes, &err) != 0 || ops->sync(c->device, &err) != 0)
    case_misuse(c, "%s", err.text);
  remember(c, (struct allocation){memory, kind, bytes, owner});
  return memory;
}

void *case_alloc_on(struct gb_case *c, uint32_t device, uint64_t bytes, int owner) {
  if (device == 0) return case_alloc(c, MEMORY_DEVICE, bytes, owner);
  if (over_limit(c, bytes, owner)) return NULL;
  void *memory = bytes >> 50 ? NULL : c->device->ops->other_alloc(c->device, device - 1, (size_t)bytes);
  if (memory != NULL)
    remember(c, (struct allocation){memory, MEMORY_DEVICE, bytes, owner});
  else
    no_memory_on(c, device, bytes);
  return memory;
}

static void free_at(struct gb_case *c, size_t index) {
  const struct allocation *allocation = &c->allocations[index];
  if (allocation->memory != NULL) c->device->ops->free(c->device, allocation->kind, allocation->memory);
  c->allocations[index] = c->allocations[--c->allocation_count];
}

bool case_claim(struct gb_case *c, enum memory_kind kind, uint64_t bytes, int owner) {
  for (size_t i = c->allocation_count; i-- > 0;) {
    const struct allocation *old = &c->allocations[i];
    if (old->memory == NULL && old->kind == kind && old->owner == owner) free_at(c, i);
  }
  if (bytes >> 50) return no_memory(c, bytes), false;
  if (over_limit(c, bytes, owner)) return false;
  if (bytes > 0) remember(c, (struct allocation){NULL, kind, bytes, owner});
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
