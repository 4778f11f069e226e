/* How callbacks end, whose memory is whose, and what services refuse. */
#include "case/case.h"

#include "fixture_case.h"
#include "model/dtype.h"

static struct bed bed;
static struct outcome outcome;

/* A callback of the variant 2 that says `message` (NULL: nothing), misuses a service or not, and returns `status`. */
static enum outcome_kind ends(enum phase phase, const char *message, bool misuse, gb_status status) {
  call_begin(bed.c, phase, 2);
  if (message != NULL) gb.host->fail(gb.host, bed.c, status, message);
  if (misuse) gb.point->i64(bed.c, "nowhere");
  call_end(bed.c, status, &outcome);
  return outcome.kind;
}

static void outcomes(void) {
  bed_open(&bed);
  ASSERT_EQ_INT(ends(PHASE_RUN, NULL, false, GB_OK), OUTCOME_OK);
  ASSERT_EQ_STR(outcome.message, "");
  ASSERT_EQ_INT(ends(PHASE_RUN, "all is well", false, GB_OK), OUTCOME_OK);
  ASSERT_EQ_STR(outcome.message, "");
  ASSERT_EQ_INT(ends(PHASE_SUPPORTS, "too large", false, GB_SKIP), OUTCOME_SKIP);
  ASSERT_EQ_STR(outcome.message, "too large");
  ASSERT_EQ_INT(ends(PHASE_PREPARE, "needs more", false, GB_ENOMEM), OUTCOME_NO_MEMORY);
  static const gb_status failures[] = {GB_EINVAL, GB_EDEVICE, GB_ENOTSUP, GB_EFAIL, -99, 77};
  for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
    ASSERT_EQ_INT(ends(PHASE_RUN, "broken", false, failures[i]), OUTCOME_FAIL);
    ASSERT_EQ_STR(outcome.message, "broken");
  }
  bed_close(&bed);
}

static void what_says_nothing_is_a_defect(void) {
  bed_open(&bed);
  ASSERT_EQ_INT(ends(PHASE_RUN, NULL, false, GB_EFAIL), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "run returned an error (-5) without a message: a defect of the plugin");
  ASSERT_EQ_INT(ends(PHASE_PREPARE, "", false, GB_ENOMEM), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "prepare returned an error (-2) without a message: a defect of the plugin");
  ASSERT_EQ_INT(ends(PHASE_SUPPORTS, NULL, false, GB_SKIP), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "supports returned GB_SKIP (1) without a reason: a defect of the plugin");
  ASSERT_EQ_INT(ends(PHASE_SETUP, NULL, false, 77), OUTCOME_FAIL);
  ASSERT_EQ_STR(outcome.message, "setup returned an error (77) without a message: a defect of the plugin");
  bed_close(&bed);
}

static void misuse_fails_whatever_is_returned(void) {
  static const gb_status returned[] = {GB_OK, GB_SKIP, GB_ENOMEM, GB_EFAIL};
  bed_open(&bed);
  for (size_t i = 0; i < sizeof returned / sizeof returned[0]; i++) {
    ASSERT_EQ_INT(ends(PHASE_SUPPORTS, NULL, true, returned[i]), OUTCOME_FAIL);
    ASSERT_EQ_STR(outcome.message, "bench 'test' has no axis 'nowhere'");
  }
  ASSERT_EQ_INT(ends(PHASE_RUN, NULL, false, GB_OK), OUTCOME_OK); /* and is forgotten by the next */
  bed_close(&bed);
}

static void the_first_message_wins(void) {
  char text[2000];
  bed_open(&bed);
  call_begin(bed.c, PHASE_RUN, 0);
  gb.host->fail(gb.host, bed.c, GB_EFAIL, "first\x1B");
  gb.host->fail(gb.host, bed.c, GB_EFAIL, "second");
  gb.point->i64(bed.c, "third");
  call_end(bed.c, GB_EFAIL, &outcome);
  ASSERT_EQ_STR(outcome.message, "first?");
  memset(text, 'm', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  ASSERT_EQ_INT(ends(PHASE_RUN, text, false, GB_EFAIL), OUTCOME_FAIL);
  ASSERT_TRUE(strlen(outcome.message) >= 1000 && strlen(outcome.message) < MSG_SIZE);
  bed_close(&bed);
}

static void phases_are_marked(void) {
  bed_open(&bed);
  call_begin(bed.c, PHASE_PREPARE, 5);
  ASSERT_EQ_INT(bed.page.phase, PHASE_PREPARE);
  ASSERT_EQ_INT(bed.page.variant, 5);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(bed.page.phase, PHASE_IDLE);
  bed_close(&bed);
}

/* ---- Memory ---- */

static bool is_all(const unsigned char *memory, size_t bytes, int value) {
  for (size_t i = 0; i < bytes; i++)
    if (memory[i] != value) return false;
  return true;
}

static void memory_is_poisoned_aligned_and_owned(void) {
  bed_open(&bed);
  call_begin(bed.c, PHASE_PREPARE, 1);
  unsigned char *a = gb.mem->alloc(bed.c, GB_MEM_DEVICE, 1000), *b = gb.mem->alloc(bed.c, GB_MEM_HOST, 1);
  call_end(bed.c, GB_OK, &outcome);
  call_begin(bed.c, PHASE_PREPARE, 2);
  unsigned char *d = gb.mem->alloc(bed.c, GB_MEM_PINNED, 24), *e = gb.mem->alloc(bed.c, GB_MEM_DEVICE, 0);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_TRUE(a != NULL && b != NULL && d != NULL && e != NULL);
  ASSERT_TRUE(is_all(a, 1000, 0xFF) && is_all(b, 1, 0xFF) && is_all(d, 24, 0xFF));
  ASSERT_TRUE((uintptr_t)a % 256 == 0 && (uintptr_t)b % 256 == 0);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 1), 1001);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 2), 24);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, OWNER_BENCH), 0);
  call_begin(bed.c, PHASE_PREPARE, 1);
  gb.mem->free(bed.c, a);
  gb.mem->free(bed.c, NULL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 1), 1);
  case_free_owned(bed.c, 2);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 2), 0);
  ASSERT_EQ_INT(bed.c->allocation_count, 1);
  bed_close(&bed); /* frees b; the sanitizer would see the rest */
}

static void there_is_not_enough(void) {
  bed_open(&bed);
  static const uint64_t sizes[] = {UINT64_C(1) << 50, UINT64_C(1) << 45, UINT64_MAX};
  static const char *const needs[] = {"needs 1.1 PB, ", "needs 35 TB, ", "needs 18447 PB, "};
  for (size_t i = 0; i < 3; i++) {
    call_begin(bed.c, PHASE_PREPARE, 0);
    ASSERT_TRUE(gb.mem->alloc(bed.c, GB_MEM_DEVICE, sizes[i]) == NULL);
    call_end(bed.c, GB_ENOMEM, &outcome);
    ASSERT_EQ_INT(outcome.kind, OUTCOME_NO_MEMORY);
    ASSERT_HAS(outcome.message, needs[i]);
    ASSERT_HAS(outcome.message, " free");
  }
  ASSERT_EQ_INT(bed.c->allocation_count, 0);
  bed_close(&bed);
}

static int64_t unknown_memory(struct device *device) {
  (void)device;
  return -1;
}

static void free_memory_may_be_unknown(void) {
  bed_open(&bed);
  struct device_ops ops = *bed.device->ops;
  ops.memory_free = unknown_memory;
  struct device blind = {.ops = &ops, .facts = bed.device->facts};
  bed.c->device = &blind;
  call_begin(bed.c, PHASE_PREPARE, 0);
  ASSERT_TRUE(gb.mem->alloc(bed.c, GB_MEM_DEVICE, UINT64_C(1) << 50) == NULL);
  call_end(bed.c, GB_ENOMEM, &outcome);
  ASSERT_EQ_STR(outcome.message, "needs 1.1 PB, more than there is");
  bed.c->device = bed.device;
  bed_close(&bed);
}

static void memory_services_have_their_places(void) {
  int own = 0;
  bed_open(&bed);
  call_begin(bed.c, PHASE_PREPARE, 0);
  void *memory = gb.mem->alloc(bed.c, GB_MEM_DEVICE, 8);
  call_end(bed.c, GB_OK, &outcome);
  call_begin(bed.c, PHASE_RUN, 0);
  ASSERT_TRUE(gb.mem->alloc(bed.c, GB_MEM_DEVICE, 8) == NULL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.mem/1 alloc is for setup and prepare, not run");
  call_begin(bed.c, PHASE_RUN, 0);
  gb.mem->free(bed.c, memory);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.mem/1 free is not for run");
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 0), 8);
  call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
  ASSERT_TRUE(gb.mem->alloc(bed.c, 9, 8) == NULL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.mem/1 alloc: kind 9, known are 1 to 3");
  call_begin(bed.c, PHASE_RELEASE, 0);
  gb.mem->free(bed.c, &own);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_FAIL);
  ASSERT_HAS(outcome.message, "was not allocated here");
  bed_close(&bed);
}

/* ---- Facts ---- */

static void native_math_is_the_inputs(void) {
  static const struct {
    uint32_t dtype;
    const char *math;
  } rows[] = {{GB_DTYPE_F64, "fp64"},  {GB_DTYPE_F32, "fp32"}, {GB_DTYPE_F16, "fp16"},
              {GB_DTYPE_BF16, "bf16"}, {GB_DTYPE_I32, "fp32"}, {GB_DTYPE_U8, "fp32"}};
  const int64_t n = 4;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    bed_open(&bed);
    ASSERT_EQ_STR(case_math(bed.c, "native"), "fp32");
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F64, &n)), "");
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("x", i % 2 ? GB_IN : GB_INOUT, rows[i].dtype, &n)), "");
    ASSERT_EQ_STR(case_math(bed.c, "native"), rows[i].math);
    ASSERT_EQ_STR(case_math(bed.c, "tf32"), "tf32");
    bed_close(&bed);
  }
}

static void points_answer_by_name_and_type(void) {
  bed_open(&bed);
  bed.c->point.count = 2;
  bed.c->point.values[0] = (struct axis_value){.name = "n", .type = AXIS_I64, .i64 = 7, .str = "7"};
  bed.c->point.values[1] = (struct axis_value){.name = "dtype", .type = AXIS_STR, .str = "bf16"};
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_EQ_INT(gb.point->i64(bed.c, "n"), 7);
  ASSERT_EQ_STR(gb.point->str(bed.c, "dtype"), "bf16");
  ASSERT_EQ_STR(gb.device->str(bed.c, "backend"), "cpu");
  ASSERT_TRUE(gb.device->i64(bed.c, "threads") >= 1 && gb.device->i64(bed.c, "of_the_future") == -1);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_NEAR(gb.point->f64(bed.c, "n"), 0, 0);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "axis 'n' has type 1, asked for as type 2");
  call_begin(bed.c, PHASE_SUPPORTS, 0);
  ASSERT_EQ_STR(gb.point->str(bed.c, NULL), "");
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "bench 'test' has no axis ''");
  bed_close(&bed);
}

/* The plugin's own memory is its own as soon as the call has returned. */
static void work_is_copied(void) {
  char unit[] = "rows";
  gb_work work = {GB_SIZE(gb_work), .flops = 5, .items = 3, .item_unit = unit};
  bed_open(&bed);
  call_begin(bed.c, PHASE_SETUP, OWNER_BENCH);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_OK);
  work.flops = 6;
  ASSERT_EQ_INT(bed.c->work.flops, 5);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_OK);
  ASSERT_EQ_INT(bed.c->work.flops, 6);
  unit[0] = '!'; /* the plugin's own text may go away after setup */
  ASSERT_HAS(bed.c->work.item_unit, "o");
  ASSERT_TRUE(bed.c->work.item_unit[0] != '!');
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  call_begin(bed.c, PHASE_RUN, 0);
  ASSERT_EQ_INT(gb.point->work(bed.c, &work), GB_EINVAL);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.case/1 work is for setup, not run");
  bed_close(&bed);
}

UNIT_MAIN("instance", UNIT_TEST(outcomes), UNIT_TEST(what_says_nothing_is_a_defect),
          UNIT_TEST(misuse_fails_whatever_is_returned), UNIT_TEST(the_first_message_wins), UNIT_TEST(phases_are_marked),
          UNIT_TEST(memory_is_poisoned_aligned_and_owned), UNIT_TEST(there_is_not_enough),
          UNIT_TEST(free_memory_may_be_unknown), UNIT_TEST(memory_services_have_their_places),
          UNIT_TEST(native_math_is_the_inputs), UNIT_TEST(points_answer_by_name_and_type), UNIT_TEST(work_is_copied))
