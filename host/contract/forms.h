/* `gpubench list --contract`: prints the contract of a bench (what a new variant of it must compute) as text, as JSON,
 * as Markdown for a README, or as the source of a plugin with such a variant. */
#pragma once

#include <stdio.h>

#include "contract/contract.h"
#include "options/options.h"

/* Prints the contracts in the form that the options list.json, list.markdown and list.skeleton select. Returns an exit
 * code: EXIT_FAILED if `out` could not be written. */
int contract_print(const struct options *options, const struct catalog *catalog, const struct contract *contracts,
                   size_t count, FILE *out);
