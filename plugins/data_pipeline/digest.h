/* Checksums by which transferred data is verified: XXH3, 64 bits. */
#ifndef DATA_PIPELINE_DIGEST_H
#define DATA_PIPELINE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

uint64_t digest(const void *data, size_t bytes);

/* Returns a checksum of a piece of data that also depends on the place to which the piece belongs. */
uint64_t digest_at(uint64_t place, const void *data, size_t bytes);

#endif
