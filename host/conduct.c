/* Cases through workers, epoch by epoch. Checks all that a worker says. */
#include "conduct.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

/* One request under way: which variants it asks about. */
struct epoch {
  const struct plan_case *plan_case;
  struct case_result *result;
  struct case_request *request;
  size_t *asked; /* plan index of each of the request's variants */
  uint32_t number;
};

static struct case_request *make_request(const struct crew_member *member, const struct plan_case *p) {
  struct case_request *request = xcalloc(1, sizeof *request);
  request->plugin = crew_place(member, p->plugin);
  request->bench = (uint32_t)p->bench;
  request->baseline = UINT32_MAX;
  request->point = p->point;
  text_copy(request->key, sizeof request->key, p->key);
  return request;
}

static void add_variant(struct epoch *e, const struct crew_member *member, size_t index) {
  const struct plan_variant *variant = &e->plan_case->variants[index];
  uint32_t place = e->request->variant_count;
  if (place == CASE_VARIANTS_MAX) return;
  e->request->variants[place].plugin = crew_place(member, variant->plugin);
  e->request->variants[place].variant = (uint32_t)variant->variant;
  text_copy(e->request->variants[place].name, sizeof e->request->variants[place].name, variant->name);
  if (index == e->plan_case->baseline) e->request->baseline = place;
  e->asked[place] = index;
  e->request->variant_count++;
}

/* ---- supports ---- */

static void set_fate(struct plan_variant *variant, enum row_status fate, const char *reason) {
  if (variant->fate != ROW_NOT_RUN) return;
  variant->fate = fate;
  variant->reason = xstrdup(reason);
  text_sanitize(variant->reason);
}

struct inquiry {
  struct plan_case *plan_case;
  size_t *asked; /* plan index of each of the request's variants */
  uint32_t count;
};

static void take_support(void *user, const struct message *message) {
  struct inquiry *inquiry = user;
  struct variant_report report;
  const void *payload = wire_as(message, sizeof report);
  if (message->type != MSG_REPORT || payload == NULL) return;
  memcpy(&report, payload, sizeof report);
  report.message[sizeof report.message - 1] = '\0';
  if (report.variant < inquiry->count && (report.status == ROW_SKIPPED || report.status == ROW_ERROR))
    set_fate(&inquiry->plan_case->variants[inquiry->asked[report.variant]], (enum row_status)report.status,
             report.message);
}

/* A `supports` that did not return costs its own variant, or all of them when it was the bench's. */
static void lose_support(struct inquiry *inquiry, const struct ending *ending) {
  char how[2 * TEXT_SIZE + 64];
  enum row_status fate = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED;
  describe_ending(ending, how, sizeof how);
  for (uint32_t i = 0; i < inquiry->count; i++)
    if (ending->variant < 0 || i == (uint32_t)ending->variant)
      set_fate(&inquiry->plan_case->variants[inquiry->asked[i]], fate, how);
}

/* Asks about every variant whose fate is open. *again: one of them was lost, the others are to be asked anew. */
static int inquire(struct crew *crew, struct plan_case *p, size_t *asked, bool *again, struct err *err) {
  struct crew_member *member;
  struct ending ending;
  if (crew_member_for(crew, p, &member, err) != 0) return -1;
  struct epoch e = {.plan_case = p, .request = make_request(member, p), .asked = asked};
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].fate == ROW_NOT_RUN) add_variant(&e, member, i);
  struct inquiry inquiry = {p, asked, e.request->variant_count};
  const struct listener listener = {.user = &inquiry, .message = take_support};
  crew_ask(crew, member, MSG_SUPPORTS, e.request, sizeof *e.request, &listener, &ending);
  free(e.request);
  *again = ending.kind == ENDING_DIED || ending.kind == ENDING_TIMEOUT;
  if (*again) lose_support(&inquiry, &ending);
  if (ending.kind == ENDING_FAILED) return err_set(err, EXIT_FAILED, "%s", ending.err.text);
  if (ending.kind == ENDING_INTERRUPTED) return err_set(err, EXIT_FAILED, "interrupted");
  return 0;
}

static bool any_open(const struct plan_case *p) {
  for (size_t i = 0; i < p->variant_count; i++)
    if (p->variants[i].fate == ROW_NOT_RUN) return true;
  return false;
}

int conduct_supports(struct crew *crew, struct plan_case *p, struct err *err) {
  size_t *asked = xcalloc(p->variant_count, sizeof *asked);
  bool again = true;
  int rc = 0;
  while (rc == 0 && again && any_open(p))
    rc = inquire(crew, p, asked, &again, err);
  free(asked);
  return rc;
}

/* ---- run ---- */

static struct variant_result *result_of(struct epoch *e, uint32_t place) {
  return place < e->request->variant_count ? &e->result->variants[e->asked[place]] : NULL;
}

static void settle(struct variant_result *v, enum row_status status, const char *message) {
  if (v->settled) return;
  v->settled = true;
  v->status = status;
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

static void take_report(struct epoch *e, const struct variant_report *from) {
  struct variant_report report = *from;
  struct variant_result *v = result_of(e, report.variant);
  if (v == NULL || v->settled || report.status == ROW_NOT_RUN || report.status >= ROW_STATUS_COUNT) return;
  report.math[sizeof report.math - 1] = report.message[sizeof report.message - 1] = '\0';
  text_sanitize(report.message);
  text_sanitize(report.math);
  v->status = (enum row_status)report.status;
  v->settled = report.status != ROW_OK; /* OK holds once the whole epoch has ended well */
  v->error = report.error;
  v->tolerance = report.tolerance;
  v->extra_bytes = report.extra_bytes;
  text_copy(v->math, sizeof v->math, report.math);
  text_copy(v->message, sizeof v->message, report.message);
  if (report.status == ROW_CRASHED) {
    struct ending fault = {.phase = (enum phase)report.phase, .variant = (int)report.variant, .how = "device fault"};
    text_copy(fault.tail, sizeof fault.tail, report.message);
    sentence(e, &fault, v->message, sizeof v->message);
  }
}

static void take_slot(struct epoch *e, const struct message *message) {
  struct slot_message slot = {0};
  if (message->size > sizeof slot) return;
  memcpy(&slot, message->payload, message->size);
  struct variant_result *v = result_of(e, slot.variant);
  if (v == NULL || slot.count == 0 || slot.count > SLOT_SAMPLES_MAX ||
      message->size != offsetof(struct slot_message, ns) + slot.count * sizeof(double))
    return;
  double *ns = xcalloc(slot.count, sizeof *ns);
  memcpy(ns, slot.ns, slot.count * sizeof *ns);
  v->slots = xrealloc(v->slots, v->slot_count + 1, sizeof *v->slots);
  v->slots[v->slot_count++] =
      (struct slot){.epoch = e->number, .round = slot.round, .count = slot.count, .ns = ns, .state = slot.state};
}

static void listen_epoch(void *user, const struct message *message) {
  struct epoch *e = user;
  const struct variant_report *report = wire_as(message, sizeof *report);
  const struct case_report *case_report = wire_as(message, sizeof *case_report);
  if (message->type == MSG_REPORT && report != NULL) take_report(e, report);
  if (message->type == MSG_SLOT) take_slot(e, message);
  if (message->type == MSG_CASE && case_report != NULL) {
    e->result->report = *case_report;
    e->result->report.item_unit[ID_SIZE - 1] = e->result->report.conditions.note[TEXT_SIZE - 1] = '\0';
  }
}

static void drop_samples(struct variant_result *v) {
  for (size_t i = 0; i < v->slot_count; i++)
    free((void *)(uintptr_t)v->slots[i].ns);
  free(v->slots);
  v->slots = NULL;
  v->slot_count = 0;
}

/* The worker is gone: the culprit's row is settled, the others stay for the next epoch. Without a culprit all are. */
static void lay_blame(struct epoch *e, const struct ending *ending) {
  char text[MSG_SIZE];
  sentence(e, ending, text, sizeof text);
  enum row_status status = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED;
  struct variant_result *culprit = ending->variant >= 0 ? result_of(e, (uint32_t)ending->variant) : NULL;
  if (culprit != NULL) settle(culprit, status, text);
  for (uint32_t i = 0; i < e->request->variant_count && culprit == NULL; i++)
    settle(result_of(e, i), status, text);
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

static void end_epoch(struct epoch *e, struct crew_member *member, const struct ending *ending) {
  if (ending->kind == ENDING_DONE)
    for (uint32_t i = 0; i < e->request->variant_count; i++)
      settle(result_of(e, i), result_of(e, i)->status, NULL);
  if (ending->kind == ENDING_DIED || ending->kind == ENDING_TIMEOUT) lay_blame(e, ending);
  if (ending->kind == ENDING_INTERRUPTED)
    for (uint32_t i = 0; i < e->request->variant_count; i++)
      settle(result_of(e, i), ROW_NOT_RUN, "interrupted");
  if (ending->kind == ENDING_FAILED) {
    bool blamed = any_settled(e) || device_lost(ending); /* else it was the bench, and so all of them */
    for (uint32_t i = 0; i < e->request->variant_count && !blamed; i++)
      settle(result_of(e, i), ROW_ERROR, ending->err.text);
    crew_dismiss(member);
    member->died = true;
  }
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (result_of(e, i)->status != ROW_OK || !result_of(e, i)->settled) drop_samples(result_of(e, i));
}

static bool run_epoch(struct crew *crew, struct epoch *e, const struct conduct_settings *settings, struct err *err) {
  struct crew_member *member;
  struct ending ending;
  if (crew_member_for(crew, e->plan_case, &member, err) != 0) return false;
  e->request = make_request(member, e->plan_case);
  for (size_t i = 0; i < e->result->count; i++)
    if (!e->result->variants[i].settled) add_variant(e, member, i);
  e->request->seed = settings->seed;
  e->request->precision = settings->precision;
  e->request->case_time_s = settings->case_time_s;
  e->request->quick = settings->quick;
  e->request->verify_only = settings->verify_only;
  e->request->profile = settings->profile;
  const struct listener listener = {.user = e, .message = listen_epoch};
  crew_ask(crew, member, MSG_RUN, e->request, sizeof *e->request, &listener, &ending);
  end_epoch(e, member, &ending);
  free(e->request);
  if (device_lost(&ending)) *err = ending.err;
  return !device_lost(&ending);
}

static size_t unsettled(const struct case_result *result) {
  size_t count = 0;
  for (size_t i = 0; i < result->count; i++)
    count += !result->variants[i].settled;
  return count;
}

int conduct_case(struct crew *crew, const struct plan_case *p, const struct conduct_settings *settings,
                 struct case_result *result, struct err *err) {
  *result = (struct case_result){
      xcalloc(p->variant_count, sizeof *result->variants), p->variant_count, {.conditions = CONDITIONS_UNKNOWN}};
  for (size_t i = 0; i < result->count; i++) {
    struct variant_result *v = &result->variants[i];
    *v = (struct variant_result){.status = ROW_NOT_RUN, .error = NAN, .tolerance = NAN};
    if (p->variants[i].fate != ROW_NOT_RUN) settle(v, p->variants[i].fate, p->variants[i].reason);
  }
  size_t *asked = xcalloc(p->variant_count, sizeof *asked);
  struct epoch e = {.plan_case = p, .result = result, .asked = asked, .number = 1};
  int rc = 0;
  for (; rc == 0 && unsettled(result) > 0 && (e.number == 1 || supervisor_signal() == 0); e.number++)
    if (!run_epoch(crew, &e, settings, err)) rc = -1;
  for (size_t i = 0; i < result->count; i++)
    settle(&result->variants[i], ROW_NOT_RUN, rc == 0 ? "interrupted" : err->text);
  free(asked);
  return rc;
}

void case_result_free(struct case_result *result) {
  for (size_t i = 0; i < result->count; i++)
    drop_samples(&result->variants[i]);
  free(result->variants);
}
