/* Takes one case through the steps of its measurement, from `setup` to `teardown`. This file runs callbacks of variants
 * only through measure/contestant.h, and the device only through its table of operations. */
#include "measure/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/case.h"
#include "case/clear.h"
#include "case/contents.h"
#include "case/declare.h"
#include "case/stated.h"
#include "case/tensors.h"
#include "machine/cpu_times.h"
#include "measure/audit/evidence.h"
#include "measure/audit/sample_inputs.h"
#include "measure/orders.h"
#include "measure/sampling.h"
#include "measure/steps.h"
#include "measure/verify.h"
#include "model/proof/unproven.h"
#include "plugin/process_state.h"

enum { WARM_CASE_MS = 50, WARM_PROCESS_MS = 200, WARM_QUICK_MS = 20 };

static int profile(struct measurement *m, struct err *err) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    m->running = k;
    if (contestant_profile(k, err) != 0) return -1;
    m->running = NULL;
  }
  return 0;
}

/* Returns true if the device rests between slots. It does not in modes with a load such as +sustained, nor in a
 * trajectory (calls that continue from each other's results), because these measure the device under lasting load. */
static bool is_paced(const struct measurement *m) {
  const struct device *device = m->c->device;
  const bool plain = m->request->mode.load == LOAD_PLAIN && m->request->trajectory == 0;
  return plain && !device_is(device, DEVICE_SCRIPTED) && device_is(device, DEVICE_RESTS);
}

static int take_samples(struct measurement *m, bool warm, struct err *err) {
  m->sampling_ns = clock_now_ns();
  double least_s = (m->request->quick ? WARM_QUICK_MS : warm ? WARM_CASE_MS : WARM_PROCESS_MS) * 1e-3;
  struct device_conditions conditions = CONDITIONS_UNKNOWN;
  struct cpu_times before, after;
  m->c->device->ops->conditions(m->c->device, &conditions);
  pace_begin(&m->pace, is_paced(m), conditions.power_limit_w, m->request->cooldown);
  if (sampling_warm_up(m, least_s, err) != 0) return -1;
  m->report->seconds_sampling = clock_seconds_since(m->sampling_ns);
  cpu_times_read("", &before);
  before.own_ns += process_state_children_ns();
  if (rounds_sample(m, err) != 0) return -1;
  m->report->cooldown = m->pace.cooldown; /* cooldowns may have begun during sampling */
  cpu_times_read("", &after);
  after.own_ns += process_state_children_ns();
  if (!device_is(m->c->device, DEVICE_SCRIPTED)) cpu_times_between(&before, &after, &m->report->host);
  m->c->device->ops->conditions(m->c->device, &m->report->conditions);
  return 0;
}

/* Marks each variant that could know in all timed slots which elements of its outputs would be compared. Warns once,
 * with the reason. */
static void mark_foreseen(struct measurement *m) {
  char why[MSG_SIZE], text[KEY_SIZE + MSG_SIZE + 2];
  bool told = false;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    const bool yardstick = (k->variant->desc.flags & VARIANT_YARDSTICK) != 0;
    if (yardstick || (k->unforeseen > 0 && stated_fixed(m->c) == NULL)) continue;
    k->report.unproven |= UNPROVEN_BIT(UNPROVEN_FORESEEN);
    if (told || case_warn == NULL) continue;
    stated_why_foreseen(m->c, m->reference_s, why, sizeof why);
    snprintf(text, sizeof text, "%s: %s", m->c->key, why);
    case_warn(text);
    told = true;
  }
}

/* Marks a variant that may reuse results between calls unnoticed. */
static void mark_reuse(const struct measurement *m, struct contestant *k) {
  const bool yardstick = m->request->yardstick || (k->variant->desc.flags & VARIANT_YARDSTICK) != 0;
  const bool bounded = k->report.fresh_ns > 0 || k->report.figures.reuse_limit <= 1;
  if (bounded || yardstick || device_is(m->c->device, DEVICE_SCRIPTED) || contestant_is_derived(k) ||
      tensors_keep_state(m->c))
    return;
  k->report.unproven |= UNPROVEN_BIT(UNPROVEN_REUSE);
}

static void judge_variants(struct measurement *m) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    const struct audit_words words = evidence_words(m, k);
    const struct row_median row = evidence_row_median(m, k);
    sample_inputs_median(k, &row, &k->report.fresh_ns, &k->report.fresh_unc_ns);
    contestant_judge(k, &words, evidence_hidden(m, k, &words), m->request->leak_bytes);
    mark_reuse(m, k);
  }
  mark_foreseen(m);
}

static void hand_metrics(struct measurement *m) {
  struct metric_result results[METRICS_MAX];
  if (m->sink->metrics == NULL) return;
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    uint32_t count = values_results(&k->values, m->c, results);
    if (count > 0) m->sink->metrics(m->sink->user, k->index, results, count);
  }
}

/* ---- Timelines ---- */

/* Runs one iteration to warm up, and one whose spans (named intervals) are kept. */
static int record_timeline(struct measurement *m, struct contestant *k, struct timeline *timeline, struct err *err) {
  double ns = 0;
  struct slot_task task = {.timing = TIMING_COLD, .count = 1, .ns = &ns};
  if (measure_take(m, k, &task, err) != 0) return -1;
  task.timeline = timeline;
  return contestant_alive(k) ? measure_take(m, k, &task, err) : 0;
}

/* Records the timeline (named intervals) of one iteration of each variant that has asked for one. */
static int take_timelines(struct measurement *m, struct err *err) {
  for (struct contestant *k = measure_next(m, 0); k != NULL; k = measure_next(m, k->index + 1)) {
    struct timeline timeline = {0};
    if (!k->values.wants_timeline || m->sink->timeline == NULL || measure_stopped(m)) continue;
    int rc = record_timeline(m, k, &timeline, err);
    if (rc == 0 && contestant_alive(k)) m->sink->timeline(m->sink->user, k->index, &timeline);
    timeline_free(&timeline);
    if (rc != 0) return -1;
  }
  return 0;
}

/* ---- The flow ---- */

/* Takes the steps of measure/steps.h in order. */
static int contest(struct measurement *m, bool warm, struct err *err) {
  if (measure_set_up(m, err) != 0) return -1;
  if (measure_next(m, 0) == NULL) return 0;
  declare_note(m->c, m->report);
  m->report->seconds_setup = clock_seconds_since(m->started_ns);
  if (m->request->profile) return profile(m, err);
  if (measure_verify(m, err) != 0) return -1;
  if (m->request->verify_only) {
    m->report->stop_reason = STOP_VERIFY_ONLY;
    return 0;
  }
  if (leave_out_slow(m, err) != 0) return -1;
  if (measure_next(m, 0) == NULL) return 0;
  if (sampling_open_inputs(m, err) != 0 || take_samples(m, warm, err) != 0) return -1;
  hand_metrics(m);
  if (m->report->stop_reason == STOP_INTERRUPTED) return 0;
  if (take_timelines(m, err) != 0) return -1;
  if (overhead_measure(m, err) != 0 || outside_measure(m, err) != 0) return -1;
  m->report->replicas = m->replicas;
  judge_variants(m);
  return m->request->energy_s > 0 ? measure_energy(m, err) : 0;
}

void measure_take_down(struct measurement *m) {
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

/* Returns the key of the random numbers that plugins are not told. On a scripted device the key is the same in each
 * run, so that each run draws the same numbers. */
static uint64_t secret_for(struct gb_case *c, const struct case_request *request) {
  return device_is(c->device, DEVICE_SCRIPTED) ? request->order_seed : case_draw(c);
}

void measure_begin(struct measurement *m, struct gb_case *c, const struct case_request *request,
                   struct variant *const *variants, const struct measure_sink *sink, struct case_report *report) {
  *m = (struct measurement){.c = c,
                            .request = request,
                            .contestants = xcalloc(request->variant_count, sizeof *m->contestants),
                            .count = request->variant_count,
                            .sink = sink,
                            .status = ROW_OK,
                            .replicas = 1,
                            .report = report,
                            .started_ns = clock_now_ns(),
                            .secret = secret_for(c, request)};
  *report = CASE_REPORT_NONE;
  for (uint32_t i = 0; i < m->count; i++)
    m->contestants[i] = (struct contestant){
        .c = c,
        .sink = sink,
        .variant = variants[i],
        .index = i,
        .name = request->variants[i].name,
        .report = {.variant = i,
                   .status = ROW_OK,
                   .figures = VARIANT_FIGURES_NONE,
                   .fresh_ns = NAN,
                   .fresh_unc_ns = NAN,
                   .energy = ENERGY_UNKNOWN},
        .replicas = 1,
        .cost_ns = INFINITY,
    };
  c->secret = rng_key(m->secret, 1);
  c->large_pieces = mode_is_batched(request->mode) && measure_on_cpu(m);
}

void measure_end(struct measurement *m) {
  for (uint32_t i = 0; i < m->count; i++)
    contestant_free(&m->contestants[i]);
  free(m->contestants);
}

int measure_case(struct gb_case *c, const struct case_request *request, struct variant *const *variants, bool warm,
                 const struct measure_sink *sink, struct case_report *report, uint32_t *culprit, struct err *err) {
  struct measurement m;
  measure_begin(&m, c, request, variants, sink, report);
  int rc = contest(&m, warm, err);
  *culprit = m.running && !m.running->blameless ? m.running->index : UINT32_MAX;
  for (uint32_t i = 0; i < m.count; i++)
    if (i != *culprit && !m.contestants[i].told) sink->report(sink->user, &m.contestants[i].report);
  if (rc == 0 && sink->whole != NULL) sink->whole(sink->user, report);
  if (rc == 0)
    measure_take_down(&m); /* comes last, so that a hang of the bench's `teardown` costs no results (end_with_death() in
                              ask/run_case.c) */
  measure_end(&m);
  return rc;
}
