/* Tests that a slow clock is found by comparison with the processor's counter. The test replaces clock_gettime(), as a
 * plugin could do it to make its times shorter. */
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "device/device.h"
#include "device/two_clocks.h"
#include "unit.h"

static double rate = 1; /* speed of the replaced clock, from when it was set */
static int64_t set_at;

static int64_t true_ns(clockid_t clock) {
  struct timespec now;
  syscall(SYS_clock_gettime, clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  int64_t ns = true_ns(clock);
  if (rate != 1 && clock == CLOCK_MONOTONIC_RAW) ns = set_at + (int64_t)((double)(ns - set_at) * rate);
  now->tv_sec = ns / 1000000000;
  now->tv_nsec = ns % 1000000000;
  return 0;
}

static void set_rate(double to) {
  set_at = true_ns(CLOCK_MONOTONIC_RAW);
  rate = to;
}

static int spins(void *context) {
  const int64_t end = true_ns(CLOCK_MONOTONIC_RAW) + *(const int64_t *)context;
  while (true_ns(CLOCK_MONOTONIC_RAW) < end)
    continue;
  return 0;
}

static struct clock_doubt doubt_at(double clock_rate, int64_t ns, uint32_t count) {
  struct device *device;
  struct err err = {0};
  struct slot_state state;
  struct clock_doubt doubt = {99, 0, 0};
  double times[64];
  ASSERT_EQ_INT(device_cpu_open(&device, &err), 0);
  usleep(5000); /* gives gpubench time to learn the rate of the processor's counter */
  set_rate(clock_rate);
  const struct slot_request request = {.run = spins, .context = &ns, .count = count, .replicas = 1, .doubt = &doubt};
  ASSERT_EQ_INT(device->ops->slot(device, &request, times, &state, &err), SLOT_OK);
  set_rate(1);
  device->ops->close(device);
  return doubt;
}

static void an_honest_clock_is_never_doubted(void) {
  static const int64_t ns[] = {0, 1000, 100000, 5000000};
  for (int i = 0; i < 4; i++)
    for (int turn = 0; turn < 20; turn++)
      ASSERT_EQ_INT(doubt_at(1, ns[i], i < 2 ? 64 : 4).samples, 0);
}

/* A clock that is only 1% slow is tested with longer calls. The difference between the clocks must be larger than the
 * time that one reading of the replaced clock takes. It is a system call, and takes up to 2 us on some virtual
 * machines. */
static void a_slow_clock_is(void) {
  if (!ticks_are_steady()) return;
  static const struct {
    double rate;
    int64_t ns;
  } tries[] = {{0, 200000}, {0.1, 200000}, {0.5, 200000}, {0.9, 200000}, {0.99, 3000000}};
  for (int i = 0; i < 5; i++) {
    const struct clock_doubt doubt = doubt_at(tries[i].rate, tries[i].ns, 10);
    /* Some of the ten samples may not be reported: the thread may lose the processor between the readings of the
     * clocks. */
    ASSERT_TRUE(doubt.samples >= 5);
    ASSERT_TRUE(doubt.passed_ns >= (double)tries[i].ns && doubt.shown_ns < doubt.passed_ns);
  }
}

/* A clock that shows too much time is not reported. It favours no variant, and waiting for a processor looks alike. */
static void a_fast_clock_is_not(void) {
  ASSERT_EQ_INT(doubt_at(1.5, 200000, 10).samples, 0);
}

static void what_passed_is_what_the_kernel_says(void) {
  if (!ticks_are_steady()) return;
  const struct ticks_mark from = ticks_mark();
  usleep(20000);
  const struct ticks_mark to = ticks_mark();
  ASSERT_TRUE(to.ns - from.ns >= 20000000);
  ASSERT_TRUE(to.ticks > from.ticks);
}

UNIT_MAIN("two clocks", UNIT_TEST(an_honest_clock_is_never_doubted), UNIT_TEST(a_slow_clock_is),
          UNIT_TEST(a_fast_clock_is_not), UNIT_TEST(what_passed_is_what_the_kernel_says))
