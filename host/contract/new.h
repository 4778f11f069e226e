/* The command new: writes a plugin to start from. */
#pragma once

#include "options/options.h"

/* Returns the exit code. Existing files are never overwritten. */
int new_command(const struct options *options, struct err *err);
