/* Computes how a file of records is divided into chunks, and a chunk into parts. Does not read the file. */
#ifndef DATA_PIPELINE_LAYOUT_H
#define DATA_PIPELINE_LAYOUT_H

#include <stdint.h>

/* The sizes of a file. All chunks have `chunk_records` records, except that the last may have fewer. */
struct layout {
  uint64_t record_bytes, records;
  uint64_t chunk_records, chunks;
};

struct layout layout_of(uint64_t record_bytes, uint64_t records, uint64_t chunk_records);
uint64_t layout_bytes(const struct layout *layout);
uint64_t layout_chunk_bytes(const struct layout *layout);                /* size of a full chunk */
uint64_t layout_chunk_at(const struct layout *layout, uint64_t chunk);   /* offset of the chunk's first byte */
uint64_t layout_chunk_size(const struct layout *layout, uint64_t chunk); /* size of this chunk in bytes */

/* Divides `bytes` bytes into `parts` parts at page boundaries, and stores in [*from, *to) the range of part number
 * `part`. */
void layout_part(uint64_t bytes, int part, int parts, uint64_t *from, uint64_t *to);

#endif
