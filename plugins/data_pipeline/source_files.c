/* Reads a file of records with system calls or through a mapping. Each chunk has a fixed place in memory, in whatever
 * order chunks are read. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source.h"

struct job {
  const struct source *source;
  int fd;
  const char *map; /* the mapping of the file; NULL: the file is read by system calls */
  struct trouble trouble;
};

static int take_chunk(struct job *job, uint64_t chunk) {
  const struct records *file = &job->source->file;
  const uint64_t at = layout_chunk_at(&file->layout, chunk), size = layout_chunk_size(&file->layout, chunk);
  char *to = job->source->memory + at;
  if (job->map == NULL) return records_read(file, job->fd, at, size, to, &job->trouble);
  memcpy(to, job->map + at, size);
  return 0;
}

static void take_chunks(void *context, int index) {
  struct job *job = context;
  const struct source *s = job->source;
  for (uint64_t i = (uint64_t)index; i < s->file.layout.chunks; i += (uint64_t)s->threads)
    if (take_chunk(job, s->order[i]) != 0) break;
}

/* Reads a chunk as a simple program does: with read() at the current offset of the file. */
static int read_chunk(struct job *job, uint64_t chunk) {
  const struct records *file = &job->source->file;
  uint64_t at = layout_chunk_at(&file->layout, chunk), left = layout_chunk_size(&file->layout, chunk);
  while (left > 0) {
    const ssize_t got = read(job->fd, job->source->memory + at, left);
    if (got == 0) return records_ended(file, at, &job->trouble);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble_set(&job->trouble, GB_EFAIL, "read of %s: %s", file->path, strerror(errno));
    at += (uint64_t)got;
    left -= (uint64_t)got;
  }
  return 0;
}

static void read_chunks(struct job *job) {
  const struct source *s = job->source;
  for (uint64_t i = 0; i < s->file.layout.chunks; i++) {
    const bool seeks = i == 0 || s->random;
    if (seeks && lseek(job->fd, (off_t)layout_chunk_at(&s->file.layout, s->order[i]), SEEK_SET) < 0) {
      trouble_set(&job->trouble, GB_EFAIL, "seek in %s: %s", s->file.path, strerror(errno));
      return;
    }
    if (read_chunk(job, s->order[i]) != 0) return;
  }
}

/* Makes a new mapping of the file for each call and copies from it. A mapping is not kept, because the kernel does not
 * drop mapped pages from its cache. If another process truncates the file during the call, this process gets SIGBUS. */
static void copy_mapped(struct job *job, const struct source_method *how) {
  const struct source *s = job->source;
  const uint64_t bytes = layout_bytes(&s->file.layout);
  void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED | (how->populated ? MAP_POPULATE : 0), job->fd, 0);
  if (map == MAP_FAILED) {
    trouble_set(&job->trouble, GB_EFAIL, "mmap of %s: %s", s->file.path, strerror(errno));
    return;
  }
  if (how->advised && madvise(map, bytes, s->random ? MADV_RANDOM : MADV_SEQUENTIAL) != 0)
    trouble_set(&job->trouble, GB_EFAIL, "madvise on %s: %s", s->file.path, strerror(errno));
  job->map = map;
  pool_run(s->pool, s->threads, take_chunks, job);
  munmap(map, bytes);
}

gb_status source_files_run(const struct source_method *how, const struct source_run *run, gb_case *c) {
  struct job job = {.source = run->source, .fd = run->fd, .trouble = TROUBLE_NONE};
  if (how->single)
    read_chunks(&job);
  else if (how->mapped)
    copy_mapped(&job, how);
  else
    pool_run(run->source->pool, run->source->threads, take_chunks, &job);
  return trouble_tell(&job.trouble, c);
}
