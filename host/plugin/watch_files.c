/* The descriptors that everybody shares, 0, 1, 2 and the connection to the parent, and the working directory. A
 * duplicate of each is kept where careless loops do not close it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "plugin/process_watch.h"

enum { FILES = 4 };
enum { SPARE_FDS = 8, SPARE_FD_MOST = 4096 }; /* above what careless loops close, and below what costs a large table */

static struct {
  bool taken;
  int socket;
  struct stat files[FILES]; /* 0, 1, 2 and the socket */
  int spares[FILES];        /* their duplicates */
} own;

static struct {
  bool taken;
  bool reached; /* an isolated worker's user may not be let into the folder that it was started in */
  int fd;
  struct stat where;
} directory;

static bool same_file(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int spare_fd(void) {
  struct rlimit limit;
  bool low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < SPARE_FD_MOST;
  return (low ? (int)limit.rlim_cur : SPARE_FD_MOST) - SPARE_FDS;
}

/* ---- Descriptors ---- */

void watch_files_socket(int socket) {
  own.socket = socket;
}

static int watched(int place) {
  return place < 3 ? place : own.socket;
}

static void take_files(void) {
  const int from = spare_fd();
  for (int i = 0; i < FILES; i++) {
    if (own.taken && own.spares[i] >= 0) close(own.spares[i]);
    int fd = watched(i);
    own.spares[i] = fd >= 0 && fstat(fd, &own.files[i]) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, from) : -1;
  }
  own.taken = true;
}

/* PROCESS_STATE_NONE where it is as it was. */
static enum process_state_harm restore_file(int place) {
  struct stat now;
  int fd = watched(place), spare = own.spares[place];
  if (spare < 0 || (fstat(fd, &now) == 0 && same_file(&now, &own.files[place]))) return PROCESS_STATE_NONE;
  bool back = fstat(spare, &now) == 0 && same_file(&now, &own.files[place]) && dup2(spare, fd) == fd;
  return back ? PROCESS_STATE_UNDONE : fd == own.socket ? PROCESS_STATE_CUT : PROCESS_STATE_LASTING;
}

static void check_descriptors(struct process_state_finding *finding) {
  char list[64] = "";
  enum process_state_harm worst = PROCESS_STATE_NONE;
  int count = 0;
  for (int i = 0; i < FILES; i++) {
    enum process_state_harm harm = restore_file(i);
    if (harm > worst) worst = harm;
    if (harm != PROCESS_STATE_NONE) snprintf(list + strlen(list), sizeof list - strlen(list), " %d", watched(i));
    count += harm != PROCESS_STATE_NONE;
  }
  if (count > 0) process_finding_add(finding, worst, "closed or replaced descriptor%s%s", count > 1 ? "s" : "", list);
}

/* With its duplicate the connection ends where either end shuts it down. */
static void check_socket(struct process_state_finding *finding) {
  struct pollfd end = {.fd = own.socket};
  if (own.socket >= 0 && poll(&end, 1, 0) > 0 && (end.revents & (POLLHUP | POLLERR)) != 0)
    process_finding_add(finding, PROCESS_STATE_CUT, "shut down the connection to the host");
}

static void check_files(struct process_state_finding *finding) {
  check_descriptors(finding);
  check_socket(finding);
  int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
  if (next >= 0)
    close(next);
  else if (errno == EMFILE)
    process_finding_add(finding, PROCESS_STATE_LASTING, "left no descriptor free");
}

const struct process_watch watch_files = {take_files, check_files};

/* ---- The directory ---- */

static void take_directory(void) {
  if (directory.taken) close(directory.fd);
  int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  directory.fd = here >= 0 ? fcntl(here, F_DUPFD_CLOEXEC, spare_fd()) : -1;
  if (here >= 0) close(here);
  directory.reached = stat(".", &directory.where) == 0;
  directory.taken = true;
}

static void check_directory(struct process_state_finding *finding) {
  struct stat now;
  char path[256];
  const bool reached = stat(".", &now) == 0;
  if (reached == directory.reached && (!reached || same_file(&now, &directory.where))) return;
  if (getcwd(path, sizeof path) == NULL) text_copy(path, sizeof path, "a place of a long name");
  bool back = fchdir(directory.fd) == 0;
  process_finding_add(finding, back ? PROCESS_STATE_UNDONE : PROCESS_STATE_LASTING, "changed the directory to %s",
                      path);
}

const struct process_watch watch_directory = {take_directory, check_directory};
