/* Runs in, outputs and the terminal table out. What an output looks like is known in reports/. */
#include "cmd_report.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_find.h"
#include "cmd_output.h"
#include "reports/html.h"
#include "reports/out.h"
#include "reports/run_data.h"
#include "reports/table.h"
#include "text.h"

#define FILE_OF(member) offsetof(struct options, member)

/* Which option's file gets what. A suffix goes before the file's extension: two outputs of one option. */
static const struct {
  size_t file;
  const char *suffix;
  out_fn write;
} outputs[] = {{FILE_OF(csv), "", out_csv},
               {FILE_OF(wide_csv), "", out_csv_wide},
               {FILE_OF(json_file), "", out_json},
               {FILE_OF(markdown), "", out_markdown},
               {FILE_OF(junit), "", out_junit},
               {FILE_OF(gbench), "", out_gbench},
               {FILE_OF(gh_benchmark), "-smaller", out_gh_smaller},
               {FILE_OF(gh_benchmark), "-bigger", out_gh_bigger},
               {FILE_OF(bmf), "", out_bmf},
               {FILE_OF(openmetrics), "", out_openmetrics}};

struct job {
  const struct run_data *data;
  out_fn write;
};

static int do_job(const void *what, FILE *out, struct err *err) {
  const struct job *job = what;
  return job->write(job->data, out, err);
}

/* "out/bench.json" with "-smaller" is "out/bench-smaller.json". */
static char *with_suffix(const char *path, const char *suffix) {
  const char *name = strrchr(path, '/'), *dot = strrchr(name != NULL ? name : path, '.');
  size_t stem = dot != NULL ? (size_t)(dot - path) : strlen(path), size = strlen(path) + strlen(suffix) + 1;
  char *result = xcalloc(size, 1);
  snprintf(result, size, "%.*s%s%s", (int)stem, path, suffix, path + stem);
  return result;
}

/* The file of this name in the folder of that one. */
static char *beside(const char *path, const char *name) {
  const char *slash = strrchr(path, '/');
  size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0, size = folder + strlen(name) + 1;
  char *result = xcalloc(size, 1);
  snprintf(result, size, "%.*s%s", (int)folder, path, name);
  return result;
}

static int write_job(const struct run_data *data, out_fn write, char *path, struct err *err) {
  const struct job job = {data, write};
  int result = output_write(path, do_job, &job, err);
  free(path);
  return result;
}

/* Style sheet and script go into the page's folder, or into the page: stdout has no folder. */
static int write_html(const struct run_data *data, const char *path, const struct options *options, struct err *err) {
  bool split = strcmp(options->assets, "split") == 0 && !output_is_stdout(path);
  if (path == NULL) return 0;
  if (!split) return write_job(data, html_write, xstrdup(path), err);
  if (write_job(data, html_write_split, xstrdup(path), err) != 0) return -1;
  if (write_job(data, html_write_css, beside(path, "report.css"), err) != 0) return -1;
  return write_job(data, html_write_js, beside(path, "report.js"), err);
}

static int write_outputs(const struct run_data *data, const struct options *options, struct err *err) {
  int result = write_html(data, options->html, options, err);
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0] && result == 0; i++) {
    const char *file = *(char *const *)((const char *)options + outputs[i].file);
    if (file == NULL) continue;
    result = write_job(data, outputs[i].write, with_suffix(file, outputs[i].suffix), err);
  }
  return result;
}

static int write_report(const struct run_data *data, const struct options *options, struct err *err) {
  if (data->dir == NULL) return 0;
  size_t size = strlen(data->dir) + sizeof "/report.html";
  char *path = xcalloc(size, 1);
  snprintf(path, size, "%s/report.html", data->dir);
  int result = write_html(data, path, options, err);
  free(path);
  return result;
}

static int write_all(const struct run_data *data, const struct options *options, struct err *err) {
  if (write_report(data, options, err) != 0 || write_outputs(data, options, err) != 0) return -1;
  if (!options->quiet && !options_use_stdout(options))
    table_print(data, stdout, output_width(), output_color(options->color), output_utf8());
  return output_finish(err);
}

int cmd_report_run(const char *dir, const struct options *options, struct err *err) {
  struct run_data data;
  if (run_data_load(dir, &data, err) != 0) return -1;
  if (options->no_save) run_data_forget_dirs(&data);
  int result = write_all(&data, options, err);
  run_data_free(&data);
  return result;
}

static int find_runs(const struct strings *names, struct strings *paths, struct err *err) {
  for (size_t i = 0; i < names->count; i++) {
    char *path = cmd_find_run(names->items[i], err);
    if (path == NULL) return -1;
    strings_add(paths, path);
    free(path);
  }
  return 0;
}

int report_command(const struct options *options, struct err *err) {
  struct strings paths = {0};
  struct run_data data = {0};
  int result = find_runs(&options->arguments, &paths, err);
  if (result == 0) result = run_data_load_all((const char *const *)paths.items, paths.count, &data, err);
  if (result == 0) result = write_all(&data, options, err);
  run_data_free(&data);
  strings_free(&paths);
  return result == 0 ? EXIT_OK : err->exit_code;
}
