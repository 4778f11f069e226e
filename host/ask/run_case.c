/* Cases through workers, epoch by epoch. Checks all that a worker says. */
#include "ask/run_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/extras.h"
#include "ask/request.h"
#include "base/memory.h"
#include "base/rng.h"
#include "model/graph.h"
#include "plan/build.h"

/* What a variant was blamed for when others had run in its process before. */
struct doubt {
  enum row_status status;
  char *text; /* NULL: nothing */
};

/* One request under way: which variants it asks about. */
struct epoch {
  const struct plan_case *plan_case;
  struct case_result *result;
  struct case_request *request;
  size_t *asked; /* plan index of each of the request's variants */
  uint32_t number, restart;
  const struct run_case_settings *settings;
  size_t open;          /* plan index of the variant whose last slot may have more to come; SIZE_MAX: none */
  struct doubt *doubts; /* by plan index */
  size_t apart;         /* plan index of the variant that is tried beside the baseline alone; SIZE_MAX: all take part */
  bool failed;          /* some variant of this epoch has reported an error */
};

static void add_variant(struct epoch *e, const struct pool_worker *member, size_t index) {
  uint32_t place = e->request->variant_count;
  if (request_add(e->request, member, &e->plan_case->variants[index])) e->asked[place] = index;
}

/* Twins by their places in the request, not in the plan; one that does not take part is nobody's. */
static void set_twins(struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    uint32_t *twin = &e->request->variants[i].against.twin, wanted = *twin;
    if (wanted == 0) continue;
    *twin = e->request->variant_count + 1; /* none that is here, and no other in its stead */
    for (uint32_t j = 0; j < e->request->variant_count; j++)
      if (e->asked[j] + 1 == wanted) *twin = j + 1;
  }
}

static struct variant_result *result_of(struct epoch *e, uint32_t place) {
  return place < e->request->variant_count ? &e->result->variants[e->asked[place]] : NULL;
}

/* What is not OK has no samples, former processes' neither. */
static void settle(struct variant_result *v, enum row_status status, const char *message) {
  if (v->settled) return;
  v->settled = true;
  v->status = status;
  if (status != ROW_OK) variant_result_drop(v, 0);
  if (message != NULL) text_copy(v->message, sizeof v->message, message);
}

/* "SIGSEGV in run of attention/forward/flash[b=2,...]: last line printed" */
static void sentence(const struct epoch *e, const struct ending *ending, char *to, size_t size) {
  const char *axes = strchr(e->plan_case->key, '[');
  bool one = ending->variant >= 0 && (uint32_t)ending->variant < e->request->variant_count;
  snprintf(to, size, "%s in %s of %s%s%s%s%s%s", ending->how, phase_name(ending->phase), e->plan_case->id,
           one ? "/" : "", one ? e->request->variants[ending->variant].name : "", axes ? axes : "",
           ending->tail[0] ? ": " : "", ending->tail);
}

/* Only the first process of a case is asked. */
static void take_energy(struct variant_result *v, const struct energy_figures *theirs) {
  struct energy_figures energy = *theirs;
  energy.method[sizeof energy.method - 1] = energy.fault[sizeof energy.fault - 1] = '\0';
  text_sanitize(energy.method);
  text_sanitize(energy.fault);
  if (energy.method[0] != '\0' || energy.fault[0] != '\0') v->energy = energy;
}

static void suspect(struct epoch *e, uint32_t place, enum row_status status, const char *text) {
  size_t i = e->asked[place];
  if (!e->result->variants[i].settled && e->doubts[i].text == NULL)
    e->doubts[i] = (struct doubt){status, xstrdup(text)};
}

/* Waits to be tried apart? */
static bool is_suspect(const struct epoch *e, uint32_t place) {
  return e->asked[place] != e->apart && e->doubts[e->asked[place]].text != NULL;
}

/* An error behind another variant's may be that one's still: CUDA's runtime hands a failed call's code to whoever asks
 * next. */
static bool may_be_anothers(struct epoch *e, const struct variant_report *report) {
  bool another = report->status == ROW_ERROR && e->failed && e->apart == SIZE_MAX;
  e->failed = e->failed || report->status == ROW_ERROR;
  return another;
}

static void take_report(struct epoch *e, const struct variant_report *from) {
  struct variant_report report = *from;
  struct variant_result *v = result_of(e, report.variant);
  if (v == NULL || v->settled || report.status == ROW_NOT_RUN || report.status >= ROW_UNKNOWN) return;
  report.math[sizeof report.math - 1] = report.message[sizeof report.message - 1] = '\0';
  text_sanitize(report.message);
  text_sanitize(report.math);
  if (may_be_anothers(e, &report)) {
    suspect(e, report.variant, ROW_ERROR, report.message);
    return;
  }
  v->status = (enum row_status)report.status;
  v->settled = report.status != ROW_OK; /* OK holds once the whole epoch has ended well */
  v->error = report.error;
  v->tolerance = report.tolerance;
  v->extra_bytes = report.extra_bytes;
  v->kernels = report.kernels;
  v->interleave_shift = report.interleave_shift;
  v->leak_bytes_per_call = report.leak_bytes_per_call;
  take_energy(v, &report.energy);
  text_copy(v->math, sizeof v->math, report.math);
  text_copy(v->message, sizeof v->message, report.message);
  if (report.status == ROW_CRASHED) {
    struct ending fault = {.phase = (enum phase)report.phase, .variant = (int)report.variant, .how = "device fault"};
    text_copy(fault.tail, sizeof fault.tail, report.message);
    sentence(e, &fault, v->message, sizeof v->message);
  }
}

/* Hands on the slot that came last, once nothing more of it can come. */
static void pass_on(struct epoch *e) {
  const struct variant_result *v = e->open == SIZE_MAX ? NULL : &e->result->variants[e->open];
  if (v != NULL && v->slot_count > 0 && e->settings->slot != NULL)
    e->settings->slot(e->settings->user, e->plan_case, e->open, &v->slots[v->slot_count - 1]);
  e->open = SIZE_MAX;
}

/* No clock says anything else; and what would be written could not be read. */
static bool are_times(const struct slot_message *slot) {
  for (uint32_t i = 0; i < slot->count; i++)
    if (!(slot->ns[i] >= 0 && isfinite(slot->ns[i]))) return false;
  return true;
}

/* A slot may come in portions. */
static void add_samples(struct epoch *e, size_t variant, const struct slot_message *from) {
  struct variant_result *v = &e->result->variants[variant];
  struct slot *last = e->open == variant && v->slot_count > 0 ? &v->slots[v->slot_count - 1] : NULL;
  if (last == NULL || last->round != from->round) {
    pass_on(e);
    v->slots = xrealloc(v->slots, v->slot_count + 1, sizeof *v->slots);
    last = &v->slots[v->slot_count++];
    *last = (struct slot){.epoch = e->number, .round = from->round, .state = from->state};
    e->open = variant;
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
  struct variant_result *v = result_of(e, slot.variant);
  if (v == NULL || slot.count == 0 || slot.count > SLOT_SAMPLES_MAX ||
      message->size != offsetof(struct slot_message, ns) + slot.count * sizeof(double) || !are_times(&slot))
    return;
  add_samples(e, e->asked[slot.variant], &slot);
}

static void take_graph(struct epoch *e, const struct message *message) {
  const struct graph_message *from = wire_as(message, sizeof *from);
  struct variant_result *v = from != NULL ? result_of(e, from->variant) : NULL;
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

/* Times add up over the processes of a case; the rest is as the last one says. */
static void take_case(struct epoch *e, const struct case_report *from) {
  struct case_report *report = &e->result->report;
  const struct case_report former = *report;
  *report = *from;
  report->item_unit[ID_SIZE - 1] = report->conditions.note[TEXT_SIZE - 1] = '\0';
  report->seconds_setup += former.seconds_setup;
  report->seconds_verify += former.seconds_verify;
  report->seconds_sampling += former.seconds_sampling;
  if (former.host.seconds > 0) host_usage_add(&report->host, &former.host);
}

static void take_extras(struct epoch *e, const struct message *message) {
  uint32_t place;
  struct variant_result *v = extras_is(message, &place) ? result_of(e, place) : NULL;
  if (v != NULL) extras_take(&v->extras, message, e->number);
}

static void listen_epoch(void *user, const struct message *message) {
  struct epoch *e = user;
  const struct variant_report *report = wire_as(message, sizeof *report);
  const struct case_report *case_report = wire_as(message, sizeof *case_report);
  if (message->type == MSG_REPORT && report != NULL) take_report(e, report);
  if (message->type == MSG_SLOT) take_slot(e, message);
  if (message->type == MSG_GRAPH) take_graph(e, message);
  if (message->type == MSG_NOTES || message->type == MSG_METRICS || message->type == MSG_SPANS) take_extras(e, message);
  if (message->type == MSG_CASE && case_report != NULL) take_case(e, case_report);
}

/* It will not be measured any more; what former processes measured holds. */
static void give_up(struct variant_result *v, uint32_t epoch, const char *why) {
  if (v->settled) return;
  variant_result_drop(v, epoch);
  settle(v, v->slot_count > 0 ? ROW_OK : ROW_NOT_RUN, why);
}

/* The worker is gone: the culprit's row is settled, the others stay for the next epoch. Without a culprit all are.
 * Where others ran in the same process, it may be one of them who broke it: the one in whose turn it died is tried
 * apart. */
static void lay_blame(struct epoch *e, struct ending *ending) {
  char text[MSG_SIZE];
  uint32_t count = e->request->variant_count;
  enum row_status status = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED;
  bool apart = e->apart != SIZE_MAX, host = ending->phase == PHASE_IDLE;
  for (uint32_t i = 0; i < count && apart; i++) /* whoever's turn it was */
    if (e->asked[i] == e->apart) ending->variant = (int)i;
  bool known = ending->variant >= 0 && (uint32_t)ending->variant < count;
  bool blamed = known && !result_of(e, (uint32_t)ending->variant)->settled;
  bool sure = apart || status == ROW_TIMEOUT || count == 1;
  sentence(e, ending, text, sizeof text);
  for (uint32_t i = 0; i < count; i++) {
    bool meant =
        blamed ? i == (uint32_t)ending->variant : true; /* nobody in particular, or the baseline that did well */
    if (meant && (sure || (!known && !host))) settle(result_of(e, i), status, text);
    if (meant) suspect(e, i, status, text);
  }
}

static bool any_settled(const struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (e->result->variants[e->asked[i]].settled) return true;
  return false;
}

/* No variant can be measured on this device, now or later. */
static bool device_lost(const struct ending *ending) {
  return ending->kind == ENDING_FAILED && ending->err.exit_code == EXIT_DEVICE;
}

/* Has every variant been spoken of? A worker whose messages were tampered with may say that it is done too early. */
static bool complete(struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (result_of(e, i)->status == ROW_NOT_RUN && !is_suspect(e, i)) return false;
  return true;
}

static void end_epoch(struct epoch *e, struct pool_worker *member, struct ending *ending) {
  if (ending->kind == ENDING_DONE && !complete(e)) {
    ending->kind = ENDING_DIED;
    text_copy(ending->how, sizeof ending->how, "an incomplete answer from the worker");
    pool_dismiss(member);
    member->died = true;
  }
  if (ending->kind == ENDING_DONE)
    for (uint32_t i = 0; i < e->request->variant_count; i++)
      if (!is_suspect(e, i)) settle(result_of(e, i), result_of(e, i)->status, NULL);
  if (ending->kind == ENDING_DONE && e->failed) pool_dismiss(member); /* the next case starts without its errors */
  if (ending->kind == ENDING_DIED || ending->kind == ENDING_TIMEOUT) lay_blame(e, ending);
  if (ending->kind == ENDING_INTERRUPTED)
    for (uint32_t i = 0; i < e->request->variant_count; i++)
      give_up(result_of(e, i), e->number, "interrupted");
  if (ending->kind == ENDING_FAILED) {
    bool blamed = any_settled(e) || device_lost(ending); /* else it was the bench, and so all of them */
    for (uint32_t i = 0; i < e->request->variant_count && !blamed; i++)
      settle(result_of(e, i), ROW_ERROR, ending->err.text);
    pool_dismiss(member);
    member->died = true;
  }
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    struct variant_result *v = result_of(e, i);
    if (v->settled && v->status != ROW_OK) variant_result_drop(v, 0);
    if (!v->settled || ending->kind != ENDING_DONE) variant_result_drop(v, e->number);
  }
  if (e->apart != SIZE_MAX && ending->kind != ENDING_INTERRUPTED) /* one try each */
    settle(&e->result->variants[e->apart], e->doubts[e->apart].status, e->doubts[e->apart].text);
}

static bool is_asked(const struct epoch *e, size_t i) {
  return e->apart == SIZE_MAX ? !e->result->variants[i].settled && e->doubts[i].text == NULL : i == e->apart;
}

/* Those that are to be measured, and what their speedups divide by. */
static bool takes_part(const struct epoch *e, size_t i) {
  const struct variant_result *v = &e->result->variants[i];
  bool needed = false;
  for (size_t j = 0; j < e->result->count && v->settled && v->status == ROW_OK; j++)
    needed = needed || (is_asked(e, j) && plan_serves(e->plan_case, i, j));
  return needed || is_asked(e, i);
}

static bool run_epoch(struct pool *pool, struct epoch *e, const struct run_case_settings *settings, struct err *err) {
  struct pool_worker *member;
  struct ending ending;
  if (pool_worker_for(pool, e->plan_case, &member, err) != 0) return false;
  e->request = request_new(member, e->plan_case);
  for (size_t i = 0; i < e->result->count; i++)
    if (takes_part(e, i)) add_variant(e, member, i);
  set_twins(e);
  e->failed = false;
  e->request->seed = settings->seed;
  e->request->order_seed = rng_key(rng_key(settings->seed, rng_text(e->plan_case->key)), e->number);
  e->request->precision = settings->precision;
  e->request->case_time_s = settings->case_time_s;
  e->request->mode = e->plan_case->mode;
  e->request->trajectory = settings->trajectory;
  e->request->leak_bytes = settings->leak_bytes;
  e->request->energy_s = e->restart == 0 ? settings->energy_s : 0;
  e->request->memory_limit = settings->memory_limit;
  e->request->quick = settings->quick;
  e->request->verify_only = settings->verify_only;
  e->request->profile = settings->profile;
  const struct listener listener = {.user = e, .message = listen_epoch};
  pool_ask(pool, member, MSG_RUN, e->request, case_request_size(e->request), &listener, &ending);
  pass_on(e);
  end_epoch(e, member, &ending);
  free(e->request);
  if (device_lost(&ending)) *err = ending.err;
  return !device_lost(&ending);
}

/* Is it what somebody else who is still to be measured is compared with? */
static bool serves_others(const struct epoch *e, size_t i) {
  for (size_t j = 0; j < e->result->count; j++)
    if (j != i && !e->result->variants[j].settled && plan_serves(e->plan_case, i, j)) return true;
  return false;
}

/* Chooses who runs next: a suspected baseline, whom the others need; all of whom nothing is suspected; then the
 * suspects one by one. False when everything is settled. */
static bool choose(struct epoch *e) {
  size_t suspect = SIZE_MAX;
  bool others = false, needed = false;
  for (size_t i = 0; i < e->result->count; i++) {
    if (e->result->variants[i].settled) continue;
    if (e->doubts[i].text == NULL) others = true;
    if (e->doubts[i].text == NULL || needed) continue;
    needed = serves_others(e, i);
    if (suspect == SIZE_MAX || needed) suspect = i;
  }
  e->apart = others && !needed ? SIZE_MAX : suspect;
  return others || suspect != SIZE_MAX;
}

/* A fresh process for all that has been measured so far. */
static void reopen(struct pool *pool, struct case_result *result) {
  pool_dismiss_all(pool);
  for (size_t i = 0; i < result->count; i++)
    if (result->variants[i].status == ROW_OK) result->variants[i].settled = false;
}

int ask_run_case(struct pool *pool, const struct plan_case *p, const struct run_case_settings *settings,
                 struct case_result *result, struct err *err) {
  *result = (struct case_result){xcalloc(p->variant_count, sizeof *result->variants),
                                 p->variant_count,
                                 {.conditions = CONDITIONS_UNKNOWN, .host = HOST_USAGE_UNKNOWN}};
  for (size_t i = 0; i < result->count; i++) {
    struct variant_result *v = &result->variants[i];
    *v = VARIANT_RESULT_NONE;
    if (p->variants[i].fate != ROW_NOT_RUN) settle(v, p->variants[i].fate, p->variants[i].reason);
  }
  size_t *asked = xcalloc(p->variant_count, sizeof *asked);
  const uint32_t first = settings->epochs_used + 1;
  struct epoch e = {.plan_case = p,
                    .result = result,
                    .asked = asked,
                    .number = first,
                    .settings = settings,
                    .open = SIZE_MAX,
                    .doubts = xcalloc(p->variant_count, sizeof *e.doubts)};
  int rc = 0;
  for (uint32_t restart = 0; rc == 0 && (restart == 0 || restart < settings->restarts); restart++) {
    if (restart > 0 && signals_last() != 0) break;
    e.restart = restart;
    if (restart > 0) reopen(pool, result);
    for (; rc == 0 && choose(&e) && (e.number == first || signals_last() == 0); e.number++) {
      if (e.apart != SIZE_MAX) pool_dismiss_all(pool); /* nobody before it in its process */
      if (!run_epoch(pool, &e, settings, err)) rc = -1;
    }
  }
  for (size_t i = 0; i < result->count; i++) {
    if (e.doubts[i].text != NULL) /* it could not be tried apart */
      settle(&result->variants[i], e.doubts[i].status, e.doubts[i].text);
    give_up(&result->variants[i], e.number, rc == 0 ? "interrupted" : err->text);
  }
  for (size_t i = 0; i < result->count; i++)
    free(e.doubts[i].text);
  free(e.doubts);
  free(asked);
  return rc;
}
