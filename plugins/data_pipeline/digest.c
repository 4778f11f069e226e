#include "digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t digest(const void *data, size_t bytes) {
  return XXH3_64bits(data, bytes);
}

uint64_t digest_at(uint64_t place, const void *data, size_t bytes) {
  return XXH3_64bits_withSeed(data, bytes, place);
}
