/* A temporary directory tree that imitates /proc and /sys, for functions that can read from another root. */
#ifndef FAKE_TREE_H
#define FAKE_TREE_H

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fake_root[64];

/* Makes an empty tree in fake_root, which fake_end() removes. */
static inline void fake_begin(void) {
  strcpy(fake_root, "/tmp/gpubench-tree-XXXXXX");
  if (mkdtemp(fake_root) == NULL) perror(fake_root), abort();
}

/* Returns the full path of a file in the tree, and makes its folders. */
static inline const char *fake_path(const char *path) {
  static char whole[4096];
  snprintf(whole, sizeof whole, "%s%s", fake_root, path);
  for (char *slash = whole + strlen(fake_root) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    mkdir(whole, 0700);
    *slash = '/';
  }
  return whole;
}

static inline void fake_bytes(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(fake_path(path), "wb");
  if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) perror(path), abort();
}

static inline void fake_file(const char *path, const char *text) {
  fake_bytes(path, text, strlen(text));
}

/* Writes a mountinfo file that says that control groups, version 2, are mounted at their usual path. */
static inline void fake_cgroup2_mount(void) {
  fake_file("/proc/self/mountinfo",
            "24 1 0:22 / /proc rw,relatime shared:5 - proc proc rw\n"
            "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
}

static inline int fake_remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
  (void)status, (void)kind, (void)walk;
  return remove(path);
}

static inline void fake_end(void) {
  nftw(fake_root, fake_remove_one, 16, FTW_DEPTH | FTW_PHYS);
  fake_root[0] = '\0';
}

#endif
