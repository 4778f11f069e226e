/* A history folder: DIR/nights/RUN_ID/ holds the files of one nightly run, DIR/history.db an index of all nights
 * (history/index.h), and DIR/lock is locked by the one process that writes. A night is added atomically: it is written
 * under another name, then renamed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "record/run_data.h"

/* Returns true if a night may have begun at the time `started`; `now` is in seconds since 1970. The time must have the
 * form 2026-11-21T07:15:03Z, must not be before 2020, and must be at most a day later than `now`. Returns false, with
 * the reason in `why`, if not. */
bool history_start_is_possible(const char *started, int64_t now, char *why, size_t size);

struct history {
  char *dir;
  int lock; /* -1: open for reading only */
};

enum { HISTORY_NAME_MOST = 200, HISTORY_ROWS_MOST = 100000, HISTORY_NIGHTS_MOST = 20000 };

/* Opens a history. For reading, fails with exit code 2 if DIR is no history folder. For writing, DIR is made if it is
 * missing; fails with exit code 3 if another process holds the lock or DIR cannot be written. Removes what a killed
 * process left half-written. */
int history_open(const char *dir, bool write, struct history *history, struct err *err);
void history_close(struct history *history);

/* Returns true if the name is valid for a night's folder: not empty, not hidden, not longer than HISTORY_NAME_MOST,
 * without '/' and control characters. */
bool history_is_name(const char *name);

/* Returns the path of a file in a night's folder, or of the folder if `file` is NULL. The caller frees it. */
char *history_path(const struct history *history, const char *run_id, const char *file);

/* Lists the run ids of all nights in the order of strcmp(). */
int history_names(const struct history *history, struct strings *names, struct err *err);

/* The result of history_put(): the night was added; the same night was there already; or it was there and got new
 * decisions. */
enum history_added { HISTORY_ADDED, HISTORY_IS_THERE, HISTORY_DECIDED };

/* Adds a run (a directory, a results.csv, a report.html) as the night with the run id of its rows. `decided` is a file
 * that becomes its decided.csv, or NULL. `run_id` has HISTORY_NAME_MOST + 1 bytes. Fails with exit code 2 if a path
 * does not exist, and with 3 if the run is damaged, its run id or time of start cannot be used, or another night has
 * this run id. */
int history_put(struct history *history, const char *run, const char *decided, char *run_id, enum history_added *how,
                struct err *err);

/* Replaces or creates a night's decided.csv. */
int history_put_decided(struct history *history, const char *run_id, const char *text, size_t size, bool *changed,
                        struct err *err);

/* Removes a night. */
int history_remove(struct history *history, const char *run_id, struct err *err);

/* Returns when a run began, as the run recorded it; "": not recorded. */
const char *history_started(const struct run_data *data);

/* Reads a night as run_data_load() reads a run. */
int history_load(const struct history *history, const char *run_id, struct run_data *data, struct err *err);
