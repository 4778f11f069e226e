/* Checks a single plugin: its file, what it registers, and how it opens and closes. */
#pragma once

#include "ask/describe.h"
#include "check/findings.h"
#include "check/place.h"

/* Checks the file, describes the plugin and adds it to the catalog. Returns -1 with exit code 2 if there is no such
 * file. `*usable` becomes false if the plugin is refused, which is a finding. */
int check_file(const char *name, enum loader_trust trust, double timeout_s, struct catalog *catalog, size_t *index,
               bool *usable, struct findings *f, struct err *err);

/* Opens a plugin, which has been described before, a second time and closes it, and adds findings about that. */
void check_life(const struct catalog_plugin *plugin, double timeout_s, const struct place *place, struct findings *f);
