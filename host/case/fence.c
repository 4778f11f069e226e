#include "case/fence.h"

#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

void *fence_map(uint64_t bytes, uint64_t *page_bytes) {
  const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), inside = (bytes / page + 1) * page;
  const size_t whole = (size_t)inside + 2 * (size_t)FENCE_BYTES;
  *page_bytes = 0;
  char *first = mmap(NULL, whole, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (first == MAP_FAILED) return NULL;
  if (mprotect(first + FENCE_BYTES, (size_t)inside, PROT_READ | PROT_WRITE) != 0) {
    munmap(first, whole);
    return NULL;
  }
  *page_bytes = inside;
  return first + FENCE_BYTES;
}

void fence_unmap(void *pages, uint64_t page_bytes) {
  munmap((char *)pages - FENCE_BYTES, (size_t)page_bytes + 2 * (size_t)FENCE_BYTES);
}
