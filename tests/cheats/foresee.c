/* Benches that compare only a sample of the output elements, and cheating variants that compute only the elements that
 * they expect to be compared. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "problem.h"

enum { LOOKED_AT = 2048 }; /* elements */

/* A bench derives the places (indices) of the elements that it compares from one of two numbers. FROM_PLACES: from
 * gb.point->places(), which the host draws when the outputs are final. FROM_SEED: from the seed of the case, which
 * variants may ask for, too. */
enum source { FROM_PLACES, FROM_SEED };

/* the places that the bench chose last; variants of the same plugin can read them in this array */
static int64_t places[LOOKED_AT];
static _Atomic uint64_t entered; /* how often the bench has chosen places */

/* Returns place `i` of LOOKED_AT places. These are random, but the same for the same `number`. */
static int64_t place_by(gb_case *c, uint64_t number, int64_t i) {
  const int64_t n = size(c), first = n * i / LOOKED_AT, next = n * (i + 1) / LOOKED_AT;
  return first + (int64_t)gb.rng->below(number, 1, (uint64_t)i, (uint64_t)(next - first));
}

static void choose(gb_case *c, enum source source) {
  const uint64_t number = source == FROM_PLACES ? gb.point->places(c) : gb.point->seed(c);
  for (int64_t i = 0; i < LOOKED_AT; i++)
    places[i] = place_by(c, number, i);
  atomic_fetch_add(&entered, 1);
}

static gb_status state_some(gb_case *c, enum source source) {
  const double count = -1;
  gb_status status = gb.tensor->expect(c, "count", 0, 1, &count);
  choose(c, source);
  for (int64_t i = 0; i < LOOKED_AT && status == GB_OK; i++) {
    double value;
    status = gb.tensor->input(c, "x", (uint64_t)places[i], 1, &value);
    value = (double)f((float)value);
    if (status == GB_OK) status = gb.tensor->expect(c, "y", (uint64_t)places[i], 1, &value);
  }
  return status;
}

static gb_status drawn_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  return state_some(c, FROM_PLACES);
}

static gb_status seeded_reference(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  return state_some(c, FROM_SEED);
}

/* The callback `verify` of a bench that compares a sample of the elements. Reads them through pointers, and not through
 * gb.tensor->output(). */
static gb_status drawn_verify(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)state;
  const float *x = input(c), *y = output(c);
  choose(c, FROM_PLACES);
  for (int64_t i = 0; i < LOOKED_AT; i++)
    if (y[places[i]] < f(x[places[i]]) || y[places[i]] > f(x[places[i]]))
      return gb_failf(&gb, c, GB_EFAIL, "y[%lld] is wrong", (long long)places[i]);
  return GB_OK;
}

/* ---- Variants ---- */

/* Fills the outputs with a constant. This costs little, and overwrites the pattern with which the host marks unwritten
 * outputs. */
static void cheaply(gb_case *c) {
  for (int64_t i = 0; i < size(c); i++)
    output(c)[i] = 1.5F;
  finish(c);
}

static void by_seed(gb_case *c, struct memory *m) {
  const uint64_t number = gb.point->seed(c);
  (void)m;
  cheaply(c);
  for (int64_t i = 0; i < LOOKED_AT; i++) {
    const int64_t at = place_by(c, number, i);
    compute(c, at, at + 1);
  }
}

static void by_statics(gb_case *c, struct memory *m) {
  (void)m;
  cheaply(c);
  for (int64_t i = 0; i < LOOKED_AT; i++)
    compute(c, places[i], places[i] + 1);
}

static void by_asking(gb_case *c, struct memory *m) {
  (void)m;
  cheaply(c);
  if (gb.point->places(c) != 0) by_statics(c, m);
}

static void by_the_ends(gb_case *c, struct memory *m) {
  (void)m;
  cheaply(c);
  compute(c, 0, 64);
  compute(c, size(c) - 64, size(c));
}

/* A thread that waits until the bench chooses its places, and then computes the elements there. */
static struct {
  pthread_t thread;
  _Atomic(float *) y; /* NULL: nothing to do */
  const float *x;
  _Atomic bool over;
} helper;

static void *help(void *unused) {
  (void)unused;
  for (uint64_t seen = atomic_load(&entered); !atomic_load(&helper.over); usleep(20)) {
    float *y = atomic_load(&helper.y);
    const uint64_t now = atomic_load(&entered);
    if (now == seen) continue;
    for (int64_t i = 0; y != NULL && i < LOOKED_AT; i++)
      y[places[i]] = f(helper.x[places[i]]);
    seen = now;
  }
  return NULL;
}

static void start_helper(gb_case *c, struct memory *m) {
  (void)c, (void)m;
  atomic_store(&helper.over, false);
  pthread_create(&helper.thread, NULL, help, NULL);
}

static void end_helper(struct memory *m) {
  (void)m;
  atomic_store(&helper.y, NULL);
  atomic_store(&helper.over, true);
  pthread_join(helper.thread, NULL);
}

static void by_a_thread(gb_case *c, struct memory *m) {
  (void)m;
  cheaply(c);
  helper.x = input(c);
  atomic_store(&helper.y, output(c));
}

static const struct trick tricks[] = {{.name = "honest", .act = honest},
                                      {.name = "by-seed", .act = by_seed},
                                      {.name = "by-statics", .act = by_statics},
                                      {.name = "by-asking", .act = by_asking},
                                      {.name = "by-the-ends", .act = by_the_ends},
                                      {.name = "also-honest", .act = honest},
                                      {.name = NULL}};

static const struct trick threads[] = {
    {.name = "honest", .act = honest},
    {.name = "by-a-thread", .act = by_a_thread, .prepare = start_helper, .release = end_helper},
    {.name = "also-honest", .act = honest},
    {.name = NULL}};

gb_status foresee_add(const gb_host *host, gb_registry *registry) {
  static gb_bench benches[] = {
      {.name = "drawn", .contract = "gpubench.org/test/cheats/drawn/1", .reference = drawn_reference},
      {.name = "looked", .contract = "gpubench.org/test/cheats/looked/1", .verify = drawn_verify},
      {.name = "seeded", .contract = "gpubench.org/test/cheats/seeded/1", .reference = seeded_reference},
      {.name = "watched", .contract = "gpubench.org/test/cheats/watched/1", .reference = drawn_reference}};
  gb_status status = GB_OK;
  for (size_t i = 0; status == GB_OK && i < sizeof benches / sizeof benches[0]; i++) {
    benches[i].setup = problem_setup;
    status = problem_add(host, registry, &benches[i], benches[i].name[0] == 'w' ? threads : tricks);
  }
  return status;
}
