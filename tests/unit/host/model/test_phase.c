/* Tests the status page (memory in which a worker notes which callback runs): its marks, their order, and the names of
 * phases. */
#include "base/clock.h"
#include "model/phase.h"

#include "unit.h"

static void marks_come_and_go(void) {
  struct phase_page page = {0};
  struct phase_mark mark = {.variant = 7};
  ASSERT_TRUE(!phase_read(&page, &mark)); /* not marked yet, or zeroed by a plugin */
  ASSERT_EQ_INT(mark.variant, 7);
  int64_t before = clock_now_ns();
  phase_enter(&page, PHASE_RUN, 3);
  ASSERT_TRUE(phase_read(&page, &mark));
  ASSERT_EQ_INT(mark.phase, PHASE_RUN);
  ASSERT_EQ_INT(mark.variant, 3);
  ASSERT_EQ_INT(mark.since_ns, page.since_ns);
  ASSERT_EQ_INT(page.variant, 3);
  ASSERT_TRUE(page.since_ns >= before && page.since_ns <= clock_now_ns());
  phase_leave(&page);
  ASSERT_TRUE(phase_read(&page, &mark));
  ASSERT_EQ_INT(mark.phase, PHASE_IDLE);
  ASSERT_EQ_INT(page.variant, 3); /* the last variant that ran: it likely causes a crash that follows */
  phase_enter(&page, PHASE_TEARDOWN, -1);
  ASSERT_EQ_INT(page.variant, -1);
  ASSERT_EQ_INT(page.stop, 0);
  before = page.since_ns;
  phase_go_on(&page);
  ASSERT_TRUE(page.since_ns > before);
  page.phase = page.phase + 0x10000;
  ASSERT_TRUE(!phase_read(&page, &mark));
}

static void names_are_distinct(void) {
  for (int i = 0; i < PHASE_COUNT; i++)
    for (int j = 0; j < i; j++)
      ASSERT_TRUE(strcmp(phase_name((enum phase)i), phase_name((enum phase)j)) != 0);
  ASSERT_EQ_STR(phase_name(PHASE_IDLE), "the host's own code");
  ASSERT_EQ_STR(phase_name(PHASE_LOAD), "dlopen");
  ASSERT_EQ_STR(phase_name(PHASE_RUN), "run");
  ASSERT_EQ_STR(phase_name(PHASE_TEARDOWN), "teardown");
  ASSERT_EQ_STR(phase_name(PHASE_COUNT), "?"); /* a number that a plugin wrote to the page */
  ASSERT_EQ_STR(phase_name((enum phase)0xFFFFFFFFU), "?");
}

UNIT_MAIN("phase", UNIT_TEST(marks_come_and_go), UNIT_TEST(names_are_distinct))
