#include "digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t digest(const void *data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

uint64_t digest_next(uint64_t sum, const void *data, size_t bytes) {
  return XXH3_64bits_withSeed(data, bytes, sum);
}
