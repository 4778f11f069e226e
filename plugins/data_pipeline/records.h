/* A plain file of records of one size, without header: made here from random bits, or the user's own. Knows how it is
 * cut into chunks, what each chunk's checksum is, and how it comes into and out of the page cache. */
#ifndef DATA_PIPELINE_RECORDS_H
#define DATA_PIPELINE_RECORDS_H

#include <limits.h>

#include "layout.h"
#include "pool.h"
#include "services.h"
#include "trouble.h"

struct records {
  char path[PATH_MAX];
  bool users;
  int fd;          /* read only */
  char system[32]; /* the file system that it lies on */
  struct layout layout;
  uint64_t *digests; /* a chunk each */
};

/* What is asked for: a record's size, how many of them there should be, and how many make a chunk. */
struct records_wish {
  uint64_t record_bytes, records, chunk_records;
  bool synced; /* on the disk, so that it can leave the cache */
};

/* [in setup] The user's file, whole; or one in the case's scratch folder, as large as wished or as a half of the free
 * space and an eighth of the free memory allow. `pool` has `threads` threads. */
gb_status records_open(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool, int threads);
void records_close(struct records *r);

/* Out of the page cache: GB_OK, GB_SKIP where the file system keeps it there, GB_EFAIL where somebody else does. */
gb_status records_chill(const struct records *r, gb_case *c);

/* Reads all of [at, at + bytes) into memory. -1: told. [any thread] */
int records_read(const struct records *r, int fd, uint64_t at, uint64_t bytes, void *memory, struct trouble *t);

/* The sentence for a file that is shorter than when the case began. */
int records_ended(const struct records *r, uint64_t at, struct trouble *t);

/* [in verify] Is all of the file in `memory`, chunk by chunk? GB_EFAIL with the first that is not. */
gb_status records_compare(const struct records *r, gb_case *c, const char *memory, struct pool *pool, int threads);

#endif
