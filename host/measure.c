/* The flow of one case. Knows callbacks only through contestants, and the device only through its table. */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_times.h"
#include "measure_parts.h"

enum { WARM_CASE_MS = 50, WARM_PROCESS_MS = 200, WARM_QUICK_MS = 20 };

double measure_seconds_since(int64_t start_ns) {
  return (double)(clock_now_ns() - start_ns) * 1e-9;
}

struct turn measure_turn(const struct measurement *m, uint32_t count, double *ns) {
  enum timing timing = (enum timing)m->request->mode.timing;
  return (struct turn){.timing = timing, .count = count, .flush = timing == TIMING_COLD, .ns = ns};
}

struct contestant *measure_next(const struct measurement *m, uint32_t from) {
  for (uint32_t i = from; i < m->count; i++)
    if (contestant_alive(&m->contestants[i])) return &m->contestants[i];
  return NULL;
}

/* Whatever becomes of the process now, this is not lost. */
void measure_tell(const struct measurement *m, struct contestant *k) {
  if (k->told || contestant_alive(k)) return;
  k->told = true;
  m->sink->report(m->sink->user, &k->report);
}

bool measure_stopped(const struct measurement *m) {
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

/* Why this variant cannot be timed in this mode, or NULL. */
static const char *refusal(const struct measurement *m, const struct contestant *k) {
  struct mode mode = m->request->mode;
  bool graph = mode.timing == TIMING_GRAPH || mode.timing == TIMING_LATENCY_GRAPH;
  bool sync = (k->variant->own.flags & GB_VARIANT_SYNC) != 0, cpu = strcmp(m->c->device->facts.backend, "cpu") == 0;
  if (graph && m->c->device->ops->capture == NULL) return "the device has no graphs to capture and replay";
  if (graph && (k->variant->own.flags & GB_VARIANT_NO_CAPTURE) != 0) return "it cannot be captured, it says";
  if (graph && sync) return "it returns when its work is done, so there is nothing to capture";
  if (!cpu && sync && mode.timing != TIMING_WALL && mode.timing != TIMING_LATENCY)
    return "it returns when its work is done: only wall and latency time that";
  if (tensors_need_restore(m->c) && (mode_is_batched(mode) || mode.timing == TIMING_LATENCY_GRAPH))
    return "it changes its inputs, which are put back between iterations";
  if (k->variant->own.before != NULL && (mode_is_batched(mode) || mode.timing == TIMING_LATENCY_GRAPH))
    return "its `before` comes between iterations";
  return NULL;
}

/* A fault of what `prepare` enqueued shows at the synchronisation, still under its variant's name. */
static int prepare(struct measurement *m, struct contestant *k, struct err *err) {
  const char *why = refusal(m, k);
  if (why != NULL) {
    contestant_drop(k, ROW_SKIPPED, "mode %s: %s", mode_name(m->request->mode), why);
    return 0;
  }
  m->running = k;
  if (contestant_prepare(k, err) != 0) return -1;
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
  return 0;
}

static int compute_reference(struct measurement *m, struct err *err) {
  struct gb_case *c = m->c;
  if (c->bench->own.reference == NULL) return 0;
  call_begin(c, PHASE_REFERENCE, OWNER_BENCH);
  if (!bench_ok(m, c->bench->own.reference(c->bench->theirs, c, c->state), "reference")) return 0;
  return c->device->ops->sync(c->device, err);
}

/* What a variant computed from former inputs goes with them. */
static int prepare_again(struct measurement *m, struct contestant *k, struct err *err) {
  if (!(k->variant->desc.flags & GB_VARIANT_DERIVED)) return 0;
  contestant_release(k);
  if (prepare(m, k, err) != 0) return -1;
  return contestant_alive(k) ? contestant_capture(k, m->request->mode, err) : 0;
}

/* Each variant's first run, which nobody times. */
static int verify_first(struct measurement *m, struct contestant *k, struct err *err) {
  double ns;
  struct turn turn = {.timing = TIMING_COLD, .count = 1, .check_done = true, .ns = &ns};
  m->running = k;
  if (contestant_verify(k, &turn, err) != 0) return -1;
  if (contestant_alive(k) && contestant_capture(k, m->request->mode, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

/* Verification after the first: as in a slot, on new inputs. */
static int verify_again(struct measurement *m, struct contestant *k, struct err *err) {
  double ns;
  struct turn turn = measure_turn(m, 1, &ns);
  turn.check_held = true;
  if (prepare_again(m, k, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  m->running = k;
  if (contestant_verify(k, &turn, err) != 0) return -1;
  m->running = NULL;
  return 0;
}

static int fill_anew(struct measurement *m, struct err *err) {
  return tensors_fill(m->c, m->request->seed + ++m->fills, err);
}

/* One sample as in a slot: on new inputs into poisoned outputs, or on the same ones into outputs that are right. */
static int time_once(struct measurement *m, struct contestant *k, bool fresh, struct err *err) {
  double ns = NAN;
  struct turn turn = measure_turn(m, 1, &ns);
  if (prepare_again(m, k, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  if ((fresh ? tensors_poison(m->c, err) : tensors_rewrite(m->c, err)) != 0 || tensors_restore(m->c, err) != 0)
    return -1;
  m->running = k;
  if (contestant_slot(k, &turn, err) != 0) return -1;
  m->running = NULL;
  audit_note(&k->audits, fresh, ns);
  return 0;
}

/* Two samples of each variant: its work is still to be done before the first, and done before the second. All that is
 * written in between is written alike, since what lies in the caches counts. */
static int audit(struct measurement *m, struct err *err) {
  if (fill_anew(m, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (time_once(m, k, true, err) != 0) return -1;
  if (tensors_fill(m->c, m->request->seed + m->fills, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if (time_once(m, k, false, err) != 0) return -1;
  m->audits++;
  return 0;
}

static int verify_all(struct measurement *m, struct err *err) {
  if (m->passes > 0 && fill_anew(m, err) != 0) return -1;
  if (compute_reference(m, err) != 0) return -1;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1))
    if ((m->passes > 0 ? verify_again(m, k, err) : verify_first(m, k, err)) == 0)
      measure_tell(m, k);
    else
      return -1;
  return 0;
}

int measure_verify(struct measurement *m, struct err *err) {
  int64_t start = clock_now_ns();
  if (verify_all(m, err) != 0 || (m->passes > 0 && audit(m, err) != 0)) return -1;
  m->passes++;
  m->report->seconds_verify += measure_seconds_since(start);
  return 0;
}

/* A processor learns the branches of short work by heart, and no variant is to blame for that. */
static double learned_ns(const struct measurement *m) {
  bool by_host = m->request->mode.timing >= TIMING_LATENCY || strcmp(m->c->device->facts.backend, "cpu") == 0;
  return by_host ? 200e3 : 0;
}

static bool any_suspect(const struct measurement *m) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    const struct audit_words words = audit_judge(&k->audits, learned_ns(m));
    if (words.remembers && !words.sure) return true;
  }
  return false;
}

/* As many more runs on new inputs as it takes to tell who remembers old ones, unless filling them takes too long and
 * nobody seems to. */
static int audit_rest(struct measurement *m, struct err *err) {
  enum { AUDITS_LEAST = 5 };
  int64_t start = clock_now_ns();
  double most_s = 0.2 * measure_seconds_since(m->started_ns);
  while (measure_next(m, 0) != NULL && !measure_stopped(m) &&
         ((m->audits < AUDITS_LEAST && measure_seconds_since(start) < most_s) || any_suspect(m)))
    if (audit(m, err) != 0) return -1;
  m->report->seconds_verify += measure_seconds_since(start);
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
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    m->running = k;
    if (contestant_profile(k, err) != 0) return -1;
    m->running = NULL;
  }
  return 0;
}

static int take_samples(struct measurement *m, bool warm, struct err *err) {
  int64_t start = clock_now_ns();
  double least_s = (m->request->quick ? WARM_QUICK_MS : warm ? WARM_CASE_MS : WARM_PROCESS_MS) * 1e-3;
  struct device_conditions conditions = CONDITIONS_UNKNOWN;
  struct cpu_times before, after;
  m->c->device->ops->conditions(m->c->device, &conditions);
  m->power_limit_w = conditions.power_limit_w;
  if (sampling_warm_up(m, least_s, err) != 0 || sampling_probe(m, err) != 0) return -1;
  m->report->seconds_sampling = measure_seconds_since(start);
  cpu_times_read("", &before);
  if (sampling_rounds(m, err) != 0) return -1;
  cpu_times_read("", &after);
  cpu_times_between(&before, &after, &m->report->host);
  m->c->device->ops->conditions(m->c->device, &m->report->conditions);
  return 0;
}

static void judge(struct measurement *m) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct interval ci95;
    double median, tick = m->c->device->facts.tick_ns / m->replicas;
    if (stats_median_interval(k->slots, k->slot_count, tick, m->request->seed, &median, &ci95) == 0)
      k->report.interleave_shift = median / k->solo_ns - 1;
    contestant_judge(k, learned_ns(m), m->request->leak_bytes);
  }
}

static void hand_metrics(struct measurement *m) {
  struct metric_result results[METRICS_MAX];
  if (m->sink->metrics == NULL) return;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    uint32_t count = contestant_metrics(k, results);
    if (count > 0) m->sink->metrics(m->sink->user, k->index, results, count);
  }
}

static int contest(struct measurement *m, bool warm, struct err *err) {
  if (set_up(m, err) != 0) return -1;
  if (measure_next(m, 0) == NULL) return 0;
  note_case(m);
  m->report->seconds_setup = measure_seconds_since(m->started_ns);
  if (m->request->profile) return profile(m, err);
  if (measure_verify(m, err) != 0) return -1;
  if (m->request->verify_only) {
    m->report->stop_reason = STOP_VERIFY_ONLY;
    return 0;
  }
  if (take_samples(m, warm, err) != 0) return -1;
  hand_metrics(m);
  if (m->report->stop_reason == STOP_INTERRUPTED) return 0;
  if (sampling_timelines(m, err) != 0) return -1;
  if (measure_verify(m, err) != 0 || audit_rest(m, err) != 0 || floor_measure(m, err) != 0) return -1;
  m->report->replicas = m->replicas;
  judge(m);
  return m->request->energy_s > 0 ? measure_energy(m, err) : 0;
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
  struct measurement m = {.c = c,
                          .request = request,
                          .contestants = xcalloc(request->variant_count, sizeof *m.contestants),
                          .count = request->variant_count,
                          .sink = sink,
                          .replicas = 1,
                          .report = report,
                          .power_limit_w = NAN,
                          .power_w = NAN,
                          .started_ns = clock_now_ns()};
  *report = (struct case_report){
      .conditions = CONDITIONS_UNKNOWN, .host = HOST_USAGE_UNKNOWN, .floor_ns = NAN, .floor_unc_ns = NAN};
  for (uint32_t i = 0; i < m.count; i++)
    m.contestants[i] = (struct contestant){
        .c = c,
        .variant = variants[i],
        .index = i,
        .name = request->variants[i].name,
        .report = {.variant = i,
                   .status = ROW_OK,
                   .error = NAN,
                   .tolerance = NAN,
                   .kernels = -1,
                   .interleave_shift = NAN,
                   .leak_bytes_per_call = NAN,
                   .energy = ENERGY_UNKNOWN},
        .replicas = 1,
        .cost_ns = INFINITY,
        .solo_ns = NAN,
    };
  int rc = contest(&m, warm, err);
  *culprit = m.running && !m.running->blameless ? m.running->index : UINT32_MAX;
  if (rc == 0) take_down(&m);
  for (uint32_t i = 0; i < m.count; i++) {
    if (i != *culprit && !m.contestants[i].told) sink->report(sink->user, &m.contestants[i].report);
    contestant_free(&m.contestants[i]);
  }
  free(m.contestants);
  return rc;
}
