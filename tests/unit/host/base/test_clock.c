/* The clock goes on, in nanoseconds. */
#include "base/clock.h"

#include <time.h>

#include "unit.h"

static void it_goes_on(void) {
  const struct timespec pause = {0, 2000000};
  int64_t before = clock_now_ns();
  ASSERT_TRUE(before > 0);
  ASSERT_TRUE(clock_now_ns() >= before);
  nanosleep(&pause, NULL);
  int64_t gone = clock_now_ns() - before;
  ASSERT_TRUE(gone >= 2000000 && gone < INT64_C(60000000000));
}

UNIT_MAIN("clock", UNIT_TEST(it_goes_on))
