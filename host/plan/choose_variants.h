/* Finds the plugins that a selection (what a command line or a section of a suite asks to run) uses, and the variants
 * of a bench that it runs. No I/O. */
#pragma once

#include "plan/expand.h"
#include "plan/plan.h"

/* The variants of one bench that one selection runs. */
struct choice {
  const struct selection *selection;
  const struct lineup *lineup;
  struct plan_variant *variants; /* the variants that the selection runs; the caller frees them */
  size_t count;
  bool named; /* true if the selection names baselines, and the bench has one of them */
};

/* Fails with exit 2 if the selection names a plugin that is not in the catalog. */
int choose_check_plugins(const struct catalog *catalog, const struct selection *selection, struct err *err);

/* Returns true if the selection may run this bench, in any build of its plugin. */
bool choose_owns_lineup(const struct catalog *catalog, const struct selection *selection, const struct lineup *lineup);

/* Fills in the variants of a choice whose selection and line-up are set, and for each of them which variants may be its
 * baseline. */
void choose_variants(const struct catalog *catalog, const struct bench_request *request, struct choice *choice);

/* Some benches run only if the selection names them, or if a guest (a variant from another plugin) is chosen for them:
 * those that exist only for guests, and those that must be asked for by name. Returns true if the bench is one of these
 * and must be left out, because the selection does not name it and no guest was chosen. */
bool choose_waits(const struct catalog *catalog, const struct bench_request *request, const struct choice *choice);

/* Finds for each variant its twin: the same variant in the first build of its plugin. Does so only if the variants come
 * from several builds and no baseline is named. */
void choose_twins(const struct catalog *catalog, struct plan_variant *variants, size_t count, bool named);

/* Returns the index of this variant among `variants`, or SIZE_MAX. */
size_t choose_find(const struct plan_variant *variants, size_t count, const struct lineup_variant *wanted);
