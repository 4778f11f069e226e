#include "model/fill_range.h"

#define KNOWN static inline __attribute__((always_inline))

/* Type and kind are constants where these are inlined with all that they call, and little is left of that. */
KNOWN void range_of_kind(const struct fill *like, uint32_t dtype, uint32_t kind, uint64_t first, uint64_t count,
                         void *storage) {
  struct fill fill = *like;
  fill.dtype = dtype;
  fill.kind = kind;
  const uint64_t key = rng_key(fill.seed, fill.stream);
  for (uint64_t i = 0; i < count; i++)
    fill_put(dtype, storage, i, fill_element(&fill, key, first + i));
}

KNOWN void range_of_type(const struct fill *fill, uint32_t dtype, uint64_t first, uint64_t count, void *storage) {
  if (fill->kind == GB_FILL_NORMAL)
    range_of_kind(fill, dtype, GB_FILL_NORMAL, first, count, storage);
  else
    range_of_kind(fill, dtype, GB_FILL_UNIFORM, first, count, storage);
}

__attribute__((flatten)) void fill_range(const struct fill *fill, uint64_t first, uint64_t count, void *storage) {
  switch (fill->dtype) {
    case GB_DTYPE_F64:
      range_of_type(fill, GB_DTYPE_F64, first, count, storage);
      break;
    case GB_DTYPE_F32:
      range_of_type(fill, GB_DTYPE_F32, first, count, storage);
      break;
    case GB_DTYPE_F16:
      range_of_type(fill, GB_DTYPE_F16, first, count, storage);
      break;
    case GB_DTYPE_BF16:
      range_of_type(fill, GB_DTYPE_BF16, first, count, storage);
      break;
    default:
      range_of_kind(fill, fill->dtype, fill->kind, first, count, storage);
  }
}
