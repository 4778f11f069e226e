/* Checks verdicts by measuring the two variants of each verdict again, each in a process without other providers
 * (plugins). Pairs of such measurements are repeated until the verdict is confirmed or contradicted, or the check is
 * given up. */
#include "run/alone.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/speedup.h"
#include "analyse/untimed.h"
#include "ask/alone.h"
#include "base/clock.h"
#include "base/memory.h"
#include "budget/hangs.h"
#include "budget/reckon.h"
#include "model/device_trait.h"
#include "run/claims.h"
#include "worker/process.h"
#include "worker/signals.h"

/* Limits for the start of a worker that measures variants alone. The check is given up if the start takes more than
 * `start_most_s` and also more than the share `start_share` of the time of the present case and of all later cases that
 * need such a worker. If the start takes more than that share of the time of the present case, one worker measures all
 * pairs of the case; otherwise each pair gets a new worker. */
static const double start_most_s = 1, start_share = 0.1;
/* DISTURBED_MOST: how many pairs of measurements are made again because other processes disturbed them. If the row
 * itself was measured on a busy machine, disturbed pairs are used as they are. FAILURES_MOST: how often in a row a
 * variant must fail before the failure counts. */
enum { DISTURBED_MOST = 3, FAILURES_MOST = 2 };

/* ---- Choosing the verdicts to check ---- */

static bool is_word(const struct record *r) {
  const enum verdict word = stats_verdict_parse(text_or_empty(r->verdict));
  return word == VERDICT_FASTER || word == VERDICT_SLOWER || word == VERDICT_SAME;
}

static size_t variant_named(const struct plan_case *p, const char *name) {
  for (size_t i = 0; i < p->variant_count; i++)
    if (strcmp(p->variants[i].name, text_or_empty(name)) == 0) return i;
  return SIZE_MAX;
}

/* Returns the standard error of ln(speedup), from the row's interval. */
static double standard_error(const struct record *r) {
  return log(r->speedup_hi / r->speedup_lo) / 2 / 1.959964;
}

/* Returns the standard deviation of ln(ratio) between processes that measure the same two variants. It combines two
 * parts. One is the same for all kernels. The other comes from launching kernels, so it grows with the share of the
 * launch overhead in the shorter of the two times. */
static double process_sd(const struct record *a, const struct record *b) {
  const double ns = fmin(a->median_raw_ns, b->median_raw_ns);
  const double launches = a->launch_overhead_ns > 0 ? fmin(1, a->launch_overhead_ns / ns) : 0;
  return sqrt(2) * hypot(STATS_RESTART_SD, STATS_RESTART_LAUNCH_SD * launches);
}

static void add_claim(struct looks *l, size_t i, size_t denominator) {
  const struct record *r = &l->check->records[i];
  l->claimed[i] = true;
  l->claims[i] = (struct claim){.variant = i,
                                .denominator = denominator,
                                .company = {.theta = log(r->speedup),
                                            .error = standard_error(r),
                                            .processes = r->restarts > 0 ? (size_t)r->restarts : 1,
                                            .sd = process_sd(r, &l->check->records[denominator])}};
}

static size_t denominator_of_word(const struct alone_check *c, size_t i) {
  return is_word(&c->records[i]) ? variant_named(c->p, c->records[i].baseline) : SIZE_MAX;
}

/* A check may show that a denominator (the variant that a ratio divides by) is faster or slower with other providers in
 * its process than alone. Then all ratios that divide by it are wrong by as much. This adds verdicts to the check that
 * were not checked before, because their variant and the denominator are from the same provider. Returns true if any
 * was added. */
static bool claim_more(struct looks *l) {
  bool any = false;
  for (size_t i = 0; i < l->check->p->variant_count; i++) {
    const size_t at = denominator_of_word(l->check, i);
    for (size_t j = 0; j < l->check->p->variant_count && at != SIZE_MAX && at != i && !l->claimed[i]; j++) {
      const struct claim *of = &l->claims[j];
      if (!l->claimed[j] || of->denominator != at || of->word != COMPANY_BREAKS) continue;
      if (fabs(claim_shift(l, of, true)) <= of->said.bound) continue;
      add_claim(l, i, at);
      any = true;
    }
  }
  return any;
}

static bool is_open(const struct looks *l, size_t i) {
  return l->claimed[i] && l->claims[i].word == COMPANY_MORE && l->claims[i].why[0] == '\0';
}

static bool any_open(const struct looks *l) {
  for (size_t i = 0; i < l->check->p->variant_count; i++)
    if (is_open(l, i)) return true;
  return false;
}

/* Returns true if the time of this variant is needed for a verdict that is neither confirmed nor contradicted yet. */
static bool claim_needs(const struct looks *l, size_t variant) {
  for (size_t i = 0; i < l->check->p->variant_count; i++)
    if (is_open(l, i) && (i == variant || l->claims[i].denominator == variant)) return true;
  return false;
}

static void give_up_claims(struct looks *l, size_t variant, const char *why) {
  for (size_t i = 0; i < l->check->p->variant_count; i++)
    if (is_open(l, i) && (variant == SIZE_MAX || i == variant || l->claims[i].denominator == variant))
      text_copy(l->claims[i].why, sizeof l->claims[i].why, why);
}

/* ---- Which workers may be started ---- */

/* Returns how many seconds the later cases are expected to take for which the same worker could be used: their bench is
 * defined by the same plugin, and `provider` has variants of it. */
static double later_s(const struct alone_check *c, size_t provider) {
  const struct plan *plan = c->budget->plan;
  double seconds = 0;
  for (const struct plan_case *p = c->p + 1; p < plan->cases + plan->count; p++) {
    bool has = false;
    for (size_t i = 0; i < p->variant_count; i++)
      has = has || p->variants[i].plugin == provider;
    if (has && p->plugin == c->p->plugin && !p->yardstick && !p->gone) seconds += reckon_idle_s(c->budget, p);
  }
  return seconds;
}

static void give_up_slow_starts(struct looks *l) {
  const struct alone_check *c = l->check;
  for (size_t i = 0; i < c->p->variant_count; i++) {
    const size_t provider = c->p->variants[i].plugin;
    char why[TEXT_SIZE];
    if (!claim_needs(l, i) || pool_has_alone(c->budget->pool, c->p->plugin, provider)) continue;
    const double seconds = pool_alone_start_s(c->budget->pool, c->p->plugin, provider);
    if (seconds <= fmax(start_most_s, start_share * (c->taken_s + later_s(c, provider)))) continue;
    snprintf(why, sizeof why, "starting %s takes %.2g s", c->budget->catalog->plugins[provider].desc.id, seconds);
    give_up_claims(l, i, why);
  }
}

/* Returns true if each pair of measurements may get new processes, because starting them costs little compared with the
 * case. New processes are better: a process makes a kernel a little faster or slower for as long as the process
 * lives. */
static bool may_be_fresh(const struct looks *l) {
  const struct alone_check *c = l->check;
  double seconds = 0;
  for (size_t i = 0; i < c->p->variant_count; i++)
    if (claim_needs(l, i))
      seconds = fmax(seconds, pool_alone_start_s(c->budget->pool, c->p->plugin, c->p->variants[i].plugin));
  return seconds <= start_share * c->taken_s;
}

/* ---- Measurements alone ---- */

static struct run_case_settings settings_of(const struct looks *l, size_t variants) {
  struct run_case_settings s = *l->check->settings;
  s.case_time_s = fmin(s.case_time_s, (double)variants * alone_look_s(s.quick));
  s.until_ns = l->until_ns;
  s.epochs_used = l->epoch;
  s.energy_s = 0;
  s.restarts = 1;
  return s;
}

static bool is_contended(const struct looks *l, const struct case_result *result, size_t i) {
  const struct slot_series series = {result->variants[i].slots, result->variants[i].slot_count};
  const bool on_gpu = (l->check->budget->pool->facts.traits & DEVICE_HOST_PROCESSORS) == 0;
  struct case_conditions conditions;
  conditions_of_case(&series, 1, &result->report.conditions, &result->report.host, on_gpu, &conditions);
  return conditions.contended != 0;
}

static void keep_seen(struct looks *l, const struct case_result *result, size_t i) {
  const struct variant_result *v = &result->variants[i];
  const uint32_t replicas = result->report.replicas > 1 ? result->report.replicas : 1;
  struct seen *seen = &l->seen[i];
  *seen = (struct seen){.failed = v->status != ROW_OK && v->status != ROW_SKIPPED};
  if (v->status != ROW_OK)
    snprintf(seen->why, sizeof seen->why, "%s is %s alone%s%.700s", l->check->p->variants[i].name,
             row_status_words(v->status), v->message[0] != '\0' ? ": " : "", v->message);
  else
    seen->timed = stats_side(v->slots, v->slot_count, l->check->budget->pool->facts.tick_ns / replicas,
                             l->check->settings->seed, &seen->side) == 0;
  seen->contended = seen->timed && is_contended(l, result, i);
  untimed_join(&l->ahead[i], &v->untimed[UNTIMED_AHEAD]);
}

/* Measures those variants of a provider (plugin) whose times are needed, in a worker process that has loaded only the
 * provider and the plugin that defines the bench. */
static void measure_provider(struct looks *l, size_t provider) {
  const struct alone_check *c = l->check;
  SCOPED bool *wanted = xcalloc(c->p->variant_count, sizeof *wanted);
  size_t count = 0;
  struct case_result result;
  struct err err = {0};
  for (size_t i = 0; i < c->p->variant_count; i++)
    count += wanted[i] = c->p->variants[i].plugin == provider && claim_needs(l, i);
  const struct run_case_settings settings = settings_of(l, count);
  const double cooldown = c->result->report.cooldown;
  const int rc =
      count == 0 ? -1 : ask_alone(c->budget->pool, c->p, provider, wanted, &settings, cooldown, &result, &err);
  l->epoch++;
  for (size_t i = 0; i < c->p->variant_count && count > 0; i++) {
    if (wanted[i] && rc == 0) keep_seen(l, &result, i);
    if (wanted[i] && rc != 0) text_copy(l->seen[i].why, sizeof l->seen[i].why, err.text);
  }
  if (count > 0) case_result_free(&result);
}

/* Measures all variants whose times are needed for verdicts that are neither confirmed nor contradicted yet, one
 * provider after the other. The order of the providers is reversed in every second pair of measurements. */
static void measure_providers(struct looks *l) {
  const struct plan_case *p = l->check->p;
  const size_t count = l->check->budget->catalog->count;
  SCOPED bool *done = xcalloc(count, sizeof *done);
  for (size_t i = 0; i < p->variant_count; i++)
    l->seen[i] = (struct seen){.timed = false};
  for (size_t at = 0; at < p->variant_count && !signals_asked_to_finish(); at++) {
    const size_t i = l->pairs % 2 == 0 ? at : p->variant_count - 1 - at, provider = p->variants[i].plugin;
    if (done[provider] || !claim_needs(l, i)) continue;
    measure_provider(l, provider);
    done[provider] = true;
    if (l->fresh) pool_dismiss_alone(l->check->budget->pool, p->plugin, provider);
  }
}

/* ---- Judging pairs of measurements ---- */

/* Notes whether the variant failed. A failure that is seen only once may be chance, so it counts only after
 * FAILURES_MOST consecutive ones. */
static void note_failure(struct claim *claim, const struct seen *seen) {
  claim->broken = seen->failed && ++claim->failures == FAILURES_MOST;
  if (claim->broken || !seen->failed) text_copy(claim->why, sizeof claim->why, seen->why);
}

static void take_pair(const struct looks *l, struct claim *claim) {
  const struct seen *base = &l->seen[claim->denominator], *own = &l->seen[claim->variant];
  struct company company = claim->company;
  if (base->why[0] != '\0' || own->why[0] != '\0') {
    note_failure(claim, base->why[0] != '\0' ? base : own);
    return;
  }
  const bool contended = base->contended || own->contended;
  if (!base->timed || !own->timed || (contended && l->check->records[claim->variant].contended != 1)) return;
  claim->failures = 0;
  claim->base_log += base->side.log_ns;
  claim->own_log += own->side.log_ns;
  claim->pairs[claim->count++] = base->side.log_ns - own->side.log_ns;
  company.sd = hypot(company.sd, hypot(base->side.within, own->side.within));
  company.contended = l->check->records[claim->variant].contended == 1;
  claim->word = company_judge(&company, claim->pairs, claim->count, l->fresh ? claim->count : 1, &claim->said);
}

static void take_pairs(struct looks *l) {
  double pair_s = 0;
  bool late = false;
  for (size_t pairs = 0; any_open(l) && pairs < COMPANY_PAIRS_MOST + DISTURBED_MOST; pairs++, l->pairs++) {
    const int64_t began_ns = clock_now_ns();
    late = l->until_ns != 0 && clock_now_ns() + (int64_t)(pair_s * 1e9) > l->until_ns;
    if (late || signals_asked_to_finish()) break;
    measure_providers(l);
    if (signals_asked_to_finish()) break;
    for (size_t i = 0; i < l->check->p->variant_count; i++)
      if (is_open(l, i)) take_pair(l, &l->claims[i]);
    pair_s = clock_seconds_since(began_ns);
  }
  l->interrupted = l->interrupted || (signals_last() != 0 && any_open(l));
  give_up_claims(l, SIZE_MAX,
                 signals_asked_to_finish() ? signals_why()
                 : late                    ? "no time was left"
                                           : "others were at work on the machine");
}

static void set_rows(const struct looks *l) {
  const struct alone_check *c = l->check;
  for (size_t i = 0; i < c->p->variant_count; i++)
    untimed_add_ahead(&c->records[i], &l->ahead[i]);
  speedup_judge_again(c->p, c->records);
  for (size_t i = 0; i < c->p->variant_count; i++)
    if (l->claimed[i]) claim_set_row(l, &l->claims[i]);
}

bool alone_check(const struct alone_check *c) {
  struct looks l = {.check = c,
                    .claims = xcalloc(c->p->variant_count, sizeof *l.claims),
                    .claimed = xcalloc(c->p->variant_count, sizeof *l.claimed),
                    .seen = xcalloc(c->p->variant_count, sizeof *l.seen),
                    .ahead = xcalloc(c->p->variant_count, sizeof *l.ahead),
                    .until_ns = time_budget_alone_until(c->budget, c->p),
                    .epoch = c->epoch};
  hangs_limit_calls(c->budget, c->p);
  for (size_t i = 0; i < l.check->p->variant_count; i++) {
    const size_t at = denominator_of_word(l.check, i);
    if (at != SIZE_MAX && alone_is_between(l.check->p, i, at)) add_claim(&l, i, at);
  }
  if (process_are_none()) give_up_claims(&l, SIZE_MAX, "--in-process has no other process");
  give_up_slow_starts(&l);
  l.fresh = may_be_fresh(&l);
  take_pairs(&l);
  if (claim_more(&l)) take_pairs(&l);
  for (size_t i = 0; i < c->p->variant_count; i++)
    if (later_s(c, c->p->variants[i].plugin) <= 0)
      pool_dismiss_alone(c->budget->pool, c->p->plugin, c->p->variants[i].plugin);
  set_rows(&l);
  speedup_check_star(c->p, c->records);
  free(l.claims);
  free(l.claimed);
  free(l.seen);
  free(l.ahead);
  return !l.interrupted;
}
