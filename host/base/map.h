/* A hash table from tuples of texts to numbers; all keys of a map have the same number of texts. No I/O. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define MAP_NONE SIZE_MAX

struct map {
  struct map_place *places; /* the entries, an array whose length is a power of two; at most half of them are used */
  size_t count, size;
  char *keys;
  size_t keys_used, keys_size;
};

/* Returns the number that is stored for these texts; MAP_NONE if there is none. */
size_t map_get(const struct map *map, const char *const *key, size_t parts);

/* Stores `value` for these texts and returns it. If a number is stored for them already, keeps and returns that
 * number. */
size_t map_put(struct map *map, const char *const *key, size_t parts, size_t value);

void map_free(struct map *map);
