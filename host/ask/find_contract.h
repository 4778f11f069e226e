/* Contracts that no loaded plugin offers: reports them, with the plugin that would offer them. Plugins that are not
 * loaded are described in workers, as always. */
#pragma once

#include <stdio.h>

#include "base/err.h"
#include "model/model.h"

/* Exit 2 if a plugin has only guests of contracts that no plugin of the catalog offers. Otherwise warns of each such
 * contract. */
int find_contract_check_guests(const struct catalog *catalog, double timeout_s, FILE *warnings, struct err *err);

/* Adds to the catalog the plugins, among those that bare names find, that offer the contracts of its guests. */
void find_contract_load(struct catalog *catalog, double timeout_s);

/* Sets the error (exit 2) that no contract has this name or matches it. Always returns -1. */
int find_contract_unknown(const struct catalog *catalog, const char *contract, double timeout_s, struct err *err);
