/* What a check does to a lot of memory, with all threads of a pool. Knows nothing of the plugin ABI. */
#ifndef DATA_PIPELINE_BULK_H
#define DATA_PIPELINE_BULK_H

#include <stdint.h>

#include "pool.h"

#define BULK_PIECE ((uint64_t)1 << 20)

/* Checksum of data of which `memory` holds `bytes` from byte `at` on: those of all parts are added up. `at` is a
 * multiple of BULK_PIECE; whatever the parts and the threads, the sum is the same. */
uint64_t bulk_digest(struct pool *pool, int threads, const void *memory, uint64_t bytes, uint64_t at);

/* Overwrites it all: what one run brought must not pass for what the next one brings. */
void bulk_poison(struct pool *pool, int threads, void *memory, uint64_t bytes);

#endif
