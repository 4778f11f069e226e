/* The list command: describes plugins and devices, then prints them. */
#ifndef COMMANDS_LIST_H
#define COMMANDS_LIST_H

#include "options/options.h"

/* Returns the exit code. Plugins: those named, else all that bare names find. */
int list_command(const struct options *options, struct err *err);

#endif
