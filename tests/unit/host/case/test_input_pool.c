/* Tests pools of prepared values: copying a window (a part) of a pool into an input gives the input new values
 * quickly. The tests examine the memory of the inputs. */
#include "case/input_pool.h"

#include <string.h>

#include "case/contents.h"
#include "case/tensors.h"
#include "fixture_case.h"

enum { N = 5000 };
static const int64_t length = N;
static struct bed bed;
static struct err err;
static float was[N], now[N], again[N];

static void begin(void) {
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("x", GB_IN, GB_DTYPE_F32, &length)), "");
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length)), "");
  bed_fill(&bed, 7);
}

static void look(float *to) {
  memcpy(to, tensor_find(bed.c, "x")->data, N * sizeof *to);
}

static bool is_there(uint64_t seed) {
  bool there = false;
  ASSERT_EQ_INT(input_pool_open(bed.c, seed, &there, &err), 0);
  return there;
}

static size_t differing(const float *a, const float *b) {
  size_t count = 0;
  for (size_t i = 0; i < N; i++)
    count += a[i] != b[i];
  return count;
}

static void windows_differ_everywhere_and_are_put_back(void) {
  begin();
  ASSERT_TRUE(is_there(11));
  look(was);
  ASSERT_EQ_INT(input_pool_show(bed.c, 3, &err), 0);
  look(now);
  ASSERT_TRUE(differing(was, now) > N - 10);
  ASSERT_TRUE(bed.c->seed == 3 && bed.c->whole == 3);
  ASSERT_EQ_INT(input_pool_show_again(bed.c, &err), 0);
  look(again);
  ASSERT_EQ_INT(differing(now, again), 0);
  ASSERT_EQ_INT(input_pool_show(bed.c, 4, &err), 0);
  look(again);
  ASSERT_TRUE(differing(now, again) > N - 10);
  ASSERT_EQ_INT(input_pool_put_back(bed.c, &err), 0);
  look(now);
  ASSERT_EQ_INT(differing(was, now), 0);
  ASSERT_TRUE(bed.c->seed == 7 && bed.c->whole == 7);
  bed_close(&bed);
}

/* The inputs are written again before any window of the pool was copied into them. They keep their values and their
 * seed. */
static void what_is_written_again_is_the_same(void) {
  begin();
  ASSERT_TRUE(is_there(11));
  look(was);
  ASSERT_EQ_INT(input_pool_show_again(bed.c, &err), 0);
  look(now);
  ASSERT_EQ_INT(differing(was, now), 0);
  ASSERT_TRUE(bed.c->seed == 7);
  ASSERT_EQ_INT(input_pool_put_back(bed.c, &err), 0);
  ASSERT_EQ_INT(input_pool_put_back(bed.c, &err), 0); /* nothing to restore */
  look(now);
  ASSERT_EQ_INT(differing(was, now), 0);
  bed_close(&bed);
}

/* Inputs that hold a window of the pool are filled anew. input_pool_put_back() must not overwrite the new values with
 * those before the window, and `input` returns the new ones. */
static void what_is_filled_meanwhile_stays(void) {
  static double said[N];
  size_t wrong = 0;
  begin();
  ASSERT_TRUE(is_there(11));
  ASSERT_EQ_INT(input_pool_show(bed.c, 3, &err), 0);
  ASSERT_EQ_INT(tensors_change(bed.c, 9, &err), 0);
  ASSERT_EQ_INT(input_pool_put_back(bed.c, &err), 0);
  ASSERT_TRUE(bed.c->seed == 9);
  ASSERT_EQ_INT(tensor_input(bed.c, tensor_find(bed.c, "x"), 0, 1, N, said, &err), 0);
  look(now);
  for (size_t i = 0; i < N; i++)
    wrong += said[i] != (double)now[i];
  ASSERT_EQ_INT(wrong, 0);
  bed_close(&bed);
}

/* Values in a window of the pool lie in the range of the declared fill, from 1 to 2, as those of other inputs. */
static void windows_are_inputs_as_any(void) {
  begin();
  ASSERT_TRUE(is_there(5));
  size_t outside = 0;
  for (uint64_t number = 1; number < 200; number++) {
    ASSERT_EQ_INT(input_pool_show(bed.c, number, &err), 0);
    look(now);
    for (size_t i = 0; i < N; i++)
      outside += !(now[i] >= 1 && now[i] < 2);
  }
  ASSERT_EQ_INT(outside, 0);
  bed_close(&bed);
}

/* No 16 consecutive values occur in two windows of the pool. Otherwise a variant could keep the results for them. */
static void windows_share_no_stretch(void) {
  enum { STRETCH = 16, OTHERS = 40 };
  size_t shared = 0;
  begin();
  ASSERT_TRUE(is_there(5));
  ASSERT_EQ_INT(input_pool_show(bed.c, 1, &err), 0);
  look(was);
  for (uint64_t number = 2; number < 2 + OTHERS; number++) {
    ASSERT_EQ_INT(input_pool_show(bed.c, number, &err), 0);
    look(now);
    for (size_t i = 0; i + STRETCH <= N; i++)
      shared += memcmp(now + i, was, STRETCH * sizeof *now) == 0;
  }
  ASSERT_EQ_INT(shared, 0);
  bed_close(&bed);
}

static void no_pool_where_there_is_no_input_or_no_memory(void) {
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length)), "");
  bed_fill(&bed, 1);
  ASSERT_TRUE(!is_there(1));
  bed_close(&bed);
  begin();
  bed.c->memory_limit = 4 * N * sizeof(float);
  ASSERT_TRUE(!is_there(1));
  bed_close(&bed);
}

UNIT_MAIN("input_pool", UNIT_TEST(windows_differ_everywhere_and_are_put_back),
          UNIT_TEST(what_is_written_again_is_the_same), UNIT_TEST(what_is_filled_meanwhile_stays),
          UNIT_TEST(windows_are_inputs_as_any), UNIT_TEST(windows_share_no_stretch),
          UNIT_TEST(no_pool_where_there_is_no_input_or_no_memory))
