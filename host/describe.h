/* DESCRIBE: what each plugin offers, learnt in a worker of its own, so that a broken one harms nobody. */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include "err.h"
#include "model.h"

/* Finds the plugin, describes it, appends it to the catalog; the same file twice is one entry. Exit 2: not found; 3:
 * refused or crashed, with the sentence. `*index`: its place. */
int describe_plugin(struct catalog *catalog, const char *name, double timeout_s, size_t *index, struct err *err);
void catalog_free(struct catalog *catalog);

/* Makes a description from a worker safe to use: ends every text, checks counts, indices and names. Pure. */
int describe_check_plugin(struct plugin_desc *desc, struct err *err);
int describe_check_bench(struct bench_desc *desc, struct err *err);
int describe_check_variant(struct variant_desc *desc, const struct plugin_desc *plugin, struct err *err);

/* "SIGSEGV in run" and what it printed last. */
struct ending;
void describe_ending(const struct ending *ending, char *to, size_t size);

#endif
