/* Running hashes of files. */
#include "base/file_hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void file_hash_begin(struct file_hash *hash) {
  SHA256Init(&hash->context);
  hash->bytes = 0;
}

void file_hash_add(struct file_hash *hash, const char *text, size_t size) {
  SHA256Update(&hash->context, (const uint8_t *)text, size);
  hash->bytes += size;
}

int file_hash_take(struct file_hash *hash, const char *path, struct err *err) {
  char bytes[1 << 14];
  size_t got;
  SCOPED_FILE FILE *file = fopen(path, "re");
  if (file == NULL) return err_set(err, EXIT_FAILED, "%s: %s", path, strerror(errno));
  file_hash_begin(hash);
  while ((got = fread(bytes, 1, sizeof bytes, file)) > 0)
    file_hash_add(hash, bytes, got);
  const int why = ferror(file) ? errno : 0;
  return why == 0 ? 0 : err_set(err, EXIT_FAILED, "%s: %s", path, strerror(why));
}

int file_hash_check(const struct file_hash *hash, const char *path, struct err *err) {
  uint8_t wrote[SHA256_DIGEST_LENGTH], holds[SHA256_DIGEST_LENGTH];
  struct file_hash file, own = *hash;
  if (file_hash_take(&file, path, err) != 0) return -1;
  SHA256Final(wrote, &own.context);
  SHA256Final(holds, &file.context);
  if (file.bytes == hash->bytes && memcmp(wrote, holds, sizeof wrote) == 0) return 0;
  return err_set(err, EXIT_FAILED,
                 "%s is not as gpubench wrote it: something that this run started, or somebody else, has changed it. "
                 "Believe nothing that is in this folder",
                 path);
}

struct file_hash *file_hashes_of(struct file_hashes *hashes, const char *name) {
  for (size_t i = 0; i < hashes->count; i++)
    if (strcmp(hashes->items[i].name, name) == 0) return &hashes->items[i].hash;
  /* cannot happen, because a run has fewer files than there is room for */
  if (hashes->count == sizeof hashes->items / sizeof hashes->items[0]) abort();
  text_copy(hashes->items[hashes->count].name, sizeof hashes->items[0].name, name);
  file_hash_begin(&hashes->items[hashes->count].hash);
  return &hashes->items[hashes->count++].hash;
}

int file_hashes_check(const struct file_hashes *hashes, const char *folder, struct err *err) {
  int rc = 0;
  for (size_t i = 0; i < hashes->count && rc == 0; i++) {
    SCOPED char *path = memory_print("%s/%s", folder, hashes->items[i].name);
    rc = file_hash_check(&hashes->items[i].hash, path, err);
  }
  return rc;
}
