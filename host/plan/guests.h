/* Guests and the contracts they attach to: which is whose, and what to say of one that nobody here offers. Pure. */
#ifndef PLAN_GUESTS_H
#define PLAN_GUESTS_H

#include "base/text.h"
#include "plan/lineup.h"

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
