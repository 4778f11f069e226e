/* `gpubench check`: lets a worker process examine whether variants and benches keep the rules of the ABI. Trusts
 * nothing that the worker sends, because it runs the plugins' code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/request.h"
#include "base/memory.h"
#include "check/state.h"
#include "options/device_list.h"
#include "plan/expand.h"

void subject_name(const struct subject *subject, char *to, size_t size) {
  const char *axes = strchr(subject->p->key, '[');
  const bool one = subject->variant != SIZE_MAX;
  snprintf(to, size, "%s%s%s%s", subject->p->id, one ? "/" : "", one ? subject->p->variants[subject->variant].name : "",
           text_or_empty(axes));
}

struct findings *subject_findings(const struct check_run *run, const struct subject *subject) {
  const size_t plugin =
      subject->variant == SIZE_MAX ? subject->p->plugin : subject->p->variants[subject->variant].plugin;
  return run->of[plugin];
}

static bool is_same_variant(const struct plan_variant *a, const struct plan_variant *b) {
  return a->plugin == b->plugin && a->variant == b->variant;
}

static bool cases_are_chosen(const struct options *o) {
  return o->cli.axes.count + o->cli.cases.count + o->cli.presets.count > 0;
}

static bool subject_runs(const struct subject *subject) {
  return subject->p->variants[subject->variant].status == ROW_NOT_RUN;
}

/* ---- Findings that follow from `supports` ---- */

/* Returns true if the subject's variant is a guest. `*minor`: the minor that it was written for. */
static bool is_guest(const struct check_run *run, const struct subject *subject, uint32_t *minor) {
  const struct plan_variant *v = &subject->p->variants[subject->variant];
  const struct variant_desc *desc = &run->catalog.plugins[v->plugin].variants[v->variant];
  *minor = desc->contract_minor;
  return desc->bench < 0;
}

/* Adds findings about the minors of the contract to the plugin that defines the bench, and to that of a guest. */
static void tell_minors(const struct check_run *run, const struct subject *subject) {
  const struct plan_variant *v = &subject->p->variants[subject->variant];
  const struct bench_desc *bench = &run->catalog.plugins[subject->p->plugin].benches[subject->p->bench];
  struct findings *owners = run->of[subject->p->plugin], *f = subject_findings(run, subject);
  char name[KEY_SIZE + ID_SIZE], text[TEXT_SIZE + 128];
  uint32_t minor;
  const bool guest = is_guest(run, subject, &minor), wrong = v->rule == RULE_MINORS;
  subject_name(&(struct subject){.p = subject->p, .variant = SIZE_MAX}, name, sizeof name);
  if (wrong && owners != NULL) findings_add(owners, RULE_MINORS, FINDING_FAILED, name, v->reason);
  if (wrong && owners == NULL) findings_add(f, RULE_SUPPORTS, FINDING_NOT_CHECKED, name, v->reason);
  if (v->rule != RULE_NONE || (v->status != ROW_NOT_RUN && v->status != ROW_SKIPPED)) return;
  if (owners != NULL)
    findings_add(owners, RULE_MINORS, bench->contract_minor > 0 ? FINDING_PASSED : FINDING_NOT_APPLICABLE, NULL,
                 bench->contract_minor > 0 ? "" : "its contract has no minors");
  if (!guest || minor == 0) return;
  snprintf(text, sizeof text, "written for minor %u of %s; the bench that is loaded has minor %u", minor,
           bench->contract, bench->contract_minor);
  const bool newer = minor > bench->contract_minor;
  findings_add(f, RULE_MINORS, newer ? FINDING_NOT_CHECKED : FINDING_PASSED, NULL, newer ? text : "");
}

static void tell_support(const struct check_run *run, const struct subject *subject) {
  const struct plan_variant *v = &subject->p->variants[subject->variant];
  struct findings *f = subject_findings(run, subject);
  char name[KEY_SIZE + ID_SIZE];
  subject_name(subject, name, sizeof name);
  tell_minors(run, subject);
  if (v->rule == RULE_MINORS) return;
  if (v->rule != RULE_NONE)
    findings_add(f, v->rule, FINDING_FAILED, name, v->reason);
  else if (v->status == ROW_NOT_RUN || v->status == ROW_SKIPPED)
    findings_add(f, RULE_SUPPORTS, FINDING_PASSED, NULL, "");
}

/* Reports a variant that supports none of its cases: the rules about it cannot be checked. That is a failure only if no
 * variant of the bench supports a case on a CPU (`nobody`). Otherwise this machine may lack something that the variant
 * needs, such as a library. */
static void tell_untaken(const struct check_run *run, const struct subject *subject, bool nobody) {
  const struct plan_variant *v = &subject->p->variants[subject->variant];
  const bool fault = nobody && v->status == ROW_SKIPPED && !cases_are_chosen(run->options);
  char name[KEY_SIZE + ID_SIZE], text[MSG_SIZE];
  if (v->rule != RULE_NONE) return;
  subject_name(subject, name, sizeof name);
  snprintf(text, sizeof text, "it takes no default case and no preset, this one not since %.700s",
           text_or_empty(v->reason));
  findings_add(subject_findings(run, subject), RULE_CASES, fault ? FINDING_FAILED : FINDING_NOT_CHECKED, name, text);
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    if (rule_table[rule].scope == SCOPE_VARIANT)
      findings_add(subject_findings(run, subject), rule, FINDING_NOT_CHECKED, name, text_or_empty(v->reason));
}

/* ---- Choosing what to examine ---- */

static int by_size(const void *a, const void *b) {
  const struct subject *x = a, *y = b;
  if (x->extra != y->extra) return x->extra ? 1 : -1;
  const double sizes[] = {example_size(&x->p->point), example_size(&y->p->point)};
  if (sizes[0] != sizes[1]) return sizes[0] < sizes[1] ? -1 : 1;
  return x->p != y->p ? (x->p < y->p ? -1 : 1) : x->variant < y->variant ? -1 : x->variant > y->variant;
}

static struct subject *list_subjects(const struct check_run *run, const struct plan *plan, size_t usual,
                                     size_t *count) {
  struct subject *all = NULL;
  *count = 0;
  for (size_t i = 0; i < plan->count; i++)
    for (size_t v = 0; v < plan->cases[i].variant_count; v++) {
      if (run->of[plan->cases[i].variants[v].plugin] == NULL) continue;
      all = xgrow(all, *count, sizeof *all);
      all[(*count)++] = (struct subject){&plan->cases[i], v, i >= usual, false};
    }
  if (all != NULL) qsort(all, *count, sizeof *all, by_size);
  return all;
}

/* Returns true if the list has an entry for the variant of `wanted` with a case that this variant supports. */
static bool lists_supported(const struct subject *list, size_t count, const struct subject *wanted) {
  for (size_t i = 0; i < count; i++)
    if (subject_runs(&list[i]) &&
        is_same_variant(&list[i].p->variants[list[i].variant], &wanted->p->variants[wanted->variant]))
      return true;
  return false;
}

static bool is_first_of_variant(const struct subject *list, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (is_same_variant(&list[i].p->variants[list[i].variant], &list[at].p->variants[list[at].variant])) return false;
  return true;
}

/* Returns true if the bench of `subject` must be added to the list `kept`, to be examined without a variant: its plugin
 * is checked, the bench has not been examined, and it is not in the list yet. One case of a bench is enough, unless the
 * user chose the cases (`every`): then each case of the bench is added once. */
static bool is_new_bench(const struct check_run *run, const struct subject *kept, size_t count, bool every,
                         const struct subject *subject) {
  const struct plan_case *p = subject->p;
  if (run->of[p->plugin] == NULL || is_known(run, p)) return false;
  for (size_t i = 0; i < count; i++)
    if (every ? kept[i].p == p : kept[i].p->plugin == p->plugin && kept[i].p->bench == p->bench) return false;
  return true;
}

static bool is_taken_by_some(const struct subject *list, size_t count, const struct plan_case *p) {
  for (size_t i = 0; i < count; i++)
    if (list[i].p->plugin == p->plugin && list[i].p->bench == p->bench && subject_runs(&list[i])) return true;
  return false;
}

struct subject *subjects_choose(struct check_run *run, const struct plan *plan, size_t usual, const char *backend,
                                bool alone, size_t *count) {
  const bool every = cases_are_chosen(run->options);
  size_t all_count, kept = 0;
  struct subject *all = list_subjects(run, plan, usual, &all_count), *chosen = xcalloc(all_count + 1, sizeof *chosen);
  for (size_t i = 0; i < all_count; i++) {
    tell_support(run, &all[i]);
    const bool first = !lists_supported(all, i, &all[i]);
    if (!subject_runs(&all[i])) {
      if (is_first_of_variant(all, i) && !lists_supported(all, all_count, &all[i]))
        tell_untaken(run, &all[i], !devices_are(backend, DEVICE_QUEUES) && !is_taken_by_some(all, all_count, all[i].p));
      continue;
    }
    if (first) findings_add(subject_findings(run, &all[i]), RULE_CASES, FINDING_PASSED, NULL, "");
    if (alone ? !is_new_bench(run, chosen, kept, every, &all[i]) : !first && !every) continue;
    chosen[kept] = all[i];
    if (alone) chosen[kept].variant = SIZE_MAX;
    kept++;
  }
  free(all);
  *count = kept;
  return chosen;
}

/* What a worker process has reported about one subject (a variant with one case, or a bench alone). */
struct hearing {
  bool heard[RULE_COUNT];
  struct finding worst[RULE_COUNT]; /* by rule: the worst finding */
  /* the rule that is broken if the worker crashes or hangs now; RULE_NONE: no rule other than the general ones against
   * crashes and hangs */
  enum rule tries;
  /* how: what the worker is trying at present, such as "beside a second case"; why: the reason to give for each rule
   * that the examination did not get to */
  char how[TEXT_SIZE], why[MSG_SIZE];
};

static void take_finding(void *user, const struct message *message) {
  struct hearing *h = user;
  struct finding finding;
  if (!findings_hear(message, &finding)) return;
  if (finding.outcome == FINDING_TRIES) {
    h->tries = (enum rule)finding.rule;
    text_copy(h->how, sizeof h->how, finding.text);
  } else if (finding.rule == RULE_NONE) {
    text_copy(h->why, sizeof h->why, finding.text);
  } else if (!h->heard[finding.rule] || h->worst[finding.rule].outcome < finding.outcome) {
    h->heard[finding.rule] = true;
    h->worst[finding.rule] = finding;
  }
}

static void note_outcome(struct hearing *h, enum rule rule, enum finding_outcome outcome, const char *text) {
  h->heard[rule] = true;
  h->worst[rule] = (struct finding){.rule = (uint32_t)rule, .outcome = (uint32_t)outcome};
  text_copy(h->worst[rule].text, sizeof h->worst[rule].text, text);
}

/* Adds a failure if the examination did not end normally. */
static void take_ending(struct hearing *h, const struct ending *ending) {
  char how[2 * TEXT_SIZE + 64], text[MSG_SIZE];
  const bool died = ending->kind == ENDING_DIED, hung = ending->kind == ENDING_TIMEOUT;
  if (ending->kind == ENDING_DONE) return;
  if (ending->kind == ENDING_FAILED && h->why[0] == '\0') text_copy(h->why, sizeof h->why, ending->err.text);
  if (ending->kind == ENDING_INTERRUPTED || ending->killed) text_copy(h->why, sizeof h->why, ending->how);
  if ((!died && !hung) || ending->killed) return;
  ending_text(ending, how, sizeof how);
  snprintf(text, sizeof text, "%s%s%s", how, h->how[0] != '\0' ? ", " : "", h->how);
  const enum rule rule = h->tries != RULE_NONE ? h->tries : died ? RULE_CRASH : RULE_HANG;
  note_outcome(h, rule, FINDING_FAILED, text);
  snprintf(h->why, sizeof h->why, "after %s has failed", rule_table[rule].id);
}

static bool is_expected(enum rule rule, bool variant, bool whole) {
  if (rule == RULE_SUPPORTS || rule == RULE_CASES || rule == RULE_MINORS || rule_table[rule].scope == SCOPE_PLUGIN)
    return false;
  if (rule_table[rule].scope == SCOPE_BENCH) return whole;
  return variant;
}

/* Returns why there is no finding about a rule. `variant`: the rule concerns variants, not benches. */
static const char *why_not(const struct hearing *h, bool variant) {
  if (h->why[0] != '\0') return h->why;
  return variant ? "its examination ended before it" : "it takes a variant's outputs, and no variant of it runs here";
}

/* Adds each finding to a plugin: a finding about a bench to the plugin that defines the bench, and a finding about a
 * variant to the plugin that the variant comes from. */
static void file_findings(struct check_run *run, const struct subject *subject, const struct hearing *h, bool whole) {
  const bool variant = subject->variant != SIZE_MAX;
  struct findings *benchs = run->of[subject->p->plugin];
  struct findings *its = variant ? run->of[subject->p->variants[subject->variant].plugin] : benchs;
  char name[KEY_SIZE + ID_SIZE];
  subject_name(subject, name, sizeof name);
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++) {
    const bool bench = rule_table[rule].scope == SCOPE_BENCH;
    struct findings *f = bench ? benchs : its;
    const struct finding *worst = &h->worst[rule];
    if (f == NULL) continue;
    if (h->heard[rule])
      findings_add(f, rule, (enum finding_outcome)worst->outcome, name, worst->text);
    else if (!subject->brief && is_expected(rule, variant, whole))
      findings_add(f, rule, FINDING_NOT_CHECKED, name, why_not(h, variant));
  }
}

static bool is_any_broken(const struct hearing *h) {
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    if (h->heard[rule] && h->worst[rule].outcome == FINDING_FAILED) return true;
  return false;
}

static bool bench_is_known(const struct hearing *h) {
  for (enum rule rule = RULE_NONE + 1; rule < RULE_COUNT; rule++)
    if (is_expected(rule, false, true) && !h->heard[rule]) return false;
  return true;
}

bool is_known(const struct check_run *run, const struct plan_case *p) {
  for (size_t i = 0; i < run->known_count; i++)
    if (run->known[i].plugin == p->plugin && run->known[i].bench == p->bench) return true;
  return false;
}

static void note_known(struct check_run *run, const struct plan_case *p) {
  run->known = xgrow(run->known, run->known_count, sizeof *run->known);
  run->known[run->known_count++] = (struct known){p->plugin, p->bench};
}

static void look_around(const struct check_run *run, struct hearing *h) {
  char what[TEXT_SIZE], text[MSG_SIZE];
  if (!place_left(&run->place, what, sizeof what)) {
    if (!h->heard[RULE_FILES] && (!h->heard[RULE_CRASH] || h->worst[RULE_CRASH].outcome != FINDING_FAILED))
      note_outcome(h, RULE_FILES, FINDING_PASSED, "");
    return;
  }
  snprintf(text, sizeof text, "left %s", what);
  note_outcome(h, RULE_FILES, FINDING_FAILED, text);
}

void examine_not(struct check_run *run, const struct subject *subject, const char *why) {
  char name[KEY_SIZE + ID_SIZE];
  if (subject->brief) {
    subject_name(subject, name, sizeof name);
    findings_add(subject_findings(run, subject), RULE_VALUES, FINDING_NOT_CHECKED, name, why);
    return;
  }
  SCOPED struct hearing *h = xcalloc(1, sizeof *h);
  text_copy(h->why, sizeof h->why, why);
  file_findings(run, subject, h, !is_known(run, subject->p));
}

bool examine_subject(struct check_run *run, struct pool *pool, const struct subject *subject) {
  const bool whole = !subject->brief && !is_known(run, subject->p);
  struct pool_worker *member;
  struct ending ending = {.kind = ENDING_FAILED};
  SCOPED struct hearing *h = xcalloc(1, sizeof *h);
  const struct listener listener = {.user = h, .message = take_finding};
  struct err err = {0};
  if (pool_worker_for(pool, subject->p, &member, &err) != 0) {
    text_copy(h->why, sizeof h->why, err.text);
  } else {
    struct case_request *request = request_new(member, subject->p);
    if (subject->variant != SIZE_MAX) request_add(request, member, &subject->p->variants[subject->variant]);
    request->mode = subject->p->mode;
    request->seed = run->options->common.seed;
    request->quick = !whole;
    request->verify_only = subject->brief;
    pool_ask(pool, member, MSG_EXAMINE, request, case_request_size(request), &listener, &ending);
    free(request);
    if (ending.kind == ENDING_FAILED) pool_dismiss(member);
    take_ending(h, &ending);
    look_around(run, h);
    findings_add_case(subject_findings(run, subject), subject->p->key);
  }
  file_findings(run, subject, h, whole);
  if (whole && bench_is_known(h)) note_known(run, subject->p);
  return !is_any_broken(h);
}
