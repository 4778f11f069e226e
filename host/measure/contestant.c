/* Calls the callbacks of a variant in order, and sets the status of the variant's row by how each callback ends. */
#include "measure/contestant.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "case/calls.h"
#include "case/contents.h"
#include "case/memory.h"
#include "case/services/services.h"
#include "case/verify.h"
#include "measure/audit/late.h"
#include "measure/audit/untimed.h"
#include "measure/iteration.h"
#include "model/proof/unproven.h"

bool contestant_alive(const struct contestant *k) {
  return k->report.status == ROW_OK;
}

bool contestant_is_derived(const struct contestant *k) {
  return (k->variant->desc.flags & GB_VARIANT_DERIVED) != 0;
}

void contestant_break(struct contestant *k, enum rule rule, enum row_status status, const char *format, ...) {
  if (contestant_alive(k)) {
    k->report.status = (uint32_t)status;
    k->report.phase = (uint32_t)k->c->phase;
    k->report.rule = (uint32_t)rule;
    va_list args;
    va_start(args, format);
    vsnprintf(k->report.message, sizeof k->report.message, format, args);
    va_end(args);
  }
  contestant_release(k);
}

/* Drops a variant that changed the state of this process, which all variants share. Returns -1 then: the process is
 * given up, and the other variants are measured in a new one. */
static int check_manners(struct contestant *k, const char *what, struct err *err) {
  if (k->c->finding.harm == PROCESS_STATE_NONE) return 0;
  const struct process_state_finding finding = k->c->finding;
  k->c->finding.harm = PROCESS_STATE_NONE;
  /* a change by `prepare` that could be undone is only a warning, because libraries change settings when they start */
  if (finding.harm == PROCESS_STATE_UNDONE && strcmp(what, "prepare") == 0) {
    char text[sizeof finding.text + ID_SIZE * 3];
    snprintf(text, sizeof text, "%s: prepare %s; put back", k->name, finding.text);
    if (services_log != NULL) services_log(k->variant->plugin->shown, GB_LOG_WARNING, text);
    return 0;
  }
  contestant_break(k, RULE_PROCESS, ROW_ERROR, "%s %s", what, finding.text);
  k->blameless = true;
  return err_set(err, EXIT_FAILED, "%s %s", what, finding.text);
}

static int check_growth(struct contestant *k, const struct process_state_counts *before, struct err *err) {
  struct process_state_counts after;
  char text[TEXT_SIZE];
  process_state_count_after(before, &after);
  const enum process_state_growing what = process_state_grows(&k->growth, before, &after, text, sizeof text);
  if (what == GROWING_NOTHING) return 0;
  contestant_break(k, what == GROWING_FILES ? RULE_DESCRIPTORS : RULE_THREADS, ROW_ERROR, "run %s", text);
  k->blameless = true;
  return err_set(err, EXIT_FAILED, "run %s", text);
}

/* Begins a callback of the variant, or a callback of the bench that judges the variant's outputs. */
static void begin_phase(struct contestant *k, enum phase phase) {
  call_begin(k->c, phase, (int)k->index);
  k->c->variant = k->variant;
}

int contestant_prepare(struct contestant *k, struct err *err) {
  struct outcome outcome = {0};
  const gb_variant *own = &k->variant->own;
  values_of_prepare(&k->values, k->c);
  k->prepared_seed = k->c->seed;
  untimed_derives(k);
  begin_phase(k, PHASE_PREPARE);
  const int64_t start = clock_now_ns();
  gb_status status = own->prepare ? own->prepare(k->variant->theirs, k->c, &k->vstate) : GB_OK;
  k->prepare_ns = clock_now_ns() - start;
  untimed_derived(k);
  call_end(k->c, status, &outcome);
  values_end(&k->values, k->c);
  services_graph_end(k->c, k->index, outcome.kind == OUTCOME_OK);
  services_note_end(k->c, k->index, outcome.kind == OUTCOME_OK);
  k->prepared =
      /* if true, `release` must be called later, even if the call counts as failed for a misuse of the ABI */
      status == GB_OK;
  k->report.figures.extra_bytes = case_owned_bytes(k->c, (int)k->index);
  if (outcome.kind == OUTCOME_OK) return check_manners(k, "prepare", err);
  if (!k->prepared) case_free_owned(k->c, (int)k->index);
  bool skipped = outcome.kind == OUTCOME_SKIP || outcome.kind == OUTCOME_NO_MEMORY;
  contestant_break(k, outcome.rule, skipped ? ROW_SKIPPED : ROW_ERROR, "%s%s",
                   skipped ? "" : "prepare: ", outcome.message);
  return check_manners(k, "prepare", err);
}

int contestant_refresh(struct contestant *k, struct err *err) {
  struct outcome outcome;
  k->prepared_seed = k->c->seed;
  untimed_derives(k);
  begin_phase(k, PHASE_REFRESH);
  const gb_status status = k->variant->own.refresh(k->variant->theirs, k->c, k->vstate);
  untimed_derived(k);
  call_end(k->c, status, &outcome);
  services_note_end(k->c, k->index, outcome.kind == OUTCOME_OK);
  if (outcome.kind != OUTCOME_OK) contestant_break(k, outcome.rule, ROW_ERROR, "refresh: %s", outcome.message);
  return check_manners(k, "refresh", err);
}

void contestant_release(struct contestant *k) {
  if (!k->prepared) return;
  struct outcome outcome;
  k->prepared = false;
  if (k->capture != NULL) k->c->device->ops->capture_free(k->capture); /* the capture uses what release frees */
  k->capture = NULL;
  begin_phase(k, PHASE_RELEASE);
  if (k->variant->own.release) k->variant->own.release(k->variant->theirs, k->c, k->vstate);
  call_end(k->c, GB_OK, &outcome);
  services_note_end(k->c, k->index, outcome.kind == OUTCOME_OK);
  k->vstate = NULL;
  case_free_owned(k->c, (int)k->index);
}

static void drop_slow(struct contestant *k, const struct iteration *iteration) {
  const struct slot_task *task = iteration->task;
  k->report.needs_s = task->calls_left * iteration->slow_ns * 1e-9;
  contestant_drop(k, ROW_NOT_RUN,
                  "a call takes %.2g s by now, and %.0f from this slot on take more than the %.2g s that there were",
                  iteration->slow_ns * 1e-9, task->calls_left, task->left_ns * 1e-9);
}

/* Judges how a slot or a capture ended. Returns 0 even if it drops the variant. `blocked`: the rule that the variant
 * broke if the result is SLOT_BLOCKED. */
static int judge_slot_end(struct contestant *k, enum slot_result result, const struct iteration *iteration,
                          enum rule blocked, const struct err *slot_err, struct err *err) {
  struct outcome outcome;
  const char *name = phase_name(k->c->phase);
  call_end(k->c, iteration->status, &outcome);
  k->blameless = result == SLOT_SERIAL;
  if (result == SLOT_SERIAL) return err_set(err, EXIT_DEVICE, "%s", slot_err->text);
  if (result == SLOT_DEVICE) return err_set(err, EXIT_FAILED, "%s", slot_err->text);
  if (result == SLOT_BLOCKED)
    contestant_break(k, blocked, ROW_ERROR, "run: %s", slot_err->text);
  else if (iteration->err.exit_code != 0)
    return err_set(err, EXIT_FAILED, "%s", iteration->err.text);
  else if (outcome.kind != OUTCOME_OK)
    contestant_break(k, outcome.rule, ROW_ERROR, "%s: %s", name, outcome.message);
  else if (iteration->slow_ns > 0)
    drop_slow(k, iteration);
  else if (result != SLOT_OK)
    contestant_drop(k, ROW_ERROR, "run: %s", slot_err->text);
  else if (iteration->escaped != NULL)
    contestant_break(k, RULE_STREAM, ROW_WRONG,
                     "run escapes its stream: output '%s' was written while the stream was held back",
                     iteration->escaped);
  return 0;
}

/* Begins a trajectory (calls that continue from each other's results) from its first state, unless the slot task
 * continues one. A variant that computes something from the state in advance computes it again. */
static int begin_trajectory(struct contestant *k, const struct slot_task *task, struct err *err) {
  struct gb_case *c = k->c;
  const bool derived = contestant_is_derived(k);
  if (!tensors_keep_state(c) || task->goes_on) return 0;
  if (derived && task->first.fill && tensors_change(c, task->first.seed, err) != 0) return -1;
  if (tensors_restore(c, err) != 0 || !derived) return err->exit_code != 0 ? -1 : 0;
  if (call_sync(c, err) != 0 || contestant_refresh(k, err) != 0) return -1;
  return contestant_alive(k) ? call_sync(c, err) : 0;
}

static int drop_late(struct contestant *k, const struct slot_task *task, struct err *err) {
  char what[TEXT_SIZE];
  late_text(task, what, sizeof what);
  contestant_break(k, RULE_COMPLETE, ROW_WRONG, "run's time was taken before its work was done: %s", what);
  if (task->late.absent == NULL) return 0;
  k->blameless = true;
  /* gives up the process, because reading the output's memory, which is not there, may fault */
  return err_set(err, EXIT_FAILED, "run: %s", what);
}

int contestant_slot(struct contestant *k, struct slot_task *task, struct err *err) {
  if (begin_trajectory(k, task, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  struct iteration iteration = {.k = k, .task = task, .status = GB_OK};
  struct err slot_err = {0};
  char doubt[MSG_SIZE];
  late_begin(k, task);
  const struct slot_request request = iteration_slot(&iteration);
  k->c->afterwards = false;
  task->state = SLOT_STATE_UNKNOWN;
  const struct surprise *surprise = &task->surprise;
  if (surprise->last > 0 && surprise->inputs != 0 && tensors_ready_piece(k->c, surprise->inputs, err) != 0) return -1;
  task->surprise_ns = task->touched_ns = 0;
  struct process_state_counts before;
  process_state_count(&before);
  values_of_run(&k->values, k->c, iterations_kept(k, task, request.replicas), task->timeline);
  begin_phase(k, PHASE_RUN);
  volatile char *shift = __builtin_alloca(1 + rng_bits(k->c->secret, --k->c->shifted) % 4096);
  *shift = 0; /* shifts the stack, because a variant could recognise slots by the address of a frame */
  untimed_slot_begins(k, task, request.replicas);
  enum slot_result result = k->c->device->ops->slot(k->c->device, &request, task->ns, &task->state, &slot_err);
  if (task->bell != NULL) task->bell->ring(task->bell->user, false);
  untimed_slot_ended(k, task);
  values_end(&k->values, k->c);
  k->launched = true;
  if (request.capture != NULL) k->c->steps = 0; /* unknown: replayed iterations are not counted */
  k->last_seed = k->c->seed;
  if (judge_slot_end(k, result, &iteration, RULE_ASYNC, &slot_err, err) != 0) return -1;
  task->witnessed = task->check_done && result == SLOT_OK;
  if (late_clock(k, task, doubt, sizeof doubt)) contestant_break(k, RULE_PROCESS, ROW_ERROR, "%s", doubt);
  if (late_look(k, task, err) != 0) return -1;
  if (task->late.absent != NULL) return drop_late(k, task, err);
  if (check_growth(k, &before, err) != 0) return -1;
  return check_manners(k, "run", err);
}

static int capture_run(struct contestant *k, enum timing timing, struct capture **captured, struct err *err) {
  struct iteration iteration = {.k = k, .status = GB_OK};
  struct err slot_err = {0};
  const struct slot_request request = iteration_capture(&iteration, timing);
  uint32_t kernels = 0, allocations = 0;
  begin_phase(k, PHASE_RUN);
  enum slot_result result =
      k->c->device->ops->capture(k->c->device, &request, captured, &kernels, &allocations, &slot_err);
  values_end(&k->values, k->c);
  if (judge_slot_end(k, result, &iteration, RULE_CAPTURE, &slot_err, err) != 0 || check_manners(k, "run", err) != 0)
    return -1;
  k->report.figures.kernels = (int32_t)kernels;
  if (allocations > 0)
    contestant_break(k, RULE_ALLOCATION, ROW_ERROR,
                     "run allocates memory (%u times per iteration): allocate in prepare", allocations);
  return 0;
}

int contestant_capture(struct contestant *k, struct mode mode, struct err *err) {
  struct capture *once = NULL;
  const struct device_ops *ops = k->c->device->ops;
  if (!device_is(k->c->device, DEVICE_HAS_GRAPHS) ||
      (k->variant->own.flags & (GB_VARIANT_NO_CAPTURE | GB_VARIANT_SYNC)) != 0)
    return 0;
  int rc = capture_run(k, TIMING_COLD, &once, err);
  ops->capture_free(once);
  if (rc != 0 || !mode_replays(mode) || !contestant_alive(k)) return rc;
  ops->capture_free(k->capture);
  k->capture = NULL;
  return capture_run(k, mode.timing, &k->capture, err);
}

static void ask_bench_to_verify(struct contestant *k, const char *where) {
  const struct bench *bench = k->c->bench;
  struct outcome outcome;
  if (bench->own.verify == NULL) return;
  values_of_verify(&k->values, k->c);
  begin_phase(k, PHASE_VERIFY);
  gb_status status = bench->own.verify(bench->theirs, k->c, k->c->state);
  call_end(k->c, status, &outcome);
  values_end(&k->values, k->c);
  if (outcome.kind != OUTCOME_OK)
    contestant_break(k, outcome.rule != RULE_NONE ? outcome.rule : RULE_VALUES, ROW_WRONG, "%s%s", where,
                     outcome.message);
}

int contestant_run_poisoned(struct contestant *k, struct slot_task *task, struct err *err) {
  struct gb_case *c = k->c;
  if (tensors_poison(c, err) != 0 || tensors_restore(c, err) != 0) return -1;
  if (contestant_slot(k, task, err) != 0) return -1;
  /* a fault of work on another stream shows here, while it is still clear that this variant caused it */
  return call_sync(c, err);
}

/* Calls the variant's `after`. Meanwhile the contents of the inputs are hidden, so that it cannot compute results from
 * them. */
int contestant_deliver(struct contestant *k, const char *where, struct err *err) {
  struct gb_case *c = k->c;
  struct outcome outcome;
  const char *changed;
  text_copy(k->report.figures.math, sizeof k->report.figures.math, case_math(c, k->variant->desc.math));
  if (k->variant->own.after == NULL) return 0;
  if (tensors_hide(c, &changed, err) != 0) return -1;
  c->delivered = true;
  begin_phase(k, PHASE_AFTER);
  untimed_delivers(k);
  const gb_status status = k->variant->own.after(k->variant->theirs, c, k->vstate);
  call_end(c, status, &outcome);
  if (call_sync(c, err) != 0) return -1;
  untimed_delivered(k);
  if (tensors_show(c, err) != 0) return -1;
  if (outcome.kind != OUTCOME_OK) contestant_break(k, outcome.rule, ROW_ERROR, "%safter: %s", where, outcome.message);
  if (changed != NULL) contestant_break(k, RULE_INPUTS, ROW_WRONG, "%schanged its input '%s'", where, changed);
  return check_manners(k, "after", err);
}

/* Keeps the error of the verification that used the largest share of its tolerance. Also keeps how many elements were
 * compared: the fewest over those verifications that compared every element with an expected value. */
static void note_verification(struct contestant *k, const struct portion *portion, const struct verification *v) {
  const bool whole = portion->share >= 1 && case_is_known(k->c) && case_is_one_step(k->c);
  if (whole && (k->report.figures.outputs == 0 || v->compared < k->report.figures.compared)) {
    k->report.figures.compared = v->compared;
    k->report.figures.outputs = v->elements;
  }
  if (isnan(v->error) || k->report.figures.error / k->report.figures.tolerance > v->error / v->tolerance) return;
  k->report.figures.error = v->error;
  k->report.figures.tolerance = v->tolerance;
}

bool contestant_is_checked(const struct contestant *k) {
  return case_is_known(k->c) && (case_is_one_step(k->c) || tensors_keep_state(k->c));
}

int contestant_check(struct contestant *k, const char *where, const struct portion *portion, struct err *err) {
  struct verification v;
  const bool yardstick = (k->variant->desc.flags & VARIANT_YARDSTICK) != 0;
  if (case_verify(k->c, yardstick ? NULL : k->report.figures.math, &k->plain, portion, &v, err) != 0) return -1;
  note_verification(k, portion, &v);
  if (!v.pass) contestant_break(k, v.rule, ROW_WRONG, "%s%s", where, v.message);
  if (!v.pass || yardstick || !contestant_is_checked(k)) return 0;
  if (v.compared == 0 && k->c->bench->own.verify == NULL)
    contestant_break(k, RULE_VERIFY, ROW_ERROR,
                     "nothing was checked: the bench has no verify and its reference expects nothing");
  else
    ask_bench_to_verify(k, where);
  return 0;
}

int contestant_check_done(struct contestant *k, struct slot_task *task, struct err *err) {
  if (contestant_alive(k) && late_look(k, task, err) != 0) return -1;
  return contestant_alive(k) && task->late.output != NULL ? drop_late(k, task, err) : 0;
}

int contestant_profile(struct contestant *k, struct err *err) {
  struct device *device = k->c->device;
  char range[KEY_SIZE + 2 * ID_SIZE + 1];
  double ns = 0;
  struct slot_task task = {.timing = TIMING_COLD, .count = 1, .ns = &ns};
  snprintf(range, sizeof range, "%s %s", k->c->key, k->name);
  if (contestant_slot(k, &task, err) != 0) return -1;
  if (!contestant_alive(k)) return 0;
  /* so that the next slot does not hold the stream back, which must not happen under a profiler */
  k->launched = false;
  if (device->ops->profile != NULL) device->ops->profile(device, range);
  int rc = contestant_slot(k, &task, err);
  if (device->ops->profile != NULL) device->ops->profile(device, NULL);
  return rc;
}

/* ---- Verdicts ---- */

/* Drops a variant whose calls are faster where results could be reused. Anything that slowed the other calls looks the
 * same, so the messages give times and no cause. */
static void drop_for_reuse(struct contestant *k, const struct audit_words *words) {
  const double work_us = words->work_ns * 1e-3, seen_us = words->seen_ns * 1e-3;
  if (words->kind == AUDIT_FRESH)
    contestant_drop(k, ROW_WRONG,
                    "run is faster on inputs that it has had: on new ones it took %.4g us (median of %u), on old ones "
                    "%.4g us",
                    work_us, words->count, seen_us);
  else if (words->kind == AUDIT_POISONED)
    contestant_drop(
        k, ROW_WRONG,
        "run is faster where its outputs are there: where they had to be written it took %.4g us (median of %u), where "
        "they were there %.4g us",
        work_us, words->count, seen_us);
  else
    contestant_drop(k, ROW_WRONG,
                    "run is faster in timed slots: on new inputs it took %.4g us (median of %u), in slots %.4g us",
                    work_us, words->count, seen_us);
}

/* Drops a variant whose memory grew by more than `leak_bytes`. If memory was read too seldom to find a leak, the row's
 * message says so. */
static void judge_growth(struct contestant *k, double leak_bytes) {
  const struct leak *leak = &k->leak;
  const double slope = leak_slope(leak), grown = slope * leak->total_calls;
  k->report.figures.leak_bytes_per_call = slope;
  if (grown > leak_bytes)
    contestant_drop(k, ROW_ERROR, "run leaks %.0f bytes per call: %.3g MB over %.0f calls, %.3g MB allowed", slope,
                    grown * 1e-6, leak->total_calls, leak_bytes * 1e-6);
  if (contestant_alive(k) && leak->count > 0 && isnan(slope))
    snprintf(
        k->report.message, sizeof k->report.message,
        "not searched for leaks: memory was looked at %zu times, %d are needed; it grew by %.3g MB over %.0f calls",
        leak->count, LEAK_FEWEST, leak->total_bytes * 1e-6, leak->total_calls);
}

void contestant_judge(struct contestant *k, const struct audit_words *words, double hidden, double leak_bytes) {
  k->report.figures.reuse_limit = hidden;
  k->report.figures.verified_slots = k->verified;
  k->report.figures.checked_whole = k->c->bench->own.verify != NULL;
  k->report.figures.precise = k->precise;
  if (late_may_be_clock(k)) k->report.unproven |= UNPROVEN_BIT(UNPROVEN_CLOCK);
  if (words->remembers) drop_for_reuse(k, words);
  judge_growth(k, leak_bytes);
}

/* ---- Slots that are kept ---- */

/* Allocates and touches all memory of the slot now, so that none of it looks like a leak of the variant. */
void contestant_open_slot(struct contestant *k, uint32_t round) {
  double *ns = xcalloc(k->slot_size, sizeof *ns);
  memset(ns, 1, k->slot_size * sizeof *ns);
  k->slots = xgrow(k->slots, k->slot_count, sizeof *k->slots);
  k->slots[k->slot_count++] = (struct slot){.round = round, .ns = ns};
}

void contestant_keep(struct contestant *k, const struct slot_state *state, const double *ns, uint32_t count) {
  struct slot *slot = &k->slots[k->slot_count - 1];
  double *kept = (double *)(uintptr_t)slot->ns;
  if (slot->count == 0) slot->state = *state;
  memcpy(kept + slot->count, ns, count * sizeof *kept);
  slot->count += count;
}

static void free_slots(struct contestant *k) {
  for (size_t i = 0; i < k->slot_count; i++)
    free((void *)(uintptr_t)k->slots[i].ns);
  free(k->slots);
  k->slots = NULL;
  k->slot_count = 0;
}

void contestant_discard_samples(struct contestant *k) {
  free_slots(k);
  k->slots_s = 0;
  k->single = k->last_ratio = k->surprised = k->rotated = (struct audits){0};
  k->precise = k->partner = false;
}

void contestant_free(struct contestant *k) {
  values_free(&k->values);
  free_slots(k);
}
