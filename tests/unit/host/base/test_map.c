#include "base/map.h"

#include <stdlib.h>

#include "unit.h"

static size_t get(const struct map *map, const char *a, const char *b) {
  const char *const key[] = {a, b};
  return map_get(map, key, 2);
}

static size_t put(struct map *map, const char *a, const char *b, size_t value) {
  const char *const key[] = {a, b};
  return map_put(map, key, 2, value);
}

static void keeps_the_first_value(void) {
  struct map map = {0};
  ASSERT_EQ_INT(get(&map, "a", "b"), MAP_NONE);
  ASSERT_EQ_INT(put(&map, "a", "b", 7), 7);
  ASSERT_EQ_INT(put(&map, "a", "b", 8), 7);
  ASSERT_EQ_INT(get(&map, "a", "b"), 7);
  ASSERT_EQ_INT(map.count, 1);
  map_free(&map);
  ASSERT_EQ_INT(get(&map, "a", "b"), MAP_NONE);
}

/* Pairs of texts that give the same text if joined, such as "ab" "c" and "a" "bc", are different keys. */
static void tuples_are_not_run_together(void) {
  struct map map = {0};
  put(&map, "ab", "c", 1);
  put(&map, "a", "bc", 2);
  put(&map, "", "abc", 3);
  put(&map, "abc", "", 4);
  ASSERT_EQ_INT(get(&map, "ab", "c"), 1);
  ASSERT_EQ_INT(get(&map, "a", "bc"), 2);
  ASSERT_EQ_INT(get(&map, "", "abc"), 3);
  ASSERT_EQ_INT(get(&map, "abc", ""), 4);
  ASSERT_EQ_INT(get(&map, "ab", ""), MAP_NONE);
  map_free(&map);
}

static void grows(void) {
  enum { MANY = 20000 };
  struct map map = {0};
  char text[32];
  size_t wrong = 0;
  for (size_t i = 0; i < MANY; i++) {
    snprintf(text, sizeof text, "key %zu", i);
    put(&map, text, "x", i);
  }
  ASSERT_EQ_INT(map.count, MANY);
  for (size_t i = 0; i < MANY; i++) {
    snprintf(text, sizeof text, "key %zu", i);
    wrong += get(&map, text, "x") != i || get(&map, text, "y") != MAP_NONE;
  }
  ASSERT_EQ_INT(wrong, 0);
  map_free(&map);
}

UNIT_MAIN("map", UNIT_TEST(keeps_the_first_value), UNIT_TEST(tuples_are_not_run_together), UNIT_TEST(grows))
