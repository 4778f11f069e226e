/* Run directory in, report.html, copies and terminal table out. */
#include "cmd_report.h"

#include <errno.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reports/csv.h"
#include "reports/html.h"
#include "reports/run_data.h"
#include "reports/table.h"
#include "text.h"

typedef int (*write_fn)(const struct run_data *data, FILE *out, struct err *err);

static int write_csv(const struct run_data *data, FILE *out, struct err *err) {
  int result = csv_write_header(out, err);
  for (size_t i = 0; i < data->count && result == 0; i++)
    result = csv_write_record(out, &data->records[i], err);
  return result;
}

static int write_html(const struct run_data *data, FILE *out, struct err *err) {
  return html_write(data, out, err);
}

/* mkstemp makes files that only their owner reads; a report is for all whom the umask allows. */
static FILE *open_temporary(char *path) {
  mode_t mask = umask(0);
  umask(mask);
  int fd = mkstemp(path);
  if (fd < 0) return NULL;
  FILE *out = fchmod(fd, 0666 & ~mask) == 0 ? fdopen(fd, "w") : NULL;
  if (out == NULL) {
    close(fd);
    unlink(path);
  }
  return out;
}

/* Devices and pipes (/dev/stdout, a FIFO) are written to; a rename would replace them. */
static bool is_special(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static int write_special(const struct run_data *data, const char *path, write_fn write, struct err *err) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return err_set(err, EXIT_FAILED, "cannot open %s: %s", path, strerror(errno));
  int result = write(data, out, err);
  if (fclose(out) != 0 && result == 0) result = err_set(err, EXIT_FAILED, "cannot write: %s", strerror(errno));
  return result == 0 ? 0 : err_context(err, "%s", path);
}

static int write_file(const struct run_data *data, const char *path, write_fn write, struct err *err) {
  if (is_special(path)) return write_special(data, path, write, err);
  size_t size = strlen(path) + sizeof ".XXXXXX";
  char *temporary = xcalloc(size, 1);
  snprintf(temporary, size, "%s.XXXXXX", path);
  int result = -1;
  FILE *out = open_temporary(temporary);
  if (out == NULL) {
    err_set(err, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
    goto out;
  }
  result = write(data, out, err);
  if (fclose(out) != 0 && result == 0) result = err_set(err, EXIT_FAILED, "cannot write: %s", strerror(errno));
  if (result == 0 && rename(temporary, path) != 0)
    result = err_set(err, EXIT_FAILED, "cannot rename to it: %s", strerror(errno));
  if (result != 0) {
    unlink(temporary);
    err_context(err, "%s", path);
  }
out:
  free(temporary);
  return result;
}

static bool is_stdout(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

static int write_copy(const struct run_data *data, const char *path, write_fn write, struct err *err) {
  if (path == NULL) return 0;
  return is_stdout(path) ? write(data, stdout, err) : write_file(data, path, write, err);
}

static int write_report(const struct run_data *data, struct err *err) {
  if (data->dir == NULL) return 0;
  size_t size = strlen(data->dir) + sizeof "/report.html";
  char *path = xcalloc(size, 1);
  snprintf(path, size, "%s/report.html", data->dir);
  int result = write_file(data, path, write_html, err);
  free(path);
  return result;
}

static bool wants_color(const char *color) {
  if (color != NULL && strcmp(color, "always") == 0) return true;
  if (color != NULL && strcmp(color, "never") == 0) return false;
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  if (no_color != NULL && no_color[0] != '\0') return false;
  return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

static bool has_utf8(void) {
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0; /* main() has set LC_CTYPE */
}

static int terminal_width(void) {
  enum { PIPED = 100 };
  struct winsize size = {0};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return PIPED;
  return size.ws_col;
}

static int print_table(const struct run_data *data, const struct report_request *request, struct err *err) {
  if (request->quiet || is_stdout(request->html) || is_stdout(request->csv)) return 0;
  table_print(data, stdout, terminal_width(), wants_color(request->color), has_utf8());
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return 0;
  return err_set(err, EXIT_FAILED, "cannot write to stdout: %s", errno ? strerror(errno) : "an earlier write failed");
}

int cmd_report_dir(const struct report_request *request, struct err *err) {
  struct run_data data;
  if (is_stdout(request->html) && is_stdout(request->csv))
    return err_set(err, EXIT_USAGE, "--html - and --csv - both want stdout");
  if (run_data_load(request->dir, &data, err) != 0) return -1;
  if (!request->keep) { /* what it holds is about to go: no link may lead there */
    free(data.dir);
    data.dir = NULL;
  }
  int result = write_report(&data, err);
  if (result == 0) result = write_copy(&data, request->html, write_html, err);
  if (result == 0) result = write_copy(&data, request->csv, write_csv, err);
  if (result == 0) result = print_table(&data, request, err);
  run_data_free(&data);
  return result;
}

int report_command(const struct options *options, struct err *err) {
  const struct report_request request = {.dir = options->arguments.items[0],
                                         .html = options->html,
                                         .csv = options->csv,
                                         .color = options->color,
                                         .quiet = options->quiet,
                                         .keep = true};
  return cmd_report_dir(&request, err) == 0 ? EXIT_OK : err->exit_code;
}
