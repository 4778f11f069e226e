/* `gpubench list`: what the plugins offer, as text or JSON. */
#ifndef COMMANDS_LIST_TEXT_H
#define COMMANDS_LIST_TEXT_H

#include <stdio.h>

#include "model/model.h"
#include "options/options.h"

/* Returns an exit code: EXIT_FAILED when `out` could not be written. Options that matter: json. */
int list_print(const struct options *options, const struct catalog *catalog, const struct device_facts *devices,
               size_t device_count, FILE *out);

#endif
