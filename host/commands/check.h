/* The check command: plugins held against the rules of the ABI. */
#ifndef COMMANDS_CHECK_H
#define COMMANDS_CHECK_H

#include "options/options.h"

/* Returns the exit code: 3 where a rule failed, or was not checked and --require-all is given. */
int check_command(const struct options *options, struct err *err);

#endif
