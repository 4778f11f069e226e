/* A plugin's file before anything of it runs: who may put code into it, and which bytes it has. */
#ifndef PLUGIN_FILE_H
#define PLUGIN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Who vouches for a plugin's place. */
enum loader_trust {
  LOADER_FOUND, /* nobody: found by its name, or named by a suite */
  LOADER_TYPED, /* the user, who typed its path: enough for a warning in place of a refusal, but not for root */
  LOADER_ALL,   /* --trust-plugins: nothing is looked at */
};

/* Who is loading; loader_me() for this process. */
struct loader_user {
  uid_t user, owner;    /* the effective user; the owner of the running binary, whose code runs already */
  char directory[4096]; /* of the running binary: who may change what lies above it needs no plugin */
};

void loader_me(struct loader_user *me);

/* Opens the regular file at `path`, absolute and free of links, for reading. Refused with exit 3: what others may
 * write; what lies in a directory, near or far above, that others may write and that has no sticky bit; what belongs,
 * itself or a directory above it, to neither the user nor root. Where that is only worth a warning, it is in `warning`.
 * The walk holds a descriptor at each step, so that what was looked at is what was opened. -1: refused. */
int loader_file_open(const char *path, enum loader_trust trust, const struct loader_user *me, char *warning,
                     size_t size, struct err *err);

/* SHA-256 of an open file in hexadecimal, 64 digits and a NUL. */
int loader_file_sha256(int fd, char hex[65], struct err *err);

/* Exit 3 where that is not `expected`, as it was when the file was described; "": nobody knows. */
int loader_file_check(int fd, const char *expected, struct err *err);
/* The same of a hash that is known. */
int loader_hash_check(const char *now, const char *expected, struct err *err);

#endif
