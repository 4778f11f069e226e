/* Operations on much memory for checks, on all threads of a pool. Independent of the plugin ABI. */
#ifndef DATA_PIPELINE_BULK_H
#define DATA_PIPELINE_BULK_H

#include <stdint.h>

#include "pool.h"

#define BULK_PIECE ((uint64_t)1 << 20)

/* Returns the checksum of a part of some data; `memory` holds `bytes` of it from byte `at` on. `at` is a multiple of
 * BULK_PIECE. The sum over all parts is the same for any division into parts and threads. */
uint64_t bulk_digest(struct pool *pool, int threads, const void *memory, uint64_t bytes, uint64_t at);

/* Overwrites the memory, so that data of an earlier run cannot pass for that of the next one. */
void bulk_poison(struct pool *pool, int threads, void *memory, uint64_t bytes);

#endif
