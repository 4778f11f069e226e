/* A running hash (SHA-256) of a file that this process writes: whether the file still holds that, and nothing else. */
#ifndef BASE_FILE_HASH_H
#define BASE_FILE_HASH_H

#include <sha2.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct file_hash {
  SHA2_CTX context;
  uint64_t bytes;
};

void file_hash_begin(struct file_hash *hash);
void file_hash_add(struct file_hash *hash, const char *text, size_t size);

/* Begins with what the file holds. Exit 3: it cannot be read. */
int file_hash_take(struct file_hash *hash, const char *path, struct err *err);

/* Exit 3: the file holds something else, or cannot be read. */
int file_hash_check(const struct file_hash *hash, const char *path, struct err *err);

/* Those of a folder's files, by name. */
struct file_hashes {
  struct {
    char name[32];
    struct file_hash hash;
  } items[8];
  size_t count;
};

/* Makes it with the first use of the name. */
struct file_hash *file_hashes_of(struct file_hashes *hashes, const char *name);
int file_hashes_check(const struct file_hashes *hashes, const char *folder, struct err *err);

#endif
