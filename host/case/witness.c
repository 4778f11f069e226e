/* Witnesses. */
#include "case/witness.h"

#include <string.h>

#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/memory.h"
#include "case/tensors.h"
#include "model/dtype.h"

/* Of 256 drawn at random one is not written yet, as good as surely, where 2% of all are not. */
enum { COUNT = 256, ELEMENT_BYTES = 8, VALUES = COUNT * ELEMENT_BYTES };

/* As it lies in memory beside the tensor. */
struct witness {
  uint64_t places[COUNT]; /* elements of storage */
  unsigned char then[VALUES], now[VALUES];
};

/* The last one is the likeliest to come late. */
static uint64_t element_of(const struct gb_case *c, const struct tensor *t, uint32_t number) {
  if (number < 2) return number == 0 ? t->elements - 1 : 0;
  return rng_bits(rng_key(c->secret, t->fill.stream), number) % t->elements;
}

static bool is_seen(const struct gb_case *c, const struct tensor *t) {
  const bool output = t->role == GB_OUT || t->role == GB_INOUT;
  return output && t->elements > 0 && (t->memory != MEMORY_HOST || c->device->ops->peek == NULL);
}

static bool open_one(struct gb_case *c, struct tensor *t) {
  uint64_t places[COUNT];
  struct err err = {0};
  t->witness = case_alloc(c, tensor_beside(t), sizeof *t->witness, OWNER_BENCH);
  if (t->witness == NULL) return false;
  for (uint32_t i = 0; i < COUNT; i++)
    places[i] = tensor_storage_index(t, element_of(c, t, i));
  if (c->device->ops->copy(c->device, t->witness->places, places, sizeof places, &err) != 0)
    case_misuse(c, "%s", err.text);
  return true;
}

bool witness_open(struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (is_seen(c, &c->tensors[i]) && !open_one(c, &c->tensors[i])) return false;
  return true;
}

static int gather(struct gb_case *c, const struct tensor *t, unsigned char *to, struct err *err) {
  const size_t size = dtype_bytes(t->dtype);
  return c->device->ops->gather(c->device, to, t->data, size, t->extent, t->witness->places, COUNT, err);
}

int witness_take(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].witness != NULL && gather(c, &c->tensors[i], c->tensors[i].witness->then, err) != 0) return -1;
  return 0;
}

/* What is poison was not written, even if it still is not; an integer may have it by right. */
static bool is_late(const struct gb_case *c, const struct tensor *t, const unsigned char *then,
                    const unsigned char *now) {
  const size_t size = dtype_bytes(t->dtype);
  const unsigned char byte = tensor_poison_byte(c, t);
  size_t poisoned = 0;
  if (memcmp(then, now, size) != 0) return true;
  while (poisoned < size && then[poisoned] == byte)
    poisoned++;
  return t->role == GB_OUT && !tensor_is_integer(t) && poisoned == size;
}

static int look(struct gb_case *c, const struct tensor *t, const char **late, uint64_t *element, struct err *err) {
  unsigned char values[2 * VALUES];
  const size_t size = dtype_bytes(t->dtype);
  if (gather(c, t, t->witness->now, err) != 0) return -1;
  if (c->device->ops->copy(c->device, values, t->witness->then, sizeof values, err) != 0) return -1;
  for (uint32_t i = 0; i < COUNT && *late == NULL; i++) {
    if (!is_late(c, t, values + i * size, values + VALUES + i * size)) continue;
    *late = t->name;
    *element = element_of(c, t, i);
  }
  return 0;
}

int witness_look(struct gb_case *c, const char **late, uint64_t *element, struct err *err) {
  *late = NULL;
  for (uint32_t i = 0; i < c->tensor_count && *late == NULL; i++)
    if (c->tensors[i].witness != NULL && look(c, &c->tensors[i], late, element, err) != 0) return -1;
  return 0;
}
