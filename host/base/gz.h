/* Reads compressed files: FILE.gz stands for FILE. */
#pragma once

#include <stdio.h>

#include "base/err.h"

/* The largest unpacked size that is accepted: a small file may unpack to any size. */
#define GZ_MOST (INT64_C(1) << 28)

/* Opens `path`, or the unpacked content of `path`.gz. Returns NULL with errno; ENOENT if neither exists. Reading fails
 * with EFBIG or EIO if it unpacks to more than GZ_MOST or is truncated. */
FILE *gz_open(const char *path);
/* Reads all of it. Returns NULL with errno. The caller frees the text. */
char *gz_read(const char *path, size_t *size);

/* Returns a text's compressed bytes, the same for the same text; NULL if zlib failed. The caller frees them. */
void *gz_pack(const void *text, size_t size, size_t *packed);
