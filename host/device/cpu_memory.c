/* Fills and scans host memory, and checks that its pages are present, private, readable and writable. */
#include "device/cpu_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clones.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "model/data/dtype.h"
#include "model/data/fill_range.h"

/* ---- Filling ---- */

enum { PIECE = 1 << 17 };

struct filling {
  char *memory;
  uint64_t elements;
  const struct fill *fill;
};

static void fill_memory_piece(void *context, size_t piece) {
  const struct filling *f = (const struct filling *)context;
  const uint64_t first = (uint64_t)piece * PIECE, left = f->elements - first;
  fill_range(f->fill, first, left < PIECE ? left : PIECE, f->memory + first * dtype_bytes(f->fill->dtype));
}

int cpu_fill(struct device *device, void *memory, uint64_t elements, const struct fill *fill, struct err *err) {
  struct filling filling = {(char *)memory, elements, fill};
  (void)device;
  if (dtype_bytes(fill->dtype) == 0) return err_set(err, EXIT_FAILED, "fill: dtype %u is unknown", fill->dtype);
  parallel_each((size_t)((elements + PIECE - 1) / PIECE), fill_memory_piece, &filling);
  return 0;
}

/* ---- Scanning: threads on all CPUs process pieces of the memory, whose results are combined in order ---- */

enum { PIECE_BYTES = 1 << 20, CHAINS = 4 };

static size_t pieces_of(uint64_t whole, uint64_t piece) {
  return (size_t)((whole + piece - 1) / piece);
}

/* ---- Counting poison (a pattern that marks unwritten outputs) ---- */

struct counting {
  const unsigned char *memory;
  size_t size; /* size of an element in bytes */
  uint64_t elements, pattern;
  uint64_t *counts; /* for each piece, the number of elements in it that are equal to the pattern */
};

/* Defines a function `name` that counts the elements equal to a pattern. Their type is fixed at compile time, so that
 * the compiler vectorizes the loop. */
#define COUNT_EQUAL(name, type)                                                               \
  CLONES static uint64_t name(const unsigned char *at, uint64_t elements, uint64_t pattern) { \
    uint64_t count = 0;                                                                       \
    while (elements > 0) {                                                                    \
      const uint32_t block = elements < 128 ? (uint32_t)elements : 128;                       \
      type equal = 0; /* at most 128, so that it fits into one byte */                        \
      for (uint32_t i = 0; i < block; i++) {                                                  \
        type element;                                                                         \
        memcpy(&element, at + i * sizeof element, sizeof element);                            \
        equal = (type)(equal + (element == (type)pattern));                                   \
      }                                                                                       \
      count += equal;                                                                         \
      elements -= block;                                                                      \
      at += block * sizeof(type);                                                             \
    }                                                                                         \
    return count;                                                                             \
  }

COUNT_EQUAL(count_1, uint8_t)
COUNT_EQUAL(count_2, uint16_t)
COUNT_EQUAL(count_4, uint32_t)
COUNT_EQUAL(count_8, uint64_t)

static uint64_t count_pattern(const unsigned char *at, uint64_t elements, size_t size, uint64_t pattern) {
  return (size == 1 ? count_1 : size == 2 ? count_2 : size == 4 ? count_4 : count_8)(at, elements, pattern);
}

/* Return the index of the first element of a piece, and the index after its last element. */
static uint64_t begin_of(const struct counting *c, size_t piece) {
  return piece * (PIECE_BYTES / c->size);
}

static uint64_t counting_end(const struct counting *c, size_t piece) {
  const uint64_t end = begin_of(c, piece + 1);
  return end < c->elements ? end : c->elements;
}

static void count_piece(void *context, size_t piece) {
  const struct counting *c = (const struct counting *)context;
  const uint64_t first = begin_of(c, piece), count = counting_end(c, piece) - first;
  c->counts[piece] = count_pattern(c->memory + first * c->size, count, c->size, c->pattern);
}

/* Returns the index of the first element of the piece that still has the poison (a pattern that marks unwritten
 * outputs). Call it for a piece in which such elements were counted. If a thread has overwritten all of them since,
 * returns the index of the piece's first element. */
static uint64_t find_first(const struct counting *c, size_t piece) {
  for (uint64_t i = begin_of(c, piece); i < counting_end(c, piece); i++)
    if (count_pattern(c->memory + i * c->size, 1, c->size, c->pattern) > 0) return i;
  return begin_of(c, piece);
}

int cpu_count_poison(struct device *device, const void *memory, size_t element_bytes, uint64_t elements,
                     unsigned char byte, uint64_t *count, uint64_t *first, struct err *err) {
  struct counting c = {(const unsigned char *)memory, element_bytes, elements, UINT64_C(0x0101010101010101) * byte,
                       NULL};
  const size_t pieces = pieces_of(elements, PIECE_BYTES / element_bytes);
  (void)device, (void)err;
  c.counts = (uint64_t *)xcalloc(pieces, sizeof *c.counts);
  parallel_each(pieces, count_piece, &c);
  *count = *first = 0;
  for (size_t i = 0; i < pieces; i++) {
    if (*count == 0 && c.counts[i] > 0) *first = find_first(&c, i);
    *count += c.counts[i];
  }
  free(c.counts);
  return 0;
}

/* ---- Checksums ---- */

struct summing {
  const unsigned char *memory;
  size_t bytes;
  uint64_t key;
  uint64_t (*sums)[CHAINS]; /* the checksums of each piece */
};

static uint64_t checksum_step(uint64_t sum, uint64_t word) {
  sum = (sum ^ word) * UINT64_C(0x9FB21C651E98DF25);
  return sum ^ sum >> 29;
}

/* Computes the checksum of a piece in four independent chains, which a processor executes in parallel. Each step of a
 * chain is a bijection of its sum, so every change of a single word changes the checksum. */
static void sum_piece(void *context, size_t piece) {
  const struct summing *s = (const struct summing *)context;
  const unsigned char *at = s->memory + piece * PIECE_BYTES;
  uint64_t sums[CHAINS], words[CHAINS];
  for (uint64_t i = 0; i < CHAINS; i++)
    sums[i] = rng_bits(s->key, i);
  size_t left = s->bytes - piece * PIECE_BYTES;
  if (left > PIECE_BYTES) left = PIECE_BYTES;
  for (; left > 0; left -= left < sizeof words ? left : sizeof words, at += sizeof words) {
    if (left < sizeof words) memset(words, 0, sizeof words);
    memcpy(words, at, left < sizeof words ? left : sizeof words);
    for (int i = 0; i < CHAINS; i++)
      sums[i] = checksum_step(sums[i], words[i]);
  }
  memcpy(s->sums[piece], sums, sizeof sums);
}

int cpu_checksum(struct device *device, const void *memory, size_t bytes, uint64_t key, uint64_t *sum,
                 struct err *err) {
  const size_t pieces = pieces_of(bytes, PIECE_BYTES);
  struct summing s = {(const unsigned char *)memory, bytes, key, NULL};
  (void)device, (void)err;
  s.sums = (uint64_t(*)[CHAINS])xcalloc(pieces, sizeof *s.sums);
  parallel_each(pieces, sum_piece, &s);
  *sum = rng_key(key, bytes);
  for (size_t i = 0; i < pieces * CHAINS; i++)
    *sum = rng_mix(*sum + s.sums[i / CHAINS][i % CHAINS]);
  free(s.sums);
  return 0;
}

/* ---- Checking pages and mappings; the state is global, because the address space of a process is ---- */

enum { FEW_PAGES = 64 };

static struct {
  /* the process that opened the files below; a child process must open them anew, because it has other pages */
  pid_t process;
  int pagemap, maps;
  bool queries; /* true if the kernel supports the ioctl PROCMAP_QUERY (Linux 6.11) */
} pages = {0, -1, -1, false};

void cpu_pages_open(void) {
  if (pages.process == getpid()) return;
  if (pages.pagemap >= 0) close(pages.pagemap);
  if (pages.maps >= 0) close(pages.maps);
  pages.process = getpid();
  pages.pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  pages.maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  pages.queries = true;
}

static uintptr_t page_bytes(void) {
  static uintptr_t bytes;
  if (bytes == 0) bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
  return bytes;
}

/* ---- Checking pages by /proc/self/pagemap ---- */

#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_OF_FILE (UINT64_C(1) << 61) /* page of a file, or of shared memory */

static const char missing[] = "is not there yet", shared[] = "is shared with other memory",
                  locked[] = "may not be read or written", unmapped[] = "is not mapped";

static const char *fault_of(const uint64_t *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if ((entries[i] & (PAGE_PRESENT | PAGE_SWAPPED)) == 0) return missing;
    if ((entries[i] & PAGE_OF_FILE) != 0) return shared;
  }
  return NULL;
}

/* Checks the entries of `count` pages, from page `number` on. Returns a text that says what is wrong with one of the
 * pages, or NULL. Pages whose entries cannot be read count as correct. */
static const char *look_at_pages(uintptr_t number, size_t count) {
  uint64_t entries[256];
  const ssize_t got = pread(pages.pagemap, entries, count * sizeof *entries, (off_t)(number * sizeof *entries));
  return got > 0 ? fault_of(entries, (size_t)got / sizeof *entries) : NULL;
}

static const char *fault_of_pages(uintptr_t first, size_t count, uint64_t key) {
  enum { PORTION = 256, PORTIONS = 4, DRAWN = 48 };
  const char *fault = NULL;
  if (count <= PORTION * PORTIONS) {
    for (size_t done = 0; done < count && fault == NULL; done += PORTION)
      fault = look_at_pages(first + done, count - done < PORTION ? count - done : PORTION);
    return fault;
  }
  for (uint32_t i = 0; i < DRAWN && fault == NULL; i++)
    fault = look_at_pages(first + rng_bits(key, i) % count, 1);
  return fault;
}

/* ---- Checking mappings by /proc/self/maps ---- */

/* The argument of an ioctl that <linux/fs.h> declares since Linux 6.11. */
struct procmap_query {
  uint64_t size, query_flags, query_addr;
  uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
  uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
  uint64_t vma_name_addr, build_id_addr;
};
enum { QUERY_READABLE = 1, QUERY_WRITABLE = 2, QUERY_SHARED = 8 };
#define QUERY_MAPPING _IOWR('f', 17, struct procmap_query)

static const char *fault_of_mapping(bool usable, bool is_shared, bool of_file) {
  return is_shared || of_file ? shared : usable ? NULL : locked;
}

/* Checks that mappings cover the addresses from `from` to `end`. With `any` the mappings need only be readable;
 * otherwise they must also be writable, private and without a file. Sets `*fault` to a text that says what is wrong, or
 * NULL. Returns false if the kernel does not support the query PROCMAP_QUERY. */
static bool ask_for_mappings(uintptr_t from, uintptr_t end, bool any, const char **fault) {
  *fault = NULL;
  while (from < end && *fault == NULL) {
    struct procmap_query query = {.size = sizeof query, .query_addr = from};
    if (ioctl(pages.maps, QUERY_MAPPING, &query) != 0) {
      if (errno != ENOENT) return false;
      *fault = unmapped;
      return true;
    }
    const uint64_t wanted = QUERY_READABLE | (any ? 0 : QUERY_WRITABLE);
    const bool of_file = query.inode != 0 || query.dev_major != 0 || query.dev_minor != 0;
    *fault = fault_of_mapping((query.vma_flags & wanted) == wanted, !any && (query.vma_flags & QUERY_SHARED) != 0,
                              !any && of_file);
    from = query.vma_end;
  }
  return true;
}

/* Parses a line of /proc/self/maps: "start-end rwxp offset major:minor inode name". Returns a text that describes the
 * fault of the mapping, or NULL. */
static const char *fault_of_line(const char *line, uintptr_t *from, uintptr_t end) {
  unsigned long start = 0, stop = 0, inode = 0;
  char flags[5] = "";
  if (sscanf(line, "%lx-%lx %4s %*x %*x:%*x %lu", &start, &stop, flags, &inode) != 4 || stop <= *from) return NULL;
  if (start > *from) return unmapped;
  *from = stop < end ? stop : end;
  return fault_of_mapping(flags[0] == 'r' && flags[1] == 'w', flags[3] == 's', inode != 0);
}

static const char *read_mappings(uintptr_t from, uintptr_t end) {
  char line[512];
  const char *fault = NULL;
  SCOPED_FILE FILE *file = fopen("/proc/self/maps", "re");
  if (file == NULL) return NULL;
  while (from < end && fault == NULL && fgets(line, sizeof line, file) != NULL)
    fault = fault_of_line(line, &from, end);
  if (fault == NULL && from < end) fault = unmapped;
  return fault;
}

/* Checks the mappings of a range of addresses, by PROCMAP_QUERY if the kernel supports it. Otherwise all lines of
 * /proc/self/maps must be read, which takes a millisecond in a process that has loaded PyTorch; so only one of eight
 * calls does that, chosen by `key`. */
static const char *fault_of_mappings(uintptr_t from, uintptr_t end, uint64_t key) {
  enum { ONE_OF = 8 };
  const char *fault = NULL;
  if (pages.queries && ask_for_mappings(from, end, false, &fault)) return fault;
  pages.queries = false;
  return rng_bits(key, UINT64_MAX) % ONE_OF == 0 ? read_mappings(from, end) : NULL;
}

/* ---- Reading single elements ---- */

/* Returns false if the kernel says that one of the pages is not mapped or not resident in memory. If the kernel cannot
 * tell, returns true. */
static bool are_resident(uintptr_t first, size_t count) {
  unsigned char there[FEW_PAGES];
  if (mincore((void *)(first * page_bytes()), count * page_bytes(), there) != 0) /* NOLINT: an address */
    return errno != ENOMEM;
  for (size_t i = 0; i < count; i++)
    if ((there[i] & 1) == 0) return false;
  return true;
}

/* Reads elements by a system call, which raises no signal if the memory cannot be read. Used if the kernel does not
 * support PROCMAP_QUERY. */
static int read_carefully(char *to, const char *from, size_t element_bytes, const struct places *places) {
  for (uint32_t i = 0; i < places->count; i++) {
    const struct iovec into = {to + i * element_bytes, element_bytes},
                       at = {(char *)(uintptr_t)from + places->at[i] * element_bytes, element_bytes};
    if (process_vm_readv(getpid(), &into, 1, &at, 1, 0) == (ssize_t)element_bytes) continue;
    if (errno != ENOSYS && errno != EPERM) return 1;
    memcpy(into.iov_base, at.iov_base, element_bytes);
  }
  return 0;
}

int cpu_gather(struct device *device, void *to, const void *from, size_t element_bytes, const struct places *places,
               struct err *err) {
  const char *fault = NULL;
  uint64_t least = UINT64_MAX, most = 0;
  (void)device, (void)err;
  if (places->count == 0) return 0;
  for (uint32_t i = 0; i < places->count; i++) {
    least = places->at[i] < least ? places->at[i] : least;
    most = places->at[i] > most ? places->at[i] : most;
  }
  const uintptr_t start = (uintptr_t)from + least * element_bytes, end = (uintptr_t)from + (most + 1) * element_bytes;
  const uintptr_t first = start / page_bytes(), count = (end - 1) / page_bytes() + 1 - first;
  if (count <= FEW_PAGES && !are_resident(first, count)) return 1;
  cpu_pages_open();
  if (!pages.queries || !ask_for_mappings(start, end, true, &fault))
    return read_carefully((char *)to, (const char *)from, element_bytes, places);
  if (fault != NULL) return 1;
  for (uint32_t i = 0; i < places->count; i++)
    memcpy((char *)to + i * element_bytes, (const char *)from + places->at[i] * element_bytes, element_bytes);
  return 0;
}

/* ---- Checking pages and mappings together ---- */

const char *cpu_absent(struct device *device, const void *memory, size_t bytes, uint64_t key) {
  (void)device;
  const uintptr_t start = (uintptr_t)memory, end = start + bytes, first = start / page_bytes();
  if (bytes == 0) return NULL;
  cpu_pages_open();
  const char *fault = fault_of_pages(first, (end + page_bytes() - 1) / page_bytes() - first, key);
  return fault != NULL ? fault : fault_of_mappings(start, end, key);
}
