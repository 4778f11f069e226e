#include "worker/interpreter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"

enum { ANSWER_MS = 20000, MINOR_LEAST = 9 };

static const char *chosen;

void interpreter_choose(const char *given) {
  chosen = given;
}

/* ---- Finding the interpreter ---- */

static bool on_path(const char *name, char *path, size_t size) {
  const char *at = getenv("PATH");
  while (at != NULL && *at != '\0') {
    const size_t length = strcspn(at, ":");
    const int fits = snprintf(path, size, "%.*s/%s", (int)length, at, name);
    if (*at == '/' && fits > 0 && (size_t)fits < size && access(path, X_OK) == 0) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

static int locate(char *path, size_t size, struct err *err) {
  const char *environment = getenv("VIRTUAL_ENV");
  if (chosen != NULL && strchr(chosen, '/') != NULL) return text_copy(path, size, chosen) ? 0 : -1;
  if (chosen == NULL && environment != NULL && environment[0] == '/') {
    const int fits = snprintf(path, size, "%s/bin/python", environment);
    if (fits > 0 && (size_t)fits < size && access(path, X_OK) == 0) return 0;
  }
  if (on_path(chosen != NULL ? chosen : "python3", path, size)) return 0;
  return err_set(err, EXIT_USAGE, "no %.500s on PATH: --python names another", chosen != NULL ? chosen : "python3");
}

/* ---- Asking the interpreter for its version ---- */

/* The script that the interpreter runs to tell its version and path. It works in any version of Python and imports
 * nothing from the current folder. */
static const char question[] =
    "import sys\n"
    "sys.path = [p for p in sys.path if p]\n"
    "print('%d.%d.%d' % sys.version_info[:3])\n"
    "import ctypes, faulthandler\n"
    "ctypes.pythonapi.PyGILState_Ensure\n"
    "print(sys.executable)\n";

static pid_t ask_version(const char *path, int *answer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t pid = fork();
  if (pid == 0) {
    const int null = open("/dev/null", O_RDONLY);
    dup2(null, 0);
    dup2(ends[1], 1);
    dup2(ends[1], 2);
    execl(path, path, "-c", question, (char *)NULL);
    dprintf(1, "%s\n", strerror(errno));
    _exit(127);
  }
  close(ends[1]);
  if (pid < 0) close(ends[0]);
  *answer = ends[0];
  return pid;
}

/* Reads the interpreter's whole answer, or as much as arrives within the time limit. */
static void read_version(int answer, char *text, size_t size) {
  const int64_t end_ns = clock_now_ns() + ANSWER_MS * INT64_C(1000000);
  size_t used = 0;
  for (int64_t left; used + 1 < size && (left = end_ns - clock_now_ns()) > 0;) {
    struct pollfd fd = {.fd = answer, .events = POLLIN};
    if (poll(&fd, 1, (int)(left / 1000000) + 1) <= 0) continue;
    const ssize_t got = read(answer, text + used, size - 1 - used);
    if (got == 0 || (got < 0 && errno != EINTR)) break;
    used += got > 0 ? (size_t)got : 0;
  }
  text[used] = '\0';
}

static const char *last_line(char *text) {
  size_t end = strlen(text);
  while (end > 0 && text[end - 1] == '\n')
    text[--end] = '\0';
  const char *line = strrchr(text, '\n');
  text = line != NULL ? text + (line - text) + 1 : text;
  text_sanitize(text);
  return text[0] != '\0' ? text : "it says nothing";
}

static int judge_version(const char *path, char *said, bool good, struct interpreter *found, struct err *err) {
  int major = 0, minor = 0;
  const bool known = sscanf(said, "%d.%d.", &major, &minor) == 2;
  char *rest = strchr(said, '\n');
  if (known && (major < 3 || (major == 3 && minor < MINOR_LEAST)))
    return err_set(err, EXIT_USAGE, "%.500s is Python %d.%d: plugins in Python need 3.%d", path, major, minor,
                   MINOR_LEAST);
  if (!good || !known || rest == NULL)
    return err_set(err, EXIT_USAGE, "%.500s cannot be used: %.500s", path, last_line(said));
  *rest++ = '\0';
  rest[strcspn(rest, "\n")] = '\0';
  text_copy(found->version, sizeof found->version, said);
  text_copy(found->path, sizeof found->path, rest[0] == '/' ? rest : path);
  return 0;
}

static int find_interpreter(struct interpreter *found, struct err *err) {
  char path[sizeof found->path], said[8192];
  int answer, status = -1;
  if (locate(path, sizeof path, err) != 0) return err_set(err, EXIT_USAGE, "--python: path too long");
  const pid_t pid = ask_version(path, &answer);
  if (pid < 0) return err_set(err, EXIT_FAILED, "%.500s: %s", path, strerror(errno));
  read_version(answer, said, sizeof said);
  close(answer);
  if (waitpid(pid, &status, WNOHANG) == 0) kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return judge_version(path, said, WIFEXITED(status) && WEXITSTATUS(status) == 0, found, err);
}

int interpreter_find(struct interpreter *found, struct err *err) {
  static struct interpreter known;
  static struct err why;
  if (known.path[0] == '\0' && why.exit_code == 0) find_interpreter(&known, &why);
  *found = known;
  if (why.exit_code == 0) return 0;
  *err = why;
  return -1;
}
