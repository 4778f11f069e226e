/* A FILE that reads through zlib. */
#include "base/gz.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/memory.h"

struct unpacking {
  gzFile file;
  int64_t read;
};

static ssize_t unpack(void *cookie, char *to, size_t size) {
  struct unpacking *from = cookie;
  int why = Z_OK;
  const int got = gzread(from->file, to, size > 1 << 20 ? 1 << 20 : (unsigned)size);
  gzerror(from->file, &why);
  errno = EIO;
  if (got < 0 || (why != Z_OK && why != Z_STREAM_END)) return -1; /* Z_BUF_ERROR: the file is truncated */
  from->read += got;
  errno = EFBIG;
  return from->read <= GZ_MOST ? got : -1;
}

static int close_unpacking(void *cookie) {
  struct unpacking *from = cookie;
  const int rc = gzclose(from->file) == Z_OK ? 0 : -1;
  free(from);
  return rc;
}

FILE *gz_open(const char *path) {
  FILE *plain = fopen(path, "re");
  if (plain != NULL || errno != ENOENT) return plain;
  SCOPED char *name = memory_print("%s.gz", path);
  gzFile file = gzopen(name, "rbe");
  if (file == NULL) return NULL;
  struct unpacking *from = xcalloc(1, sizeof *from);
  from->file = file;
  FILE *in = fopencookie(from, "r", (cookie_io_functions_t){.read = unpack, .close = close_unpacking});
  if (in == NULL) close_unpacking(from);
  return in;
}

void *gz_pack(const void *text, size_t size, size_t *packed) {
  enum { GZIP = 16 + MAX_WBITS, MEMORY = 8 };
  z_stream stream = {0};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
  const uLong most = deflateBound(&stream, (uLong)size);
  unsigned char *to = xcalloc(most, 1);
  stream.next_in = (z_const Bytef *)(uintptr_t)text;
  stream.avail_in = (uInt)size;
  stream.next_out = to;
  stream.avail_out = (uInt)most;
  const int rc = size <= UINT32_MAX ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
  *packed = stream.total_out;
  deflateEnd(&stream);
  if (rc == Z_STREAM_END) return to;
  free(to);
  return NULL;
}

char *gz_read(const char *path, size_t *size) {
  enum { PIECE = 1 << 16 };
  SCOPED_FILE FILE *in = gz_open(path);
  char *text = NULL;
  size_t got = 1;
  *size = 0;
  if (in == NULL) return NULL;
  while (got > 0 && *size <= (size_t)GZ_MOST) {
    text = xrealloc(text, *size + PIECE, 1);
    got = fread(text + *size, 1, PIECE, in);
    *size += got;
  }
  const bool bad = ferror(in) || *size > (size_t)GZ_MOST;
  errno = *size > (size_t)GZ_MOST ? EFBIG : errno;
  if (!bad) return text;
  free(text);
  return NULL;
}
