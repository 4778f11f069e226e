/* The flow of one case. Knows callbacks only through contestants, and the device only through its table. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contestant.h"
#include "order.h"

enum { WARM_CASE_MS = 50, WARM_PROCESS_MS = 200, WARM_MOST_MS = 2000, SLOT_MOST = 50, ROUNDS_LEAST = 3 };
static const double slot_ns = 5e6, absolute_ns = 20; /* no interval is asked to be narrower than this */

struct measurement {
  struct gb_case *c;
  const struct case_request *request;
  struct contestant *contestants;
  uint32_t count;
  const struct measure_sink *sink;
  struct case_report *report;
  struct contestant *running; /* whose callback may be at fault */
  bool ready;                 /* setup returned GB_OK: teardown is owed */
  bool flush;
};

static double seconds_since(int64_t start_ns) {
  return (double)(clock_now_ns() - start_ns) * 1e-9;
}

static struct contestant *next_alive(const struct measurement *m, uint32_t from) {
  for (uint32_t i = from; i < m->count; i++)
    if (contestant_alive(&m->contestants[i])) return &m->contestants[i];
  return NULL;
}

static bool stopped(const struct measurement *m) {
  return atomic_load(&m->c->page->stop) != 0;
}

/* ---- Set-up and verification ---- */

static void drop_all(struct measurement *m, enum row_status status, const char *what, const char *message) {
  for (uint32_t i = 0; i < m->count; i++)
    if (contestant_alive(&m->contestants[i])) contestant_drop(&m->contestants[i], status, "%s: %s", what, message);
}

/* The bench's own callbacks: what is not OK ends the case for every variant. */
static bool bench_ok(struct measurement *m, gb_status status, const char *what) {
  struct outcome outcome;
  call_end(m->c, status, &outcome);
  if (outcome.kind == OUTCOME_OK) return true;
  bool skipped = outcome.kind == OUTCOME_SKIP || outcome.kind == OUTCOME_NO_MEMORY;
  drop_all(m, skipped ? ROW_SKIPPED : ROW_ERROR, what, outcome.message);
  return false;
}

/* A fault of what `prepare` enqueued shows at the synchronisation, still under its variant's name. */
static int prepare(struct measurement *m, struct contestant *k, struct err *err) {
  m->running = k;
  contestant_prepare(k);
  if (m->c->device->ops->sync(m->c->device, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

static int set_up(struct measurement *m, struct err *err) {
  struct gb_case *c = m->c;
  const struct bench *bench = c->bench;
  call_begin(c, PHASE_SETUP, OWNER_BENCH);
  gb_status status = bench->own.setup(bench->theirs, c, &c->state);
  m->ready = status == GB_OK;
  if (!bench_ok(m, status, "setup")) return 0;
  c->message[0] = '\0';
  if (!tensors_allocate(c)) {
    drop_all(m, ROW_SKIPPED, "tensors", c->message);
    return 0;
  }
  if (tensors_fill(c, m->request->seed, err) != 0) return -1;
  for (uint32_t i = 0; i < m->count; i++)
    if (prepare(m, &m->contestants[i], err) != 0) return -1;
  /* a rate is only cold when the tensors do not sit in the cache from the last iteration */
  m->flush = c->device->facts.l2_bytes <= 0 || tensors_bytes(c) < 8 * (uint64_t)c->device->facts.l2_bytes;
  return 0;
}

static int verify_pass(struct measurement *m, uint32_t pass, struct err *err) {
  struct gb_case *c = m->c;
  int64_t start = clock_now_ns();
  if (pass > 0 && tensors_fill(c, m->request->seed + pass, err) != 0) return -1;
  if (c->bench->own.reference != NULL) {
    call_begin(c, PHASE_REFERENCE, OWNER_BENCH);
    if (!bench_ok(m, c->bench->own.reference(c->bench->theirs, c, c->state), "reference")) return 0;
    if (c->device->ops->sync(c->device, err) != 0) return -1;
  }
  for (struct contestant *k = next_alive(m, 0); k != NULL; k = next_alive(m, k->index + 1)) {
    if (pass > 0 && (k->variant->desc.flags & GB_VARIANT_DERIVED)) {
      contestant_release(k);
      if (prepare(m, k, err) != 0) return -1;
      if (!contestant_alive(k)) continue;
    }
    m->running = k;
    if (contestant_verify(k, err) != 0) return -1;
    m->running = NULL;
  }
  m->report->seconds_verify += seconds_since(start);
  return 0;
}

/* ---- Sampling ---- */

static int run_slot(struct measurement *m, struct contestant *k, uint32_t count, double *ns, struct err *err) {
  m->running = k;
  if (contestant_slot(k, count, m->flush, ns, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

/* As many samples as fill a slot; what one costs includes the flush and the launch. */
static uint32_t slot_size(const struct measurement *m, double wall_ns, double reported_ns) {
  double cost = m->c->device->scripted ? reported_ns : wall_ns;
  return (uint32_t)fmax(1, fmin(SLOT_MOST, slot_ns / fmax(cost, 1)));
}

static int warm_turn(struct measurement *m, double *turn_ns, struct err *err) {
  double ns[2] = {0};
  *turn_ns = 0;
  for (struct contestant *k = next_alive(m, 0); k != NULL; k = next_alive(m, k->index + 1)) {
    int64_t start = clock_now_ns();
    if (run_slot(m, k, 2, ns, err) != 0) return -1;
    k->slot_size = slot_size(m, (double)(clock_now_ns() - start) / 2, ns[1]);
    *turn_ns += ns[1];
  }
  return 0;
}

/* Turns over all variants until the clock has left idle and times have settled; sizes the slots by the way. */
static int warm_up(struct measurement *m, double least_s, struct err *err) {
  int64_t start = clock_now_ns();
  double former_ns = 0, turn_ns = 0;
  bool settled = false;
  if (m->c->device->scripted) return warm_turn(m, &turn_ns, err);
  while (next_alive(m, 0) && !stopped(m) && (!settled || seconds_since(start) < least_s)) {
    if (warm_turn(m, &turn_ns, err) != 0) return -1;
    bool steady = fabs(turn_ns - former_ns) < 0.02 * turn_ns;
    settled = m->request->quick || steady || seconds_since(start) > WARM_MOST_MS * 1e-3;
    former_ns = turn_ns;
  }
  return 0;
}

static int sample_round(struct measurement *m, uint32_t round, struct err *err) {
  uint32_t order[CASE_VARIANTS_MAX];
  double ns[SLOT_MOST + 1];
  order_round(m->count, round, m->request->seed, order);
  for (uint32_t i = 0; i < m->count; i++) {
    struct contestant *k = &m->contestants[order[i]];
    if (!contestant_alive(k)) continue;
    if (run_slot(m, k, k->slot_size + 1, ns, err) != 0) return -1;
    if (!contestant_alive(k)) continue;
    contestant_keep(k, round, ns + 1, k->slot_size); /* the first after a switch does not count */
    m->sink->slot(m->sink->user, k->index, round, ns + 1, k->slot_size);
  }
  return 0;
}

/* Every median to the precision asked for, and every ratio to 0.7 of it: what a difference of two medians can hold. */
static bool precise(const struct measurement *m) {
  const struct case_request *request = m->request;
  double tick = m->c->device->facts.tick_ns, target = request->precision;
  const struct contestant *base = NULL;
  if (request->baseline < m->count && contestant_alive(&m->contestants[request->baseline]))
    base = &m->contestants[request->baseline];
  for (const struct contestant *k = next_alive(m, 0); k != NULL; k = next_alive(m, k->index + 1)) {
    struct summary summary;
    struct ratio ratio;
    if (stats_summary(k->slots, k->slot_count, tick, request->seed, &summary) != 0) return false;
    double half = (summary.ci95_hi - summary.ci95_lo) / 2, floor = absolute_ns / summary.median;
    if (!(half <= fmax(target * summary.median, absolute_ns))) return false;
    if (base == NULL || k == base) continue;
    if (stats_ratio(base->slots, base->slot_count, k->slots, k->slot_count, tick, request->seed, &ratio) != 0)
      return false;
    if (!(ratio.half_width95 <= fmax(0.7 * target, floor))) return false;
  }
  return true;
}

static int sample(struct measurement *m, struct err *err) {
  int64_t start = clock_now_ns();
  uint32_t round = 0;
  enum stop_reason reason = stopped(m) ? STOP_INTERRUPTED : STOP_NONE;
  while (next_alive(m, 0) && reason == STOP_NONE) {
    if (sample_round(m, round++, err) != 0) return -1;
    if (stopped(m))
      reason = STOP_INTERRUPTED;
    else if (stats_is_look(round) && precise(m))
      reason = STOP_PRECISION;
    else if (round >= ROUNDS_LEAST && seconds_since(start) > m->request->case_time_s)
      reason = STOP_CASE_TIME;
  }
  m->report->stop_reason = reason;
  m->report->rounds = round;
  m->report->seconds_sampling = seconds_since(start);
  return 0;
}

/* ---- The case ---- */

static void note_case(struct measurement *m) {
  const gb_work *work = &m->c->work;
  struct case_report *report = m->report;
  report->flops = work->flops;
  report->bytes_read = work->bytes_read;
  report->bytes_written = work->bytes_written;
  report->items = work->items;
  text_copy(report->item_unit, sizeof report->item_unit, m->c->item_unit);
  report->tensor_bytes = tensors_bytes(m->c);
}

static int profile(struct measurement *m, struct err *err) {
  for (struct contestant *k = next_alive(m, 0); k != NULL; k = next_alive(m, k->index + 1)) {
    m->running = k;
    if (contestant_profile(k, err) != 0) return -1;
    m->running = NULL;
  }
  return 0;
}

static int contest(struct measurement *m, bool warm, struct err *err) {
  int64_t start = clock_now_ns();
  if (set_up(m, err) != 0) return -1;
  if (next_alive(m, 0) == NULL) return 0;
  note_case(m);
  m->report->seconds_setup = seconds_since(start);
  if (m->request->profile) return profile(m, err);
  if (verify_pass(m, 0, err) != 0) return -1;
  if (m->request->verify_only) {
    m->report->stop_reason = STOP_VERIFY_ONLY;
    return 0;
  }
  double least_s = (m->request->quick ? 20 : warm ? WARM_CASE_MS : WARM_PROCESS_MS) * 1e-3;
  if (warm_up(m, least_s, err) != 0 || sample(m, err) != 0) return -1;
  m->c->device->ops->conditions(m->c->device, &m->report->conditions);
  return m->report->stop_reason == STOP_INTERRUPTED ? 0 : verify_pass(m, 1, err);
}

static void take_down(struct measurement *m) {
  struct outcome outcome;
  struct gb_case *c = m->c;
  for (uint32_t i = 0; i < m->count; i++)
    contestant_release(&m->contestants[i]);
  if (m->ready) {
    call_begin(c, PHASE_TEARDOWN, OWNER_BENCH);
    if (c->bench->own.teardown) c->bench->own.teardown(c->bench->theirs, c, c->state);
    call_end(c, GB_OK, &outcome);
  }
  case_clear(c);
}

int measure_case(struct gb_case *c, const struct case_request *request, struct variant *const *variants, bool warm,
                 const struct measure_sink *sink, struct case_report *report, uint32_t *culprit, struct err *err) {
  struct measurement m = {c,
                          request,
                          xcalloc(request->variant_count, sizeof(struct contestant)),
                          request->variant_count,
                          sink,
                          report,
                          NULL,
                          false,
                          true};
  *report = (struct case_report){.conditions = CONDITIONS_UNKNOWN};
  for (uint32_t i = 0; i < m.count; i++)
    m.contestants[i] = (struct contestant){
        .c = c,
        .variant = variants[i],
        .index = i,
        .name = request->variants[i].name,
        .report = {.variant = i, .status = ROW_OK, .error = NAN, .tolerance = NAN},
    };
  int rc = contest(&m, warm, err);
  *culprit = m.running && !m.running->blameless ? m.running->index : UINT32_MAX;
  if (rc == 0) take_down(&m);
  for (uint32_t i = 0; i < m.count; i++) {
    if (i != *culprit) sink->report(sink->user, &m.contestants[i].report);
    contestant_free(&m.contestants[i]);
  }
  free(m.contestants);
  return rc;
}
