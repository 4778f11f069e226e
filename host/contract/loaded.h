/* Describes plugins and learns contracts for the commands list and new. */
#pragma once

#include "contract/contract.h"
#include "options/options.h"

/* Prints a plugin's message on stderr. */
void loaded_log(const struct log_message *message);

/* Describes the plugins that the options name, or all that can be found by bare names. */
int loaded_describe(const struct options *options, struct catalog *catalog, struct err *err);

/* Returns true if `name` means the bench. With `whole` it must match the bench's contract or PLUGIN/BENCH; otherwise
 * the name of its plugin or its own name. `is` compares two names, for equality or as a glob. */
bool loaded_is_named(const struct catalog *catalog, const struct lineup *lineup, const char *name, bool whole,
                     bool (*is)(const char *name, const char *text));

/* Learns the contract of a bench. Its `setup` runs on the CPU, which every machine has, unless the bench is not offered
 * there or the options select another device. */
int loaded_learn(const struct options *options, const struct catalog *catalog, const struct lineup *lineup,
                 struct contract *contract, struct err *err);
