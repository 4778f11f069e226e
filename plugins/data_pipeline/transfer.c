/* The bench `transfer`, which copies between host and device: its tensors, the verification, and the tables of axes,
 * presets and variants. The copies themselves are in transfer_cuda.c. */
#include "transfer.h"

#ifdef GPUBENCH_CUDA
#include <inttypes.h>
#include <stdlib.h>

#include "bulk.h"
#include "machine.h"

/* ---- The problem ----------------------------------------------------------------------------------------------- */

static gb_status transfer_supports(const gb_bench *self, gb_case *c) {
  (void)self;
  const int64_t bytes = gb.point->i64(c, "bytes");
  gb_status status = gb_axis_within(&gb, c, "bytes", 4096, INT64_C(1) << 36);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "threads", 0, MACHINE_THREADS_MAX);
  if (status == GB_OK) status = gb_axis_within(&gb, c, "chunk", 4096, 1 << 30);
  if (status == GB_OK && bytes % 4 != 0)
    return gb_failf(&gb, c, GB_SKIP, "bytes is %" PRId64 ": must be a multiple of 4", bytes);
  return status;
}

static bool goes_way(gb_case *c, const char *way) {
  return gb_axis_is(&gb, c, "direction", way) ||
         (way[1] == '2' && way[0] != way[2] && gb_axis_is(&gb, c, "direction", "both"));
}

static gb_status declare_transfer(gb_case *c, const char *name, uint32_t role) {
  const int64_t floats = gb.point->i64(c, "bytes") / 4;
  const gb_tensor tensor = {
      GB_SIZE(gb_tensor), .role = role,     .dtype = GB_DTYPE_F32, .rank = 1,
      .name = name,       .shape = &floats, .align_bytes = 4096,   .fill = GB_FILL_UNIFORM,
      .fill_a = -1.0,     .fill_b = 1.0,    .reduction = 1,        .flags = role == GB_OUT ? GB_TENSOR_EXACT : 0};
  return gb.tensor->declare(c, &tensor);
}

static gb_status build_transfer(struct transfer *t, gb_case *c) {
  t->to_device = goes_way(c, "h2d");
  t->to_host = goes_way(c, "d2h");
  t->on_device = goes_way(c, "d2d");
  t->bytes = (uint64_t)gb.point->i64(c, "bytes");
  t->chunk = (uint64_t)gb.point->i64(c, "chunk");
  t->threads = threads_of(c, "threads");
  t->device = (int)gb.device->i64(c, "ordinal");
  t->window = gb.mem->alloc(c, GB_MEM_PINNED, TRANSFER_WINDOW);
  if (t->window == NULL) return GB_ENOMEM;
  /* The pool has at least two threads, because a copy from pageable memory blocks its thread, and both directions must
   * be copied at once. */
  t->pool = pool_open(t->threads < 2 ? 2 : t->threads);
  if (t->pool == NULL) return gb_failf(&gb, c, GB_ENOMEM, "%d threads cannot be started", t->threads);
  /* Each transferred byte is counted once, as read and not also as written, so that the reported rate is that of the
   * link. */
  const gb_work work = {GB_SIZE(gb_work), .bytes_read = t->bytes * (t->to_device && t->to_host ? 2 : 1)};
  gb_status status = declare_transfer(c, "x", GB_IN);
  if (status == GB_OK && (t->to_device || t->on_device)) status = declare_transfer(c, "y", GB_OUT);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static gb_status transfer_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  struct transfer *t = calloc(1, sizeof *t);
  if (t == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  const gb_status status = build_transfer(t, c);
  if (status == GB_OK) {
    *state = t;
    return GB_OK;
  }
  pool_close(t->pool);
  free(t);
  return status;
}

static void transfer_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)c;
  struct transfer *t = state;
  pool_close(t->pool);
  free(t);
}

/* ---- Verification ---------------------------------------------------------------------------------------------- */

static gb_status transfer_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  struct transfer *t = state;
  t->seed = gb.point->seed(c);
  t->x = gb.tensor->data(c, "x");
  t->seen = false;
  const gb_status status = transfer_digest(t, t->x, c, &t->digest);
  return status == GB_OK && (t->to_device || t->on_device) ? expect_copied(c, (int64_t)(t->bytes / 4)) : status;
}

static gb_status compare_digest(const struct transfer *t, gb_case *c, const char *where, uint64_t found) {
  if (found == t->digest) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "%" PRIu64 " bytes arrived %s with checksum %016" PRIx64 ", sent was %016" PRIx64,
                  t->bytes, where, found, t->digest);
}

static gb_status transfer_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  struct transfer *t = state;
  gb_status status = GB_OK;
  uint64_t sum = 0;
  if (t->to_device || t->on_device) {
    status = transfer_digest(t, gb.tensor->data(c, "y"), c, &sum);
    if (status == GB_OK) status = compare_digest(t, c, "on the device", sum);
  }
  if (status != GB_OK || !t->to_host) return status;
  if (t->seen) return GB_OK;
  if (t->arrived == NULL) return gb_failf(&gb, c, GB_EFAIL, "nothing arrived in host memory");
  status = compare_digest(t, c, "in host memory", bulk_digest(t->pool, t->threads, t->arrived, t->bytes, 0));
  bulk_poison(t->pool, t->threads, t->arrived, t->bytes);
  t->seen = status == GB_OK;
  return status;
}

/* ---- Variants -------------------------------------------------------------------------------------------------- */

/* The properties in which the variants differ; gb_variant.user points to this struct. */
struct method {
  enum transfer_kind kind;
};

static enum transfer_kind transfer_kind_of(const gb_variant *self) {
  return ((const struct method *)self->user)->kind;
}

static gb_status transfer_supports_variant(const gb_variant *self, gb_case *c) {
  const enum transfer_kind kind = transfer_kind_of(self);
  const bool on_device = gb_axis_is(&gb, c, "direction", "d2d");
  if (on_device && kind != TRANSFER_DEVICE) return gb_failf(&gb, c, GB_SKIP, "no host memory takes part");
  if (!on_device && kind == TRANSFER_DEVICE) return gb_failf(&gb, c, GB_SKIP, "it stays on the device");
  if (kind == TRANSFER_COMBINED && !gb_axis_is(&gb, c, "direction", "h2d"))
    return gb_failf(&gb, c, GB_SKIP, "write-combined memory is for sending: the CPU reads it a word at a time");
  return GB_OK;
}

static gb_status transfer_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  struct transfer *t = gb.point->state(c);
  gb_status status = GB_OK;
  t->x = gb.tensor->data(c, "x");
  t->y = t->to_device || t->on_device ? gb.tensor->data(c, "y") : NULL;
  *vstate = transfer_open(t, transfer_kind_of(self), c, &status);
  return status;
}

static gb_status transfer_refresh_variant(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  return transfer_refresh(vstate, c);
}

static gb_status transfer_run_variant(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  return transfer_run(vstate, c);
}

static void transfer_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  transfer_close(vstate);
}

#define VARIANT(id, label, what, which, flag)                          \
  static struct method id##_method = {which};                          \
  static const gb_variant id = {GB_SIZE(gb_variant),                   \
                                .flags = GB_VARIANT_SYNC | (flag),     \
                                .name = label,                         \
                                .summary = what,                       \
                                .backend = "cuda",                     \
                                .math = "native",                      \
                                .user = &id##_method,                  \
                                .supports = transfer_supports_variant, \
                                .prepare = transfer_prepare,           \
                                .run = transfer_run_variant,           \
                                .release = transfer_release,           \
                                .refresh = ((flag)&GB_VARIANT_DERIVED) != 0 ? transfer_refresh_variant : NULL}

/* These variants copy from and to host memory that they allocate themselves. The flag GB_VARIANT_DERIVED tells the host
 * that a variant keeps a copy of x: `prepare` and `refresh` copy x to the send buffer. */
VARIANT(pageable, "pageable", "cudaMemcpy on memory from malloc; both ways: a thread each", TRANSFER_PAGEABLE,
        GB_VARIANT_BASELINE | GB_VARIANT_DERIVED);
VARIANT(pinned, "pinned", "cudaMemcpyAsync on memory from cudaHostAlloc", TRANSFER_PINNED, GB_VARIANT_DERIVED);
VARIANT(registered, "registered", "the same on memory from malloc, cudaHostRegister before", TRANSFER_REGISTERED,
        GB_VARIANT_DERIVED);
VARIANT(combined, "write-combined", "the same on write-combined memory", TRANSFER_COMBINED, GB_VARIANT_DERIVED);
VARIANT(staged, "staged", "memory from malloc: threads copy chunks into or out of two pinned ones each",
        TRANSFER_STAGED, GB_VARIANT_DERIVED);
VARIANT(device, "device", "cudaMemcpyAsync from device to device", TRANSFER_DEVICE, 0);

/* ---- The tables ------------------------------------------------------------------------------------------------ */

static const gb_axis axis_direction = {
    GB_SIZE(gb_axis),    .type = GB_STR,
    .name = "direction", .choices = "h2d,d2h,d2d,both",
    .values = "h2d",     .summary = "between host and device; both: one each way at once"};
static const gb_axis axis_bytes = {GB_SIZE(gb_axis), .type = GB_I64,        .name = "bytes",
                                   .unit = "B",      .summary = "each way", .values = "512M"};
static const gb_axis axis_threads = {GB_SIZE(gb_axis), .type = GB_I64, .name = "threads",
                                     .summary = "of staging; 0: one per CPU", .values = "0"};
static const gb_axis axis_chunk = {GB_SIZE(gb_axis), .type = GB_I64,          .name = "chunk",
                                   .unit = "B",      .summary = "of staging", .values = "2M"};

#define PRESET(id, label, where, what, on) \
  static const gb_preset id = {GB_SIZE(gb_preset), .name = label, .summary = what, .point = where, .backends = on}

/* The default presets use 32 MiB. Their rate is within 2% of the rate for 512 MiB, but filling, pinning and verifying
 * the memory takes a sixteenth of the time. */
PRESET(up_4k, "h2d-4k", "direction=h2d,bytes=4k", "what a call costs: see --mode latency", NULL);
PRESET(up_1m, "h2d-1m", "direction=h2d,bytes=1M", "about half-way to the full rate", "cuda");
PRESET(up, "h2d-32m", "direction=h2d,bytes=32M", "the link's rate to the device, to 2%", "cuda");
PRESET(down, "d2h-32m", "direction=d2h,bytes=32M", "the link's rate to the host, to 2%", "cuda");
PRESET(both, "both-32m", "direction=both,bytes=32M", "both ways at once", "cuda");
PRESET(on_device, "d2d-512m", "direction=d2d,bytes=512M", "within the device", "cuda");
PRESET(up_most, "h2d-512m", "direction=h2d,bytes=512M", "the link's rate to the device", NULL);
PRESET(down_most, "d2h-512m", "direction=d2h,bytes=512M", "the link's rate to the host", NULL);
PRESET(both_most, "both-256m", "direction=both,bytes=256M", "both ways at once", NULL);

const gb_bench transfer_bench = {
    GB_SIZE(gb_bench),
    .flags = GB_BENCH_NO_ROOF,
    .name = "transfer",
    .contract = "gpubench.org/data_pipeline/transfer/1",
    .summary = "between host and device memory",
    .axes = (const gb_axis *const[]){&axis_direction, &axis_bytes, &axis_threads, &axis_chunk, NULL},
    .presets = (const gb_preset *const[]){&up_4k, &up_1m, &up, &down, &both, &on_device, &up_most, &down_most,
                                          &both_most, NULL},
    .variants = (const gb_variant *const[]){&pageable, &pinned, &registered, &combined, &staged, &device, NULL},
    .supports = transfer_supports,
    .setup = transfer_setup,
    .reference = transfer_reference,
    .verify = transfer_verify,
    .teardown = transfer_teardown,
};
#endif
