/* A bench that computes y = 2 x over CONTEST_N floats, with variants that behave well or badly. It is measured in the
 * process of the test, and counts every call of a callback. */
#ifndef FIXTURE_CONTEST_H
#define FIXTURE_CONTEST_H

#include "base/memory.h"
#include "fixture_case.h"
#include "measure/measure.h"
#include "plugin/abi.h"

enum { CONTEST_N = 256, CONTEST_MOST = 8, CONTEST_SLOTS = 20000 };

enum behaviour {
  GOOD,
  WRONG,
  SKIPS,            /* prepare returns GB_SKIP with a reason */
  NEEDS_MEMORY,     /* prepare asks for 1 PB */
  FAILS_PREPARE,    /* prepare fails with a message */
  MISUSES,          /* prepare reads an axis that does not exist, and returns GB_OK */
  FAILS_RUN,        /* run fails with a message */
  MUTE,             /* run fails without a message */
  FAILS_LATER,      /* run fails from the 5th call on */
  WRONG_LATER,      /* run computes a wrong y from the 5th call on */
  WRITES_AND_FAILS, /* run writes behind the end of y and into x, then fails */
  CACHES,           /* prepare copies x; run doubles the copy */
  FAILS_REFRESH,    /* refresh fails */
  ALLOCATES_LATE,   /* refresh allocates memory */
  SILENT            /* run does nothing */
};

struct tally {
  int setup, teardown, reference, verify;
  int prepare[CONTEST_MOST], refresh[CONTEST_MOST], release[CONTEST_MOST], run[CONTEST_MOST];
  int changed; /* number of calls of `run` that found an inout tensor changed since it was filled */
};

static struct tally tally;

/* Data of one variant, which the member `user` of its gb_variant points to. */
struct part {
  enum behaviour behaviour;
  int place;
};

static inline gb_status contest_prepare(const gb_variant *self, gb_case *c, void **vstate) {
  const struct part *part = (const struct part *)self->user;
  tally.prepare[part->place]++;
  if (part->behaviour == SKIPS) return gb_failf(&gb, c, GB_SKIP, "not on a Tuesday");
  if (part->behaviour == FAILS_PREPARE) return gb_failf(&gb, c, GB_EFAIL, "no plan");
  if (part->behaviour == MISUSES) gb.point->i64(c, "nowhere");
  if (part->behaviour == NEEDS_MEMORY)
    return gb.mem->alloc(c, GB_MEM_DEVICE, UINT64_C(1) << 50) != NULL ? GB_OK : GB_ENOMEM;
  *vstate = gb.mem->alloc(c, GB_MEM_HOST, CONTEST_N * sizeof(double));
  if (*vstate == NULL) return GB_ENOMEM;
  gb_status status = gb.tensor->input(c, "x", 0, CONTEST_N, (double *)*vstate);
  return part->behaviour == MISUSES ? GB_OK : status;
}

static inline gb_status contest_refresh(const gb_variant *self, gb_case *c, void *vstate) {
  const struct part *part = (const struct part *)self->user;
  tally.refresh[part->place]++;
  if (part->behaviour == FAILS_REFRESH) return gb_failf(&gb, c, GB_EFAIL, "no more");
  if (part->behaviour == ALLOCATES_LATE && gb.mem->alloc(c, GB_MEM_HOST, 8) == NULL) return GB_ENOMEM;
  return gb.tensor->input(c, "x", 0, CONTEST_N, (double *)vstate);
}

static inline void contest_double(gb_case *c, const double *copy) {
  const float *x = (const float *)gb.tensor->data(c, "x");
  float *y = (float *)gb.tensor->data(c, "y");
  for (int i = 0; i < CONTEST_N; i++)
    y[i] = 2 * (copy ? (float)copy[i] : x[i]);
}

static inline gb_status contest_run(const gb_variant *self, gb_case *c, void *vstate) {
  const struct part *part = (const struct part *)self->user;
  int run = ++tally.run[part->place];
  if (part->behaviour == SILENT) return GB_OK;
  contest_double(c, part->behaviour == CACHES ? (const double *)vstate : NULL);
  float *x = (float *)gb.tensor->data(c, "x"), *y = (float *)gb.tensor->data(c, "y");
  if (part->behaviour == WRONG || (part->behaviour == WRONG_LATER && run >= 5)) y[3] = -1;
  if (part->behaviour == FAILS_RUN || (part->behaviour == FAILS_LATER && run >= 5))
    return gb_failf(&gb, c, GB_EFAIL, "stuck after %d", run);
  if (part->behaviour == MUTE) return GB_EFAIL;
  if (part->behaviour != WRITES_AND_FAILS) return GB_OK;
  y[CONTEST_N] = 0;
  x[7] = 99;
  return gb_failf(&gb, c, GB_EFAIL, "oops");
}

static inline void contest_release(const gb_variant *self, gb_case *c, void *vstate) {
  (void)c, (void)vstate;
  tally.release[((const struct part *)self->user)->place]++;
}

static inline gb_status contest_setup(const gb_bench *self, gb_case *c, void **state) {
  static const int64_t n = CONTEST_N;
  static const gb_work work = {
      GB_SIZE(gb_work), .flops = CONTEST_N,   .bytes_read = 4 * CONTEST_N, .bytes_written = 4 * CONTEST_N,
      .items = 2,       .item_unit = "halves"};
  const gb_tensor x = bed_tensor("x", GB_IN, GB_DTYPE_F32, &n), y = bed_tensor("y", GB_OUT, GB_DTYPE_F32, &n);
  (void)self;
  tally.setup++;
  *state = &tally;
  gb_status status = gb.tensor->declare(c, &x);
  if (status == GB_OK) status = gb.tensor->declare(c, &y);
  return status == GB_OK ? gb.point->work(c, &work) : status;
}

static inline gb_status contest_reference(const gb_bench *self, gb_case *c, void *state) {
  double values[CONTEST_N];
  (void)self, (void)state;
  tally.reference++;
  gb_status status = gb.tensor->input(c, "x", 0, CONTEST_N, values);
  for (int i = 0; i < CONTEST_N; i++)
    values[i] *= 2;
  return status == GB_OK ? gb.tensor->expect(c, "y", 0, CONTEST_N, values) : status;
}

static inline void contest_teardown(const gb_bench *self, gb_case *c, void *state) {
  (void)self, (void)c;
  tally.teardown++;
  ASSERT_TRUE(state == &tally);
}

static const gb_bench contest_bench = {GB_SIZE(gb_bench),
                                       .name = "double",
                                       .contract = "test/double/1",
                                       .setup = contest_setup,
                                       .reference = contest_reference,
                                       .teardown = contest_teardown};

/* A measured case and everything that it reported. */
struct contest {
  struct bed bed;
  struct part parts[CONTEST_MOST];
  gb_variant tables[CONTEST_MOST];
  struct variant variants[CONTEST_MOST];
  struct case_request request;
  struct variant_report reports[CONTEST_MOST];
  int reported[CONTEST_MOST];
  struct {
    uint32_t variant, round, count;
  } slots[CONTEST_SLOTS];
  size_t slot_count;
  uint32_t stop_at; /* number of slots after which the run is stopped, as by the user; 0: never */
  struct case_report report;
  uint32_t culprit;
  int rc;
  struct err err;
};

static inline void contest_take_report(void *user, const struct variant_report *report) {
  struct contest *contest = (struct contest *)user;
  contest->reports[report->variant] = *report;
  contest->reported[report->variant]++;
}

static inline void contest_take_slot(void *user, uint32_t variant, uint32_t round, const struct slot_state *state,
                                     const double *ns, uint32_t count) {
  (void)state;
  struct contest *contest = (struct contest *)user;
  for (uint32_t i = 0; i < count; i++)
    if (!(ns[i] >= 0)) UNIT_FAIL("a sample is %g", ns[i]);
  if (contest->slot_count == CONTEST_SLOTS) return;
  contest->slots[contest->slot_count].variant = variant;
  contest->slots[contest->slot_count].round = round;
  contest->slots[contest->slot_count++].count = count;
  if (contest->slot_count == contest->stop_at) atomic_store(&contest->bed.page.stop, 1);
}

/* Opens a contest on a device whose times come from this script, or on the CPU if `script` is NULL. */
static inline struct contest *contest_open(const gb_bench *bench, const char *script) {
  struct contest *contest = (struct contest *)xcalloc(1, sizeof *contest);
  struct err err = {0};
  tally = (struct tally){0};
  bed_open(&contest->bed);
  contest->bed.bench.theirs = bench;
  ASSERT_EQ_INT(abi_bench(bench, &contest->bed.bench.own, &contest->bed.bench.desc, &err), 0);
  contest->request =
      (struct case_request){.quick = 1, .seed = 1, .precision = 0.05, .case_time_s = 0.05, .leak_bytes = 10e6};
  text_copy(contest->bed.c->key, sizeof contest->bed.c->key, "double");
  if (script == NULL) return contest;
  contest->bed.device->ops->close(contest->bed.device);
  if (device_fake_open(script, &contest->bed.device, &err) != 0) UNIT_FAIL("%s", err.text);
  contest->bed.c->device = contest->bed.device;
  return contest;
}

/* Adds a variant that behaves this way. Returns its table, which the test may change before contest_measure(). */
static inline gb_variant *contest_add(struct contest *contest, enum behaviour behaviour) {
  uint32_t place = contest->request.variant_count++;
  contest->parts[place] = (struct part){behaviour, (int)place};
  contest->tables[place] = (gb_variant){GB_SIZE(gb_variant),
                                        .name = "v",
                                        .backend = "cpu",
                                        .math = "fp32",
                                        .user = &contest->parts[place],
                                        .prepare = contest_prepare,
                                        .run = contest_run,
                                        .release = contest_release};
  snprintf(contest->request.variants[place].name, sizeof contest->request.variants[place].name, "v%u", place);
  return &contest->tables[place];
}

/* Set by a test whose request is `ordered`: tells the case which slot to measure next, as the parent process would. */
static void (*contest_await)(void *user, const struct ready_message *ready, struct order_message *order);

/* Measures the case in this process; the results are in `reports`, `slots`, `report`, `culprit`, `rc` and `err`. */
static inline void contest_measure(struct contest *contest) {
  struct variant *variants[CONTEST_MOST];
  const struct measure_sink sink = {
      .user = contest, .report = contest_take_report, .slot = contest_take_slot, .await = contest_await};
  struct err err = {0};
  for (uint32_t i = 0; i < contest->request.variant_count; i++) {
    variants[i] = &contest->variants[i];
    variants[i]->theirs = &contest->tables[i];
    ASSERT_EQ_INT(abi_variant(variants[i]->theirs, &variants[i]->own, &variants[i]->desc, &err), 0);
  }
  contest->rc = measure_case(contest->bed.c, &contest->request, variants, true, &sink, &contest->report,
                             &contest->culprit, &contest->err);
}

static inline void contest_close(struct contest *contest) {
  bed_close(&contest->bed);
  free(contest);
}

#endif
