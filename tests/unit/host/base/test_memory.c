/* Tests growing lists and printed texts. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void lists_grow(void) {
  int *list = NULL;
  for (size_t i = 0; i < 1000; i++) {
    list = xgrow(list, i, sizeof *list);
    list[i] = (int)i;
  }
  for (size_t i = 0; i < 1000; i++)
    ASSERT_EQ_INT(list[i], i);
  free(list);
}

static void texts_are_as_long_as_they_are(void) {
  struct memory_text text;
  char *spaces = memory_print("%*s", 10000, ""), *none = memory_print("%s", "");
  ASSERT_EQ_INT(strlen(spaces), 10000);
  ASSERT_EQ_STR(none, "");
  fprintf(memory_text_begin(&text), "%s", spaces);
  char *copy = memory_text_end(&text);
  ASSERT_EQ_INT(text.size, 10000);
  ASSERT_EQ_STR(copy, spaces);
  free(spaces);
  free(none);
  free(copy);
}

UNIT_MAIN("memory", UNIT_TEST(lists_grow), UNIT_TEST(texts_are_as_long_as_they_are))
