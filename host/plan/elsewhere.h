/* Finds plugins that have no variant for a backend. No I/O. */
#pragma once

#include "model/model.h"

/* Appends a sentence for each such plugin: "plugin 'mine' has no part on cpu: its variants fast, slow are for cuda". */
void plan_elsewhere(const struct catalog *catalog, const char *backend, struct strings *lines);
