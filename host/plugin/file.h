/* A plugin's file before any of its code runs: who could have changed it, and its hash. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* The origin of the plugin's path, which decides how far it is trusted. */
enum loader_trust {
  LOADER_FOUND, /* not vouched for: it was found by name, or named by a suite */
  LOADER_TYPED, /* the user typed its path: enough for a warning instead of a refusal, but not for root */
  LOADER_ALL,   /* --trust-plugins: no checks */
};

/* The process that loads, from loader_me(). */
struct loader_user {
  uid_t user, owner;    /* effective user; owner of the running binary, whose code runs anyway */
  char directory[4096]; /* of the running binary: users who can change the directories above it need no plugin */
};

void loader_me(struct loader_user *me);

/* Opens the regular file at `path` (absolute, without links) for reading. Refuses with exit code 3: files that others
 * can write; files below a directory that others can write and that has no sticky bit; files that belong, themselves or
 * a directory above, to neither the user nor root. If that is only worth a warning, the reason is in `warning`. Keeps a
 * descriptor open at each step, so that the checked file is the opened one. -1: refused. */
int loader_file_open(const char *path, enum loader_trust trust, const struct loader_user *me, char *warning,
                     size_t size, struct err *err);

/* SHA-256 of an open file as 64 hexadecimal digits and a NUL. */
int loader_file_sha256(int fd, char hex[65], struct err *err);

/* -1 with exit code 3 if the hash is not `expected`, as it was when the file was described; "": not known. */
int loader_file_check(int fd, const char *expected, struct err *err);
/* The same for a known hash. */
int loader_hash_check(const char *now, const char *expected, struct err *err);
