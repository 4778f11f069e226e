/* The bench `source`, which reads a file of records into memory: its state, and the properties of its variants. */
#ifndef DATA_PIPELINE_SOURCE_H
#define DATA_PIPELINE_SOURCE_H

#include "records.h"

struct source {
  struct records file;
  struct pool *pool;
  int threads;
  char *memory;    /* as large as the file, at a page boundary */
  uint64_t *order; /* the chunk numbers in the order in which they are read */
  bool cold, random;
};

extern const gb_bench source_bench;

/* How a variant reads the file; gb_variant.user points to this struct. */
struct source_method {
  bool direct;  /* true: bypasses the page cache */
  bool uring;   /* true: reads with io_uring */
  bool mapped;  /* true: copies from a mapping of the file (mmap) */
  bool single;  /* true: reads on one thread, with read() */
  bool advised; /* true: announces the order of reading by madvise(); used with `mapped` only */
  bool populated;
};

/* State of a prepared variant. */
struct source_run {
  struct source *source;
  int fd;
  void *ring; /* state of io_uring */
};

gb_status source_files_run(const struct source_method *how, const struct source_run *run, gb_case *c);

/* Prepares io_uring. Returns GB_SKIP and states the reason if this build or this kernel has no io_uring. */
gb_status source_uring_open(struct source_run *run, gb_case *c);
gb_status source_uring_run(const struct source_run *run, gb_case *c);
void source_uring_close(struct source_run *run);
const char *source_uring_version(void);

#endif
