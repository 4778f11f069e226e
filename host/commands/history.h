/* `gpubench history`: nights into a folder, out of it, and what is there. `gpubench trend`: how times went over them.
 */
#ifndef COMMANDS_HISTORY_H
#define COMMANDS_HISTORY_H

#include "options/options.h"

/* Return the exit code. */
int history_command(const struct options *options, struct err *err);
int trend_command(const struct options *options, struct err *err);

#endif
