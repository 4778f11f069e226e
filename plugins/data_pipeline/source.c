/* The bench `source`, which reads a file into memory: its file, the verification, and the tables of axes, presets and
 * variants. The functions that read the file are in source_files.c and source_uring.c. */
#include "source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bulk.h"
#include "machine.h"

#define PAGE 4096
#define ORDER_SEED UINT64_C(0x6f72646572)

/* ---- The problem ----------------------------------------------------------------------------------------------- */

static gb_status source_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const int64_t record = gb.point->i64(c, "record"), chunk = gb.point->i64(c, "chunk");
  gb_status status = gb_axis_within(&gb, c, "record", 1, 1 << 28);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "chunk", 1, 1 << 30);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "bytes", record, INT64_C(1) << 40);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "threads", 0, MACHINE_THREADS_MAX);
  if (status == GB_OK && chunk < record)
    return gb_failf(&gb, c, GB_SKIP, "chunk is %lld: a record has %lld bytes", (long long)chunk, (long long)record);
  return status;
}

/* Makes the order in which chunks are read, ascending or shuffled. A shuffled order is the same in all runs. */
static gb_status make_order(struct source *s, gb_case *c) {
  const uint64_t chunks = s->file.layout.chunks;
  s->order = malloc(chunks * sizeof *s->order);
  if (s->order == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  for (uint64_t i = 0; i < chunks; i++) {
    const uint64_t at = s->random ? gb.rng->below(ORDER_SEED, 0, i, i + 1) : i;
    if (at != i) s->order[i] = s->order[at];
    s->order[at] = i;
  }
  return GB_OK;
}

static gb_status alloc_file_memory(struct source *s, gb_case *c) {
  const uint64_t bytes = layout_bytes(&s->file.layout) + 2 * PAGE;
  char *memory = gb.mem->alloc(c, GB_MEM_HOST, bytes);
  if (memory == NULL) return GB_ENOMEM;
  s->memory = (char *)(((uintptr_t)memory + PAGE - 1) / PAGE * PAGE);
  return GB_OK;
}

static gb_status build_source(struct source *s, gb_case *c) {
  const uint64_t record = (uint64_t)gb.point->i64(c, "record"), bytes = (uint64_t)gb.point->i64(c, "bytes");
  s->cold = gb_axis_is(&gb, c, "cache", "cold");
  s->random = gb_axis_is(&gb, c, "order", "random");
  s->threads = threads_of(c, "threads");
  s->pool = pool_open(s->threads);
  if (s->pool == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%d threads cannot be started", s->threads);
  const struct records_wish wish = {.record_bytes = record,
                                    .records = bytes / record,
                                    .chunk_records = (uint64_t)gb.point->i64(c, "chunk") / record,
                                    .synced = s->cold};
  gb_status status = records_open(&s->file, c, &wish, s->pool, s->threads);
  if (status == GB_OK && s->cold) status = records_chill(&s->file, c);
  if (status == GB_OK) status = alloc_file_memory(s, c);
  return status == GB_OK ? make_order(s, c) : status;
}

static void destroy_source(struct source *s) {
  records_close(&s->file);
  pool_close(s->pool);
  free(s->order);
  free(s);
}

static gb_status state_source_work(const struct source *s, gb_case *c) {
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = layout_bytes(&s->file.layout), .items = s->file.layout.records,
                        .item_unit = "records"};
  const gb_status status = declare_metric(c, "cpu", "s/GB", GB_BETTER_LESS, "CPU seconds per GB read");
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static gb_status source_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  struct source *s = calloc(1, sizeof *s);
  if (s == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  s->file.fd = -1;
  gb_status status = build_source(s, c);
  if (status == GB_OK) status = state_source_work(s, c);
  if (status == GB_OK)
    *state = s;
  else
    destroy_source(s);
  return status;
}

static void source_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  destroy_source(state);
}

/* Overwrites the memory with a pattern. Data that an earlier variant read can then not be mistaken for the result of
 * the next variant. */
static void poison_source(struct source *s) {
  bulk_poison(s->pool, s->threads, s->memory, layout_bytes(&s->file.layout));
}

static gb_status source_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  poison_source(state);
  return GB_OK;
}

static gb_status source_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  struct source *s = state;
  const gb_status status = records_compare(&s->file, c, s->memory, s->pool, s->threads);
  poison_source(s);
  return status;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

static const struct source_method *source_method_of(const gb_variant *self) {
  return self->user;
}

static gb_status source_supports_variant(const gb_variant *self, gb_case *c) {
  const int64_t record = gb.point->i64(c, "record"), chunk = gb.point->i64(c, "chunk") / record * record;
  if (!source_method_of(self)->direct) return GB_OK;
  if (!gb_axis_is(&gb, c, "cache", "cold"))
    return gb_failf(&gb, c, GB_SKIP, "it reads past the page cache, so that it has no hot one");
  if (chunk % PAGE != 0)
    return gb_failf(&gb, c, GB_SKIP, "O_DIRECT reads multiples of %d bytes: whole records of a chunk are %lld", PAGE,
                    (long long)chunk);
  return GB_OK;
}

static gb_status open_source_file(const struct source_method *how, struct source_run *run, gb_case *c) {
  const struct records *file = &run->source->file;
  run->fd = open(file->path, O_RDONLY | O_CLOEXEC | (how->direct ? O_DIRECT : 0));
  if (run->fd >= 0) return GB_OK;
  if (how->direct && errno == EINVAL) return gb_failf(&gb, c, GB_SKIP, "%s does not know O_DIRECT", file->system);
  return gb_failf(&gb, c, GB_EFAIL, "%s: %s", file->path, strerror(errno));
}

static gb_status state_source_notes(const struct source_method *how, const struct source_run *run, gb_case *c) {
  const struct source *s = run->source;
  gb_status status = gb_notef(&gb, c, "file", "%llu bytes on %s%s", (unsigned long long)layout_bytes(&s->file.layout),
                              s->file.system, s->file.users ? ", the user's" : "");
  if (status == GB_OK && s->cold) status = gb_notef(&gb, c, "cold", "posix_fadvise(DONTNEED), checked by mincore");
  if (status != GB_OK || how->single || how->uring) return status;
  return gb_notef(&gb, c, "threads", "%d", s->threads);
}

static gb_status source_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct source_method *how = source_method_of(self);
  struct source_run *run = calloc(1, sizeof *run);
  if (run == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  run->source = gb.point->state(c);
  gb_status status = open_source_file(how, run, c);
  if (status == GB_OK) status = state_source_notes(how, run, c);
  if (status == GB_OK && how->uring) status = source_uring_open(run, c);
  if (status == GB_OK) {
    *vstate = run;
    return GB_OK;
  }
  if (run->fd >= 0) close(run->fd);
  free(run);
  return status;
}

static gb_status source_before(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct source_run *run = vstate;
  return run->source->cold ? records_chill(&run->source->file, c) : GB_OK;
}

static gb_status source_run_variant(const gb_variant *self, gb_case *c, void *vstate) {
  const struct source_run *run = vstate;
  const double before = machine_cpu_seconds();
  const gb_status status =
      source_method_of(self)->uring ? source_uring_run(run, c) : source_files_run(self->user, run, c);
  gb.metric->add(c, "cpu", (machine_cpu_seconds() - before) / (double)layout_bytes(&run->source->file.layout) * 1e9);
  return status;
}

static void source_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct source_run *run = vstate;
  source_uring_close(run);
  close(run->fd);
  free(run);
}

/* ---- The tables ------------------------------------------------------------------------------------------------ */

/* Defines the same variant for the backends "cpu" and "cuda", because reading a file involves no device. */
#define VARIANT_ON(id, label, what, on, flag)                               \
  static const gb_variant on##_##id = {GB_SIZE(gb_variant),                 \
                                       .flags = flag,                       \
                                       .name = label,                       \
                                       .summary = what,                     \
                                       .backend = #on,                      \
                                       .math = "native",                    \
                                       .user = &id##_method,                \
                                       .supports = source_supports_variant, \
                                       .prepare = source_prepare,           \
                                       .before = source_before,             \
                                       .run = source_run_variant,           \
                                       .release = source_release}
#define VARIANT(id, label, what, flag, ...)                    \
  static struct source_method id##_method = {__VA_ARGS__};     \
  VARIANT_ON(id, label, what, cuda, (flag) | GB_VARIANT_SYNC); \
  VARIANT_ON(id, label, what, cpu, flag)

VARIANT(read, "read", "one thread, read() of a chunk at a time", GB_VARIANT_BASELINE, .single = true);
VARIANT(pread, "pread", "threads take chunks by pread()", 0, .single = false);
VARIANT(map, "mmap", "a fresh mapping, copied from by threads", 0, .mapped = true);
VARIANT(map_populate, "mmap-populate", "the same with MAP_POPULATE", 0, .mapped = true, .populated = true);
VARIANT(map_advice, "mmap-advice", "the same with madvise(SEQUENTIAL or RANDOM)", 0, .mapped = true, .advised = true);
VARIANT(direct, "direct", "threads take chunks by pread() with O_DIRECT", 0, .direct = true);
VARIANT(uring, "io_uring", "one thread, 32 reads under way", 0, .uring = true);
VARIANT(uring_direct, "io_uring-direct", "the same with O_DIRECT", 0, .uring = true, .direct = true);

static const gb_axis axis_cache = {GB_SIZE(gb_axis),
                                   .type = GB_STR,
                                   .name = "cache",
                                   .choices = "hot,cold",
                                   .summary = "is the file in the page cache?",
                                   .values = "hot"};
static const gb_axis axis_order = {GB_SIZE(gb_axis),       .type = GB_STR,
                                   .name = "order",        .choices = "sequential,random",
                                   .summary = "of chunks", .values = "sequential"};
static const gb_axis axis_bytes = {
    GB_SIZE(gb_axis), .type = GB_I64, .name = "bytes", .unit = "B", .summary = "of the file, as far as there is room",
    .values = "64M"};
static const gb_axis axis_record = {GB_SIZE(gb_axis), .type = GB_I64,           .name = "record",
                                    .unit = "B",      .summary = "of a record", .values = "192k"};
static const gb_axis axis_chunk = {GB_SIZE(gb_axis),
                                   .type = GB_I64,
                                   .name = "chunk",
                                   .unit = "B",
                                   .summary = "read at once; rounded down to whole records",
                                   .values = "1536k"};
static const gb_axis axis_threads = {GB_SIZE(gb_axis), .type = GB_I64, .name = "threads",
                                     .summary = "that read; 0: one per CPU", .values = "0"};

#define PRESET(id, label, where, what, on) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = on}
#define ALL "cuda,cpu"

PRESET(hot, "hot", "cache=hot", "the file is in the page cache", ALL);
PRESET(hot_random, "hot-random", "cache=hot,order=random,record=12k,chunk=12k", "one small record at a time, anywhere",
       ALL);
PRESET(cold, "cold", "cache=cold,bytes=32M", "the file is on the disk only", ALL);
PRESET(cold_random, "cold-random", "cache=cold,order=random,bytes=16M", "the same, in random order", NULL);

const gb_bench source_bench = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_NO_ROOF,
    .name = "source",
    .contract = "gpubench.org/data_pipeline/source/1",
    .summary = "a file of records into host memory",
    .axes =
        (const gb_axis *const[]){&axis_cache, &axis_order, &axis_bytes, &axis_record, &axis_chunk, &axis_threads, NULL},
    .presets = (const gb_preset *const[]){&hot, &hot_random, &cold, &cold_random, NULL},
    .variants = (const gb_variant *const[]){&cuda_read, &cuda_pread, &cuda_map, &cuda_map_populate, &cuda_map_advice,
                                            &cuda_direct, &cuda_uring, &cuda_uring_direct, &cpu_read, &cpu_pread,
                                            &cpu_map, &cpu_map_populate, &cpu_map_advice, &cpu_direct, &cpu_uring,
                                            &cpu_uring_direct, NULL},
    .supports = source_supports,
    .setup = source_setup,
    .reference = source_reference,
    .verify = source_verify,
    .teardown = source_teardown,
};
