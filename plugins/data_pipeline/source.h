/* A file of records, and the memory that it is read into: the problem of the bench `source`, and the ways to solve it.
 */
#ifndef DATA_PIPELINE_SOURCE_H
#define DATA_PIPELINE_SOURCE_H

#include "records.h"

struct source {
  struct records file;
  struct pool *pool;
  int threads;
  char *memory;    /* of the file's size, at a page's boundary */
  uint64_t *order; /* chunks as they are read */
  bool cold, random;
};

extern const gb_bench source_bench;

/* What gb_variant.user points to. */
struct source_method {
  bool direct;  /* past the page cache */
  bool uring;   /* by io_uring */
  bool mapped;  /* by mmap */
  bool single;  /* one thread, by read() */
  bool advised; /* mapped: madvise with the order */
  bool populated;
};

/* What `run` needs beside the problem. */
struct source_run {
  struct source *source;
  int fd;
  void *ring; /* io_uring */
};

gb_status source_files_run(const struct source_method *how, const struct source_run *run, gb_case *c);

/* GB_SKIP, with the reason, where this build or this kernel has no io_uring. */
gb_status source_uring_open(struct source_run *run, gb_case *c);
gb_status source_uring_run(const struct source_run *run, gb_case *c);
void source_uring_close(struct source_run *run);
const char *source_uring_version(void);

#endif
