/* Tests that the elements to be compared ("places") are chosen after the outputs are final. Variants that compute only
 * places that they foresee (from the seed, from what the reference left, or by a thread that watches it) are found
 * wrong. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "case/stated.h"
#include "fixture_contest.h"
#include "model/proof/unproven.h"

enum { N = 8192, STATED = 16 };

/* How the reference chooses the places (elements to be compared): by the number that gb.point->places() returns, by
 * the seed, or always the same ones. FIXED asks for the number but does not use it. */
enum source { BY_PLACES, BY_SEED, BY_NOTHING, FIXED };

/* Which values the bench's `verify` reads: there is no `verify`, a random one, all, or only the first ones. */
enum verify { NONE, DRAWN, READS_ALL, READS_SOME };

/* The places that a variant computes. */
enum foresight { HONEST, SEES_SEED, SEES_LAST, SEES_REFERENCE };

static char script[] = "/tmp/gpubench-foresee-XXXXXX";

static enum source source;
/* the places that the reference chose last; variants of the same plugin can read them */
static int64_t last_places[STATED];
/* set by the reference for the watching thread, which resets it to NULL when it has computed the places */
static gb_case *_Atomic called;
static _Atomic bool over;
static int order_of_calls[4], calls; /* the first calls: 1 run, 2 reference */

static void note_call(int what) {
  if (calls < 4) order_of_calls[calls++] = what;
}

static int64_t place(gb_case *c, enum source from, int64_t i) {
  if (from == BY_PLACES) return gb_sampled(&gb, c, 1, i, STATED, N);
  if (from == FIXED) (void)gb.point->places(c);
  const int64_t share = N / STATED;
  const uint64_t seed = from == BY_SEED ? gb.point->seed(c) : 7;
  return i * share + (int64_t)gb.rng->below(seed, 1, (uint64_t)i, (uint64_t)share);
}

static gb_status setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = N;
  const gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &n), y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &n);
  (void)self;
  *state = &tally;
  const gb_status status = gb.tensor->declare(c, &x);
  return status == GB_OK ? gb.tensor->declare(c, &y) : status;
}

/* Waits long enough for a watching thread to compute the places. */
static void wait_for_watcher(gb_case *c) {
  atomic_store(&called, c);
  for (int i = 0; i < 2000 && atomic_load(&called) != NULL; i++)
    usleep(1000);
}

static gb_status reference(const gb_bench *self, gb_case *c, void *state) {
  gb_status status = GB_OK;
  (void)self, (void)state;
  tally.reference++;
  note_call(2);
  for (int64_t i = 0; i < STATED && status == GB_OK; i++) {
    double value;
    const uint64_t at = (uint64_t)(last_places[i] = place(c, source, i));
    status = gb.tensor->input(c, "x", at, 1, &value);
    value *= 2;
    if (status == GB_OK) status = gb.tensor->expect(c, "y", at, 1, &value);
  }
  if (!atomic_load(&over)) wait_for_watcher(c);
  return status;
}

static void compute(gb_case *c, int64_t at) {
  ((float *)gb.tensor->data(c, "y"))[at] = 2 * ((const float *)gb.tensor->data(c, "x"))[at];
}

static gb_status run(const gb_variant *self, gb_case *c, void *vstate) {
  const enum foresight foresight = (enum foresight)((const struct part *)self->user)->behaviour;
  float *y = (float *)gb.tensor->data(c, "y");
  (void)vstate;
  note_call(1);
  for (int64_t i = 0; i < N; i++)
    y[i] = 3;
  for (int64_t i = 0; foresight == HONEST && i < N; i++)
    compute(c, i);
  for (int64_t i = 0; i < STATED; i++)
    if (foresight == SEES_SEED || foresight == SEES_LAST)
      compute(c, foresight == SEES_LAST ? last_places[i] : place(c, BY_SEED, i));
  return GB_OK;
}

static void *watch(void *unused) {
  (void)unused;
  while (!atomic_load(&over)) {
    gb_case *c = atomic_load(&called);
    for (int64_t i = 0; c != NULL && i < STATED; i++)
      compute(c, last_places[i]);
    if (c != NULL) atomic_store(&called, NULL);
    usleep(100);
  }
  return NULL;
}

static enum verify verify_kind;

static gb_status verify(const gb_bench *self, gb_case *c, void *state) {
  const uint64_t count = verify_kind == READS_ALL ? N : STATED;
  double values[N];
  (void)self, (void)state;
  if (verify_kind == DRAWN) return gb.tensor->output(c, "y", (uint64_t)place(c, BY_PLACES, 1), 1, values);
  return gb.tensor->output(c, "y", 0, count, values);
}

static const gb_bench bench = {GB_SIZE(gb_bench), .name = "double",       .contract = "test/double/1",
                               .setup = setup,    .reference = reference, .teardown = contest_teardown};

/* Returns the script of the device, or NULL for the CPU. On the CPU a slow reference is not called again after each
 * run. A reference that waits for the watching thread is slow, so a scripted device is used then, on which every
 * reference is called again. */
static const char *device_for(enum foresight foresight) {
  return foresight == SEES_REFERENCE ? script : NULL;
}

static struct contest *measured(enum source from, enum foresight foresight) {
  pthread_t thread;
  gb_bench own = bench;
  if (verify_kind != NONE) own.verify = verify, own.reference = NULL;
  struct contest *k = contest_open(&own, device_for(foresight));
  gb_variant *v = contest_add(k, (enum behaviour)foresight);
  v->prepare = NULL, v->release = NULL, v->run = run;
  source = from;
  calls = 0;
  atomic_store(&over, foresight != SEES_REFERENCE);
  atomic_store(&called, NULL);
  memset(last_places, 0, sizeof last_places);
  if (foresight == SEES_REFERENCE) ASSERT_EQ_INT(pthread_create(&thread, NULL, watch, NULL), 0);
  contest_measure(k);
  if (!atomic_exchange(&over, true)) pthread_join(thread, NULL);
  ASSERT_EQ_INT(k->rc, 0);
  return k;
}

static void is_wrong(enum source from, enum foresight foresight, const char *why) {
  struct contest *k = measured(from, foresight);
  ASSERT_EQ_STR(row_status_name((enum row_status)k->reports[0].status), "wrong");
  ASSERT_HAS(k->reports[0].message, why);
  contest_close(k);
}

static void writes_script(void) {
  static const char text[] = "[*]\nns = 50000\n";
  const int fd = mkstemp(script);
  ASSERT_EQ_INT(write(fd, text, sizeof text - 1), sizeof text - 1);
  close(fd);
}

static void removes_script(void) {
  ASSERT_EQ_INT(unlink(script), 0);
}

static void whoever_computes_all_is_right(void) {
  for (int from = BY_PLACES; from <= BY_NOTHING; from++) {
    struct contest *k = measured((enum source)from, HONEST);
    ASSERT_EQ_STR(k->reports[0].message, "");
    ASSERT_EQ_INT(k->reports[0].figures.compared, STATED);
    contest_close(k);
  }
}

static void the_seed_says_nothing(void) {
  is_wrong(BY_PLACES, SEES_SEED, "expected");
}

static void places_of_the_last_comparison_say_nothing(void) {
  is_wrong(BY_PLACES, SEES_LAST, "expected");
}

static void a_thread_that_sees_the_places_comes_too_late(void) {
  is_wrong(BY_PLACES, SEES_REFERENCE, "output 'y' changed while it was compared");
}

/* If a variant can foresee which elements are compared, it may compute only these. The time of its row is then
 * unproven, even if its results are right. */
static void what_could_be_foreseen_is_marked(void) {
  static const struct {
    enum source source;
    enum verify verify;
    bool foreseen;
  } rows[] = {{BY_PLACES, NONE, false},     {BY_SEED, NONE, true},     {BY_NOTHING, NONE, true},
              {FIXED, NONE, true},          {BY_PLACES, DRAWN, false}, {BY_PLACES, READS_ALL, false},
              {BY_PLACES, READS_SOME, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    verify_kind = rows[i].verify;
    struct contest *k = measured(rows[i].source, HONEST);
    ASSERT_EQ_STR(k->reports[0].message, "");
    ASSERT_EQ_INT(k->reports[0].unproven & UNPROVEN_BIT(UNPROVEN_FORESEEN),
                  rows[i].foreseen ? UNPROVEN_BIT(UNPROVEN_FORESEEN) : 0);
    contest_close(k);
  }
  verify_kind = NONE;
}

/* The reference is called before the first run and again after it. Only places that a call after the run chose are
 * compared, because the variant may have seen earlier ones. */
static void the_reference_is_entered_behind_the_run(void) {
  contest_close(measured(BY_PLACES, HONEST));
  static const int right[] = {2, 1, 2};
  for (int i = 0; i < 3; i++)
    ASSERT_EQ_INT(order_of_calls[i], right[i]);
}

UNIT_MAIN("foresee", UNIT_TEST(writes_script), UNIT_TEST(whoever_computes_all_is_right),
          UNIT_TEST(the_seed_says_nothing), UNIT_TEST(places_of_the_last_comparison_say_nothing),
          UNIT_TEST(a_thread_that_sees_the_places_comes_too_late), UNIT_TEST(the_reference_is_entered_behind_the_run),
          UNIT_TEST(what_could_be_foreseen_is_marked), UNIT_TEST(removes_script))
