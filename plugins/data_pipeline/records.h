/* A plain file of records of equal size, without a header. It is either made here, with random contents, or supplied by
 * the user. This module reads the file, computes checksums of its chunks (groups of records), compares data in memory
 * with the file, and drops the file from the page cache. Brackets, as in [in setup], name the callback of the plugin in
 * which a function may be called. */
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
  int fd;          /* the file, open for reading only */
  char system[32]; /* name of the file system that the file is on */
  struct layout layout;
  uint64_t *digests; /* the checksum of each chunk */
};

/* Which file is wanted: the size of a record, the number of records, and the number of records in a chunk. */
struct records_wish {
  uint64_t record_bytes, records, chunk_records;
  /* true: a file that is made is written to disk at once, so that its pages can be dropped from the cache */
  bool synced;
};

/* [in setup] Opens the file that the user supplied, whatever its size. If there is none, makes a file in the scratch
 * folder of the case. That file is as large as requested, but takes at most half of the free space and an eighth of the
 * free memory. `pool` must have `threads` threads. */
gb_status records_open(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool, int threads);
void records_close(struct records *r);

/* Drops the file from the page cache. Returns GB_SKIP if the file system keeps its pages, or does not support dropping
 * them. */
gb_status records_chill(const struct records *r, gb_case *c);

/* [on any thread] Reads bytes [at, at + bytes) of the file into memory. Returns -1 after it has recorded an error in
 * `t`. */
int records_read(const struct records *r, int fd, uint64_t at, uint64_t bytes, void *memory, struct trouble *t);

/* Records in `t` the error that the file ends at byte `at`, because it was shortened since the case began. Returns
 * -1. */
int records_ended(const struct records *r, uint64_t at, struct trouble *t);

/* [in verify] Compares `memory` with the file, chunk by chunk. Returns GB_EFAIL if a chunk differs. */
gb_status records_compare(const struct records *r, gb_case *c, const char *memory, struct pool *pool, int threads);

#endif
