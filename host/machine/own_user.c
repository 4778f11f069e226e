#include "machine/own_user.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <grp.h>
#include <linux/capability.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/glibc.h"
#include "base/text.h"
#include "machine/kernel_files.h"

/* The range of user ids for processes with plugin code: above the usual users of a machine and below those of
 * containers. */
enum { FIRST = 58000, COUNT = 2000, GROUPS_MOST = 16, PATIENCE_MS = 500 };

/* ---- Reserving a user ---- */

/* Returns true if this process's user namespace contains the whole range of user ids. */
static bool are_mapped(void) {
  unsigned long from, outside, length;
  bool mapped = false;
  FILE *map = fopen("/proc/self/uid_map", "re");
  if (map == NULL) return true; /* the kernel has no user namespaces */
  while (!mapped && fscanf(map, "%lu %lu %lu", &from, &outside, &length) == 3)
    mapped = from <= FIRST && FIRST + COUNT - from <= length;
  fclose(map);
  return mapped;
}

bool own_user_can(char *why, size_t size) {
  if (geteuid() != 0)
    text_copy(why, size, "it does not run as root");
  else if (!are_mapped())
    text_copy(why, size, "its user namespace has no other users");
  else
    return true;
  return false;
}

/* Marks the user ids under which a process runs in `used`; reads them from the line `Uid:` of the process's status
 * file. */
static void mark_users(const char *pid, bool *used) {
  char path[64], line[256];
  unsigned long users[4];
  snprintf(path, sizeof path, "/proc/%.20s/status", pid);
  if (!tree_value("", path, "Uid", line, sizeof line) ||
      sscanf(line, "%lu %lu %lu %lu", &users[0], &users[1], &users[2], &users[3]) != 4)
    return;
  for (int i = 0; i < 4; i++)
    if (users[i] >= FIRST && users[i] < FIRST + COUNT) used[users[i] - FIRST] = true;
}

static bool mark_all(bool *used) {
  const struct dirent *entry;
  DIR *all = opendir("/proc");
  if (all == NULL) return false;
  while ((entry = readdir(all)) != NULL)
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9') mark_users(entry->d_name, used);
  closedir(all);
  return true;
}

/* Reserves a user id by binding an abstract socket to a name that contains the id. The kernel releases the name when
 * this process ends for any reason. Returns the socket; -1 on failure, such as when another process has reserved the
 * id. */
static int hold_user(uid_t uid) {
  struct sockaddr_un name = {.sun_family = AF_UNIX};
  const int length = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "gpubench-user-%u", (unsigned)uid);
  const int held = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (held < 0) return -1;
  if (bind(held, (const struct sockaddr *)&name,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1) + (socklen_t)length) == 0)
    return held;
  close(held);
  return -1;
}

static void start_signaller(struct own_user *user);

static void stop_signaller(struct own_user *user) {
  if (user->line >= 0) close(user->line);
  if (user->signaller > 0) {
    kill(user->signaller, SIGKILL);
    while (waitpid(user->signaller, NULL, 0) < 0 && errno == EINTR)
      continue;
  }
  user->line = -1;
  user->signaller = 0;
}

int own_user_take(struct own_user *user, struct err *err) {
  /* where the search for a free id begins; it moves on, so that the id of a process that has just ended is not reused
   * at once */
  static unsigned next;
  bool used[COUNT] = {false};
  *user = OWN_USER_NONE;
  if (!mark_all(used)) return err_set(err, EXIT_FAILED, "a user for a worker: /proc: %s", strerror(errno));
  for (unsigned tries = 0; tries < COUNT; tries++) {
    const unsigned at = next++ % COUNT;
    const uid_t uid = FIRST + at;
    if (used[at] || getpwuid(uid) != NULL || getgrgid(uid) != NULL) continue;
    const int held = hold_user(uid);
    if (held < 0) continue;
    *user = (struct own_user){uid, held, 0, -1};
    start_signaller(user);
    return 0;
  }
  return err_set(err, EXIT_FAILED, "a user for a worker: all of %d to %d are taken", FIRST, FIRST + COUNT - 1);
}

void own_user_release(struct own_user *user) {
  if (user->uid == 0) return;
  own_user_signal(user, SIGKILL);
  stop_signaller(user);
  close(user->held);
  *user = OWN_USER_NONE;
}

/* ---- Becoming the user ---- */

/* Finds the groups whose members may use the GPU device files. A file that all users may read needs no group. */
static size_t device_groups(gid_t *groups) {
  static const char *const patterns[] = {"/dev/nvidia*", "/dev/nvidia-caps/*", "/dev/dri/*", "/dev/kfd"};
  size_t count = 0;
  for (size_t p = 0; p < sizeof patterns / sizeof patterns[0]; p++) {
    glob_t found;
    struct stat info;
    if (glob(patterns[p], 0, NULL, &found) != 0) continue;
    for (size_t i = 0; i < found.gl_pathc && count < GROUPS_MOST; i++) {
      if (stat(found.gl_pathv[i], &info) != 0 || !S_ISCHR(info.st_mode) || info.st_gid == 0) continue;
      if ((info.st_mode & S_IRGRP) == 0 || (info.st_mode & S_IROTH) != 0) continue;
      bool known = false;
      for (size_t g = 0; g < count; g++)
        known = known || groups[g] == info.st_gid;
      if (!known) groups[count++] = info.st_gid;
    }
    globfree(&found);
  }
  return count;
}

int own_user_enter(const struct own_user *user, struct err *err) {
  gid_t groups[GROUPS_MOST];
  const size_t count = device_groups(groups);
  if (setgroups(count, groups) != 0 || setresgid(user->uid, user->uid, user->uid) != 0 ||
      setresuid(user->uid, user->uid, user->uid) != 0)
    return err_set(err, EXIT_FAILED, "becoming user %u: %s", (unsigned)user->uid, strerror(errno));
  if (setresuid(0, 0, 0) == 0) return err_set(err, EXIT_FAILED, "user %u can become root", (unsigned)user->uid);
  return 0;
}

/* ---- Sending signals to all processes of the user ---- */

/* Returns true if this process may send signals to processes of other users. Then kill(-1) must not be used, because it
 * would reach all processes of the machine. */
static bool may_signal_all(void) {
  struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
  return syscall(SYS_capget, &head, data) != 0 || (data[0].effective & (1u << CAP_KILL)) != 0;
}

/* The main loop of the signaller, a process that runs as the reserved user and has no other rights. Its kill(-1)
 * therefore reaches exactly the processes of that user, except itself. It sends the signals whose numbers arrive on its
 * socket, until the socket is closed. */
static _Noreturn void signal_all(uid_t uid, int line) {
  uid_t real = 0, effective = 0, saved = 0;
  int32_t number;
  setsid(); /* starts a new session, so that signals from the terminal do not reach this process */
  prctl(PR_SET_NAME, "gpubench-user");
  line = dup2(line, 0);
  closefrom(1);
  if (uid < FIRST || uid >= FIRST + COUNT || setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
      setresuid(uid, uid, uid) != 0)
    _exit(1);
  if (getresuid(&real, &effective, &saved) != 0 || real != uid || effective != uid || saved != uid) _exit(1);
  if (may_signal_all()) _exit(1);
  prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  for (ssize_t got; (got = recv(line, &number, sizeof number, 0)) == sizeof number || (got < 0 && errno == EINTR);) {
    if (got < 0) continue;
    const int32_t rc = kill(-1, number) == 0 || errno == ESRCH ? 0 : -1;
    if (send(line, &rc, sizeof rc, MSG_NOSIGNAL) != sizeof rc) break;
  }
  _exit(0);
}

/* Starts the signaller. If that fails there is none, and own_user_signal() returns false. */
static void start_signaller(struct own_user *user) {
  int line[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) != 0) return;
  user->signaller = fork();
  if (user->signaller == 0) signal_all(user->uid, line[1]);
  close(line[1]);
  user->line = line[0];
  if (user->signaller < 0) stop_signaller(user);
}

/* Sends a signal through the signaller. The signaller gets little time to answer, because the user's processes can kill
 * or stop it. If it does not answer, it is ended, and this call and later ones return false. */
bool own_user_signal(struct own_user *user, int number) {
  const int32_t wanted = number;
  int32_t rc = -1;
  if (user->line < 0) return false;
  if (send(user->line, &wanted, sizeof wanted, MSG_NOSIGNAL) != sizeof wanted) return stop_signaller(user), false;
  struct pollfd answer = {.fd = user->line, .events = POLLIN};
  int ready;
  while ((ready = poll(&answer, 1, PATIENCE_MS)) < 0 && errno == EINTR)
    continue;
  const bool heard = ready > 0 && recv(user->line, &rc, sizeof rc, 0) == sizeof rc;
  if (!heard) stop_signaller(user);
  return heard && rc == 0;
}
