/* The SHA-256 of a file, computed while this process writes it. It serves to check that the file still has exactly the
 * written content. */
#pragma once

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

/* Sets the hash to that of the file's present content. Fails with exit code 3 if the file cannot be read. */
int file_hash_take(struct file_hash *hash, const char *path, struct err *err);

/* Fails with exit code 3 if the content of the file is not what was hashed, or if the file cannot be read. */
int file_hash_check(const struct file_hash *hash, const char *path, struct err *err);

/* The hashes of a folder's files, by name. */
struct file_hashes {
  struct {
    char name[32];
    struct file_hash hash;
  } items[8];
  size_t count;
};

/* Returns the hash of the file with this name. The caller adds to it the bytes that it writes to the file. The first
 * call for a name starts a new hash. */
struct file_hash *file_hashes_of(struct file_hashes *hashes, const char *name);
int file_hashes_check(const struct file_hashes *hashes, const char *folder, struct err *err);
