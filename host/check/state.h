/* The state of one run of `gpubench check`. */
#pragma once

#include "check/findings.h"
#include "check/place.h"
#include "options/options.h"
#include "plan/plan.h"
#include "worker/pool.h"

struct known {
  size_t plugin, bench; /* indices of a bench and its plugin in the catalog */
};

struct check_run {
  const struct options *options;
  struct catalog catalog;
  /* for each plugin of the catalog, the findings about it; NULL: the plugin is not checked, and was loaded only because
   * it defines a bench for which a checked plugin has variants */
  struct findings **of;
  struct place place;
  struct strings left; /* files that plugins leave behind when they are opened; removed at the end */
  struct known *known; /* benches that have been examined */
  size_t known_count;
  double timeout_s;
  int64_t ends_ns;
};

/* What is examined in one go: a variant with one case (a bench at one point of its axes), or a bench alone. */
struct subject {
  const struct plan_case *p;
  size_t variant; /* index of the variant in the case; SIZE_MAX: the bench alone */
  bool extra;     /* true if the case is not a default case, but one of a preset */
  bool brief;     /* true if the variant is only run and verified, because it was examined with another case */
};

bool is_known(const struct check_run *run, const struct plan_case *p);

/* Chooses from a plan what to examine: the smallest supported case of each variant, or all supported cases if the user
 * chose cases. The first `usual` cases of the plan are default cases, which are preferred. With `alone`, chooses
 * benches to be examined without a variant. Also adds findings about the answers that `supports` has given. The caller
 * frees the list. */
struct subject *subjects_choose(struct check_run *run, const struct plan *plan, size_t usual, const char *backend,
                                bool alone, size_t *count);

/* Writes the name of a subject: "attention/forward/flash[b=2,...]". */
void subject_name(const struct subject *subject, char *to, size_t size);

/* Returns the findings about the plugin of the subject's variant or, without a variant, of its bench. */
struct findings *subject_findings(const struct check_run *run, const struct subject *subject);

/* Examines a subject, and its bench as well unless that has been examined. Returns true if no rule was broken. */
bool examine_subject(struct check_run *run, struct pool *pool, const struct subject *subject);
/* Records that a subject is not examined, with the reason `why`. */
void examine_not(struct check_run *run, const struct subject *subject, const char *why);

/* Asks `supports` of all variants about all cases of the plan, and again about some of them, in another order. Reports
 * variants whose answers differ. */
int ask_twice(const struct check_run *run, struct pool *pool, struct plan *plan, struct err *err);

/* Chooses further cases for the variants of `subjects`, in which they are examined briefly: one with odd extents, and
 * one for each other value of a parameter (axis) of type text, as far as the variants support these cases. The cases
 * are added to `plan`, which is empty; the caller frees it and the list. */
struct subject *further_cases(const struct check_run *run, struct pool *pool, const struct subject *subjects,
                              size_t subject_count, struct plan *plan, size_t *count);
