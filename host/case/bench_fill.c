/* The bench's `fill`. */
#include "case/bench_fill.h"

#include <stdio.h>
#include <string.h>

#include "case/tensors.h"
#include "model/dtype.h"
#include "model/fill.h"

bool bench_fills(const struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_given(&c->tensors[i])) return true;
  return false;
}

/* The same seed gives the same values: of the last two seeds that is looked at. */
static const char *changed(struct gb_case *c, uint64_t seed) {
  struct err err = {0};
  const bool known = c->sum_seeds[0] == seed || c->sum_seeds[1] == seed;
  const int place = c->sum_seeds[0] == seed ? 0 : 1;
  if (!known) {
    for (uint32_t i = 0; i < c->tensor_count; i++)
      c->tensors[i].sums[0] = c->tensors[i].sums[1];
    c->sum_seeds[0] = c->sum_seeds[1];
    c->sum_seeds[1] = seed;
  }
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    uint64_t sum = 0;
    if (!tensor_is_given(t)) continue;
    if (device_cpu_ops.checksum(c->device, t->values, (size_t)tensor_bytes(t), c->secret, &sum, &err) != 0)
      return t->name;
    if (known && sum != t->sums[place]) return t->name;
    t->sums[place] = sum;
  }
  return NULL;
}

void bench_fill(struct gb_case *c, uint64_t seed, struct outcome *outcome) {
  *outcome = (struct outcome){.kind = OUTCOME_OK};
  if (!bench_fills(c) || (c->values_known && c->values_seed == seed)) return;
  const uint64_t whole = c->whole;
  c->values_known = false;
  c->whole = seed;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (tensor_is_given(&c->tensors[i])) memset(c->tensors[i].values, 0, (size_t)tensor_bytes(&c->tensors[i]));
  call_begin(c, PHASE_FILL, OWNER_BENCH);
  call_end(c, c->bench->own.fill(c->bench->theirs, c, c->state), outcome);
  c->whole = whole;
  if (outcome->kind != OUTCOME_OK) return;
  const char *name = changed(c, seed);
  c->values_known = name == NULL;
  c->values_seed = seed;
  if (name == NULL) return;
  outcome->kind = OUTCOME_FAIL;
  snprintf(outcome->message, sizeof outcome->message, "'%s' has other values than before for the same seed", name);
}

bool bench_fill_write(struct gb_case *c, const char *name, uint64_t first, uint64_t count, const double *values) {
  struct tensor *t = tensor_find(c, name);
  if (t == NULL) return false;
  if (c->phase != PHASE_FILL)
    case_misuse(c, "gb.input/1 write is for fill, not %s", phase_name(c->phase));
  else if (!tensor_is_given(t))
    case_misuse(c, "gb.input/1 write: tensor '%s' is not GB_FILL_BENCH", t->name);
  else if (first > t->elements || count > t->elements - first)
    case_misuse(c, "tensor '%s' has %llu elements, given %llu from %llu", t->name, (unsigned long long)t->elements,
                (unsigned long long)count, (unsigned long long)first);
  else if (values == NULL && count > 0)
    case_misuse(c, "gb.input/1 write: values is NULL");
  else
    for (uint64_t i = 0; i < count; i++)
      fill_store(t->dtype, t->values, tensor_storage_index(t, first + i), values[i]);
  return !c->misused;
}
