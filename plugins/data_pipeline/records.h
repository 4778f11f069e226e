/* A plain file of records of equal size, without a header. It is either made here from random bits or supplied by the
 * user. This module knows its division into chunks and the checksum of each chunk, and brings it into and out of the
 * page cache. */
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
  char system[32]; /* name of its file system */
  struct layout layout;
  uint64_t *digests; /* one for each chunk */
};

/* The requested file: size of a record, number of records, and records in a chunk. */
struct records_wish {
  uint64_t record_bytes, records, chunk_records;
  bool synced; /* written to disk, so that its pages can be dropped from the cache */
};

/* [in setup] Opens the user's file, all of it; or makes one in the case's scratch folder, as large as requested, but at
 * most half of the free space and an eighth of the free memory. `pool` has `threads` threads. */
gb_status records_open(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool, int threads);
void records_close(struct records *r);

/* Drops the file from the page cache. Returns GB_SKIP if the file system keeps it there, or does not support it. */
gb_status records_chill(const struct records *r, gb_case *c);

/* [any thread] Reads [at, at + bytes) completely into memory. Returns -1 after it recorded the trouble. */
int records_read(const struct records *r, int fd, uint64_t at, uint64_t bytes, void *memory, struct trouble *t);

/* Records that the file is shorter than at the beginning of the case. Returns -1. */
int records_ended(const struct records *r, uint64_t at, struct trouble *t);

/* [in verify] Compares `memory` with the file, chunk by chunk. Returns GB_EFAIL for the first chunk that differs. */
gb_status records_compare(const struct records *r, gb_case *c, const char *memory, struct pool *pool, int threads);

#endif
