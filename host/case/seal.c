/* Seals. */
#include "case/seal.h"

#include "case/draw.h"
#include "case/tensors.h"

static bool is_output(const struct tensor *t) {
  return t->role == GB_OUT || t->role == GB_INOUT;
}

static int sum(struct gb_case *c, const struct tensor *t, uint64_t *found, struct err *err) {
  return c->device->ops->checksum(c->device, t->data, (size_t)tensor_bytes(t), c->seal_key, found, err);
}

int seal_outputs(struct gb_case *c, struct err *err) {
  c->seal_key = case_draw(c);
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (is_output(&c->tensors[i]) && sum(c, &c->tensors[i], &c->tensors[i].seal, err) != 0) return -1;
  return 0;
}

int seal_check(struct gb_case *c, const char **broken, struct err *err) {
  *broken = NULL;
  for (uint32_t i = 0; i < c->tensor_count && *broken == NULL; i++) {
    const struct tensor *t = &c->tensors[i];
    uint64_t found = 0;
    if (!is_output(t)) continue;
    if (sum(c, t, &found, err) != 0) return -1;
    if (found != t->seal) *broken = t->name;
  }
  return 0;
}
