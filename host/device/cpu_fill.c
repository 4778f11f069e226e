/* Filling. */
#include "device/cpu_fill.h"

#include <pthread.h>

#include "model/dtype.h"

enum { THREADS_MAX = 64, ALONE_MOST = 1 << 20 };

struct fill_part {
  pthread_t thread;
  bool started;
  void *memory;
  uint64_t from, to;
  struct fill fill;
};

#define KNOWN static inline __attribute__((always_inline))

/* Type and kind are constants where these are inlined with all that they call, and little is left of that. */
KNOWN void fill_of_kind(const struct fill_part *part, uint32_t dtype, uint32_t kind) {
  struct fill fill = part->fill;
  fill.dtype = dtype;
  fill.kind = kind;
  const uint64_t key = rng_key(fill.seed, fill.stream);
  for (uint64_t i = part->from; i < part->to; i++)
    fill_put(dtype, part->memory, i, fill_element(&fill, key, i));
}

KNOWN void fill_of_type(const struct fill_part *part, uint32_t dtype) {
  if (part->fill.kind == GB_FILL_NORMAL)
    fill_of_kind(part, dtype, GB_FILL_NORMAL);
  else
    fill_of_kind(part, dtype, GB_FILL_UNIFORM);
}

static __attribute__((flatten)) void *fill_part(void *argument) {
  const struct fill_part *part = (const struct fill_part *)argument;
  switch (part->fill.dtype) {
    case GB_DTYPE_F64:
      fill_of_type(part, GB_DTYPE_F64);
      break;
    case GB_DTYPE_F32:
      fill_of_type(part, GB_DTYPE_F32);
      break;
    case GB_DTYPE_F16:
      fill_of_type(part, GB_DTYPE_F16);
      break;
    case GB_DTYPE_BF16:
      fill_of_type(part, GB_DTYPE_BF16);
      break;
    default:
      fill_of_kind(part, part->fill.dtype, part->fill.kind);
  }
  return NULL;
}

/* A part whose thread cannot be started is filled by the caller. */
int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err) {
  struct fill_part parts[THREADS_MAX];
  if (dtype_bytes(fill->dtype) == 0) return err_set(err, EXIT_FAILED, "fill: dtype %u is unknown", fill->dtype);
  uint64_t count = device->facts.threads > 1 && elements > ALONE_MOST ? (uint64_t)device->facts.threads : 1;
  if (count > THREADS_MAX) count = THREADS_MAX;
  for (uint64_t i = 0; i < count; i++) {
    uint64_t size = elements / count, from = i * size;
    parts[i] = (struct fill_part){.memory = memory, .from = from, .to = i + 1 < count ? from + size : elements};
    parts[i].fill = *fill;
    if (i > 0) parts[i].started = pthread_create(&parts[i].thread, NULL, fill_part, &parts[i]) == 0;
  }
  for (uint64_t i = 0; i < count; i++)
    if (!parts[i].started) fill_part(&parts[i]);
  for (uint64_t i = 0; i < count; i++)
    if (parts[i].started) pthread_join(parts[i].thread, NULL);
  return 0;
}
