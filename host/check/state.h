/* The state of one check. */
#pragma once

#include "check/findings.h"
#include "check/place.h"
#include "options/options.h"
#include "plan/plan.h"
#include "worker/pool.h"

struct known {
  size_t plugin, bench; /* indices into the catalog */
};

struct check_run {
  const struct options *options;
  struct catalog catalog;
  struct findings **of; /* by index in the catalog; NULL: loaded for its contracts, not checked */
  struct place place;
  struct known *known; /* benches that need no further examination */
  size_t known_count;
  double timeout_s;
  int64_t ends_ns;
};

/* A variant at a point, or a bench alone. */
struct subject {
  const struct plan_case *p;
  size_t variant; /* index into the case's variants; SIZE_MAX: none */
  bool extra;     /* not a default case, but one of a preset */
};

bool is_known(const struct check_run *run, const struct plan_case *p);

/* Chooses the subjects to examine from a plan whose first `usual` cases are defaults: the smallest case of each
 * variant, or all cases if the user chose points. `alone`: benches without variants. Findings from `supports` are added
 * here. The caller frees the list. */
struct subject *subjects_choose(struct check_run *run, const struct plan *plan, size_t usual, const char *backend,
                                bool alone, size_t *count);

/* Writes "attention/forward/flash[b=2,...]". */
void subject_name(const struct subject *subject, char *to, size_t size);

/* Returns the findings of the variant's plugin, or of the bench's. */
struct findings *subject_findings(const struct check_run *run, const struct subject *subject);

/* Examines a subject, and its bench too unless that needs no further examination. */
void examine_subject(struct check_run *run, struct pool *pool, const struct subject *subject);
/* Records that a subject is not examined, with this reason. */
void examine_not(struct check_run *run, const struct subject *subject, const char *why);
