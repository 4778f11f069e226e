/* Contracts that nobody here offers: the sentence that says so, with the plugin that would. Plugins that are not loaded
 * are asked in workers, as for every description. */
#ifndef ASK_FIND_CONTRACT_H
#define ASK_FIND_CONTRACT_H

#include <stdio.h>

#include "base/err.h"
#include "model/model.h"

/* Exit 2 for the first plugin that has nothing but guests of contracts that no plugin of the catalog offers; a line for
 * each such contract of the others. */
int find_contract_check_guests(const struct catalog *catalog, double timeout_s, FILE *warnings, struct err *err);

/* Adds to the catalog what offers the contracts of its guests, of the plugins that bare names find. */
void find_contract_load(struct catalog *catalog, double timeout_s);

/* Exit 2: no contract is called so, and none matches. Always -1. */
int find_contract_unknown(const struct catalog *catalog, const char *contract, double timeout_s, struct err *err);

#endif
