/* Runs gpubench-diagram: starts the child process, waits for it and takes its output. */
#include "diagram/program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/glibc.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/tree.h"

enum { ANSWER_MAX = 1024 * 1024, WALL_S = 5, CPU_S = 2, MEMORY_MB = 512, STATUS_NOT_STARTED = 127 };

const char *diagram_program;

static bool find_program(char *to, size_t size) {
  return diagram_program != NULL ? text_copy(to, size, diagram_program)
                                 : tree_installed(to, size, "/lib/gpubench/gpubench-diagram");
}

bool diagram_ready(struct err *why) {
  char program[PATH_MAX];
  if (find_program(program, sizeof program) && access(program, X_OK) == 0) return true;
  err_set(why, EXIT_FAILED, "gpubench-diagram is not here: this gpubench was built without Graphviz");
  return false;
}

/* Makes the new child process the program, with these files as its stdin and stdout. */
static _Noreturn void become_diagram_program(const char *program, int in, int out) {
  const struct {
    __rlimit_resource_t what;
    rlim_t most;
  } limits[] = {
      {RLIMIT_CPU, CPU_S},
      {RLIMIT_CORE, 0},
      {RLIMIT_FSIZE, ANSWER_MAX},
#ifndef __SANITIZE_ADDRESS__ /* ASan reserves terabytes of address space */
      {RLIMIT_AS, (rlim_t)MEMORY_MB << 20},
#endif
  };
  char *argv[] = {"gpubench-diagram", NULL}, *variables[] = {"LC_ALL=C", NULL};
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    /* The kernel sends SIGXCPU at the soft limit of CPU time, and SIGKILL a second later at the hard one. */
    const struct rlimit both = {limits[i].most, limits[i].most + (limits[i].what == RLIMIT_CPU)};
    setrlimit(limits[i].what, &both);
  }
  if (dup2(in, 0) == 0 && dup2(out, 1) == 1 && dup2(open("/dev/null", O_WRONLY), 2) == 2) {
    closefrom(3);
    execve(program, argv, variables);
  }
  _exit(STATUS_NOT_STARTED);
}

/* Waits for the child and returns its status. *late becomes true if it had to be killed because its time was over. */
static int reap_diagram_program(pid_t pid, bool *late) {
  const int64_t began = clock_now_ns();
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(pid, &status, *late ? 0 : WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
    *late = clock_seconds_since(began) > WALL_S;
    if (*late) kill(pid, SIGKILL);
    clock_pause(0.001);
  }
  return status;
}

static int judge_diagram_exit(int status, bool late, char *answer, struct err *err) {
  const int ended_by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  char name[32];
  if (late) return err_set(err, EXIT_FAILED, "no layout within %d s", WALL_S);
  if (ended_by == SIGXCPU) return err_set(err, EXIT_FAILED, "no layout within %d s of CPU time", CPU_S);
  if (ended_by == SIGXFSZ) return err_set(err, EXIT_FAILED, "the diagram is longer than %d bytes", ANSWER_MAX);
  if (ended_by != 0) {
    text_signal(ended_by, name, sizeof name);
    return err_set(err, EXIT_FAILED, "gpubench-diagram died of %s", name);
  }
  if (WEXITSTATUS(status) == EXIT_SUCCESS) return 0;
  if (WEXITSTATUS(status) == STATUS_NOT_STARTED)
    return err_set(err, EXIT_FAILED, "gpubench-diagram does not start: Graphviz's libraries (libgvc) are missing here");
  answer[strcspn(answer, "\n")] = '\0';
  text_sanitize(answer);
  return err_set(err, EXIT_FAILED, "gpubench-diagram: %.200s", answer[0] ? answer : "failed without a message");
}

/* Returns the whole content of the file as text. */
static char *read_whole(int fd) {
  struct stat about;
  size_t size = fstat(fd, &about) == 0 ? (size_t)about.st_size : 0;
  char *text = xcalloc(size + 1, 1);
  if (pread(fd, text, size, 0) != (ssize_t)size) text[0] = '\0';
  return text;
}

static char *run_diagram_program(const char *program, int in, int out, struct err *err) {
  bool late = false;
  pid_t pid = fork();
  if (pid == 0) become_diagram_program(program, in, out);
  if (pid < 0) err_set(err, EXIT_FAILED, "gpubench-diagram does not start: %s", strerror(errno));
  if (pid < 0) return NULL;
  int status = reap_diagram_program(pid, &late);
  char *answer = read_whole(out);
  if (judge_diagram_exit(status, late, answer, err) == 0) return answer;
  free(answer);
  return NULL;
}

char *diagram_ask(const char *request, size_t size, struct err *err) {
  char program[PATH_MAX], *answer = NULL;
  if (!diagram_ready(err) || !find_program(program, sizeof program)) return NULL;
  int in = memfd_create("gpubench-dot", 0), out = memfd_create("gpubench-svg", 0);
  if (in < 0 || out < 0 || pwrite(in, request, size, 0) != (ssize_t)size)
    err_set(err, EXIT_FAILED, "no memory for a diagram: %s", strerror(errno));
  else
    answer = run_diagram_program(program, in, out, err);
  close(in);
  close(out);
  return answer;
}
