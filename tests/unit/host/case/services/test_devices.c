/* Tests the devices of a case: their number, their facts, and memory on each. */
#include "case/services/services.h"

#include <unistd.h>

#include "case/case.h"
#include "case/memory.h"
#include "fixture_case.h"

static struct bed bed;
static struct device *cpu;
static struct outcome outcome;

/* Opens a case with `count` devices: the axis "gpus" says how many the bench uses. The machine has three. */
static void open_case(int64_t count) {
  char path[] = "/tmp/test_devices.XXXXXX", spec[64];
  const char text[] = "[device]\nuuid = GPU-a\nothers = 2\n[*]\nns = 1000\n";
  struct err err = {0};
  const int file = mkstemp(path);
  if (file < 0 || write(file, text, sizeof text - 1) != (ssize_t)sizeof text - 1) abort();
  close(file);
  snprintf(spec, sizeof spec, "fake:%s", path);
  bed_open(&bed);
  cpu = bed.device;
  if (device_open(spec, &bed.device, &err) != 0) abort();
  unlink(path);
  bed.c->device = bed.device;
  bed.bench.desc.devices_axis = 2;
  bed.c->point.count = 2;
  bed.c->point.values[0] = (struct axis_value){.name = "n", .type = AXIS_I64, .i64 = 7};
  bed.c->point.values[1] = (struct axis_value){.name = "gpus", .type = AXIS_I64, .i64 = count};
}

static void close_case(void) {
  bed_close(&bed);
  cpu->ops->close(cpu);
}

static void begin(enum phase phase) {
  call_begin(bed.c, phase, phase == PHASE_SETUP ? OWNER_BENCH : 0);
}

static void ends_with(const char *message) {
  call_end(bed.c, GB_OK, &outcome);
  ASSERT_EQ_STR(outcome.message, message);
}

static void there_are_as_many_as_the_axis_says(void) {
  static const struct {
    int64_t count;
    const char *why;
  } cases[] = {{1, ""},
               {3, ""},
               {4, "gpus=4: here are 3 such devices"},
               {INT64_MAX, "gpus=9223372036854775807: here are 3 such devices"},
               {0, "gpus=0: a case works on 1 device or more"},
               {-1, "gpus=-1: a case works on 1 device or more"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char why[TEXT_SIZE] = "";
    open_case(cases[i].count);
    ASSERT_EQ_INT(case_has_devices(bed.c, why, sizeof why), cases[i].why[0] == '\0');
    ASSERT_EQ_STR(why, cases[i].why);
    begin(PHASE_SUPPORTS);
    if (cases[i].why[0] == '\0') ASSERT_EQ_INT(gb.devices->count(bed.c), cases[i].count);
    gb.devices->i64(bed.c, 3, "threads"); /* never more than there are */
    call_end(bed.c, GB_OK, &outcome);
    ASSERT_EQ_INT(outcome.kind, OUTCOME_FAIL);
    close_case();
  }
}

static void a_bench_without_the_axis_has_one(void) {
  open_case(3);
  bed.bench.desc.devices_axis = 0;
  begin(PHASE_PREPARE);
  ASSERT_EQ_INT(gb.devices->count(bed.c), 1);
  ASSERT_EQ_STR(gb.devices->str(bed.c, 0, "uuid"), "GPU-a");
  ASSERT_EQ_INT(gb.devices->i64(bed.c, 1, "threads"), -1);
  ends_with("gb.devices/1 i64: device 1, of 1 that the case has");
  close_case();
}

static void facts_are_of_each(void) {
  open_case(3);
  begin(PHASE_SUPPORTS);
  ASSERT_EQ_STR(gb.devices->str(bed.c, 0, "uuid"), "GPU-a");
  ASSERT_EQ_STR(gb.devices->str(bed.c, 2, "uuid"), "GPU-a+2");
  ASSERT_EQ_INT(gb.devices->i64(bed.c, 1, "threads"), gb.device->i64(bed.c, "threads"));
  ASSERT_EQ_INT(gb.devices->i64(bed.c, 1, "of_the_future"), -1);
  ASSERT_TRUE(gb.devices->str(bed.c, 1, NULL) == NULL);
  ends_with("");
  begin(PHASE_SUPPORTS);
  ASSERT_TRUE(gb.devices->str(bed.c, UINT32_MAX, "uuid") == NULL);
  ends_with("gb.devices/1 str: device 4294967295, of 3 that the case has");
  begin(PHASE_SUPPORTS);
  ASSERT_TRUE(gb.devices->stream(bed.c, 1) == NULL);
  ends_with("gb.devices/1 stream is not for supports");
  begin(PHASE_PREPARE);
  ASSERT_TRUE(gb.devices->stream(bed.c, 2) == NULL); /* this device has no streams */
  ends_with("");
  close_case();
}

static bool poisoned(const unsigned char *memory, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    if (memory[i] != 0xFF) return false;
  return true;
}

static void memory_of_each_is_counted(void) {
  open_case(3);
  begin(PHASE_PREPARE);
  for (uint32_t i = 0; i < 3; i++) {
    unsigned char *memory = gb.devices->alloc(bed.c, i, 1000);
    ASSERT_TRUE(memory != NULL && poisoned(memory, 1000));
  }
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 0), 3000);
  void *again = gb.devices->alloc(bed.c, 1, 500);
  gb.mem->free(bed.c, again);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 0), 3000);
  ends_with("");
  case_free_owned(bed.c, 0);
  ASSERT_EQ_INT(case_owned_bytes(bed.c, 0), 0);
  bed.c->memory_limit = 4000;
  begin(PHASE_SETUP);
  ASSERT_TRUE(gb.devices->alloc(bed.c, 1, 3000) != NULL);
  ASSERT_TRUE(gb.devices->alloc(bed.c, 2, 1001) == NULL);
  call_end(bed.c, GB_ENOMEM, &outcome);
  ASSERT_HAS(outcome.message, "--memory-limit allows");
  bed.c->memory_limit = 0;
  begin(PHASE_PREPARE);
  ASSERT_TRUE(gb.devices->alloc(bed.c, 1, UINT64_MAX) == NULL);
  call_end(bed.c, GB_ENOMEM, &outcome);
  ASSERT_HAS(outcome.message, ", more than fake:/tmp/test_devices.");
  begin(PHASE_RUN);
  ASSERT_TRUE(gb.devices->alloc(bed.c, 1, 1) == NULL);
  ends_with("gb.devices/1 alloc is for setup and prepare, not run");
  begin(PHASE_PREPARE);
  ASSERT_TRUE(gb.devices->alloc(bed.c, 3, 1) == NULL);
  ends_with("gb.devices/1 alloc: device 3, of 3 that the case has");
  close_case();
}

static void nobody_s_case_is_refused(void) {
  open_case(2);
  begin(PHASE_PREPARE);
  ASSERT_EQ_INT(gb.devices->count(NULL), 0);
  ASSERT_TRUE(gb.devices->alloc(NULL, 0, 1) == NULL);
  ASSERT_EQ_INT(gb.devices->i64(NULL, 0, "threads"), -1);
  ASSERT_TRUE(gb.devices->str(NULL, 0, "name") == NULL && gb.devices->stream(NULL, 0) == NULL);
  call_end(bed.c, GB_OK, &outcome);
  close_case();
}

UNIT_MAIN("devices", UNIT_TEST(there_are_as_many_as_the_axis_says), UNIT_TEST(a_bench_without_the_axis_has_one),
          UNIT_TEST(facts_are_of_each), UNIT_TEST(memory_of_each_is_counted), UNIT_TEST(nobody_s_case_is_refused))
