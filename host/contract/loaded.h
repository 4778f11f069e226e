/* What the commands list and new ask of plugins. */
#ifndef CONTRACT_LOADED_H
#define CONTRACT_LOADED_H

#include "contract/contract.h"
#include "options/options.h"

/* A plugin's message, on stderr. */
void loaded_log(const struct log_message *message);

/* Describes the plugins that the options name, or else all that bare names find. */
int loaded_describe(const struct options *options, struct catalog *catalog, struct err *err);

/* Is this bench called so? `whole`: by its contract or PLUGIN/BENCH, else by its plugin's name or its own. `is`: the
 * same, or a glob's match. */
bool loaded_is_named(const struct catalog *catalog, const struct lineup *lineup, const char *name, bool whole,
                     bool (*is)(const char *name, const char *text));

/* What a guest of this bench needs to know: learnt on the cpu, which every machine has, unless it is not offered there
 * or another device is asked for. */
int loaded_learn(const struct options *options, const struct catalog *catalog, const struct lineup *lineup,
                 struct contract *contract, struct err *err);

#endif
