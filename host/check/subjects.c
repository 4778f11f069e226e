#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool is_same(const struct plan_variant *a, const struct plan_variant *b) {
  return a->plugin == b->plugin && a->variant == b->variant;
}

static bool chosen_by_hand(const struct options *o) {
  return o->cli.axes.count + o->cli.cases.count + o->cli.presets.count > 0;
}

static bool runs(const struct subject *subject) {
  return subject->p->variants[subject->variant].fate == ROW_NOT_RUN;
}

/* ---- What supports said ---- */

static void tell_support(const struct check_run *run, const struct subject *subject) {
  const struct plan_variant *v = &subject->p->variants[subject->variant];
  struct findings *f = subject_findings(run, subject);
  char name[KEY_SIZE + ID_SIZE];
  subject_name(subject, name, sizeof name);
  if (v->rule != RULE_NONE)
    findings_add(f, v->rule, FINDING_FAILED, name, v->reason);
  else if (v->fate == ROW_NOT_RUN || v->fate == ROW_SKIPPED)
    findings_add(f, RULE_SUPPORTS, FINDING_PASSED, NULL, "");
}

/* A variant that takes none of its cases: it may lack something here. That all of a bench do so on a CPU, which every
 * machine has, is a fault. */
static void tell_untaken(const struct check_run *run, const struct subject *subject, bool nobody) {
  const struct plan_variant *v = &subject->p->variants[subject->variant];
  const bool fault = nobody && v->fate == ROW_SKIPPED && !chosen_by_hand(run->options);
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

/* ---- The choice ---- */

static int by_size(const void *a, const void *b) {
  const struct subject *x = a, *y = b;
  if (x->extra != y->extra) return x->extra ? 1 : -1;
  const double sizes[] = {example_size(&x->p->point), example_size(&y->p->point)};
  if (sizes[0] != sizes[1]) return sizes[0] < sizes[1] ? -1 : 1;
  return x->p != y->p ? (x->p < y->p ? -1 : 1) : x->variant < y->variant ? -1 : x->variant > y->variant;
}

static struct subject *list_all(const struct check_run *run, const struct plan *plan, size_t usual, size_t *count) {
  struct subject *all = NULL;
  *count = 0;
  for (size_t i = 0; i < plan->count; i++)
    for (size_t v = 0; v < plan->cases[i].variant_count; v++) {
      if (run->of[plan->cases[i].variants[v].plugin] == NULL) continue;
      all = xgrow(all, *count, sizeof *all);
      all[(*count)++] = (struct subject){&plan->cases[i], v, i >= usual};
    }
  if (all != NULL) qsort(all, *count, sizeof *all, by_size);
  return all;
}

/* Is one of those before it the same variant, in a case that it takes? */
static bool is_there(const struct subject *list, size_t count, const struct subject *wanted) {
  for (size_t i = 0; i < count; i++)
    if (runs(&list[i]) && is_same(&list[i].p->variants[list[i].variant], &wanted->p->variants[wanted->variant]))
      return true;
  return false;
}

static bool is_first(const struct subject *list, size_t at) {
  for (size_t i = 0; i < at; i++)
    if (is_same(&list[i].p->variants[list[i].variant], &list[at].p->variants[list[at].variant])) return false;
  return true;
}

/* Benches alone, of those that are checked themselves: once each, or each case that was chosen by hand. */
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
    if (list[i].p->plugin == p->plugin && list[i].p->bench == p->bench && runs(&list[i])) return true;
  return false;
}

struct subject *subjects_choose(struct check_run *run, const struct plan *plan, size_t usual, const char *backend,
                                bool alone, size_t *count) {
  const bool every = chosen_by_hand(run->options);
  size_t all_count, kept = 0;
  struct subject *all = list_all(run, plan, usual, &all_count), *chosen = xcalloc(all_count + 1, sizeof *chosen);
  for (size_t i = 0; i < all_count; i++) {
    tell_support(run, &all[i]);
    const bool first = !is_there(all, i, &all[i]);
    if (!runs(&all[i])) {
      if (is_first(all, i) && !is_there(all, all_count, &all[i]))
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
