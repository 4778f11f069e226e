#include "memcpy.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "copies.h"
#include "layout.h"
#include "machine.h"
#include "pool.h"

/* ---- The problem ----------------------------------------------------------------------------------------------- */

struct problem {
  struct pool *pool;
  int threads;
  uint64_t bytes;
  char *x, *y;
  _Atomic uint64_t different; /* offset of the first byte in which y differs from x; `bytes` if y is equal to x */
};

static gb_status memcpy_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  gb_status status = gb_axis_within(&gb, c, "bytes", 4096, INT64_C(1) << 40);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "threads", 0, MACHINE_THREADS_MAX);
  if (status == GB_OK && gb.point->i64(c, "bytes") % 4 != 0)
    return gb_failf(&gb, c, GB_SKIP, "bytes is %" PRId64 ": must be a multiple of 4", gb.point->i64(c, "bytes"));
  return status;
}

static gb_status declare_memcpy(gb_case *c, const char *name, uint32_t role) {
  const int64_t floats = gb.point->i64(c, "bytes") / 4;
  const gb_tensor tensor = {GB_SIZE(gb_tensor),
                            .role = role,
                            .dtype = GB_DTYPE_F32,
                            .rank = 1,
                            .name = name,
                            .shape = &floats,
                            .align_bytes = 4096,
                            .fill = GB_FILL_UNIFORM,
                            .memory = GB_MEM_HOST,
                            .fill_a = -1.0,
                            .fill_b = 1.0,
                            .reduction = 1,
                            .flags = role == GB_OUT ? GB_TENSOR_EXACT : 0};
  return gb.tensor->declare(c, &tensor);
}

static gb_status build_memcpy(struct problem *p, gb_case *c) {
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = p->bytes};
  p->pool = pool_open(p->threads);
  if (p->pool == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%d threads cannot be started", p->threads);
  gb_status status = declare_memcpy(c, "x", GB_IN);
  if (status == GB_OK) status = declare_memcpy(c, "y", GB_OUT);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static gb_status memcpy_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  struct problem *p = calloc(1, sizeof *p);
  if (p == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  p->bytes = (uint64_t)gb.point->i64(c, "bytes");
  p->threads = threads_of(c, "threads");
  const gb_status status = build_memcpy(p, c);
  if (status == GB_OK) {
    *state = p;
    return GB_OK;
  }
  pool_close(p->pool);
  free(p);
  return status;
}

static void memcpy_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  struct problem *p = state;
  pool_close(p->pool);
  free(p);
}

static gb_status memcpy_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  return expect_copied(c, (int64_t)(((const struct problem *)state)->bytes / 4));
}

static void compare_part(void *context, int index) {
  struct problem *p = context;
  uint64_t from, to;
  layout_part(p->bytes, index, p->threads, &from, &to);
  if (memcmp(p->y + from, p->x + from, to - from) == 0) return;
  while (p->y[from] == p->x[from])
    from++;
  for (uint64_t least = p->different; from < least;)
    if (atomic_compare_exchange_weak(&p->different, &least, from)) return;
}

/* Compares all bytes of y with x. Before this call the host has checked that the variant did not change x. */
static gb_status memcpy_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  struct problem *p = state;
  p->different = p->bytes;
  pool_run(p->pool, p->threads, compare_part, p);
  if (p->different == p->bytes) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "byte %" PRIu64 " of %" PRIu64 " did not arrive", p->different, p->bytes);
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

static void part_plain(void *context, int index) {
  struct problem *p = context;
  uint64_t from, to;
  layout_part(p->bytes, index, p->threads, &from, &to);
  memcpy(p->y + from, p->x + from, to - from);
}

static void part_streaming(void *context, int index) {
  struct problem *p = context;
  uint64_t from, to;
  layout_part(p->bytes, index, p->threads, &from, &to);
  copy_streaming(p->y + from, p->x + from, to - from);
}

static gb_status run_one(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct problem *p = vstate;
  memcpy(p->y, p->x, p->bytes);
  return GB_OK;
}

static gb_status run_threads(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct problem *p = vstate;
  pool_run(p->pool, p->threads, part_plain, p);
  return GB_OK;
}

static gb_status run_streaming(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct problem *p = vstate;
  pool_run(p->pool, p->threads, part_streaming, p);
  return GB_OK;
}

static gb_status streaming_supports(const gb_variant *self, gb_case *c) {
  (void)self;
  return copy_can_stream() ? GB_OK : gb_failf(&gb, c, GB_SKIP, "non-temporal stores are written for x86-64 only");
}

static gb_status memcpy_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct problem *p = *vstate = gb.point->state(c);
  p->x = gb.tensor->data(c, "x");
  p->y = gb.tensor->data(c, "y");
  return self->run == run_one ? GB_OK : gb_notef(&gb, c, "threads", "%d", p->threads);
}

/* ---- The tables ------------------------------------------------------------------------------------------------ */

#define VARIANT_ON(id, label, what, on, flag, check, enter)                                \
  static const gb_variant on##_##id = {                                                    \
      GB_SIZE(gb_variant), .flags = flag,    .name = label,     .summary = what,           \
      .backend = #on,      .math = "native", .supports = check, .prepare = memcpy_prepare, \
      .run = enter}
#define VARIANT(id, label, what, flag, check, enter)                         \
  VARIANT_ON(id, label, what, cuda, (flag) | GB_VARIANT_SYNC, check, enter); \
  VARIANT_ON(id, label, what, cpu, flag, check, enter)

VARIANT(one, "one", "libc's memcpy on one thread", GB_VARIANT_BASELINE, NULL, run_one);
VARIANT(threads, "threads", "libc's memcpy on threads, a share each", 0, NULL, run_threads);
VARIANT(streaming, "stream", "non-temporal stores on threads, a share each", 0, streaming_supports, run_streaming);

static const gb_axis axis_bytes = {GB_SIZE(gb_axis), .type = GB_I64,      .name = "bytes",
                                   .unit = "B",      .summary = "copied", .values = "128M"};
static const gb_axis axis_threads = {GB_SIZE(gb_axis), .type = GB_I64, .name = "threads",
                                     .summary = "that copy; 0: one per CPU", .values = "0"};

const gb_bench memcpy_bench = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_NO_ROOF,
    .name = "memcpy",
    .contract = "gpubench.org/data_pipeline/memcpy/1",
    .summary = "host memory to host memory: the ceiling of staging",
    .axes = (const gb_axis *const[]){&axis_bytes, &axis_threads, NULL},
    .variants = (const gb_variant *const[]){&cuda_one, &cuda_threads, &cuda_streaming, &cpu_one, &cpu_threads,
                                            &cpu_streaming, NULL},
    .supports = memcpy_supports,
    .setup = memcpy_setup,
    .reference = memcpy_reference,
    .verify = memcpy_verify,
    .teardown = memcpy_teardown,
};
