/* Tests that cuDNN's plans are kept for later cases: which case gets which plans, and that none leaks. */
#include <stdlib.h>
#include <string.h>

#include "cudnn_kept.h"
#include "unit.h"

/* ---- Stand-ins for the functions of cudnn_plans.c ---- */

static int plans_open, plans_built;

void cudnn_plans_close(struct cudnn_plans *p) {
  (void)p;
  plans_open--;
}

void cudnn_plan_close(const struct cudnn_plans *p, struct cudnn_plan *plan) {
  (void)p;
  (void)plan;
  plans_built--;
}

bool cudnn_shape_same(const struct cudnn_shape *a, const struct cudnn_shape *b) {
  return a->s == b->s;
}

static struct cudnn_set *made(int device, int64_t s, const char *choice) {
  struct cudnn_set *set = calloc(1, sizeof *set);
  if (set == NULL) abort();
  set->device = device;
  set->plans.shape.s = s;
  set->count = 2;
  snprintf(set->choice, sizeof set->choice, "%s", choice);
  plans_open++;
  plans_built += 2;
  return set;
}

static struct cudnn_set *take(int device, int64_t s) {
  const struct cudnn_shape shape = {.s = s};
  return cudnn_kept_take(device, &shape);
}

/* ---- Tests ---- */

static void the_next_case_gets_them(void) {
  struct cudnn_set *set = made(0, 100, "1 of 2");
  ASSERT_TRUE(take(0, 100) == NULL);
  cudnn_kept_give(set);
  ASSERT_TRUE(take(0, 101) == NULL);
  ASSERT_TRUE(take(1, 100) == NULL);
  ASSERT_TRUE(take(0, 100) == set);
  ASSERT_TRUE(take(0, 100) == NULL); /* a second case at the same time needs other plans */
  ASSERT_EQ_INT(plans_open, 1);
  cudnn_kept_give(set);
  cudnn_kept_close();
  ASSERT_EQ_INT(plans_open, 0);
  ASSERT_EQ_INT(plans_built, 0);
}

static void without_a_choice_they_are_closed(void) {
  cudnn_kept_give(made(0, 100, ""));
  ASSERT_EQ_INT(plans_open, 0);
  ASSERT_TRUE(take(0, 100) == NULL);
}

static void the_oldest_go(void) {
  for (int64_t s = 1; s <= 20; s++)
    cudnn_kept_give(made(0, s, "chosen"));
  ASSERT_TRUE(plans_open < 20);
  ASSERT_EQ_INT(plans_built, 2 * plans_open);
  ASSERT_TRUE(take(0, 1) == NULL);
  struct cudnn_set *newest = take(0, 20);
  ASSERT_TRUE(newest != NULL);
  cudnn_kept_give(newest);
  cudnn_kept_close();
  ASSERT_EQ_INT(plans_open, 0);
  ASSERT_EQ_INT(plans_built, 0);
}

UNIT_MAIN("kept", UNIT_TEST(the_next_case_gets_them), UNIT_TEST(without_a_choice_they_are_closed),
          UNIT_TEST(the_oldest_go))
