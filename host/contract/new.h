/* The command new: writes a plugin to start from. */
#ifndef CONTRACT_NEW_H
#define CONTRACT_NEW_H

#include "options/options.h"

/* Returns the exit code. Existing files are never overwritten. */
int new_command(const struct options *options, struct err *err);

#endif
