/* Tests that every message between parent and worker fits a frame (the unit in which messages are sent), and the names
 * of outcomes. */
#include "model/message.h"

#include "unit.h"

static void every_message_fits_a_frame(void) {
  ASSERT_TRUE(sizeof(struct bench_desc) <= MESSAGE_BYTES_MAX && sizeof(struct case_request) <= MESSAGE_BYTES_MAX);
  ASSERT_TRUE(sizeof(struct err) <= MESSAGE_BYTES_MAX && sizeof(struct slot_message) <= MESSAGE_BYTES_MAX);
}

static void names_of_stop_reasons(void) {
  ASSERT_EQ_STR(stop_reason_name(STOP_NONE), "");
  ASSERT_EQ_STR(stop_reason_name(STOP_PRECISION), "precision");
  ASSERT_EQ_STR(stop_reason_name(STOP_CASE_TIME), "case_time");
  ASSERT_EQ_STR(stop_reason_name(STOP_VERIFY_ONLY), "verify_only");
  ASSERT_EQ_STR(stop_reason_name(STOP_INTERRUPTED), "interrupted");
  ASSERT_EQ_STR(stop_reason_name(STOP_REASON_COUNT), "?");
}

UNIT_MAIN("message", UNIT_TEST(every_message_fits_a_frame), UNIT_TEST(names_of_stop_reasons))
