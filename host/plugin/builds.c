/* glibc keeps one mapping per inode and one library per soname, whoever asks. */
#include "plugin/builds.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "plugin/elf.h"
#include "plugin/file.h"

bool loader_builds_mapped(const char *path) {
  void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle != NULL) dlclose(handle); /* the reference that was just taken */
  return handle != NULL;
}

/* ---- The copy ---- */

static int copy_bytes(int from, int to) {
  unsigned char bytes[1 << 16];
  off_t at = 0;
  for (ssize_t got; (got = pread(from, bytes, sizeof bytes, at)) != 0; at += got > 0 ? got : 0) {
    if (got < 0 && errno != EINTR) return -1;
    for (ssize_t done = 0, wrote; done<got; done += wrote> 0 ? wrote : 0)
      if ((wrote = pwrite(to, bytes + done, (size_t)(got - done), at + done)) < 0 && errno != EINTR) return -1;
  }
  return 0;
}

int loader_builds_copy(int fd, const char *sha256, char *path, size_t size, struct err *err) {
  int copy = memfd_create("gpubench-build", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  bool good = copy >= 0 && copy_bytes(fd, copy) == 0 &&
              fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
  if (!good) err_set(err, EXIT_FAILED, "no private copy for a second build: %s", strerror(errno));
  if (good && loader_file_check(copy, sha256, err) != 0) good = false;
  snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), copy);
  if (!good && copy >= 0) close(copy);
  return good ? 0 : -1;
}

/* ---- Libraries of its own ---- */

/* Where the library of that name was loaded from; false where none is. */
static bool loaded_from(const char *name, char *path, size_t size, struct stat *info) {
  struct link_map *map = NULL;
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  bool known = handle != NULL && dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && stat(map->l_name, info) == 0;
  if (known) text_copy(path, size, map->l_name);
  if (handle != NULL) dlclose(handle);
  return known;
}

/* The first file of that name in the directories of a search path. */
static bool find_in(const char *runpath, const char *name, char *path, size_t size, struct stat *info) {
  for (const char *at = runpath; *at != '\0'; at += *at == ':') {
    size_t length = strcspn(at, ":");
    int fits = snprintf(path, size, "%.*s/%s", (int)length, at, name);
    if (length > 0 && fits > 0 && (size_t)fits < size && stat(path, info) == 0) return true;
    at += length;
  }
  return false;
}

static bool hash_of(const char *path, char sha256[65]) {
  struct err ignored = {0};
  const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  const bool known = fd >= 0 && loader_file_sha256(fd, sha256, &ignored) == 0;
  if (fd >= 0) close(fd);
  return known;
}

/* Whichever of the two is loaded, it is what was meant. */
static bool same_bytes(const char *a, const char *b) {
  char one[65], two[65];
  return hash_of(a, one) && hash_of(b, two) && strcmp(one, two) == 0;
}

static int check_library(const char *runpath, const char *name, struct err *err) {
  char own[PATH_MAX], other[PATH_MAX];
  struct stat wanted, loaded;
  if (strchr(name, '/') != NULL || !loaded_from(name, other, sizeof other, &loaded)) return 0;
  if (!find_in(runpath, name, own, sizeof own, &wanted)) return 0;
  if ((wanted.st_dev == loaded.st_dev && wanted.st_ino == loaded.st_ino) || same_bytes(own, other)) return 0;
  return err_set(err, EXIT_FAILED, "needs %.300s, but %.300s is loaded under that name and would serve both builds: %s",
                 own, other, "link it statically, or name it differently");
}

int loader_builds_check(int fd, const char *path, struct err *err) {
  struct strings needed = {0};
  char raw[1024], runpath[1024];
  int rc = 0;
  loader_elf_needs(fd, &needed, raw, sizeof raw);
  loader_elf_origin(raw, path, runpath, sizeof runpath);
  for (size_t i = 0; i < needed.count && rc == 0; i++)
    rc = check_library(runpath, needed.items[i], err);
  strings_free(&needed);
  return rc;
}
