/* Tests the comparison of the times that a worker claims with the parent's own clock, which measures batches of calls
 * from outside. judge() takes the parent's time of a batch, the claimed time, the uncertainty of the parent's time,
 * whether calls were queued on a device, and the median of the worker's samples. */
#include "model/proof/outside.h"

#include "unit.h"

static enum outside_word judge(double ns, double claimed, double slack, bool queued, double median) {
  const struct outside outside = {ns, claimed, slack, fmax(0, (ns - slack - claimed) / ns), queued};
  return outside_judge(&outside, median);
}

static void without_a_batch_nothing_is_known(void) {
  const struct outside none = OUTSIDE_NONE;
  ASSERT_EQ_INT(outside_judge(&none, 100), OUTSIDE_UNKNOWN);
  ASSERT_EQ_INT(judge(100, NAN, 1, true, 100), OUTSIDE_UNKNOWN);
}

static void honest_claims_hold(void) {
  ASSERT_EQ_INT(judge(100, 99, 1, true, 99), OUTSIDE_HOLDS);
  ASSERT_EQ_INT(judge(100, 99, 1, true, 300), OUTSIDE_HOLDS); /* samples are slower, as with cold caches */
  /* the samples were measured at a higher clock rate than the batch */
  ASSERT_EQ_INT(judge(100, 99, 1, true, 90), OUTSIDE_HOLDS);
  ASSERT_EQ_INT(judge(100, 99, 1, true, NAN), OUTSIDE_HOLDS);
  ASSERT_EQ_INT(judge(80, 99, 1, true, 99), OUTSIDE_HOLDS); /* the parent learned too late that the batch began */
}

/* A worker cheats if its clock runs slow, or if only its samples are too short. */
static void claims_below_what_passed_are_broken(void) {
  ASSERT_EQ_INT(judge(100, 60, 1, true, 60), OUTSIDE_BROKEN);
  ASSERT_EQ_INT(judge(100, 93, 1, true, 93), OUTSIDE_BROKEN);
  ASSERT_EQ_INT(judge(100, 100, 1, true, 60), OUTSIDE_BROKEN);
  ASSERT_EQ_INT(judge(100, 60, 1, false, 60), OUTSIDE_BROKEN);
}

/* If the CPU launches each call of a batch when the one before has ended (`queued` is false), a call of the batch may
 * take longer than a sample. This is no sign of cheating. */
static void samples_are_not_held_against_the_host(void) {
  ASSERT_EQ_INT(judge(100, 99, 1, false, 20), OUTSIDE_HOLDS);
}

static void slack_above_the_claim_bounds_nothing(void) {
  ASSERT_EQ_INT(judge(100, 40, 70, true, 40), OUTSIDE_LOOSE);
  ASSERT_EQ_INT(judge(100, 20, 70, true, 20), OUTSIDE_BROKEN);
}

static void a_disturbance_is_waited_for(void) {
  ASSERT_TRUE(outside_batches_ns(1.1e6, 1e6) >= 20e6);
  ASSERT_TRUE(outside_batches_ns(5e6, 1e6) > 5 * outside_batches_ns(1.1e6, 1e6));
}

UNIT_MAIN("outside", UNIT_TEST(a_disturbance_is_waited_for), UNIT_TEST(without_a_batch_nothing_is_known),
          UNIT_TEST(honest_claims_hold), UNIT_TEST(claims_below_what_passed_are_broken),
          UNIT_TEST(samples_are_not_held_against_the_host), UNIT_TEST(slack_above_the_claim_bounds_nothing))
