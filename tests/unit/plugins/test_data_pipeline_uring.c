/* Tests that io_uring's reads have ended when `run` returns, also after a call of io_uring has failed: they write to
 * the case's memory. */
#include <unistd.h>

#include "source.h"
#include "unit.h"

#ifdef DATA_PIPELINE_URING
#include <errno.h>
#include <liburing.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNKS = 4, CHUNK = 512, LATE_MS = 50 };

gb_sdk gb;
static int calls, failing; /* calls of submit-and-wait, and which of them fails */

int __real_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait);
int __wrap_io_uring_submit_and_wait(struct io_uring *ring, unsigned wait) {
  return ++calls == failing ? -EBUSY : __real_io_uring_submit_and_wait(ring, wait);
}

int records_read(const struct records *r, int fd, uint64_t at, uint64_t bytes, void *memory, struct trouble *t) {
  (void)r, (void)fd, (void)at, (void)bytes, (void)memory;
  return trouble_set(t, GB_EFAIL, "a short read");
}

int trouble_set(struct trouble *t, gb_status status, const char *format, ...) {
  (void)format;
  t->status = status;
  return -1;
}

bool trouble_any(struct trouble *t) {
  return t->status != GB_OK;
}

gb_status trouble_tell(struct trouble *t, gb_case *c) {
  (void)c;
  return t->status;
}

static void write_chunk(int pipe) {
  char chunk[CHUNK];
  memset(chunk, 'x', sizeof chunk);
  ASSERT_EQ_INT(write(pipe, chunk, sizeof chunk), CHUNK);
}

static void *write_late(void *pipe) {
  usleep(LATE_MS * 1000);
  for (int i = 1; i < CHUNKS; i++)
    write_chunk(*(const int *)pipe);
  return NULL;
}

/* Reads the chunks from a pipe: one is there at once, the others come later. */
static void reads_end(int which_fails, gb_status expected) {
  uint64_t order[CHUNKS] = {3, 1, 0, 2};
  char memory[CHUNKS * CHUNK] = {0};
  int ends[2];
  pthread_t writer;
  ASSERT_EQ_INT(pipe(ends), 0);
  struct source source = {.file = {.layout = layout_of(CHUNK, CHUNKS, 1)}, .memory = memory, .order = order};
  struct io_uring ring;
  const struct source_run run = {.source = &source, .fd = ends[0], .ring = &ring};
  ASSERT_EQ_INT(io_uring_queue_init(32, &ring, 0), 0);
  calls = 0, failing = which_fails;
  write_chunk(ends[1]);
  pthread_create(&writer, NULL, write_late, &ends[1]);
  ASSERT_EQ_INT(source_uring_run(&run, NULL), expected);
  size_t read = 0;
  for (size_t i = 0; i < sizeof memory; i++)
    read += memory[i] == 'x';
  ASSERT_EQ_INT(read, sizeof memory);
  pthread_join(writer, NULL);
  io_uring_queue_exit(&ring);
  close(ends[0]), close(ends[1]);
}

static void reads_have_ended(void) {
  struct io_uring ring;
  if (io_uring_queue_init(2, &ring, 0) < 0) return; /* a kernel without it, or one that does not allow it */
  io_uring_queue_exit(&ring);
  reads_end(0, GB_OK);
  reads_end(2, GB_EFAIL);
}
#else
static void reads_have_ended(void) {}
#endif

UNIT_MAIN("data_pipeline_uring", UNIT_TEST(reads_have_ended))
