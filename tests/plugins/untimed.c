/* Variants that work in callbacks that are not timed (`after`, `refresh`), and honest variants that have such
 * callbacks. The computation of each element takes `REPEATS` steps. The baseline does its work twice and the honest
 * variants once. The cheats leave the work to `after`, to a thread for which `after` waits, to `refresh`, or to a
 * process that a thread of `refresh` starts while gpubench flushes the caches. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "simple.h"

enum { ELEMENTS = 16384, REPEATS = 96, BYTES = ELEMENTS * 4 };

struct work {
  float *from, *to, *kept; /* kept: where `refresh` keeps its results */
  int64_t first;
  pthread_t thread;
  int running;
};

static float steps(float x) {
  float y = x;
  for (int i = 0; i < REPEATS; i++)
    y = 0.5f * y + 0.5f * x; /* equals x exactly */
  return 2 * y;
}

static void work_on(const struct work *w) {
  for (int64_t i = w->first; i < ELEMENTS; i++)
    w->to[i] = steps(w->from[i]);
}

static void *work_thread(void *context) {
  work_on(context);
  return NULL;
}

static void take(gb_case *c, struct work *w) {
  w->from = gb.tensor->data(c, "x");
  w->to = gb.tensor->data(c, "y");
}

static gb_status new_work(const gb_variant *self, gb_case *c, void **vstate) {
  struct work *w = gb.mem->alloc(c, GB_MEM_DEVICE, sizeof *w);
  if (w == NULL) return GB_ENOMEM;
  memset(w, 0, sizeof *w);
  w->kept = gb.mem->alloc(c, GB_MEM_DEVICE, 2 * BYTES);
  if (w->kept == NULL) return GB_ENOMEM;
  *vstate = w;
  return self->refresh != NULL ? self->refresh(self, c, w) : GB_OK;
}

/* The function `run` of honest variants. `user` points to the number of times that it does the work. */
static gb_status work_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct work w = {0};
  (void)vstate;
  take(c, &w);
  for (int i = 0; i < *(const int *)self->user; i++) {
    work_on(&w);
    __asm__ volatile("" ::: "memory");
  }
  return GB_OK;
}

/* ---- after ---- */

static gb_status join_after(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  struct work *w = vstate;
  if (w->running) pthread_join(w->thread, NULL);
  w->running = 0;
  return GB_OK;
}

/* Copies the inputs and leaves the work to `after`. The copy is needed because the inputs may change before `after` is
 * called. */
static gb_status deferred_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  struct work *w = vstate;
  take(c, w);
  memcpy(w->kept, w->from, BYTES);
  w->from = w->kept;
  return GB_OK;
}

static gb_status deferred_after(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  (void)c;
  work_on(vstate);
  return GB_OK;
}

static gb_status threaded_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct work *w = vstate;
  join_after(self, c, w);
  deferred_run(self, c, w);
  w->running = pthread_create(&w->thread, NULL, work_thread, w) == 0;
  return w->running ? GB_OK : gb_failf(&gb, c, GB_EFAIL, "no thread");
}

static void threaded_release(const gb_variant *self, gb_case *c, void *vstate) {
  join_after(self, c, vstate);
}

/* ---- refresh ---- */

/* Computes, in `refresh`, the results of the last sixteenth of the elements. */
static gb_status packed_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  struct work part = {.first = ELEMENTS - ELEMENTS / 16};
  struct work *w = vstate;
  take(c, &part);
  part.to = w->kept;
  work_on(&part);
  return GB_OK;
}

static gb_status packed_run(const gb_variant *self, gb_case *c, void *vstate) {
  enum { REST = ELEMENTS - ELEMENTS / 16 };
  (void)self;
  const struct work *kept = vstate;
  struct work w = {0};
  take(c, &w);
  for (int64_t i = 0; i < REST; i++)
    w.to[i] = steps(w.from[i]);
  memcpy(w.to + REST, kept->kept + REST, BYTES / 16);
  return GB_OK;
}

static gb_status cooked_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  struct work whole = {0};
  struct work *w = vstate;
  take(c, &whole);
  whole.to = w->kept;
  work_on(&whole);
  return GB_OK;
}

static gb_status cooked_run(const gb_variant *self, gb_case *c, void *vstate) {
  (void)self;
  const struct work *w = vstate;
  memcpy(gb.tensor->data(c, "y"), w->kept, BYTES);
  return GB_OK;
}

/* ---- A thread of refresh ---- */

/* The body of a thread that does the work twice: first in a child process, whose results are lost when it ends, and
 * then itself. */
static void *late_thread(void *context) {
  usleep(1500);
  const pid_t child = fork();
  if (child == 0) {
    work_on(context);
    _exit(0);
  }
  if (child > 0) waitpid(child, NULL, 0);
  work_on(context);
  return NULL;
}

static gb_status warmed_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  struct work *w = vstate;
  join_after(self, c, w);
  w->from = w->kept + ELEMENTS;
  w->to = w->kept;
  memcpy(w->from, gb.tensor->data(c, "x"), BYTES);
  w->running = pthread_create(&w->thread, NULL, late_thread, w) == 0;
  return w->running ? GB_OK : gb_failf(&gb, c, GB_EFAIL, "no thread");
}

static gb_status warmed_run(const gb_variant *self, gb_case *c, void *vstate) {
  join_after(self, c, vstate);
  return cooked_run(self, c, vstate);
}

/* ---- The bench and the plugin ---- */

static gb_status untimed_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = ELEMENTS;
  const gb_tensor x = {GB_SIZE(gb_tensor), .role = GB_IN,          .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                       .shape = &n,        .fill = GB_FILL_NORMAL, .fill_a = 0,           .fill_b = 1};
  const gb_tensor y = {GB_SIZE(gb_tensor), .role = GB_OUT, .dtype = GB_DTYPE_F32, .rank = 1,
                       .name = "y",        .shape = &n,    .reduction = 1};
  gb_status status = gb.tensor->declare(c, &x);
  return status == GB_OK ? gb.tensor->declare(c, &y) : status;
}

static gb_status untimed_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  static double values[ELEMENTS];
  gb_status status = gb.tensor->input(c, "x", 0, ELEMENTS, values);
  for (int i = 0; i < ELEMENTS; i++)
    values[i] *= 2;
  return status == GB_OK ? gb.tensor->expect(c, "y", 0, ELEMENTS, values) : status;
}

static int once = 1, two = 2;
#define VARIANT(id, name_, ...) \
  static const gb_variant id = {GB_SIZE(gb_variant), .name = name_, .backend = "cpu", .math = "fp32", __VA_ARGS__}
VARIANT(plain, "plain", .flags = GB_VARIANT_BASELINE, .user = &two, .run = work_run);
VARIANT(honest, "honest", .user = &once, .run = work_run);
VARIANT(joined, "joined", .user = &once, .prepare = new_work, .run = work_run, .after = join_after);
VARIANT(deferred, "deferred", .prepare = new_work, .run = deferred_run, .after = deferred_after);
VARIANT(threaded, "threaded", .prepare = new_work, .run = threaded_run, .after = join_after,
        .release = threaded_release);
VARIANT(packed, "packed", .flags = GB_VARIANT_DERIVED, .prepare = new_work, .refresh = packed_refresh,
        .run = packed_run);
VARIANT(cooked, "cooked", .flags = GB_VARIANT_DERIVED, .prepare = new_work, .refresh = cooked_refresh,
        .run = cooked_run);
VARIANT(warmed, "warmed", .flags = GB_VARIANT_DERIVED, .prepare = new_work, .refresh = warmed_refresh,
        .run = warmed_run, .release = threaded_release);
VARIANT(helped, "helped", .flags = GB_VARIANT_PROCESSES, .user = &once, .run = work_run);

static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "untimed",
                               .contract = "gpubench.org/test/untimed/1",
                               .summary = "y = 2 * x, slowly",
                               .variants = (const gb_variant *const[]){&plain, &honest, &joined, &deferred, &threaded,
                                                                       &packed, &cooked, &warmed, &helped, NULL},
                               .setup = untimed_setup,
                               .reference = untimed_reference};

static gb_status untimed_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "untimed", .version = "1.0.0", .open = untimed_open};
