/* `gpubench history`: nights into a folder, out of it, and what is there. `gpubench trend`: how times went over them.
 */
#ifndef COMMANDS_HISTORY_H
#define COMMANDS_HISTORY_H

#include "history/store.h"
#include "options/options.h"
#include "trend/trend.h"

/* Return the exit code. */
int history_command(const struct options *options, struct err *err);
int trend_command(const struct options *options, struct err *err);

/* Brings the index up to date and names on stderr what could not be indexed. */
int history_update(const struct history *history, struct err *err);

/* commands/as_of.c: a history as it was after a night, judged. */
struct as_of {
  struct history_data data; /* the night is the last of its nights */
  struct trend trend;
  size_t nights; /* that the history has */
};

/* `run_id` NULL: the newest. Exit 2: there is no such night; 3: there is none at all. */
int as_of_open(const struct history *history, const struct options *options, const char *run_id, struct as_of *as_of,
               struct err *err);
/* SIZE_MAX: not there. */
size_t as_of_find(const struct as_of *as_of, const char *run_id);
size_t as_of_index(const struct as_of *as_of); /* the night's */
const struct history_night *as_of_night(const struct as_of *as_of);
void as_of_close(struct as_of *as_of);

/* commands/suspects.c and commands/decide.c; exit codes. */
int suspects_command(const struct history *history, const struct options *options, struct err *err);
int decide_command(struct history *history, const struct options *options, struct err *err);

#endif
