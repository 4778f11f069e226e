/* Tests lists of names and values. */
#include "base/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "unit.h"

static void pairs_keep_their_order(void) {
  struct pairs pairs = {0};
  pairs_add(&pairs, "b", "%d%%", 5);
  pairs_add(&pairs, "a", "%s", "");
  pairs_add(&pairs, "b", "again");
  ASSERT_EQ_INT(pairs.count, 3);
  ASSERT_EQ_STR(pairs.items[0].name, "b");
  ASSERT_EQ_STR(pairs.items[0].value, "5%");
  ASSERT_EQ_STR(pairs.items[1].value, "");
  ASSERT_EQ_STR(pairs.items[2].value, "again");
  ASSERT_EQ_STR(pairs_get(&pairs, "b"), "5%");
  ASSERT_TRUE(pairs_get(&pairs, "c") == NULL);
  char *large = xcalloc(5001, 1);
  memset(large, 'x', 5000);
  pairs_add(&pairs, "large", "%s", large);
  ASSERT_EQ_INT(strlen(pairs.items[3].value), 4095);
  pairs_add_text(&pairs, "whole", large);
  ASSERT_EQ_INT(strlen(pairs_get(&pairs, "whole")), 5000);
  free(large);
  pairs_free(&pairs);
  ASSERT_EQ_INT(pairs.count, 0);
}

UNIT_MAIN("pairs", UNIT_TEST(pairs_keep_their_order))
