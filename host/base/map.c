/* A hash table with open addressing. All keys lie in one block, each text with its NUL. */
#include "base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct map_place {
  uint64_t hash;
  size_t key; /* offset of the key in the block, plus 1; 0: the entry is free */
  size_t value;
};

/* Hashes the texts of a key, each with its NUL (FNV-1a). */
static uint64_t hash_key(const char *const *key, size_t parts) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < parts; i++) {
    const unsigned char *s = (const unsigned char *)key[i];
    do
      hash = (hash ^ *s) * UINT64_C(0x100000001b3);
    while (*s++ != '\0');
  }
  return hash ^ hash >> 29;
}

static bool is_key(const char *stored, const char *const *key, size_t parts) {
  for (size_t i = 0; i < parts; i++) {
    if (strcmp(stored, key[i]) != 0) return false;
    stored += strlen(stored) + 1;
  }
  return true;
}

/* Returns the entry of the key, or the free entry where it would be stored. */
static struct map_place *find_place(const struct map *map, const char *const *key, size_t parts, uint64_t hash) {
  size_t i = (size_t)hash & (map->size - 1);
  for (;; i = (i + 1) & (map->size - 1)) {
    struct map_place *place = &map->places[i];
    if (place->key == 0 || (place->hash == hash && is_key(map->keys + place->key - 1, key, parts))) return place;
  }
}

static void grow_map(struct map *map) {
  struct map_place *old = map->places;
  size_t old_size = map->size;
  map->size = old_size ? old_size * 2 : 16;
  map->places = xcalloc(map->size, sizeof *map->places);
  for (size_t i = 0; i < old_size; i++) {
    if (old[i].key == 0) continue;
    size_t to = (size_t)old[i].hash & (map->size - 1);
    while (map->places[to].key != 0)
      to = (to + 1) & (map->size - 1);
    map->places[to] = old[i];
  }
  free(old);
}

static size_t store_key(struct map *map, const char *const *key, size_t parts) {
  size_t at = map->keys_used;
  for (size_t i = 0; i < parts; i++) {
    size_t length = strlen(key[i]) + 1;
    if (map->keys_used + length > map->keys_size) {
      map->keys_size = 2 * (map->keys_used + length);
      map->keys = xrealloc(map->keys, map->keys_size, 1);
    }
    memcpy(map->keys + map->keys_used, key[i], length);
    map->keys_used += length;
  }
  return at + 1;
}

size_t map_get(const struct map *map, const char *const *key, size_t parts) {
  if (map->count == 0) return MAP_NONE;
  const struct map_place *place = find_place(map, key, parts, hash_key(key, parts));
  return place->key != 0 ? place->value : MAP_NONE;
}

size_t map_put(struct map *map, const char *const *key, size_t parts, size_t value) {
  if (2 * (map->count + 1) > map->size) grow_map(map);
  uint64_t hash = hash_key(key, parts);
  struct map_place *place = find_place(map, key, parts, hash);
  if (place->key != 0) return place->value;
  *place = (struct map_place){hash, store_key(map, key, parts), value};
  map->count++;
  return value;
}

void map_free(struct map *map) {
  free(map->places);
  free(map->keys);
  *map = (struct map){0};
}
