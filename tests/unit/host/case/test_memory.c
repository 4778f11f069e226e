/* Tests gb.mem, the service for memory: who owns it, when it is freed, and what the service refuses. */
#include "case/memory.h"

#include "case/calls.h"
#include "fixture_case.h"

static struct bed bed;
static struct outcome outcome;

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
  bed_close(&bed); /* frees b; a sanitizer would report anything else */
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

static gb_status claims(enum phase phase, int owner, uint32_t kind, uint64_t bytes) {
  call_begin(bed.c, phase, owner);
  gb_status status = gb.mem->claim(bed.c, kind, bytes);
  call_end(bed.c, status, &outcome);
  return status;
}

static void what_lies_elsewhere_counts_too(void) {
  bed_open(&bed);
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, GB_MEM_DEVICE, 1000), GB_OK);
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, GB_MEM_PINNED, 24), GB_OK);
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, GB_MEM_DEVICE, 500), GB_OK); /* replaces the former claim */
  ASSERT_EQ_INT(claims(PHASE_SETUP, OWNER_BENCH, GB_MEM_HOST, 7), GB_OK);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 1), 524);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, OWNER_BENCH), 7);
  gb.mem->free(bed.c, NULL); /* does not count as a claim */
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, GB_MEM_DEVICE, 0), GB_OK);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 1), 24);
  case_free_owned(bed.c, 1);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 1), 0);
  bed.c->memory_limit = 1007;
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, GB_MEM_DEVICE, 1000), GB_OK);
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, GB_MEM_HOST, 1), GB_ENOMEM);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_NO_MEMORY);
  ASSERT_HAS(outcome.message, "--memory-limit allows 1.0 kB");
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 2, GB_MEM_DEVICE, UINT64_MAX), GB_ENOMEM);
  ASSERT_HAS(outcome.message, "needs 18447 PB");
  ASSERT_EQ_INT(claims(PHASE_RUN, 1, GB_MEM_DEVICE, 1), GB_EINVAL);
  ASSERT_EQ_STR(outcome.message, "gb.mem/1 claim is for setup and prepare, not run");
  ASSERT_EQ_INT(claims(PHASE_PREPARE, 1, 4, 1), GB_EINVAL);
  ASSERT_EQ_STR(outcome.message, "gb.mem/1 claim: kind 4, known are 1 to 3");
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
  ASSERT_EQ_STR(outcome.message, "needs 1.1 PB, more than the device has");
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
  call_begin(bed.c, PHASE_BEFORE, 0);
  gb.mem->free(bed.c, memory);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, "gb.mem/1 free is not for before");
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

UNIT_MAIN("memory", UNIT_TEST(memory_is_poisoned_aligned_and_owned), UNIT_TEST(there_is_not_enough),
          UNIT_TEST(what_lies_elsewhere_counts_too), UNIT_TEST(free_memory_may_be_unknown),
          UNIT_TEST(memory_services_have_their_places))
