/* Benches with everything that implements them, owner's and guests' variants together: what the catalog offers, seen
 * from the plan. Pure. */
#ifndef PLAN_LINEUP_H
#define PLAN_LINEUP_H

#include "base/err.h"
#include "base/text.h"
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

/* All benches of the catalog; those of several builds of a plugin as the first build offers them, with all builds'
 * variants. A plugin of guests alone, of whose contracts nobody offers one, two plugins of one id without labels, and
 * two variants that would be shown alike: exit 2. */
int lineups_build(const struct catalog *catalog, const char *backend, struct lineups *lineups, struct err *err);
/* The same without the refusals and with no variant `here`: for showing what there is. */
void lineups_all(const struct catalog *catalog, struct lineups *lineups);

/* Exit 2 for the first plugin that has nothing but guests whose contracts no plugin of the catalog offers, with what
 * there is instead. `*contract` is the first of these contracts, or NULL. */
int guests_check(const struct catalog *catalog, const struct lineups *lineups, const char **contract, struct err *err);

/* Adds a line for each contract of the other plugins' guests that nobody offers: these guests are in no plan. */
void guests_left_out(const struct catalog *catalog, const struct lineups *lineups, struct strings *lines);

/* The bench that is meant by a contract, or by PLUGIN/BENCH: the very one, another version of it, or one with a near
 * name. NULL: none. */
const struct lineup *guests_nearest(const struct lineups *lineups, const char *contract);

/* "loaded: gpubench.org/matmul/gemm/1 (from matmul)": the nearest, or all where none is near. */
void guests_offered(const struct catalog *catalog, const struct lineups *lineups, const char *contract, char *to,
                    size_t size);

#endif
