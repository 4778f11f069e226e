/* Files that are kept compressed: FILE.gz stands for FILE. */
#ifndef BASE_GZ_H
#define BASE_GZ_H

#include <stdio.h>

#include "base/err.h"

/* What a compressed file may come to: a small one can unpack to anything. */
#define GZ_MOST (INT64_C(1) << 28)

/* `path` for reading, or what `path`.gz holds; NULL with errno: ENOENT where neither is there. Reading fails (EFBIG,
 * EIO) where it unpacks to more than GZ_MOST or is cut off. */
FILE *gz_open(const char *path);
/* All of it, for the caller to free; NULL with errno. */
char *gz_read(const char *path, size_t *size);

/* Compressed bytes of a text, the same for the same text, for the caller to free; NULL: zlib has failed. */
void *gz_pack(const void *text, size_t size, size_t *packed);

#endif
