/* Checks a plugin's file before any of its code runs: which users could have changed it, and its hash. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* The origin of a plugin's path, which decides how far the file is trusted. */
enum loader_trust {
  LOADER_FOUND, /* the plugin was found by its name, or a suite names it: not trusted */
  LOADER_TYPED, /* the user typed its path: an unsafe file causes only a warning, but is refused if the user is root */
  LOADER_ALL,   /* --trust-plugins: no checks */
};

/* The user and the binary of the process that loads plugins, from loader_me(). */
struct loader_user {
  uid_t user, owner; /* effective user of this process; owner of the running binary. The owner of the binary is trusted,
                        because code that this user wrote is running already */
  /* folder of the running binary; users who can change it or the folders above it are trusted, because they could
   * replace the binary in any case */
  char directory[4096];
};

void loader_me(struct loader_user *me);

/* Opens the regular file at `path` (absolute, without links) for reading. Refuses with exit code 3: a file that other
 * users can write; a file below a directory that other users can write and that has no sticky bit; a file that belongs
 * to neither this user nor root, or is below a directory that belongs to neither. If `trust` makes this only a warning,
 * `warning` receives the reason. Opens the path step by step from open directories, so that the checked file is the
 * opened one. Returns -1 if the file is refused. */
int loader_file_open(const char *path, enum loader_trust trust, const struct loader_user *me, char *warning,
                     size_t size, struct err *err);

/* Computes the SHA-256 of an open file as 64 hexadecimal digits and a NUL. */
int loader_file_sha256(int fd, char hex[65], struct err *err);

/* Fails with exit code 3 if the file's hash is not `expected`, the hash that was computed when the plugin was
 * inspected; "": not known, so nothing is checked. */
int loader_file_check(int fd, const char *expected, struct err *err);
/* Fails with exit code 3, as loader_file_check() does, if the hash `now` is not `expected`. */
int loader_hash_check(const char *now, const char *expected, struct err *err);
