/* Tests how much of the remaining time a call may take. */
#include "worker/patience.h"

#include <math.h>

#include "unit.h"

static const int64_t second_ns = 1000000000, now = 7000000000;

static struct call_limit left(double seconds) {
  return (struct call_limit){.most_s = 120, .ends_ns = now + (int64_t)(seconds * (double)second_ns)};
}

static void without_an_end_it_is_the_users(void) {
  const struct call_limit limit = call_limit_of(2);
  ASSERT_TRUE(call_limit_s(&limit, now) == 2 && call_limit_waiting_s(&limit, now) == INFINITY);
  ASSERT_TRUE(call_limit_progress_s(&limit, now) == 120);
  ASSERT_TRUE(call_limit_working_s(&limit, now) == 20);
}

/* A variant hangs once together with others and once alone, both times as long as a call may take. At least a fourth
 * of the time is then left for the other variants. */
static void two_hangs_leave_time_for_the_others(void) {
  struct call_limit limit = left(24);
  ASSERT_NEAR(call_limit_s(&limit, now), 8, 1e-6);
  for (int progress = 0; progress < 2; progress++) {
    limit = left(24);
    double (*const longest_s)(const struct call_limit *, int64_t) =
        progress ? call_limit_progress_s : call_limit_waiting_s;
    const double first_s = longest_s(&limit, now);
    limit.wary = true;
    const double second_s = longest_s(&limit, now + (int64_t)(first_s * (double)second_ns));
    ASSERT_TRUE(first_s + second_s <= 18);
    ASSERT_TRUE(second_s >= 2);
  }
}

/* A call always has two seconds, because one that takes longer than the remaining time need not be a hang. */
static void two_seconds_it_always_has(void) {
  struct call_limit limit = left(0.5);
  ASSERT_TRUE(call_limit_s(&limit, now) == 2 && call_limit_progress_s(&limit, now) == 3);
  limit = left(-10);
  ASSERT_TRUE(call_limit_s(&limit, now) == 2 && call_limit_waiting_s(&limit, now) == 2);
  limit.most_s = 0.2; /* unless the user asked for less */
  ASSERT_TRUE(call_limit_s(&limit, now) == 0.2);
}

static void a_sentence_says_what_allows_more(void) {
  char text[64];
  struct call_limit limit = left(24);
  call_limit_text(&limit, 8, false, text, sizeof text);
  ASSERT_EQ_STR(text, "no return within 8 s (--max-time allows more)");
  limit.most_s = 4;
  call_limit_text(&limit, 4, true, text, sizeof text);
  ASSERT_EQ_STR(text, "no progress within 4 s");
}

UNIT_MAIN("worker_call_limit", UNIT_TEST(without_an_end_it_is_the_users),
          UNIT_TEST(two_hangs_leave_time_for_the_others), UNIT_TEST(two_seconds_it_always_has),
          UNIT_TEST(a_sentence_says_what_allows_more))
