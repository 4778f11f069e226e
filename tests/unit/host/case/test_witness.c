/* Tests the detection of late writes, that is outputs which change after the clock stopped. The test plays the variant
 * and a thread for which the variant does not wait. */
#include "case/witness.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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
  witness_draw(bed.c, WITNESS_POISON);
}

static unsigned char *bytes(void) {
  return tensor_find(bed.c, "y")->data;
}

static void take(void) {
  ASSERT_EQ_INT(witness_take(bed.c, false, &err), 0);
}

/* Returns the name of the output that was written late, or "". */
static const char *look(uint64_t *element) {
  struct witness_finding late;
  witness_look_at_memory(bed.c, &late);
  ASSERT_TRUE(late.output == NULL);
  ASSERT_EQ_INT(witness_look(bed.c, &late, &err), 0);
  *element = late.element;
  return late.output != NULL ? late.output : "";
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

/* Outputs that change after the clock stopped are found, whatever values they had before, and however late they are
 * examined. */
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

/* The rows of a tensor are 5 elements apart and have 3 each. The 2 elements between rows are no output and need not be
 * written. */
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
  witness_draw(bed.c, WITNESS_POISON);
  for (int row = 0; row < 8; row++)
    memset(bytes() + 20 * row, 1, 12);
  take();
  ASSERT_EQ_STR(look(&element), "");
  memset(bytes() + 20 * 7 + 8, 2, 4);
  ASSERT_EQ_STR(look(&element), "y");
  ASSERT_EQ_INT(element, 23);
  bed_close(&bed);
}

/* ---- Slots without complete poison ---- */

/* Begins a slot whose outputs already hold the right results, and changes ("plants") some elements before the last
 * sample. The variant must write these elements again before the clock stops. */
static void plant(uint32_t role, uint32_t dtype, enum witness_ground ground) {
  begin(role, dtype);
  memset(bytes(), 0x31, (size_t)tensor_bytes(tensor_find(bed.c, "y")));
  bed.c->secret = 77;
  witness_draw(bed.c, ground);
  ASSERT_EQ_INT(witness_plant(bed.c, &err), 0);
}

static size_t planted(void) {
  const size_t size = (size_t)tensor_bytes(tensor_find(bed.c, "y"));
  size_t count = 0;
  for (size_t i = 0; i < size; i++)
    count += bytes()[i] != 0x31;
  return count;
}

static void few_elements_are_changed_and_written_again(void) {
  static const uint32_t dtypes[] = {GB_DTYPE_F64,  GB_DTYPE_F32, GB_DTYPE_F16, GB_DTYPE_BF16,
                                    GB_DTYPE_E4M3, GB_DTYPE_I32, GB_DTYPE_U8};
  for (size_t i = 0; i < sizeof dtypes / sizeof dtypes[0]; i++) {
    uint64_t element = 99;
    plant(GB_OUT, dtypes[i], WITNESS_RIGHT);
    ASSERT_TRUE(planted() > 0 && planted() <= 16);
    memset(bytes(), 0x31, (size_t)tensor_bytes(tensor_find(bed.c, "y")));
    take();
    ASSERT_EQ_STR(look(&element), "");
    bed_close(&bed);
  }
}

/* If a planted value (a changed element) is still there when the clock stops, the outputs were not written in time,
 * even if they are written later. */
static void what_stays_planted_was_not_written(void) {
  static const uint32_t dtypes[] = {GB_DTYPE_F64, GB_DTYPE_BF16, GB_DTYPE_E4M3, GB_DTYPE_F32};
  for (int i = 0; i < 4; i++)
    for (int late = 0; late < 2; late++) {
      uint64_t element = 99;
      plant(GB_OUT, dtypes[i], i < 3 ? WITNESS_RIGHT : WITNESS_ANY);
      take();
      if (late) memset(bytes(), 0x31, (size_t)tensor_bytes(tensor_find(bed.c, "y")));
      ASSERT_EQ_STR(look(&element), "y");
      bed_close(&bed);
    }
}

/* A planted value that stays may be the right result by chance if it is an integer or a single 8-bit value. Then it is
 * not reported as a late write. */
static void what_may_be_a_result_is_none_of_it(void) {
  uint64_t element = 99;
  plant(GB_OUT, GB_DTYPE_I32, WITNESS_RIGHT);
  take();
  ASSERT_EQ_STR(look(&element), "");
  memset(bytes(), 0x31, N * sizeof(int32_t));
  ASSERT_EQ_STR(look(&element), "y");
  bed_close(&bed);
  plant(GB_OUT, GB_DTYPE_E4M3, WITNESS_RIGHT);
  memset(bytes(), 0x31, N - 1); /* the last element is always examined */
  take();
  ASSERT_EQ_STR(look(&element), "");
  bed_close(&bed);
}

/* `run` reads the values of an inout tensor, so none of them is changed before the last sample. */
static void inout_is_left_alone(void) {
  uint64_t element = 99;
  plant(GB_INOUT, GB_DTYPE_F32, WITNESS_RIGHT);
  ASSERT_EQ_INT(planted(), 0);
  take();
  ASSERT_EQ_STR(look(&element), "");
  memset(bytes(), 1, N * sizeof(float));
  ASSERT_EQ_STR(look(&element), "y");
  bed_close(&bed);
}

static void places_differ_from_slot_to_slot(void) {
  unsigned char before[N * sizeof(float)];
  plant(GB_OUT, GB_DTYPE_F32, WITNESS_RIGHT);
  memcpy(before, bytes(), sizeof before);
  memset(bytes(), 0x31, sizeof before);
  witness_draw(bed.c, WITNESS_RIGHT);
  ASSERT_EQ_INT(witness_plant(bed.c, &err), 0);
  ASSERT_TRUE(memcmp(before, bytes(), sizeof before) != 0);
  bed_close(&bed);
}

/* If a case has many outputs, each slot examines only some of them. Over many slots each output is examined sometimes,
 * and none always. */
static void of_many_outputs_some_are_looked_at(void) {
  enum { OUTPUTS = 40, SLOTS = 300 };
  uint32_t looked[OUTPUTS] = {0};
  char name[8];
  bed_open(&bed);
  for (int i = 0; i < OUTPUTS; i++) {
    snprintf(name, sizeof name, "y%d", i);
    ASSERT_EQ_STR(bed_declare(&bed, bed_tensor(name, GB_OUT, GB_DTYPE_F32, &length)), "");
  }
  bed_fill(&bed, 1);
  ASSERT_TRUE(witness_open(bed.c));
  for (int slot = 0; slot < SLOTS; slot++) {
    for (int i = 0; i < OUTPUTS; i++)
      memset(bed.c->tensors[i].data, 0x31, N * sizeof(float));
    witness_draw(bed.c, WITNESS_RIGHT);
    ASSERT_EQ_INT(witness_plant(bed.c, &err), 0);
    for (int i = 0; i < OUTPUTS; i++)
      for (int j = 0; j < N; j++)
        if (((const uint32_t *)bed.c->tensors[i].data)[j] != 0x31313131) {
          looked[i]++;
          break;
        }
    take();
  }
  for (int i = 0; i < OUTPUTS; i++)
    ASSERT_TRUE(looked[i] > 0 && looked[i] < SLOTS);
  bed_close(&bed);
}

/* ---- Outputs that lie in other memory ---- */

static float made[N];

/* Plays a variant that computed its output in the memory `made` and will copy it to the tensor later. */
static void take_away(const void *memory) {
  begin(GB_OUT, GB_DTYPE_F32);
  for (int i = 0; i < N; i++)
    made[i] = (float)i;
  tensor_find(bed.c, "y")->lies_at = memory;
  ASSERT_EQ_INT(witness_take(bed.c, true, &err), 0);
}

static void what_is_made_elsewhere_is_looked_at_there(void) {
  uint64_t element = 99;
  take_away(made);
  ASSERT_EQ_STR(look(&element), ""); /* no late write is reported */
  made[N - 1] = -1;
  ASSERT_EQ_STR(look(&element), "y");
  ASSERT_EQ_INT(element, N - 1);
  bed_close(&bed);
}

static void what_is_delivered_was_there_before(void) {
  uint64_t element = 99;
  for (int late = 0; late < 2; late++) {
    take_away(made);
    memcpy(bytes(), made, sizeof made);
    if (late) bytes()[0] ^= 1;
    bed.c->delivered = true;
    ASSERT_EQ_STR(look(&element), late ? "y" : "");
    bed_close(&bed);
  }
}

/* No late write is reported if the memory of the output is not declared or cannot be read. */
static void what_is_not_said_has_no_witness(void) {
  uint64_t element = 99;
  void *locked = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  take_away(NULL);
  ASSERT_EQ_STR(look(&element), "");
  bed_close(&bed);
  take_away(locked);
  ASSERT_EQ_STR(look(&element), "");
  bed_close(&bed);
  munmap(locked, 4096);
}

/* ---- Memory ---- */

enum { LARGE = 1 << 20, PAGE = 4096 };
static const int64_t large = LARGE / sizeof(float);

/* Runs a slot in which `spoil` was applied to a page in the middle of the output. */
static void spoilt(void (*spoil)(char *page), const char *expected) {
  struct witness_finding found;
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &large)), "");
  bed_fill(&bed, 1);
  ASSERT_EQ_INT(tensors_poison(bed.c, &err), 0);
  ASSERT_TRUE(witness_open(bed.c));
  witness_draw(bed.c, WITNESS_ANY);
  char *page = (char *)(((uintptr_t)bytes() + LARGE / 2) & ~(uintptr_t)(PAGE - 1)); /* NOLINT: an address */
  if (spoil != NULL) spoil(page);
  for (int slot = 0; slot < 64 && (slot == 0 || (found.absent == NULL && expected[0] != '\0')); slot++) {
    witness_draw(bed.c, WITNESS_ANY); /* on old kernels the mappings are not examined in every slot */
    take();
    witness_look_at_memory(bed.c, &found);
  }
  ASSERT_EQ_STR(found.absent != NULL ? found.absent : "", expected);
  ASSERT_EQ_STR(found.output != NULL ? found.output : "", expected[0] != '\0' ? "y" : "");
  if (spoil != NULL) {
    void *fresh = mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    ASSERT_TRUE(fresh == page);
  }
  bed_close(&bed);
}

static void protects(char *page) {
  ASSERT_EQ_INT(mprotect(page, PAGE, PROT_NONE), 0);
}

static void only_reads(char *page) {
  ASSERT_EQ_INT(mprotect(page, PAGE, PROT_READ), 0);
}

static void unmaps(char *page) {
  ASSERT_EQ_INT(munmap(page, PAGE), 0);
}

static void drops(char *page) {
  ASSERT_EQ_INT(madvise(page, PAGE, MADV_DONTNEED), 0);
}

static void maps_anew(char *page) {
  ASSERT_TRUE(mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page);
}

/* aliases() and maps_a_file() let a page share its contents with other memory, by a second mapping and by a file. */
static void aliases(char *page) {
  char *other = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_TRUE(other != MAP_FAILED);
  memset(other, 1, PAGE);
  ASSERT_TRUE(mremap(other, 0, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, page) == page);
  page[0] = 2;
}

static void maps_a_file(char *page) {
  const int file = memfd_create("test", 0);
  ASSERT_EQ_INT(ftruncate(file, PAGE), 0);
  ASSERT_TRUE(mmap(page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0) == page);
  memset(page, 1, PAGE); /* writing makes a private copy of the mapped page */
  close(file);
}

static void memory_holds_the_outputs_by_itself(void) {
  spoilt(NULL, "");
  spoilt(protects, "may not be read or written");
  spoilt(only_reads, "may not be read or written");
  spoilt(unmaps, "is not there yet");
  spoilt(drops, "is not there yet");
  spoilt(maps_anew, "is not there yet");
  spoilt(aliases, "is shared with other memory");
  spoilt(maps_a_file, "is shared with other memory");
}

/* Counts the faults that serve() handles. A plugin's handler could do its work when memory is first read, so the
 * examination of the outputs must not cause a fault. */
static volatile sig_atomic_t faults;

static void serve(int number, siginfo_t *info, void *context) {
  (void)number, (void)context;
  faults++;
  (void)mprotect((void *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1)), PAGE,
                 PROT_READ | PROT_WRITE); /* NOLINT */
}

static void no_fault_is_served(void) {
  struct sigaction action = {.sa_sigaction = serve, .sa_flags = SA_SIGINFO}, before;
  struct witness_finding found;
  sigaction(SIGSEGV, &action, &before);
  bed_open(&bed);
  ASSERT_EQ_STR(bed_declare(&bed, bed_tensor("y", GB_OUT, GB_DTYPE_F32, &large)), "");
  bed_fill(&bed, 1);
  ASSERT_TRUE(witness_open(bed.c));
  witness_draw(bed.c, WITNESS_POISON);
  char *page = (char *)(((uintptr_t)bytes() + PAGE - 1) & ~(uintptr_t)(PAGE - 1)); /* NOLINT: an address */
  ASSERT_EQ_INT(mprotect(page, LARGE - 2 * PAGE, PROT_NONE), 0);
  take();
  witness_look_at_memory(bed.c, &found);
  ASSERT_EQ_STR(found.absent, "may not be read or written");
  ASSERT_EQ_INT(faults, 0);
  ASSERT_EQ_INT(mprotect(page, LARGE - 2 * PAGE, PROT_READ | PROT_WRITE), 0);
  sigaction(SIGSEGV, &before, NULL);
  bed_close(&bed);
}

UNIT_MAIN("witness", UNIT_TEST(work_that_is_done), UNIT_TEST(what_is_still_poison_was_not_written),
          UNIT_TEST(what_changes_afterwards_came_late), UNIT_TEST(an_integer_may_be_what_poison_is),
          UNIT_TEST(gaps_are_not_looked_at), UNIT_TEST(few_elements_are_changed_and_written_again),
          UNIT_TEST(what_stays_planted_was_not_written), UNIT_TEST(what_may_be_a_result_is_none_of_it),
          UNIT_TEST(inout_is_left_alone), UNIT_TEST(places_differ_from_slot_to_slot),
          UNIT_TEST(of_many_outputs_some_are_looked_at), UNIT_TEST(what_is_made_elsewhere_is_looked_at_there),
          UNIT_TEST(what_is_delivered_was_there_before), UNIT_TEST(what_is_not_said_has_no_witness),
          UNIT_TEST(memory_holds_the_outputs_by_itself), UNIT_TEST(no_fault_is_served))
