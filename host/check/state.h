/* One check under way. */
#ifndef CHECK_STATE_H
#define CHECK_STATE_H

#include "check/findings.h"
#include "check/place.h"
#include "options/options.h"
#include "plan/plan.h"
#include "worker/pool.h"

struct known {
  size_t plugin, bench; /* as in the catalog */
};

struct check_run {
  const struct options *options;
  struct catalog catalog;
  struct findings **of; /* by place in the catalog; NULL: it is there for its contracts, and not checked */
  struct place place;
  struct known *known; /* benches of which all is known */
  size_t known_count;
  double timeout_s;
  int64_t ends_ns;
};

/* A variant at a point, or a bench alone. */
struct subject {
  const struct plan_case *p;
  size_t variant; /* index into the case's; SIZE_MAX: none */
  bool extra;     /* no default case, but one of a preset */
};

bool is_known(const struct check_run *run, const struct plan_case *p);

/* Of all cases that a plan has, the first `usual` of which are defaults, those that are looked at: each variant's
 * smallest, or all where points were chosen by hand; `alone`: of benches, without variants. What `supports` said is
 * among the findings already. The caller frees the list. */
struct subject *subjects_choose(struct check_run *run, const struct plan *plan, size_t usual, const char *backend,
                                bool alone, size_t *count);

/* "attention/forward/flash[b=2,...]". */
void subject_name(const struct subject *subject, char *to, size_t size);

/* Those of the variant's plugin, or of the bench's. */
struct findings *subject_findings(const struct check_run *run, const struct subject *subject);

/* Has one examined, and its bench with it unless all is known of that. */
void examine_subject(struct check_run *run, struct pool *pool, const struct subject *subject);
/* Nobody looks at it, for this reason. */
void examine_not(struct check_run *run, const struct subject *subject, const char *why);

#endif
