/* DIR/history.db: an index of the nights, for this program and for whoever asks in SQL. It can be deleted at any time;
 * made anew it is the same, whatever the order in which nights came. README of reports lists its tables. */
#ifndef HISTORY_INDEX_H
#define HISTORY_INDEX_H

#include <sqlite3.h>

#include "history/night.h"
#include "history/store.h"

#define HISTORY_INDEX_FILE "history.db"

/* Of a history that is open for writing. Indexes what is there and not indexed, drops what is gone; where the file is
 * none, of another version or damaged, makes it anew. Nights that cannot be read are named in `damaged`. */
int index_update(const struct history *history, struct strings *damaged, struct err *err);
/* The same from nothing. */
int index_rebuild(const struct history *history, struct strings *damaged, struct err *err);
/* The night's files have changed. */
int index_forget(const struct history *history, const char *run_id, struct err *err);

/* For reading: the file where it has all nights and no others, else one in memory. */
int index_open(const struct history *history, struct strings *damaged, sqlite3 **db, struct err *err);

/* Such a file at `path`, where there is none yet. */
int index_copy(const struct history *history, const char *path, struct strings *damaged, struct err *err);

#endif
