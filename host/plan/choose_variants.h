/* Which plugins serve a selection and which variants of a bench it runs. Pure. */
#ifndef PLAN_CHOOSE_VARIANTS_H
#define PLAN_CHOOSE_VARIANTS_H

#include "plan/expand.h"
#include "plan/plan.h"

/* What one selection runs of one bench. */
struct choice {
  const struct selection *selection;
  const struct lineup *lineup;
  struct plan_variant *variants; /* the caller frees them */
  size_t count;
  bool named; /* the selection names baselines, and the bench has one */
};

/* Exit 2 where the selection names a plugin that is not in the catalog. */
int choose_check_plugins(const struct catalog *catalog, const struct selection *selection, struct err *err);

/* May the selection run this bench, of whichever build? */
bool choose_owns_lineup(const struct catalog *catalog, const struct selection *selection, const struct lineup *lineup);

/* Fills the variants, and what of them is divided by, of a choice whose selection and lineup are set. */
void choose_variants(const struct catalog *catalog, const struct bench_request *request, struct choice *choice);

/* Is the bench there for guests alone, none of them among what was chosen, and the bench not asked for by name? */
bool choose_waits(const struct catalog *catalog, const struct bench_request *request, const struct choice *choice);

/* Finds each variant's twin in the first build of its plugin, where several builds are among the variants and no
 * baseline is named. */
void choose_twins(const struct catalog *catalog, struct plan_variant *variants, size_t count, bool named);

/* The index of this variant among `variants`, or SIZE_MAX. */
size_t choose_find(const struct plan_variant *variants, size_t count, const struct lineup_variant *wanted);

#endif
