/* DIR/history.db: an index of the nights, for this program and for anyone who queries it in SQL. It may be deleted at
 * any time; rebuilt it is the same, whatever the order in which nights were added. reports/docs/nights.md lists its
 * tables. */
#pragma once

#include <sqlite3.h>

#include "history/night.h"
#include "history/store.h"

#define HISTORY_INDEX_FILE "history.db"

/* Updates the index of a history that is open for writing: adds new nights and drops deleted ones. Rebuilds it if it is
 * missing, damaged or of another version. `damaged` gets the names of nights that cannot be read. */
int index_update(const struct history *history, struct strings *damaged, struct err *err);
/* Rebuilds the index from scratch. */
int index_rebuild(const struct history *history, struct strings *damaged, struct err *err);
/* Drops a night whose files have changed from the index. */
int index_forget(const struct history *history, const char *run_id, struct err *err);

/* Opens the index for reading: the file if it is up to date, otherwise one in memory. */
int index_open(const struct history *history, struct strings *damaged, sqlite3 **db, struct err *err);

/* Writes such a file to `path`, which must not exist yet. */
int index_copy(const struct history *history, const char *path, struct strings *damaged, struct err *err);
