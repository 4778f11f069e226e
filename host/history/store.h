/* A history folder: DIR/nights/RUN_ID/ holds what is true of a night, DIR/history.db an index of all of them
 * (history/index.h), DIR/lock is held by the one process that writes. A night is there or it is not: it is written
 * under another name and takes its own by rename. */
#ifndef HISTORY_STORE_H
#define HISTORY_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "record/run_data.h"

/* Can a night have begun then, seen from `now` (seconds since 1970)? False with the reason in `why`: it is no time
 * like 2026-11-21T07:15:03Z, one before there were such nights, or one more than a day ahead. */
bool history_start_is_possible(const char *started, int64_t now, char *why, size_t size);

struct history {
  char *dir;
  int lock; /* -1: it only reads */
};

enum { HISTORY_NAME_MOST = 200, HISTORY_ROWS_MOST = 100000, HISTORY_NIGHTS_MOST = 20000 };

/* For reading exit 2 where DIR is no history folder. For writing it is made where it is missing; exit 3: another
 * process holds the lock, or it cannot be written. What a killed process left half done is removed. */
int history_open(const char *dir, bool write, struct history *history, struct err *err);
void history_close(struct history *history);

/* May a folder be called so? Not empty, hidden or longer than HISTORY_NAME_MOST, without '/' and control characters. */
bool history_is_name(const char *name);

/* The path of a night's folder, or of a file in it (NULL: the folder's), for the caller to free. */
char *history_path(const struct history *history, const char *run_id, const char *file);

/* Run ids of all nights, in the order of strcmp(). */
int history_names(const struct history *history, struct strings *names, struct err *err);

enum history_added { HISTORY_ADDED, HISTORY_IS_THERE, HISTORY_DECIDED /* it was there; what was decided is new */ };

/* Puts a run (a directory, a results.csv, a report.html) into the folder, under the run id of its rows. `decided` is a
 * file that becomes its decided.csv, or NULL. Exit 2: a path leads nowhere; 3: the run is damaged, has no run id that a
 * folder may have, began when no night can have begun, or differs from the one that is there under its name. `run_id`
 * has HISTORY_NAME_MOST + 1 bytes. */
int history_put(struct history *history, const char *run, const char *decided, char *run_id, enum history_added *how,
                struct err *err);

/* Puts a text in place of a night's decided.csv, or first there. */
int history_put_decided(struct history *history, const char *run_id, const char *text, size_t size, bool *changed,
                        struct err *err);

/* Removes a night. */
int history_remove(struct history *history, const char *run_id, struct err *err);

/* When a run began, as it says itself; "": it does not. */
const char *history_started(const struct run_data *data);

/* Reads a night; as run_data_load(). */
int history_load(const struct history *history, const char *run_id, struct run_data *data, struct err *err);

#endif
