/* Work that goes on when its time has been taken: the test plays the variant and the thread it does not wait for. */
#include "case/witness.h"

#include <string.h>

#include "case/contents.h"
#include "case/tensors.h"
#include "fixture_case.h"

enum { N = 64 };
static const int64_t length = N;
static struct bed bed;
static struct err err;

static void begin(uint32_t role, uint32_t dtype) {
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", role, dtype, &length)), "");
  bed_fill(&bed, 1);
  ASSERT_TRUE(witness_open(bed.c));
  ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
}

static unsigned char *bytes(void) {
  return tensor_find(bed.c, "y")->data;
}

static void take(void) {
  ASSERT_EQ_INT(witness_take(bed.c, &err), 0);
}

/* The output that was late, or "". */
static const char *look(uint64_t *element) {
  const char *late = "?";
  ASSERT_EQ_INT(witness_look(bed.c, &late, element, &err), 0);
  return late != NULL ? late : "";
}

static void work_that_is_done(void) {
  uint64_t element = 99;
  for (int i = 0; i < 2; i++) {
    begin(i == 0 ? GB_OUT : GB_INOUT, GB_DTYPE_F32);
    memset(bytes(), 1, N * sizeof(float));
    take();
    ASSERT_EQ_STR(look(&element), "");
    ASSERT_EQ_STR(look(&element), "");
    bed_close(&bed);
  }
}

static void what_is_still_poison_was_not_written(void) {
  uint64_t element = 99;
  begin(GB_OUT, GB_DTYPE_F32);
  memset(bytes(), 1, 30 * sizeof(float));
  take();
  ASSERT_EQ_STR(look(&element), "y");
  ASSERT_EQ_INT(element, N - 1);
  memset(bytes() + sizeof(float), 1, (N - 1) * sizeof(float));
  memset(bytes(), 0xFF, sizeof(float));
  take();
  ASSERT_EQ_STR(look(&element), "y");
  ASSERT_EQ_INT(element, 0);
  bed_close(&bed);
}

/* Whatever stood there meanwhile, and however late it is seen. */
static void what_changes_afterwards_came_late(void) {
  static const uint32_t roles[] = {GB_OUT, GB_INOUT, GB_OUT}, dtypes[] = {GB_DTYPE_BF16, GB_DTYPE_F64, GB_DTYPE_U8};
  for (int i = 0; i < 3; i++) {
    uint64_t element = 99;
    begin(roles[i], dtypes[i]);
    struct tensor *y = tensor_find(bed.c, "y");
    const size_t size = (size_t)tensor_bytes(y) / N;
    memset(bytes(), 7, N * size);
    take();
    ASSERT_EQ_STR(look(&element), "");
    bytes()[(N - 1) * size] = 8;
    ASSERT_EQ_STR(look(&element), "y");
    ASSERT_EQ_INT(element, N - 1);
    bed_close(&bed);
  }
}

static void an_integer_may_be_what_poison_is(void) {
  uint64_t element = 99;
  begin(GB_OUT, GB_DTYPE_U8);
  take();
  ASSERT_EQ_STR(look(&element), "");
  memset(bytes(), 3, N);
  ASSERT_EQ_STR(look(&element), "y");
  bed_close(&bed);
}

/* Nobody need write what lies between the rows. */
static void gaps_are_not_looked_at(void) {
  uint64_t element = 99;
  const int64_t shape[] = {8, 3}, strides[] = {5, 1};
  bed_open(&bed);
  gb_tensor y = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 2, .name = "y"};
  y.shape = shape;
  y.strides = strides;
  ASSERT_EQ_STR(bed_declare(&bed, y), "");
  bed_fill(&bed, 1);
  ASSERT_TRUE(witness_open(bed.c));
  ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
  for (int row = 0; row < 8; row++)
    memset(bytes() + 20 * row, 1, 12);
  take();
  ASSERT_EQ_STR(look(&element), "");
  memset(bytes() + 20 * 7 + 8, 2, 4);
  ASSERT_EQ_STR(look(&element), "y");
  ASSERT_EQ_INT(element, 23);
  bed_close(&bed);
}

UNIT_MAIN("witness", UNIT_TEST(work_that_is_done), UNIT_TEST(what_is_still_poison_was_not_written),
          UNIT_TEST(what_changes_afterwards_came_late), UNIT_TEST(an_integer_may_be_what_poison_is),
          UNIT_TEST(gaps_are_not_looked_at))
