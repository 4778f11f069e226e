/* Pages and mappings of this process. There is one address space to a process, so there is one state. */
#include "device/cpu_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/rng.h"

enum { FEW_PAGES = 64 };

static struct {
  pid_t process; /* whose files these are: a child has pages of its own */
  int pagemap, maps;
  bool queries; /* the kernel answers PROCMAP_QUERY (Linux 6.11) */
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

/* ---- Pages ---- */

#define PAGE_PRESENT (UINT64_C(1) << 63)
#define PAGE_SWAPPED (UINT64_C(1) << 62)
#define PAGE_OF_FILE (UINT64_C(1) << 61) /* or of shared memory */

static const char missing[] = "is not there yet", shared[] = "is shared with other memory",
                  locked[] = "may not be read or written", unmapped[] = "is not mapped";

static const char *fault_of(const uint64_t *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if ((entries[i] & (PAGE_PRESENT | PAGE_SWAPPED)) == 0) return missing;
    if ((entries[i] & PAGE_OF_FILE) != 0) return shared;
  }
  return NULL;
}

/* `count` of them from the one with this number; what cannot be read has no fault. */
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

/* ---- Mappings ---- */

/* As in <linux/fs.h> from Linux 6.11 on. */
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

/* False where the kernel has no such question. `any`: what can be read is in order, whatever lies there. */
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

/* One line of /proc/self/maps: "start-end rwxp offset major:minor inode name". */
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
  FILE *file = fopen("/proc/self/maps", "re");
  if (file == NULL) return NULL;
  while (from < end && fault == NULL && fgets(line, sizeof line, file) != NULL)
    fault = fault_of_line(line, &from, end);
  if (fault == NULL && from < end) fault = unmapped;
  fclose(file);
  return fault;
}

/* All lines of a process that has loaded PyTorch take a millisecond: they are read now and then. */
static const char *fault_of_mappings(uintptr_t from, uintptr_t end, uint64_t key) {
  enum { ONE_OF = 8 };
  const char *fault = NULL;
  if (pages.queries && ask_for_mappings(from, end, false, &fault)) return fault;
  pages.queries = false;
  return rng_bits(key, UINT64_MAX) % ONE_OF == 0 ? read_mappings(from, end) : NULL;
}

/* ---- Single elements ---- */

/* False only where the kernel says that a page is not mapped, or is mapped and not there. */
static bool are_resident(uintptr_t first, size_t count) {
  unsigned char there[FEW_PAGES];
  if (mincore((void *)(first * page_bytes()), count * page_bytes(), there) != 0) /* NOLINT: an address */
    return errno != ENOMEM;
  for (size_t i = 0; i < count; i++)
    if ((there[i] & 1) == 0) return false;
  return true;
}

/* By the kernel, which raises no signal where memory cannot be read; for kernels that tell nothing of mappings. */
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

/* ---- All of it ---- */

const char *cpu_absent(struct device *device, const void *memory, size_t bytes, uint64_t key) {
  (void)device;
  const uintptr_t start = (uintptr_t)memory, end = start + bytes, first = start / page_bytes();
  if (bytes == 0) return NULL;
  cpu_pages_open();
  const char *fault = fault_of_pages(first, (end + page_bytes() - 1) / page_bytes() - first, key);
  return fault != NULL ? fault : fault_of_mappings(start, end, key);
}
