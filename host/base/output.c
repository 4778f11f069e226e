/* Files, stdout and the terminal. */
#include "base/output.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

bool output_is_stdout(const char *path) {
  return path != NULL && strcmp(path, "-") == 0;
}

/* Opens a temporary file with the permissions that the umask allows. mkstemp() alone makes files that only their owner
 * may read. */
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

static int write_and_close(FILE *out, output_fn write, const void *what, struct err *err) {
  int result = write(what, out, err);
  if (fclose(out) != 0 && result == 0) result = err_set(err, EXIT_FAILED, "cannot write: %s", strerror(errno));
  return result;
}

static int write_in_place(const char *path, output_fn write, const void *what, struct err *err) {
  FILE *out = fopen(path, "w");
  if (out == NULL) return err_set(err, EXIT_FAILED, "cannot open %s: %s", path, strerror(errno));
  return write_and_close(out, write, what, err) == 0 ? 0 : err_context(err, "%s", path);
}

static int write_anew(const char *path, output_fn write, const void *what, struct err *err) {
  SCOPED char *temporary = memory_print("%s.XXXXXX", path);
  FILE *out = open_temporary(temporary);
  if (out == NULL) return err_set(err, EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
  int result = write_and_close(out, write, what, err);
  if (result == 0 && rename(temporary, path) != 0)
    result = err_set(err, EXIT_FAILED, "cannot rename to it: %s", strerror(errno));
  if (result == 0) return 0;
  unlink(temporary);
  return err_context(err, "%s", path);
}

int output_write(const char *path, output_fn write, const void *what, struct err *err) {
  struct stat info;
  if (path == NULL) return 0;
  if (output_is_stdout(path)) return write(what, stdout, err);
  bool special = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
  return special ? write_in_place(path, write, what, err) : write_anew(path, write, what, err);
}

int output_check(const char *path, struct err *err) {
  struct stat info;
  if (path == NULL || output_is_stdout(path)) return 0;
  const bool there = stat(path, &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return err_set(err, EXIT_USAGE, "cannot write %s: %s", path, strerror(EISDIR));
  /* not a regular file, such as a device: output_write() writes to it and does not replace it */
  if (there && !S_ISREG(info.st_mode))
    return access(path, W_OK) == 0 ? 0 : err_set(err, EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
  /* output_write() will make a temporary file next to `path`; makes one of the same form to see whether that works */
  SCOPED char *temporary = memory_print("%s.XXXXXX", path);
  FILE *out = open_temporary(temporary);
  if (out == NULL) {
    err_set(err, EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
  } else {
    fclose(out);
    unlink(temporary);
  }
  return out != NULL ? 0 : -1;
}

int output_end(FILE *out, const char *what, struct err *err) {
  errno = 0;
  if (fflush(out) == 0 && !ferror(out)) return 0;
  return err_set(err, EXIT_FAILED, "cannot write %s: %s", what, errno ? strerror(errno) : "an earlier write failed");
}

int output_finish(struct err *err) {
  struct err why = {0};
  if (output_end(stdout, "to stdout", &why) == 0 || errno == EPIPE) return 0;
  *err = why;
  return -1;
}

bool output_color(const char *when) {
  if (when != NULL && strcmp(when, "always") == 0) return true;
  if (when != NULL && strcmp(when, "never") == 0) return false;
  const char *no_color = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE"), *term = getenv("TERM");
  if (no_color != NULL && no_color[0] != '\0') return false;
  if (force != NULL && force[0] != '\0' && strcmp(force, "0") != 0) return true;
  return isatty(STDOUT_FILENO) && term != NULL && strcmp(term, "dumb") != 0;
}

bool output_utf8(void) {
  return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int output_wrap(void) {
  enum { LEAST = 40, MOST = 10000 };
  struct winsize size = {0};
  const char *columns = getenv("COLUMNS");
  const long asked = columns != NULL ? strtol(columns, NULL, 10) : 0;
  if (asked > 0 && asked <= MOST) return asked < LEAST ? LEAST : (int)asked;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 0;
  return size.ws_col < LEAST ? LEAST : size.ws_col;
}

int output_width(void) {
  enum { PIPED = 100 };
  const int known = output_wrap();
  return known > 0 ? known : PIPED;
}
