/* A plain file of records of equal size, without a header. It is either made here from random bits or supplied by the
 * user. This module keeps its division into chunks and the checksum of each chunk, reads it, compares data with it, and
 * drops it from the page cache. */
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
  char system[32]; /* name of its file system */
  struct layout layout;
  uint64_t *digests; /* the checksum of each chunk */
};

/* The requested file: size of a record, number of records, and records in a chunk. */
struct records_wish {
  uint64_t record_bytes, records, chunk_records;
  bool synced; /* true: the file is written to disk, so that its pages can be dropped from the cache */
};

/* [in setup] Opens the whole file that the user supplied; or makes one in the case's scratch folder, as large as
 * requested, but at most half of the free space and an eighth of the free memory. `pool` has `threads` threads. */
gb_status records_open(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool, int threads);
void records_close(struct records *r);

/* Drops the file from the page cache. Returns GB_SKIP if the file system keeps its pages, or does not support dropping
 * them. */
gb_status records_chill(const struct records *r, gb_case *c);

/* [any thread] Reads [at, at + bytes) completely into memory. Returns -1 after it has recorded an error in `t`. */
int records_read(const struct records *r, int fd, uint64_t at, uint64_t bytes, void *memory, struct trouble *t);

/* Records in `t` the error that the file has become shorter since the beginning of the case: it ends at byte `at`.
 * Returns -1. */
int records_ended(const struct records *r, uint64_t at, struct trouble *t);

/* [in verify] Compares `memory` with the file, chunk by chunk. Returns GB_EFAIL for the first chunk that differs. */
gb_status records_compare(const struct records *r, gb_case *c, const char *memory, struct pool *pool, int threads);

#endif
