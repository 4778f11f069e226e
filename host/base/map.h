/* Texts to numbers: a hash table whose keys are tuples of texts, as many in each. Knows nothing of what they mean.
 * Pure.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE SIZE_MAX

struct map {
  struct map_place *places; /* a power of two of them, at most half taken */
  size_t count, size;
  char *keys;
  size_t keys_used, keys_size;
};

/* The number under these texts, or MAP_NONE. */
size_t map_get(const struct map *map, const char *const *key, size_t parts);

/* The number that is there already; else puts `value` there and returns it. */
size_t map_put(struct map *map, const char *const *key, size_t parts, size_t value);

void map_free(struct map *map);

#endif
