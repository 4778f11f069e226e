#include "bulk.h"

#include <stdatomic.h>
#include <string.h>

#include "digest.h"
#include "layout.h"

struct job {
  const char *memory;
  char *poisoned;
  uint64_t bytes, at;
  int threads;
  _Atomic uint64_t sum;
};

/* Adds up the checksums of the pieces of data that thread `index` handles. Each checksum depends on the place of its
 * piece, so that exchanged pieces are detected. */
static void digest_some(void *context, int index) {
  struct job *job = context;
  const uint64_t step = (uint64_t)job->threads * BULK_PIECE;
  uint64_t sum = 0;
  for (uint64_t from = (uint64_t)index * BULK_PIECE; from < job->bytes; from += step) {
    const uint64_t left = job->bytes - from;
    sum += digest_at(job->at + from, job->memory + from, left < BULK_PIECE ? left : BULK_PIECE);
  }
  atomic_fetch_add(&job->sum, sum);
}

uint64_t bulk_digest(struct pool *pool, int threads, const void *memory, uint64_t bytes, uint64_t at) {
  struct job job = {.memory = memory, .bytes = bytes, .at = at, .threads = threads};
  pool_run(pool, threads, digest_some, &job);
  return job.sum;
}

static void poison_share(void *context, int index) {
  const struct job *job = context;
  uint64_t from, to;
  layout_part(job->bytes, index, job->threads, &from, &to);
  memset(job->poisoned + from, 0xA5, to - from);
}

void bulk_poison(struct pool *pool, int threads, void *memory, uint64_t bytes) {
  struct job job = {.poisoned = memory, .bytes = bytes, .threads = threads};
  pool_run(pool, threads, poison_share, &job);
}
