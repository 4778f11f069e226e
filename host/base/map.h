/* A hash table from tuples of texts to numbers; all keys of a map have the same number of texts. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE SIZE_MAX

struct map {
  struct map_place *places; /* a power of two of entries, at most half of them used */
  size_t count, size;
  char *keys;
  size_t keys_used, keys_size;
};

/* Returns the number stored for these texts, or MAP_NONE. */
size_t map_get(const struct map *map, const char *const *key, size_t parts);

/* Returns the number that is stored already; otherwise stores `value` and returns it. */
size_t map_put(struct map *map, const char *const *key, size_t parts, size_t value);

void map_free(struct map *map);
