/* SQLite, as far as the index needs it: values are always bound, never part of a statement. */
#ifndef HISTORY_SQL_H
#define HISTORY_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* `path` NULL: in memory. Exit 3. */
int sql_open(const char *path, bool write, sqlite3 **db, struct err *err);
int sql_run(sqlite3 *db, const char *statements, struct err *err);
int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **statement, struct err *err);
/* Binds by place, runs to the end and resets. `kinds`: t text, i int64_t, d double (NaN: NULL), n: i where -1 is NULL.
 */
int sql_do(sqlite3_stmt *statement, struct err *err, const char *kinds, ...);
/* The next row: 1; 0 at the end. */
int sql_step(sqlite3_stmt *statement, struct err *err);
/* A column's text, "" for NULL: valid until the next step. */
const char *sql_text(sqlite3_stmt *statement, int column);
/* A whole number, -1 for NULL. */
int64_t sql_whole(sqlite3_stmt *statement, int column);

#endif
