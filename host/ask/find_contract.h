/* Reports contracts (versioned names of what a bench asks of its variants) that no loaded plugin offers, with the
 * plugin that would offer them. Plugins that are not loaded are described in workers, like all others. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "model/model.h"

/* Fails with exit code 2 if a plugin has only guests (variants of other plugins' benches), and no plugin of the catalog
 * offers the contracts that they name. For any other contract that no plugin offers, only writes a warning. */
int find_contract_check_guests(const struct catalog *catalog, double timeout_s, FILE *warnings, struct err *err);

/* Adds plugins to the catalog that offer the contracts which guests (variants of other plugins' benches) in the catalog
 * name. Searches the plugins that can be given by name alone, without a path. */
void find_contract_load(struct catalog *catalog, double timeout_s);

/* Sets the error (exit code 2) that no contract has the name `contract` or, if that is a pattern, matches it. Always
 * returns -1. */
int find_contract_unknown(const struct catalog *catalog, const char *contract, double timeout_s, struct err *err);
