/* Tests joining the parts of a sentence. */
#include "base/text.h"

#include "unit.h"

static void phrases_are_joined_and_cut(void) {
  char text[12] = "";
  phrase_add(text, sizeof text, "; ", "%s", "one");
  phrase_add(text, sizeof text, "; ", "%d", 2);
  ASSERT_EQ_STR(text, "one; 2");
  phrase_add(text, sizeof text, "; ", "three");
  ASSERT_EQ_STR(text, "one; 2; thr");
  phrase_add(text, sizeof text, "; ", "four");
  ASSERT_EQ_STR(text, "one; 2; thr");
}

static void nothing_stands_before_the_first(void) {
  char text[12] = "";
  phrase_add(text, sizeof text, ", ", "%s", "");
  ASSERT_EQ_STR(text, "");
  phrase_add(text, sizeof text, ", ", "one");
  ASSERT_EQ_STR(text, "one");
  phrase_add(text, sizeof text, "", "two");
  ASSERT_EQ_STR(text, "onetwo");
}

UNIT_MAIN("phrase", UNIT_TEST(phrases_are_joined_and_cut), UNIT_TEST(nothing_stands_before_the_first))
