/* The command new: writes the source of a new plugin, for the user to change. */
#pragma once

#include "options/options.h"

/* Runs the command and returns the exit code. Never overwrites existing files. */
int new_command(const struct options *options, struct err *err);
