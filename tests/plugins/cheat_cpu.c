/* Kernels that look faster than the honest one without doing its work, each by one trick, and slips of the same kind.
 * The problem is y[i] = f(x[i]) over n floats, f dear enough that skipping it pays. None may end with a speedup. */
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "simple.h"

enum { STEPS = 32, SMALL = 512 };

static float f(float x) {
  for (int k = 0; k < STEPS; k++)
    x = x * 0.9F + 0.15F;
  return x;
}

static void compute(gb_case *c, int64_t first, int64_t end) {
  const float *x = gb.tensor->data(c, "x");
  float *y = gb.tensor->data(c, "y");
  for (int64_t i = first; i < end; i++)
    y[i] = f(x[i]);
}

static int64_t size(gb_case *c) {
  return gb.point->i64(c, "n");
}

/* ---- The problem ---- */

static gb_status cheat_setup(const gb_bench *self, gb_case *c, void **state) {
  (void)self;
  (void)state;
  const int64_t n = size(c);
  gb_tensor t = {GB_SIZE(gb_tensor), .role = GB_IN,           .dtype = GB_DTYPE_F32, .rank = 1,  .name = "x",
                 .shape = &n,        .fill = GB_FILL_UNIFORM, .fill_a = 1,           .fill_b = 2};
  gb_status status = gb.tensor->declare(c, &t);
  t.name = "y";
  t.role = GB_OUT;
  t.reduction = STEPS;
  if (status == GB_OK) status = gb.tensor->declare(c, &t);
  const int64_t one = 1;
  const gb_tensor count = {GB_SIZE(gb_tensor), .role = GB_OUT,  .dtype = GB_DTYPE_I32,
                           .rank = 1,          .name = "count", .shape = &one};
  return status == GB_OK ? gb.tensor->declare(c, &count) : status;
}

static gb_status cheat_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self;
  (void)state;
  const uint64_t n = (uint64_t)size(c);
  const double count = -1; /* the number that poison would be */
  double *values = malloc(n * sizeof *values);
  if (values == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  gb_status status = gb.tensor->read(c, "x", 0, n, values);
  for (uint64_t i = 0; i < n; i++)
    values[i] = f((float)values[i]);
  if (status == GB_OK) status = gb.tensor->expect(c, "y", 0, n, values);
  if (status == GB_OK) status = gb.tensor->expect(c, "count", 0, 1, &count);
  free(values);
  return status;
}

/* ---- Tricks ---- */

/* What a variant remembers from call to call. */
struct memory {
  int64_t calls;
  const void *input;
  double sum;
  float *kept;
};

static void finish(gb_case *c) {
  *(int32_t *)gb.tensor->data(c, "count") = -1;
}

static void honest(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c));
  finish(c);
}

/* Two elements at a time. */
static void odd(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c) / 2 * 2);
  finish(c);
}

static void first_call_only(gb_case *c, struct memory *m) {
  if (m->calls == 0) honest(c, m);
}

/* The result of the first call for this pointer, whatever it points to now. */
static void by_pointer(gb_case *c, struct memory *m) {
  float *y = gb.tensor->data(c, "y");
  const size_t bytes = (size_t)size(c) * sizeof *y;
  const void *input = gb.tensor->data(c, "x");
  if (m->input == input) memcpy(y, m->kept, bytes);
  if (m->input != input) honest(c, m), memcpy(m->kept, y, bytes);
  m->input = input;
  finish(c);
}

static double sum(gb_case *c) {
  const float *x = gb.tensor->data(c, "x");
  double total = 0;
  for (int64_t i = 0; i < size(c); i += 64)
    total += (double)x[i];
  return total;
}

/* Likewise while a sum over the input is what it was: right on every input. */
static void by_content(gb_case *c, struct memory *m) {
  float *y = gb.tensor->data(c, "y");
  const size_t bytes = (size_t)size(c) * sizeof *y;
  double now = sum(c);
  if (m->sum == now) memcpy(y, m->kept, bytes);
  if (m->sum != now) honest(c, m), memcpy(m->kept, y, bytes);
  m->sum = now;
  finish(c);
}

/* Likewise, told of new inputs by the host. */
static void by_seed(gb_case *c, struct memory *m) {
  float *y = gb.tensor->data(c, "y");
  const size_t bytes = (size_t)size(c) * sizeof *y;
  double now = (double)gb.point->seed(c) + 1;
  if (m->sum == now) memcpy(y, m->kept, bytes);
  if (m->sum != now) honest(c, m), memcpy(m->kept, y, bytes);
  m->sum = now;
  finish(c);
}

/* Does nothing where the output is there already, from the call before. */
static void already_there(gb_case *c, struct memory *m) {
  const float *y = gb.tensor->data(c, "y");
  if (isnan(y[0]) || isnan(y[size(c) - 1])) honest(c, m);
}

/* Every second call only, so that the first is right. */
static void every_second(gb_case *c, struct memory *m) {
  if (m->calls % 2 == 0) honest(c, m);
}

static void a_part(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c) - 7);
  finish(c);
}

/* All of it but the one integer, whose right value is what poison of 0xFF would be. */
static void not_the_integer(gb_case *c, struct memory *m) {
  (void)m;
  compute(c, 0, size(c));
}

static void nan_everywhere(gb_case *c, struct memory *m) {
  float *y = gb.tensor->data(c, "y");
  (void)m;
  for (int64_t i = 0; i < size(c); i++)
    y[i] = NAN;
  finish(c);
}

/* The NaN that poison is. */
static void nan_of_poison(gb_case *c, struct memory *m) {
  (void)m;
  memset(gb.tensor->data(c, "y"), 0xFF, (size_t)size(c) * sizeof(float));
  finish(c);
}

static void nan_somewhere(gb_case *c, struct memory *m) {
  honest(c, m);
  ((float *)gb.tensor->data(c, "y"))[size(c) / 2] = -NAN;
}

/* Simpler inputs make simpler work; in the calls that are timed. */
static void input_later(gb_case *c, struct memory *m) {
  if (m->calls > 3) memset(gb.tensor->data(c, "x"), 0, (size_t)size(c) * sizeof(float));
  honest(c, m);
}

static void input_at_once(gb_case *c, struct memory *m) {
  honest(c, m);
  ((float *)gb.tensor->data(c, "x"))[3] = 1.5F;
}

static void beyond(gb_case *c, struct memory *m) {
  honest(c, m);
  ((float *)gb.tensor->data(c, "y"))[size(c)] = 0;
}

static void beyond_later(gb_case *c, struct memory *m) {
  honest(c, m);
  if (m->calls > 3) ((float *)gb.tensor->data(c, "y"))[size(c)] = 0;
}

/* One row further than it should. */
static void far_beyond(gb_case *c, struct memory *m) {
  honest(c, m);
  ((float *)gb.tensor->data(c, "y"))[size(c) + SMALL] = 0;
}

/* ---- Elsewhere than where it is timed ---- */

struct helper {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t change;
  gb_case *c;
  int wanted, done; /* calls */
  bool quit;
};

static struct helper helper = {.mutex = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static void *help(void *argument) {
  struct helper *h = argument;
  pthread_mutex_lock(&h->mutex);
  while (!h->quit) {
    if (h->done == h->wanted) pthread_cond_wait(&h->change, &h->mutex);
    if (h->done == h->wanted) continue;
    gb_case *c = h->c;
    h->done = h->wanted;
    pthread_mutex_unlock(&h->mutex);
    honest(c, NULL);
    pthread_mutex_lock(&h->mutex);
  }
  pthread_mutex_unlock(&h->mutex);
  return NULL;
}

/* A thread does the work after the call has returned. */
static void in_a_thread(gb_case *c, struct memory *m) {
  (void)m;
  pthread_mutex_lock(&helper.mutex);
  helper.c = c;
  helper.wanted++;
  pthread_cond_signal(&helper.change);
  pthread_mutex_unlock(&helper.mutex);
}

/* ---- Services at the wrong time ---- */

static void allocates(gb_case *c, struct memory *m) {
  honest(c, m);
  (void)gb.mem->alloc(c, GB_MEM_HOST, 64);
}

/* States what it has computed as what is expected. */
static void expects(gb_case *c, struct memory *m) {
  const double zero = 0;
  (void)m;
  memset(gb.tensor->data(c, "y"), 0, (size_t)size(c) * sizeof(float));
  for (int64_t i = 0; i < size(c); i++)
    (void)gb.tensor->expect(c, "y", (uint64_t)i, 1, &zero);
  finish(c);
}

/* ---- The tables ---- */

struct trick {
  const char *name;
  void (*act)(gb_case *c, struct memory *m);
};

static const struct trick tricks[] = {
    {"honest", honest},
    {"odd", odd},
    {"first-call-only", first_call_only},
    {"by-pointer", by_pointer},
    {"by-content", by_content},
    {"by-seed", by_seed},
    {"already-there", already_there},
    {"every-second", every_second},
    {"a-part", a_part},
    {"not-the-integer", not_the_integer},
    {"nan-everywhere", nan_everywhere},
    {"nan-of-poison", nan_of_poison},
    {"nan-somewhere", nan_somewhere},
    {"input-later", input_later},
    {"input-at-once", input_at_once},
    {"beyond", beyond},
    {"beyond-later", beyond_later},
    {"far-beyond", far_beyond},
    {"in-a-thread", in_a_thread},
    {"allocates", allocates},
    {"expects", expects},
    {"also-honest", honest},
};
enum { COUNT = sizeof tricks / sizeof tricks[0] };

static gb_status cheat_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct trick *trick = self->user;
  struct memory *m = calloc(1, sizeof *m);
  if (m != NULL) m->kept = malloc((size_t)size(c) * sizeof(float));
  *vstate = m;
  if (m == NULL || m->kept == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no memory");
  helper.quit = false;
  if (trick->act != in_a_thread || pthread_create(&helper.thread, NULL, help, &helper) == 0) return GB_OK;
  return gb_failf(&gb, c, GB_EFAIL, "no thread");
}

static gb_status cheat_run(const gb_variant *self, gb_case *c, void *vstate) {
  struct memory *m = vstate;
  ((const struct trick *)self->user)->act(c, m);
  m->calls++;
  return GB_OK;
}

static void cheat_release(const gb_variant *self, gb_case *c, void *vstate) {
  struct memory *m = vstate;
  (void)c;
  if (((const struct trick *)self->user)->act == in_a_thread) {
    pthread_mutex_lock(&helper.mutex);
    helper.quit = true;
    pthread_cond_signal(&helper.change);
    pthread_mutex_unlock(&helper.mutex);
    pthread_join(helper.thread, NULL);
  }
  free(m->kept);
  free(m);
}

static gb_variant variants[COUNT];
static const gb_variant *list[COUNT + 1];
static const gb_axis axis = {GB_SIZE(gb_axis), .type = GB_I64, .name = "n", .values = "16384,16385"};
static const gb_bench bench = {GB_SIZE(gb_bench),
                               .name = "cheat",
                               .contract = "gpubench.org/test/cheat/1",
                               .summary = "y = f(x)",
                               .axes = (const gb_axis *const[]){&axis, NULL},
                               .variants = list,
                               .setup = cheat_setup,
                               .reference = cheat_reference};

static gb_status cheat_open(const gb_host *host, gb_registry *registry, void **self) {
  (void)self;
  for (int i = 0; i < COUNT; i++) {
    variants[i] = (gb_variant)SIMPLE_VARIANT(tricks[i].name, cheat_run);
    variants[i].flags = i == 0 ? GB_VARIANT_BASELINE : 0;
    variants[i].prepare = cheat_prepare;
    variants[i].release = cheat_release;
    variants[i].user = (void *)(uintptr_t)&tricks[i];
    list[i] = &variants[i];
  }
  gb_status status = gb_sdk_open(&gb, host);
  return status == GB_OK ? host->add(host, registry, &bench) : status;
}

const gb_plugin gb_plugin_v1 = {GB_PLUGIN_HEAD, .id = "cheat", .version = "1.0.0", .open = cheat_open};
