/* Tests that a spinning thread gets a plausible share of a processor, whatever the machine does. */
#include "machine/cpu_times.h"

#include "base/clock.h"
#include "unit.h"

static void it_is_a_share(void) {
  for (size_t threads = 1; threads <= 3; threads++) {
    const int64_t start_ns = clock_now_ns();
    const double share = cpu_share_measure(threads);
    ASSERT_TRUE(share >= 0.1 && share <= 1);
    ASSERT_TRUE(clock_now_ns() - start_ns >= 20000000);
  }
}

UNIT_MAIN("cpu_share", UNIT_TEST(it_is_a_share))
