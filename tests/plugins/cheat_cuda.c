/* Cheating variants that look faster on a GPU than the honest one without doing its work, each by one trick. The bench
 * is y[i] = f(x[i]) over n floats. f has `steps` steps, so that the work is limited by computing or by memory. The
 * tests require that none of the cheats gets a speedup. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <gpubench/sugar.h>

#include "cheat_cuda.h"

static gb_sdk gb;

/* What a variant remembers from call to call, in host memory. */
struct memory {
  struct cheat_memory *device;
  /* calls: number of earlier calls; streak: number of calls since the last long pause between calls */
  int64_t calls, streak;
  double left_ns;
  unsigned long long capture;
};

/* The arguments of a trick's functions. */
struct call {
  float *x, *y;
  int64_t n;
  int steps;
  struct CUstream_st *stream;
  struct memory *m;
};

struct trick {
  struct cheat cheat;            /* what the kernel of cheat_cuda_run() does, if `run` is NULL */
  int (*run)(struct call *call); /* returns a cudaError_t, as do the functions below */
  int (*before)(struct call *call);
  int (*prepare)(struct call *call);
  int (*refresh)(struct call *call);
  uint32_t flags; /* GB_VARIANT_* */
};

/* ---- The problem ---- */

static gb_status cheat_setup(const gb_bench *self, gb_case *c, void **state) {
  const uint64_t *flops = self->user; /* per step */
  (void)state;
  const int64_t n = gb.point->i64(c, "n"), steps = gb.point->i64(c, "steps");
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y";
  t.role = GB_OUT;
  t.reduction = (uint64_t)steps;
  if (status == GB_OK) status = gb.tensor->declare(c, &t);
  if (status != GB_OK) return status;
  const gb_work work = {GB_SIZE(gb_work), .flops = *flops * (uint64_t)(n * steps), .bytes_read = 4 * (uint64_t)n,
                        .bytes_written = 4 * (uint64_t)n};
  return gb.point->work(c, &work);
}

static gb_status cheat_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const uint64_t n = (uint64_t)gb.point->i64(c, "n");
  const double left = pow(CHEAT_A, (double)gb.point->i64(c, "steps")), end = CHEAT_B / (1 - CHEAT_A);
  double *values = malloc(n * sizeof *values);
  if (values == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  gb_status status = gb.tensor->input(c, "x", 0, n, values);
  for (uint64_t i = 0; i < n; i++)
    values[i] = end + left * (values[i] - end);
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, values);
  free(values);
  return status;
}

/* ---- Tricks on the CPU's side ---- */

static int honest(struct call *call) {
  return cheat_cuda_honest(call->x, call->y, call->n, call->steps, call->stream);
}

static int nothing(struct call *call) {
  (void)call;
  return 0;
}

static int keep(struct call *call) {
  return cheat_cuda_keep(call->x, call->m->device, call->n, call->steps, call->stream);
}

static int nothing_later(struct call *call) {
  return call->m->streak < 3 ? honest(call) : 0;
}

static int first_call_only(struct call *call) {
  return call->m->calls == 0 ? honest(call) : 0;
}

/* Does the work only in the first of several calls that are captured into one graph. */
static int first_of_a_graph(struct call *call) {
  const unsigned long long capture = cheat_cuda_capture(call->stream), former = call->m->capture;
  call->m->capture = capture;
  return capture == 0 || capture != former ? honest(call) : 0;
}

static int another_stream_later(struct call *call) {
  return call->m->streak < 3 ? honest(call) : cheat_cuda_elsewhere(call->x, call->y, call->n, call->steps);
}

static int forked(struct call *call) {
  return cheat_cuda_forked(call->x, call->y, call->n, call->steps, 1, 0, call->stream);
}

static int forked_later(struct call *call) {
  return call->m->streak < 3 ? honest(call) : forked(call);
}

static int a_tenth_forked(struct call *call) {
  return cheat_cuda_forked(call->x, call->y, call->n, call->steps, 10, 0, call->stream);
}

static int covered(struct call *call) {
  return cheat_cuda_forked(call->x, call->y, call->n, call->steps, 1, 1, call->stream);
}

static int half_covered_later(struct call *call) {
  return call->m->streak < 3 ? honest(call)
                             : cheat_cuda_forked(call->x, call->y, call->n, call->steps, 2, 1, call->stream);
}

static int sticky(struct call *call) {
  return cheat_cuda_sticky(call->x, call->y, call->n, call->steps, call->stream);
}

static int raise_limit(struct call *call) {
  return cheat_cuda_keep_more(call->n);
}

/* Sets the stream's access policy window (a CUDA setting), so that as many lines of x as possible stay in the L2
 * cache. */
static int window(struct call *call) {
  return cheat_cuda_window(call->x, call->n, call->stream);
}

static int limit_and_window(struct call *call) {
  const int rc = raise_limit(call);
  return rc == 0 ? window(call) : rc;
}

static int limit_in_run(struct call *call) {
  const int rc = call->m->calls == 0 ? raise_limit(call) : 0;
  return rc == 0 ? honest(call) : rc;
}

/* Sets the access policy window in `run`. The setting remains when the next variant uses the stream. */
static int window_in_run(struct call *call) {
  const int rc = cheat_cuda_capture(call->stream) != 0 ? 0 : window(call);
  return rc == 0 ? honest(call) : rc;
}

static int window_around(struct call *call) {
  int rc = window_in_run(call);
  if (rc == 0 && cheat_cuda_capture(call->stream) == 0) rc = cheat_cuda_window(call->x, 0, call->stream);
  return rc;
}

static const struct cheat give_all = {"", ALWAYS, 0, GIVE, 1}, give_half = {"", ALWAYS, 0, GIVE, 2};

static int give(struct call *call) {
  return cheat_cuda_run(&give_all, call->x, call->y, call->n, call->steps, call->m->device, call->stream);
}

static int give_a_half(struct call *call) {
  return cheat_cuda_run(&give_half, call->x, call->y, call->n, call->steps, call->m->device, call->stream);
}

/* ---- The tables ---- */

static const struct trick tricks[] = {
    {.cheat = {"honest"}, .run = honest},
    {.cheat = {"after-1", KNOWN, 1, GIVE, 1}},
    {.cheat = {"after-2", KNOWN, 2, GIVE, 1}},
    {.cheat = {"after-3", KNOWN, 3, GIVE, 1}},
    {.cheat = {"after-10", KNOWN, 10, GIVE, 1}},
    {.cheat = {"after-40", KNOWN, 40, GIVE, 1}},
    {.cheat = {"after-100", KNOWN, 100, GIVE, 1}},
    {.cheat = {"a-half", KNOWN, 1, GIVE, 2}},
    {.cheat = {"half-after-10", KNOWN, 10, GIVE, 2}},
    {.cheat = {"a-third", KNOWN, 1, GIVE, 3}},
    {.cheat = {"a-tenth", KNOWN, 1, GIVE, 10}},
    {.cheat = {"a-twentieth", KNOWN, 1, GIVE, 20}},
    {.cheat = {"every-second", EVERY, 2, GIVE, 1}},
    {.cheat = {"every-51st", EVERY, 51, GIVE, 1}},
    {.cheat = {"unless-first", NOT_FIRST, 0, GIVE, 1}},
    {.cheat = {"half-unless-first", NOT_FIRST, 0, GIVE, 2}},
    {.cheat = {"tenth-unless-first", NOT_FIRST, 0, GIVE, 10}},
    {.cheat = {"already-there", THERE, 0, NOTHING, 1}},
    {.cheat = {"half-there", THERE, 0, NOTHING, 2}},
    {.cheat = {"there-unless-first", THERE_NOT_FIRST, 0, NOTHING, 1}},
    {.cheat = {"nothing-in-slot", IN_SLOT, 0, NOTHING, 1}},
    {.cheat = {"half-in-slot", IN_SLOT, 0, NOTHING, 2}},
    {.cheat = {"zeros-in-slot", IN_SLOT, 0, ZEROS, 1}},
    {.cheat = {"roughly-in-slot", IN_SLOT, 0, ROUGHLY, 1}},
    {.cheat = {"last-in-slot", IN_SLOT, 0, LAST, 1}},
    {.cheat = {"row-in-slot", IN_SLOT, 0, ROW, 1}},
    {.cheat = {"nan-in-slot", IN_SLOT, 0, ONE_NAN, 1}},
    {.cheat = {"beside-in-slot", IN_SLOT, 0, BESIDE, 1}},
    {.cheat = {"far-in-slot", IN_SLOT, 0, FAR, 1}},
    {.cheat = {"input-in-slot", IN_SLOT, 0, INPUT, 1}},
    {.cheat = {"last", ALWAYS, 0, LAST, 1}},
    {.cheat = {"beside", ALWAYS, 0, BESIDE, 1}},
    {.cheat = {"far", ALWAYS, 0, FAR, 1}},
    {.cheat = {"input", ALWAYS, 0, INPUT, 1}},
    {.cheat = {"one-nan", ALWAYS, 0, ONE_NAN, 1}},
    {.cheat = {"nothing-later"}, .run = nothing_later},
    {.cheat = {"first-call-only"}, .run = first_call_only},
    {.cheat = {"first-of-a-graph"}, .run = first_of_a_graph},
    {.cheat = {"another-stream-later"}, .run = another_stream_later},
    {.cheat = {"forked"}, .run = forked},
    {.cheat = {"forked-later"}, .run = forked_later},
    {.cheat = {"a-tenth-forked"}, .run = a_tenth_forked},
    {.cheat = {"covered"}, .run = covered},
    {.cheat = {"half-covered-later"}, .run = half_covered_later},
    {.cheat = {"sticky"}, .run = sticky},
    {.cheat = {"limit-and-window"}, .run = honest, .prepare = limit_and_window},
    {.cheat = {"limit-in-run"}, .run = limit_in_run},
    {.cheat = {"window-in-run"}, .run = window_in_run},
    {.cheat = {"window-around"}, .run = window_around},
    {.cheat = {"before-outputs"}, .run = nothing, .before = honest},
    {.cheat = {"before-kept"}, .run = give, .before = keep},
    {.cheat = {"before-half"}, .run = give_a_half, .before = keep},
    {.cheat = {"prepare-outputs"}, .run = nothing, .prepare = honest},
    {.cheat = {"prepare-kept"}, .run = give, .prepare = keep},
    {.cheat = {"derived-kept"}, .run = give, .prepare = keep, .flags = GB_VARIANT_DERIVED},
    {.cheat = {"derived-half"}, .run = give_a_half, .prepare = keep, .flags = GB_VARIANT_DERIVED},
    {.cheat = {"refresh-outputs"}, .run = nothing, .refresh = honest, .flags = GB_VARIANT_DERIVED},
    {.cheat = {"refresh-kept"}, .run = give, .prepare = keep, .refresh = keep, .flags = GB_VARIANT_DERIVED},
    {.cheat = {"refresh-nothing"}, .run = give, .prepare = keep, .refresh = nothing, .flags = GB_VARIANT_DERIVED},
    {.cheat = {"honest-before"}, .run = honest, .before = nothing},
    {.cheat = {"decides", NEVER, 0, GIVE,
               1}}, /* no cheat, for comparison: decides as the cheats do, which costs time, but always computes */
    {.cheat = {"also-honest"}, .run = honest},
};
enum { COUNT = sizeof tricks / sizeof tricks[0], BENCHES = 2 };

static struct call call_of(gb_case *c, struct memory *m) {
  return (struct call){.x = gb.tensor->data(c, "x"),
                       .y = gb.tensor->data(c, "y"),
                       .n = gb.point->i64(c, "n"),
                       .steps = (int)gb.point->i64(c, "steps"),
                       .stream = gb.cuda->stream(c),
                       .m = m};
}

static gb_status check(gb_case *c, const char *what, int rc) {
  return rc == 0 ? GB_OK : gb_failf(&gb, c, GB_EDEVICE, "%s: cudaError %d", what, rc);
}

static gb_status cheat_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct trick *trick = self->user;
  struct memory *m = calloc(1, sizeof *m);
  *vstate = m;
  if (m == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  gb_status status = check(c, "memory", cheat_cuda_open(&m->device, gb.point->i64(c, "n")));
  struct call call = call_of(c, m);
  return status == GB_OK && trick->prepare != NULL ? check(c, "prepare", trick->prepare(&call)) : status;
}

static gb_status cheat_before(const gb_variant *self, gb_case *c, void *vstate) {
  struct call call = call_of(c, vstate);
  return check(c, "before", ((const struct trick *)self->user)->before(&call));
}

static gb_status cheat_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  struct call call = call_of(c, vstate);
  return check(c, "refresh", ((const struct trick *)self->user)->refresh(&call));
}

static double now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static gb_status cheat_run(const gb_variant *self, gb_case *c, void *vstate) {
  static const double long_ns = 4e6;
  const struct trick *trick = self->user;
  struct memory *m = vstate;
  struct call call = call_of(c, m);
  m->streak = now_ns() - m->left_ns > long_ns ? 0 : m->streak + 1;
  int rc = trick->run != NULL
               ? trick->run(&call)
               : cheat_cuda_run(&trick->cheat, call.x, call.y, call.n, call.steps, m->device, call.stream);
  m->calls++;
  m->left_ns = now_ns();
  return check(c, "run", rc);
}

static void cheat_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct memory *m = vstate;
  (void)self;
  (void)c;
  cheat_cuda_close(m->device);
  free(m);
}

static gb_variant variants[COUNT];
static const gb_variant *list[COUNT + 1];
static const gb_axis n = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "1M"};
static const gb_axis steps = {GB_SIZE(gb_axis), .type = GB_I64, .name = "steps", .values = "4096"};
static const uint64_t flops[BENCHES] = {2, 2000};
static gb_bench benches[BENCHES] = {{.name = "cuda", .contract = "gpubench.org/test/cheats/cuda/1"},
                                    {.name = "flops", .contract = "gpubench.org/test/cheats/cuda-flops/1"}};

static gb_status cheat_open(const gb_host *host, gb_registry *registry, void **self) {
  static const gb_axis *const axes[] = {&n, &steps, NULL};
  (void)self;
  for (int i = 0; i < COUNT; i++) {
    variants[i] = (gb_variant){GB_SIZE(gb_variant), .flags = tricks[i].flags, .name = tricks[i].cheat.name,
                               .backend = "cuda",   .math = "fp32",           .prepare = cheat_prepare,
                               .run = cheat_run,    .release = cheat_release, .user = &tricks[i]};
    if (i == 0) variants[i].flags |= GB_VARIANT_BASELINE;
    if (tricks[i].before != NULL) variants[i].before = cheat_before;
    if (tricks[i].refresh != NULL) variants[i].refresh = cheat_refresh;
    list[i] = &variants[i];
  }
  gb_status status = gb_sdk_open(&gb, host);
  for (int i = 0; i < BENCHES && status == GB_OK; i++) {
    benches[i].struct_size = (uint32_t)sizeof benches[i];
    benches[i].axes = axes;
    benches[i].variants = list;
    benches[i].setup = cheat_setup;
    benches[i].reference = cheat_reference;
    benches[i].user = &flops[i];
    status = host->add(host, registry, &benches[i]);
  }
  return status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "cheats", .version = "1.0.0", .open = cheat_open};
