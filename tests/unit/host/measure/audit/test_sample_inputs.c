/* Tests before which samples of a variant, and before how many, the inputs get new values. */
#include "measure/audit/sample_inputs.h"

#include <math.h>

#include "base/clock.h"
#include "case/input_pool.h"
#include "fixture_case.h"
#include "measure/audit/spot_check.h"
#include "measure/sampling.h"

struct stage {
  struct bed bed;
  struct case_request request;
  struct case_report report;
  struct variant variant;
  struct contestant k;
  struct measurement m;
  struct err err;
  uint32_t written; /* number of samples that got new inputs */
};

/* Sets up slots of `samples` samples on a CPU, in cold mode (the caches are emptied before each sample). */
static void stage_open(struct stage *s, uint32_t samples) {
  const int64_t length = 4096;
  *s = (struct stage){.request = {.mode = {TIMING_COLD, LOAD_PLAIN}, .case_time_s = 2}};
  bed_open(&s->bed);
  const gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &length);
  ASSERT_EQ_STR(bed_declare(&s->bed, x), "");
  bed_fill(&s->bed, 1);
  s->k = (struct contestant){.c = s->bed.c,
                             .variant = &s->variant,
                             .replicas = 1,
                             .slot_size = samples,
                             .cost_ns = 20e6 / samples,
                             .slot_wall_ns = 40e6,
                             .last_seed = 1};
  s->m = (struct measurement){.c = s->bed.c,
                              .request = &s->request,
                              .report = &s->report,
                              .contestants = &s->k,
                              .count = 1,
                              .replicas = 1,
                              .started_ns = 1,
                              .secret = 5};
  ASSERT_EQ_INT(sampling_open_inputs(&s->m, &s->err), 0);
  ASSERT_TRUE(s->m.rotates);
}

static void stage_close(struct stage *s) {
  contestant_free(&s->k);
  bed_close(&s->bed);
}

/* Goes through rounds without running anything. Returns the number of slots whose outputs were to be compared. */
static int rounds(struct stage *s, int count) {
  double ns[SLOT_SAMPLES_MAX];
  int judged = 0;
  for (uint32_t i = 0; i < SLOT_SAMPLES_MAX; i++)
    ns[i] = 1e6;
  for (int i = 0; i < count; i++) {
    const uint32_t samples = s->k.slot_size + 1;
    struct spot_check_round round;
    s->m.drawn_ns = clock_now_ns() - 40000000;
    ASSERT_EQ_INT(spot_check_round_begin(&s->m, STAGE_SAMPLING, &round, &s->err), 0);
    const struct spot_check check = spot_check_choose(&s->m, &round, &s->k);
    struct rotation rotation = sampling_rotation(&s->m, &s->k, &check);
    judged += check.judged;
    rotation.ends = rotation.judged;
    for (uint32_t sample = 1; sample < samples && rotation.share > 0; sample++)
      ASSERT_EQ_INT(sample_inputs_apply(s->bed.c, &rotation, sample, samples, &s->err), 0);
    const uint32_t written = sample_inputs_note(&s->k, &rotation, ns, 1, s->k.slot_size);
    s->written += written;
    s->m.rotations_s += written * s->m.rotation_s;
    ASSERT_EQ_INT(input_pool_put_back(s->bed.c, &s->err), 0);
    s->k.verified += check.judged;
  }
  return judged;
}

/* 40 slots of one sample each, as for a variant that takes a few milliseconds. Enough samples must get new inputs, and
 * some others inputs seen before, to tell whether the variant reuses results. */
static void slots_of_one_sample_have_new_inputs(void) {
  struct stage s;
  stage_open(&s, 1);
  s.m.rotation_s = 0.01;     /* writing inputs may take 3% of the time, which is enough for one sample in twenty */
  s.m.verification_s = 1e-4; /* comparing outputs is so fast that half of all slots could be compared */
  const int judged = rounds(&s, 40);
  ASSERT_TRUE(s.k.rotated.count[AUDIT_FRESH] >= 2 * SAMPLES_NEW_LEAST);
  ASSERT_TRUE(s.k.rotated.count[AUDIT_SEEN] >= 4);
  ASSERT_TRUE(judged >= 4);
  stage_close(&s);
}

/* After the first few samples with new inputs, writing further ones may take only a share of a case's time, however
 * large the inputs are. */
static void dear_inputs_are_written_seldom(void) {
  struct stage s;
  stage_open(&s, 10);
  s.m.rotation_s = 0.1;
  (void)rounds(&s, 40);
  ASSERT_TRUE(s.written >= 4 && s.written < 40);
  stage_close(&s);
}

/* Even a case with only the fewest rounds that allow a verdict has some samples with new inputs. */
static void a_few_slots_have_some(void) {
  struct stage s;
  stage_open(&s, 1);
  s.m.verification_s = 1e-4;
  (void)rounds(&s, 10);
  ASSERT_TRUE(s.k.rotated.count[AUDIT_FRESH] >= SAMPLES_NEW_LEAST);
  stage_close(&s);
}

/* On a device with a queue, a whole batch runs on the same inputs, so no time of a call on new inputs is ever noted.
 * Slots must be verified without waiting for such times. */
static void batches_in_a_queue_are_verified_at_once(void) {
  struct stage s;
  stage_open(&s, 10);
  s.request.mode = (struct mode){TIMING_HOT, LOAD_PLAIN};
  s.m.verification_s = 1e-4;
  s.bed.device->facts.traits |= DEVICE_QUEUES;
  ASSERT_TRUE(!sampling_needs_new(&s.m, &s.k));
  ASSERT_TRUE(rounds(&s, 40) >= 4);
  stage_close(&s);
}

/* If caches are not flushed, writing inputs slows calls on repeated inputs as well, which is no sign of reuse. This
 * effect is subtracted, but no more than writing can explain. */
static void what_writing_does_is_taken_off(void) {
  struct contestant k = {.replicas = 1};
  double ns = 0, uncertainty_ns = 0;
  for (int i = 0; i < 8; i++) {
    audit_note(&k.rotated, AUDIT_FRESH, 130e3 + i);
    audit_note(&k.rotated, AUDIT_SEEN, 120e3 + i);
  }
  sample_inputs_median(&k, &(struct row_median){.ns = 100e3}, &ns, &uncertainty_ns);
  ASSERT_NEAR(ns, 130e3, 10);
  sample_inputs_median(&k, &(struct row_median){.ns = 100e3, .writing_ns = 50e3}, &ns, &uncertainty_ns);
  ASSERT_NEAR(ns, 110e3, 10);
  sample_inputs_median(&k, &(struct row_median){.ns = 100e3, .writing_ns = 5e3}, &ns, &uncertainty_ns);
  ASSERT_NEAR(ns, 125e3, 10);
  ASSERT_TRUE(uncertainty_ns > 0 && uncertainty_ns < 10);
}

/* Samples that were discarded, because the device ran at another clock rate, are not compared with the others. */
static void what_is_set_aside_counts_no_more(void) {
  struct contestant k = {.replicas = 1};
  double ns = 0, uncertainty_ns = 0;
  for (int i = 0; i < 8; i++)
    audit_note(&k.rotated, AUDIT_FRESH, 130e3 + i);
  contestant_discard_samples(&k);
  sample_inputs_median(&k, &(struct row_median){.ns = 100e3}, &ns, &uncertainty_ns);
  ASSERT_TRUE(isnan(ns) && isnan(uncertainty_ns));
}

UNIT_MAIN("sample_inputs", UNIT_TEST(what_is_set_aside_counts_no_more), UNIT_TEST(slots_of_one_sample_have_new_inputs),
          UNIT_TEST(dear_inputs_are_written_seldom), UNIT_TEST(a_few_slots_have_some),
          UNIT_TEST(batches_in_a_queue_are_verified_at_once), UNIT_TEST(what_writing_does_is_taken_off))
