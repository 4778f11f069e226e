/* Cheating variants that do the work outside the timed call: in the callback `before`, in `prepare` or `refresh`, or in
 * a thread. The tests require that none of them seems faster than the honest variant. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"

static void compute_kept(gb_case *c, struct memory *m) {
  work(input(c), m->kept, size(c));
}

static void nothing(gb_case *c, struct memory *m) {
  (void)c;
  (void)m;
}

static void give(gb_case *c, struct memory *m) {
  memcpy(output(c), m->kept, (size_t)size(c) * sizeof(float));
  finish(c);
}

/* ---- In `before` and in `prepare` ---- */

/* Copies the kept results to the outputs if they belong to the present inputs. Otherwise computes. */
static void give_if_known(gb_case *c, struct memory *m) {
  const double kept_for = m->seen;
  (void)known(c, m);
  m->seen == kept_for ? give(c, m) : honest(c, m);
}

static void compute_kept_known(gb_case *c, struct memory *m) {
  (void)known(c, m);
  compute_kept(c, m);
}

static void give_a_half(gb_case *c, struct memory *m) {
  const int64_t half = size(c) / 2;
  memcpy(output(c), m->kept, (size_t)half * sizeof(float));
  compute(c, half, size(c));
  finish(c);
}

/* Copies the inputs into memory of the variant. This is allowed in `prepare`. */
static void lay_out(gb_case *c, struct memory *m) {
  memcpy(m->kept, input(c), (size_t)size(c) * sizeof(float));
}

static void compute_laid_out(gb_case *c, struct memory *m) {
  work(m->kept, output(c), size(c));
  finish(c);
}

static void lay_out_fresh(gb_case *c, struct memory *m) {
  m->known = 0;
  lay_out(c, m);
}

/* Computes in the first call on new inputs and repeats the results in later calls. `refresh` sets `known` to 0 when the
 * inputs are new. */
static void compute_if_fresh(gb_case *c, struct memory *m) {
  if (m->known++ == 0) work(m->kept, m->later, size(c));
  memcpy(output(c), m->later, (size_t)size(c) * sizeof(float));
  finish(c);
}

/* ---- In `prepare`, for inputs with which the host will fill x later ---- */

enum { AHEAD = 128 };

static struct {
  uint64_t seed;
  float *values; /* results for AHEAD seeds */
} ahead;

/* Returns an element of the input as the host fills it for this seed. The formula is documented. */
static float filled(uint64_t seed, int64_t index) {
  const uint64_t first_tensor = 1;
  return (float)(1 + (double)(gb.rng->bits(seed, first_tensor, (uint64_t)index) >> 11) * 0x1p-53);
}

static void work_ahead(gb_case *c, struct memory *m) {
  const int64_t n = size(c);
  (void)m;
  ahead.seed = gb.point->seed(c);
  ahead.values = malloc(AHEAD * (size_t)n * sizeof *ahead.values);
  for (int64_t i = 0; ahead.values != NULL && i < AHEAD * n; i++)
    ahead.values[i] = f(filled(ahead.seed + (uint64_t)(i / n), i % n));
}

static void give_foreseen(gb_case *c, struct memory *m) {
  const uint64_t which = gb.point->seed(c) - ahead.seed;
  const bool foreseen = ahead.values != NULL && which < AHEAD && filled(gb.point->seed(c), 7) == input(c)[7];
  if (!foreseen) honest(c, m);
  if (foreseen) memcpy(output(c), ahead.values + which * (uint64_t)size(c), (size_t)size(c) * sizeof(float));
  finish(c);
}

static void forget_ahead(struct memory *m) {
  (void)m;
  free(ahead.values);
  ahead.values = NULL;
}

/* ---- In a thread ---- */

struct helper {
  pthread_t thread;
  const float *x;
  float *y;         /* NULL: the thread computes in advance, and stores the results in `kept` */
  struct memory *m; /* of the variant */
  int64_t first, n; /* the thread computes elements [first, n) of y */
  atomic_int wanted, done;
  _Atomic float kept_for;
  atomic_bool quit;
};

static struct helper helper;

/* The body of a thread that computes its part of the outputs when a call asks for it. */
static void *help(void *argument) {
  struct helper *h = argument;
  while (!h->quit) {
    const int wanted = h->wanted;
    if (wanted == h->done) sched_yield();
    if (wanted != h->done) work(h->x + h->first, h->y + h->first, h->n - h->first);
    h->done = wanted;
  }
  return NULL;
}

/* The body of a thread that watches the inputs. When they change, it computes the results before a call asks for
 * them. */
static void *watch(void *argument) {
  struct helper *h = argument;
  while (!h->quit) {
    const float now = h->x[0] + h->x[h->n - 1];
    if (now == h->kept_for) sched_yield();
    if (now != h->kept_for) work(h->x, h->m->kept, h->n);
    h->kept_for = now;
  }
  return NULL;
}

static void start(gb_case *c, struct memory *m, void *(*what)(void *)) {
  helper = (struct helper){.x = input(c), .y = output(c), .m = m, .n = size(c)};
  if (pthread_create(&helper.thread, NULL, what, &helper) != 0) abort();
}

static void start_helper(gb_case *c, struct memory *m) {
  start(c, m, help);
}

static void start_watching(gb_case *c, struct memory *m) {
  start(c, m, watch);
}

static void stop(struct memory *m) {
  (void)m;
  helper.quit = true;
  pthread_join(helper.thread, NULL);
}

/* Computes the elements before `first`, and leaves the others to the thread, which computes them after the call has
 * returned. */
static void leave_to_the_thread(gb_case *c, int64_t first) {
  helper.first = first;
  helper.wanted++;
  compute(c, 0, first);
  finish(c);
}

static void late(gb_case *c, struct memory *m) {
  (void)m;
  leave_to_the_thread(c, 0);
}

static void late_later(gb_case *c, struct memory *m) {
  m->streak < 3 ? honest(c, m) : leave_to_the_thread(c, 0);
}

/* Fills the outputs with plausible values, so that they look complete when the call returns. The thread overwrites them
 * later. */
static void covered_late(gb_case *c, struct memory *m) {
  (void)m;
  for (int64_t i = 0; i < size(c); i++)
    output(c)[i] = 1.5F;
  leave_to_the_thread(c, 0);
}

static void give_watched(gb_case *c, struct memory *m) {
  const float now = input(c)[0] + input(c)[size(c) - 1];
  now == helper.kept_for ? give(c, m) : honest(c, m);
}

const struct trick elsewhere_tricks[] = {
    {.name = "honest", .act = honest},
    {.name = "before-outputs", .act = nothing, .before = honest},
    {.name = "before-kept", .act = give, .before = compute_kept},
    {.name = "before-known", .act = give_if_known, .before = compute_kept_known},
    {.name = "before-half", .act = give_a_half, .before = compute_kept},
    {.name = "prepare-outputs", .act = nothing, .prepare = honest},
    {.name = "prepare-kept", .act = give, .prepare = compute_kept},
    {.name = "derived-outputs", .act = nothing, .prepare = honest, .flags = GB_VARIANT_DERIVED},
    {.name = "derived-kept", .act = give, .prepare = compute_kept, .flags = GB_VARIANT_DERIVED},
    {.name = "derived-half", .act = give_a_half, .prepare = compute_kept, .flags = GB_VARIANT_DERIVED},
    {.name = "refresh-outputs", .act = nothing, .refresh = honest, .flags = GB_VARIANT_DERIVED},
    {.name = "refresh-kept",
     .act = give,
     .prepare = compute_kept,
     .refresh = compute_kept,
     .flags = GB_VARIANT_DERIVED},
    {.name = "refresh-memo",
     .act = compute_if_fresh,
     .prepare = lay_out_fresh,
     .refresh = lay_out_fresh,
     .flags = GB_VARIANT_DERIVED},
    {.name = "refresh-nothing",
     .act = compute_laid_out,
     .prepare = lay_out,
     .refresh = nothing,
     .flags = GB_VARIANT_DERIVED},
    {.name = "ahead-of-the-seed", .act = give_foreseen, .prepare = work_ahead, .release = forget_ahead},
    {.name = "late", .act = late, .prepare = start_helper, .release = stop},
    {.name = "late-later", .act = late_later, .prepare = start_helper, .release = stop},
    {.name = "covered-late", .act = covered_late, .prepare = start_helper, .release = stop},
    {.name = "watching", .act = give_watched, .prepare = start_watching, .release = stop},
    {.name = "honest-before", .act = honest, .before = nothing},
    {.name = "honest-derived", .act = compute_laid_out, .prepare = lay_out, .flags = GB_VARIANT_DERIVED},
    {.name = "honest-refresh",
     .act = compute_laid_out,
     .prepare = lay_out,
     .refresh = lay_out,
     .flags = GB_VARIANT_DERIVED},
    {.name = "also-honest", .act = honest},
    {.name = NULL},
};
