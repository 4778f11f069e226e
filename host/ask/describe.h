/* Finds out what each plugin offers (the step "describe" of a run). A separate worker loads each plugin, so that a
 * broken plugin harms no other. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "model/model.h"
#include "plugin/loader.h"

/* Finds the plugin ("FILE" or "LABEL=FILE"), has a worker describe it and appends it to the catalog, unless the catalog
 * has this file under the same label. `*index` becomes its index in the catalog. `trust`: LOADER_TYPED for a name from
 * the command line, whose file is trusted more if its path was typed.
 *
 * Returns -1 with exit code 2 if the plugin is not found or two builds of it have the same label, and with exit code 3
 * if it is refused or crashes. Returns DESCRIBE_SKIPPED for a script if there is no Python that can run it; `err` says
 * why. */
enum { DESCRIBE_SKIPPED = 1 };
int describe_plugin(struct catalog *catalog, const char *name, enum loader_trust trust, double timeout_s, size_t *index,
                    struct err *err);

/* Removes the plugin that was added last. */
void describe_drop_last(struct catalog *catalog);

/* Writes a line for each plugin that was loaded although its file's owner or permissions are unsafe, and for each that
 * has variants for a later version of the host. */
void describe_warnings(const struct catalog *catalog, FILE *out);
void catalog_free(struct catalog *catalog);

/* Make a worker's description safe to use: terminate every text; check counts, indices and names. These functions do no
 * I/O. */
int describe_check_plugin(struct plugin_desc *desc, struct err *err);
int describe_check_bench(struct bench_desc *desc, struct err *err);
int describe_check_variant(struct variant_desc *desc, const struct plugin_desc *plugin, struct err *err);
