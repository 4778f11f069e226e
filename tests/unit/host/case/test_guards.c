/* Tests the guards: bytes before and after the memory that plugins get from gb.mem. A write beyond an end of the memory
 * changes a guard. */
#include "case/memory.h"

#include "fixture_case.h"

static struct bed bed;
static struct overrun found;

static void look(enum guards_reach reach) {
  struct err err = {0};
  ASSERT_EQ_INT(guards_look(bed.c, reach, &found, &err), 0);
}

static unsigned char *alloc(int owner, uint32_t kind, uint64_t bytes) {
  struct outcome outcome;
  call_begin(bed.c, PHASE_PREPARE, owner);
  unsigned char *memory = gb.mem->alloc(bed.c, kind, bytes);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_TRUE(memory != NULL);
  return memory;
}

static void writes_beside_memory_are_found_and_told_once(void) {
  bed_open(&bed);
  bed.c->secret = 12345;
  unsigned char *mine = alloc(2, GB_MEM_HOST, 100), *other = alloc(OWNER_BENCH, GB_MEM_PINNED, 7);
  alloc(0, GB_MEM_DEVICE, 0);
  memset(mine, 1, 100);
  look(GUARDS_ALL);
  ASSERT_EQ_INT(found.changed, 0);
  mine[100] ^= 1;
  mine[-1] ^= 0xFF;
  mine[-256] ^= 1;
  look(GUARDS_NEAR);
  ASSERT_EQ_INT(found.changed, 3);
  ASSERT_EQ_INT(found.first, -256);
  ASSERT_EQ_INT(found.bytes, 100);
  ASSERT_EQ_INT(found.owner, 2);
  look(GUARDS_NEAR);
  ASSERT_EQ_INT(found.changed, 0);
  other[7 + 255] ^= 4;
  look(GUARDS_ALL);
  ASSERT_EQ_INT(found.changed, 1);
  ASSERT_EQ_INT(found.first, 262);
  ASSERT_EQ_INT(found.owner, OWNER_BENCH);
  bed_close(&bed);
}

/* No two guards are equal, so an overrun is found even if it writes zeros or data of the memory itself. */
static void patterns_differ(void) {
  bed_open(&bed);
  bed.c->secret = 1;
  unsigned char *a = alloc(0, GB_MEM_HOST, 64), *b = alloc(0, GB_MEM_HOST, 64);
  ASSERT_TRUE(memcmp(a + 64, b + 64, GUARD_BYTES) != 0);
  ASSERT_TRUE(memcmp(a + 64, a - GUARD_BYTES, GUARD_BYTES) != 0);
  memcpy(a + 64, b + 64, GUARD_BYTES);
  look(GUARDS_ALL);
  ASSERT_TRUE(found.changed > 200);
  ASSERT_EQ_INT((uintptr_t)a % 4096, 0);
  bed_close(&bed);
}

static void freed_with_what_it_was_taken_with(void) {
  bed_open(&bed);
  struct outcome outcome;
  unsigned char *memory = alloc(1, GB_MEM_DEVICE, 32);
  call_begin(bed.c, PHASE_RELEASE, 1);
  gb.mem->free(bed.c, memory);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  ASSERT_EQ_INT(bed.c->allocation_count, 0);
  look(GUARDS_ALL);
  ASSERT_EQ_INT(found.changed, 0);
  bed_close(&bed);
}

UNIT_MAIN("guards", UNIT_TEST(writes_beside_memory_are_found_and_told_once), UNIT_TEST(patterns_differ),
          UNIT_TEST(freed_with_what_it_was_taken_with))
