/* Asks `supports` twice about the same cases, the second time in the reverse order: the answer may depend on the case
 * alone. */
#include <stdio.h>
#include <stdlib.h>

#include "ask/supports.h"
#include "base/memory.h"
#include "check/state.h"
#include "plan/build.h"

enum { AGAIN_MOST = 200 }; /* cases that are asked about again */

/* Copies at most AGAIN_MOST cases, spread over the plan, in reverse order. `from` receives the index of each. */
static void copy_reversed(const struct plan *plan, struct plan *copy, size_t *from) {
  const size_t step = (plan->count + AGAIN_MOST - 1) / AGAIN_MOST;
  for (size_t i = plan->count; i-- > 0;) {
    if (i % step != 0) continue;
    struct plan_case made = plan->cases[i];
    made.variants = xcalloc(made.variant_count + 1, sizeof *made.variants);
    for (size_t v = 0; v < made.variant_count; v++) {
      made.variants[v] = plan->cases[i].variants[v];
      if (made.variants[v].reason != NULL) made.variants[v].reason = xstrdup(made.variants[v].reason);
    }
    from[copy->count] = i;
    copy->cases[copy->count++] = made;
  }
}

static bool is_any_rule_broken(const struct plan *plan) {
  for (size_t i = 0; i < plan->count; i++)
    for (size_t v = 0; v < plan->cases[i].variant_count; v++)
      if (plan->cases[i].variants[v].rule != RULE_NONE) return true;
  return false;
}

static bool is_answer(const struct plan_variant *v) {
  return v->rule == RULE_NONE && (v->status == ROW_NOT_RUN || v->status == ROW_SKIPPED);
}

static void compare_answers(const struct check_run *run, const struct plan_case *first, const struct plan_case *again) {
  char name[KEY_SIZE + ID_SIZE], text[MSG_SIZE];
  for (size_t v = 0; v < first->variant_count; v++) {
    const struct plan_variant *x = &first->variants[v], *y = &again->variants[v];
    const struct subject subject = {first, v, false, false};
    struct findings *f = subject_findings(run, &subject);
    if (f == NULL || !is_answer(x) || !is_answer(y) || x->status == y->status) continue;
    const bool taken = x->status == ROW_NOT_RUN;
    subject_name(&subject, name, sizeof name);
    snprintf(text, sizeof text,
             "supports %s this case at first and %s it when it was asked again, in another order: %.700s",
             taken ? "took" : "refused", taken ? "refused" : "took", text_or_empty(taken ? y->reason : x->reason));
    findings_add(f, RULE_SUPPORTS, FINDING_FAILED, name, text);
  }
}

int ask_twice(const struct check_run *run, struct pool *pool, struct plan *plan, struct err *err) {
  struct plan copy = {.cases = xcalloc(plan->count + 1, sizeof *copy.cases)};
  SCOPED size_t *from = xcalloc(plan->count + 1, sizeof *from);
  struct err none = {0};
  copy_reversed(plan, &copy, from);
  const int rc = ask_supports(pool, plan->cases, plan->count, err);
  if (rc == 0 && !is_any_rule_broken(plan) && ask_supports(pool, copy.cases, copy.count, &none) == 0)
    for (size_t i = 0; i < copy.count; i++)
      compare_answers(run, &plan->cases[from[i]], &copy.cases[i]);
  plan_free(&copy);
  return rc;
}
