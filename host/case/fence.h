/* Memory between fences: pages on both sides of it that cannot be accessed, so that a read or a write there ends the
 * process. `gpubench check` uses them to find accesses that lie farther outside than the guards reach, and reads. */
#pragma once

#include <stdint.h>

/* Size of each fence. It takes address space only. */
enum { FENCE_BYTES = 64 << 20 };

/* Maps at least `bytes` of memory, whole pages, between two fences, and writes the size to `*page_bytes`. Returns NULL
 * if there is no address space. */
void *fence_map(uint64_t bytes, uint64_t *page_bytes);
void fence_unmap(void *pages, uint64_t page_bytes);
