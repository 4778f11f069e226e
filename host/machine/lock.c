/* Device locks. The lock files stay empty; /proc/locks tells which process holds a lock. */
#include "machine/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "machine/kernel_files.h"

enum { STEP_MS = 50, SAY_AFTER_MS = 1000, ATTEMPTS_MOST = 20 };

bool lock_policy_parse(const char *text, enum lock_policy *policy) {
  static const char *const names[] = {[LOCK_WAIT] = "wait", [LOCK_REFUSE] = "refuse", [LOCK_OFF] = "off"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(text, names[i]) == 0) {
      *policy = (enum lock_policy)i;
      return true;
    }
  return false;
}

/* ---- The folder of the lock files ---- */

/* Returns NULL if the folder is safe for lock files: only the owner of a file, root and this user can remove the file.
 * Otherwise returns a text with the reason. */
static const char *folder_fault(const char *folder) {
  struct stat info;
  if (folder[0] != '/') return "not an absolute path";
  if (stat(folder, &info) != 0) return strerror(errno);
  if (!S_ISDIR(info.st_mode)) return "not a directory";
  if (info.st_uid != 0 && info.st_uid != geteuid()) return "it belongs to another user";
  if ((info.st_mode & 022) != 0 && (info.st_mode & S_ISVTX) == 0) return "others may write there, without a sticky bit";
  return access(folder, W_OK | X_OK) == 0 ? NULL : strerror(errno);
}

/* Returns the folder for lock files. If none is safe, returns NULL, and `why` says what is wrong with the first one.
 * /tmp is tried before $XDG_RUNTIME_DIR, because all users share it. */
static const char *find_folder(char *why, size_t size) {
  const char *given = getenv("GPUBENCH_LOCK_DIR"), *runtime = getenv("XDG_RUNTIME_DIR");
  bool only = given != NULL && given[0] != '\0';
  const char *const folders[] = {only ? given : "/tmp", only ? NULL : runtime};
  why[0] = '\0';
  for (size_t i = 0; i < 2; i++) {
    const char *fault = folders[i] != NULL && folders[i][0] != '\0' ? folder_fault(folders[i]) : "";
    if (fault == NULL) return folders[i];
    if (i == 0) snprintf(why, size, "%.200s: %s", folders[i], fault);
  }
  return NULL;
}

static bool in_container(void) {
  return access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
}

/* ---- The file of a device ---- */

static void file_path(const char *folder, const char *device, char *to, size_t size) {
  char name[ID_SIZE * 2];
  text_copy(name, sizeof name, device);
  for (char *c = name; *c != '\0'; c++)
    if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", *c) == NULL) *c = '_';
  snprintf(to, size, "%.3500s/gpubench-%s.lock", folder, name);
}

/* Opens the lock file for reading only: that is enough for locking, and all users may do it. If the file exists, it is
 * opened without O_CREAT, which the kernel may refuse for another user's file in a sticky folder. */
static int open_file(const char *path, char *why, size_t size) {
  struct stat info;
  int fd = -1;
  for (int i = 0; fd < 0 && i < ATTEMPTS_MOST; i++) {
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd >= 0 || errno != ENOENT) break;
    fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
    /* if the mode cannot be set, the file keeps the mode that the umask allows */
    if (fd >= 0 && fchmod(fd, 0444) != 0) errno = 0;
    if (fd < 0 && errno != EEXIST) break;
  }
  bool regular = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  if (regular) return fd;
  snprintf(why, size, "%.300s: %s", path, fd < 0 ? strerror(errno) : "not a regular file");
  if (fd >= 0) close(fd);
  return -1;
}

/* Returns true if the path still names the open file. Otherwise the file was deleted, and a lock on it is useless,
 * because other processes lock a new file. */
static bool is_current(int fd, const char *path) {
  struct stat ours, theirs;
  return fstat(fd, &ours) == 0 && lstat(path, &theirs) == 0 && ours.st_ino == theirs.st_ino &&
         ours.st_dev == theirs.st_dev;
}

/* ---- Which process holds a lock ---- */

/* Finds the process that holds the lock, in a line of /proc/locks such as "1: FLOCK ADVISORY WRITE 1234 fe:00:5678 0
 * EOF". 0: that process is not visible from here. */
static int read_holder(int fd) {
  struct stat info;
  char line[256];
  int found = 0;
  FILE *locks = fopen("/proc/locks", "re");
  if (locks == NULL || fstat(fd, &info) != 0) return locks != NULL ? fclose(locks) : 0;
  while (found == 0 && fgets(line, sizeof line, locks) != NULL) {
    int pid;
    unsigned device_major, device_minor;
    unsigned long long inode;
    if (sscanf(line, "%*d: FLOCK %*s WRITE %d %x:%x:%llu", &pid, &device_major, &device_minor, &inode) == 4 &&
        inode == info.st_ino && device_major == major(info.st_dev) && device_minor == minor(info.st_dev))
      found = pid;
  }
  fclose(locks);
  return found > 0 ? found : 0;
}

/* Returns the process that holds the lock; 0: not known. Reads /proc/locks several times, because a reading may miss
 * lines while locks of other files are released. */
static int holder(int fd) {
  enum { READ_MOST = 5 };
  int found = 0;
  for (int i = 0; i < READ_MOST && found == 0; i++)
    found = read_holder(fd);
  return found;
}

static void name_holder(int fd, char *to, size_t size) {
  char command[32];
  const int pid = holder(fd);
  text_copy(to, size, "another process");
  if (pid == 0) return;
  tree_text("", command, sizeof command, "/proc/%d/comm", pid);
  snprintf(to, size, "process %d%s%s%s", pid, command[0] ? " (" : "", command, command[0] ? ")" : "");
}

/* ---- Taking a lock ---- */

enum attempt { ATTEMPT_HELD, ATTEMPT_BUSY, ATTEMPT_NONE };

static enum attempt attempt(const char *path, struct lock *lock, char *why, size_t size) {
  for (int i = 0; i < ATTEMPTS_MOST; i++) {
    lock->fd = open_file(path, why, size);
    if (lock->fd < 0) return ATTEMPT_NONE;
    if (flock(lock->fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return ATTEMPT_BUSY;
      snprintf(why, size, "%.300s: %s", path, strerror(errno));
      close(lock->fd);
      return ATTEMPT_NONE;
    }
    if (is_current(lock->fd, path)) return ATTEMPT_HELD;
    close(lock->fd);
  }
  snprintf(why, size, "%.300s: deleted again and again", path);
  return ATTEMPT_NONE;
}

static int report_busy_device(const char *device, enum lock_policy policy, struct lock *lock, struct err *err) {
  char who[128];
  name_holder(lock->fd, who, sizeof who);
  return err_set(err, EXIT_DEVICE, "%s is in use by %s%s", device, who,
                 policy == LOCK_REFUSE ? "; --lock wait waits for it" : "; interrupted while waiting");
}

static void say_waiting(const char *device, const struct lock *lock, const struct lock_waiting *waiting) {
  char who[128], text[512];
  name_holder(lock->fd, who, sizeof who);
  snprintf(text, sizeof text, "%s is in use by %s: waiting (--lock refuse would not)", device, who);
  waiting->say(text);
}

static enum attempt wait_for_lock(const char *device, const char *path, const struct lock_waiting *waiting,
                                  struct lock *lock, char *why, size_t size) {
  enum attempt result = ATTEMPT_BUSY;
  for (int waited = 0; result == ATTEMPT_BUSY && !waiting->give_up(); waited += STEP_MS) {
    if (waited == SAY_AFTER_MS) say_waiting(device, lock, waiting);
    close(lock->fd);
    clock_pause(STEP_MS * 1e-3);
    result = attempt(path, lock, why, size);
  }
  return result;
}

int lock_take(const char *device, enum lock_policy policy, const struct lock_waiting *waiting, struct lock *lock,
              struct err *err) {
  char why[TEXT_SIZE + 256], path[4096];
  *lock = (struct lock){.fd = -1, .note = "off"};
  if (policy == LOCK_OFF) return 0;
  const char *folder = find_folder(why, sizeof why);
  if (folder != NULL) file_path(folder, device, path, sizeof path);
  enum attempt result = folder != NULL ? attempt(path, lock, why, sizeof why) : ATTEMPT_NONE;
  if (result == ATTEMPT_BUSY && policy == LOCK_WAIT)
    result = wait_for_lock(device, path, waiting, lock, why, sizeof why);
  if (result == ATTEMPT_BUSY) {
    report_busy_device(device, policy, lock, err);
    close(lock->fd);
    lock->fd = -1;
    return -1;
  }
  lock->held = result == ATTEMPT_HELD;
  if (lock->held)
    snprintf(lock->note, sizeof lock->note, "held: %.400s%s", path,
             in_container() ? " (others see it only where they share this folder)" : "");
  else
    snprintf(lock->note, sizeof lock->note, "none: %.400s", why);
  return 0;
}

bool lock_is_free(const char *device) {
  struct lock lock = {.fd = -1};
  char why[TEXT_SIZE + 256], path[4096];
  const char *folder = find_folder(why, sizeof why);
  if (folder == NULL) return true;
  file_path(folder, device, path, sizeof path);
  enum attempt result = attempt(path, &lock, why, sizeof why);
  if (result != ATTEMPT_NONE) close(lock.fd);
  return result != ATTEMPT_BUSY;
}

void lock_release(struct lock *lock) {
  if (lock->held) close(lock->fd);
  lock->held = false;
}
