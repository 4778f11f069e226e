/* Makes and removes scratch directories. Their contents come from plugin code. */
#include "machine/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/text.h"

/* ---- Making directories ---- */

void scratch_choose(const char *base, struct scratch *scratch) {
  const char *variable = getenv("TMPDIR");
  uint64_t number = 0;
  *scratch = (struct scratch){0};
  /* without random bytes the name is predictable; that is safe, because mkdir() fails for a name that exists */
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = (uint64_t)getpid();
  if (base == NULL) base = variable != NULL && variable[0] == '/' ? variable : "/tmp";
  if (!text_copy(scratch->base, sizeof scratch->base, base)) scratch->base[0] = '\0';
  snprintf(scratch->name, sizeof scratch->name, SCRATCH_PREFIX "%d-%016llx", (int)getpid(), (unsigned long long)number);
}

int scratch_check_base(const char *base, struct err *err) {
  struct stat info;
  if (strlen(base) >= sizeof((struct scratch *)0)->base)
    return err_set(err, EXIT_USAGE, "scratch: '%.80s...' is too long a path", base);
  if (stat(base, &info) != 0) return err_set(err, EXIT_USAGE, "scratch: %s: %s", base, strerror(errno));
  if (!S_ISDIR(info.st_mode)) return err_set(err, EXIT_USAGE, "scratch: %s is not a directory", base);
  if ((info.st_mode & S_IWOTH) != 0 && (info.st_mode & S_ISVTX) == 0)
    return err_set(err, EXIT_USAGE, "scratch: anyone can rename files in %s (mode %04o, not sticky)", base,
                   info.st_mode & 07777u);
  if (access(base, W_OK | X_OK) == 0) return 0;
  return err_set(err, EXIT_USAGE, "scratch: cannot write to %s: %s", base, strerror(errno));
}

void scratch_path(const struct scratch *scratch, char *to, size_t size) {
  snprintf(to, size, "%s/%s", scratch->base, scratch->name);
}

static int make_scratch(const char *path, struct err *err) {
  if (mkdir(path, 0700) == 0) return 0;
  const char *why = errno == ENOSPC || errno == EDQUOT ? "; the disk is full" : "";
  return err_set(err, EXIT_FAILED, "scratch: cannot create %s: %s%s", path, strerror(errno), why);
}

int scratch_make_case(struct scratch *scratch, char *path, size_t size, struct err *err) {
  char own[sizeof scratch->base + sizeof scratch->name + 2];
  scratch_path(scratch, own, sizeof own);
  if (!scratch->made) {
    if (scratch_check_base(scratch->base, err) != 0 || make_scratch(own, err) != 0) return -1;
    scratch->made = true;
  }
  snprintf(path, size, "%s/case-%u", own, ++scratch->cases);
  return make_scratch(path, err);
}

uint64_t scratch_free_bytes(const char *path) {
  struct statvfs info;
  uint64_t bytes;
  if (statvfs(path, &info) != 0) return 0;
  return __builtin_mul_overflow((uint64_t)info.f_bavail, (uint64_t)info.f_frsize, &bytes) ? UINT64_MAX : bytes;
}

/* ---- Removing directories ---- */

enum { DEPTH_MOST = 32, PASSES_MOST = 4096 };

struct removal {
  /* descriptor of the scratch directory; folders nested deeper than DEPTH_MOST are moved into it and then removed */
  int root;
  /* file system of the scratch directory; folders on which other file systems are mounted are not touched */
  dev_t device;
  unsigned moved;
  uid_t uid; /* folders are removed if they belong to this user or to the user of this process */
  struct err *err;
};

static bool is_removable_owner(const struct removal *r, uid_t owner) {
  return owner == geteuid() || owner == r->uid;
}

static int removal_failed(struct removal *r, const char *name) {
  char shown[TEXT_SIZE];
  text_copy(shown, sizeof shown, name);
  text_sanitize(shown);
  return err_set(r->err, EXIT_FAILED, "scratch: '%s' was not removed: %s", shown, strerror(errno));
}

static int open_folder(int dir, const char *name) {
  enum { HOW = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };
  int fd = openat(dir, name, HOW);
  if (fd >= 0 || errno != EACCES) return fd;
  if (fchmodat(dir, name, 0700, AT_SYMLINK_NOFOLLOW) != 0) return -1;
  return openat(dir, name, HOW);
}

static int move_up(struct removal *r, int dir, const char *name) {
  char to[32];
  for (int tries = 0; tries < PASSES_MOST; tries++) {
    snprintf(to, sizeof to, "moved-%u", r->moved++);
    if (renameat(dir, name, r->root, to) == 0) return 0;
    if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR) break;
  }
  return removal_failed(r, name);
}

static int empty_folder(struct removal *r, int dir, int depth);

static int remove_folder(struct removal *r, int dir, const char *name, int depth) {
  struct stat info;
  int rc = -1, fd = open_folder(dir, name);
  if (fd < 0) return removal_failed(r, name);
  if (fstat(fd, &info) != 0)
    removal_failed(r, name);
  else if (info.st_dev != r->device || !is_removable_owner(r, info.st_uid))
    err_set(r->err, EXIT_FAILED, "scratch: '%.200s' was not removed: %s", name,
            info.st_dev != r->device ? "another file system is mounted there" : "it is another user's");
  else
    rc = empty_folder(r, fd, depth);
  close(fd);
  if (rc == 0 && unlinkat(dir, name, AT_REMOVEDIR) != 0 && errno != ENOENT) rc = removal_failed(r, name);
  return rc;
}

/* Removes an entry of the folder `dir`. A link is removed, not followed. */
static int remove_entry(struct removal *r, int dir, const char *name, int depth) {
  if (unlinkat(dir, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR) return removal_failed(r, name);
  return depth == DEPTH_MOST ? move_up(r, dir, name) : remove_folder(r, dir, name, depth + 1);
}

/* Reads the directory once and removes the entries that are found. Sets `*seen` to their number. */
static int sweep_entries(struct removal *r, DIR *stream, int depth, unsigned *seen) {
  const struct dirent *entry;
  int rc = 0;
  *seen = 0;
  rewinddir(stream);
  while ((entry = readdir(stream)) != NULL) {
    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    ++*seen;
    if (remove_entry(r, dirfd(stream), entry->d_name, depth) != 0) rc = -1;
  }
  return rc;
}

/* Removes all entries of a folder. Reads the folder again until it is empty, because a reading may miss entries while
 * others are removed. */
static int empty_folder(struct removal *r, int dir, int depth) {
  int rc = 0, copy = dup(dir);
  DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
  unsigned seen = 1;
  if (stream == NULL) {
    if (copy >= 0) close(copy);
    return removal_failed(r, ".");
  }
  fchmod(dir, 0700);
  for (int pass = 0; rc == 0 && seen > 0 && pass < PASSES_MOST; pass++)
    rc = sweep_entries(r, stream, depth, &seen);
  closedir(stream);
  return rc;
}

int scratch_open_base(const struct scratch *scratch) {
  return open(scratch->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int scratch_remove(int base, const char *name, unsigned uid, struct err *err) {
  struct stat info;
  int root = open_folder(base, name), rc = -1;
  if (root < 0 && errno == ENOENT) return 0;
  struct removal r = {.root = root, .uid = uid != 0 ? uid : geteuid(), .err = err};
  if (root < 0) return removal_failed(&r, name);
  if (fstat(root, &info) != 0)
    removal_failed(&r, name);
  else if (!is_removable_owner(&r, info.st_uid))
    err_set(err, EXIT_FAILED, "scratch: '%s' was not removed: it is another user's", name);
  else
    rc = 0, r.device = info.st_dev;
  bool gone = false;
  /* tries again if the folder is not empty, because other processes may still write to it */
  for (int tries = 0; rc == 0 && !gone && tries < PASSES_MOST; tries++) {
    rc = empty_folder(&r, root, 0);
    gone = rc == 0 && (unlinkat(base, name, AT_REMOVEDIR) == 0 || errno == ENOENT);
    if (rc == 0 && !gone && errno != ENOTEMPTY) rc = removal_failed(&r, name);
  }
  close(root);
  return rc == 0 && !gone ? removal_failed(&r, name) : rc;
}

int scratch_remove_case(const struct scratch *scratch, const char *path, struct err *err) {
  char own[sizeof scratch->base + sizeof scratch->name + 2];
  scratch_path(scratch, own, sizeof own);
  int dir = open(own, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (dir < 0) return err_set(err, EXIT_FAILED, "scratch: %s: %s", own, strerror(errno));
  int rc = scratch_remove(dir, text_file_name(path), 0, err);
  close(dir);
  return rc;
}
