/* Reads files that may be compressed: if FILE does not exist, FILE.gz is read. */
#pragma once

#include <stdio.h>

/* The largest unpacked size that is accepted: a small file may unpack to any size. */
#define GZ_MOST (INT64_C(1) << 28)

/* Opens `path`, or the unpacked content of `path`.gz. Returns NULL with errno; ENOENT if neither exists. Reading fails
 * with EFBIG if the content is larger than GZ_MOST, with EIO if the compressed file is truncated. */
FILE *gz_open(const char *path);
/* Reads the whole content of a file that gz_open() can open. Returns NULL with errno on failure. The caller frees the
 * text. */
char *gz_read(const char *path, size_t *size);

/* Compresses a text in gzip format. Equal texts give equal bytes. Returns NULL if zlib failed. The caller frees the
 * result. */
void *gz_pack(const void *text, size_t size, size_t *packed);
