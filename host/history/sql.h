/* The part of SQLite that the index needs. Values are always bound, never part of a statement's text. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Opens a database; `path` NULL means one in memory. Fails with exit code 3. */
int sql_open(const char *path, bool write, sqlite3 **db, struct err *err);
int sql_run(sqlite3 *db, const char *statements, struct err *err);
int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **statement, struct err *err);
/* Binds values by position, runs the statement to its end and resets it. `kinds` has a letter for each value: t text, i
 * int64_t, d double (NaN is bound as NULL), n int64_t (-1 is bound as NULL). */
int sql_do(sqlite3_stmt *statement, struct err *err, const char *kinds, ...);
/* Goes to the next row. Returns 1 if there is one, 0 at the end, and -1 on error. */
int sql_step(sqlite3_stmt *statement, struct err *err);
/* Returns a column's text, "" for NULL; valid until the next step. */
const char *sql_text(sqlite3_stmt *statement, int column);
/* Returns a whole number, -1 for NULL. */
int64_t sql_whole(sqlite3_stmt *statement, int column);
