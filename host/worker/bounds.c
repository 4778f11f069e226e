#include "worker/bounds.h"

#include <math.h>

#include "model/phase.h"
#include "model/proof/unproven.h"

/* Terminates a text and makes it one printable line. */
#define END(text) ((text)[sizeof(text) - 1] = '\0', text_sanitize(text))

/* Makes a value unknown (NaN) if it is not within the bounds. */
static void keep_within(double *value, double least, double most) {
  if (!(*value >= least && *value <= most)) *value = NAN;
}

/* Replaces a value that is not within the bounds by the nearest bound, and NaN by `least`. */
static void move_within(double *value, double least, double most) {
  *value = *value >= least ? fmin(*value, most) : least;
}

static void limit_count(uint64_t *value) {
  if (*value > BOUNDS_COUNT) *value = BOUNDS_COUNT;
}

/* Bounds a number for which -1 means "not known". */
static void limit_known(int64_t *value) {
  const int64_t most = (int64_t)BOUNDS_COUNT;
  *value = *value < -1 ? -1 : *value > most ? most : *value;
}

static void bound_figures(struct variant_figures *figures) {
  END(figures->math);
  keep_within(&figures->reuse_limit, 0, 1);
  keep_within(&figures->leak_bytes_per_call, -(double)BOUNDS_COUNT, (double)BOUNDS_COUNT);
  keep_within(&figures->prepare_s, 0, BOUNDS_S);
  keep_within(&figures->prepare_warm_s, 0, BOUNDS_S);
  keep_within(&figures->error, 0, INFINITY);
  keep_within(&figures->tolerance, 0, INFINITY);
  limit_count(&figures->extra_bytes);
  limit_count(&figures->outputs);
  limit_count(&figures->compared);
  if (figures->kernels < 0) figures->kernels = -1;
  if (figures->verified_slots > VERIFICATIONS_MOST) figures->verified_slots = VERIFICATIONS_MOST;
  figures->checked_whole = figures->checked_whole != 0;
  figures->precise = figures->precise != 0;
}

static void bound_energy(struct energy_figures *energy) {
  double *const values[] = {&energy->joules,  &energy->net_joules, &energy->relative_unc,
                            &energy->power_w, &energy->idle_w,     &energy->disagreement};
  END(energy->method), END(energy->fault);
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
    keep_within(values[i], -BOUNDS_NS, BOUNDS_NS);
}

void bounds_report(struct variant_report *report) {
  END(report->message);
  if (report->phase >= PHASE_COUNT) report->phase = PHASE_IDLE;
  if (report->rule >= RULE_COUNT) report->rule = RULE_NONE;
  if (report->verifications > VERIFICATIONS_MOST) report->verifications = VERIFICATIONS_MOST;
  report->unproven &= UNPROVEN_ALL;
  report->of_bench = report->of_bench != 0;
  move_within(&report->needs_s, 0, BOUNDS_S);
  keep_within(&report->fresh_ns, 0, BOUNDS_NS);
  keep_within(&report->fresh_unc_ns, 0, BOUNDS_NS);
  bound_figures(&report->figures);
  bound_energy(&report->energy);
}

void bounds_state(struct slot_state *state) {
  if (state->position > CASE_VARIANTS_MAX) state->position = CASE_VARIANTS_MAX;
  keep_within(&state->sm_clock_mhz, 0, BOUNDS_S);
  keep_within(&state->temperature_c, -BOUNDS_S, BOUNDS_S);
  keep_within(&state->power_w, 0, BOUNDS_S);
  keep_within(&state->cooldown, 0, BOUNDS_REST);
  keep_within(&state->unix_s, 0, BOUNDS_NS);
}

static void bound_conditions(struct device_conditions *conditions) {
  END(conditions->note);
  keep_within(&conditions->sm_clock_mhz, 0, BOUNDS_S);
  keep_within(&conditions->temperature_c, -BOUNDS_S, BOUNDS_S);
  keep_within(&conditions->power_w, 0, BOUNDS_S);
  keep_within(&conditions->power_limit_w, 0, BOUNDS_S);
  if (conditions->others < 0) conditions->others = -1;
}

static void bound_host(struct host_usage *host) {
  double *const shares[] = {&host->steal_share, &host->others_share, &host->quota_share};
  move_within(&host->seconds, 0, BOUNDS_S);
  keep_within(&host->wanted_s, 0, BOUNDS_S);
  keep_within(&host->own_s, 0, BOUNDS_S);
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++)
    keep_within(shares[i], 0, BOUNDS_S);
  limit_known(&host->involuntary);
  limit_known(&host->hot);
}

void bounds_case(struct case_report *report) {
  uint64_t *const counts[] = {&report->flops, &report->bytes_read, &report->bytes_written, &report->items,
                              &report->tensor_bytes};
  double *const spans[] = {&report->seconds_setup, &report->seconds_verify, &report->seconds_sampling};
  END(report->item_unit);
  if (report->stop_reason >= STOP_REASON_COUNT) report->stop_reason = STOP_NONE;
  if (report->replicas > REPLICAS_MOST) report->replicas = REPLICAS_MOST;
  for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
    limit_count(counts[i]);
  for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++)
    move_within(spans[i], 0, BOUNDS_S);
  move_within(&report->cooldown, 0, BOUNDS_REST);
  keep_within(&report->launch_overhead_ns, 0, BOUNDS_NS);
  keep_within(&report->launch_overhead_unc_ns, 0, BOUNDS_NS);
  bound_conditions(&report->conditions);
  bound_host(&report->host);
}

void bounds_untimed(struct untimed_message *message) {
  keep_within(&message->ns, 0, BOUNDS_NS);
  move_within(&message->gap_ns, 0, BOUNDS_NS);
  move_within(&message->iterations, 1, BOUNDS_NS);
  move_within(&message->slots, 1, BOUNDS_S);
}

void bounds_facts(struct device_facts *facts) {
  int64_t *const numbers[] = {&facts->ordinal,      &facts->compute_capability,
                              &facts->sm_count,     &facts->l2_bytes,
                              &facts->memory_bytes, &facts->shared_memory_per_block_bytes,
                              &facts->threads,      &facts->ceilings};
  END(facts->backend), END(facts->spec), END(facts->name), END(facts->uuid), END(facts->driver), END(facts->runtime);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
    limit_known(numbers[i]);
  move_within(&facts->tick_ns, 0, BOUNDS_S);
}
