/* The command new: a plugin to start from. */
#ifndef CONTRACT_NEW_H
#define CONTRACT_NEW_H

#include "options/options.h"

/* Returns the exit code. Nothing that is there already is written to. */
int new_command(const struct options *options, struct err *err);

#endif
