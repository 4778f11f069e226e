/* Checks the owner and the mode of a plugin's file and of every directory above it. Write permission of a group is
 * accepted: many users have a group that contains only themselves and a umask of 002, and only root can add users to a
 * group. */
#include "plugin/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sha256.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

void loader_me(struct loader_user *me) {
  struct stat info;
  me->user = geteuid();
  me->owner = stat("/proc/self/exe", &info) == 0 ? info.st_uid : me->user;
  ssize_t length = readlink("/proc/self/exe", me->directory, sizeof me->directory - 1);
  me->directory[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(me->directory, '/');
  if (slash != NULL) *slash = '\0';
}

/* Returns true if the first `length` bytes of `path` are the binary's directory or one above it. */
static bool above_binary(const struct loader_user *me, const char *path, size_t length) {
  return strncmp(me->directory, path, length) == 0 &&
         (me->directory[length] == '/' || me->directory[length] == '\0' || length <= 1);
}

/* Writes why a file or directory is not trusted; an empty text if it is. */
static void objection(const struct stat *info, const struct loader_user *me, const char *what, char *to, size_t size) {
  bool sticky = S_ISDIR(info->st_mode) && (info->st_mode & S_ISVTX) != 0;
  to[0] = '\0';
  if ((info->st_mode & S_IWOTH) != 0 && !sticky)
    snprintf(to, size, "other users can write to %s (mode %04o%s)", what, info->st_mode & 07777,
             S_ISDIR(info->st_mode) ? ", no sticky bit" : "");
  else if (info->st_uid != 0 && info->st_uid != me->user && info->st_uid != me->owner)
    snprintf(to, size, "%s belongs to user %u, who is neither you (user %u) nor root", what, info->st_uid, me->user);
}

/* Opens the entry `name` of the directory `from`, and closes `from`. */
static int open_path_step(int from, const char *name, bool last) {
  int flags = last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
  int fd = openat(from, name, flags | O_NOFOLLOW | O_CLOEXEC), error = errno;
  close(from);
  errno = error;
  return fd;
}

/* Opens the file by opening each folder of its path in turn. If a folder is not trusted, `why` becomes the reason for
 * the first such folder. */
static int walk_to_file(char *path, const struct loader_user *me, char *why, size_t size) {
  struct stat info;
  int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  char *name = path + 1, *slash;
  for (; fd >= 0; name = slash + 1) {
    char what[PATH_MAX + 32];
    size_t above = name - 1 > path ? (size_t)(name - 1 - path) : 1;
    snprintf(what, sizeof what, "its directory %.*s", (int)above, path);
    if (why[0] == '\0' && !above_binary(me, path, above) && fstat(fd, &info) == 0)
      objection(&info, me, what, why, size);
    slash = strchr(name, '/');
    if (slash == NULL) return open_path_step(fd, name, true);
    *slash = '\0';
    fd = open_path_step(fd, name, false);
    *slash = '/';
  }
  return -1;
}

static int check_file(int fd, const struct loader_user *me, char *why, size_t size, struct err *err) {
  struct stat info;
  char own[TEXT_SIZE];
  if (fstat(fd, &info) != 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
  if (S_ISDIR(info.st_mode)) return err_set(err, EXIT_FAILED, "a directory, not a plugin");
  if (!S_ISREG(info.st_mode)) return err_set(err, EXIT_FAILED, "not a regular file");
  objection(&info, me, "it", own, sizeof own);
  if (own[0] != '\0') text_copy(why, size, own); /* a reason about the file itself replaces one about a directory */
  return 0;
}

int loader_file_open(const char *path, enum loader_trust trust, const struct loader_user *me, char *warning,
                     size_t size, struct err *err) {
  char copy[PATH_MAX], why[PATH_MAX + TEXT_SIZE] = "";
  warning[0] = '\0';
  if (path[0] != '/' || !text_copy(copy, sizeof copy, path))
    return err_set(err, EXIT_FAILED, "not an absolute path of less than %d bytes", PATH_MAX);
  int fd = walk_to_file(copy, me, why, sizeof why);
  if (fd < 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
  if (check_file(fd, me, why, sizeof why, err) != 0) {
    close(fd);
    return -1;
  }
  if (why[0] == '\0' || trust == LOADER_ALL) return fd;
  if (trust == LOADER_TYPED && me->user != 0) {
    snprintf(warning, size, "%s: %s; use --trust-plugins if that is intended", path, why);
    return fd;
  }
  close(fd);
  return err_set(err, EXIT_FAILED, "not loaded: %s; --trust-plugins loads it anyway", why);
}

int loader_file_sha256(int fd, char hex[65], struct err *err) {
  unsigned char bytes[1 << 16];
  SHA2_CTX context;
  ssize_t got;
  off_t at = 0;
  SHA256Init(&context);
  while ((got = pread(fd, bytes, sizeof bytes, at)) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return err_set(err, EXIT_FAILED, "%s", strerror(errno));
    SHA256Update(&context, bytes, (size_t)got);
    at += got;
  }
  SHA256End(&context, hex);
  return 0;
}

int loader_hash_check(const char *now, const char *expected, struct err *err) {
  if (expected[0] == '\0' || strcmp(now, expected) == 0) return 0;
  return err_set(err, EXIT_FAILED,
                 "the file was replaced since it was described (SHA-256 then %.12s..., now %.12s...): run again",
                 expected, now);
}

int loader_file_check(int fd, const char *expected, struct err *err) {
  char now[65];
  if (expected[0] == '\0') return 0;
  return loader_file_sha256(fd, now, err) != 0 ? -1 : loader_hash_check(now, expected, err);
}
