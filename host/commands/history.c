/* The history folder from the command line: one line for each night that was put in, taken out, or is there. */
#include "commands/history.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/grid.h"
#include "base/memory.h"
#include "base/output.h"
#include "export/export.h"
#include "history/index.h"
#include "history/series.h"
#include "history/store.h"
#include "record/find.h"

static void say(const struct options *options, const char *format, const char *name, const char *more) {
  char line[4 * TEXT_SIZE];
  if (options->common.quiet) return;
  snprintf(line, sizeof line, format, name, more);
  escape_terminal(line, output_utf8());
  puts(line);
}

static void warn(const struct strings *damaged) {
  for (size_t i = 0; i < damaged->count; i++)
    fprintf(stderr, "gpubench: left out: %s\n", damaged->items[i]);
}

int history_update(const struct history *history, struct err *err) {
  struct strings damaged = {0};
  const int rc = index_update(history, &damaged, err);
  warn(&damaged);
  strings_free(&damaged);
  return rc;
}

/* ---- add ---- */

struct adding {
  struct history *history;
  const struct options *options;
  size_t empty; /* nights that timed nothing */
};

/* What is to be known of a night at once: it is kept in any case, as a night that failed. */
static int judge(struct adding *adding, const char *run_id, enum history_added how, struct err *err) {
  struct night_entry night;
  if (night_read(adding->history, run_id, &night, err) != 0) return -1;
  if (how == HISTORY_IS_THERE) {
    say(adding->options, "%s is there already%s", run_id, "; nothing has changed");
  } else {
    say(adding->options, how == HISTORY_ADDED ? "%s added%s" : "%s has new decisions%s", run_id, "");
    if (night.fault[0] != '\0') fprintf(stderr, "gpubench: %s is not whole: %s\n", run_id, night.fault);
  }
  if (night.timed == 0) adding->empty++;
  night_free(&night);
  return 0;
}

static int add_run(struct adding *adding, const char *what, struct err *err) {
  char run_id[HISTORY_NAME_MOST + 1];
  enum history_added how;
  char *path = find_run(what, err);
  if (path == NULL) return -1;
  int rc = history_put(adding->history, path, adding->options->history.decided, run_id, &how, err);
  free(path);
  if (rc == 0 && how == HISTORY_DECIDED) rc = index_forget(adding->history, run_id, err);
  return rc == 0 ? judge(adding, run_id, how, err) : -1;
}

static int check_decided(const char *path, struct err *err) {
  struct stat info;
  errno = 0;
  if (path == NULL || (access(path, R_OK) == 0 && stat(path, &info) == 0 && !S_ISDIR(info.st_mode))) return 0;
  return err_set(err, EXIT_USAGE, "--decided %.500s: %s", path, strerror(errno != 0 ? errno : EISDIR));
}

static int add(struct history *history, const struct options *options, struct err *err) {
  if (check_decided(options->history.decided, err) != 0) return -1;
  struct adding adding = {.history = history, .options = options};
  struct err later = {0};
  int rc = 0;
  for (size_t i = 2; i < options->arguments.count && rc == 0; i++)
    rc = add_run(&adding, options->arguments.items[i], err);
  /* those before a run that could not be added are there */
  if (history_update(history, rc == 0 ? err : &later) != 0) return -1;
  if (rc == 0 && adding.empty > 0)
    return err_set(err, EXIT_FAILED, "%zu of the nights timed nothing: kept, and marked as such", adding.empty);
  return rc;
}

/* ---- list, prune, rebuild ---- */

static void list_night(struct grid *grid, const struct history_night *night) {
  grid_row(grid);
  grid_set(grid, 1, GRID_PLAIN, "%s", night->run_id);
  grid_set(grid, 2, GRID_PLAIN, "%.10s", night->started);
  grid_set(grid, 3, GRID_PLAIN, "%zu of %zu", night->timed, night->rows);
  grid_set(grid, 4, GRID_PLAIN, "%.12s", night->commit);
  grid_set(grid, 5, night->fault[0] ? GRID_ORANGE : GRID_PLAIN, "\t%s%s%s",
           night->fault[0] ? night->fault : night->verdict, night->fault[0] && night->verdict[0] ? "; " : "",
           night->fault[0] ? night->verdict : "");
}

static int list(const struct history *history, const struct options *options, struct err *err) {
  const struct history_choice choice = {0};
  static const char *const heads[] = {"night", "started", "timed", "commit", "state"};
  struct history_data data;
  struct grid grid = {0};
  if (history_read(history, &choice, &data, err) != 0) return -1;
  grid_row(&grid);
  for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
    grid_set(&grid, grid_column(&grid, GRID_LEFT, i == 3 ? 2 : i == 1 ? 1 : 0), GRID_FAINT, "%s", heads[i]);
  for (size_t i = 0; i < data.night_count; i++)
    list_night(&grid, &data.nights[i]);
  grid_print(&grid, stdout, (size_t)output_width(), output_color(options->common.color), output_utf8());
  warn(&data.damaged);
  history_data_free(&data);
  return output_finish(err);
}

static int prune(struct history *history, const struct options *options, struct err *err) {
  const struct history_choice choice = {0};
  struct history_data data;
  if (history_update(history, err) != 0 || history_read(history, &choice, &data, err) != 0) return -1;
  int rc = 0;
  for (size_t i = 0; i + options->history.keep < data.night_count && rc == 0; i++) {
    rc = history_remove(history, data.nights[i].run_id, err);
    if (rc == 0) say(options, "%s removed%s", data.nights[i].run_id, "");
  }
  history_data_free(&data);
  return rc == 0 ? history_update(history, err) : -1;
}

static int rebuild(const struct history *history, struct err *err) {
  struct strings damaged = {0};
  int rc = index_rebuild(history, &damaged, err);
  warn(&damaged);
  if (rc == 0 && damaged.count > 0)
    rc = err_set(err, EXIT_FAILED, "%zu nights could not be read; the others are indexed", damaged.count);
  strings_free(&damaged);
  return rc;
}

/* ---- suspects ---- */

static int find_baseline(const struct as_of *as_of, const char *run_id, size_t *night, struct err *err) {
  *night = run_id != NULL ? as_of_find(as_of, run_id) : SIZE_MAX;
  if (run_id == NULL || *night != SIZE_MAX) return 0;
  return err_set(err, EXIT_USAGE, "--baseline: the history has no night '%.200s'", run_id);
}

static int suspects(const struct history *history, const struct options *options, struct err *err) {
  struct as_of as_of;
  struct run_data rows = {0};
  size_t baseline;
  if (as_of_open(history, history_by_uuid(options), options->history.night, &as_of, err) != 0) return -1;
  const struct history_night *night = as_of_night(&as_of);
  warn(&as_of.data.damaged);
  int rc = find_baseline(&as_of, options->history.baseline, &baseline, err);
  if (rc == 0 && (night->fault[0] != '\0' || night->timed == 0))
    rc = err_set(err, EXIT_FAILED, "night %s is not to be judged: %.300s", night->run_id,
                 night->fault[0] != '\0' ? night->fault : "nothing was timed");
  if (rc == 0) rc = history_load(history, night->run_id, &rows, err);
  if (rc == 0) rc = suspects_json_write(&as_of, &rows, baseline, stdout, err);
  if (rc == 0) rc = output_finish(err);
  run_data_free(&rows);
  as_of_close(&as_of);
  return rc;
}

static int act(struct history *history, const struct options *options, struct err *err) {
  const char *action = options->arguments.items[0];
  if (strcmp(action, "decide") == 0) return decide_command(history, options, err);
  const int rc = strcmp(action, "suspects") == 0 ? suspects(history, options, err)
                 : strcmp(action, "list") == 0   ? list(history, options, err)
                 : strcmp(action, "add") == 0    ? add(history, options, err)
                 : strcmp(action, "prune") == 0  ? prune(history, options, err)
                                                 : rebuild(history, err);
  return rc == 0 ? EXIT_OK : err->exit_code;
}

int history_command(const struct options *options, struct err *err) {
  const char *action = options->arguments.items[0];
  const bool reads = strcmp(action, "list") == 0 || strcmp(action, "suspects") == 0;
  struct history history;
  if (strcmp(action, "add") != 0 && !reads && history_open(options->arguments.items[1], false, &history, err) == 0)
    history_close(&history); /* only add makes one */
  if (err->exit_code != 0 || history_open(options->arguments.items[1], !reads, &history, err) != 0)
    return err->exit_code;
  const int code = act(&history, options, err);
  history_close(&history);
  if (err->exit_code != 0) text_sanitize(err->text);
  return code;
}
