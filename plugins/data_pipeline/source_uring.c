/* Reads a file of records with io_uring: one thread keeps several reads in flight. If liburing was missing at build
 * time, the variants that need it are skipped, and the missing library is given as the reason. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source.h"

#ifdef DATA_PIPELINE_URING
#include <liburing.h>

#define IN_FLIGHT 32u

const char *source_uring_version(void) {
  return "liburing";
}

gb_status source_uring_open(struct source_run *run, gb_case *c) {
  struct io_uring *ring = malloc(sizeof *ring);
  if (ring == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory");
  const int code = io_uring_queue_init(IN_FLIGHT, ring, 0);
  if (code < 0) {
    free(ring);
    return gb_failf(&gb, c, GB_SKIP, "io_uring_queue_init: %s: this kernel has no io_uring, or does not allow it",
                    strerror(-code));
  }
  run->ring = ring;
  return GB_OK;
}

void source_uring_close(struct source_run *run) {
  if (run->ring == NULL) return;
  io_uring_queue_exit(run->ring);
  free(run->ring);
  run->ring = NULL;
}

/* Enqueues the read of a chunk. Returns false if the queue is full. */
static bool enqueue_read(const struct source_run *run, uint64_t position) {
  const struct source *s = run->source;
  const uint64_t chunk = s->order[position], at = layout_chunk_at(&s->file.layout, chunk);
  struct io_uring_sqe *entry = io_uring_get_sqe(run->ring);
  if (entry == NULL) return false;
  io_uring_prep_read(entry, run->fd, s->memory + at, (unsigned)layout_chunk_size(&s->file.layout, chunk), 0);
  entry->off = at; /* set here, because in old versions of liburing the argument for the offset is signed */
  io_uring_sqe_set_data(entry, &s->order[position]);
  return true;
}

/* Checks a completed read. If it was short, reads the rest with pread(). */
static int complete_read(const struct source_run *run, const struct io_uring_cqe *done, struct trouble *t) {
  const struct source *s = run->source;
  const uint64_t chunk = *(const uint64_t *)io_uring_cqe_get_data(done);
  const uint64_t at = layout_chunk_at(&s->file.layout, chunk), size = layout_chunk_size(&s->file.layout, chunk);
  if (done->res < 0)
    return trouble_set(t, GB_EFAIL, "io_uring read of %s at byte %" PRIu64 ": %s", s->file.path, at,
                       strerror(-done->res));
  const uint64_t got = (uint64_t)done->res;
  return got == size ? 0 : records_read(&s->file, s->file.fd, at + got, size - got, s->memory + at + got, t);
}

/* Waits until `in_flight` reads have completed. Polls for completions instead of waiting in io_uring_submit_and_wait(),
 * because that function has failed before this call. */
static void drain_reads(struct io_uring *ring, uint64_t in_flight) {
  const struct timespec pause = {0, 100000};
  struct io_uring_cqe *done = NULL;
  while (in_flight > 0) {
    if (io_uring_peek_cqe(ring, &done) != 0) {
      nanosleep(&pause, NULL);
      continue;
    }
    io_uring_cqe_seen(ring, done);
    in_flight--;
  }
}

/* Submits the enqueued reads, adds to `*submitted` how many of them the kernel has taken, and waits until one read
 * completes. `collected` is the number of reads that completed earlier. Returns -1 after it has recorded an error in
 * `t`; then no read is in flight. */
static int collect_read(const struct source_run *run, uint64_t collected, uint64_t *submitted, struct trouble *t) {
  struct io_uring_cqe *done = NULL;
  int code = 0;
  do
    code = io_uring_submit_and_wait(run->ring, 1);
  while (code == -EINTR);
  if (code >= 0) *submitted += (uint64_t)code;
  if (code >= 0) code = io_uring_peek_cqe(run->ring, &done);
  if (code < 0) {
    drain_reads(run->ring, *submitted - collected);
    return trouble_set(t, GB_EFAIL, "io_uring: %s", strerror(-code));
  }
  complete_read(run, done, t);
  io_uring_cqe_seen(run->ring, done);
  return 0;
}

gb_status source_uring_run(const struct source_run *run, gb_case *c) {
  struct trouble trouble = TROUBLE_NONE;
  const uint64_t chunks = run->source->file.layout.chunks;
  uint64_t asked = 0, submitted = 0, done = 0;
  /* After a failure, this loop waits until no read is in flight, because a read in flight still writes to memory. */
  while (done < chunks && (asked > done || !trouble_any(&trouble))) {
    while (asked < chunks && asked - done < IN_FLIGHT && !trouble_any(&trouble) && enqueue_read(run, asked))
      asked++;
    if (collect_read(run, done, &submitted, &trouble) != 0) break;
    done++;
  }
  return trouble_tell(&trouble, c);
}

#else
const char *source_uring_version(void) {
  return "none";
}

gb_status source_uring_open(struct source_run *run, gb_case *c) {
  (void)run;
  return gb_failf(&gb, c, GB_SKIP, "this plugin was built without liburing");
}

gb_status source_uring_run(const struct source_run *run, gb_case *c) {
  (void)run;
  (void)c;
  return GB_ENOTSUP;
}

void source_uring_close(struct source_run *run) {
  (void)run;
}
#endif
