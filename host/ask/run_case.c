/* Measures a case: asks a worker process, gives variants their status or blames them according to how that process
 * ended, and asks further processes until every variant has its final status. */
#include "ask/run_case.h"

#include <stdlib.h>
#include <string.h>

#include "ask/answer.h"
#include "ask/blame.h"
#include "ask/seats.h"
#include "base/memory.h"
#include "worker/process.h"
#include "worker/signals.h"

static void put_away(struct pool_worker *member) {
  pool_dismiss(member);
  member->died = true;
}

/* Returns true if every variant of the request was reported. A worker may claim too early that it is done, if a plugin
 * tampered with its messages. */
static bool is_complete(const struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (epoch_result(e, i)->status == ROW_NOT_RUN && !epoch_result(e, i)->settled && !blame_is_suspect(e, i))
      return false;
  return true;
}

static void check_complete(const struct epoch *e, struct pool_worker *member, struct ending *ending) {
  if (ending->kind != ENDING_DONE || (is_complete(e) && !e->cut_short)) return;
  ending->kind = ENDING_DIED;
  ending->variant = -1;
  text_copy(ending->how, sizeof ending->how,
            e->cut_short ? "an end of the case that nobody has asked for" : "an incomplete answer from the worker");
  put_away(member);
}

/* Drops the samples that the variant got without its baseline, because in this epoch it has run together with the
 * baseline. Does nothing if the variant has no samples from this epoch. */
static void forget_alone(const struct epoch *e, size_t index) {
  struct variant_result *v = &e->result->variants[index];
  if (v->slot_count > 0 && v->slots[v->slot_count - 1].epoch == e->number)
    variant_result_forget(v, e->doubts[index].cleared);
}

/* Gives a variant that did well its final status, unless it must still be measured together with its baseline (the
 * variant that its speedup divides by), or must wait because a baseline is a suspect. */
static void settle_well(struct epoch *e, uint32_t place) {
  size_t index = e->asked[place];
  struct variant_result *v = &e->result->variants[index];
  struct doubt *doubt = &e->doubts[index];
  if (v->settled) return;
  if (e->kind == EPOCH_ALONE && index == e->apart && epoch_has_company(e, index)) {
    doubt->cleared = e->number;
    return;
  }
  if (doubt->cleared != 0) forget_alone(e, index);
  if (v->status == ROW_OK && epoch_waits_for_suspect(e, index)) {
    e->waits[index] = e->number;
    return;
  }
  if (v->status == ROW_OK)
    blame_clear(e, index);
  else
    variant_result_settle(v, v->status, NULL);
}

static void end_well(struct epoch *e, struct pool_worker *member) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (!blame_is_suspect(e, i)) settle_well(e, i);
  if (e->accused) pool_dismiss(member); /* ends the worker, so that errors do not affect the next case */
}

/* Gives up all variants of the epoch, because the run ends: each becomes ok if it has samples of an earlier epoch, else
 * not_run. If the run is out of time, rows of suspects say that the cause of the fault was not found; after a signal
 * they say what interrupted the run. --resume measures rows that are not_run again. */
static void give_up_epoch(struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    if (signals_out_of_time()) blame_hold(e, e->asked[i]);
    variant_result_give_up(epoch_result(e, i), e->number, signals_why());
  }
}

/* Drops the samples of the epoch that do not count: all of them if the process did not end well, otherwise those of
 * variants without the final status ok. A variant that waits for its baseline, or was cleared in this epoch, keeps its
 * samples. One with another final status also loses those of earlier epochs. */
static void drop_samples(struct epoch *e, bool well) {
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    struct variant_result *v = epoch_result(e, i);
    if (v->settled && v->status != ROW_OK) variant_result_drop(v, 0);
    const bool counts = v->settled || e->waits[e->asked[i]] != 0 || e->doubts[e->asked[i]].cleared == e->number;
    if (!well || !counts) variant_result_drop(v, e->number);
  }
}

/* Returns true if the worker was killed from outside gpubench, for the first time in this case. No variant is blamed
 * then, because the kill may have been chance. */
static bool is_chance(struct epoch *e, const struct ending *ending) {
  bool first = ending->killed && !e->killed;
  e->killed = e->killed || ending->killed;
  return first;
}

/* Returns true if the process sent complete reports and then hung in `release` or `teardown`, which end the case. Then
 * the results count, except those of a variant whose `release` hung. */
static bool hung_after_reports(const struct epoch *e, const struct ending *ending) {
  const bool down = ending->phase == PHASE_RELEASE || ending->phase == PHASE_TEARDOWN;
  return ending->kind == ENDING_TIMEOUT && down && e->whole && !e->cut_short && is_complete(e);
}

/* Says in the row of each variant of the process that the bench's `teardown` hung after the measurement. */
static void tell_teardown(const struct epoch *e, const struct ending *ending) {
  char text[TEXT_SIZE * 2];
  struct ending bench = *ending;
  bench.variant = -1;
  epoch_sentence(e, &bench, text, sizeof text);
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    struct variant_result *v = epoch_result(e, i);
    if (v->status == ROW_OK && strstr(v->message, text) == NULL)
      phrase_add(v->message, sizeof v->message, "; ", "after the measurement: %s", text);
  }
}

static void end_with_death(struct epoch *e, struct pool_worker *member, const struct ending *ending, bool well) {
  const bool teardown = well && ending->phase == PHASE_TEARDOWN;
  if (!teardown && !is_chance(e, ending)) blame_for_death(e, ending);
  if (well) end_well(e, member);
  if (teardown) tell_teardown(e, ending);
}

/* According to how the process ended, gives variants their final status, blames them or gives them up, and drops
 * samples that do not count. */
static void end_epoch(struct epoch *e, struct pool_worker *member, struct ending *ending) {
  check_complete(e, member, ending);
  const bool well = ending->kind == ENDING_DONE || hung_after_reports(e, ending);
  switch (ending->kind) {
    case ENDING_DONE:
      end_well(e, member);
      break;
    case ENDING_DIED:
    case ENDING_TIMEOUT:
      end_with_death(e, member, ending, well);
      break;
    case ENDING_INTERRUPTED:
      give_up_epoch(e);
      break;
    case ENDING_WAITS:
    case ENDING_FAILED:
      blame_for_failure(e, ending);
      put_away(member);
      break;
  }
  drop_samples(e, well);
}

/* Chooses the worker of the next epoch: usually the one with all plugins of the case. A suspect gets a worker that has
 * loaded only two plugins, the one that defines the bench and the suspect's, and has run no variants before. The same
 * holds for a suspect together with its baseline, if both come from these plugins. */
static int worker_for_epoch(struct pool *pool, const struct epoch *e, struct pool_worker **member, struct err *err) {
  const struct plan_case *p = e->plan_case;
  if (e->apart == SIZE_MAX || !epoch_is_of_one_provider(e) || process_are_none())
    return pool_worker_for(pool, p, member, err);
  return pool_worker_fresh(pool, p->plugin, p->variants[e->apart].plugin, member, err);
}

static bool run_epoch(struct pool *pool, struct epoch *e, struct err *err) {
  struct pool_worker *member;
  struct ending ending;
  e->catalog = pool->catalog;
  e->kind = epoch_kind_of(e); /* epoch_begin() changes it if only one variant is left */
  pool->wary = e->kind == EPOCH_ALONE && e->doubts[e->apart].status == ROW_TIMEOUT;
  if (process_are_isolated()) return seats_run_epoch(pool, e, end_epoch, err);
  const struct listener listener = {.user = e, .message = answer_take};
  if (worker_for_epoch(pool, e, &member, err) != 0) return false;
  epoch_begin(e, member);
  e->request->idle = pool_idle(pool, member);
  pool_ask(pool, member, MSG_RUN, e->request, case_request_size(e->request), &listener, &ending);
  answer_end_slot(e);
  end_epoch(e, member, &ending);
  free(e->request);
  if (ending_lost_device(&ending)) *err = ending.err;
  return !ending_lost_device(&ending);
}

/* Makes all variants whose final status is ok open again, so that they are measured once more. */
static void reopen(struct case_result *result) {
  for (size_t i = 0; i < result->count; i++)
    if (result->variants[i].status == ROW_OK) result->variants[i].settled = false;
}

static void init_result(const struct plan_case *p, struct case_result *result) {
  *result = (struct case_result){.variants = xcalloc(p->variant_count, sizeof *result->variants),
                                 .count = p->variant_count,
                                 .report = {.conditions = CONDITIONS_UNKNOWN, .host = HOST_USAGE_UNKNOWN}};
  for (size_t i = 0; i < result->count; i++) {
    result->variants[i] = VARIANT_RESULT_NONE;
    if (p->variants[i].status != ROW_NOT_RUN)
      variant_result_settle(&result->variants[i], p->variants[i].status, p->variants[i].reason);
  }
}

/* Runs epochs, each with a new selection of variants, until every variant has its final status. The first epoch of the
 * case runs even after a signal to finish. */
static int run_epochs(struct pool *pool, struct epoch *e, struct err *err) {
  const uint32_t first = e->settings->epochs_used + 1;
  const int continued = signals_continued();
  for (; blame_choose(e) && (e->number == first || !signals_asked_to_finish()); e->number++) {
    /* ends the workers, so that no other variant has run before the suspect in its process */
    if (e->apart != SIZE_MAX) pool_renew(pool);
    if (!run_epoch(pool, e, err)) return -1;
    e->result->unheard = e->result->unheard || signals_continued() != continued;
  }
  return 0;
}

void ask_begin(struct epoch *e, const struct plan_case *p, const struct run_case_settings *settings,
               struct case_result *result) {
  init_result(p, result);
  epoch_init(e, p, settings, result);
}

int ask_first_processes(struct pool *pool, struct epoch *e, struct err *err) {
  int rc = run_epochs(pool, e, err);
  for (e->restart = 1; rc == 0 && e->restart < e->settings->restarts && !signals_asked_to_finish(); e->restart++) {
    pool_restart(pool);
    reopen(e->result);
    rc = run_epochs(pool, e, err);
  }
  return rc;
}

int ask_next_process(struct pool *pool, struct epoch *e, int64_t until_ns, struct err *err) {
  e->processes = e->restart + 1;
  e->until_ns = until_ns;
  reopen(e->result);
  int rc = run_epochs(pool, e, err);
  e->restart++;
  return rc;
}

void ask_end(struct epoch *e, int rc, const struct err *err) {
  const char *why = signals_asked_to_finish() ? signals_why() : err->text;
  const bool lost = rc != 0 && err->exit_code == EXIT_DEVICE && !signals_asked_to_finish();
  for (size_t i = 0; i < e->result->count; i++) {
    if (lost || signals_out_of_time()) blame_hold(e, i);
    if (e->waits[i] != 0) blame_clear(e, i);
    variant_result_give_up(&e->result->variants[i], e->number, why);
  }
  blame_end(e);
  epoch_free(e);
}

int ask_run_case(struct pool *pool, const struct plan_case *p, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err) {
  struct epoch e;
  ask_begin(&e, p, settings, result);
  int rc = ask_first_processes(pool, &e, err);
  ask_end(&e, rc, err);
  return rc;
}
