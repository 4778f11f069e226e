/* Keeps a pool of other values for each input, and copies parts of the pool (windows) into the input. */
#include "case/input_pool.h"

#include "base/rng.h"
#include "case/calls.h"
#include "case/tensors.h"
#include "model/data/dtype.h"

enum { ALIGNMENT = 256, SHIFTS_LEAST = 4096 };

/* Returns true if the tensor gets a pool. On a device with a queue an input in pageable memory gets none, because the
 * device cannot write it. */
static bool has_pool(const struct gb_case *c, const struct tensor *t) {
  const bool writable = t->memory != MEMORY_HOST || c->device->ops->peek == NULL;
  return t->role == GB_IN && !tensor_is_given(t) && writable && t->extent > 0;
}

/* Returns the number of positions that a window can have. */
static uint64_t shifts_of(const struct tensor *t) {
  const uint64_t half = t->extent / 2;
  return half > SHIFTS_LEAST ? half : SHIFTS_LEAST;
}

/* Returns the bytes at the start of a pool's memory that hold the saved contents of the input; the values that windows
 * are taken from follow. */
static uint64_t kept_bytes(const struct tensor *t) {
  return (tensor_bytes(t) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint64_t pool_elements(const struct tensor *t) {
  return (t->extent + SHUFFLE_BLOCK - 1) / SHUFFLE_BLOCK * SHUFFLE_BLOCK + shifts_of(t);
}

static uint64_t pool_bytes(const struct tensor *t) {
  return kept_bytes(t) + pool_elements(t) * dtype_bytes(t->dtype);
}

static char *values_of(const struct tensor *t) {
  return (char *)t->pool + kept_bytes(t);
}

static bool pools_fit(struct gb_case *c) {
  const int64_t left = c->device->ops->memory_free(c->device);
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (has_pool(c, &c->tensors[i])) bytes += pool_bytes(&c->tensors[i]);
  if (c->memory_limit != 0 && bytes > c->memory_limit / 4) return false;
  return bytes > 0 && (left < 0 || bytes <= (uint64_t)left / 4);
}

static int fill_pool(struct gb_case *c, const struct tensor *t, uint64_t seed, struct err *err) {
  struct fill fill = t->fill;
  fill.seed = seed;
  return c->device->ops->fill(c->device, values_of(t), pool_elements(t), &fill, err);
}

int input_pool_open(struct gb_case *c, uint64_t seed, bool *there, struct err *err) {
  *there = pools_fit(c);
  for (uint32_t i = 0; i < c->tensor_count && *there; i++) {
    struct tensor *t = &c->tensors[i];
    if (!has_pool(c, t)) continue;
    t->pool = c->device->ops->alloc(c->device, tensor_beside(t), (size_t)pool_bytes(t));
    *there = t->pool != NULL;
    if (*there && fill_pool(c, t, seed, err) != 0) return -1;
  }
  if (!*there) input_pool_close(c);
  return call_sync(c, err);
}

void input_pool_close(struct gb_case *c) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    struct tensor *t = &c->tensors[i];
    if (t->pool != NULL) c->device->ops->free(c->device, tensor_beside(t), t->pool);
    t->pool = NULL;
  }
}

static int copy_pool_values(struct gb_case *c, void *to, const void *from, const struct tensor *t, struct err *err) {
  return c->device->ops->copy_async(c->device, to, from, (size_t)tensor_bytes(t), err);
}

/* Copies a window (a part of the pool) into the input. The position of the window and the order of its elements are
 * random and differ between inputs. */
static int show_one(struct gb_case *c, const struct tensor *t, struct err *err) {
  const uint64_t key = rng_key(c->shown.number, t->fill.stream), shift = rng_bits(key, 0) % shifts_of(t);
  const size_t size = dtype_bytes(t->dtype);
  const struct shuffle order = {(uint32_t)(rng_bits(key, 1) % SHUFFLE_BLOCK) | 1,
                                (uint32_t)(rng_bits(key, 2) % SHUFFLE_BLOCK)};
  return c->device->ops->shuffle(c->device, t->data, values_of(t) + shift * size, size, t->extent, order, err);
}

static int show_pools(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++)
    if (c->tensors[i].pool != NULL && show_one(c, &c->tensors[i], err) != 0) return -1;
  return 0;
}

static int keep_inputs(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->pool != NULL && copy_pool_values(c, t->pool, t->data, t, err) != 0) return -1;
  }
  c->shown.kept = true;
  c->shown.seed = c->seed;
  c->shown.whole = c->whole;
  return 0;
}

static int restore(struct gb_case *c, struct err *err) {
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->pool != NULL && copy_pool_values(c, t->data, t->pool, t, err) != 0) return -1;
  }
  return 0;
}

/* Writes the saved contents to the inputs. Windows are written by the same kernel, so the caches are in the same state
 * after both. */
static int show_kept(struct gb_case *c, struct err *err) {
  const struct shuffle as_it_lies = {1, 0};
  for (uint32_t i = 0; i < c->tensor_count; i++) {
    const struct tensor *t = &c->tensors[i];
    if (t->pool == NULL) continue;
    const size_t size = dtype_bytes(t->dtype);
    if (c->device->ops->shuffle(c->device, t->data, t->pool, size, t->extent, as_it_lies, err) != 0) return -1;
  }
  return 0;
}

int input_pool_show(struct gb_case *c, uint64_t number, struct err *err) {
  if (!c->shown.kept && keep_inputs(c, err) != 0) return -1;
  c->shown.number = number;
  c->seed = c->whole = number;
  return show_pools(c, err);
}

int input_pool_show_again(struct gb_case *c, struct err *err) {
  if (!c->shown.kept && keep_inputs(c, err) != 0) return -1;
  return c->shown.number != 0 ? show_pools(c, err) : show_kept(c, err);
}

int input_pool_put_back(struct gb_case *c, struct err *err) {
  if (!c->shown.kept) return 0;
  c->seed = c->shown.seed;
  c->whole = c->shown.whole;
  c->shown.kept = false;
  c->shown.number = 0;
  return restore(c, err);
}
