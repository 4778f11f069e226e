#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest.h"
#include "machine.h"

/* seed of the random contents of a file, so that they are the same in all cases */
#define FILE_SEED UINT64_C(0x6461746170697065)
#define BLOCK ((size_t)1 << 20)

/* ---- Reading --------------------------------------------------------------------------------------------------- */

int records_ended(const struct records *r, uint64_t at, struct trouble *t) {
  return trouble_set(t, GB_EFAIL, "%s ends at byte %" PRIu64 ": it had %" PRIu64 " when the case began", r->path, at,
                     layout_bytes(&r->layout));
}

int records_read(const struct records *r, int fd, uint64_t at, uint64_t bytes, void *memory, struct trouble *t) {
  char *to = memory;
  while (bytes > 0) {
    const ssize_t got = pread(fd, to, bytes, (off_t)at);
    if (got == 0) return records_ended(r, at, t);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return trouble_set(t, GB_EFAIL, "read of %s at byte %" PRIu64 ": %s", r->path, at, strerror(errno));
    at += (uint64_t)got;
    to += got;
    bytes -= (uint64_t)got;
  }
  return 0;
}

/* ---- Checksums ------------------------------------------------------------------------------------------------- */

struct digest_job {
  const struct records *r;
  const char *memory; /* the data; NULL: the data is read from the file */
  uint64_t *digests;  /* the checksums are stored here; NULL: they are compared with those in `r` */
  int threads;
  struct trouble trouble;
};

static int digest_chunk(struct digest_job *job, uint64_t chunk, char *buffer) {
  const struct records *r = job->r;
  const uint64_t at = layout_chunk_at(&r->layout, chunk), size = layout_chunk_size(&r->layout, chunk);
  if (job->memory == NULL && records_read(r, r->fd, at, size, buffer, &job->trouble) != 0) return -1;
  const uint64_t found = digest(job->memory == NULL ? buffer : job->memory + at, size);
  if (job->digests != NULL)
    job->digests[chunk] = found;
  else if (found != r->digests[chunk])
    return trouble_set(&job->trouble, GB_EFAIL,
                       "chunk %" PRIu64 " of %" PRIu64 " has arrived with checksum %016" PRIx64 ": %s has %016" PRIx64,
                       chunk, r->layout.chunks, found, r->path, r->digests[chunk]);
  return 0;
}

static void digest_task(void *context, int index) {
  struct digest_job *job = context;
  char *buffer = job->memory == NULL ? malloc(layout_chunk_bytes(&job->r->layout)) : NULL;
  if (job->memory == NULL && buffer == NULL) {
    trouble_set(&job->trouble, GB_ENOMEM, "no host memory for a chunk");
    return;
  }
  for (uint64_t i = (uint64_t)index; i < job->r->layout.chunks; i += (uint64_t)job->threads)
    if (digest_chunk(job, i, buffer) != 0) break;
  free(buffer);
}

gb_status records_compare(const struct records *r, gb_case *c, const char *memory, struct pool *pool, int threads) {
  struct digest_job job = {.r = r, .memory = memory, .threads = threads, .trouble = TROUBLE_NONE};
  pool_run(pool, threads, digest_task, &job);
  return trouble_tell(&job.trouble, c);
}

static gb_status take_digests(struct records *r, gb_case *c, struct pool *pool, int threads) {
  struct digest_job job = {.r = r, .threads = threads, .trouble = TROUBLE_NONE};
  r->digests = malloc(r->layout.chunks * sizeof *r->digests);
  if (r->digests == NULL) return gb_failf(&gb, c, GB_ENOMEM, "no host memory for checksums");
  job.digests = r->digests;
  pool_run(pool, threads, digest_task, &job);
  return trouble_tell(&job.trouble, c);
}

/* ---- Making a file --------------------------------------------------------------------------------------------- */

struct make_job {
  int fd, threads;
  uint64_t bytes;
  struct trouble trouble;
};

static int write_block(struct make_job *job, uint64_t at, const char *block, size_t bytes) {
  while (bytes > 0) {
    const ssize_t put = pwrite(job->fd, block, bytes, (off_t)at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      return trouble_set(&job->trouble, GB_EFAIL, "writing %" PRIu64 " bytes of scratch file, at byte %" PRIu64 ": %s",
                         job->bytes, at, put < 0 ? strerror(errno) : "nothing was written");
    at += (uint64_t)put;
    block += put;
    bytes -= (size_t)put;
  }
  return 0;
}

static void make_task(void *context, int index) {
  struct make_job *job = context;
  uint64_t *block = malloc(BLOCK);
  if (block == NULL) {
    trouble_set(&job->trouble, GB_ENOMEM, "no host memory for %zu bytes", BLOCK);
    return;
  }
  for (uint64_t at = (uint64_t)index * BLOCK; at < job->bytes; at += (uint64_t)job->threads * BLOCK) {
    const size_t size = job->bytes - at < BLOCK ? (size_t)(job->bytes - at) : BLOCK;
    for (size_t i = 0; i < BLOCK / sizeof *block; i++)
      block[i] = gb.rng->bits(FILE_SEED, 0, at / sizeof *block + i);
    if (write_block(job, at, (const char *)block, size) != 0) break;
  }
  free(block);
}

static uint64_t fewer_bytes(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Computes for how many of the wanted records there is enough free disk space and memory. Returns GB_SKIP if that is
 * less than a chunk. */
static gb_status fit_records(gb_case *c, const struct records_wish *wish, uint64_t *records) {
  const uint64_t space = gb.scratch->free_bytes(c) / 2, memory = machine_memory() / 8;
  const uint64_t wanted = wish->record_bytes * wish->records, least = wish->record_bytes * wish->chunk_records;
  uint64_t room = space > 0 ? fewer_bytes(wanted, space) : wanted;
  if (memory > 0) room = fewer_bytes(room, memory);
  if (room < fewer_bytes(least, wanted))
    return gb_failf(&gb, c, GB_SKIP,
                    "a file of records needs at least %" PRIu64 " bytes: half of the free scratch space is %" PRIu64
                    ", an eighth of the free memory is %" PRIu64,
                    fewer_bytes(least, wanted), space, memory);
  *records = fewer_bytes(wish->records, room / wish->record_bytes);
  return GB_OK;
}

static gb_status write_records(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool,
                               int threads) {
  struct make_job job = {.threads = threads, .bytes = layout_bytes(&r->layout), .trouble = TROUBLE_NONE};
  job.fd = open(r->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (job.fd < 0) return gb_failf(&gb, c, GB_EFAIL, "%s: %s", r->path, strerror(errno));
  if (fallocate(job.fd, 0, 0, (off_t)job.bytes) != 0 && errno != EOPNOTSUPP && errno != ENOSYS)
    trouble_set(&job.trouble, GB_EFAIL, "%s: no space for %" PRIu64 " bytes: %s", r->path, job.bytes, strerror(errno));
  else
    pool_run(pool, threads, make_task, &job);
  if (job.trouble.status == GB_OK && wish->synced && fsync(job.fd) != 0)
    trouble_set(&job.trouble, GB_EFAIL, "%s: fsync: %s", r->path, strerror(errno));
  if (close(job.fd) != 0) trouble_set(&job.trouble, GB_EFAIL, "%s: %s", r->path, strerror(errno));
  return trouble_tell(&job.trouble, c);
}

static gb_status make_records(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool,
                              int threads) {
  uint64_t records = 0;
  const char *folder = gb.scratch->directory(c);
  if (folder == NULL) return GB_EFAIL;
  const gb_status status = fit_records(c, wish, &records);
  if (status != GB_OK) return status;
  r->layout = layout_of(wish->record_bytes, records, wish->chunk_records);
  if (snprintf(r->path, sizeof r->path, "%s/records.bin", folder) >= (int)sizeof r->path)
    return gb_failf(&gb, c, GB_EFAIL, "the path of the scratch folder is too long");
  return write_records(r, c, wish, pool, threads);
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

/* Computes the number of records in a file that the user supplied. Such a file is used as it is, whatever size the axes
 * (parameters of the case) ask for. */
static gb_status measure_user_file(struct records *r, gb_case *c, const struct records_wish *wish) {
  struct stat facts;
  if (fstat(r->fd, &facts) != 0) return gb_failf(&gb, c, GB_EFAIL, "%s: %s", r->path, strerror(errno));
  if (!S_ISREG(facts.st_mode)) return gb_failf(&gb, c, GB_EFAIL, "%s is no regular file", r->path);
  const uint64_t bytes = (uint64_t)facts.st_size, rest = bytes % wish->record_bytes;
  if (bytes < wish->record_bytes)
    return gb_failf(&gb, c, GB_EFAIL, "%s holds no record: %" PRIu64 " bytes, a record has %" PRIu64, r->path, bytes,
                    wish->record_bytes);
  if (rest != 0)
    return gb_failf(&gb, c, GB_EFAIL,
                    "%s is cut short: %" PRIu64 " bytes are %" PRIu64 " records of %" PRIu64 " and %" PRIu64
                    " bytes of another",
                    r->path, bytes, bytes / wish->record_bytes, wish->record_bytes, rest);
  r->layout = layout_of(wish->record_bytes, bytes / wish->record_bytes, wish->chunk_records);
  return GB_OK;
}

gb_status records_open(struct records *r, gb_case *c, const struct records_wish *wish, struct pool *pool, int threads) {
  const char *own = option_file(c);
  gb_status status = GB_OK;
  *r = (struct records){.fd = -1, .users = own != NULL};
  if (own == NULL)
    status = make_records(r, c, wish, pool, threads);
  else
    snprintf(r->path, sizeof r->path, "%s", own);
  if (status != GB_OK) return status;
  /* O_NONBLOCK, because opening a pipe must not block; measure_user_file() below refuses anything but a regular file */
  r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (r->fd < 0) return gb_failf(&gb, c, GB_EFAIL, "%s: %s", r->path, strerror(errno));
  if (own != NULL) status = measure_user_file(r, c, wish);
  machine_file_system(r->fd, r->system, sizeof r->system);
  return status == GB_OK ? take_digests(r, c, pool, threads) : status;
}

void records_close(struct records *r) {
  if (r->fd >= 0) close(r->fd);
  free(r->digests);
  *r = (struct records){.fd = -1};
}

/* ---- The page cache -------------------------------------------------------------------------------------------- */

/* Returns how many pages of the file are in the page cache, or -1 if that cannot be determined. */
static int64_t resident(const struct records *r, uint64_t pages) {
  const uint64_t bytes = layout_bytes(&r->layout);
  unsigned char *seen = malloc(pages);
  void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, r->fd, 0);
  int64_t count = -1;
  if (map != MAP_FAILED && seen != NULL && mincore(map, bytes, seen) == 0) {
    count = 0;
    for (uint64_t i = 0; i < pages; i++)
      count += seen[i] & 1;
  }
  if (map != MAP_FAILED) munmap(map, bytes);
  free(seen);
  return count;
}

gb_status records_chill(const struct records *r, gb_case *c) {
  enum { TRIES = 5 };
  const uint64_t pages = (layout_bytes(&r->layout) + 4095) / 4096;
  int64_t left = -1;
  for (int i = 0; i < TRIES; i++) { /* several tries, because pages that a read or write is using are not dropped */
    const int code = posix_fadvise(r->fd, 0, 0, POSIX_FADV_DONTNEED);
    if (code != 0) return gb_failf(&gb, c, GB_SKIP, "cold: posix_fadvise on %s: %s", r->system, strerror(code));
    left = resident(r, pages);
    if (left >= 0 && (uint64_t)left <= pages / 100) return GB_OK;
    usleep(2000);
  }
  if (left < 0) return gb_failf(&gb, c, GB_SKIP, "cold: mincore on %s: %s", r->system, strerror(errno));
  return gb_failf(&gb, c, GB_SKIP,
                  "cold: %" PRId64 " of %" PRIu64
                  " pages stay in memory after posix_fadvise(DONTNEED): the file lies on "
                  "%s",
                  left, pages, r->system);
}
