/* Looks at both ends of each output. */
#include "case/early_write.h"

#include <string.h>

#include "case/contents.h"
#include "case/tensors.h"

enum { PEEK_BYTES = 64 };

static bool poisoned(const unsigned char *bytes, size_t count, unsigned char poison) {
  for (size_t i = 0; i < count; i++)
    if (bytes[i] != poison) return false;
  return true;
}

/* Both ends: where kernels begin, and where the last block's work goes. */
static int ends_poisoned(struct gb_case *c, const struct tensor *t, bool *intact, struct err *err) {
  unsigned char bytes[2 * PEEK_BYTES];
  uint64_t size = tensor_bytes(t);
  size_t count = size < PEEK_BYTES ? (size_t)size : PEEK_BYTES;
  const unsigned char *data = t->data;
  *intact = true;
  if (count == 0) return 0;
  if (c->device->ops->peek(c->device, bytes, data, count, err) != 0) return -1;
  if (c->device->ops->peek(c->device, bytes + count, data + size - count, count, err) != 0) return -1;
  *intact = poisoned(bytes, 2 * count, tensor_poison_byte(c, t));
  return 0;
}

const char *early_write_output(struct gb_case *c, struct err *err) {
  if (c->device->ops->peek == NULL) return NULL;
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    bool intact;
    if (c->tensors[i].role != GB_OUT) continue;
    if (ends_poisoned(c, &c->tensors[i], &intact, err) != 0) return NULL;
    if (!intact) return c->tensors[i].name;
  }
  return NULL;
}
