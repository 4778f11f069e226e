/* Line-ups: each bench with all variants that implement it, both those of its owner (the plugin that has the bench) and
 * those of other plugins (guests). This is the catalog as the plan sees it. No I/O. */
#pragma once

#include "base/err.h"
#include "base/text.h"
#include "model/model.h"

struct lineup_variant {
  size_t plugin, variant; /* index of the plugin in the catalog, and of the variant in the plugin */
  /* name by which the variant is shown: "flash", or "flash@mine" or "flash@new" if several variants have that name */
  char name[ID_SIZE * 2];
  const struct variant_desc *desc;
  bool here;   /* true if the variant runs on the plan's backend */
  bool seen;   /* true if the plugin that brings the variant is among the plugins of a selection */
  bool picked; /* true if a --variant that applies to the bench names the variant */
};

struct lineup {
  size_t plugin, bench; /* indices of the bench and its owner in the catalog */
  const struct bench_desc *desc;
  char id[ID_SIZE * 2 + 2];        /* name of the bench with that of its plugin: "attention/forward" */
  struct lineup_variant *variants; /* the variants of the bench, those of its owner first */
  size_t variant_count, here_count;
};

struct lineups {
  struct lineup *items;
  size_t count;
};

void lineups_free(struct lineups *lineups);

/* Returns the bench of the same name in another build of its owner, or NULL. */
const struct bench_desc *lineup_bench_in(const struct catalog *catalog, size_t plugin, const struct lineup *lineup);

/* Fails with exit code 2 if a build whose variants are selected has the bench with another contract (name of the
 * bench's interface) or other axes. */
int lineup_check_builds(const struct catalog *catalog, const struct lineup *lineup, struct err *err);
/* Returns true if plugins `a` and `b` are builds of one plugin, or the same build. */
bool lineup_same_plugin(const struct catalog *catalog, size_t a, size_t b);

/* Builds the line-ups of all benches in the catalog. All builds of a plugin share one line-up: the first build
 * describes the bench, and the variants of all builds are in it. Fails with exit code 2 in three cases: a plugin has
 * only variants for benches that no plugin has; two plugins without labels have the same id; or two variants would be
 * shown by the same name. */
int lineups_build(const struct catalog *catalog, const char *backend, struct lineups *lineups, struct err *err);
/* Builds line-ups for listings, without the checks of lineups_build(). Their variants all have `here` false. */
void lineups_all(const struct catalog *catalog, struct lineups *lineups);

/* Looks for a plugin whose variants are all guests (variants for benches of other plugins), while none of these benches
 * is in the catalog. For the first such plugin, fails with exit code 2 and a message about the benches that are there;
 * `*contract` becomes the contract (name of the bench's interface) of its first variant. If there is no such plugin,
 * `*contract` becomes NULL. */
int guests_check(const struct catalog *catalog, const struct lineups *lineups, const char **contract, struct err *err);

/* Adds lines about variants that are in no plan, because no plugin has the bench that they are for. There is one line
 * for each plugin and each contract (name of that bench's interface). */
void guests_left_out(const struct catalog *catalog, const struct lineups *lineups, struct strings *lines);

/* Returns the bench that `contract` means, a contract (name of a bench's interface) or PLUGIN/BENCH. Looks first for
 * the same contract, then for another version of it, then for the most similar name. NULL: nothing is similar. */
const struct lineup *guests_nearest(const struct lineups *lineups, const char *contract);

/* Writes which contracts (names of benches' interfaces) are offered: "loaded: gpubench.org/matmul/gemm/1 (from
 * matmul)". That is the contract with the most similar name, or all contracts if none is similar. */
void guests_offered(const struct catalog *catalog, const struct lineups *lineups, const char *contract, char *to,
                    size_t size);

/* Appends a sentence for each plugin that has no variant for this backend: "plugin 'mine' has no part on cpu: its
 * variants fast, slow are for cuda". */
void plan_unsupported(const struct catalog *catalog, const char *backend, struct strings *lines);
