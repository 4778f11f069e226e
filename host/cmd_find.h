/* Stored runs by what people call them. */
#ifndef CMD_FIND_H
#define CMD_FIND_H

#include "err.h"

/* The path of a run: a file or directory that is there; else, in $GPUBENCH_OUT or gpubench-out, a run directory of this
 * name, the newest run for `last` and `latest`, or the newest that was given this --name. NULL with an error of exit
 * code 2. The caller frees it. */
char *cmd_find_run(const char *what, struct err *err);

#endif
