/* Wraps the functions of SQLite that the index needs. */
#include "history/sql.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>

static int database_failed(sqlite3 *db, struct err *err) {
  return err_set(err, EXIT_FAILED, "history.db: %s", sqlite3_errmsg(db));
}

/* Configures a database. Uses a rollback journal and no shared memory, because network file systems support these best.
 * The file may come from anywhere, so nothing in it, such as a trigger, may run. */
static int set_up_database(sqlite3 *db, bool write, struct err *err) {
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
  if (!write) return sql_run(db, "PRAGMA mmap_size=0; PRAGMA query_only=1", err);
  return sql_run(db, "PRAGMA mmap_size=0; PRAGMA journal_mode=DELETE; PRAGMA synchronous=FULL", err);
}

int sql_open(const char *path, bool write, sqlite3 **db, struct err *err) {
  const int how = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int rc = sqlite3_open_v2(path != NULL ? path : ":memory:", db, how | SQLITE_OPEN_NOFOLLOW, NULL);
  if (rc == SQLITE_OK && set_up_database(*db, write, err) == 0) return 0;
  if (*db != NULL) database_failed(*db, err);
  sqlite3_close(*db);
  *db = NULL;
  return err_set(err, EXIT_FAILED, "history.db: %s", sqlite3_errstr(rc));
}

int sql_run(sqlite3 *db, const char *statements, struct err *err) {
  return sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_failed(db, err);
}

int sql_prepare(sqlite3 *db, const char *text, sqlite3_stmt **statement, struct err *err) {
  return sqlite3_prepare_v2(db, text, -1, statement, NULL) == SQLITE_OK ? 0 : database_failed(db, err);
}

static int bind_real(sqlite3_stmt *statement, int place, double value) {
  return isnan(value) ? sqlite3_bind_null(statement, place) : sqlite3_bind_double(statement, place, value);
}

static int bind_whole(sqlite3_stmt *statement, int place, bool some, int64_t value) {
  return some ? sqlite3_bind_int64(statement, place, value) : sqlite3_bind_null(statement, place);
}

int sql_do(sqlite3_stmt *statement, struct err *err, const char *kinds, ...) {
  va_list values;
  int rc = SQLITE_OK;
  va_start(values, kinds);
  for (int i = 0; kinds[i] != '\0' && rc == SQLITE_OK; i++) {
    if (kinds[i] == 't') {
      rc = sqlite3_bind_text(statement, i + 1, va_arg(values, const char *), -1, SQLITE_TRANSIENT);
    } else if (kinds[i] == 'd') {
      rc = bind_real(statement, i + 1, va_arg(values, double));
    } else {
      const int64_t value = va_arg(values, int64_t);
      rc = bind_whole(statement, i + 1, kinds[i] == 'i' || value >= 0, value);
    }
  }
  va_end(values);
  while (rc == SQLITE_OK || rc == SQLITE_ROW)
    rc = sqlite3_step(statement);
  if (rc != SQLITE_DONE) database_failed(sqlite3_db_handle(statement), err);
  sqlite3_reset(statement);
  return rc == SQLITE_DONE ? 0 : -1;
}

int sql_step(sqlite3_stmt *statement, struct err *err) {
  const int rc = sqlite3_step(statement);
  if (rc == SQLITE_ROW) return 1;
  return rc == SQLITE_DONE ? 0 : database_failed(sqlite3_db_handle(statement), err);
}

const char *sql_text(sqlite3_stmt *statement, int column) {
  const unsigned char *text = sqlite3_column_text(statement, column);
  return text != NULL ? (const char *)text : "";
}

int64_t sql_whole(sqlite3_stmt *statement, int column) {
  return sqlite3_column_type(statement, column) == SQLITE_NULL ? -1 : sqlite3_column_int64(statement, column);
}
