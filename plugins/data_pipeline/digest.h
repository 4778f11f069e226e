/* Checksums of data that has arrived: XXH3, 64 bits. */
#ifndef DATA_PIPELINE_DIGEST_H
#define DATA_PIPELINE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

uint64_t digest(const void *data, size_t bytes);

/* The next piece of data that comes in pieces; the first follows 0. */
uint64_t digest_next(uint64_t sum, const void *data, size_t bytes);

#endif
