/* `gpubench list --contract`: prints contracts as text, JSON, Markdown for a README, or as a guest to start from. */
#pragma once

#include <stdio.h>

#include "contract/contract.h"
#include "options/options.h"

/* Returns an exit code: EXIT_FAILED if `out` could not be written. Uses the options list.json, list.markdown and
 * list.skeleton. */
int contract_print(const struct options *options, const struct catalog *catalog, const struct contract *contracts,
                   size_t count, FILE *out);
