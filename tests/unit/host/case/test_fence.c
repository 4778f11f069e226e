/* Tests fences: pages around the tensors and the memory of a case that cannot be accessed. */
#include "case/fence.h"

#include <sys/wait.h>
#include <unistd.h>

#include "case/memory.h"
#include "fixture_case.h"

static struct bed bed;

static const int64_t length = 100;

static void open_fenced(enum fence fence, uint64_t offset) {
  struct err err = {0};
  gb_tensor y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &length);
  y.offset_bytes = offset;
  bed_open(&bed);
  bed.c->fence = fence;
  ASSERT_EQ_STR(bed_declare(&bed, y), "");
  bed_fill(&bed, 1);
  ASSERT_EQ_INT(tensors_guard(bed.c, &err), 0);
}

/* Returns true if a process that reads this byte ends. */
static bool is_deadly(const void *at) {
  int status = 0;
  const pid_t pid = fork();
  if (pid == 0) {
    (void)*(const volatile char *)at;
    _exit(0);
  }
  return waitpid(pid, &status, 0) == pid && !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void tensors_end_at_a_fence(void) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  open_fenced(FENCE_BEHIND, 4);
  const struct tensor *t = &bed.c->tensors[0];
  const uintptr_t start = (uintptr_t)t->data, end = start + 4 * (uint64_t)length;
  ASSERT_EQ_INT(start % 256, 4);
  ASSERT_EQ_INT((end + t->guard_behind) % page, 0);
  ASSERT_TRUE(t->guard_behind < 256);
  ASSERT_EQ_INT(t->guard_before, GUARD_SIZE);
  ASSERT_TRUE(is_deadly((char *)end + t->guard_behind));
  ASSERT_TRUE(is_deadly((char *)end + t->guard_behind + FENCE_BYTES - 1));
  ASSERT_TRUE(!is_deadly((char *)end + t->guard_behind - 1));
  bed_close(&bed);
}

static void tensors_begin_at_a_fence(void) {
  open_fenced(FENCE_BEFORE, 8);
  const struct tensor *t = &bed.c->tensors[0];
  ASSERT_EQ_INT((uintptr_t)t->data % 4096, 8);
  ASSERT_EQ_INT(t->guard_before, 8);
  ASSERT_EQ_INT(t->guard_behind, GUARD_SIZE);
  ASSERT_TRUE(is_deadly((char *)t->data - 9));
  ASSERT_TRUE(!is_deadly((char *)t->data - 8));
  bed_close(&bed);
}

/* What the alignment leaves between the tensor and the fence is a guard. */
static void writes_before_the_fence_are_found(void) {
  struct err err = {0};
  uint64_t changed = 1;
  int64_t first = 0;
  open_fenced(FENCE_BEHIND, 0);
  const struct tensor *t = &bed.c->tensors[0];
  ASSERT_EQ_INT(tensor_guards(bed.c, t, &changed, &first, &err), 0);
  ASSERT_EQ_INT(changed, 0);
  ((char *)t->data)[400] ^= 1;
  ((char *)t->data)[-1] ^= 1;
  ASSERT_EQ_INT(tensor_guards(bed.c, t, &changed, &first, &err), 0);
  ASSERT_EQ_INT(changed, 2);
  ASSERT_EQ_INT(first, -1);
  bed_close(&bed);
}

static void memory_of_plugins_has_fences_and_guards(void) {
  struct overrun found;
  struct outcome outcome;
  struct err err = {0};
  open_fenced(FENCE_BEFORE, 0);
  call_begin(bed.c, PHASE_PREPARE, 1);
  char *memory = gb.mem->alloc(bed.c, GB_MEM_HOST, 1000);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_TRUE(memory != NULL);
  ASSERT_EQ_INT((uintptr_t)memory % 4096, 0);
  ASSERT_EQ_INT(case_fenced_bytes(bed.c, 1), 1000);
  ASSERT_TRUE(is_deadly(memory + 3 * 4096));
  ASSERT_TRUE(is_deadly(memory - 2 * 4096));
  memory[1000] ^= 1;
  ASSERT_EQ_INT(guards_look(bed.c, GUARDS_ALL, &found, &err), 0);
  ASSERT_EQ_INT(found.first, 1000);
  call_begin(bed.c, PHASE_RELEASE, 1);
  gb.mem->free(bed.c, memory);
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_INT(outcome.kind, OUTCOME_OK);
  ASSERT_EQ_INT(case_fenced_bytes(bed.c, 1), 0);
  ASSERT_TRUE(is_deadly(memory));
  bed_close(&bed);
}

static void without_address_space_there_are_none(void) {
  uint64_t bytes = 1;
  ASSERT_TRUE(fence_map(UINT64_C(1) << 60, &bytes) == NULL);
  ASSERT_EQ_INT(bytes, 0);
}

UNIT_MAIN("fence", UNIT_TEST(tensors_end_at_a_fence), UNIT_TEST(tensors_begin_at_a_fence),
          UNIT_TEST(writes_before_the_fence_are_found), UNIT_TEST(memory_of_plugins_has_fences_and_guards),
          UNIT_TEST(without_address_space_there_are_none))
