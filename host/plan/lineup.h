/* Benches with everything that implements them, owner's and guests' variants together: what the catalog offers, seen
 * from the plan. Pure. */
#ifndef PLAN_LINEUP_H
#define PLAN_LINEUP_H

#include "base/err.h"
#include "model/model.h"

struct lineup_variant {
  size_t plugin, variant; /* indices into the catalog */
  char name[ID_SIZE * 2]; /* as shown: "flash", "flash@mine", "flash@new" */
  const struct variant_desc *desc;
  bool here;   /* runs on the backend of the plan */
  bool seen;   /* a selection's plugins include its provider */
  bool picked; /* --variant of one that sees it names it */
};

struct lineup {
  size_t plugin, bench; /* the bench's owner */
  const struct bench_desc *desc;
  char id[ID_SIZE * 2 + 2];        /* "attention/forward" */
  struct lineup_variant *variants; /* the owner's first */
  size_t variant_count, here_count;
};

struct lineups {
  struct lineup *items;
  size_t count;
};

void lineups_free(struct lineups *lineups);

/* The bench of this name in another build of the bench's plugin, or NULL. */
const struct bench_desc *lineup_bench_in(const struct catalog *catalog, size_t plugin, const struct lineup *lineup);

/* Exit 2 where a build whose variants are seen offers the bench with another contract or other axes. */
int lineup_check_builds(const struct catalog *catalog, const struct lineup *lineup, struct err *err);
/* Are they builds of one plugin, or the very same? */
bool lineup_same_plugin(const struct catalog *catalog, size_t a, size_t b);

#endif
