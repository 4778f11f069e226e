/* The index of a history folder: creates it, and adds and removes nightly runs so that it agrees with the folder. */
#include "history/index.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"

/* ---- The functions of SQLite that an index needs ---- */

static int database_failed(sqlite3 *db, struct err *err) {
  return err_set(err, EXIT_FAILED, "history.db: %s", sqlite3_errmsg(db));
}

static int sql_run(sqlite3 *db, const char *statements, struct err *err) {
  return sqlite3_exec(db, statements, NULL, NULL, NULL) == SQLITE_OK ? 0 : database_failed(db, err);
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

/* Opens a database; `path` NULL means one in memory. Fails with exit code 3. */
static int sql_open(const char *path, bool write, sqlite3 **db, struct err *err) {
  const int how = write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
  const int rc = sqlite3_open_v2(path != NULL ? path : ":memory:", db, how | SQLITE_OPEN_NOFOLLOW, NULL);
  if (rc == SQLITE_OK && set_up_database(*db, write, err) == 0) return 0;
  if (*db != NULL) database_failed(*db, err);
  sqlite3_close(*db);
  *db = NULL;
  return err_set(err, EXIT_FAILED, "history.db: %s", sqlite3_errstr(rc));
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

/* Binds values by position, runs the statement to its end and resets it. `kinds` has a letter for each value: t text, i
 * int64_t, d double (NaN is bound as NULL), n int64_t (-1 is bound as NULL). */
static int sql_do(sqlite3_stmt *statement, struct err *err, const char *kinds, ...) {
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

enum { VERSION = 2, APPLICATION = 0x67624869 /* "gbHi" */ };

static const char *const tables[] = {"nights", "devices", "builds", "points", "decisions"};

/* ---- Adding one night ---- */

static int insert_night_rows(sqlite3 *db, const struct night_entry *night, struct err *err) {
  sqlite3_stmt *series = NULL, *point = NULL, *decision = NULL;
  int rc = sql_prepare(db, "INSERT OR IGNORE INTO series VALUES(?,?,?,?,?,?,?,?)", &series, err);
  if (rc == 0) rc = sql_prepare(db, "INSERT OR IGNORE INTO points VALUES(?,?,?,?,?,?,?,?,?,?)", &point, err);
  if (rc == 0) rc = sql_prepare(db, "INSERT OR IGNORE INTO decisions VALUES(?,?,?,?,?)", &decision, err);
  for (size_t i = 0; i < night->row_count && rc == 0; i++) {
    const struct night_row *row = &night->rows[i];
    const struct night_series *s = &row->series;
    rc = sql_do(series, err, "ittttttt", s->id, s->device, s->uuid, s->plugin, s->bench, s->case_key, s->variant,
                s->mode);
    if (rc == 0)
      rc = sql_do(point, err, "titnnnnnti", night->run_id, s->id, row->status, row->median_ps, row->below_ppm,
                  row->above_ppm, row->sd_ppm, row->restarts, row->bound, row->flags);
    if (rc == 0 && (row->confirmed[0] != '\0' || row->again_ps >= 0))
      rc = sql_do(decision, err, "titdn", night->run_id, s->id, row->confirmed, row->step, row->again_ps);
  }
  sqlite3_finalize(series);
  sqlite3_finalize(point);
  sqlite3_finalize(decision);
  return rc;
}

static int add_marks(sqlite3 *db, const struct night_entry *night, struct err *err) {
  sqlite3_stmt *device = NULL, *build = NULL;
  int rc = sql_prepare(db, "INSERT INTO devices VALUES(?,?,?,?,?,?)", &device, err);
  for (size_t i = 0; i < night->device_count && rc == 0; i++) {
    const struct night_device *d = &night->devices[i];
    rc = sql_do(device, err, "tttttt", night->run_id, d->uuid, d->device, d->driver, d->clock, d->host);
  }
  if (rc == 0) rc = sql_prepare(db, "INSERT INTO builds VALUES(?,?,?,?)", &build, err);
  for (size_t i = 0; i < night->build_count && rc == 0; i++)
    rc = sql_do(build, err, "tttt", night->run_id, night->builds[i].plugin, night->builds[i].version,
                night->builds[i].sha256);
  sqlite3_finalize(device);
  sqlite3_finalize(build);
  return rc;
}

static int add_night(sqlite3 *db, const struct night_entry *night, struct err *err) {
  sqlite3_stmt *statement = NULL;
  int rc = sql_prepare(db, "INSERT INTO nights VALUES(?,?,?,?,?,?,?,?,?)", &statement, err);
  if (rc == 0)
    rc = sql_do(statement, err, "tttttttii", night->run_id, night->started, night->name, night->commit, night->fault,
                night->verdict, night->text, (int64_t)night->row_count, (int64_t)night->timed);
  sqlite3_finalize(statement);
  if (rc == 0) rc = add_marks(db, night, err);
  return rc == 0 ? insert_night_rows(db, night, err) : -1;
}

static int drop_night(sqlite3 *db, const char *run_id, struct err *err) {
  int rc = 0;
  for (size_t i = 0; i < sizeof tables / sizeof tables[0] && rc == 0; i++) {
    sqlite3_stmt *statement = NULL;
    SCOPED char *text = memory_print("DELETE FROM %s WHERE run_id = ?", tables[i]);
    rc = sql_prepare(db, text, &statement, err);
    if (rc == 0) rc = sql_do(statement, err, "t", run_id);
    sqlite3_finalize(statement);
  }
  return rc;
}

/* ---- Adding all nights ---- */

static int indexed(sqlite3 *db, struct strings *names, struct err *err) {
  sqlite3_stmt *statement = NULL;
  int rc = sql_prepare(db, "SELECT run_id FROM nights ORDER BY run_id", &statement, err), more = 0;
  while (rc == 0 && (more = sql_step(statement, err)) == 1)
    strings_add(names, sql_text(statement, 0));
  sqlite3_finalize(statement);
  return rc == 0 && more == 0 ? 0 : -1;
}

/* Adds all nightly runs that the index lacks. Skips runs with damaged files, but stops on errors of the database, such
 * as a full disk. */
static int add_all(sqlite3 *db, const struct history *history, const struct strings *names, const struct strings *known,
                   struct strings *damaged, struct err *err) {
  int rc = 0;
  for (size_t i = 0; i < names->count && rc == 0; i++) {
    struct night_entry night;
    struct err why = {0};
    if (strings_has(known, names->items[i])) continue;
    if (night_read(history, names->items[i], &night, &why) != 0) {
      strings_add(damaged, why.text);
      continue;
    }
    rc = add_night(db, &night, err);
    night_free(&night);
  }
  return rc;
}

static int follow(sqlite3 *db, const struct history *history, struct strings *damaged, struct err *err) {
  SCOPED_STRINGS struct strings names = {0}, known = {0};
  int rc = history_names(history, &names, err);
  if (rc == 0) rc = indexed(db, &known, err);
  if (rc == 0) rc = sql_run(db, "BEGIN IMMEDIATE", err);
  for (size_t i = 0; i < known.count && rc == 0; i++)
    if (!strings_has(&names, known.items[i])) rc = drop_night(db, known.items[i], err);
  if (rc == 0) rc = add_all(db, history, &names, &known, damaged, err);
  if (rc == 0) rc = sql_run(db, "DELETE FROM series WHERE id NOT IN (SELECT series FROM points)", err);
  if (rc == 0) rc = sql_run(db, "COMMIT", err);
  return rc;
}

static int64_t pragma(sqlite3 *db, const char *text) {
  struct err ignored = {0};
  sqlite3_stmt *statement = NULL;
  int64_t value = -1;
  if (sql_prepare(db, text, &statement, &ignored) == 0 && sql_step(statement, &ignored) == 1)
    value = sql_whole(statement, 0);
  sqlite3_finalize(statement);
  return value;
}

static bool is_our_index(sqlite3 *db) {
  return pragma(db, "PRAGMA application_id") == APPLICATION && pragma(db, "PRAGMA user_version") == VERSION;
}

static char *index_path(const struct history *history, const char *ending) {
  return memory_print("%s/%s%s", history->dir, HISTORY_INDEX_FILE, ending);
}

/* Replaces the index file by the one that was built. Also removes the old journal, because SQLite would apply it to the
 * new file. */
static int put_in_place(const char *made, const struct history *history, struct err *err) {
  SCOPED char *path = index_path(history, ""), *journal = index_path(history, "-journal");
  int rc = tree_remove(path, err);
  if (rc == 0) rc = tree_remove(journal, err);
  if (rc == 0 && rename(made, path) != 0) rc = err_set(err, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
  tree_settle(history->dir);
  return rc;
}

int index_rebuild(const struct history *history, struct strings *damaged, struct err *err) {
  SCOPED char *made = index_path(history, ".new"), *journal = index_path(history, ".new-journal");
  sqlite3 *db = NULL;
  int rc = tree_remove(made, err);
  if (rc == 0) rc = tree_remove(journal, err);
  if (rc == 0) rc = sql_open(made, true, &db, err);
  if (rc == 0) rc = sql_run(db, history_schema, err);
  if (rc == 0) rc = follow(db, history, damaged, err);
  sqlite3_close(db);
  if (rc == 0) rc = put_in_place(made, history, err);
  return rc;
}

int index_update(const struct history *history, struct strings *damaged, struct err *err) {
  SCOPED char *path = index_path(history, "");
  struct err why = {0};
  sqlite3 *db = NULL;
  int rc = access(path, F_OK) == 0 ? sql_open(path, true, &db, &why) : -1;
  if (rc == 0 && !is_our_index(db)) rc = -1;
  if (rc == 0) rc = follow(db, history, damaged, &why);
  sqlite3_close(db);
  if (rc == 0) return 0;
  strings_free(damaged);
  return index_rebuild(history, damaged, err);
}

int index_forget(const struct history *history, const char *run_id, struct err *err) {
  SCOPED char *path = index_path(history, "");
  struct err why = {0};
  sqlite3 *db = NULL;
  int rc = access(path, F_OK) == 0 ? sql_open(path, true, &db, &why) : -1;
  /* leaves an index of another version alone, because index_update() rebuilds it */
  if (rc == 0 && is_our_index(db)) rc = drop_night(db, run_id, err);
  sqlite3_close(db);
  return err->exit_code == 0 ? 0 : rc;
}

/* ---- Opening the index for reading ---- */

static bool is_index_current(sqlite3 *db, const struct history *history) {
  struct err ignored = {0};
  SCOPED_STRINGS struct strings names = {0}, known = {0};
  bool same = is_our_index(db) && history_names(history, &names, &ignored) == 0 && indexed(db, &known, &ignored) == 0 &&
              names.count == known.count;
  for (size_t i = 0; same && i < names.count; i++)
    same = strcmp(names.items[i], known.items[i]) == 0;
  return same;
}

int index_open(const struct history *history, struct strings *damaged, sqlite3 **db, struct err *err) {
  SCOPED char *path = index_path(history, "");
  struct err ignored = {0};
  int rc = sql_open(path, false, db, &ignored);
  if (rc == 0 && is_index_current(*db, history)) return 0;
  sqlite3_close(*db);
  *db = NULL;
  if (sql_open(NULL, true, db, err) != 0) return -1;
  rc = sql_run(*db, history_schema, err);
  if (rc == 0) rc = follow(*db, history, damaged, err);
  if (rc == 0) return 0;
  sqlite3_close(*db);
  *db = NULL;
  return -1;
}

/* Copies a database page by page, because the SQLite libraries of older systems lack sqlite3_serialize(). */
static int copy_pages(sqlite3 *from, sqlite3 *to, struct err *err) {
  sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
  if (backup != NULL) sqlite3_backup_step(backup, -1);
  return backup != NULL && sqlite3_backup_finish(backup) == SQLITE_OK
             ? 0
             : err_set(err, EXIT_FAILED, "history.db cannot be copied: %s", sqlite3_errmsg(to));
}

int index_copy(const struct history *history, const char *path, struct strings *damaged, struct err *err) {
  sqlite3 *from = NULL, *to = NULL;
  int rc = index_open(history, damaged, &from, err);
  if (rc == 0) rc = sql_open(path, true, &to, err);
  if (rc == 0) rc = copy_pages(from, to, err);
  sqlite3_close(to);
  sqlite3_close(from);
  return rc;
}
