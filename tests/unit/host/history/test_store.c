/* Tests which names a nightly run may have. */
#include "unit.h"

#include "history/store.h"

static void names(void) {
  char longest[HISTORY_NAME_MOST + 2];
  memset(longest, 'x', sizeof longest);
  longest[HISTORY_NAME_MOST + 1] = '\0';
  ASSERT_TRUE(!history_is_name(longest));
  longest[HISTORY_NAME_MOST] = '\0';
  ASSERT_TRUE(history_is_name(longest));
  ASSERT_TRUE(history_is_name("20260101T020000Z-nightly"));
  ASSERT_TRUE(history_is_name("my run"));
  static const char *const bad[] = {"", ".", "..", ".new", "a/b", "/", "a\nb", "\x7f", "\xff", "a\xc3"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    ASSERT_TRUE(!history_is_name(bad[i]));
  ASSERT_TRUE(!history_is_name(NULL));
}

UNIT_MAIN("store", UNIT_TEST(names))
