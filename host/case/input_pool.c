/* Windows of pools. */
#include "case/input_pool.h"

#include "base/rng.h"
#include "case/bench_fill.h"
#include "case/tensors.h"
#include "model/dtype.h"

enum { STEP_BYTES = 256, STEPS_LEAST = 64 };

/* A pool's memory: first what the input held, then the values of which windows are shown. */
static bool has_pool(const struct tensor *t) {
  return t->role == GB_IN && !tensor_is_given(t);
}

static uint64_t step_elements(const struct tensor *t) {
  return STEP_BYTES / dtype_bytes(t->dtype);
}

/* By so many steps a window can be moved. */
static uint64_t steps_of(const struct tensor *t) {
  const uint64_t half = t->extent / 2 / step_elements(t);
  return half > STEPS_LEAST ? half : STEPS_LEAST;
}

static uint64_t kept_bytes(const struct tensor *t) {
  return (tensor_bytes(t) + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
}

static uint64_t pool_elements(const struct tensor *t) {
  return t->extent + steps_of(t) * step_elements(t);
}

static uint64_t pool_bytes(const struct tensor *t) {
  return kept_bytes(t) + pool_elements(t) * dtype_bytes(t->dtype);
}

static char *values_of(const struct tensor *t) {
  return (char *)t->pool + kept_bytes(t);
}

static bool fits(struct gb_case *c) {
  const int64_t left = c->device->ops->memory_free(c->device);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_pool(&c->tensors[i])) bytes += pool_bytes(&c->tensors[i]);
  if (c->memory_limit != 0 && bytes > c->memory_limit / 4) return false;
  return bytes > 0 && (left < 0 || bytes <= (uint64_t)left / 4);
}

static int fill(struct gb_case *c, const struct tensor *t, uint64_t seed, struct err *err) {
  struct fill fill = t->fill;
  fill.seed = seed;
  return c->device->ops->fill(c->device, values_of(t), pool_elements(t), &fill, err);
}

int input_pool_open(struct gb_case *c, uint64_t seed, bool *there, struct err *err) {
  *there = fits(c);
  for (uint32_t i = 0; i < c->tensor_count && *there; i++) {
    struct tensor *t = &c->tensors[i];
    if (!has_pool(t)) continue;
    t->pool = c->device->ops->alloc(c->device, tensor_beside(t), (size_t)pool_bytes(t));
    *there = t->pool != NULL;
    if (*there && fill(c, t, seed, err) != 0) return -1;
  }
  if (!*there) input_pool_close(c);
  return c->device->ops->sync(c->device, err);
}

void input_pool_close(struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    if (t->pool != NULL) c->device->ops->free(c->device, tensor_beside(t), t->pool);
    t->pool = NULL;
  }
}

static int copy(struct gb_case *c, void *to, const void *from, const struct tensor *t, struct err *err) {
  return c->device->ops->copy_async(c->device, to, from, (size_t)tensor_bytes(t), err);
}

/* Each input's window is drawn for itself. */
static const char *window_of(const struct gb_case *c, const struct tensor *t) {
  const uint64_t step = rng_bits(rng_key(c->shown.number, t->fill.stream), 0) % steps_of(t);
  return values_of(t) + step * STEP_BYTES;
}

static int show(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->pool != NULL && copy(c, t->data, window_of(c, t), t, err) != 0) return -1;
  }
  return 0;
}

static int keep(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->pool != NULL && copy(c, t->pool, t->data, t, err) != 0) return -1;
  }
  c->shown.kept = true;
  c->shown.seed = c->seed;
  c->shown.whole = c->whole;
  return 0;
}

static int restore(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->pool != NULL && copy(c, t->data, t->pool, t, err) != 0) return -1;
  }
  return 0;
}

int input_pool_show(struct gb_case *c, uint64_t number, struct err *err) {
  if (!c->shown.kept && keep(c, err) != 0) return -1;
  c->shown.number = number;
  c->seed = c->whole = number;
  return show(c, err);
}

int input_pool_show_again(struct gb_case *c, struct err *err) {
  if (!c->shown.kept && keep(c, err) != 0) return -1;
  return c->shown.number != 0 ? show(c, err) : restore(c, err);
}

int input_pool_put_back(struct gb_case *c, struct err *err) {
  if (!c->shown.kept) return 0;
  c->seed = c->shown.seed;
  c->whole = c->shown.whole;
  c->shown.kept = false;
  c->shown.number = 0;
  return restore(c, err);
}
