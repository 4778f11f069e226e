#include "machine/landlock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

/* System calls and constants from linux/landlock.h of Linux 6.12. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, ASKS_VERSION = 1, RULE_PATH_BENEATH = 1 };
enum {
  FS_EXECUTE = 1 << 0,
  FS_WRITE_FILE = 1 << 1,
  FS_READ_FILE = 1 << 2,
  FS_READ_DIR = 1 << 3,
  FS_FIRST = (1 << 13) - 1, /* all rights of version 1 of landlock's ABI */
  FS_REFER = 1 << 13,       /* a right that version 2 of the ABI added */
  FS_TRUNCATE = 1 << 14,    /* a right that version 3 of the ABI added */
  FS_READ = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR,
  FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE
};
enum { SCOPE_ABSTRACT_UNIX_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 };
enum { VERSION_REFER = 2, VERSION_TRUNCATE = 3, VERSION_NETWORK = 4, PATH_MOST = 4096, DEPTH_MOST = 64 };

struct ruleset {
  uint64_t files, network, scoped;
};

struct __attribute__((packed)) path_beneath {
  uint64_t allowed;
  int32_t parent;
};

/* The set of Landlock rules while it is built, and the bounds from which it is built. */
struct bounding {
  const struct landlock_bounds *bounds;
  int ruleset;
  uint64_t handled;
  char base[PATH_MOST]; /* the parent of the folder bounds->own; empty: nothing next to that folder is hidden */
};

int landlock_version(void) {
  const long version = syscall(CREATE_RULESET, NULL, 0, ASKS_VERSION);
  return version > 0 ? (int)version : 0;
}

/* Adds a rule that allows `rights` for an open file or folder. Returns false with errno on failure. */
static bool allow_fd(const struct bounding *b, int fd, uint64_t rights) {
  struct stat info;
  if (fstat(fd, &info) != 0) return false;
  struct path_beneath rule = {rights & b->handled, fd};
  if (!S_ISDIR(info.st_mode)) rule.allowed &= FS_OF_FILES;
  return rule.allowed == 0 || syscall(ADD_RULE, b->ruleset, RULE_PATH_BENEATH, &rule, 0) == 0;
}

/* Adds a rule that allows `rights` for an entry of a folder. Adds none for a symbolic link, because the file that it
 * points to has another path. Adds none for an entry that has vanished or cannot be accessed. */
static bool allow_entry(const struct bounding *b, int dir, const char *name, uint64_t rights) {
  struct stat info;
  const int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT || errno == EACCES || errno == ENXIO;
  const bool link = fstat(fd, &info) == 0 && S_ISLNK(info.st_mode);
  const bool ok = link || allow_fd(b, fd, rights);
  close(fd);
  return ok;
}

static bool allow_path(const struct bounding *b, const char *path, uint64_t rights) {
  return allow_entry(b, AT_FDCWD, path, rights);
}

/* ---- Allowing to read everything that is not hidden ---- */

static bool lies_within(const char *path, const char *folder) {
  const size_t length = strlen(folder);
  if (strcmp(folder, "/") == 0) return path[0] == '/';
  return strncmp(path, folder, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static bool is_hidden(const struct bounding *b, const char *folder, const char *name, const char *path) {
  const struct landlock_bounds *bounds = b->bounds;
  if (bounds->hidden != NULL && strcmp(path, bounds->hidden) == 0) return true;
  return b->base[0] != '\0' && strcmp(folder, b->base) == 0 &&
         strncmp(name, bounds->prefix, strlen(bounds->prefix)) == 0;
}

/* Returns true if the path itself or something below it must be hidden. */
static bool hides_below(const struct bounding *b, const char *path) {
  return (b->bounds->hidden != NULL && lies_within(b->bounds->hidden, path)) ||
         (b->base[0] != '\0' && lies_within(b->base, path));
}

/* Allows reading everything in a folder except what is hidden in it: descends into entries that contain something
 * hidden, and allows the others. The folders on the way need no rule, because listing names is allowed everywhere. */
static bool allow_around(const struct bounding *b, const char *folder, int depth) {
  char path[PATH_MOST];
  const struct dirent *entry;
  bool ok = true;
  SCOPED_DIR DIR *all = opendir(folder);
  if (all == NULL) return errno == ENOENT || errno == EACCES || errno == ENOTDIR;
  while (ok && (entry = readdir(all)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    const char *slash = strcmp(folder, "/") == 0 ? "" : "/";
    if (snprintf(path, sizeof path, "%s%s%s", folder, slash, entry->d_name) >= PATH_MOST) continue;
    if (is_hidden(b, folder, entry->d_name, path)) continue;
    ok = hides_below(b, path) && depth < DEPTH_MOST ? allow_around(b, path, depth + 1)
                                                    : allow_entry(b, dirfd(all), entry->d_name, FS_READ);
  }
  return ok;
}

static bool allow_reading(const struct bounding *b) {
  if (!hides_below(b, "/")) return allow_path(b, "/", FS_READ);
  return allow_path(b, "/", FS_READ_DIR) && allow_around(b, "/", 0);
}

/* ---- Allowing to write to the process's own folder and to devices ---- */

static bool is_device_of_work(const char *name) {
  static const char *const names[] = {"null", "zero", "full", "random", "urandom", "dri", "kfd", "infiniband"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(name, names[i]) == 0) return true;
  return strncmp(name, "nvidia", 6) == 0;
}

static bool allow_devices(const struct bounding *b) {
  const struct dirent *entry;
  bool ok = true;
  SCOPED_DIR DIR *all = opendir("/dev");
  if (all == NULL) return true;
  while (ok && (entry = readdir(all)) != NULL)
    if (is_device_of_work(entry->d_name)) ok = allow_entry(b, dirfd(all), entry->d_name, FS_READ | FS_WRITE_FILE);
  return ok;
}

static int landlock_failed(struct err *err, const char *what) {
  return err_set(err, EXIT_FAILED, "landlock: %s: %s", what, strerror(errno));
}

static int fill_ruleset(const struct bounding *b, struct err *err) {
  if (!allow_reading(b)) return landlock_failed(err, "what may be read");
  if (!allow_devices(b)) return landlock_failed(err, "the devices in /dev");
  if (!allow_path(b, b->bounds->proc, FS_READ | FS_WRITE_FILE | FS_TRUNCATE))
    return landlock_failed(err, b->bounds->proc);
  if (!allow_path(b, b->bounds->own, b->handled)) return landlock_failed(err, b->bounds->own);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return landlock_failed(err, "no new privileges");
  return syscall(RESTRICT_SELF, b->ruleset, 0) == 0 ? 0 : landlock_failed(err, "entering");
}

int landlock_enter(const struct landlock_bounds *bounds, struct err *err) {
  const int version = landlock_version();
  struct ruleset attributes = {.files = FS_FIRST};
  struct bounding b = {.bounds = bounds};
  const char *slash = strrchr(bounds->own, '/');
  if (version == 0) return err_set(err, EXIT_FAILED, "landlock: this kernel has none");
  if (version >= VERSION_REFER) attributes.files |= FS_REFER;
  if (version >= VERSION_TRUNCATE) attributes.files |= FS_TRUNCATE;
  if (version >= LANDLOCK_SIGNALS) attributes.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
  const size_t size = version >= LANDLOCK_SIGNALS  ? sizeof attributes
                      : version >= VERSION_NETWORK ? offsetof(struct ruleset, scoped)
                                                   : offsetof(struct ruleset, network);
  if (bounds->prefix != NULL && slash != NULL && slash > bounds->own)
    snprintf(b.base, sizeof b.base, "%.*s", (int)(slash - bounds->own), bounds->own);
  b.handled = attributes.files;
  b.ruleset = (int)syscall(CREATE_RULESET, &attributes, size, 0);
  if (b.ruleset < 0) return landlock_failed(err, "beginning");
  const int rc = fill_ruleset(&b, err);
  close(b.ruleset);
  return rc;
}
