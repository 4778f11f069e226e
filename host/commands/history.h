/* `gpubench history`: nights into a folder, out of it, and what is there. `gpubench trend`: how times went over them.
 */
#ifndef COMMANDS_HISTORY_H
#define COMMANDS_HISTORY_H

#include "history/store.h"
#include "options/options.h"

/* Return the exit code. */
int history_command(const struct options *options, struct err *err);
int trend_command(const struct options *options, struct err *err);

/* Brings the index up to date and names on stderr what could not be indexed. */
int history_update(const struct history *history, struct err *err);

/* commands/decide.c; returns the exit code. */
int decide_command(struct history *history, const struct options *options, struct err *err);

/* Does --series-by tell devices apart? */
static inline bool history_by_uuid(const struct options *options) {
  return options->trend.series_by != NULL && options->trend.series_by[0] == 'u';
}

#endif
