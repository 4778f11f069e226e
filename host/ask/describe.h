/* DESCRIBE: what each plugin offers. A separate worker loads each plugin, so that a broken one harms no other. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "model/model.h"
#include "plugin/loader.h"

/* Finds the plugin ("FILE" or "LABEL=FILE"), describes it and appends it to the catalog; the same file under the same
 * label is one entry. `*index`: its place there. LOADER_TYPED is for names from the command line: it vouches for a
 * path, not for the file that a bare name finds. Exit 2: not found, or one label for two builds; exit 3: refused or
 * crashed, with a message. Returns DESCRIBE_SKIPPED for a script without a Python that can run it; `err` says why. */
enum { DESCRIBE_SKIPPED = 1 };
int describe_plugin(struct catalog *catalog, const char *name, enum loader_trust trust, double timeout_s, size_t *index,
                    struct err *err);

/* Removes the plugin that was added last. */
void describe_drop_last(struct catalog *catalog);

/* Writes one line for each plugin that was loaded in spite of its owner or mode, and for each with variants that need a
 * later host. */
void describe_warnings(const struct catalog *catalog, FILE *out);
void catalog_free(struct catalog *catalog);

/* Make a worker's description safe to use: terminate every text, check counts, indices and names. Pure. */
int describe_check_plugin(struct plugin_desc *desc, struct err *err);
int describe_check_bench(struct bench_desc *desc, struct err *err);
int describe_check_variant(struct variant_desc *desc, const struct plugin_desc *plugin, struct err *err);
