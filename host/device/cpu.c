/* The CPU as a device: its facts, operations on host memory (which other devices use as well), and slots (samples of a
 * variant) timed by the monotonic clock. The device owns the buffer that is read to flush the caches. This code knows
 * nothing of cases, tensors or statistics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "device/cpu_memory.h"
#include "device/device.h"
#include "device/energy_source.h"
#include "device/two_clocks.h"
#include "machine/cgroup.h"
#include "machine/cpu_times.h"
#include "machine/cpus.h"
#include "machine/kernel_files.h"
#include "machine/topology.h"
#include "model/data/fill.h"

enum { ALIGNMENT = 4096, LINE_BYTES = 64, MIB = 1 << 20 };

struct device_cpu {
  struct device base;
  unsigned char *flush; /* allocated by the first slot that flushes */
  size_t flush_bytes;
  size_t flush_given; /* value of GPUBENCH_FLUSH_BYTES, read before plugin code could set that variable; 0: not set */
  struct cpu_watch watch;
};

/* ---- Facts --------------------------------------------------------------------------------------------------- */

static int64_t meminfo_bytes(const char *key) {
  char text[64];
  return tree_value("", "/proc/meminfo", key, text, sizeof text) ? strtoll(text, NULL, 10) * 1024 : -1;
}

/* Returns how many bytes this process may still allocate: the memory that is available on the machine, or less if a
 * control group of the process has a lower limit. */
static int64_t memory_available(void) {
  const int64_t machine = meminfo_bytes("MemAvailable"), left = cgroup_memory_left("");
  if (left == INT64_MAX) return machine;
  return machine < 0 || left < machine ? left : machine;
}

static int64_t cpu_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int by_number(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Measures the resolution of the clock from the steps between consecutive readings. If some readings are equal, the
 * resolution is the smallest step above 0. Otherwise a reading takes longer than the resolution, and the smallest
 * difference between two steps is taken. */
static double clock_tick(void) {
  enum { READINGS = 2000 };
  int64_t steps[READINGS], before = cpu_now_ns(), tick = INT64_MAX;
  for (int i = 0; i < READINGS; i++) {
    int64_t t = cpu_now_ns();
    steps[i] = t - before;
    before = t;
  }
  qsort(steps, READINGS, sizeof *steps, by_number);
  for (int i = 1; i < READINGS; i++) {
    int64_t step = steps[i] - steps[i - 1];
    if (step > 0 && step < tick) tick = step;
    if (step > 0 && steps[0] == 0) break;
  }
  return tick < INT64_MAX ? (double)tick : 1;
}

static void fill_cpu_facts(struct device_facts *facts) {
  *facts = (struct device_facts){.ordinal = -1,
                                 .compute_capability = -1,
                                 .sm_count = -1,
                                 .l2_bytes = -1,
                                 .shared_memory_per_block_bytes = -1,
                                 .memory_bytes = meminfo_bytes("MemTotal"),
                                 .threads = (int64_t)parallel_processors(),
                                 .traits = DEVICE_TRAITS_CPU,
                                 .tick_ns = clock_tick()};
  text_copy(facts->backend, sizeof facts->backend, "cpu");
  text_copy(facts->spec, sizeof facts->spec, "cpu");
  if (!tree_value("", "/proc/cpuinfo", "model name", facts->name, sizeof facts->name))
    text_copy(facts->name, sizeof facts->name, "cpu");
  text_sanitize(facts->name);
}

/* ---- Memory -------------------------------------------------------------------------------------------------- */

/* Allocates memory. Returns NULL if less memory is available: the kernel would grant it nevertheless, and later kill a
 * process that uses it. */
static void *cpu_alloc(struct device *device, enum memory_kind kind, size_t bytes) {
  (void)device, (void)kind;
  int64_t available = memory_available();
  void *memory = NULL;
  if (available >= 0 && bytes > (uint64_t)available) return NULL;
  return posix_memalign(&memory, ALIGNMENT, bytes > 0 ? bytes : 1) == 0 ? memory : NULL;
}

static void cpu_free(struct device *device, enum memory_kind kind, void *memory) {
  (void)device, (void)kind;
  free(memory);
}

static int64_t cpu_memory_free(struct device *device) {
  (void)device;
  return memory_available();
}

static void *cpu_staging(struct device *device, size_t bytes) {
  (void)device, (void)bytes;
  return NULL;
}

static int cpu_copy(struct device *device, void *to, const void *from, size_t bytes, struct err *err) {
  (void)device, (void)err;
  if (bytes > 0) memmove(to, from, bytes);
  return 0;
}

static int cpu_set(struct device *device, void *memory, int byte, size_t bytes, struct err *err) {
  (void)device, (void)err;
  if (bytes > 0) memset(memory, byte, bytes);
  return 0;
}

static int cpu_rewrite(struct device *device, void *memory, size_t bytes, struct err *err) {
  (void)device, (void)err;
  volatile uint64_t *words = (volatile uint64_t *)memory;
  volatile unsigned char *rest = (volatile unsigned char *)memory;
  for (size_t i = 0; i < bytes / 8; i++)
    words[i] = words[i];
  for (size_t i = bytes / 8 * 8; i < bytes; i++)
    rest[i] = rest[i];
  return 0;
}

#define CPU_SHUFFLE(bits)                                                                                      \
  static void cpu_shuffle_##bits(void *to, const void *from, uint64_t elements, struct shuffle order) {        \
    uint##bits##_t *const into = (uint##bits##_t *)to;                                                         \
    const uint##bits##_t *const values = (const uint##bits##_t *)from;                                         \
    for (uint64_t i = 0; i < elements; i++)                                                                    \
      into[i] = values[i / SHUFFLE_BLOCK * SHUFFLE_BLOCK + (i * order.factor + order.offset) % SHUFFLE_BLOCK]; \
  }
CPU_SHUFFLE(8)
CPU_SHUFFLE(16)
CPU_SHUFFLE(32)
CPU_SHUFFLE(64)

static int cpu_shuffle(struct device *device, void *to, const void *from, size_t element_bytes, uint64_t elements,
                       struct shuffle order, struct err *err) {
  (void)device, (void)err;
  switch (element_bytes) {
    case 1:
      cpu_shuffle_8(to, from, elements, order);
      break;
    case 2:
      cpu_shuffle_16(to, from, elements, order);
      break;
    case 4:
      cpu_shuffle_32(to, from, elements, order);
      break;
    default:
      cpu_shuffle_64(to, from, elements, order);
  }
  return 0;
}

static int cpu_plant(struct device *device, void *to, void *memory, size_t element_bytes, const struct places *places,
                     uint64_t kept, uint64_t flipped, struct err *err) {
  (void)device, (void)err;
  for (uint32_t i = 0; i < places->count; i++) {
    char *element = (char *)memory + places->at[i] * element_bytes;
    uint64_t value = 0;
    memcpy(&value, element, element_bytes);
    value = (value & kept) ^ flipped;
    memcpy(element, &value, element_bytes);
    memcpy((char *)to + i * element_bytes, &value, element_bytes);
  }
  return 0;
}

static int cpu_sync(struct device *device, struct err *err) {
  (void)device, (void)err;
  return 0;
}

static void *cpu_stream(struct device *device) {
  (void)device;
  return NULL;
}

/* ---- Slots --------------------------------------------------------------------------------------------------- */

/* Evicts other memory from the caches: reads one byte per cache line of the flush buffer. */
static void flush_read(const struct device_cpu *cpu) {
  unsigned sum = 0;
  for (size_t i = 0; i < cpu->flush_bytes; i += LINE_BYTES)
    sum += cpu->flush[i];
  __asm__ volatile("" : : "r"(sum)); /* prevents the compiler from removing the loads */
}

/* Returns the size of the last-level cache that this thread uses, or a guess. sysconf() would not do: it returns the
 * sum over all such caches of a package, of which some AMD EPYC have twelve. */
static size_t cache_bytes(void) {
  char list[4096];
  struct cpus allowed;
  int64_t bytes = -1;
  if (tree_value("", "/proc/self/status", "Cpus_allowed_list", list, sizeof list) && cpus_parse(list, &allowed))
    bytes = topology_cache_bytes("", &allowed);
  long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return bytes > 0 ? (size_t)bytes : l3 > 0 ? (size_t)l3 : l2 > 0 ? (size_t)l2 : 16 * (size_t)MIB;
}

/* Allocates the buffer that is read to flush the caches. Its size is four times the last-level cache, but at least 32
 * and at most 256 MiB. Twice the cache would not evict all lines of some cache sets, because pages are placed at random
 * (tests/cpu/flush.sh). If reading the buffer takes more than 15 ms, only as much is used as can be read in that time,
 * but at least 32 MiB.
 *
 * The buffer is read and not written, because the write-back of dirty lines would slow down the next sample. Reading
 * evicts the lines in the caches of this thread's core and in the cache that it shares with other cores. Lines that
 * other threads of a variant left in the L1 and L2 of their cores may remain.
 *
 * Most of the buffer has huge pages, which are allocated in a fraction of the time and read in two thirds of it. A part
 * has small pages, more than a core's TLB has entries, so that the variant's TLB entries are evicted as well. */
static int flush_prepare(struct device_cpu *cpu, struct err *err) {
  const size_t least = 32 * (size_t)MIB, most = 256 * (size_t)MIB, given = cpu->flush_given;
  size_t bytes = 4 * cache_bytes(), small = 16 * (size_t)MIB;
  if (cpu->flush != NULL) return 0;
  bytes = given > 0 ? given : bytes < least ? least : bytes > most ? most : bytes;
  cpu->flush = (unsigned char *)cpu_alloc(&cpu->base, MEMORY_HOST, bytes);
  if (cpu->flush == NULL) return err_set(err, EXIT_DEVICE, "cpu: no memory for a flush buffer of %zu bytes", bytes);
  if (small > bytes) small = bytes;
  (void)madvise(cpu->flush, small, MADV_NOHUGEPAGE);
  /* may fail: small pages flush the caches as well, but are slower to read */
  (void)madvise(cpu->flush + small, bytes - small, MADV_HUGEPAGE);
  /* writes all pages, because pages that were never written would all be one and the same page of zeros */
  memset(cpu->flush, 1, bytes);
  cpu->flush_bytes = bytes;
  if (given > 0) return 0;
  int64_t start = cpu_now_ns();
  flush_read(cpu);
  double share = 15e6 / (double)(cpu_now_ns() - start + 1);
  if (share < 1) cpu->flush_bytes = (size_t)((double)bytes * share);
  if (cpu->flush_bytes < least) cpu->flush_bytes = least;
  return 0;
}

static bool call_cpu_callback(int (*callback)(void *context), const struct slot_request *request) {
  return callback == NULL || callback(request->context) == 0;
}

/* Takes one sample, of one call or of a batch of calls, and stores the time of one call. */
static enum slot_result cpu_sample(struct device_cpu *cpu, const struct slot_request *request, uint32_t sample,
                                   struct two_clocks *clocks, double *ns) {
  if (!call_cpu_callback(request->before, request)) return SLOT_CALLBACK;
  if (request->inputs != NULL && request->inputs(request->context, sample) != 0) return SLOT_CALLBACK;
  if (sample + 1 == request->count && !call_cpu_callback(request->last, request)) return SLOT_CALLBACK;
  if (request->flush) flush_read(cpu);
  if (sample == 0 && !call_cpu_callback(request->sudden, request)) return SLOT_CALLBACK;
  if (sample + 1 == request->count && !call_cpu_callback(request->ready, request)) return SLOT_CALLBACK;
  if (request->enter != NULL) request->enter(request->context, sample);
  int status = 0;
  two_clocks_start(clocks);
  for (uint32_t i = 0; i < request->replicas && status == 0; i++)
    status = request->run(request->context);
  *ns = two_clocks_stop(clocks) / request->replicas;
  return status == 0 ? SLOT_OK : SLOT_CALLBACK;
}

/* Takes the samples of a slot. On a CPU a call returns when its work is done. So all modes time a call in the same way;
 * they differ only in what is done before the call. */
static enum slot_result cpu_slot(struct device *device, const struct slot_request *request, double *ns,
                                 struct slot_state *state, struct err *err) {
  struct device_cpu *cpu = (struct device_cpu *)device;
  *state = SLOT_STATE_UNKNOWN;
  if (request->flush && flush_prepare(cpu, err) != 0) return SLOT_DEVICE;
  struct two_clocks clocks = two_clocks_begin(request->doubt);
  for (uint32_t i = 0; i < request->count; i++) {
    enum slot_result result = cpu_sample(cpu, request, i, &clocks, &ns[i]);
    if (result != SLOT_OK) return result;
  }
  if (!call_cpu_callback(request->done, request)) return SLOT_CALLBACK;
  cpu_slot_state("", &cpu->watch, state);
  return SLOT_OK;
}

static int cpu_nothing(struct device *device, uint32_t shape) {
  (void)device, (void)shape;
  return 0;
}

static void cpu_conditions(struct device *device, struct device_conditions *conditions) {
  struct slot_state state = SLOT_STATE_UNKNOWN;
  cpu_slot_state("", &((struct device_cpu *)device)->watch, &state);
  *conditions = CONDITIONS_UNKNOWN;
  conditions->sm_clock_mhz = state.sm_clock_mhz;
}

static struct energy_source *cpu_energy(struct device *device, char *why, size_t size) {
  (void)device;
  return energy_source_rapl("", why, size);
}

static void close_cpu_device(struct device *device) {
  struct device_cpu *cpu = (struct device_cpu *)device;
  if (cpu == NULL) return;
  free(cpu->flush);
  free(cpu);
}

const struct device_ops device_cpu_ops = {
    .close = close_cpu_device,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .memory_free = cpu_memory_free,
    .staging = cpu_staging,
    .copy = cpu_copy,
    .set = cpu_set,
    .rewrite = cpu_rewrite,
    .fill = cpu_fill,
    .count_poison = cpu_count_poison,
    .checksum = cpu_checksum,
    .sync = cpu_sync,
    .stream = cpu_stream,
    .copy_async = cpu_copy,
    .shuffle = cpu_shuffle,
    .gather = cpu_gather,
    .plant = cpu_plant,
    .absent = cpu_absent,
    .slot = cpu_slot,
    .null_shapes = 1,
    .null_run = cpu_nothing,
    .conditions = cpu_conditions,
    .energy = cpu_energy,
};

/* Sets the size of the flush buffer from GPUBENCH_FLUSH_BYTES, for tests that need no cold caches. Adds that to the
 * device's name, so that the results are not mistaken for real ones. */
static void take_flush_bytes(struct device_cpu *cpu) {
  struct device_facts *facts = &cpu->base.facts;
  const char *text = getenv("GPUBENCH_FLUSH_BYTES");
  char model[128];
  if (text != NULL) cpu->flush_given = (size_t)strtoull(text, NULL, 10) / LINE_BYTES * LINE_BYTES;
  if (cpu->flush_given == 0) return;
  text_copy(model, sizeof model, facts->name);
  snprintf(facts->name, sizeof facts->name, "%s (caches not emptied)", model);
}

int device_cpu_open(struct device **device, struct err *err) {
  (void)err;
  struct device_cpu *cpu = (struct device_cpu *)xcalloc(1, sizeof *cpu);
  cpu->base.ops = &device_cpu_ops;
  cpu_pages_open();
  two_clocks_open();
  fill_cpu_facts(&cpu->base.facts);
  take_flush_bytes(cpu);
  *device = &cpu->base;
  return 0;
}
