/* Tests setting up and tearing down a case only to learn which tensors it declares. */
#include "case/declare.h"

#include "case/memory.h"
#include "fixture_case.h"
#include "unit.h"

static struct tensor_desc told[TENSORS_MAX];
static uint32_t told_count;
static int supported, set_up, taken_down;
static gb_status supports_says, setup_says;
static bool misuses;
static uint64_t allocated; /* bytes that gpubench had allocated for the case between `setup` and `teardown` */

static void tell(const struct tensor_desc *tensor) {
  told[told_count++] = *tensor;
}

static gb_status supports(const gb_bench *self, gb_case *c) {
  (void)self;
  supported++;
  return supports_says == GB_OK ? GB_OK : gb_failf(&gb, c, supports_says, "not today");
}

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  const int64_t shape[2] = {3, 5}, strides[2] = {8, 1};
  gb_tensor tensor = bed_tensor("x", GB_IN, GB_DTYPE_F32, shape);
  (void)self;
  set_up++;
  *state = &set_up;
  tensor.rank = 2;
  tensor.strides = strides;
  tensor.offset_bytes = 4;
  if (gb.tensor->declare(c, &tensor) != GB_OK || gb.mem->alloc(c, GB_MEM_HOST, 100) == NULL) return GB_EFAIL;
  const gb_tensor out = bed_tensor("y", GB_OUT, GB_DTYPE_BF16, shape);
  gb.tensor->declare(c, &out);
  gb.point->work(c, &(gb_work){GB_SIZE(gb_work), .flops = 7, .items = 2, .item_unit = "rows"});
  if (misuses) gb.point->i64(c, "no-such-axis");
  return setup_says == GB_OK ? GB_OK : gb_failf(&gb, c, setup_says, "no milk");
}

static void teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  taken_down += state == (void *)&set_up;
  allocated = case_owned_bytes(c, OWNER_BENCH);
}

static int declare(struct case_report *report, struct err *err) {
  struct bed bed;
  bed_open(&bed);
  bed.bench.own = (gb_bench){.supports = supports, .setup = setup, .teardown = teardown};
  bed.bench.theirs = &bed.bench.own;
  told_count = 0;
  supported = set_up = taken_down = 0;
  int rc = declare_case(bed.c, tell, report, err);
  ASSERT_EQ_INT(bed.c->allocation_count, 0);
  bed_close(&bed);
  return rc;
}

static void begin(void) {
  supports_says = setup_says = GB_OK;
  misuses = false;
}

static void tells_what_setup_declares(void) {
  struct case_report report;
  struct err err = {0};
  begin();
  ASSERT_EQ_INT(declare(&report, &err), 0);
  ASSERT_EQ_INT(told_count, 2);
  ASSERT_EQ_STR(told[0].name, "x");
  ASSERT_EQ_INT(told[0].role, GB_IN);
  ASSERT_EQ_INT(told[0].rank, 2);
  ASSERT_EQ_INT(told[0].shape[1], 5);
  ASSERT_EQ_INT(told[0].strides[0], 8);
  ASSERT_EQ_INT(told[0].bytes, (2 * 8 + 5) * 4);
  ASSERT_EQ_INT(told[0].align, 256);
  ASSERT_EQ_INT(told[0].offset, 4);
  ASSERT_NEAR(told[0].fill_b, 2, 0);
  ASSERT_EQ_INT(told[1].dtype, GB_DTYPE_BF16);
  ASSERT_EQ_INT(told[1].reduction, 1);
  ASSERT_EQ_INT(report.flops, 7);
  ASSERT_EQ_INT(report.items, 2);
  ASSERT_EQ_STR(report.item_unit, "rows");
  ASSERT_EQ_INT(taken_down, 1);
  ASSERT_EQ_INT(allocated, 100); /* allocated by `setup` itself; no tensor */
}

static void a_refused_point_is_not_set_up(void) {
  struct case_report report;
  struct err err = {0};
  begin();
  supports_says = GB_SKIP;
  ASSERT_EQ_INT(declare(&report, &err), -1);
  ASSERT_EQ_STR(err.text, "supports: not today");
  ASSERT_EQ_INT(err.exit_code, EXIT_FAILED);
  ASSERT_EQ_INT(supported, 1);
  ASSERT_EQ_INT(set_up + taken_down, 0);
}

/* Calls `teardown`, as a run does, after each `setup` that returned GB_OK, even if gpubench rejects the case. */
static void teardown_follows_setup(void) {
  struct case_report report;
  struct err err = {0}, misuse = {0};
  begin();
  setup_says = GB_EFAIL;
  ASSERT_EQ_INT(declare(&report, &err), -1);
  ASSERT_EQ_STR(err.text, "setup: no milk");
  ASSERT_EQ_INT(taken_down, 0);
  ASSERT_EQ_INT(told_count, 0);
  begin();
  misuses = true;
  ASSERT_EQ_INT(declare(&report, &misuse), -1);
  ASSERT_HAS(misuse.text, "setup: bench 'test' has no axis 'no-such-axis'");
  ASSERT_EQ_INT(taken_down, 1);
  ASSERT_EQ_INT(told_count, 0);
}

UNIT_MAIN("declare", UNIT_TEST(tells_what_setup_declares), UNIT_TEST(a_refused_point_is_not_set_up),
          UNIT_TEST(teardown_follows_setup))
