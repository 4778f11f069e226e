/* Computes checksums of large memory and overwrites large memory, on several threads of a pool. Used to verify copied
 * data. This file does not use the plugin interface. */
#ifndef DATA_PIPELINE_BULK_H
#define DATA_PIPELINE_BULK_H

#include <stdint.h>

#include "pool.h"

#define BULK_PIECE ((uint64_t)1 << 20)

/* Returns the checksum of `bytes` bytes at `memory`, which belong at offset `at` of some larger data. `at` must be a
 * multiple of BULK_PIECE. The sum of the checksums of all parts of the data does not depend on how the data is divided
 * into parts and threads. */
uint64_t bulk_digest(struct pool *pool, int threads, const void *memory, uint64_t bytes, uint64_t at);

/* Overwrites the memory with a pattern. Data that an earlier run left there can then not be mistaken for the result of
 * the next run. */
void bulk_poison(struct pool *pool, int threads, void *memory, uint64_t bytes);

#endif
