/* The command new: a plugin to start from. */
#ifndef COMMANDS_NEW_H
#define COMMANDS_NEW_H

#include "options/options.h"

/* Returns the exit code. Nothing that is there already is written to. */
int new_command(const struct options *options, struct err *err);

#endif
