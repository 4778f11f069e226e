/* `gpubench history`: maintains a history folder from the command line, and prints one line for each nightly run that
 * is added, removed or listed. */
#include "commands/commands.h"

#include <errno.h>
#include <math.h>
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
#include "history/copy.h"
#include "history/decided.h"
#include "history/index.h"
#include "history/series.h"
#include "history/store.h"
#include "record/find.h"
#include "site/site.h"
#include "summary/row.h"
#include "terminal/terminal.h"
#include "trend/trend.h"

/* Returns true if --series-by asks for separate series for each device. */
static bool history_by_uuid(const struct options *options) {
  return options->trend.series_by != NULL && options->trend.series_by[0] == 'u';
}

static void say_night(const struct options *options, const char *format, const char *name, const char *more) {
  char line[4 * TEXT_SIZE];
  if (options->common.quiet) return;
  snprintf(line, sizeof line, format, name, more);
  escape_terminal(line, output_utf8());
  puts(line);
}

static void warn_of_damaged(const struct strings *damaged) {
  for (size_t i = 0; i < damaged->count; i++)
    fprintf(stderr, "gpubench: left out: %s\n", damaged->items[i]);
}

/* Updates the index and names on stderr the nightly runs that could not be indexed. */
static int history_update(const struct history *history, struct err *err) {
  SCOPED_STRINGS struct strings damaged = {0};
  const int rc = index_update(history, &damaged, err);
  warn_of_damaged(&damaged);
  return rc;
}

/* ---- The action add ---- */

struct adding {
  struct history *history;
  const struct options *options;
  size_t empty; /* number of nightly runs that timed nothing */
};

/* Prints that a nightly run was added, and why it is incomplete if it is. Every run is kept; one that failed is marked
 * as failed. */
static int report_added(struct adding *adding, const char *run_id, enum history_added how, struct err *err) {
  struct night_entry night;
  if (night_read(adding->history, run_id, &night, err) != 0) return -1;
  if (how == HISTORY_IS_THERE) {
    say_night(adding->options, "%s is there already%s", run_id, "; nothing has changed");
  } else {
    say_night(adding->options, how == HISTORY_ADDED ? "%s added%s" : "%s has new decisions%s", run_id, "");
    if (night.fault[0] != '\0') fprintf(stderr, "gpubench: %s is not whole: %s\n", run_id, night.fault);
  }
  if (night.timed == 0) adding->empty++;
  night_free(&night);
  return 0;
}

static int add_one_night(struct adding *adding, const char *what, struct err *err) {
  char run_id[HISTORY_NAME_MOST + 1];
  enum history_added how;
  SCOPED char *path = find_run(what, err);
  if (path == NULL) return -1;
  int rc = history_put(adding->history, path, adding->options->history.decided, run_id, &how, err);
  if (rc == 0 && how == HISTORY_DECIDED) rc = index_forget(adding->history, run_id, err);
  return rc == 0 ? report_added(adding, run_id, how, err) : -1;
}

static int check_decided(const char *path, struct err *err) {
  struct stat info;
  errno = 0;
  if (path == NULL || (access(path, R_OK) == 0 && stat(path, &info) == 0 && !S_ISDIR(info.st_mode))) return 0;
  return err_set(err, EXIT_USAGE, "--decided %.500s: %s", path, strerror(errno != 0 ? errno : EISDIR));
}

static int add_nights(struct history *history, const struct options *options, struct err *err) {
  if (check_decided(options->history.decided, err) != 0) return -1;
  struct adding adding = {.history = history, .options = options};
  struct err later = {0};
  int rc = 0;
  for (size_t i = 2; i < options->arguments.count && rc == 0; i++)
    rc = add_one_night(&adding, options->arguments.items[i], err);
  /* updates the index even if a run could not be added, because the runs before that one were added */
  if (history_update(history, rc == 0 ? err : &later) != 0) return -1;
  if (rc == 0 && adding.empty > 0)
    return err_set(err, EXIT_FAILED, "%zu of the nights timed nothing: kept, and marked as such", adding.empty);
  return rc;
}

/* ---- The actions list, prune and rebuild ---- */

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

static int list_nights(const struct history *history, const struct options *options, struct err *err) {
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
  warn_of_damaged(&data.damaged);
  history_data_free(&data);
  return output_finish(err);
}

static int prune_nights(struct history *history, const struct options *options, struct err *err) {
  const struct history_choice choice = {0};
  struct history_data data;
  if (history_update(history, err) != 0 || history_read(history, &choice, &data, err) != 0) return -1;
  int rc = 0;
  for (size_t i = 0; i + options->history.keep < data.night_count && rc == 0; i++) {
    rc = history_remove(history, data.nights[i].run_id, err);
    if (rc == 0) say_night(options, "%s removed%s", data.nights[i].run_id, "");
  }
  history_data_free(&data);
  return rc == 0 ? history_update(history, err) : -1;
}

static int rebuild(const struct history *history, struct err *err) {
  SCOPED_STRINGS struct strings damaged = {0};
  int rc = index_rebuild(history, &damaged, err);
  warn_of_damaged(&damaged);
  if (rc == 0 && damaged.count > 0)
    rc = err_set(err, EXIT_FAILED, "%zu nights could not be read; the others are indexed", damaged.count);
  return rc;
}

/* ---- The action suspects ---- */

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
  warn_of_damaged(&as_of.data.damaged);
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

/* The action decide: writes the results of a confirmation to the nightly run's decided.csv, and then the verdict on the
 * nightly run. A confirmation is a later run that measures again what looked slower or faster. In it two builds of the
 * plugins, labelled old and new, take turns. */

/* ---- Reading the results of a confirmation ---- */

/* Returns true if the row compares "X@new" with "X@old", and sets `bare` to X. */
static bool is_confirmation(const struct record *record, char *bare, size_t size) {
  const char *variant = text_or_empty(record->variant), *base = text_or_empty(record->baseline);
  const char *label = record_label_of(variant), *old = record_label_of(base);
  const size_t length = (size_t)(label - variant);
  if (strcmp(label, "@new") != 0 || strcmp(old, "@old") != 0) return false;
  if ((size_t)(old - base) != length || length >= size || strncmp(variant, base, length) != 0) return false;
  memcpy(bare, variant, length);
  bare[length] = '\0';
  return true;
}

/* Returns the verdict of a row of the confirmation run. The verdict is "undecided" if the row has none, or if its
 * difference is so small that a busy machine may have caused it. */
static const char *verdict_of_row(const struct record *record) {
  const enum verdict verdict = stats_verdict_parse(row_verdict(record));
  return stats_verdict_name(verdict != VERDICT_NONE ? verdict : VERDICT_UNDECIDED);
}

/* Returns the row of the nightly run that corresponds to `record`, a row of the confirmation run. Prefers a row of the
 * same device. NULL: there is no such row. */
static const struct record *find_night_row(const struct run_data *night, const struct record *record,
                                           const char *variant) {
  const struct record *other = NULL;
  for (size_t i = 0; i < night->count; i++) {
    const struct record *row = &night->records[i];
    if (!text_same(row->case_key, record->case_key) || !text_same(row->variant, variant) ||
        !text_same(row->mode, record->mode))
      continue;
    if (text_same(row->devices, record->devices)) return row;
    other = row;
  }
  return other;
}

struct confirmation {
  const struct as_of *as_of;
  struct run_data run, night;
  struct decided *decided;
};

/* Returns true if the row of the nightly run is a suspect (the row of a series that looks changed). Decisions are only
 * made about suspects: with decisions on many other rows, one of them would be called slower by chance. */
static bool was_off(const struct confirmation *confirmation, const struct record *row) {
  for (size_t i = 0; i < confirmation->as_of->trend.count; i++) {
    const struct trend_row *at = &confirmation->as_of->trend.rows[i];
    const enum night_state state = at->now->state;
    if (!text_same(at->series->case_key, row->case_key) || !text_same(at->series->variant, row->variant) ||
        !text_same(at->series->mode, row->mode))
      continue;
    if (at->now->asks || state == NIGHT_MACHINE || state == NIGHT_SUSPECT_SLOWER || state == NIGHT_SUSPECT_FASTER ||
        at->series->points[as_of_index(confirmation->as_of)].confirmed != VERDICT_NONE)
      return true;
  }
  return false;
}

static void note_confirmed(struct confirmation *confirmation, const struct record *record, const struct record *row) {
  struct decided_row *to = decided_at(confirmation->decided, text_or_empty(row->case_key), text_or_empty(row->variant),
                                      text_or_empty(row->mode), text_or_empty(row->devices));
  free(to->verdict);
  to->verdict = xstrdup(verdict_of_row(record));
  to->step = record->speedup > 0 ? 1 / record->speedup - 1 : NAN;
}

/* Takes the results from the rows of the confirmation run. Returns how many of its rows correspond to rows of the
 * nightly run. */
static size_t take_confirmed_rows(struct confirmation *confirmation) {
  size_t met = 0;
  char variant[TEXT_SIZE];
  for (size_t i = 0; i < confirmation->run.count; i++) {
    const struct record *record = &confirmation->run.records[i], *row = NULL;
    if (is_confirmation(record, variant, sizeof variant)) row = find_night_row(&confirmation->night, record, variant);
    if (row == NULL) continue;
    met++;
    if (was_off(confirmation, row)) note_confirmed(confirmation, record, row);
  }
  return met;
}

static int take_run(const struct history *history, const struct as_of *as_of, const char *what, struct decided *decided,
                    struct err *err) {
  const char *run_id = as_of_night(as_of)->run_id;
  struct confirmation confirmation = {.as_of = as_of, .decided = decided};
  SCOPED char *path = find_run(what, err);
  int rc = path != NULL ? run_data_load(path, &confirmation.run, err) : -1;
  if (rc == 0) rc = history_load(history, run_id, &confirmation.night, err);
  if (rc == 0 && take_confirmed_rows(&confirmation) == 0)
    rc = err_set(err, EXIT_FAILED,
                 "%s confirms nothing of %s: it has no row of a variant of that night as @new beside @old", path,
                 run_id);
  run_data_free(&confirmation.night);
  run_data_free(&confirmation.run);
  return rc;
}

/* ---- Writing decided.csv ---- */

static int write_down(struct history *history, const char *run_id, const struct decided *decided, struct err *err) {
  size_t size = 0;
  bool changed = false;
  SCOPED char *text = decided_print(decided, &size, err);
  int rc = text != NULL ? history_put_decided(history, run_id, text, size, &changed, err) : -1;
  if (rc == 0 && changed) rc = index_forget(history, run_id, err);
  return rc == 0 ? history_update(history, err) : -1;
}

static const char *verdict_name(enum trend_verdict verdict) {
  static const char *const names[] = {"ok", "unjudged", "unjudged", "regression", "failed"};
  return names[verdict];
}

static int exit_code_of(enum trend_verdict verdict) {
  static const int codes[] = {EXIT_OK, EXIT_UNJUDGED, EXIT_UNJUDGED, EXIT_REGRESSION, EXIT_FAILED};
  return codes[verdict];
}

static void set_verdict(struct decided *decided, const char *verdict, const char *text) {
  free(decided->verdict);
  free(decided->text);
  decided->verdict = verdict != NULL ? xstrdup(verdict) : NULL;
  decided->text = text != NULL ? xstrdup(text) : NULL;
}

/* ---- Deciding the verdict on the nightly run ---- */

static void print_suspect(const struct as_of *as_of, const struct trend_row *row) {
  char said[2 * TREND_NAME], line[4 * TREND_NAME];
  const size_t night = as_of_index(as_of);
  if (trend_regressed(row, night)) {
    trend_regression(&as_of->trend, row, said, sizeof said);
    snprintf(line, sizeof line, "slower: %s", said);
  } else if (row->open != TREND_CLOSED) {
    trend_name(row, said, sizeof said);
    snprintf(line, sizeof line, "open: %s: %s", said, trend_open_word(row->open));
  } else if (row->now->state == NIGHT_CLEARED) {
    trend_name(row, said, sizeof said);
    snprintf(line, sizeof line, "cleared: %s", said);
  } else {
    return;
  }
  escape_terminal(line, output_utf8());
  puts(line);
}

static void print_decision(const struct as_of *as_of, const struct options *options, enum trend_verdict verdict,
                           const char *sentence) {
  char line[4 * TEXT_SIZE];
  snprintf(line, sizeof line, "%s: %s", trend_verdict_word(verdict), sentence);
  escape_terminal(line, output_utf8());
  puts(line);
  for (size_t i = 0; i < as_of->trend.count && !options->common.quiet; i++)
    print_suspect(as_of, &as_of->trend.rows[i]);
}

static int judge_night(struct history *history, const struct options *options, struct decided *decided,
                       struct err *err) {
  const char *run_id = options->arguments.items[2];
  struct as_of as_of;
  char sentence[1000]; /* as long as decided.csv allows */
  if (as_of_open(history, history_by_uuid(options), run_id, &as_of, err) != 0) return -1;
  const enum trend_verdict verdict = trend_judged(&as_of.trend, as_of_index(&as_of));
  trend_decision(&as_of.trend, sentence, sizeof sentence);
  set_verdict(decided, verdict_name(verdict), sentence);
  const int rc = write_down(history, run_id, decided, err);
  if (rc == 0) print_decision(&as_of, options, verdict, sentence);
  as_of_close(&as_of);
  return rc == 0 && output_finish(err) == 0 ? exit_code_of(verdict) : -1;
}

static int decide_from_run(struct history *history, const struct options *options, struct decided *decided,
                           struct err *err) {
  const char *run_id = options->arguments.items[2];
  struct as_of as_of;
  if (as_of_open(history, history_by_uuid(options), run_id, &as_of, err) != 0) return -1;
  SCOPED char *path = history_path(history, run_id, HISTORY_DECIDED_FILE);
  int rc = decided_read(path, decided, err);
  if (rc == 0 && options->arguments.count > 3)
    rc = take_run(history, &as_of, options->arguments.items[3], decided, err);
  as_of_close(&as_of);
  if (rc != 0) return -1;
  /* removes the stored verdict, so that the nightly run is judged by its rows alone */
  set_verdict(decided, NULL, NULL);
  return write_down(history, run_id, decided, err);
}

static int decide_command(struct history *history, const struct options *options, struct err *err) {
  struct decided decided = {0};
  int code = decide_from_run(history, options, &decided, err);
  if (code == 0) code = judge_night(history, options, &decided, err);
  decided_free(&decided);
  return code >= 0 ? code : err->exit_code;
}

static int run_action(struct history *history, const struct options *options, struct err *err) {
  const char *action = options->arguments.items[0];
  if (strcmp(action, "decide") == 0) return decide_command(history, options, err);
  const int rc = strcmp(action, "suspects") == 0 ? suspects(history, options, err)
                 : strcmp(action, "list") == 0   ? list_nights(history, options, err)
                 : strcmp(action, "add") == 0    ? add_nights(history, options, err)
                 : strcmp(action, "prune") == 0  ? prune_nights(history, options, err)
                                                 : rebuild(history, err);
  return rc == 0 ? EXIT_OK : err->exit_code;
}

int history_command(const struct options *options, struct err *err) {
  const char *action = options->arguments.items[0];
  const bool reads = strcmp(action, "list") == 0 || strcmp(action, "suspects") == 0;
  struct history history;
  /* Opening for writing creates a missing folder, which only `add` may do. So the other actions that write open the
   * folder for reading first, which fails if it does not exist. */
  if (strcmp(action, "add") != 0 && !reads && history_open(options->arguments.items[1], false, &history, err) == 0)
    history_close(&history);
  if (err->exit_code != 0 || history_open(options->arguments.items[1], !reads, &history, err) != 0)
    return err->exit_code;
  const int code = run_action(&history, options, err);
  history_close(&history);
  if (err->exit_code != 0) text_sanitize(err->text);
  return code;
}

/* ---- `gpubench trend`: shows the trend of a history folder on the terminal and in files ---- */

static int write_trend_csv(const void *what, FILE *out, struct err *err) {
  return trend_csv_write(what, out, err);
}

static int write_trend_json(const void *what, FILE *out, struct err *err) {
  return trend_json_write(what, out, err);
}

static int output_trend(const struct trend *trend, const struct options *options, struct err *err) {
  if (output_write(options->outputs.csv, write_trend_csv, trend, err) != 0) return -1;
  if (output_write(options->outputs.json, write_trend_json, trend, err) != 0) return -1;
  if (options_use_stdout(options)) return output_finish(err);
  const struct trend_look look = {.color = output_color(options->common.color),
                                  .utf8 = output_utf8(),
                                  .quiet = options->common.quiet,
                                  .verbose = options->common.verbosity > 0};
  struct memory_text printing;
  trend_print(trend, memory_text_begin(&printing), &look);
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, output_wrap());
  return output_finish(err);
}

static int publish(const struct history *history, const struct trend *trend, const struct options *options,
                   struct err *err) {
  bool in_steps = false;
  if (options->trend.site == NULL) return 0;
  if (site_publish(history, trend, options->trend.site, &in_steps, err) != 0) {
    err->exit_code = EXIT_USAGE; /* the history was read before, so only the site folder can be the cause */
    return err_context(err, "--site");
  }
  if (in_steps)
    fprintf(stderr, "gpubench: %s was missing for an instant: this file system cannot exchange two folders\n",
            options->trend.site);
  return 0;
}

int trend_command(const struct options *options, struct err *err) {
  const struct history_choice choice = {
      .by_uuid = history_by_uuid(options), .benches = &options->cli.benches, .variants = &options->cli.variants};
  struct history history;
  struct history_data data = {0};
  struct trend trend = {0};
  if (history_open(options->arguments.items[0], false, &history, err) != 0) return err->exit_code;
  int rc = history_read(&history, &choice, &data, err);
  for (size_t i = 0; i < data.damaged.count; i++)
    fprintf(stderr, "gpubench: left out: %s\n", data.damaged.items[i]);
  if (rc == 0 && choice.benches->count + choice.variants->count > 0 && data.series_count == 0)
    rc = err_set(err, EXIT_USAGE, "no series of these nights match --bench and --variant");
  if (rc == 0) trend_build(&data, &trend);
  if (rc == 0) rc = publish(&history, &trend, options, err);
  if (rc == 0) rc = output_trend(&trend, options, err);
  const int code = rc == 0 ? trend_exit_code(&trend) : err->exit_code;
  if (rc == 0 && code != EXIT_OK && options->common.quiet)
    err_set(err, code, "the last night: %s",
            code == EXIT_REGRESSION ? "a regression"
            : code == EXIT_FAILED   ? "something failed"
                                    : "something is not confirmed");
  trend_free(&trend);
  history_data_free(&data);
  history_close(&history);
  if (err->exit_code != 0) text_sanitize(err->text);
  return code;
}
