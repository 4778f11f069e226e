/* How a file of records is cut into chunks, and a chunk into parts: arithmetic, no file. */
#ifndef DATA_PIPELINE_LAYOUT_H
#define DATA_PIPELINE_LAYOUT_H

#include <stdint.h>

/* How a file is cut: all chunks have `chunk_records`, but the last may have fewer. */
struct layout {
  uint64_t record_bytes, records;
  uint64_t chunk_records, chunks;
};

struct layout layout_of(uint64_t record_bytes, uint64_t records, uint64_t chunk_records);
uint64_t layout_bytes(const struct layout *layout);
uint64_t layout_chunk_bytes(const struct layout *layout);                /* of a whole one */
uint64_t layout_chunk_at(const struct layout *layout, uint64_t chunk);   /* its first byte */
uint64_t layout_chunk_size(const struct layout *layout, uint64_t chunk); /* its bytes */

/* Bytes [*from, *to) of part `part` of `parts` of a piece of `bytes`, on boundaries of pages. */
void layout_part(uint64_t bytes, int part, int parts, uint64_t *from, uint64_t *to);

#endif
