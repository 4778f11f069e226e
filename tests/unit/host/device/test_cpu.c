#include <sched.h>
#include <stdlib.h>
#include <time.h>

#include "device/device.h"
#include "model/data/dtype.h"
#include "model/data/fill.h"
#include "unit.h"

static struct device *open_cpu(void) {
  struct device *device = NULL;
  struct err err = {0};
  if (device_open("cpu", &device, &err) != 0) {
    UNIT_FAIL("%s", err.text);
    abort();
  }
  return device;
}

/* If GPUBENCH_FLUSH_BYTES is too small to empty the caches, the device's name says so. */
static void less_than_the_caches_has_another_name(void) {
  struct device *device = open_cpu();
  ASSERT_TRUE(strstr(device->facts.name, "not emptied") == NULL);
  device->ops->close(device);
  setenv("GPUBENCH_FLUSH_BYTES", "65536", 1);
  device = open_cpu();
  ASSERT_HAS(device->facts.name, " (caches not emptied)");
  device->ops->close(device);
  unsetenv("GPUBENCH_FLUSH_BYTES");
}

static void states_facts(void) {
  struct device *device = open_cpu();
  const struct device_facts *facts = &device->facts;
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  ASSERT_EQ_STR(facts->backend, "cpu");
  ASSERT_EQ_STR(facts->spec, "cpu");
  ASSERT_TRUE(facts->name[0] != '\0');
  ASSERT_EQ_INT(facts->threads, CPU_COUNT(&set));
  ASSERT_TRUE(facts->memory_bytes > INT64_C(100) << 20);
  ASSERT_TRUE(facts->tick_ns > 0 && facts->tick_ns < 10000);
  ASSERT_EQ_INT(facts->ordinal, -1);
  ASSERT_EQ_INT(facts->sm_count, -1);
  ASSERT_TRUE(device->ops->stream(device) == NULL);
  device->ops->close(device);
}

static void threads_follow_the_affinity(void) {
  cpu_set_t all, one;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&one);
  for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, &one);
  struct device *device = open_cpu();
  ASSERT_EQ_INT(device->facts.threads, 1);
  device->ops->close(device);
  sched_setaffinity(0, sizeof all, &all);
}

static void memory_is_aligned_and_bounded(void) {
  struct device *device = open_cpu();
  static const size_t sizes[] = {0, 1, 257, 1 << 20};
  for (size_t i = 0; i < 4; i++) {
    unsigned char *memory = device->ops->alloc(device, MEMORY_PINNED, sizes[i]);
    ASSERT_TRUE(memory != NULL && (uintptr_t)memory % 256 == 0);
    if (sizes[i] > 0) memory[sizes[i] - 1] = 1;
    device->ops->free(device, MEMORY_PINNED, memory);
  }
  int64_t available = device->ops->memory_free(device);
  ASSERT_TRUE(available > 0 && available <= device->facts.memory_bytes);
  ASSERT_TRUE(device->ops->alloc(device, MEMORY_DEVICE, (size_t)available * 2) == NULL);
  ASSERT_TRUE(device->ops->alloc(device, MEMORY_DEVICE, SIZE_MAX) == NULL);
  /* This is less than the machine's memory, so the kernel alone would grant it. */
  int64_t taken = available + (device->facts.memory_bytes - available) / 2;
  ASSERT_TRUE(device->ops->alloc(device, MEMORY_DEVICE, (size_t)taken) == NULL);
  device->ops->free(device, MEMORY_DEVICE, NULL);
  device->ops->close(device);
}

/* Each type and kind has its own code, which must give the same values as the general code. */
static void fill_is_the_same_for_each_type(void) {
  enum { N = 5000 };
  static const uint32_t dtypes[] = {GB_DTYPE_F64,  GB_DTYPE_F32, GB_DTYPE_F16, GB_DTYPE_BF16,
                                    GB_DTYPE_E4M3, GB_DTYPE_I32, GB_DTYPE_U8};
  struct device *device = open_cpu();
  struct err err = {0};
  unsigned char memory[N * 8];
  for (size_t t = 0; t < sizeof dtypes / sizeof *dtypes; t++)
    for (uint32_t kind = GB_FILL_UNIFORM; kind <= GB_FILL_NORMAL; kind++) {
      const struct fill fill = {dtypes[t], kind, 1, 100, 5, 6};
      int wrong = 0;
      ASSERT_EQ_INT(device->ops->fill(device, memory, N, &fill, &err), 0);
      for (uint64_t i = 0; i < N; i++)
        wrong += dtype_load(dtypes[t], memory, i) != fill_value(&fill, rng_key(5, 6), i);
      ASSERT_EQ_INT(wrong, 0);
    }
  device->ops->close(device);
}

/* Many elements are filled by several threads, but each element depends only on its index. */
static void fill_does_not_depend_on_threads(void) {
  enum { N = (1 << 20) + 12345 };
  struct device *device = open_cpu();
  struct err err = {0};
  struct fill fill = {GB_DTYPE_BF16, GB_FILL_NORMAL, 0, 1, 5, 6};
  uint16_t *memory = device->ops->alloc(device, MEMORY_DEVICE, (N + 1) * sizeof *memory);
  uint64_t key = rng_key(5, 6);
  cpu_set_t all, one;
  ASSERT_EQ_INT(sched_getaffinity(0, sizeof all, &all), 0);
  CPU_ZERO(&one);
  for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  for (int alone = 0; alone < 2; alone++) {
    int wrong = 0;
    ASSERT_EQ_INT(sched_setaffinity(0, sizeof one, alone ? &one : &all), 0);
    device->ops->set(device, memory, 0xFF, (N + 1) * sizeof *memory, &err);
    ASSERT_EQ_INT(device->ops->fill(device, memory, N, &fill, &err), 0);
    for (uint64_t i = 0; i < N; i += 37)
      wrong += dtype_load(GB_DTYPE_BF16, memory, i) != fill_value(&fill, key, i);
    wrong += dtype_load(GB_DTYPE_BF16, memory, N - 1) != fill_value(&fill, key, N - 1);
    ASSERT_EQ_INT(wrong, 0);
    ASSERT_EQ_INT(memory[N], 0xFFFF);
  }
  ASSERT_EQ_INT(sched_setaffinity(0, sizeof all, &all), 0);
  fill.dtype = 77;
  ASSERT_EQ_INT(device->ops->fill(device, memory, 1, &fill, &err), -1);
  ASSERT_HAS(err.text, "dtype 77");
  device->ops->free(device, MEMORY_DEVICE, memory);
  device->ops->close(device);
}

static void counts_poison(void) {
  struct device *device = open_cpu();
  struct err err = {0};
  unsigned char memory[80];
  uint64_t count, first;
  for (size_t size = 1; size <= 8; size *= 2) {
    memset(memory, 0xFF, sizeof memory);
    ASSERT_EQ_INT(device->ops->count_poison(device, memory, size, 80 / size, 0xFF, &count, &first, &err), 0);
    ASSERT_EQ_INT(count, 80 / size);
    ASSERT_EQ_INT(first, 0);
    memset(memory, 0, size);
    memory[4 * size - 1] = 0xFE; /* only the last byte of the fourth element differs */
    device->ops->count_poison(device, memory, size, 80 / size, 0xFF, &count, &first, &err);
    ASSERT_EQ_INT(count, 80 / size - 2);
    ASSERT_EQ_INT(first, 1);
  }
  memset(memory, 0, sizeof memory);
  device->ops->count_poison(device, memory, 4, 20, 0xFF, &count, &first, &err);
  ASSERT_EQ_INT(count, 0);
  device->ops->close(device);
}

static uint64_t key = 7;

static uint64_t checksum(struct device *device, const void *memory, size_t bytes) {
  struct err err = {0};
  uint64_t sum = 0;
  ASSERT_EQ_INT(device->ops->checksum(device, memory, bytes, key, &sum, &err), 0);
  return sum;
}

/* Any changed bit, exchanged words and any other length change the checksum; the address of the data does not. */
static void checksum_sees_every_change(void) {
  struct device *device = open_cpu();
  unsigned char memory[131], copy[140];
  for (size_t i = 0; i < sizeof memory; i++)
    memory[i] = (unsigned char)rng_bits(1, i);
  uint64_t sum = checksum(device, memory, sizeof memory);
  int missed = 0;
  for (size_t bit = 0; bit < 8 * sizeof memory; bit++) {
    memory[bit / 8] ^= (unsigned char)(1 << bit % 8);
    missed += checksum(device, memory, sizeof memory) == sum;
    memory[bit / 8] ^= (unsigned char)(1 << bit % 8);
  }
  for (size_t length = 0; length < sizeof memory; length++)
    missed += checksum(device, memory, length) == sum;
  for (size_t i = 0; i < 15; i++)
    for (size_t j = i + 1; j < 16; j++) {
      memcpy(copy, memory, sizeof memory);
      memcpy(copy + 8 * i, memory + 8 * j, 8);
      memcpy(copy + 8 * j, memory + 8 * i, 8);
      missed += checksum(device, copy, sizeof memory) == sum;
    }
  for (size_t i = 0; i < 15; i++)
    for (size_t j = i + 1; j < 16; j++) { /* the top bits of two words */
      memcpy(copy, memory, sizeof memory);
      copy[8 * i + 7] ^= 0x80;
      copy[8 * j + 7] ^= 0x80;
      missed += checksum(device, copy, sizeof memory) == sum;
    }
  ASSERT_EQ_INT(missed, 0);
  memset(copy, 0, sizeof copy);
  ASSERT_TRUE(checksum(device, copy, 33) != checksum(device, copy, 34));
  memcpy(copy + 3, memory, sizeof memory);
  ASSERT_TRUE(checksum(device, copy + 3, sizeof memory) == sum);
  device->ops->close(device);
}

static void copies(void) {
  struct device *device = open_cpu();
  struct err err = {0};
  char from[] = "abcdef", to[7] = "";
  ASSERT_EQ_INT(device->ops->copy(device, to, from, 7, &err), 0);
  ASSERT_EQ_STR(to, "abcdef");
  from[0] = 'x';
  ASSERT_EQ_INT(device->ops->copy_async(device, to, from, 1, &err), 0);
  ASSERT_EQ_STR(to, "xbcdef");
  ASSERT_EQ_INT(device->ops->copy(device, NULL, NULL, 0, &err), 0);
  ASSERT_EQ_INT(device->ops->sync(device, &err), 0);
  device->ops->close(device);
}

struct calls {
  char order[64];
  int runs, fail_run, fail_before;
  long sleep_ns;
};

static void sleep_ns(long ns) {
  const struct timespec time = {0, ns};
  nanosleep(&time, NULL);
}

static int run(void *context) {
  struct calls *calls = context;
  strcat(calls->order, "r");
  if (calls->sleep_ns > 0) sleep_ns(calls->sleep_ns);
  return ++calls->runs == calls->fail_run ? -1 : 0;
}

static int before(void *context) {
  struct calls *calls = context;
  strcat(calls->order, "b");
  if (calls->sleep_ns > 0) sleep_ns(3 * calls->sleep_ns); /* not part of the time */
  return calls->runs + 1 == calls->fail_before ? -1 : 0;
}

static void slots_time_each_iteration(void) {
  struct device *device = open_cpu();
  struct err err = {0};
  struct calls calls = {.sleep_ns = 2000000};
  double ns[10] = {0}, least = INFINITY;
  struct slot_state state;
  struct slot_request request = {.run = run,
                                 .before = before,
                                 .context = &calls,
                                 .variant = "v",
                                 .key = "k",
                                 .count = 10,
                                 .replicas = 1,
                                 .flush = false};
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_OK);
  ASSERT_EQ_STR(calls.order, "brbrbrbrbrbrbrbrbrbr");
  for (int i = 0; i < 10; i++)
    least = fmin(least, ns[i]);
  ASSERT_TRUE(least >= 2e6 && least < 7.9e6); /* with the time of `before` it would be 8 ms */
  device->ops->close(device);
}

static int inputs(void *context, uint32_t sample) {
  struct calls *calls = context;
  (void)sample;
  strcat(calls->order, "i");
  return 0;
}

static void enter(void *context, uint32_t sample) {
  struct calls *calls = context;
  ASSERT_EQ_INT((int)sample, calls->runs);
  strcat(calls->order, "e");
}

/* The callback `inputs` is called after `before`. `before` is not timed, so otherwise it could already work on the new
 * inputs. */
static void inputs_come_behind_before(void) {
  struct device *device = open_cpu();
  struct err err = {0};
  struct calls calls = {0};
  double ns[2];
  struct slot_state state;
  const struct slot_request request = {.inputs = inputs,
                                       .run = run,
                                       .before = before,
                                       .enter = enter,
                                       .context = &calls,
                                       .variant = "v",
                                       .key = "k",
                                       .count = 2,
                                       .replicas = 1};
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_OK);
  ASSERT_EQ_STR(calls.order, "bierbier");
  device->ops->close(device);
}

static void slots_end_at_a_failure(void) {
  struct device *device = open_cpu();
  struct err err = {0};
  double ns[3];
  struct calls calls = {.fail_run = 2};
  struct slot_state state;
  struct slot_request request = {.run = run,
                                 .before = NULL,
                                 .context = &calls,
                                 .variant = "v",
                                 .key = "k",
                                 .count = 3,
                                 .replicas = 1,
                                 .flush = false};
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_CALLBACK);
  ASSERT_EQ_STR(calls.order, "rr");
  calls = (struct calls){.fail_before = 2};
  request.before = before;
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_CALLBACK);
  ASSERT_EQ_STR(calls.order, "brb");
  ASSERT_EQ_INT(err.exit_code, 0);
  device->ops->close(device);
}

static int read_all(void *context) {
  enum { BYTES = 1 << 21 };
  const unsigned char *memory = context;
  unsigned sum = 0;
  for (size_t i = 0; i < BYTES; i += 64)
    sum += memory[i];
  return sum == 12345;
}

static double least_ns(struct device *device, void *memory, bool flush) {
  struct err err = {0};
  struct slot_state state;
  struct slot_request request = {.run = read_all,
                                 .before = NULL,
                                 .context = memory,
                                 .variant = "v",
                                 .key = "k",
                                 .count = 30,
                                 .replicas = 1,
                                 .flush = flush};
  double ns[30], least = INFINITY;
  ASSERT_EQ_INT(device->ops->slot(device, &request, ns, &state, &err), SLOT_OK);
  for (int i = 0; i < 30; i++)
    least = fmin(least, ns[i]);
  return least;
}

/* Reading data from the caches is faster than reading it after a flush. */
static void flush_empties_the_caches(void) {
  struct device *device = open_cpu();
  setenv("GPUBENCH_FLUSH_BYTES", "64", 1); /* too late, as when a plugin sets it */
  unsigned char *memory = device->ops->alloc(device, MEMORY_DEVICE, 1 << 21);
  memset(memory, 1, 1 << 21);
  double warm = INFINITY, cold = 0;
  for (int i = 0; i < 200 && !(cold > 1.3 * warm); i++) { /* other processes may empty the caches as well */
    warm = fmin(warm, least_ns(device, memory, false));
    cold = least_ns(device, memory, true);
  }
  if (!(cold > 1.3 * warm)) UNIT_FAIL("cold %g ns, warm %g ns", cold, warm);
  unsetenv("GPUBENCH_FLUSH_BYTES");
  device->ops->free(device, MEMORY_DEVICE, memory);
  device->ops->close(device);
}

static void conditions_say_what_is_known(void) {
  struct device *device = open_cpu();
  struct device_conditions c;
  device->ops->conditions(device, &c);
  ASSERT_TRUE(isnan(c.sm_clock_mhz) || (c.sm_clock_mhz > 100 && c.sm_clock_mhz < 10000));
  ASSERT_TRUE(isnan(c.temperature_c) && isnan(c.power_w) && isnan(c.power_limit_w));
  ASSERT_EQ_STR(c.note, "");
  device->ops->close(device);
}

static void unknown_devices_are_refused(void) {
  static const char *const bad[] = {"", "gpu", "CPU", "cpu0", "cud", "fake2"};
  struct device *device;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    struct err err = {0};
    ASSERT_EQ_INT(device_open(bad[i], &device, &err), -1);
    ASSERT_EQ_INT(err.exit_code, EXIT_USAGE);
    ASSERT_HAS(err.text, "is unknown: cpu, cuda");
    ASSERT_TRUE(device == NULL);
  }
#ifndef GPUBENCH_CUDA
  static const char *const gpus[] = {"cuda", "cuda:1", "GPU-12345678-1234-1234-1234-123456789abc"};
  for (size_t i = 0; i < 3; i++) {
    struct err err = {0};
    ASSERT_EQ_INT(device_open(gpus[i], &device, &err), -1);
    ASSERT_EQ_INT(err.exit_code, EXIT_DEVICE);
    ASSERT_HAS(err.text, "this build has no CUDA support; --device cpu to go on");
    ASSERT_EQ_STR(device_missing(gpus[i]), "CUDA");
  }
#endif
  ASSERT_TRUE(device_missing("cpu") == NULL && device_missing("fake") == NULL);
}

/* Poison in several pieces is counted and its first element found; the checksum covers all pieces in order. */
static void much_memory_is_looked_through(void) {
  enum { N = (3 << 20) + 5 };
  struct device *device = open_cpu();
  struct err err = {0};
  unsigned char *memory = device->ops->alloc(device, MEMORY_DEVICE, N);
  uint64_t count, first;
  memset(memory, 1, N);
  memset(memory + (1 << 20) - 3, 0xFF, 6);
  memory[N - 1] = 0xFF;
  ASSERT_EQ_INT(device->ops->count_poison(device, memory, 1, N, 0xFF, &count, &first, &err), 0);
  ASSERT_EQ_INT(count, 7);
  ASSERT_EQ_INT(first, (1 << 20) - 3);
  ASSERT_EQ_INT(device->ops->count_poison(device, memory + (1 << 20) + 3, 1, (2 << 20) + 2, 0xFF, &count, &first, &err),
                0);
  ASSERT_EQ_INT(count, 1);
  ASSERT_EQ_INT(first, (2 << 20) + 1);
  const uint64_t sum = checksum(device, memory, N);
  ASSERT_TRUE(checksum(device, memory, N) == sum);
  static const size_t places[] = {0, 1 << 20, (2 << 20) - 1, N - 1};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    memory[places[i]] ^= 0x10;
    ASSERT_TRUE(checksum(device, memory, N) != sum);
    memory[places[i]] ^= 0x10;
  }
  memset(memory, 1, N);
  memory[0] = 2;
  const uint64_t one = checksum(device, memory, N);
  memory[0] = 1, memory[1 << 20] = 2; /* the 2 is now at another place, which must change the checksum */
  ASSERT_TRUE(checksum(device, memory, N) != one);
  const uint64_t by_7 = checksum(device, memory, N);
  key = 8;
  ASSERT_TRUE(checksum(device, memory, N) != by_7);
  device->ops->free(device, MEMORY_DEVICE, memory);
  device->ops->close(device);
}

UNIT_MAIN("device_cpu", UNIT_TEST(states_facts), UNIT_TEST(less_than_the_caches_has_another_name),
          UNIT_TEST(threads_follow_the_affinity), UNIT_TEST(memory_is_aligned_and_bounded),
          UNIT_TEST(fill_does_not_depend_on_threads), UNIT_TEST(fill_is_the_same_for_each_type),
          UNIT_TEST(counts_poison), UNIT_TEST(checksum_sees_every_change), UNIT_TEST(much_memory_is_looked_through),
          UNIT_TEST(copies), UNIT_TEST(slots_time_each_iteration), UNIT_TEST(inputs_come_behind_before),
          UNIT_TEST(slots_end_at_a_failure), UNIT_TEST(flush_empties_the_caches),
          UNIT_TEST(conditions_say_what_is_known), UNIT_TEST(unknown_devices_are_refused))
