/* DESCRIBE: what each plugin offers, learnt in a worker of its own, so that a broken one harms nobody. */
#ifndef ASK_DESCRIBE_H
#define ASK_DESCRIBE_H

#include <stdio.h>

#include "base/err.h"
#include "model/model.h"
#include "plugin/loader.h"

/* Finds the plugin ("FILE" or "LABEL=FILE"), describes it, appends it to the catalog; the same file under the same
 * label is one entry. Exit 2: not found, or a label given to two builds; 3: refused or crashed, with the sentence.
 * LOADER_TYPED is for names from the command line; it vouches for a path only, not for what a bare name finds.
 * `*index`: its place. DESCRIBE_SKIPPED: a script, and no Python is here that could run it; the error says why. */
enum { DESCRIBE_SKIPPED = 1 };
int describe_plugin(struct catalog *catalog, const char *name, enum loader_trust trust, double timeout_s, size_t *index,
                    struct err *err);

/* The plugin that was added last is none of it. */
void describe_drop_last(struct catalog *catalog);

/* One line for each plugin that was loaded in spite of its owner or mode, and for each that has variants which need a
 * later host. */
void describe_warnings(const struct catalog *catalog, FILE *out);
void catalog_free(struct catalog *catalog);

/* Makes a description from a worker safe to use: ends every text, checks counts, indices and names. Pure. */
int describe_check_plugin(struct plugin_desc *desc, struct err *err);
int describe_check_bench(struct bench_desc *desc, struct err *err);
int describe_check_variant(struct variant_desc *desc, const struct plugin_desc *plugin, struct err *err);

#endif
