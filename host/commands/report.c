/* Writes the reports of runs: the output files, and the table on the terminal. The formats are in reports/. */
#include "commands/commands.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grid.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/text.h"
#include "commands/against.h"
#include "export/export.h"
#include "html/assets.h"
#include "html/report.h"
#include "merge/merge.h"
#include "record/find.h"
#include "record/run_data.h"
#include "summary/sentence.h"
#include "terminal/terminal.h"

/* ---- Rows of other programs (--foreign) ---- */

/* Writes the foreign rows (results of other programs) into the run's directory, so that they stay with the report that
 * shows them. */
static int keep_foreign(struct run_data *data, struct err *err) {
  SCOPED char *path = memory_print("%s/" FOREIGN_FILE, data->dir);
  int result = output_write(path, foreign_write, &data->foreign, err);
  if (result == 0) strings_add_once(&data->runs[0].files, FOREIGN_FILE);
  return result;
}

/* Adds the rows of other programs, which the files of --foreign hold, to the data. If there is only one run, the rows
 * become rows of that run and are also stored in its directory. If there are several runs, the rows belong to all of
 * them. */
static int foreign_add(const struct strings *files, struct run_data *data, struct err *err) {
  struct foreign_rows rows;
  if (files->count == 0) return 0;
  if (foreign_load_all(files, &rows, err) != 0) return -1;
  foreign_merge(&data->foreign, &rows, data->run_count == 1 ? 0 : FOREIGN_ANY_RUN);
  run_data_share(data);
  return data->dir != NULL ? keep_foreign(data, err) : 0;
}

#define FILE_OF(member) offsetof(struct options_outputs, member)

/* The options for output files, and the functions that write them. An option with two outputs has two entries; in the
 * name of one output, `suffix` stands before the extension. */
static const struct {
  size_t file;
  const char *suffix;
  export_fn write;
} outputs[] = {{FILE_OF(csv), "", export_csv},
               {FILE_OF(wide_csv), "", export_csv_wide},
               {FILE_OF(json), "", export_json},
               {FILE_OF(markdown), "", export_markdown},
               {FILE_OF(junit), "", export_junit},
               {FILE_OF(ctrf), "", export_ctrf},
               {FILE_OF(gbench), "", export_gbench},
               {FILE_OF(gh_benchmark), "-smaller", export_gh_smaller},
               {FILE_OF(gh_benchmark), "-bigger", export_gh_bigger},
               {FILE_OF(bmf), "", export_bmf},
               {FILE_OF(openmetrics), "", export_openmetrics}};

struct job {
  const struct run_data *data;
  export_fn write;
};

static int do_job(const void *what, FILE *out, struct err *err) {
  const struct job *job = what;
  return job->write(job->data, out, err);
}

/* Returns the path with a suffix before its extension: "-smaller" changes "out/bench.json" to
 * "out/bench-smaller.json". */
static char *with_suffix(const char *path, const char *suffix) {
  const char *name = strrchr(path, '/'), *dot = strrchr(name != NULL ? name : path, '.');
  size_t stem = dot != NULL ? (size_t)(dot - path) : strlen(path);
  return memory_print("%.*s%s%s", (int)stem, path, suffix, path + stem);
}

/* Returns the path of file `name` in the folder of `path`. */
static char *beside(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  return memory_print("%.*s%s", slash != NULL ? (int)(slash - path) + 1 : 0, path, name);
}

static int write_job(const struct run_data *data, export_fn write, char *path, struct err *err) {
  const struct job job = {data, write};
  int result = output_write(path, do_job, &job, err);
  free(path);
  return result;
}

/* Writes the report. With --assets split, writes the style sheet and the script as files next to the page. Otherwise,
 * or if the page goes to stdout, they are parts of the page. */
static int write_report_html(const struct run_data *data, const char *path, const struct options *options,
                             struct err *err) {
  bool split = strcmp(options->outputs.assets, "split") == 0 && !output_is_stdout(path);
  if (path == NULL) return 0;
  if (!split) return write_job(data, html_write, xstrdup(path), err);
  if (write_job(data, html_write_split, xstrdup(path), err) != 0) return -1;
  if (write_job(data, html_write_css, beside(path, "report.css"), err) != 0) return -1;
  return write_job(data, html_write_js, beside(path, "report.js"), err);
}

static int write_outputs(const struct run_data *data, const struct options *options, struct err *err) {
  int result = write_report_html(data, options->outputs.html, options, err);
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && result == 0; i++) {
    const char *file = *(char *const *)((const char *)&options->outputs + outputs[i].file);
    if (file == NULL) continue;
    result = write_job(data, outputs[i].write, with_suffix(file, outputs[i].suffix), err);
  }
  return result;
}

static int write_report(const struct run_data *data, const struct options *options, struct err *err) {
  if (data->dir == NULL) return 0;
  SCOPED char *path = memory_print("%s/report.html", data->dir);
  return write_report_html(data, path, options, err);
}

static void print_tables(const struct run_data *data, const struct options *options) {
  struct memory_text printing;
  FILE *out = memory_text_begin(&printing);
  (options_is_edit(options) ? edit_print : table_print)(data, out, output_width(), output_color(options->common.color),
                                                        output_utf8());
  SCOPED char *text = memory_text_end(&printing);
  wrap_print(stdout, text, output_wrap());
}

static int write_and_print(struct run_data *data, const struct options *options, struct err *err) {
  words_settle(data);
  if (write_report(data, options, err) != 0 || write_outputs(data, options, err) != 0) return -1;
  if (!options->common.quiet && !options_use_stdout(options)) print_tables(data, options);
  if (options->common.quiet && !options_use_stdout(options)) plain_print(data, stdout, output_utf8());
  return output_finish(err);
}

int report_run(const char *dir, const struct base_run *base, const struct options *options, struct err *err) {
  struct run_data data;
  struct gate gate = {0};
  if (run_data_load(dir, &data, err) != 0) return -1;
  if (options->run.no_save) run_data_forget_dirs(&data);
  int result = against_add(&data, dir, base, options, &gate, err);
  if (result == 0) result = write_and_print(&data, options, err);
  run_data_free(&data);
  return result == 0 ? gate_judge(&gate, options, err) : -1; /* judged only after the files were written */
}

/* ---- `gpubench report` ---- */

/* Returns the time when the run began, in the format of directory names. It is needed because the baseline run of
 * --against must be earlier. */
static const char *began_stamp(const struct run_data *data, char *stamp, size_t size) {
  const char *run_id = run_data_get(data, "run_id"), *started = run_data_get(data, "started_utc");
  size_t used = 0;
  if (run_id != NULL && find_is_dated(run_id)) return run_id;
  for (; started != NULL && *started != '\0' && used + 1 < size; started++)
    if (*started != '-' && *started != ':') stamp[used++] = *started;
  stamp[used] = '\0';
  return used != 0 ? stamp : NULL;
}

static int compare_with(const char *path, struct run_data *data, const struct options *options, struct gate *gate,
                        struct err *err) {
  char stamp[32];
  struct base_wish wish = {.self = path, .before = began_stamp(data, stamp, sizeof stamp)};
  struct base_run base;
  for (size_t i = 0; i < data->count; i++)
    base_wish_add(&wish, data->records[i].case_key, data->records[i].variant, data->records[i].mode);
  if (data->count != 0) wish.device = data->records[0].device_name;
  int result = base_run_load(options->compare.against, &wish, &base, err);
  if (result == 0 && !base.loaded)
    fprintf(stderr, "gpubench: --against %s: no earlier run in %.200s shares a row with this one\n",
            options->compare.against, find_parent());
  if (result == 0 && !base.loaded) gate_add_alone(gate);
  if (result == 0) result = base_run_check_other(&base, path, err);
  if (result == 0) result = against_add(data, path, &base, options, gate, err);
  base_run_free(&base);
  base_wish_free(&wish);
  return result;
}

/* Loads all runs into `data`. Each run is compared with its baseline run before it is merged with the others. */
static int load_all(const struct strings *paths, bool temporary, const struct options *options, struct run_data *data,
                    struct gate *gate, struct err *err) {
  for (size_t i = 0; i < paths->count; i++) {
    struct run_data next;
    if (run_data_load_proven(paths->items[i], &next, err) != 0) return -1;
    if (temporary) run_data_forget_dirs(&next);
    int result = options->compare.against != NULL ? compare_with(paths->items[i], &next, options, gate, err) : 0;
    if (result != 0) run_data_free(&next);
    if (result != 0) return -1;
    if (i == 0)
      *data = next;
    else
      run_data_merge(data, &next);
  }
  return 0;
}

/* Merges shards (parts of one run that separate processes measured) into the directory of --out, or a temporary one. */
static int merge_shards(struct strings *paths, const struct options *options, struct rundir *made, struct err *err) {
  const struct rundir_options where = {options->outputs.out, "shards", options->outputs.out == NULL};
  *made = (struct rundir){0};
  if (options->outputs.out == NULL && !merge_are_shards(paths)) return 0;
  if (merge_runs(paths, &where, made, err) != 0) return -1;
  strings_free(paths);
  strings_add(paths, made->path);
  return 0;
}

static int report_all(const struct strings *paths, bool temporary, const struct options *options, struct err *err) {
  struct run_data data = {0};
  struct gate gate = {0};
  int result = load_all(paths, temporary, options, &data, &gate, err);
  if (result == 0) result = foreign_add(&options->compare.foreigns, &data, err);
  if (result == 0) result = write_and_print(&data, options, err);
  if (result == 0) result = gate_judge(&gate, options, err);
  run_data_free(&data);
  return result;
}

int report_stored(const char *dir, const struct options *options, struct err *err) {
  SCOPED_STRINGS struct strings paths = {0};
  strings_add(&paths, dir);
  return report_all(&paths, false, options, err);
}

int report_command(const struct options *options, struct err *err) {
  SCOPED_STRINGS struct strings paths = {0};
  struct rundir merged = {0};
  int result = find_runs(&options->arguments, &paths, err);
  if (result == 0) result = merge_shards(&paths, options, &merged, err);
  if (result == 0) result = report_all(&paths, merged.temporary, options, err);
  if (merged.temporary) rundir_discard(&merged);
  return result == 0 ? EXIT_OK : err->exit_code;
}
