#include "base/err.h"

#include "unit.h"

static void first_message_wins(void) {
  struct err err = {0};
  ASSERT_EQ_INT(err_set(&err, EXIT_USAGE, "bad %s %d", "axis", 3), -1);
  ASSERT_EQ_INT(err_set(&err, EXIT_DEVICE, "later"), -1);
  ASSERT_EQ_STR(err.text, "bad axis 3");
  ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
}

static void context_goes_outward(void) {
  struct err err = {0};
  err_set(&err, EXIT_FAILED, "run is NULL");
  ASSERT_EQ_INT(err_context(&err, "bench '%s'", "gemm"), -1);
  err_context(&err, "load a.so");
  ASSERT_EQ_STR(err.text, "load a.so: bench 'gemm': run is NULL");
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
}

static void long_texts_are_cut(void) {
  struct err err = {0};
  char text[4000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  err_set(&err, EXIT_FAILED, "%s", text);
  ASSERT_EQ_INT(strlen(err.text), sizeof err.text - 1);
  err_context(&err, "outer");
  ASSERT_EQ_INT(strlen(err.text), sizeof err.text - 1);
  ASSERT_EQ_INT(strncmp(err.text, "outer: xxx", 10), 0);
  err_context(&err, "%s", text);
  ASSERT_EQ_INT(strlen(err.text), sizeof err.text - 1);
}

UNIT_MAIN("err", UNIT_TEST(first_message_wins), UNIT_TEST(context_goes_outward), UNIT_TEST(long_texts_are_cut))
