/* DIR/history.db: an SQLite index of the nightly runs in the folder DIR, for this program and for SQL queries by users.
 * The index may be deleted at any time: a rebuilt index has the same contents, whatever the order in which the nightly
 * runs were added. reports/docs/nights.md lists its tables. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "history/night.h"
#include "history/store.h"

int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **statement, struct err *err);
/* Goes to the next row. Returns 1 if there is one, 0 at the end, and -1 on error. */
int sql_step(sqlite3_stmt *statement, struct err *err);
/* Returns a column's text, "" for NULL; valid until the next step. */
const char *sql_text(sqlite3_stmt *statement, int column);
/* Returns a whole number, -1 for NULL. */
int64_t sql_whole(sqlite3_stmt *statement, int column);

#define HISTORY_INDEX_FILE "history.db"

/* The text of history/index.sql: makes the tables of an empty database. */
extern const char history_schema[];

/* Updates the index of a history that is open for writing: adds new nightly runs and drops deleted ones. Rebuilds the
 * index if it is missing, damaged or of another version. Adds the names of nightly runs that cannot be read to
 * `damaged`. */
int index_update(const struct history *history, struct strings *damaged, struct err *err);
/* Rebuilds the index from scratch. */
int index_rebuild(const struct history *history, struct strings *damaged, struct err *err);
/* Drops a nightly run from the index, because its files have changed. */
int index_forget(const struct history *history, const char *run_id, struct err *err);

/* Opens the index for reading: the file if it is up to date, otherwise an index that is built in memory. */
int index_open(const struct history *history, struct strings *damaged, sqlite3 **db, struct err *err);

/* Writes a complete index to `path`, which must not exist yet. */
int index_copy(const struct history *history, const char *path, struct strings *damaged, struct err *err);
