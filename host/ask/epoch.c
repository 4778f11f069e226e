/* Builds the requests by which workers measure a case. A request belongs to an epoch, in which one worker process (with
 * --isolate, one per plugin) measures some or all variants of the case. */
#include "ask/epoch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rng.h"
#include "plan/build.h"

void epoch_init(struct epoch *e, const struct plan_case *p, const struct run_case_settings *settings,
                struct case_result *result) {
  *e = (struct epoch){.plan_case = p,
                      .settings = settings,
                      .result = result,
                      .asked = xcalloc(p->variant_count, sizeof *e->asked),
                      .number = settings->epochs_used + 1,
                      .processes = settings->restarts,
                      .until_ns = settings->until_ns,
                      .open = SIZE_MAX,
                      .doubts = xcalloc(p->variant_count, sizeof *e->doubts),
                      .waits = xcalloc(p->variant_count, sizeof *e->waits),
                      .apart = SIZE_MAX,
                      .provider = SIZE_MAX};
}

void epoch_free(struct epoch *e) {
  for (size_t i = 0; i < e->result->count; i++) {
    free(e->doubts[i].text);
    free(e->doubts[i].company);
  }
  free(e->doubts);
  free(e->waits);
  free(e->asked);
}

struct variant_result *epoch_result(const struct epoch *e, uint32_t place) {
  return place < e->request->variant_count ? &e->result->variants[e->asked[place]] : NULL;
}

static bool epoch_wants(const struct epoch *e, size_t i) {
  const bool open = !e->result->variants[i].settled && e->doubts[i].text == NULL && e->waits[i] == 0;
  return e->apart == SIZE_MAX ? open : i == e->apart;
}

/* Returns true if variant `i` is ok and the speedup of `other` may divide by its times. */
static bool accompanies(const struct epoch *e, size_t i, size_t other) {
  const struct variant_result *v = &e->result->variants[i];
  return i != other && v->settled && v->status == ROW_OK && plan_serves(e->plan_case, i, other);
}

bool epoch_has_company(const struct epoch *e, size_t index) {
  for (size_t i = 0; i < e->result->count; i++)
    if (accompanies(e, i, index)) return true;
  return false;
}

bool epoch_waits_for_suspect(const struct epoch *e, size_t index) {
  for (size_t i = 0; i < e->result->count; i++)
    if (i != index && !e->result->variants[i].settled && e->doubts[i].text != NULL && e->doubts[i].cleared == 0 &&
        e->waits[i] == 0 && plan_serves(e->plan_case, i, index))
      return true;
  return false;
}

bool epoch_has(const struct epoch *e, size_t i) {
  bool needed = false;
  if (e->provider != SIZE_MAX && e->plan_case->variants[i].plugin != e->provider) return false;
  for (size_t j = 0; j < e->result->count && e->kind != EPOCH_ALONE; j++)
    needed = needed || (epoch_wants(e, j) && accompanies(e, i, j));
  return needed || epoch_wants(e, i);
}

enum epoch_kind epoch_kind_of(const struct epoch *e) {
  if (e->apart == SIZE_MAX) return EPOCH_TOGETHER;
  return e->doubts[e->apart].cleared > 0 ? EPOCH_BESIDE : EPOCH_ALONE;
}

bool epoch_is_of_one_provider(const struct epoch *e) {
  for (size_t i = 0; i < e->result->count; i++) {
    const size_t plugin = e->plan_case->variants[i].plugin;
    if (epoch_has(e, i) && plugin != e->plan_case->plugin && plugin != e->plan_case->variants[e->apart].plugin)
      return false;
  }
  return true;
}

static void request_variant(struct epoch *e, const struct pool_worker *member, size_t index) {
  uint32_t place = e->request->variant_count;
  if (request_add(e->request, member, &e->plan_case->variants[index])) e->asked[place] = index;
}

/* Converts twins (the same variant in another build) from plan indices to indices in the request. */
static void set_twins(struct epoch *e) {
  for (uint32_t i = 0; i < e->request->variant_count; i++) {
    uint32_t *twin = &e->request->variants[i].against.twin, wanted = *twin;
    if (wanted == 0) continue;
    /* This index belongs to no variant of the request. It stays if the request lacks the twin, so that no other variant
     * is taken for the twin. */
    *twin = e->request->variant_count + 1;
    for (uint32_t j = 0; j < e->request->variant_count; j++)
      if (e->asked[j] + 1 == wanted) *twin = j + 1;
  }
}

static int64_t later_ns(int64_t a, int64_t b) {
  return a > b ? a : b;
}

static bool any_doubt(const struct epoch *e) {
  for (size_t i = 0; i < e->result->count; i++)
    if (!e->result->variants[i].settled && e->doubts[i].text != NULL) return true;
  return false;
}

/* A process that measures a suspect may take this many times the time of a case (until_ns()). It needs more time than
 * others, because it verifies the suspect more often (VERIFICATION_TIMES in model/enough.h) and must set up the case
 * first. */
enum { SUSPECT_TIMES = 5 };

/* Returns when the next process should end; 0: no limit. Usually it gets an equal part of the case's remaining time.
 * `part`, half of the time that is left for suspects, matters if there are suspects (see blame.h):
 * (1) A process that measures a suspect gets its equal part or `part`, whichever is longer.
 * (2) Another process gets the shorter of the two, but at least a quarter of `part`. */
static int64_t until_ns(const struct epoch *e) {
  const int64_t now = clock_now_ns(), left = e->until_ns - now;
  const uint32_t processes = e->processes > e->restart ? e->processes - e->restart : 1;
  if (e->until_ns == 0) return 0;
  const bool waits = any_doubt(e);
  if ((e->kind == EPOCH_TOGETHER && !waits) || e->settings->suspects_until_ns == 0) return now + left / processes;
  const int64_t half = (e->settings->suspects_until_ns - now) / 2,
                most = (int64_t)(SUSPECT_TIMES * e->settings->case_time_s * 1e9);
  const int64_t part = half < most ? half : most;
  if (e->kind != EPOCH_TOGETHER) return now + later_ns(left / processes, part);
  const int64_t own = left / processes < part ? left / processes : part;
  return now + later_ns(own, part / 4);
}

/* Returns when the case must end; 0: no limit. If there are suspects, one of them may have hung and used time of the
 * other variants; then the case may go on until the time that is meant for suspects is over. */
static int64_t last_ns(const struct epoch *e) {
  const int64_t last = e->settings->last_ns;
  const bool hung = e->kind != EPOCH_TOGETHER || any_doubt(e);
  return last != 0 && hung ? later_ns(last, e->settings->suspects_until_ns) : last;
}

void epoch_begin(struct epoch *e, const struct pool_worker *member) {
  e->request = request_new(member, e->plan_case);
  request_set(e->request, e->settings);
  e->kind = epoch_kind_of(e);
  e->request->until_ns = until_ns(e);
  e->request->last_ns = last_ns(e);
  e->request->others_wait = e->settings->others_wait;
  e->request->cooldown = e->result->report.cooldown;
  if (e->kind == EPOCH_ALONE) e->request->verifications = e->doubts[e->apart].verifications;
  e->accused = e->cut_short = e->whole = false;
  e->fresh = !member->used;
  for (size_t i = 0; i < e->result->count; i++)
    if (epoch_has(e, i)) request_variant(e, member, i);
  set_twins(e);
  if (e->kind == EPOCH_TOGETHER && e->fresh && e->request->variant_count == 1) e->kind = EPOCH_ALONE;
  e->request->order_seed = rng_key(rng_key(e->settings->seed, rng_text(e->plan_case->key)), e->number);
  e->request->mode = e->plan_case->mode;
  if (e->restart > 0) e->request->energy_s = 0; /* only the first process measures energy */
}

void epoch_sentence(const struct epoch *e, const struct ending *ending, char *to, size_t size) {
  const char *axes = strchr(e->plan_case->key, '[');
  bool one = ending->variant >= 0 && (uint32_t)ending->variant < e->request->variant_count;
  snprintf(to, size, "%s in %s of %s%s%s%s%s%s", ending->how, phase_name(ending->phase), e->plan_case->id,
           one ? "/" : "", one ? e->request->variants[ending->variant].name : "", axes ? axes : "",
           ending->tail[0] ? ": " : "", ending->tail);
}
