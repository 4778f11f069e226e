/* Runs gpubench-diagram: starts the child process, sends the request and reads the answer. */
#include "diagram/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/glibc.h"
#include "base/memory.h"
#include "base/text.h"
#include "diagram/graphviz/layout.h"

enum { ANSWER_MAX = 256 * 1024, WALL_MS = 5000, CPU_S = 2, MEMORY_MB = 512, STATUS_NOT_STARTED = 127 };

const char *diagram_program;

static bool find_program(char *to, size_t size) {
  static const char behind[] = "/lib/gpubench/gpubench-diagram";
  if (diagram_program != NULL) return text_copy(to, size, diagram_program);
  ssize_t length = readlink("/proc/self/exe", to, size - sizeof behind);
  if (length <= 0 || (size_t)length >= size - sizeof behind) return false;
  to[length] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(to, '/');
    if (slash != NULL) *slash = '\0';
  }
  strcat(to, behind);
  return true;
}

/* ---- Starting the program ---- */

static void limit_layout_program(pid_t pid) {
  const struct {
    __rlimit_resource_t what;
    rlim_t most;
  } limits[] = {
      {RLIMIT_CPU, CPU_S},
      {RLIMIT_CORE, 0},
      {RLIMIT_FSIZE, 0},
#ifndef __SANITIZE_ADDRESS__ /* ASan reserves terabytes of address space */
      {RLIMIT_AS, (rlim_t)MEMORY_MB << 20},
#endif
  };
  for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
    /* The kernel sends SIGXCPU at the soft limit of CPU time, and SIGKILL a second later at the hard one. */
    bool cpu = limits[i].what == RLIMIT_CPU;
    const struct rlimit both = {limits[i].most, limits[i].most + cpu};
    /* the child may have started already, but it does nothing before it gets its request */
    prlimit(pid, limits[i].what, &both, NULL);
  }
}

/* Starts the program with one socket as its stdin and stdout. With a socket, MSG_NOSIGNAL turns a write to a dead child
 * into an error instead of SIGPIPE. */
static int start_layout_program(const char *program, pid_t *pid, int *fd, struct err *err) {
  int ends[2];
  char *argv[] = {"gpubench-diagram", NULL}, *variables[] = {"LC_ALL=C", NULL};
  posix_spawn_file_actions_t actions;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return err_set(err, EXIT_FAILED, "no socket: %s", strerror(errno));
  int rc = posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addclosefrom_np(&actions, 3);
  if (rc == 0) rc = posix_spawn(pid, program, &actions, NULL, argv, variables);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *fd = ends[0];
  fcntl(*fd, F_SETFL, O_NONBLOCK);
  if (rc == 0) {
    limit_layout_program(*pid);
    return 0;
  }
  close(ends[0]);
  return err_set(err, EXIT_FAILED, "gpubench-diagram does not start: %s", strerror(rc));
}

/* ---- Sending the request and receiving the answer ---- */

static int milliseconds_left(const struct timespec *began) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  long long gone = (now.tv_sec - began->tv_sec) * 1000LL + (now.tv_nsec - began->tv_nsec) / 1000000;
  return gone >= WALL_MS ? 0 : (int)(WALL_MS - gone);
}

struct talk {
  const char *request;
  size_t left;
  bool said;
  char *answer; /* ANSWER_MAX + 1 bytes */
  size_t got;
};

static bool transient(ssize_t result) {
  return result < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK);
}

static void send_layout_request(int fd, struct talk *talk) {
  ssize_t sent = send(fd, talk->request, talk->left, MSG_NOSIGNAL);
  /* sends no more of the request; the child's exit status and output will give the reason */
  if (sent < 0 && !transient(sent)) talk->left = 0;
  if (sent > 0) {
    talk->request += sent;
    talk->left -= (size_t)sent;
  }
  if (talk->left == 0) shutdown(fd, SHUT_WR);
  talk->said = talk->left == 0;
}

/* Receives the available bytes. Returns true if more may follow. */
static bool receive_layout(int fd, struct talk *talk) {
  ssize_t got = recv(fd, talk->answer + talk->got, ANSWER_MAX - talk->got, 0);
  if (got > 0) talk->got += (size_t)got;
  return (got > 0 && talk->got < ANSWER_MAX) || transient(got);
}

static bool go_on(int fd, struct talk *talk) {
  if (!talk->said) send_layout_request(fd, talk);
  return receive_layout(fd, talk);
}

static int talk_to(int fd, struct talk *talk, struct err *err) {
  struct timespec began;
  clock_gettime(CLOCK_MONOTONIC, &began);
  while (go_on(fd, talk)) {
    struct pollfd wait = {.fd = fd, .events = (short)(POLLIN | (talk->said ? 0 : POLLOUT))};
    int left = milliseconds_left(&began);
    if (left == 0) return err_set(err, EXIT_FAILED, "no layout within %d s", WALL_MS / 1000);
    poll(&wait, 1, left);
  }
  talk->answer[talk->got] = '\0';
  return talk->got < ANSWER_MAX ? 0 : err_set(err, EXIT_FAILED, "the layout is longer than %d bytes", ANSWER_MAX);
}

/* ---- Ending the program ---- */

/* Waits for the child and returns its status. If `patient` (the child has closed its output), the child gets some time
 * to exit before it is killed; otherwise it is killed at once. */
static int reap_layout_program(pid_t pid, bool patient) {
  int status = 0;
  pid_t done = 0;
  const struct timespec pause = {0, 1000000};
  for (int waited = 0; patient && waited < WALL_MS && (done = waitpid(pid, &status, WNOHANG)) == 0; waited++)
    nanosleep(&pause, NULL);
  if (done == pid) return status;
  kill(pid, SIGKILL);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
    continue;
  return status;
}

static int judge_layout_exit(int status, char *answer, struct err *err) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return 0;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
    return err_set(err, EXIT_FAILED, "no layout within %d s of CPU time", CPU_S);
  if (WIFSIGNALED(status)) {
    char name[32];
    text_signal(WTERMSIG(status), name, sizeof name);
    return err_set(err, EXIT_FAILED, "gpubench-diagram died of %s", name);
  }
  if (WEXITSTATUS(status) == STATUS_NOT_STARTED)
    return err_set(err, EXIT_FAILED, "gpubench-diagram does not start: Graphviz's libraries (libgvc) are missing here");
  answer[strcspn(answer, "\n")] = '\0';
  text_sanitize(answer);
  return err_set(err, EXIT_FAILED, "gpubench-diagram: %.200s", answer[0] ? answer : "failed without a message");
}

bool diagram_ready(struct err *why) {
  char program[PATH_MAX];
  if (find_program(program, sizeof program) && access(program, X_OK) == 0) return true;
  err_set(why, EXIT_FAILED, "gpubench-diagram is not here: this gpubench was built without Graphviz");
  return false;
}

char *diagram_ask(const char *request, size_t size, struct err *err) {
  char program[PATH_MAX];
  pid_t pid = 0;
  int fd = -1;
  if (!diagram_ready(err) || !find_program(program, sizeof program)) return NULL;
  if (start_layout_program(program, &pid, &fd, err) != 0) return NULL;
  struct talk talk = {.request = request, .left = size, .answer = xcalloc(ANSWER_MAX + 1, 1)};
  bool heard = talk_to(fd, &talk, err) == 0;
  close(fd);
  int status = reap_layout_program(pid, heard);
  if (heard && judge_layout_exit(status, talk.answer, err) == 0) return talk.answer;
  free(talk.answer);
  return NULL;
}

static void write_request(FILE *out, const struct diagram *d) {
  fprintf(out, LAYOUT_HEADING " %d %zu %zu %zu\n", d->across, d->cluster_count, d->node_count, d->edge_count);
  for (size_t i = 0; i < d->cluster_count; i++)
    fprintf(out, "%d %d\n", d->clusters[i].width, d->clusters[i].height);
  for (size_t i = 0; i < d->node_count; i++)
    fprintf(out, "%d %d %d\n", d->nodes[i].cluster, d->nodes[i].width, d->nodes[i].height);
  for (size_t i = 0; i < d->edge_count; i++)
    fprintf(out, "%zu %zu %d %d %d\n", d->edges[i].from, d->edges[i].to, d->edges[i].free, d->edges[i].width,
            d->edges[i].height);
}

/* ---- Reading the answer ---- */

struct reader {
  const char *at;
  bool bad;
};

static void expect_word(struct reader *r, const char *word) {
  size_t length = strlen(word);
  r->at += strspn(r->at, "\n");
  if (strncmp(r->at, word, length) != 0 || strchr(" \n", r->at[length]) == NULL) r->bad = true;
  if (!r->bad) r->at += length;
}

static double read_layout_number(struct reader *r) {
  char *end;
  double value = r->bad ? 0 : strtod(r->at, &end);
  if (r->bad || end == r->at || !isfinite(value) || fabs(value) > 1e5) {
    r->bad = true;
    return 0;
  }
  r->at = end;
  return value;
}

static void read_edge(struct reader *r, struct diagram_edge *edge) {
  expect_word(r, "edge");
  edge->label_x = read_layout_number(r);
  edge->label_y = read_layout_number(r);
  double count = read_layout_number(r);
  if (r->bad || count < 5 || count > LAYOUT_POINTS_MAX || fmod(count, 3) != 2) {
    r->bad = true;
    return;
  }
  free(edge->points);
  edge->point_count = (size_t)count;
  edge->points = xcalloc(2 * edge->point_count, sizeof *edge->points);
  for (size_t i = 0; i < 2 * edge->point_count; i++)
    edge->points[i] = read_layout_number(r);
}

bool diagram_parse(struct diagram *d, const char *answer) {
  struct reader r = {answer, false};
  expect_word(&r, "size");
  d->width = read_layout_number(&r);
  d->height = read_layout_number(&r);
  for (size_t i = 0; i < d->cluster_count; i++) {
    expect_word(&r, "cluster");
    d->clusters[i].left = read_layout_number(&r);
    d->clusters[i].top = read_layout_number(&r);
    d->clusters[i].right = read_layout_number(&r);
    d->clusters[i].bottom = read_layout_number(&r);
  }
  for (size_t i = 0; i < d->node_count; i++) {
    expect_word(&r, "node");
    d->nodes[i].x = read_layout_number(&r);
    d->nodes[i].y = read_layout_number(&r);
  }
  for (size_t i = 0; i < d->edge_count && !r.bad; i++)
    read_edge(&r, &d->edges[i]);
  expect_word(&r, "end");
  return !r.bad && d->width > 0 && d->height > 0;
}

static int check_size(const struct diagram *d, struct err *err) {
  if (d->node_count == 0) return err_set(err, EXIT_FAILED, "there is nothing to draw");
  if (d->node_count > LAYOUT_NODES_MAX || d->edge_count > LAYOUT_EDGES_MAX || d->cluster_count > LAYOUT_CLUSTERS_MAX)
    return err_set(err, EXIT_FAILED, "%zu boxes and %zu arrows are more than %d and %d", d->node_count, d->edge_count,
                   LAYOUT_NODES_MAX, LAYOUT_EDGES_MAX);
  return 0;
}

int diagram_layout(struct diagram *d, struct err *err) {
  if (check_size(d, err) != 0) return -1;
  struct memory_text memory;
  write_request(memory_text_begin(&memory), d);
  SCOPED char *request = memory_text_end(&memory), *answer = diagram_ask(request, memory.size, err);
  bool good = answer != NULL && diagram_parse(d, answer);
  if (answer != NULL && !good) err_set(err, EXIT_FAILED, "gpubench-diagram gave no layout that can be read");
  return good ? 0 : -1;
}
