/* Decides which variant is to blame for a fault in a worker process, by the rules in blame.h. host/docs/hangs.md lists
 * which function moves a variant from one state to another.
 *
 * The state of a variant before a process measures follows from members of struct epoch and struct variant_result. The
 * first line that fits holds; a baseline is a variant that another one's speedup may divide by.
 *
 *   settled   settled                it has its final status
 *   waiting   waits != 0             it did well, but one of its baselines is a suspect
 *   cleared   doubts.cleared != 0    it did well without its baseline, and must still run together with it
 *   suspect   doubts.text != NULL    it must be measured alone
 *   open      none of these          it runs together with all open variants, and with cleared ones that never were
 *                                    suspects */
#include "ask/blame.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/memory.h"
#include "plan/build.h"

/* Message prefixes for a variant that failed together with other variants, but not alone. The first is used if variants
 * of other plugins ran in the process, the second if there were none or the cause cannot be determined. */
#define COMPANY_HARMED "harmed by what ran beside it: "
#define COMPANY_UNKNOWN "in company; cause not found"

enum { NAMED = 5 }; /* the most companions that a message names */

/* Returns true if the process that measured variant `index` in this epoch also had variants of other plugins. */
static bool company_has_providers(const struct epoch *e, size_t index) {
  const struct plan_variant *variants = e->plan_case->variants;
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (variants[e->asked[i]].plugin != variants[index].plugin) return true;
  return false;
}

static void add_providers(const struct epoch *e, size_t index, struct strings *names) {
  const struct plan_variant *variants = e->plan_case->variants;
  for (uint32_t i = 0; e->catalog != NULL && i < e->request->variant_count; i++)
    if (variants[e->asked[i]].plugin != variants[index].plugin)
      strings_add_once(names, e->catalog->plugins[variants[e->asked[i]].plugin].desc.id);
}

static void add_companions(const struct epoch *e, size_t index, struct strings *names) {
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    if (e->asked[i] != index) strings_add_once(names, e->request->variants[i].name);
}

/* Returns a text "X, Y" with the names of the other plugins whose variants ran in the process of variant `index`. If
 * there were no other plugins, returns the names of the other variants. The caller frees the text. */
static char *company_names(const struct epoch *e, size_t index) {
  SCOPED_STRINGS struct strings names = {0};
  char text[TEXT_SIZE] = "", more[32] = "";
  add_providers(e, index, &names);
  if (names.count == 0) add_companions(e, index, &names);
  if (names.count == 0) strings_add(&names, "what ran in its process before");
  text_join(text, sizeof text, (const char *const *)names.items, names.count > NAMED ? NAMED : names.count);
  if (names.count > NAMED) snprintf(more, sizeof more, " and %zu more", names.count - NAMED);
  return memory_print("%s%s", text, more);
}

/* A fault: something that went wrong in a worker. */
struct fault {
  enum row_status status;
  enum phase phase;
  int running; /* index in the request of the variant that was running; -1: none was */
  bool killed;
  /* number of verifications up to and including the one that found a wrong result; 0: a verification found no fault, or
   * the fault is none that verifications find (`verifications` in struct variant_report) */
  uint32_t verifications;
  const char *text;
};

/* The facts that decide what follows from a fault. */
struct facts {
  enum epoch_kind kind;
  bool unsettled; /* true if a variant that has no final status yet was running at the fault */
  bool in_setup;  /* true if the fault was in `setup`, the first thing that the process ran */
  /* true if a callback of the bench did not return while one variant was measured alone, for the second time in this
   * case */
  bool again;
};

/* The consequence of a fault: a variant that is blamed gets a final status, a suspect is measured again alone. IT is
 * one variant (blamed_variant()). ALL are all variants of the case without a final status; with one process per plugin,
 * only those of the process that had the fault (may_be()). */
enum blame { BLAME_IT, BLAME_ALL, SUSPECT_IT, SUSPECT_ALL, KEEP_IT };

/* Returns what follows from a fault: see the table in blame.h. */
static enum blame judge_fault(const struct facts *f) {
  if (f->kind == EPOCH_BESIDE) return KEEP_IT;
  if (f->kind == EPOCH_ALONE) return f->again ? BLAME_ALL : BLAME_IT;
  if (f->in_setup) return BLAME_ALL;
  return f->unsettled ? SUSPECT_IT : SUSPECT_ALL;
}

static void settle_planned(struct epoch *e, size_t i, enum row_status status, bool killed, const char *text) {
  struct variant_result *v = &e->result->variants[i];
  if (v->settled) return;
  v->killed = killed;
  variant_result_settle(v, status, text);
}

/* Returns how many verifications are needed to see a fault again with a probability of 95%, if it was seen once in
 * `verifications` verifications. */
static uint32_t verifications_for(uint32_t verifications) {
  return verifications < 2 ? verifications : (uint32_t)ceil(log(0.05) / log1p(-1.0 / verifications));
}

/* Makes a variant a suspect, which is measured again alone. Does nothing if the variant is a suspect already or has its
 * final status. `one`: only this variant is suspected. If the variant did well in an earlier process, without its
 * baseline, its samples from that process are dropped, because it will be measured alone once more. */
static void suspect(struct epoch *e, size_t i, const struct fault *fault, bool one) {
  struct doubt *doubt = &e->doubts[i];
  if (e->result->variants[i].settled || doubt->text != NULL) return;
  if (doubt->cleared != 0) variant_result_forget(&e->result->variants[i], doubt->cleared);
  *doubt = (struct doubt){.status = fault->status,
                          .killed = fault->killed,
                          .text = xstrdup(fault->text),
                          .company = company_names(e, i),
                          .providers = company_has_providers(e, i),
                          .one = one,
                          .verifications = verifications_for(fault->verifications)};
}

bool blame_did_well(const struct epoch *e, size_t index) {
  return e->doubts[index].cleared != 0 || e->waits[index] != 0;
}

/* Keeps the result that the variant had when measured alone, and drops the samples that were measured together with the
 * baseline. */
static void keep_alone_result(struct epoch *e, size_t i) {
  variant_result_drop(&e->result->variants[i], e->number);
  blame_clear(e, i);
}

/* Returns the plan index of the one variant to which BLAME_IT, SUSPECT_IT and KEEP_IT apply. If `apart` is not set but
 * the kind is EPOCH_ALONE, then the request has only one variant (epoch_begin()), whatever was running. */
static size_t blamed_variant(const struct epoch *e, const struct fault *fault) {
  if (e->apart != SIZE_MAX) return e->apart;
  return e->asked[e->kind == EPOCH_ALONE ? 0 : fault->running];
}

/* Returns true if the variant may be to blame. With one process per plugin, only variants that ran in the process that
 * had the fault may be. */
static bool may_be(const struct epoch *e, size_t i) {
  return e->provider == SIZE_MAX || e->plan_case->variants[i].plugin == e->provider;
}

static void apply_blame(struct epoch *e, const struct fault *fault, enum blame blame) {
  bool all = blame == BLAME_ALL || blame == SUSPECT_ALL;
  size_t one = all ? SIZE_MAX : blamed_variant(e, fault);
  for (size_t i = 0; i < e->result->count; i++) {
    if (all ? !may_be(e, i) : i != one) continue;
    if (blame == BLAME_ALL && blame_did_well(e, i)) blame_clear(e, i);
    if (blame == BLAME_IT || blame == BLAME_ALL) settle_planned(e, i, fault->status, fault->killed, fault->text);
    if (blame == SUSPECT_IT || blame == SUSPECT_ALL) suspect(e, i, fault, blame == SUSPECT_IT);
    if (blame == KEEP_IT) keep_alone_result(e, i);
  }
}

/* Decides on the consequence of a fault, and applies it. If no variant was running, a callback of the bench was, unless
 * the phase is PHASE_IDLE. PHASE_DEVICE does not occur here: worker/pool.c judges the requests in which a worker enters
 * it. */
static void accuse_for_fault(struct epoch *e, const struct fault *fault) {
  const bool bench = fault->running < 0 && fault->phase != PHASE_IDLE;
  const bool unsettled = fault->running >= 0 && !epoch_result(e, (uint32_t)fault->running)->settled;
  const bool hangs = e->kind == EPOCH_ALONE && bench && fault->status == ROW_TIMEOUT;
  e->hung += hangs;
  const struct facts facts = {e->kind, unsettled, e->fresh && fault->phase == PHASE_SETUP, hangs && e->hung > 1};
  e->accused = true;
  apply_blame(e, fault, judge_fault(&facts));
}

bool blame_is_suspect(const struct epoch *e, uint32_t place) {
  return e->asked[place] != e->apart && e->doubts[e->asked[place]].text != NULL;
}

void blame_hold(struct epoch *e, size_t index) {
  char text[MSG_SIZE];
  const struct doubt *doubt = &e->doubts[index];
  if (doubt->text == NULL || blame_did_well(e, index) || e->result->variants[index].settled) return;
  snprintf(text, sizeof text, COMPANY_UNKNOWN " before time was over: %s", doubt->text);
  e->result->variants[index].unfound = true;
  settle_planned(e, index, ROW_NOT_RUN, doubt->killed, text);
}

void blame_clear(struct epoch *e, size_t index) {
  char text[MSG_SIZE], often[64] = "";
  const struct doubt *doubt = &e->doubts[index];
  const bool told = doubt->text != NULL && doubt->one;
  if (told && doubt->verified < doubt->verifications)
    snprintf(often, sizeof often, " in %u of %u verifications", doubt->verified, doubt->verifications);
  else if (told && doubt->verifications > 0)
    snprintf(often, sizeof often, " in %u verification%s", doubt->verified, doubt->verified == 1 ? "" : "s");
  if (told && (doubt->verified < doubt->verifications || !doubt->providers))
    snprintf(text, sizeof text, COMPANY_UNKNOWN "%s alone (beside %.300s: %s)", often, doubt->company, doubt->text);
  else if (told)
    snprintf(text, sizeof text, COMPANY_HARMED "%.300s (in company: %s)", doubt->company, doubt->text);
  settle_planned(e, index, ROW_OK, false, told ? text : NULL);
}

/* Returns true if a variant of the case failed, not counting those that could not be measured. */
static bool any_failed(const struct epoch *e) {
  for (size_t i = 0; i < e->result->count; i++) {
    const enum row_status status = e->result->variants[i].status;
    if (row_status_failed(status) && status != ROW_NOT_RUN) return true;
  }
  return false;
}

void blame_end(struct epoch *e) {
  const bool found = any_failed(e);
  for (size_t i = 0; i < e->result->count; i++) {
    struct variant_result *v = &e->result->variants[i];
    const struct doubt *doubt = &e->doubts[i];
    if (found || doubt->text == NULL || doubt->one || v->status != ROW_OK) continue;
    phrase_add(v->message, sizeof v->message, "; ", COMPANY_UNKNOWN " (beside %.300s: %s)", doubt->company,
               doubt->text);
  }
}

/* If a callback of the bench failed, each variant of the process gets a report of it. The first report makes all of
 * them suspects together, so the others change nothing. */
void blame_for_report(struct epoch *e, const struct variant_report *report) {
  const bool bench = report->of_bench != 0;
  const struct fault fault = {.status = (enum row_status)report->status,
                              .phase = (enum phase)report->phase,
                              .running = bench ? -1 : (int)report->variant,
                              .verifications = bench ? 0 : report->verifications,
                              .text = report->message};
  accuse_for_fault(e, &fault);
}

void blame_for_death(struct epoch *e, const struct ending *ending) {
  char text[MSG_SIZE];
  struct ending told = *ending;
  if (told.variant < 0 || (uint32_t)told.variant >= e->request->variant_count) told.variant = -1;
  const struct fault fault = {.status = ending->kind == ENDING_TIMEOUT ? ROW_TIMEOUT : ROW_CRASHED,
                              .phase = ending->phase,
                              .running = told.variant,
                              .killed = ending->killed,
                              .text = text};
  for (uint32_t i = 0; i < e->request->variant_count; i++)
    /* only the text names the variant that is measured without the others, even if its baseline was running */
    if (e->asked[i] == e->apart) told.variant = (int)i;
  epoch_sentence(e, &told, text, sizeof text); /* writes the text to which fault.text points */
  accuse_for_fault(e, &fault);
}

void blame_for_failure(struct epoch *e, const struct ending *ending) {
  const struct fault fault = {.status = ROW_ERROR, .running = -1, .text = ending->err.text};
  if (!e->accused && !ending_lost_device(ending)) accuse_for_fault(e, &fault);
}

/* ---- Choosing what runs next ---- */

/* Returns true if variant `i` is still needed as a baseline: another variant has no final status yet, and its speedup
 * may divide by the times of variant `i`. */
static bool serves_others(const struct epoch *e, size_t i) {
  for (size_t j = 0; j < e->result->count; j++)
    if (j != i && !e->result->variants[j].settled && plan_serves(e->plan_case, i, j)) return true;
  return false;
}

/* Ends the waiting of each variant that did well while one of its baselines (variants that its speedup may divide by)
 * was a suspect, once none is. If a baseline is ok, the variant is measured once more, together with it. Otherwise its
 * present result becomes final. */
static void end_waiting(struct epoch *e) {
  for (size_t i = 0; i < e->result->count; i++) {
    const uint32_t since = e->waits[i];
    if (since == 0 || epoch_waits_for_suspect(e, i)) continue;
    e->waits[i] = 0;
    if (epoch_has_company(e, i))
      e->doubts[i].cleared = since;
    else
      blame_clear(e, i);
  }
}

/* Ends the measurement of suspects for lack of time. Those that did well alone keep their results, the others become
 * not_run. */
static void end_suspects(struct epoch *e) {
  for (size_t i = 0; i < e->result->count; i++) {
    if (e->doubts[i].text != NULL && blame_did_well(e, i)) blame_clear(e, i);
    blame_hold(e, i);
  }
}

/* Returns true if there is no more time to measure suspects alone. */
static bool suspects_are_late(const struct epoch *e) {
  return e->settings->suspects_until_ns != 0 && clock_now_ns() > e->settings->suspects_until_ns;
}

/* Besides what blame.h says: a variant that is or was a suspect has a `text`. `suspected`: the first of them that can
 * run, or the first that is the baseline of others (`needed`). `others`: variants that never were suspects can run. */
bool blame_choose(struct epoch *e) {
  size_t suspected = SIZE_MAX;
  bool others = false, needed = false;
  if (suspects_are_late(e)) end_suspects(e);
  end_waiting(e);
  for (size_t i = 0; i < e->result->count; i++) {
    if (e->result->variants[i].settled || e->waits[i] != 0) continue;
    if (e->doubts[i].text == NULL) others = true;
    if (e->doubts[i].text == NULL || needed) continue;
    needed = serves_others(e, i);
    if (suspected == SIZE_MAX || needed) suspected = i;
  }
  e->apart = others && !needed ? SIZE_MAX : suspected;
  return others || suspected != SIZE_MAX;
}
