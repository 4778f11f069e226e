/* Takes the messages that a worker process sends while it measures a case, as they arrive: reports of variants,
 * samples, graphs and others. */
#include "ask/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ask/blame.h"
#include "ask/extras.h"
#include "base/clock.h"
#include "base/memory.h"
#include "model/services/graph.h"
#include "worker/bounds.h"
#include "worker/signals.h"

/* ---- The outside clock: this process times batches of calls, from the message of the start to that of the end ---- */

enum { ITERATIONS_MOST = 1 << 24 };
static const double heard_late = 0.02;

/* Takes the time of a batch. A late message of its end makes the time too long, so the shortest of several batches
 * counts. A late message of its start makes it too short: a batch is ignored if its time is shorter than the worker
 * claims, by more than the share heard_late. */
static void take_batch(struct epoch *e, const struct mark_message *mark, double ns) {
  struct variant_result *v = epoch_result(e, mark->variant);
  if (v == NULL || mark->iterations == 0 || mark->iterations > ITERATIONS_MOST) return;
  if (!(mark->claimed_ns >= 0 && isfinite(mark->claimed_ns))) return;
  const double iterations = (double)mark->iterations, each = ns / iterations;
  const double excess = fmax(0, (ns - mark->claimed_ns - e->telling_ns) / fmax(ns, 1));
  if (ns < mark->claimed_ns * (1 - heard_late)) return;
  const double least = fmin(excess, v->outside.excess); /* fmin() ignores NaN */
  if (!(each >= v->outside.ns))
    v->outside = (struct outside){.ns = each,
                                  .claimed_ns = mark->claimed_ns / iterations,
                                  .slack_ns = e->telling_ns / iterations,
                                  .queued = mark->queued != 0};
  v->outside.excess = least;
}

static void take_mark(struct epoch *e, const struct message *message) {
  const int64_t now = clock_now_ns();
  const struct mark_message *mark = wire_as(message, sizeof *mark);
  if (mark == NULL) return;
  const bool ends = mark->begins == 0 && e->mark_ns != 0 && e->mark_variant == mark->variant;
  if (ends && mark->variant == UINT32_MAX)
    e->telling_ns = fmax(e->telling_ns, (double)(now - e->mark_ns));
  else if (ends)
    take_batch(e, mark, (double)(now - e->mark_ns));
  e->mark_ns = mark->begins != 0 ? now : 0;
  e->mark_variant = mark->variant;
}

/* ---- Reports of variants ---- */

/* Takes the energy that a worker measured; only the first process of a case measures it. */
static void take_energy(struct variant_result *v, const struct energy_figures *theirs) {
  if (theirs->method[0] != '\0' || theirs->fault[0] != '\0') v->energy = *theirs;
}

/* Takes the time of calls on new inputs, as the mean over the processes so far. */
static void take_fresh(struct variant_result *v, double ns, double unc_ns) {
  const double before = v->fresh_processes, all = before + 1;
  if (!(ns > 0) || !(unc_ns >= 0)) return;
  v->fresh_unc_ns = before > 0 ? hypot(v->fresh_unc_ns * before, unc_ns) / all : unc_ns;
  v->fresh_ns = before > 0 ? (v->fresh_ns * before + ns) / all : ns;
  v->fresh_processes++;
}

/* Stores how long the variant's `prepare` took, even if the report blames the variant. The time in the first process is
 * stored separately from the shortest one in later processes, which may find what the first one compiled in caches. */
static void take_prepare(struct variant_result *v, double prepare_s) {
  if (isnan(prepare_s)) return;
  if (isnan(v->figures.prepare_s))
    v->figures.prepare_s = prepare_s;
  else
    v->figures.prepare_warm_s = fmin(v->figures.prepare_warm_s, prepare_s); /* fmin() ignores NaN */
}

static void take_figures(struct variant_result *v, const struct variant_report *report) {
  const struct variant_figures former = v->figures;
  v->figures = report->figures;
  v->figures.prepare_s = former.prepare_s; /* take_prepare() has stored it already */
  v->figures.prepare_warm_s = former.prepare_warm_s;
  v->figures.verified_slots += former.verified_slots; /* adds up the numbers of all processes */
  take_fresh(v, report->fresh_ns, report->fresh_unc_ns);
  v->unproven |= report->unproven;
  take_energy(v, &report->energy);
}

static void complete_sentence(const struct epoch *e, struct variant_report *report) {
  struct ending fault = {.phase = (enum phase)report->phase, .variant = (int)report->variant, .how = "device fault"};
  text_copy(fault.tail, sizeof fault.tail, report->message);
  epoch_sentence(e, &fault, report->message, sizeof report->message);
}

/* Gives the status not_run to a variant that the worker leaves out because it would take too long (`needs_s`). The
 * worker still measures the other variants of the request. */
static void take_slow(struct variant_result *v, const struct variant_report *report) {
  if (v->settled || !(report->needs_s > 0)) return;
  v->needs_s = report->needs_s;
  variant_result_settle(v, ROW_NOT_RUN, report->message);
}

static void take_report(struct epoch *e, const struct variant_report *from) {
  struct variant_report report = *from;
  struct variant_result *v = epoch_result(e, report.variant);
  if (v == NULL || report.status >= ROW_STATUS_COUNT) return;
  bounds_report(&report);
  if (report.status == ROW_NOT_RUN) {
    take_slow(v, &report);
    return;
  }
  if (report.status == ROW_CRASHED) complete_sentence(e, &report);
  const size_t index = e->asked[report.variant];
  const bool open = !v->settled;
  if (open) take_prepare(v, report.figures.prepare_s);
  /* 1: the verification before anything is timed */
  if (e->kind == EPOCH_ALONE && index == e->apart) e->doubts[index].verified = report.figures.verified_slots + 1;
  if (row_status_failed((enum row_status)report.status)) {
    blame_for_report(e, &report);
    /* true if blame_for_report() has just given the variant its final status */
    if (open && v->settled) take_figures(v, &report);
  } else if (open) {
    take_figures(v, &report);
    v->status = (enum row_status)report.status;
    /* ROW_OK becomes final only when the process has ended the case without a fault */
    v->settled = report.status != ROW_OK;
    text_copy(v->message, sizeof v->message, report.message);
  }
}

void answer_end_slot(struct epoch *e) {
  const struct variant_result *v = e->open == SIZE_MAX ? NULL : &e->result->variants[e->open];
  if (v != NULL && v->slot_count > 0 && e->settings->slot != NULL)
    e->settings->slot(e->settings->user, e->plan_case, e->open, &v->slots[v->slot_count - 1]);
  e->open = SIZE_MAX;
}

/* Returns true if all samples are possible times: neither negative, NaN nor too large. Other values cannot come from a
 * clock, and could not be read back from the files of the run. */
static bool are_times(const struct slot_message *slot) {
  for (uint32_t i = 0; i < slot->count; i++)
    if (!(slot->ns[i] >= 0 && slot->ns[i] < BOUNDS_NS)) return false;
  return true;
}

/* Appends samples to the variant's slots (series of consecutive samples). One slot may arrive in several messages. */
static void add_samples(struct epoch *e, size_t variant, const struct slot_message *from) {
  struct variant_result *v = &e->result->variants[variant];
  struct slot *last = e->open == variant && v->slot_count > 0 ? &v->slots[v->slot_count - 1] : NULL;
  if (last == NULL || last->round != from->round) {
    answer_end_slot(e);
    v->slots = xgrow(v->slots, v->slot_count, sizeof *v->slots);
    last = &v->slots[v->slot_count++];
    *last = (struct slot){.epoch = e->number, .round = from->round, .state = from->state};
    e->open = variant;
    if (v->slot_count > 1 && last[-1].state.cooldown < last->state.cooldown) {
      variant_result_rested(v);
      last = &v->slots[v->slot_count - 1];
    }
  }
  double *ns = xrealloc((void *)(uintptr_t)last->ns, last->count + from->count, sizeof *ns);
  memcpy(ns + last->count, from->ns, from->count * sizeof *ns);
  last->ns = ns;
  last->count += from->count;
}

static void take_slot(struct epoch *e, const struct message *message) {
  struct slot_message slot = {0};
  if (message->size > sizeof slot) return;
  memcpy(&slot, message->payload, message->size);
  struct variant_result *v = epoch_result(e, slot.variant);
  if (v == NULL || slot.count == 0 || slot.count > SLOT_SAMPLES_MAX ||
      message->size != offsetof(struct slot_message, ns) + slot.count * sizeof(double) || !are_times(&slot))
    return;
  bounds_state(&slot.state);
  add_samples(e, e->asked[slot.variant], &slot);
}

static void take_graph(struct epoch *e, const struct message *message) {
  const struct graph_message *from = wire_as(message, sizeof *from);
  struct variant_result *v = from != NULL ? epoch_result(e, from->variant) : NULL;
  if (v == NULL) return;
  struct graph_desc *graph = xcalloc(1, sizeof *graph);
  *graph = from->graph;
  if (!graph_check(graph)) {
    free(graph);
    return;
  }
  free(v->graph);
  v->graph = graph;
}

/* Updates the case's launch overhead, which is the mean over the processes of the case. The overhead differs between
 * processes, and the case's samples come from all of them, so no single process's value would fit. */
static void add_overhead(struct epoch *e, const struct case_report *former) {
  struct case_report *report = &e->result->report;
  const bool measured = !isnan(report->launch_overhead_ns);
  e->overheads += measured;
  if (e->overheads <= measured) return; /* this is the first measured value, or there is none yet */
  const double share = measured ? 1.0 / e->overheads : 0, ns = former->launch_overhead_ns,
               unc_ns = former->launch_overhead_unc_ns;
  report->launch_overhead_ns = measured ? ns + share * (report->launch_overhead_ns - ns) : ns;
  report->launch_overhead_unc_ns = measured ? unc_ns + share * (report->launch_overhead_unc_ns - unc_ns) : unc_ns;
}

/* Takes a worker's report of the case. Durations are summed over the processes of the case, and launch overheads are
 * averaged. All other values come from the last process. If several processes run at the same time (one per plugin),
 * these values come from the first of them. */
static void take_case_report(struct epoch *e, const struct case_report *said) {
  struct case_report *report = &e->result->report, from = *said;
  const struct case_report former = *report;
  bounds_case(&from);
  *report = from;
  if (e->visits && former.replicas > 0) {
    *report = former;
    report->seconds_setup = from.seconds_setup;
    report->seconds_verify = from.seconds_verify;
    report->seconds_sampling = from.seconds_sampling;
  }
  /* with one process per plugin, ask/seats.c measures the host's state for all processes together, so the state in this
   * report is ignored */
  if (e->provider != SIZE_MAX) report->host = former.host;
  e->whole = true;
  e->cut_short = from.stop_reason == STOP_INTERRUPTED && !signals_asked_to_finish();
  if (!e->visits || former.replicas == 0) add_overhead(e, &former);
  report->seconds_setup += former.seconds_setup;
  report->seconds_verify += former.seconds_verify;
  report->seconds_sampling += former.seconds_sampling;
  if (former.host.seconds > 0 && e->provider == SIZE_MAX) host_usage_add(&report->host, &former.host);
}

/* Takes the time of an untimed callback (one outside the measured time). Two clocks measure it: the worker's clock,
 * which code in the same process as the plugin reads, and the clock of this process, read when the messages arrive. The
 * longer of the two times counts. */
static void take_untimed(struct epoch *e, const struct untimed_message *said) {
  const int64_t now = clock_now_ns();
  struct untimed_message message = *said, *const from = &message;
  struct variant_result *v = epoch_result(e, from->variant);
  if (v == NULL || from->kind >= UNTIMED_KINDS) return;
  bounds_untimed(from);
  struct untimed_call *call = &e->untimed[from->kind];
  struct untimed_times *times = &v->untimed[from->kind];
  if (from->stage == UNTIMED_BEGINS) *call = (struct untimed_call){from->variant, now, (double)NAN};
  if (from->scripted != 0) *call = (struct untimed_call){from->variant, now, from->ns};
  if (from->kind != UNTIMED_AHEAD && (from->variant != call->variant || call->began_ns == 0)) return;
  if (from->stage == UNTIMED_ENDS) call->ns = fmax(from->ns, (double)(now - call->began_ns));
  if (from->stage != UNTIMED_COUNTS) return;
  const double ns = (call->ns + from->gap_ns) / from->iterations;
  if (ns >= 0 && ns < BOUNDS_NS) untimed_add(times, ns, from->slots);
}

static void take_extras(struct epoch *e, const struct message *message) {
  uint32_t place;
  struct variant_result *v = extras_is(message, &place) ? epoch_result(e, place) : NULL;
  if (v != NULL) extras_take(&v->extras, message, e->number);
}

void answer_take(void *epoch, const struct message *message) {
  struct epoch *e = epoch;
  if (message->type == MSG_MARK) take_mark(e, message);
  const struct variant_report *report = wire_as(message, sizeof *report);
  const struct case_report *case_report = wire_as(message, sizeof *case_report);
  const struct untimed_message *untimed = wire_as(message, sizeof *untimed);
  if (message->type == MSG_REPORT && report != NULL) take_report(e, report);
  if (message->type == MSG_SLOT) take_slot(e, message);
  if (message->type == MSG_UNTIMED && untimed != NULL) take_untimed(e, untimed);
  if (message->type == MSG_GRAPH) take_graph(e, message);
  if (message->type == MSG_NOTES || message->type == MSG_METRICS || message->type == MSG_SPANS) take_extras(e, message);
  if (message->type == MSG_CASE && case_report != NULL) take_case_report(e, case_report);
}
