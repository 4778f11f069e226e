/* Tests the messages about how a worker ended, and which workers ended before they did anything. */
#include "worker/ending.h"

#include <string.h>

#include "base/text.h"
#include "unit.h"

static void endings_in_words(void) {
  char text[256];
  struct ending ending = {.phase = PHASE_OPEN, .how = "SIGSEGV"};
  ending_text(&ending, text, sizeof text);
  ASSERT_EQ_STR(text, "SIGSEGV in open");
  text_copy(ending.tail, sizeof ending.tail, "last words");
  ending_text(&ending, text, sizeof text);
  ASSERT_EQ_STR(text, "SIGSEGV in open: last words");
  ending_text(&ending, text, 10);
  ASSERT_EQ_STR(text, "SIGSEGV i");
}

static void early_is_before_anything(void) {
  const struct ending early = {.kind = ENDING_DIED, .phase = PHASE_IDLE, .variant = -1};
  struct ending ending = early;
  ASSERT_TRUE(ending_is_early(&ending));
  ending.heard = true;
  ASSERT_TRUE(!ending_is_early(&ending));
  ending = early;
  ending.variant = 0;
  ASSERT_TRUE(!ending_is_early(&ending));
  ending = early;
  ending.phase = PHASE_OPEN;
  ASSERT_TRUE(!ending_is_early(&ending));
  ending = early;
  ending.kind = ENDING_TIMEOUT; /* stopped while it was idle */
  ASSERT_TRUE(ending_is_early(&ending));
  ending.kind = ENDING_INTERRUPTED;
  ASSERT_TRUE(!ending_is_early(&ending));
}

UNIT_MAIN("ending", UNIT_TEST(endings_in_words), UNIT_TEST(early_is_before_anything))
