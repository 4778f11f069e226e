/* Chooses further cases for variants that kept the rules in one case: their kernels may be wrong where extents are odd,
 * or with another data type. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/supports.h"
#include "base/memory.h"
#include "check/state.h"
#include "plan/build.h"
#include "plan/expand.h"

/* Integer values below this are left as they are: they are often numbers of things, such as heads, and not extents. */
enum { EXTENT_LEAST = 9 };

/* Alternatives: cases that differ from the first case of a variant, in groups. The cases of a group differ in which of
 * their extents are odd. Of each group, the first case that the variant supports is chosen. */
struct alternatives {
  struct plan *plan;
  uint32_t *groups; /* for each case of the plan, the number of its group */
  uint32_t group;
  const struct subject *subject; /* the variant with its first case */
};

static void add_alternative(struct alternatives *alternatives, const struct point *point) {
  const struct subject *subject = alternatives->subject;
  struct plan *plan = alternatives->plan;
  struct plan_case made = *subject->p;
  made.point = *point;
  if (!case_key(made.id, point, made.key, sizeof made.key)) return;
  made.variants = xcalloc(1, sizeof *made.variants);
  made.variants[0] = subject->p->variants[subject->variant];
  made.variants[0].reason = NULL;
  made.variant_count = 1;
  alternatives->groups = xgrow(alternatives->groups, plan->count, sizeof *alternatives->groups);
  alternatives->groups[plan->count] = alternatives->group;
  plan->cases = xgrow(plan->cases, plan->count, sizeof *plan->cases);
  plan->cases[plan->count++] = made;
}

/* ---- Odd extents ---- */

static bool may_be_odd(const struct bench_desc *bench, const struct point *point, uint32_t axis) {
  const struct axis_value *value = &point->values[axis];
  return value->type == AXIS_I64 && value->i64 >= EXTENT_LEAST && bench->devices_axis != axis + 1;
}

/* Makes a value odd, and smaller, so that the case takes less time than the first one. */
static void make_odd(struct axis_value *value) {
  value->i64 = value->i64 / (value->i64 < 64 ? 2 : 4) | 1;
  snprintf(value->str, sizeof value->str, "%" PRId64, value->i64);
}

enum oddness { ODD_ALL, ODD_ALL_BUT, ODD_ONLY };

/* Adds an alternative in which all extents are odd, or all but that of `axis`, or only that one. */
static void add_odd(struct alternatives *alternatives, const struct bench_desc *bench, const struct point *from,
                    enum oddness oddness, uint32_t axis) {
  struct point point = *from;
  bool any = false;
  for (uint32_t i = 0; i < point.count; i++) {
    if (!may_be_odd(bench, &point, i)) continue;
    if ((oddness == ODD_ALL_BUT && i == axis) || (oddness == ODD_ONLY && i != axis)) continue;
    make_odd(&point.values[i]);
    any = true;
  }
  if (any) add_alternative(alternatives, &point);
}

/* Adds a group of alternatives for a point, those with the most odd extents first. */
static void add_group(struct alternatives *alternatives, const struct bench_desc *bench, const struct point *point) {
  alternatives->group++;
  add_odd(alternatives, bench, point, ODD_ALL, 0);
  for (enum oddness oddness = ODD_ALL_BUT; oddness <= ODD_ONLY; oddness++)
    for (uint32_t i = 0; i < point->count; i++)
      if (may_be_odd(bench, point, i)) add_odd(alternatives, bench, point, oddness, i);
}

/* ---- Choices ---- */

static void add_choices(struct alternatives *alternatives, const struct bench_desc *bench, uint32_t axis) {
  struct point point = alternatives->subject->p->point;
  const char *first = alternatives->subject->p->point.values[axis].str;
  char choices[EXPR_SIZE], *rest = NULL;
  text_copy(choices, sizeof choices, bench->axes[axis].choices);
  for (char *choice = strtok_r(choices, ",", &rest); choice != NULL; choice = strtok_r(NULL, ",", &rest)) {
    if (strcmp(choice, first) == 0) continue;
    text_copy(point.values[axis].str, sizeof point.values[axis].str, choice);
    add_group(alternatives, bench, &point);
    add_alternative(alternatives, &point);
  }
}

/* ---- Choosing among them ---- */

/* Reports variants and benches that broke a rule when they were asked about a further case. */
static void tell_broken(const struct check_run *run, const struct plan *plan) {
  char name[KEY_SIZE + ID_SIZE];
  for (size_t i = 0; i < plan->count; i++) {
    const struct subject subject = {&plan->cases[i], 0, true, true};
    const struct plan_variant *v = &plan->cases[i].variants[0];
    if (v->rule == RULE_NONE) continue;
    /* `minor_of` is the bench's, whichever variant it was asked for */
    struct findings *f = v->rule == RULE_MINORS ? run->of[plan->cases[i].plugin] : subject_findings(run, &subject);
    subject_name(&subject, name, sizeof name);
    if (f != NULL) findings_add(f, v->rule, FINDING_FAILED, name, v->reason);
  }
}

/* Chooses the first supported alternative of each group. */
static struct subject *choose_supported(const struct alternatives *alternatives, size_t *count) {
  const struct plan *plan = alternatives->plan;
  struct subject *list = xcalloc(plan->count + 1, sizeof *list);
  uint32_t last = 0;
  *count = 0;
  for (size_t i = 0; i < plan->count; i++) {
    if (plan->cases[i].variants[0].status != ROW_NOT_RUN || alternatives->groups[i] == last) continue;
    last = alternatives->groups[i];
    list[(*count)++] = (struct subject){&plan->cases[i], 0, true, true};
  }
  return list;
}

struct subject *further_cases(const struct check_run *run, struct pool *pool, const struct subject *subjects,
                              size_t subject_count, struct plan *plan, size_t *count) {
  struct alternatives alternatives = {.plan = plan};
  struct err none = {0};
  for (size_t s = 0; s < subject_count; s++) {
    const struct plan_case *p = subjects[s].p;
    if (subjects[s].variant == SIZE_MAX) continue;
    const struct bench_desc *bench = &run->catalog.plugins[p->plugin].benches[p->bench];
    alternatives.subject = &subjects[s];
    add_group(&alternatives, bench, &p->point);
    for (uint32_t i = 0; i < p->point.count; i++)
      if (p->point.values[i].type == AXIS_STR) add_choices(&alternatives, bench, i);
  }
  *count = 0;
  struct subject *list = NULL;
  if (alternatives.groups != NULL && ask_supports(pool, plan->cases, plan->count, &none) == 0) {
    tell_broken(run, plan);
    list = choose_supported(&alternatives, count);
  }
  free(alternatives.groups);
  return list;
}
