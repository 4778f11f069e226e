/* Directories: makes, removes, syncs and exchanges them. */
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"

bool tree_installed(char *to, size_t size, const char *below) {
  const ssize_t length = readlink("/proc/self/exe", to, size - 1);
  to[length > 0 ? length : 0] = '\0';
  for (int up = 0; up < 2; up++) {
    char *slash = strrchr(to, '/');
    if (slash == NULL) return false;
    *slash = '\0';
  }
  const size_t used = strlen(to);
  return text_copy(to + used, size - used, below);
}

enum { DEEPEST = 500 }; /* most levels of folders, because each level holds a descriptor open */

static int path_failed(struct err *err, const char *what, const char *path) {
  return err_set(err, EXIT_FAILED, "cannot %s %s: %s", what, path, strerror(errno));
}

int tree_make(const char *path, struct err *err) {
  SCOPED char *part = xstrdup(path);
  struct stat info;
  int rc = 0;
  for (char *slash = strchr(part + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST && stat(part, &info) != 0) rc = path_failed(err, "make", part);
    *slash = '/';
    if (rc != 0) break;
  }
  if (rc == 0 && mkdir(path, 0777) != 0 && errno != EEXIST) rc = path_failed(err, "make", path);
  if (rc == 0 && (stat(path, &info) != 0 || !S_ISDIR(info.st_mode)))
    rc = err_set(err, EXIT_FAILED, "%s is no folder", path);
  return rc;
}

static int remove_at(int folder, const char *name, int depth);

/* Removes the contents of an open folder, and closes it. */
static int remove_contents(int folder, int depth) {
  SCOPED_DIR DIR *list = fdopendir(folder);
  if (list == NULL) {
    close(folder);
    return -1;
  }
  int rc = 0;
  for (struct dirent *entry; rc == 0 && (entry = readdir(list)) != NULL;)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
      rc = remove_at(folder, entry->d_name, depth + 1);
  return rc;
}

/* Removes an entry of a folder with its contents. Opens each folder relative to its parent's descriptor and not by
 * path, because a part of a path could meanwhile become a symbolic link that leads elsewhere. */
static int remove_at(int folder, const char *name, int depth) {
  if (unlinkat(folder, name, 0) == 0 || errno == ENOENT) return 0;
  if (errno != EISDIR && errno != EPERM) return -1;
  if (depth > DEEPEST) {
    errno = ELOOP;
    return -1;
  }
  const int inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (inner < 0 || remove_contents(inner, depth) != 0) return -1;
  return unlinkat(folder, name, AT_REMOVEDIR);
}

int tree_remove(const char *path, struct err *err) {
  return remove_at(AT_FDCWD, path, 0) == 0 ? 0 : path_failed(err, "remove", path);
}

int tree_write(const char *path, const void *bytes, size_t size, struct err *err) {
  FILE *out = fopen(path, "we");
  if (out == NULL) return path_failed(err, "write", path);
  bool good = fwrite(bytes, 1, size, out) == size && fflush(out) == 0;
  if (good) good = fdatasync(fileno(out)) == 0 || errno == EINVAL;
  const int why = errno;
  if (fclose(out) != 0 || !good) {
    if (!good) errno = why;
    return path_failed(err, "write", path);
  }
  return 0;
}

void tree_settle(const char *path) {
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

/* ---- Exchanging two directories ---- */

static void settle_parent(const char *path) {
  char *parent = xstrdup(path), *slash = strrchr(parent, '/');
  if (slash != NULL) slash[slash == parent] = '\0';
  tree_settle(slash != NULL ? parent : ".");
  free(parent);
}

static bool path_exists(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0;
}

int tree_recover(const char *path, struct err *err) {
  SCOPED char *old = memory_print("%s.old", path);
  int rc = 0;
  if (path_exists(old))
    rc = path_exists(path) ? tree_remove(old, err) : rename(old, path) == 0 ? 0 : path_failed(err, "put back", path);
  return rc;
}

/* Replaces `path` by `made` with two calls of rename(), on file systems that cannot exchange two folders in one
 * step. */
static int replace_in_steps(const char *made, const char *path, struct err *err) {
  SCOPED char *old = memory_print("%s.old", path);
  int rc = rename(path, old) == 0 ? 0 : path_failed(err, "move away", path);
  if (rc == 0 && rename(made, path) != 0) {
    rc = path_failed(err, "rename to", path);
    if (rename(old, path) != 0) err_context(err, "%s is yesterday's", old);
  }
  settle_parent(path);
  if (rc == 0) rc = tree_remove(old, err);
  return rc;
}

int tree_replace(const char *made, const char *path, bool *in_steps, struct err *err) {
  *in_steps = false;
  if (tree_recover(path, err) != 0) return -1;
  if (!path_exists(path)) {
    if (rename(made, path) != 0) return path_failed(err, "rename to", path);
    settle_parent(path);
    return 0;
  }
  if (getenv("GPUBENCH_NO_EXCHANGE") == NULL && renameat2(AT_FDCWD, made, AT_FDCWD, path, RENAME_EXCHANGE) == 0) {
    settle_parent(path);
    return tree_remove(made, err);
  }
  *in_steps = true;
  return replace_in_steps(made, path, err);
}
