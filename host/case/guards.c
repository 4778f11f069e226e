/* Patterns around allocations. */
#include "case/guards.h"

#include <string.h>

#include "base/rng.h"

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

static bool is_near(const struct gb_case *c, const struct allocation *a) {
  return a->kind != MEMORY_DEVICE || device_is(c->device, DEVICE_HOST_MEMORY);
}

static int read_guards(struct gb_case *c, const struct allocation *a, unsigned char *found, struct err *err) {
  const char *before = (const char *)a->memory - GUARD_BYTES, *behind = (const char *)a->memory + a->bytes;
  const struct device_ops *ops = c->device->ops;
  if (is_near(c, a)) {
    memcpy(found, before, GUARD_BYTES);
    memcpy(found + GUARD_BYTES, behind, GUARD_BYTES);
    return 0;
  }
  if (ops->copy(c->device, found, before, GUARD_BYTES, err) != 0) return -1;
  return ops->copy(c->device, found + GUARD_BYTES, behind, GUARD_BYTES, err);
}

static void compare(const struct allocation *a, const unsigned char *found, const unsigned char *pattern,
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
    if (!a->guarded || (reach == GUARDS_NEAR && !is_near(c, a))) continue;
    pattern_of(c, a, pattern);
    if (read_guards(c, a, found, err) != 0) return -1;
    if (memcmp(found, pattern, sizeof found) == 0) continue;
    compare(a, found, pattern, overrun);
    return guards_write(c, a, err);
  }
  return 0;
}
