/* Checksums and overwriting of large memory, for verification, on all threads of a pool. Independent of the plugin
 * ABI. */
#ifndef DATA_PIPELINE_BULK_H
#define DATA_PIPELINE_BULK_H

#include <stdint.h>

#include "pool.h"

#define BULK_PIECE ((uint64_t)1 << 20)

/* Returns the checksum of bytes `at` to `at` + `bytes` - 1 of some data, which are at `memory`. `at` must be a multiple
 * of BULK_PIECE. The sum of the checksums of all parts of the data does not depend on how it is divided into parts and
 * threads. */
uint64_t bulk_digest(struct pool *pool, int threads, const void *memory, uint64_t bytes, uint64_t at);

/* Overwrites the memory with a pattern, so that data that an earlier run left there cannot be mistaken for the result
 * of the next run. */
void bulk_poison(struct pool *pool, int threads, void *memory, uint64_t bytes);

#endif
