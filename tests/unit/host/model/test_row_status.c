/* Tests that names of statuses can be parsed again. */
#include "model/row_status.h"

#include "unit.h"

static void names(void) {
  ASSERT_EQ_STR(row_status_name(ROW_NOT_RUN), "not_run");
  ASSERT_EQ_STR(row_status_name(ROW_OK), "ok");
  ASSERT_EQ_STR(row_status_name(ROW_WRONG), "wrong");
  ASSERT_EQ_STR(row_status_name(ROW_SKIPPED), "skipped");
  ASSERT_EQ_STR(row_status_name(ROW_CRASHED), "crashed");
  ASSERT_EQ_STR(row_status_name(ROW_TIMEOUT), "timeout");
  ASSERT_EQ_STR(row_status_name(ROW_ERROR), "error");
  ASSERT_EQ_STR(row_status_name(ROW_STATUS_COUNT), "?");
}

static void words(void) {
  ASSERT_EQ_STR(row_status_words(ROW_OK), "ok");
  ASSERT_EQ_STR(row_status_words(ROW_TIMEOUT), "timed out");
  ASSERT_EQ_STR(row_status_words(ROW_NOT_RUN), "not run");
  ASSERT_EQ_STR(row_status_words(ROW_UNKNOWN), "unknown status");
}

static void names_are_read_back(void) {
  for (enum row_status status = ROW_NOT_RUN; status < ROW_UNKNOWN; status++)
    ASSERT_EQ_INT(row_status_parse(row_status_name(status)), status);
  ASSERT_EQ_INT(row_status_parse("timed out"), ROW_UNKNOWN);
  ASSERT_EQ_INT(row_status_parse("unknown"), ROW_UNKNOWN);
  ASSERT_EQ_INT(row_status_parse(""), ROW_UNKNOWN);
  ASSERT_EQ_INT(row_status_parse(NULL), ROW_UNKNOWN);
}

static void all_but_ok_and_skipped_fail(void) {
  for (enum row_status status = ROW_NOT_RUN; status < ROW_STATUS_COUNT; status++)
    ASSERT_EQ_INT(row_status_failed(status), status != ROW_OK && status != ROW_SKIPPED);
}

UNIT_MAIN("row_status", UNIT_TEST(names), UNIT_TEST(words), UNIT_TEST(names_are_read_back),
          UNIT_TEST(all_but_ok_and_skipped_fail))
