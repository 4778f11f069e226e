/* Folders of the SDK, copied under other names. */
#ifndef COMMANDS_NEW_COPY_H
#define COMMANDS_NEW_COPY_H

#include <limits.h>

#include "base/err.h"

/* A word, and what stands in its place in files and their names: wherever it is no part of a longer one. */
struct rename {
  const char *from, *to; /* from NULL: ends the list */
};

/* The folder that bin/gpubench was installed to. */
int new_prefix(char to[PATH_MAX], struct err *err);

/* Copies a folder with all that is in it but the files `but`, NULL behind the last, to a new one. `but` may be NULL.
 * Nothing that is there already is written to. */
int new_copy(const char *from, const char *to, const char *const *but, const struct rename *renames, struct err *err);

#endif
