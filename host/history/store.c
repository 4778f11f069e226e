/* The history folder: the names in it, its lock, and adding and removing nightly runs. */
#include "history/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/tree.h"
#include "history/copy.h"

/* ---- Times at which nights began. Parsing is strict, so that strcmp() sorts the accepted times. ---- */

/* a start may be at most a day after the present time in UTC, because some clocks are set to local time */
enum { DAY_S = 24 * 3600 };
/* no night began before this year; a machine that lost its clock's setting counts from 1970 or 2000 */
static const char first[] = "2020";

static bool parse_start(const char *text, int64_t *seconds) {
  struct tm parts = {0};
  char again[64] = "";
  const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == NULL || *end != '\0') return false;
  const time_t time = timegm(&parts);
  *seconds = (int64_t)time;
  return strftime(again, sizeof again, "%Y-%m-%dT%H:%M:%SZ", &parts) > 0 && strcmp(again, text) == 0;
}

bool history_start_is_possible(const char *started, int64_t now, char *why, size_t size) {
  int64_t seconds;
  char shown[64];
  text_copy(shown, sizeof shown, started);
  text_sanitize(shown);
  const bool is_time = parse_start(started, &seconds);
  if (started[0] == '\0')
    snprintf(why, size, "it does not say when it began");
  else if (!is_time)
    snprintf(why, size, "it began at '%s', which is no time", shown);
  else if (seconds > now + DAY_S)
    snprintf(why, size, "it began at %s, which is in the future by this machine's clock", shown);
  else if (strcmp(started, first) < 0)
    snprintf(why, size, "it began at %s, as on a machine that has lost its clock", shown);
  else
    return true;
  return false;
}

/* names of the folders of nights that are being added or removed; they begin with a dot, so they are never names of
 * complete nights */
#define HALF_MADE ".new"
#define HALF_GONE ".old"

/* ---- Names ---- */

bool history_is_name(const char *name) {
  if (name == NULL || name[0] == '\0' || name[0] == '.' || strlen(name) > HISTORY_NAME_MOST) return false;
  for (const char *at = name; *at != '\0';) {
    const size_t length = text_utf8_length(at);
    if (length == 0 || *at == '/' || (unsigned char)*at < 32 || *at == 127) return false;
    at += length;
  }
  return true;
}

char *history_path(const struct history *history, const char *run_id, const char *file) {
  return memory_print("%s/nights/%s%s%s", history->dir, run_id, file != NULL ? "/" : "", text_or_empty(file));
}

static int nights_by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

int history_names(const struct history *history, struct strings *names, struct err *err) {
  SCOPED char *path = memory_print("%s/nights", history->dir);
  SCOPED_DIR DIR *list = opendir(path);
  int rc = list != NULL ? 0 : err_set(err, EXIT_FAILED, "cannot read %s: %s", path, strerror(errno));
  for (struct dirent *entry; list != NULL && rc == 0 && (entry = readdir(list)) != NULL;) {
    if (!history_is_name(entry->d_name)) continue;
    if (names->count == HISTORY_NIGHTS_MOST)
      rc = err_set(err, EXIT_FAILED, "%s holds more than %d nights", path, HISTORY_NIGHTS_MOST);
    else
      strings_add(names, entry->d_name);
  }
  if (names->items != NULL) qsort(names->items, names->count, sizeof *names->items, nights_by_name);
  return rc;
}

/* ---- The lock ---- */

static int lock_history(struct history *history, struct err *err) {
  SCOPED char *path = memory_print("%s/lock", history->dir);
  int rc = 0;
  history->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (history->lock < 0) {
    rc = err_set(err, EXIT_FAILED, "cannot write to the history folder %s: %s", history->dir, strerror(errno));
  } else if (flock(history->lock, LOCK_EX | LOCK_NB) != 0) {
    const bool held = errno == EWOULDBLOCK;
    rc = err_set(err, EXIT_FAILED,
                 held ? "%s: another process is writing to this history, and there may be only one%s%s"
                      : "%s: its lock file cannot be locked%s%s",
                 history->dir, held ? "" : ": ", held ? "" : strerror(errno));
  }
  return rc;
}

/* Removes nightly runs that a killed process left half-added or half-removed. */
static int tidy_history(const struct history *history, struct err *err) {
  static const char *const left[] = {HALF_MADE, HALF_GONE};
  int rc = 0;
  for (size_t i = 0; i < sizeof left / sizeof left[0] && rc == 0; i++) {
    SCOPED char *path = history_path(history, left[i], NULL);
    rc = tree_remove(path, err);
  }
  return rc;
}

int history_open(const char *dir, bool write, struct history *history, struct err *err) {
  struct stat info;
  *history = (struct history){.dir = xstrdup(dir), .lock = -1};
  SCOPED char *nights = memory_print("%s/nights", dir);
  int rc = 0;
  if (write) rc = tree_make(nights, err);
  if (rc == 0 && (stat(nights, &info) != 0 || !S_ISDIR(info.st_mode)))
    rc = err_set(err, EXIT_USAGE,
                 "%s is no history folder: it has no folder `nights`; `gpubench history add` makes one", dir);
  if (rc == 0 && write) rc = lock_history(history, err);
  if (rc == 0 && write) rc = tidy_history(history, err);
  if (rc != 0) history_close(history);
  return rc;
}

void history_close(struct history *history) {
  if (history->lock >= 0) close(history->lock);
  free(history->dir);
  *history = (struct history){.lock = -1};
}

/* ---- Adding and removing ---- */

static int choose_name(const struct run_data *data, const char *run, char *name, struct err *err) {
  const char *found = data->count > 0 ? data->records[0].run_id : NULL;
  if (found == NULL) found = pairs_get(&data->environment, "run_id");
  if (data->run_count != 1) return err_set(err, EXIT_FAILED, "%s holds %zu runs; a night is one", run, data->run_count);
  if (found == NULL) return err_set(err, EXIT_FAILED, "%s has no run_id, so a history cannot name it", run);
  if (!history_is_name(found))
    return err_set(err, EXIT_FAILED, "%s: its run_id '%.200s' cannot be the name of a folder", run, found);
  text_copy(name, HISTORY_NAME_MOST + 1, found);
  return 0;
}

const char *history_started(const struct run_data *data) {
  const char *started = pairs_get(&data->environment, "started_utc");
  if (started == NULL && data->count > 0) started = data->records[0].timestamp_utc;
  return text_or_empty(started);
}

static int check_night_start(const struct run_data *data, const char *run, struct err *err) {
  char why[160];
  if (history_start_is_possible(history_started(data), (int64_t)time(NULL), why, sizeof why)) return 0;
  return err_set(err, EXIT_FAILED, "%s has no place among nights: %s", run, why);
}

int history_put_decided(struct history *history, const char *run_id, const char *text, size_t size, bool *changed,
                        struct err *err) {
  SCOPED char *path = history_path(history, run_id, HISTORY_DECIDED_FILE), *draft = memory_print("%s.new", path);
  *changed = !copy_is(path, text, size);
  int rc = *changed ? tree_write(draft, text, size, err) : 0;
  if (*changed && rc == 0 && rename(draft, path) != 0)
    rc = err_set(err, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
  return rc;
}

/* Handles a run that the history has already, under the same run id: fails if the two have different results, and
 * otherwise stores the run's decisions, if it has any. */
static int meet_night(struct history *history, const char *run_id, const struct copy *copy, enum history_added *how,
                      struct err *err) {
  SCOPED char *path = history_path(history, run_id, "results.csv");
  bool changed = false;
  int rc = 0;
  *how = HISTORY_IS_THERE;
  if (!copy_is(path, copy->results, copy->results_size))
    rc = err_set(err, EXIT_FAILED, "%s: a night of the name %s is there with other results", history->dir, run_id);
  if (rc == 0 && copy->decided != NULL)
    rc = history_put_decided(history, run_id, copy->decided, copy->decided_size, &changed, err);
  if (changed) *how = HISTORY_DECIDED;
  return rc;
}

static int put_anew(const struct history *history, const char *run_id, const struct copy *copy, struct err *err) {
  SCOPED char *made = history_path(history, HALF_MADE, NULL), *path = history_path(history, run_id, NULL);
  SCOPED char *nights = memory_print("%s/nights", history->dir);
  int rc = tree_make(made, err);
  if (rc == 0) rc = copy_write(copy, made, err);
  tree_settle(made);
  if (rc == 0 && rename(made, path) != 0) rc = err_set(err, EXIT_FAILED, "cannot make %s: %s", path, strerror(errno));
  tree_settle(nights);
  return rc;
}

int history_put(struct history *history, const char *run, const char *decided, char *run_id, enum history_added *how,
                struct err *err) {
  struct run_data data;
  struct copy copy = {0};
  struct stat info;
  if (run_data_load(run, &data, err) != 0) return -1;
  int rc = choose_name(&data, run, run_id, err);
  if (rc == 0) rc = check_night_start(&data, run, err);
  if (rc == 0) rc = copy_read(run, &data, decided, &copy, err);
  if (rc == 0) {
    SCOPED char *path = history_path(history, run_id, NULL);
    *how = HISTORY_ADDED;
    rc = lstat(path, &info) == 0 ? meet_night(history, run_id, &copy, how, err) : put_anew(history, run_id, &copy, err);
  }
  copy_free(&copy);
  run_data_free(&data);
  return rc;
}

int history_remove(struct history *history, const char *run_id, struct err *err) {
  SCOPED char *path = history_path(history, run_id, NULL), *gone = history_path(history, HALF_GONE, NULL);
  int rc = rename(path, gone) == 0 ? 0 : err_set(err, EXIT_FAILED, "cannot remove %s: %s", path, strerror(errno));
  if (rc == 0) rc = tree_remove(gone, err);
  return rc;
}

int history_load(const struct history *history, const char *run_id, struct run_data *data, struct err *err) {
  SCOPED char *path = history_path(history, run_id, NULL);
  return run_data_load(path, data, err);
}
